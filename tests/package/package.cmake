# A stranger's view of the package, one function per way: a test calls the one that -Dway names. Needs: build, source, prefix (where the installed package is), work (scratch),
# consumer (programs of a stranger), compiler, launcher (may be empty), version, python; `lessons` needs build, work, compiler, launcher, python and examples.

# run(COMMAND...): what it printed goes into `output`; a command that fails ends the test.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect(WORDS...): each stands in `output`.
macro(expect)
  foreach(words IN ITEMS ${ARGN})
    string(FIND "${output}" "${words}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "'${words}' is missing in\n${output}")
    endif()
  endforeach()
endmacro()

# Makes the prefix that the other tests use.
function(installation)
  cmake_path(GET prefix PARENT_PATH folder)
  file(REMOVE_RECURSE "${prefix}" "${folder}/first" "${folder}/staged")
  run("${CMAKE_COMMAND}" --install "${build}" --prefix "${folder}/first")
  # A package that only works where it was installed is not relocatable: move it before it is used.
  file(RENAME "${folder}/first" "${prefix}")
  # Packagers stage what they install; nothing of the stage may stay in what is found by name.
  run("${CMAKE_COMMAND}" -E env "DESTDIR=${folder}/staged" "${CMAKE_COMMAND}" --install "${build}" --prefix /usr/local --component development)
  file(GLOB_RECURSE found "${folder}/staged/usr/local/lib/cmake/*.cmake" "${folder}/staged/usr/local/lib/pkgconfig/*.pc")
  if(NOT found)
    message(FATAL_ERROR "DESTDIR was not followed")
  endif()
  foreach(file IN LISTS found)
    file(READ "${file}" text)
    string(FIND "${text}" "${folder}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names the folder that it was staged in")
    endif()
  endforeach()
  run("${CMAKE_COMMAND}" -E cat "${prefix}/lib/cmake/TcpVisa/TcpVisaConfig.cmake")
endfunction()

# A program that knows only find_package(TcpVisa), and the project that `tcp new` makes.
function(by_find_package)
  file(REMOVE_RECURSE "${work}")
  file(COPY "${consumer}/" DESTINATION "${work}/consumer")
  run("${CMAKE_COMMAND}" -G Ninja -S "${work}/consumer" -B "${work}/build" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
      "-DCMAKE_PREFIX_PATH=${prefix}" "-DTCP_WANTED_VERSION=${version}")
  foreach(wrong IN ITEMS 0.0 0.2 1.0)
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${work}/consumer" -B "${work}/wrong" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_PREFIX_PATH=${prefix}"
                            "-DTCP_WANTED_VERSION=${wrong}" RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
    if(result EQUAL 0)
      message(FATAL_ERROR "a package of version ${version} is taken for ${wrong}")
    endif()
    expect("compatible with requested version" "\"${wrong}\"")
  endforeach()
  run("${CMAKE_COMMAND}" --build "${work}/build")
  run("${work}/build/stranger")
  run("${work}/build/caller")
  expect("2048 cycles, bound by multiply-adds")

  run("${prefix}/bin/tcp" --version)
  expect("tcp ${version}\n")
  run("${prefix}/bin/tcp" explain device-impossible)
  expect("# device-impossible\n")
  # The ten-minute walk: a project of one's own, built and run.
  run("${prefix}/bin/tcp" new "${work}/hello")
  run("${CMAKE_COMMAND}" -E env "CXX=${compiler}" make -C "${work}/hello" run)
  expect("OK: 2048 elements match")
  run("${CMAKE_COMMAND}" -E env "CXX=${compiler}" make -C "${work}/hello" trace)
  expect("3,216 cycles")
  run("${prefix}/bin/tcp" lens "${work}/hello/build/trace.json" --file main.cpp)
  expect("main.cpp:")
  run("${CMAKE_COMMAND}" -E env "CXX=${compiler}" "${prefix}/bin/tcp" doctor)
  expect("headers of tcp  ${prefix}")
endfunction()

# One compiler call with what pkg-config says, and no CMake: the program of `tcp new`, and one that calls the kernel library.
function(by_pkg_config)
  file(REMOVE_RECURSE "${work}")
  file(MAKE_DIRECTORY "${work}")
  set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig")
  run(pkg-config --modversion tcp-visa)
  expect("${version}")

  function(compile_with package source program)
    run(pkg-config --cflags --libs ${package})
    separate_arguments(flags UNIX_COMMAND "${output}")
    run("${compiler}" -std=c++20 -O1 "${source}" ${flags} -o "${work}/${program}")
    run("${work}/${program}")
    set(output "${output}" PARENT_SCOPE)
  endfunction()

  run("${prefix}/bin/tcp" new "${work}/hello")
  compile_with(tcp-visa "${work}/hello/main.cpp" kernel)
  expect("OK: 2048 elements match")
  compile_with(tcp-visa-kernels "${consumer}/caller.cpp" caller)
  expect("2048 cycles, bound by multiply-adds")

  # The consumer's compiler is told one folder.
  run(pkg-config --cflags-only-I tcp-visa-mapping tcp-visa-kernels)
  separate_arguments(told UNIX_COMMAND "${output}")
  file(REAL_PATH "${prefix}/include" include)
  string(REPLACE "-I" "" told "${told}")
  file(REAL_PATH "${told}" told)
  if(NOT told STREQUAL include)
    message(FATAL_ERROR "pkg-config tells more than one folder: ${output}")
  endif()

  # A stranger has another compiler, or a younger language.
  find_program(clang clang++-19)
  foreach(other IN ITEMS "${compiler};-std=c++23" "${clang};-std=c++20" "${clang};-std=c++23")
    list(GET other 0 program)
    if(program)
      run(${other} -fsyntax-only -Wall -Wextra -Werror "-I${include}" "${consumer}/caller.cpp")
    endif()
  endforeach()

  # Who has none of the old headers' libraries in his language mode is told what to do.
  execute_process(COMMAND "${compiler}" -std=c++17 -fsyntax-only "-I${include}" -include tcp/support/version.hpp -x c++ /dev/null ERROR_VARIABLE output)
  expect("tcp needs C++20: compile with -std=c++20")
endfunction()

# The tree inside a stranger's: he gets what he links and no more, here as shared libraries, whose symbols have the version.
function(by_add_subdirectory)
  file(REMOVE_RECURSE "${work}")
  file(COPY "${consumer}/" DESTINATION "${work}/consumer")
  run("${CMAKE_COMMAND}" -G Ninja -S "${work}/consumer" -B "${work}/build" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
      -DBUILD_SHARED_LIBS=ON "-DTCP_SOURCE=${source}")
  run("${CMAKE_COMMAND}" --build "${work}/build" --target stranger)
  run("${work}/build/stranger")

  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor "${version}")
  file(GLOB_RECURSE library "${work}/build/libtcp_support.so.${version}")
  run(readelf --dyn-syms --wide "${library}")
  expect("library_versionEv@@libtcp_support.so.${minor}")
  run(readelf --dyn-syms --wide "${work}/build/stranger")
  expect("libraries_of_versionILi")
  file(GLOB_RECURSE built "${work}/build/*.so")
  foreach(library IN LISTS built)
    if(library MATCHES "runtime|exec|sim|kernels")
      message(FATAL_ERROR "${library} was built, and the stranger links mapping and device")
    endif()
  endforeach()
