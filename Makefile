# The commands of this project. Each installs what is missing first (scripts/setup), so that a fresh clone needs nothing else.
.DEFAULT_GOAL := help
.PHONY: help demo test nightly bench manual format clean

help:
	@echo 'make demo     build, run a matrix product on the simulated chip, check it, and see where its cycles went'
	@echo 'make test     every test: g++, clang over headers and refusals, sanitizers, a bounded fuzz run'
	@echo 'make nightly  what is too long for every change: all tests with clang, ThreadSanitizer, clang-tidy, long fuzzing, all 2^32 operands, 100,000 random programs'
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
	@failed=0; for part in 'run-tests --fuzz-seconds 300 dev clang asan-ubsan tsan' run-tidy run-sweeps run-corpus; do scripts/$$part || failed=1; done; exit $$failed

bench:
	@scripts/setup
	@scripts/run-benches

manual:
	@scripts/setup
	@scripts/manual -o build/manual

format:
	@scripts/setup
	@find bench data docs examples include kernels src tests tools -name '*.hpp' -print0 -o -name '*.cpp' -print0 | xargs -0 clang-format-19 -i
	@scripts/diagnostics-pages

clean:
	rm -rf build
