// The K best of E experts for every token, without a branch: each score is packed with its expert's number, all are
// compared with all, and who has fewer than K above it stays.
//
//   packed = score << 16 | expert               the bf16 score's bits above, the expert's number below                       MOE-07
//   compared = packed < 0 ? packed ^ 0x7fff0000 : packed      integers in the order of the scores                            MOE-08
//   rank[i] = number of j with compared[j] > compared[i]      by the sign of a saturating difference                         MOE-09, 10
//   selected = packed where rank < K            by the Vector Engine's filter, in the order of the experts' numbers           MOE-11
//   weight = exp(score) / sum of exp            of the selected; the largest is subtracted first, so that no exp overflows   MOE-13
//
// All slices do the same at the same time (MOE-29), so a token is a slice's, and which experts it gets decides over
// values only, never over addresses.
//
// Ties go to the larger number. -0.0 counts as less than +0.0. A NaN counts as larger than +infinity (smaller than
// -infinity with its sign set): it is selected, and the token's weights are NaN, as in a softmax.
#pragma once

#include <vector>

#include "kernels/parts/counts.hpp"
#include "kernels/rows/rows.hpp"
#include "tcp/device/device.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/support/round.hpp"

// What the steps of a mixture of experts have in common: tokens a slice each, round after round, and streams of eight
// lanes.

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
/// Several chips have copies of what decides where tokens go, and all decide alike.
inline Mapping chips_of(const dyn::Tensor& t) { return t.levels()[Level::chip]; }

}  // namespace tcp::kernels::moe

namespace tcp::kernels {

/// What a token gets: `K # 8` experts and their weights, in the order of the experts.
struct Routing {
  dyn::Tensor expert;  // i32
  dyn::Tensor weight;  // f32
};

class TopK {
 public:
  /// Refused, by throwing: no tokens, experts not a multiple of 8 from 8 to 128, K not from 1 to 8.
  TopK(const Device& device, std::int64_t tokens, std::int64_t experts, std::int64_t k, Where at = std::source_location::current());

  Mapping token() const { return token_; }
  Mapping expert() const { return expert_; }
  Mapping choice() const { return choice_; }
  Mapping scores_layout() const { return rows_layout(device_, ScalarType::bf16, token_, expert_); }
  /// The layout of the result, and of everything that counts what tokens chose.
  Mapping choices_layout() const { return dyn::map(token_, choice_.pad(vector_lanes)); }

  /// `numbers`: 0, 1, 2, ... in HBM, i32, at least as many as there are experts.
  Routing operator()(Context& ctx, const dyn::Tensor& scores, const dyn::Tensor& numbers) const;

  // The steps, in DM, for the tokens of a round.

  dyn::Tensor packed(Context& ctx, const moe::Round& round, const dyn::Tensor& scores, const dyn::Tensor& numbers) const;
  dyn::Tensor compared(Context& ctx, const dyn::Tensor& packed) const;
  dyn::Tensor ranked(Context& ctx, const dyn::Tensor& compared) const;
  dyn::Tensor selected(Context& ctx, const dyn::Tensor& packed, const dyn::Tensor& rank) const;
  dyn::Tensor experts(Context& ctx, const dyn::Tensor& selected) const;
  dyn::Tensor scores(Context& ctx, const dyn::Tensor& selected) const;
  dyn::Tensor weights(Context& ctx, const dyn::Tensor& scores) const;

 private:
  Device device_;
  Mapping token_, expert_, choice_;
};

}  // namespace tcp::kernels
