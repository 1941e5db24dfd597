// The text form of formulas.
//
//   formula    = statement { ";" statement } [ "where" axis "=" integer { "," axis "=" integer } ]
//   statement  = tensor "=" expression
//   tensor     = name [ ":" type ] "[" index { "," index } "]" [ "{" "any" | "rows" | "blocks" integer "}" ]
//   index      = [ "-" ] part { ("+" | "-") part } [ ":" integer ]      part = axis [ "*" integer ] | integer [ "*" axis ]
//   expression = term { ("+" | "-") term }      term = factor { ("*" | "/") factor }      factor = { "-" } primary
//   primary    = number | tensor | function "(" expression { "," expression } ")" | "(" expression ")"
//              | ("sum" | "max") "[" axis { "," axis } "]" term
//
// A tensor that is read has type bf16 unless its first mention says another; a result is bf16, or i32 where the inputs
// are whole numbers; what is made in between is f32 or i32. Law: parse(print(f)) == f.
#pragma once

#include "tcp/formula/formula.hpp"

namespace tcp::formula {

/// Refused: what is no formula. The error names the column, and shows the place.
Expected<Formula> parse(std::string_view text, Where at = {});

}  // namespace tcp::formula