endfunction()

# What `tcp compile --emit cpp` prints needs the installed package alone, and runs to the bits that `tcp run` has for the kernel in Rust. The first kernel is that of the
# manual's page, which says so.
function(printed_from_rust)
  file(REMOVE_RECURSE "${work}")
  file(MAKE_DIRECTORY "${work}")
  set(ENV{PKG_CONFIG_PATH} "${prefix}/lib/pkgconfig")
  run(pkg-config --cflags --libs tcp-visa tcp-visa-io)
  separate_arguments(flags UNIX_COMMAND "${output}")

  file(READ "${source}/docs/coming-from-rust.md" page)
  if(NOT page MATCHES "```rust kernels\\.rs\n([^`]+)\n```")
    message(FATAL_ERROR "docs/coming-from-rust.md has no kernels.rs")
  endif()
  file(WRITE "${work}/kernels.rs" "${CMAKE_MATCH_1}")

  # runs_as_printed(FILE KERNEL ARGUMENTS SHAPES): arguments by the names that the source gives them, and their shapes, with the result's.
  function(runs_as_printed file kernel arguments shapes)
    set(here "${work}/${kernel}")
    file(MAKE_DIRECTORY "${here}")
    run("${prefix}/bin/tcp" compile "${file}" --kernel ${kernel} --emit cpp -o "${here}/kernel.cpp")
    run("${compiler}" -std=c++20 -O1 -Wall -Wextra -Werror "-DPRINTED=\"${here}/kernel.cpp\"" -DKERNEL=kernels::${kernel} "${consumer}/printed.cpp" ${flags} -o "${here}/program")
    run("${CMAKE_COMMAND}" -E chdir "${here}" ./program ${shapes})
    set(given)
    foreach(argument IN LISTS arguments)
      list(LENGTH given words)
      math(EXPR number "${words} / 2")
      list(APPEND given --in "${argument}=${here}/argument${number}.npy")
    endforeach()
    run("${prefix}/bin/tcp" run "${file}" --kernel ${kernel} ${given} --out "result=${here}/in_rust.npy")
    run("${CMAKE_COMMAND}" -E compare_files "${here}/result.npy" "${here}/in_rust.npy")
  endfunction()

  set(corpus "${source}/tests/rust/corpus")
  runs_as_printed("${work}/kernels.rs" relu_twice x "2048;2048")
  runs_as_printed("${corpus}/helpers.rs" scale_and_add "x;y" "2048;2048;2048")
  runs_as_printed("${corpus}/lessons.rs" gemm "a;b" "512x64;512x64;512x512")
