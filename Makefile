# The commands of this project. Each installs what is missing first (scripts/setup), so that a fresh clone needs nothing else.
.DEFAULT_GOAL := help
.PHONY: help demo test nightly bench manual format clean

help:
	@echo 'make demo     build, run a matrix product on the simulated chip, check it, and see where its cycles went'
	@echo 'make test     every test once: unit tests and a bounded fuzz run under sanitizers, the others with g++; clang over headers and refusals'
	@echo 'make nightly  what is too long for every change, in parts: all tests with g++, all with clang, ThreadSanitizer, clang-tidy, long fuzzing,'
	@echo '              all 2^32 operands;'
	@echo '              make nightly PART=tidy runs one of them, PART=help lists them'
	@echo 'make bench    the figures, one a line: ratio NAME VALUE, or figure NAME VALUE UNIT'
	@echo 'make manual   the manual as pages with search: build/manual/docs/index.html'
	@echo 'make format   lay out the sources and write the generated pages again'
	@echo 'make clean    remove build/'

demo:
	@scripts/setup command
	@cmake --preset release -DTCP_BENCH=OFF >/dev/null
	@cmake --build --preset release --target tcp tcp_runtime tcp_io
	@scripts/demo build/release

test:
	@scripts/setup
	@scripts/run-tests dev asan-ubsan

nightly:
	@scripts/setup
	@scripts/run-nightly $(PART)

bench:
	@scripts/setup
	@scripts/run-benches

manual:
	@scripts/setup
	@scripts/manual -o build/manual

format:
	@scripts/setup
	@find bench data docs examples include kernels python src tests tools -name '*.hpp' -print0 -o -name '*.cpp' -print0 | xargs -0 clang-format-19 -i
	@scripts/diagnostics-pages

clean:
	rm -rf build
