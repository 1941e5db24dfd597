// A module in its canonical form, with the comments of its source.
#pragma once

#include <string>
#include <string_view>

#include "tcp/ir/module.hpp"

namespace tcp::tool {

/// `module` is what was read from `source`, under the name `file`.
/// Law: the text is the same program, has every comment, and is its own formatted text.
std::string formatted(const ir::Module& module, std::string_view source, const char* file);

}  // namespace tcp::tool
