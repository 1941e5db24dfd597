// What makes a shell complete the words of the tcp command when the tabulator is pressed.
#pragma once

#include <string>
#include <vector>

#include "describe.hpp"

namespace tcp::tool {

/// Those that are known: bash, zsh, fish.
std::vector<std::string> shells();

/// The script that the shell reads; `shell` is one of them.
std::string completion_for(const std::string& shell, const ToolText& tool);

}  // namespace tcp::tool
