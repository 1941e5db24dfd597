# A program that knows only find_package(TcpVisa), and the project that `tcp new` makes.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

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
