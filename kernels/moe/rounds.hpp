// What the steps of a mixture of experts have in common: tokens a slice each, round after round, and streams of eight
// lanes.
#pragma once

#include <vector>

#include "kernels/parts/counts.hpp"
#include "tcp/device/device.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels::moe {

inline constexpr std::int64_t lanes = vector_lanes;

inline std::int64_t whole_flits(std::int64_t n) { return round_up(n, lanes); }

/// Up to as many tokens as the chip has slices.
struct Round {
  Mapping all;  // tokens
  std::int64_t start, length;
  Mapping token, cluster, slice;

  /// The tokens of this round, counted by `token`, of a tensor that has all of them in front of `inner`.
  dyn::Tensor of(const dyn::Tensor& t, const Mapping& inner) const {
    return (length == all.size ? t : t.tile(all, length, start)).reshape(dyn::map(token.pad(all.size), inner));
  }
};
std::vector<Round> rounds_of(const Device& device, const Mapping& tokens);

/// The elements of a DM tensor on their way into the Vector Engine, as i32 or f32.
dyn::Stream entering(Context& ctx, const dyn::Tensor& x, const Mapping& steps, const Mapping& eight);
/// The elements as entering() gives them, with the branch that leaves out no lane.
dyn::Stream plain(Context& ctx, const dyn::Tensor& x, const Mapping& steps, const Mapping& eight);
/// The first of the numbers 0, 1, 2, ..., as `axis` counts them.
dyn::Tensor first_of(const dyn::Tensor& numbers, const Mapping& axis);
dyn::Tensor in_vrf(Context& ctx, const dyn::Tensor& x, const Mapping& element);

}  // namespace tcp::kernels::moe
