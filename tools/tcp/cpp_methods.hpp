// The methods that kernels in C++ call: what each does in a sentence, and what its template arguments are.
#pragma once

#include <string_view>

namespace tcp::tool {

struct CppMethod {
  std::string_view name;
  std::string_view arguments;  // levels in the order of the template arguments; `Type` is a scalar, `-` something else
  std::string_view does;
};

/// Null for a name that is no method of tensors, contexts and streams.
const CppMethod* cpp_method(std::string_view name);

}  // namespace tcp::tool
