// What `tcp compile` is given: a program in text form, or an executable whose kernels are recorded by running it.
#pragma once

#include <string>

#include "program_file.hpp"

namespace tcp::tool {

/// Whether the file is a program that the system runs, by its first bytes.
bool is_executable(const std::string& path);

/// Runs the executable with TCP_DUMP (docs/environment.md) and takes the kernel of that name from what it launched;
/// without a name there must be one. Its standard output is not shown. Source locations are those of its C++.
Expected<ProgramFile> record_kernel(const std::string& path, const std::string& kernel, Terminal& terminal);

}  // namespace tcp::tool
