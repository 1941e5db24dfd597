// Kernels written in Rust for the vendor's crate, read as they are: a file, or the folder of a crate.
//
//   Expected<rust::Crate> crate = rust::Crate::open("kernels.rs");
//   for (const rust::Kernel& k : crate->kernels()) {
//     rust::Reading const read = crate->read(k, device);      // its errors, or its commands
//     if (read.module) run(*ir::verify(*read.module, device), …);
//   }
//
// No Rust toolchain takes part. A kernel is evaluated as the front end evaluates one in C++: types are mappings, loops
// are unrolled, each round a region, and every call becomes a call of tcp::dyn, with its place in the Rust source.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::rust {

class CrateTree;

/// A function that is marked with #[device].
struct Kernel {
  std::string name;  // of the function; with its modules if several have the name
  std::string path;  // with its modules: a::b::name
  std::string file;
  unsigned line = 0;
  bool generic = false;  // read where another kernel calls it, or with arguments
  std::size_t number = 0;
  std::string arguments{};  // of a generic one, what its generics are: 64, m![A / 8]
};

/// A function that makes commands and is no kernel: it is read where one calls it.
struct Helper {
  std::string name, file;
  unsigned line = 0;
};

/// A mistake, and the piece of source that is wrong.
struct SourceError {
  Refusal refusal;  // its file's name lives as long as the crate
  std::string kernel;
  unsigned end_line = 0, end_column = 0;  // after the last character
  std::string line_text;                  // the first line of it
  std::vector<Where> called_from;         // of a helper, the innermost call first
};

/// Something that may be a slip of the pen, and is no error: a macro or an attribute that is passed over.
struct SourceNote {
  Where at{};
  unsigned end_line = 0, end_column = 0;
  std::string text, line_text;
};

/// A kernel as commands, or why it is none.
struct KernelReading {
  std::optional<ir::Module> module;
  std::vector<SourceError> errors;
  std::vector<std::string> notes;  // what was assumed
  std::set<std::string> calls;     // the vendor's methods that it came by, as VendorCall names them
  std::set<std::string> scalars;   // its parameters that are numbers: what LaunchScalars may name
  std::set<std::size_t> kernels;   // the numbers of those that it calls
  std::set<std::size_t> helpers;   // and of helpers, in the order of Crate::helpers
};

/// A method of the vendor's crate that is read.
struct VendorCall {
  std::string name;          // tensor.to_dm, stream.fetch, context.begin, gather.by_positions
  std::string form;          // how it is written
  int since = 0, until = 0;  // the editions that have it, as Edition counts them
};
std::vector<VendorCall> vendor_calls();

/// Numbers that a launch brings along, by the names of the kernel's parameters.
using LaunchScalars = std::map<std::string, double>;

/// Which edition of the vendor's crate a manifest asks for, as 0 for April and 2 to 9 for 0.2 to 0.9; none if it does
/// not say. Names of all editions are then accepted.
using Edition = std::optional<int>;

/// Texts that an editor has not saved, by the absolute path of the file that each will be.
using UnsavedTexts = std::map<std::string, std::string>;

class Crate {
 public:
  /// A file, a folder, or a Cargo.toml. An unsaved text is read in place of its file. Refused: nothing there that can
  /// be read.
  static Expected<Crate> open(const std::string& path, UnsavedTexts unsaved = {});
  /// The crate that a file is part of, with all its kernels; a file that is part of none, alone.
  static Expected<Crate> open_around(const std::string& file, const UnsavedTexts& unsaved = {});
  /// A text that is in no file.
  static Crate of_text(const std::string& shown_name, const std::string& text, Edition edition = {});

  const std::vector<Kernel>& kernels() const;
  /// None for a single file of a crate, whose helpers other files call.
  std::vector<Helper> helpers() const;
  /// What is wrong with its files as such: text that is no Rust, modules without a file.
  const std::vector<SourceError>& errors() const;
  const std::vector<SourceNote>& notes() const;
  /// The generics of a kernel as its source has them: `<const N: usize>`; empty: it has none.
  std::string generics_of(const Kernel& kernel) const;
  Edition edition() const;

  /// A refusal of a later stage, which knows a place in the source, as an error of this kernel.
  SourceError error_at(const Refusal& refusal, const Kernel& kernel) const;
  KernelReading read(const Kernel& kernel, const Device& device, const LaunchScalars& scalars = {}) const;
  /// The kernel in typed C++, with its axes, aliases, constants, helpers, loops and names; a part that the typed front
  /// end cannot keep is printed straight, with the reason. Refused: a kernel with errors, and what ir::print_cpp
  /// refuses.
  Expected<std::string> print_cpp(const Kernel& kernel, const Device& device, const LaunchScalars& scalars = {}) const;

  /// Where the name that is there is defined: an axis, an alias, a constant, a function, a module, a macro, a
  /// variable, a parameter. Lines and columns count from 1, and a column counts characters. Its file's name lives as
  /// long as the crate.
  std::optional<Where> definition_at(const std::string& file, unsigned line, unsigned column) const;

 private:
  explicit Crate(std::shared_ptr<CrateTree> tree) : tree_(std::move(tree)) {}

  std::shared_ptr<CrateTree> tree_;
};

}  // namespace tcp::rust
