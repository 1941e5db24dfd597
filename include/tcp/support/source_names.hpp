// Names that a kernel's source has and C++ does not tell: of the kernel, of its functions, of the variables that its
// tensors are put into.
//
// C++ tells a library where it is called from, but not what the result will be called. The line does:
// `auto tile = ctx.main.begin(...)`. Compilers tell the signature of a function, from which its name has to be taken
// out. All such guessing from text is here; what the text does not tell stays without a name.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tcp {

/// The text of a line of a file; empty if it is not at hand.
using LineReader = std::function<std::string(const std::string& file, std::int64_t line)>;

/// "gemm" of "tcp::HbmTensor<...> gemm(tcp::Context&, ...)": no types, no arguments.
std::string short_function(std::string_view signature);

/// The variable that the statement around a line sets; empty: none that can be seen.
std::string variable_at(const LineReader& lines, const std::string& file, std::int64_t line);

/// The variable whose member the statement around a line calls: `a` of `auto x = a.to_dm(...)`.
std::string receiver_at(const LineReader& lines, const std::string& file, std::int64_t line);

/// The kernel's name: in "auto ns::add_one(Context&)" the word before the parameters. A class that is called like a
/// function gives its own, a lambda that of the function around it.
std::string kernel_name(std::string_view function);

/// The kernel's name, where it is a class that is called like a function: the last word of its type, which follows
/// "Kernel = " in the signature. What else can be called (a function, a lambda, std::function) has none here.
std::string kernel_class(std::string_view signature);

}  // namespace tcp
