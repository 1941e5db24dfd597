# The Debian packages: what they say of themselves, what they hold, and that programs are built with what they unpack.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

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
