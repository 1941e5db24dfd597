# Makes the prefix that the other tests use.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

cmake_path(GET prefix PARENT_PATH folder)
file(REMOVE_RECURSE "${prefix}" "${folder}/first")
run("${CMAKE_COMMAND}" --install "${build}" --prefix "${folder}/first")
# A package that only works where it was installed is not relocatable: move it before it is used.
file(RENAME "${folder}/first" "${prefix}")
run("${CMAKE_COMMAND}" -E cat "${prefix}/lib/cmake/TcpVisa/TcpVisaConfig.cmake")
