# The two Debian packages: what they say of themselves, what they hold, and that programs are built with what they unpack.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
run("${cpack}" -G DEB --config "${build}/CPackConfig.cmake" -B "${work}/packages" -D CPACK_DEBIAN_COMPRESSION_TYPE=none)
file(GLOB packages "${work}/packages/*.deb")
list(LENGTH packages number)
if(NOT number EQUAL 2)
  message(FATAL_ERROR "two packages are wanted: ${packages}")
endif()

file(GLOB command "${work}/packages/tcp-visa_${version}_*.deb")
run(dpkg-deb -f "${command}")
expect("Package: tcp-visa\n" "Version: ${version}" "Section: devel" "libtbb12" "libstdc++6" "Description: An open toolchain")
run(dpkg-deb -c "${command}")
expect("./usr/bin/tcp\n" "./usr/share/man/man1/tcp.1.gz\n" "./usr/share/bash-completion/completions/tcp\n" "./usr/share/zsh/vendor-completions/_tcp\n"
       "./usr/share/fish/vendor_completions.d/tcp.fish\n" "./usr/share/tcp/chips/rngd.json\n" "./usr/share/tcp/viewer/page.html\n" "./usr/share/doc/tcp-visa/copyright\n")
file(GLOB development "${work}/packages/libtcp-visa-dev_${version}_*.deb")
run(dpkg-deb -f "${development}")
expect("Package: libtcp-visa-dev\n" "Section: libdevel" "tcp-visa (= ${version})" "libtbb-dev" "libhwy-dev")
run(dpkg-deb -c "${development}")
expect("./usr/include/tcp/tcp.hpp\n" "./usr/include/tcp/kernels/gemm/gemm.hpp\n" "./usr/lib/libtcp_runtime.a\n" "./usr/lib/pkgconfig/tcp-visa.pc\n")
string(REGEX MATCH "[^\n]*(/bin/|/share/tcp)[^\n]*" misplaced "${output}")
if(misplaced)
  message(FATAL_ERROR "the development package holds what belongs to the command: ${misplaced}")
endif()

# dpkg itself takes them, into a root of its own; what they depend on is this machine's.
file(MAKE_DIRECTORY "${work}/installed/var/lib/dpkg/updates" "${work}/installed/var/lib/dpkg/info" "${work}/installed/var/lib/dpkg/triggers")
file(TOUCH "${work}/installed/var/lib/dpkg/status" "${work}/installed/var/lib/dpkg/available")
run(fakeroot dpkg --root=${work}/installed --log=/dev/null --force-depends --force-not-root --install ${packages})
run(dpkg-query --admindir=${work}/installed/var/lib/dpkg --show "--showformat=\${db:Status-Abbrev}\${Package} ")
expect("ii libtcp-visa-dev" "ii tcp-visa")

file(COPY "${consumer}/" DESTINATION "${work}/consumer")
run("${CMAKE_COMMAND}" -G Ninja -S "${work}/consumer" -B "${work}/build" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
    "-DCMAKE_PREFIX_PATH=${work}/installed/usr" "-DTCP_WANTED_VERSION=${version}")
run("${CMAKE_COMMAND}" --build "${work}/build")
run("${work}/build/stranger")
run("${work}/build/caller")
run("${work}/installed/usr/bin/tcp" explain device-impossible)
expect("# device-impossible\n")
