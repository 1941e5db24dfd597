// The words of the text form, and how a place in a text is shown.
#pragma once

#include <string>
#include <string_view>

#include "tcp/formula/formula.hpp"

namespace tcp::formula {

/// A function: its name, and how many arguments it takes.
struct Word {
  const char* name;
  Operation operation;
  int arguments;
};
inline constexpr Word words[] = {
    {"min", Operation::min, 2},         {"max", Operation::max, 2}, {"relu", Operation::relu, 1}, {"gelu", Operation::gelu, 1},
    {"silu", Operation::silu, 1},       {"exp", Operation::exp, 1}, {"sqrt", Operation::sqrt, 1}, {"tanh", Operation::tanh, 1},
    {"sigmoid", Operation::sigmoid, 1}, {"erf", Operation::erf, 1}, {"log", Operation::log, 1},   {"sin", Operation::sin, 1},
    {"cos", Operation::cos, 1},         {"fma", Operation::fma, 3},
};

/// What a stranger typed may hold anything; what we print is plain, and not longer than `room`.
std::string plain_words(std::string_view typed, std::size_t room);

/// "at column 12: ", or nothing where there is no text.
Text column_of(std::string_view text, const TextPart& at);

/// The note of an error: why, and below it the text with the place underlined.
void show_place(Refusal& r, std::string_view text, const TextPart& at);

}  // namespace tcp::formula
