// What commands are given that take a kernel: a program in text form, an executable whose kernels are recorded by
// running it, or kernels written in Rust. One place reads them all.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "program_file.hpp"
#include "tcp/device/device.hpp"
#include "tcp/rust/crate.hpp"

namespace CLI {
class App;
}

namespace tcp::tool {

/// Which kernel is meant.
struct KernelChoice {
  std::string path, kernel;
  std::vector<std::string> scalars;  // NAME=VALUE, for parameters that are numbers
  std::vector<std::string> words;    // of the command line of an executable
  bool list = false;
  bool values = true;  // whether an executable whose kernels are recorded computes values on the way
};

/// Declares --kernel, --arg, --set and --list; the path is the command's own.
void add_kernel_options(CLI::App& command, KernelChoice& choice);
/// Declares --set and --list only.
void add_scalar_options(CLI::App& command, KernelChoice& choice);

/// Whether the file is a program that the system runs, by its first bytes.
bool is_executable(const std::string& path);
/// Whether it is Rust: a .rs file, a crate's folder, a Cargo.toml.
bool is_rust(const std::string& path);
/// Whether it is a kernel in any form, and not a trace or a program that is compiled.
bool is_kernel(const std::string& path);

/// The kernel of that name; without a name there must be one. An executable is run with TCP_DUMP (docs/environment.md),
/// its standard output is not shown, and source locations are those of its C++. Without values it runs on the backend
/// `plan`; that it fails then, as a program does which looks at its results, is worth a note only. Refused: the first
/// mistake in it.
Expected<ProgramFile> read_kernel(const KernelChoice& choice, const Device& device, Terminal& terminal);

/// The kernel in typed C++; of one in Rust with its loops, helpers and names. Needs: the file that read_kernel gave.
Expected<std::string> kernel_in_cpp(const KernelChoice& choice, const ProgramFile& file, const Device& device, Terminal& terminal);

/// `--list`: the kernels that a file has, one per line.
Verdict list_kernels(const KernelChoice& choice, Terminal& terminal);

/// The numbers of --set.
Expected<std::map<std::string, double>> scalars_of(const KernelChoice& choice);
/// Refused: a number for a parameter that no kernel has; `known` are those that there are.
Verdict check_scalars(const std::map<std::string, double>& given, const std::set<std::string>& known);

/// The kernel that --kernel names: by its name, with modules before it where several have the name, and a generic one
/// with what its generics are: 'scale::<64>'. Without a name there must be one.
Expected<rust::Kernel> choose_kernel(const rust::Crate& crate, const KernelChoice& choice);

}  // namespace tcp::tool
