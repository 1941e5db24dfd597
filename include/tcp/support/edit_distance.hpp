// How far two words are apart: for advice about a word that was misspelt.
#pragma once

#include <cstddef>
#include <string_view>

namespace tcp {

/// Levenshtein's distance: how many letters must be changed, added or removed to make one word of the other. Takes the
/// product of both lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace tcp