endfunction()

# The Debian packages: what they say of themselves, what they hold, and that programs are built with what they unpack.
function(debian_packages)
  file(REMOVE_RECURSE "${work}")
  file(MAKE_DIRECTORY "${work}")
  run("${cpack}" -G DEB --config "${build}/CPackConfig.cmake" -B "${work}/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=none)
  file(GLOB packages "${work}/packages/*.deb")
  list(LENGTH packages number)
  file(GLOB for_ranks "${work}/packages/tcp-visa-mpi_${version}_*.deb")
  set(wanted 4)
  if(for_ranks)  # where MPI is installed
    set(wanted 5)
    run(dpkg-deb -f "${for_ranks}")
    expect("Package: tcp-visa-mpi\n" "Section: devel" "tcp-visa (= ${version})" "openmpi-bin" "libopenmpi3")
    run(dpkg-deb -c "${for_ranks}")
    expect("./usr/bin/tcp-mpi\n" "./usr/share/doc/tcp-visa-mpi/copyright\n" "./usr/share/doc/tcp-visa-mpi/changelog.gz\n")
  endif()
  if(NOT number EQUAL wanted)
    message(FATAL_ERROR "${wanted} packages are wanted: ${packages}")
  endif()

  file(GLOB command "${work}/packages/tcp-visa_${version}_*.deb")
  run(dpkg-deb -f "${command}")
  expect("Package: tcp-visa\n" "Version: ${version}" "Section: devel" "libtbb12" "libstdc++6" "Description: An open toolchain")
  run(dpkg-deb -c "${command}")
  expect("./usr/bin/tcp\n" "./usr/share/man/man1/tcp.1.gz\n" "./usr/share/bash-completion/completions/tcp\n" "./usr/share/zsh/vendor-completions/_tcp\n"
         "./usr/share/fish/vendor_completions.d/tcp.fish\n" "./usr/share/tcp/chips/rngd.json\n" "./usr/share/tcp/viewer/page.html\n" "./usr/share/doc/tcp-visa/copyright\n" "./usr/share/doc/tcp-visa/changelog.gz\n")
  file(GLOB development "${work}/packages/libtcp-visa-dev_${version}_*.deb")
  run(dpkg-deb -f "${development}")
  expect("Package: libtcp-visa-dev\n" "Section: libdevel" "tcp-visa (= ${version})" "libtbb-dev" "libhwy-dev" "libicu-dev")
  run(dpkg-deb -c "${development}")
  expect("./usr/include/tcp/tcp.hpp\n" "./usr/include/tcp/kernels/gemm/gemm.hpp\n" "./usr/lib/libtcp_runtime.a\n" "./usr/lib/pkgconfig/tcp-visa.pc\n")
  string(REGEX MATCH "[^\n]*(/bin/|/share/tcp)[^\n]*" misplaced "${output}")
  if(misplaced)
    message(FATAL_ERROR "the development package holds what belongs to the command: ${misplaced}")
  endif()
  file(GLOB documentation "${work}/packages/tcp-visa-doc_${version}_all.deb")
  run(dpkg-deb -f "${documentation}")
  expect("Package: tcp-visa-doc\n" "Section: doc" "Architecture: all")
  run(dpkg-deb -c "${documentation}")
  expect("./usr/share/doc/tcp-visa/html/docs/index.html\n" "./usr/share/doc/tcp-visa-doc/copyright\n")

  file(GLOB for_python "${work}/packages/python3-tcp-visa_${version}_*.deb")
  run(dpkg-deb -f "${for_python}")
  expect("Package: python3-tcp-visa\n" "Section: python" "tcp-visa (= ${version})" "python3-numpy" "libtbb12" "libstdc++6")
  run(dpkg-deb -c "${for_python}")
  expect("./usr/lib/python3/dist-packages/tcp_visa/__init__.py\n" "./usr/lib/python3/dist-packages/tcp_visa/_tcp.pyi\n" "./usr/lib/python3/dist-packages/tcp_visa/py.typed\n"
         "./usr/share/doc/python3-tcp-visa/copyright\n" "./usr/share/doc/python3-tcp-visa/changelog.gz\n")
  string(REGEX MATCH "_tcp\\.cpython-[^\n]*\\.so\n" module "${output}")
  if(NOT module)
    message(FATAL_ERROR "the Python package has no module: ${output}")
  endif()

  # dpkg itself takes them, into a root of its own; what they depend on is this machine's.
  file(MAKE_DIRECTORY "${work}/installed/var/lib/dpkg/updates" "${work}/installed/var/lib/dpkg/info" "${work}/installed/var/lib/dpkg/triggers")
  file(TOUCH "${work}/installed/var/lib/dpkg/status" "${work}/installed/var/lib/dpkg/available")
  run(fakeroot dpkg --root=${work}/installed --log=/dev/null --force-depends --force-not-root --install ${packages})
  run(dpkg-query --admindir=${work}/installed/var/lib/dpkg --show "--showformat=\${db:Status-Abbrev}\${Package} ")
  expect("ii libtcp-visa-dev" "ii tcp-visa" "ii tcp-visa-doc" "ii python3-tcp-visa")

  file(COPY "${consumer}/" DESTINATION "${work}/consumer")
  run("${CMAKE_COMMAND}" -G Ninja -S "${work}/consumer" -B "${work}/build" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
      "-DCMAKE_PREFIX_PATH=${work}/installed/usr" "-DTCP_WANTED_VERSION=${version}")
  run("${CMAKE_COMMAND}" --build "${work}/build")
  run("${work}/build/stranger")
  run("${work}/build/caller")
  run("${work}/installed/usr/bin/tcp" explain device-impossible)
  expect("# device-impossible\n")

  # The Python package as Debian's Python has it, with the chips, pages and the viewer of tcp-visa.
  run("${CMAKE_COMMAND}" -E env "PYTHONPATH=${work}/installed/usr/lib/python3/dist-packages" /usr/bin/python3 -B -c
      "import numpy, tcp_visa as tv\nprint(tv.__version__, tv.kernels.gemm(numpy.eye(3, dtype=numpy.int8), numpy.ones((3, 2), numpy.int8)).sum(), tv.explain('device-impossible')[:19])")
  expect("${version} 6 # device-impossible")
endfunction()

# Every installed header, in one file, reaches nothing but ours, the standard library and the C library's: no package of ours is a stranger's business.
function(headers_leak_nothing)
  file(REMOVE_RECURSE "${work}")
  file(GLOB_RECURSE headers RELATIVE "${prefix}/include" "${prefix}/include/*.hpp")
  list(LENGTH headers number)
  if(number LESS 100)
    message(FATAL_ERROR "only ${number} headers are installed")
  endif()
  set(text "")
  foreach(header IN LISTS headers)
    string(APPEND text "#include <${header}>\n")
    file(STRINGS "${prefix}/include/${header}" in_tree REGEX "#include \"kernels/")
    if(in_tree)
      message(FATAL_ERROR "${header}: ${in_tree}; a stranger has no such folder")
    endif()
  endforeach()
  file(WRITE "${work}/all.cpp" "${text}")
  set(plain "${work}/prefix")  # without the blank, which lists of files write in a way of their own
  file(CREATE_LINK "${prefix}" "${plain}" SYMBOLIC)
  run("${compiler}" -std=c++20 "-I${plain}/include" -M "${work}/all.cpp" -MF "${work}/all.d")
  run("${compiler}" -std=c++20 "-I${plain}/include" -fsyntax-only "${work}/all.cpp")

  file(READ "${work}/all.d" reached)
  string(REGEX MATCHALL "[^ \\\n]+\\.h(pp)?|/[^ \\\n]+" reached "${reached}")
  foreach(file IN LISTS reached)
    if(file MATCHES "^${plain}/include/tcp/|all\\.(cpp|o)|/c\\+\\+/|/lib/gcc/|/lib/llvm|/usr/include/[a-z0-9_]+-linux-gnu/(bits|sys|gnu|asm)/|/usr/include/(linux|asm-generic|bits|sys)/")
      continue()
    endif()
    # What is left is the C library's own folder, in which packages may lie, too.
    cmake_path(GET file FILENAME name)
    if(NOT file MATCHES "^/usr/include/[a-z_0-9-]+\\.h$" OR name MATCHES "zlib|httplib|mpfr|gmp")
      message(FATAL_ERROR "a public header reaches ${file}")
    endif()
  endforeach()
endfunction()

# A program compiled with the headers of the next minor version does not link with the libraries of this one, and the linker says why.
function(two_versions)
  file(REMOVE_RECURSE "${work}")
  file(READ "${prefix}/include/tcp/support/version.hpp" header)
  string(REGEX REPLACE "(#define TCP_VERSION_MINOR) [0-9]+" "\\1 999" header "${header}")
  file(WRITE "${work}/include/tcp/support/version.hpp" "${header}")
  file(WRITE "${work}/main.cpp" "#include <cstdio>\n#include <tcp/support/version.hpp>\nint main() { std::puts(tcp::library_version()); }\n")

  run("${compiler}" -std=c++20 "${work}/main.cpp" "-I${prefix}/include" "-L${prefix}/lib" -ltcp_support -o "${work}/same")
  run("${work}/same")
  expect("${version}\n")

  execute_process(COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${compiler}" -std=c++20 -O2 "${work}/main.cpp" "-I${work}/include" "-L${prefix}/lib" -ltcp_support -o "${work}/other"
                  RESULT_VARIABLE result ERROR_VARIABLE output)
  if(result EQUAL 0)
    message(FATAL_ERROR "headers and libraries of two versions were linked")
  endif()
  expect("libraries_of_version<0, 999>")
  # The same by CMake: the next minor version is not there.
  file(WRITE "${work}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.25)\nproject(next LANGUAGES CXX)\nfind_package(TcpVisa 0.999 REQUIRED)\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${work}" -B "${work}/build" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${compiler}"
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
  if(result EQUAL 0)
    message(FATAL_ERROR "find_package took another minor version")
  endif()
  expect("version: ${version}")
endfunction()

# What the shell has of the package: a manual page without a fault, and completion in bash, zsh and fish.
function(shell_files)
  file(REMOVE_RECURSE "${work}")
  file(MAKE_DIRECTORY "${work}")
  execute_process(COMMAND gzip -cd "${prefix}/share/man/man1/tcp.1.gz" OUTPUT_FILE "${work}/tcp.1")
  run(mandoc -Thtml "${work}/tcp.1")
  expect("TCP(1)" "tcp_lens_TRACE" "EXIT_STATUS" "wrong usage of the command line")
  execute_process(COMMAND mandoc -Tlint -Wwarning "${work}/tcp.1" OUTPUT_VARIABLE faults ERROR_VARIABLE faults)
  string(REGEX REPLACE "[^\n]*missing date[^\n]*\n" "" faults "${faults}")  # pages of one version are equal, whenever they are built
  if(faults)
    message(FATAL_ERROR "${faults}")
  endif()
  run("${python}" -B "${CMAKE_CURRENT_LIST_DIR}/completion.py" --prefix "${prefix}" --work "${work}")
endfunction()

# Builds the lessons against the installed package and runs them. Run by CTest, and by scripts/lesson-outputs with write = --write.
function(lessons)
  file(REMOVE_RECURSE "${work}/prefix")
  run("${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/prefix")
  run("${CMAKE_COMMAND}" -G Ninja -S "${examples}" -B "${work}/bin" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
      "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra -Wconversion -Wshadow -Werror" "-DCMAKE_PREFIX_PATH=${work}/prefix")
  run("${CMAKE_COMMAND}" --build "${work}/bin")
  file(GLOB lessons LIST_DIRECTORIES true "${examples}/[0-9][0-9]_*")
  run("${python}" -B "${CMAKE_CURRENT_LIST_DIR}/lessons.py" --bin "${work}/bin" ${write} ${lessons})
  message("${output}")
endfunction()

cmake_language(CALL ${way})
