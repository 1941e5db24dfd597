// A module as typed C++: the kernel as a person would write it with the front end of include/tcp/dsl.
//
// Every mapping of a module is known, so that the plain form is always one chain of calls after the other: loops are
// unrolled, rounds are regions, helpers are inlined. What was read from another language, and knows more of how it was
// written, prints its own form with the spellings below (tcp/rust/crate.hpp).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/ir/module.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::ir {

/// Names of C++ variables and types, each given once: words of C++ and of the front end are taken from the beginning.
class CppNames {
 public:
  CppNames();
  /// The name itself, or one like it that is free.
  std::string fresh(std::string_view wanted);
  bool has(std::string_view name) const { return taken_.contains(name); }
  /// True of words of C++ and of the front end, which no declaration may have.
  static bool is_taken_word(std::string_view name);

 private:
  std::set<std::string, std::less<>> taken_;
};

/// The axes of a file: each is a variable, and has one size. A second size of the same name is a second variable.
class CppAxes {
 public:
  explicit CppAxes(CppNames& names) : names_(names) {}

  const std::string& variable(std::string_view name, std::int64_t size);
  /// The variable of a name, if it has any size.
  const std::string& variable(const Name& name);
  /// TCP_AXES(…); for all that were asked for, in this order.
  std::string declarations() const;

 private:
  struct Declared {
    std::string name, variable;
    std::int64_t size;
  };
  CppNames& names_;
  std::vector<Declared> all_;
};

/// `m<A / 8, one.pad(2)>`. Refused: a text that has no room in a template argument.
Expected<std::string> cpp_mapping(const Mapping& mapping, CppAxes& axes, Where at = {});
/// `1`, `0.5f`, `f32::from_bits(0x7fc00000u)`: a constant of i32 or f32 as an operand.
std::string cpp_constant(ScalarType type, std::uint32_t bits);
/// `SliceMask::below(8)`.
std::string cpp_mask(const SliceMask& mask);
/// `OperandGuard::bit(3, true)`.
std::string cpp_guard(const OperandGuard& guard);

/// The body of a C++ file with the kernel: a namespace `kernels` in it.
///
/// Law: the module that the C++ kernel records gives the same bits.
/// Refused: what the typed front end cannot say, and tcp/dyn.hpp or the text form can (transfers over PCIe, tiles of
/// register files, gathers into a tensor that is there).
Expected<std::string> print_cpp(const Module& module);

}  // namespace tcp::ir
