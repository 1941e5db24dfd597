# Run by CTest with: build, consumer (sources), work (scratch), compiler, version.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${work}")
run("${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/prefix")
# A package that only works where it was installed is not relocatable: move it before it is used.
file(RENAME "${work}/prefix" "${work}/moved")
file(COPY "${consumer}/" DESTINATION "${work}/consumer")
run("${CMAKE_COMMAND}" -G Ninja -S "${work}/consumer" -B "${work}/consumer_build" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_PREFIX_PATH=${work}/moved" "-DTCP_WANTED_VERSION=${version}")
run("${CMAKE_COMMAND}" --build "${work}/consumer_build")
run("${work}/consumer_build/stranger")
message("${output}")

if(EXISTS "${build}/bin/tcp")
  run("${work}/moved/bin/tcp" --version)
  message("${output}")
  run("${work}/moved/bin/tcp" explain device-impossible)
  if(NOT output MATCHES "^# device-impossible\n")
    message(FATAL_ERROR "the installed program does not find the diagnostics pages:\n${output}")
  endif()
  # The ten-minute walk: a project of one's own, built and run.
  run("${work}/moved/bin/tcp" new "${work}/hello")
  message("${output}")
  run("${CMAKE_COMMAND}" -E env "CXX=${compiler}" make -C "${work}/hello" run)
  if(NOT output MATCHES "0 of 2048 elements are wrong")
    message(FATAL_ERROR "the project that tcp new made does not run:\n${output}")
  endif()
endif()
