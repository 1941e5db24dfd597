// The Contraction Engine's time steps on the host's own numbers, all Rows beside one another: for numbers of which no
// product and no sum is anything that the chip treats in a way of its own.
#pragma once

#include "sim/engines.hpp"

namespace tcp::sim {

bool suits_plain_steps(std::int64_t rows, std::int64_t lanes);

/// Adds each step to the kept step that it belongs to, one after the other. `data`: packets of `lanes` f32, where the
/// walk says; `weights`: [element][Row] of f32; `sums`: [kept step][Row].
void add_plain_steps(int lanes, std::int64_t steps, const ContractionWalk& walk, const std::uint32_t* data, const std::uint32_t* weights,
                     std::uint32_t* sums);

/// Elements of bf16 as f32. Whether all results are moderate.
bool widen_bf16(const std::uint32_t* from, std::size_t count, bool flushes, std::uint32_t* to);
bool are_moderate(const std::uint32_t* bits, std::size_t count);

}  // namespace tcp::sim
