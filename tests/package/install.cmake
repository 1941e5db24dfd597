# Makes the prefix that the other tests use.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

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
