// How fast RoPE turns each pair of a head's elements, by the model's own numbers, with the stretching of Llama 3.1
// where the configuration asks for it. The table of rotations is made of this (kernels/rowwise/rope). Run time only.
#pragma once

#include <vector>

#include "kernels/llama/configuration.hpp"

namespace tcp::kernels {

/// Radians that pair i of a head turns from one position to the next, for each pair; local layers may have their own.
std::vector<double> rope_frequencies(const LlamaConfig& config, bool local = false);

}  // namespace tcp::kernels
