# The commands of this project. Each installs what is missing first (scripts/setup), so that a fresh clone needs nothing else.
.DEFAULT_GOAL := help
.PHONY: help demo package test nightly bench manual format clean

help:
	@echo 'make demo     build tcp and play a story: a kernel, its cycles, what costs them, one change, 14 times fewer cycles'
	@echo 'make package  Debian packages: build/release/packages/*.deb'
	@echo 'make test     every test once: unit tests and a bounded fuzz run under sanitizers, the others with g++; clang over headers and errors'
	@echo 'make nightly  checks too slow to run on every change, in parts: all tests with g++, all with clang, ThreadSanitizer, clang-tidy, long fuzzing,'
	@echo '              all 2^32 operands;'
	@echo '              make nightly PART=tidy runs one of them, PART=help lists them'
	@echo 'make bench    the figures, one per line: ratio NAME VALUE, or figure NAME VALUE UNIT'
	@echo 'make manual   the manual as pages with search: build/manual/docs/index.html'
	@echo 'make format   format the sources and regenerate generated pages'
	@echo 'make clean    remove build/'

demo:
	@echo '[1/4] installing what is missing'
	@scripts/setup command
	@echo '[2/4] building tcp, with two cores about four minutes the first time'
	@cmake --preset demo >/dev/null
	@NINJA_STATUS='[2/4 building, %p after %es] ' cmake --build --preset demo
	@scripts/demo build/demo/tool

package:
	@scripts/setup
	@cmake --preset release -DTCP_BENCH=OFF >/dev/null
	@NINJA_STATUS='[building, %p after %es] ' cmake --build --preset release
	@cd build/release && cpack -G DEB -B packages >/dev/null && ls packages/*.deb

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
