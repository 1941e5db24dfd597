# The tree inside a stranger's: he gets what he links and no more, here as shared libraries, whose symbols have the version.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

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
