// Reduces: within a slice over the lanes of a packet and over time, and across the slices of a group.
//
// Lanes beyond the count of their flit take no part. Where nothing took part the result is padding, and undefined.
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "vector.hpp"

namespace tcp::sim {

namespace {

constexpr std::int64_t tree_lanes = 4;

std::uint32_t folded(std::uint8_t op, bool floating, std::uint32_t a, std::uint32_t b, NumericModel numeric) {
  using namespace arithmetic;
  if (floating) {
    f32 const x = f32::from_bits(a), y = f32::from_bits(b);
    switch (op) {
      case 2: return max(x, y, numeric).bits;
      case 3: return min(x, y, numeric).bits;
      case 4: return mul(x, y, numeric).bits;
      default: return add(x, y, numeric).bits;
    }
  }
  i32 const x = i32::from_bits(a), y = i32::from_bits(b);
  switch (op) {
    case 1: return add_fxp_sat(x, y).bits;
    case 2: return max(x, y).bits;
    case 3: return min(x, y).bits;
    default: return add_fxp(x, y).bits;
  }
}

}  // namespace

void Fold::join(const Fold& other, std::uint8_t op, bool floating, NumericModel numeric) {
  if (!other.any_) return;
  if (!any_) {
    *this = other;
    return;
  }
  bits_ = folded(op, floating, bits_, other.bits_, numeric);
  undefined_ |= other.undefined_;
}

void Fold::take(const Fold& element, std::uint8_t op, bool floating, NumericModel numeric) {
  bool const first = !any_;
  join(element, op, floating, numeric);
  if (first && any_ && floating) bits_ = canonical_result(canonical_operand(f32::from_bits(bits_), numeric), numeric).bits;
}

void VectorEngine::reduce(const program::IntraSliceReduce& step) {
  std::int64_t results = 1;
  for (const program::TimeLoop& loop : step.loops) results *= loop.added ? 1 : loop.rounds;
  std::vector<Fold> sums(static_cast<std::size_t>(results * s_.lanes));
  NumericModel const numeric = context_.numeric;
  for (std::int64_t flit = 0; flit < s_.packets; ++flit) {
    std::int64_t rest = flit, to = 0, of = 1;
    for (std::size_t k = step.loops.size(); k-- > 0; rest /= step.loops[k].rounds)
      if (!step.loops[k].added) {
        to += rest % step.loops[k].rounds * of;
        of *= step.loops[k].rounds;
      }
    std::array<Fold, tree_lanes> lane;
    for (std::int64_t l = 0; l < s_.lanes && l < count(flit); ++l)
      lane[static_cast<std::size_t>(l)] = Fold(s_.bits[s_.at(flit, l)], s_.undefined[s_.at(flit, l)]);
    Fold* const sum = sums.data() + to * s_.lanes;
    if (step.tree) {
      lane[0].join(lane[1], step.op, floating_, numeric);
      lane[2].join(lane[3], step.op, floating_, numeric);
      lane[0].join(lane[2], step.op, floating_, numeric);
      sum[0].take(lane[0], step.op, floating_, numeric);
    } else {
      for (std::int64_t l = 0; l < s_.lanes; ++l) sum[l].take(lane[static_cast<std::size_t>(l)], step.op, floating_, numeric);
    }
  }
  s_.shape(s_.type, results, s_.lanes);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    s_.bits[i] = sums[i].bits();
    s_.undefined[i] = sums[i].undefined();
  }
  count_.assign(static_cast<std::size_t>(results), static_cast<std::uint8_t>(s_.lanes));
  forget_ids();
}

Stream VectorEngine::folded_with(const std::vector<const VectorEngine*>& group, std::int64_t first_slice) const {
  const auto& step = std::get<program::InterSliceReduce>(v_.steps[next_].what);
  Stream out;
  out.shape(s_.type, s_.packets, s_.lanes);
  for (std::int64_t t = 0; t < s_.packets; ++t)
    for (std::int64_t lane = 0; lane < s_.lanes; ++lane) {
      Fold sum;
      for (std::size_t g = 0; g < group.size(); ++g) {
        const VectorEngine* const e = group[g];
        if (e == nullptr || !step.folded.contains(first_slice + static_cast<std::int64_t>(g)) || lane >= e->count(t)) continue;
        sum.take(Fold(e->s_.bits[e->s_.at(t, lane)], e->s_.undefined[e->s_.at(t, lane)]), step.op, floating_, context_.numeric);
      }
      out.bits[out.at(t, lane)] = sum.bits();
      out.undefined[out.at(t, lane)] = sum.undefined();
    }
  return out;
}

void VectorEngine::take_reduced(const Stream& folded, std::int64_t first_slice) {
  const auto& step = std::get<program::InterSliceReduce>(v_.steps[next_].what);
  std::int64_t const time_out = v_.steps[next_].time_out;
  s_.shape(folded.type, time_out, folded.lanes);
  Odometer walk(step.from_step);
  for (std::int64_t skipped = (slice_ - first_slice) * time_out; skipped > 0; --skipped) walk.next();
  for (std::int64_t t = 0; t < time_out; ++t, walk.next()) {
    std::int64_t const from = walk.offset();
    bool const there = from >= 0 && from < folded.packets;  // slices that pad the group walk on after the last step, and get anything
    for (std::int64_t lane = 0; lane < s_.lanes; ++lane) {
      s_.bits[s_.at(t, lane)] = there ? folded.bits[folded.at(from, lane)] : 0;
      s_.undefined[s_.at(t, lane)] = there ? folded.undefined[folded.at(from, lane)] : std::uint8_t{1};
    }
  }
  count_.assign(static_cast<std::size_t>(s_.packets), static_cast<std::uint8_t>(s_.lanes));
  forget_ids();
  ++next_;
}

}  // namespace tcp::sim
