# Builds the lessons against the installed package and runs them. Run by CTest, and by scripts/lesson-outputs with write = --write. Needs: build, examples,
# work (scratch), compiler, launcher (may be empty), python.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${work}/prefix")
run("${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/prefix")
run("${CMAKE_COMMAND}" -G Ninja -S "${examples}" -B "${work}/bin" "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${launcher}"
    "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra -Wconversion -Wshadow -Werror" "-DCMAKE_PREFIX_PATH=${work}/prefix")
run("${CMAKE_COMMAND}" --build "${work}/bin")
file(GLOB lessons LIST_DIRECTORIES true "${examples}/[0-9][0-9]_*")
run("${python}" -B "${CMAKE_CURRENT_LIST_DIR}/lessons.py" --bin "${work}/bin" ${write} ${lessons})
message("${output}")
