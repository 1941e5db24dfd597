// Names for what a kernel left unnamed, taken from its source lines: the variable that a tensor is put into, the function that makes it.
//
// C++ tells a library where it is called from, but not what the result will be called. The line does: `auto tile = ctx.main.begin(...)`. What the line does not
// tell stays without a name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tcp::sched {

using LineReader = std::function<std::string(const std::string& file, std::int64_t line)>;

/// "gemm" of "tcp::HbmTensor<...> gemm(tcp::Context&, ...)": no types, no arguments.
std::string short_function(std::string_view signature);

/// The variable that the statement around a line sets; empty: none that can be seen.
std::string variable_at(const LineReader& lines, const std::string& file, std::int64_t line);

/// The variable whose member the statement around a line calls: `a` of `auto x = a.to_dm(...)`.
std::string receiver_at(const LineReader& lines, const std::string& file, std::int64_t line);

}  // namespace tcp::sched
