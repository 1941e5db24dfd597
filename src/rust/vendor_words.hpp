// The rules of the chip speak of stages, paddings and types as this project's C++ names them. Whoever wrote a kernel in
// Rust is told in the words of the vendor's crate, and of the edition that the crate is written for.
#pragma once

#include <string>
#include <string_view>

#include "tcp/rust/crate.hpp"

namespace tcp::rust {

/// The edition whose names a source uses, if no manifest says it: April's if it has one of them, else the latest.
int edition_in_use(std::string_view source);

/// A sentence of an error with this code, in the words of an edition.
std::string in_words_of(int edition, std::string_view code, std::string_view sentence);

}  // namespace tcp::rust
