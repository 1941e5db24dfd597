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
