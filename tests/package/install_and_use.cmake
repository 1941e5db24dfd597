# Run by CTest with: build, consumer (sources), work (scratch), compiler, version.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

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
endif()
