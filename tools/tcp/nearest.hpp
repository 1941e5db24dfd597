// Which of the known names a user may have meant.
#pragma once

#include <string>
#include <vector>

namespace tcp::tool {

/// At most four of `names`, the likeliest first: those that hold what was asked for, and those that few letters
/// separate from it.
std::vector<std::string> nearest(const std::string& asked, const std::vector<std::string>& names);

}  // namespace tcp::tool
