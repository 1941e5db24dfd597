# What the shell has of the package: a manual page without a fault, and completion in bash, zsh and fish.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

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
