// The contraction: align brings the weights, contract says how products are joined, accumulate makes the sums.
#include "tcp/exec/reference/operations.hpp"

#include <optional>

#include "exec/reference/spots.hpp"
#include "exec/reference/stages.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace tcp::reference {
namespace {

/// Sum, product and maximum in the wide type.
struct Arithmetic {
  bool floating;
  ContractOp op;
  NumericModel model;

  Element product(const Element& a, ScalarType a_type, const Element& b, ScalarType b_type) const {
    ScalarType const wide = floating ? ScalarType::f32 : ScalarType::i32;
    std::uint32_t const x = scalar_cast_bits(a_type, wide, a.bits, model), y = scalar_cast_bits(b_type, wide, b.bits, model);
    Origin const undefined = a.undefined != 0 ? a.undefined : b.undefined;
    if (floating) return {arithmetic::mul(f32::from_bits(x), f32::from_bits(y), model).bits, undefined};
    return {arithmetic::mul_int(i32::from_bits(x), i32::from_bits(y)).bits, undefined};
  }
  Element join(const Element& a, const Element& b) const {
    Origin const undefined = a.undefined != 0 ? a.undefined : b.undefined;
    if (floating) {
      f32 const x = f32::from_bits(a.bits), y = f32::from_bits(b.bits);
      return {(op == ContractOp::Add ? arithmetic::add(x, y, model) : arithmetic::max(x, y, model)).bits, undefined};
    }
    i32 const x = i32::from_bits(a.bits), y = i32::from_bits(b.bits);
    return {(op == ContractOp::Add ? arithmetic::add_fxp(x, y) : arithmetic::max(x, y)).bits, undefined};
  }
};

/// By how much the axes of the result begin elsewhere: a start goes with the digits that are summed.
Index begins(const Levels& from, const Levels& to) {
  Index by;
  for (int l = 0; l < level_count; ++l) {
    for (int a = 0; a < to.at[l].axes; ++a) by.add(to.at[l].axis[a].name, to.at[l].axis[a].start);
    for (int a = 0; a < from.at[l].axes; ++a) by.add(from.at[l].axis[a].name, -from.at[l].axis[a].start);
  }
  return by;
}

/// The first time step with the same kept rounds: what is added over time is taken to be 0.
std::int64_t kept_step(const Accumulated& a, std::int64_t step) {
  std::int64_t kept = 0, inside = 1;
  for (int k = a.loops - 1; k >= 0; --k) {
    if (!a.loop[k].added) kept += step / inside % a.loop[k].rounds * inside;
    inside *= a.loop[k].rounds;
  }
  return kept;
}

}  // namespace

Value contract(const Value& data, const Value& weights, ContractOp op, const Aligned& pair, const Contracted& contracted,
               const Accumulated& accumulated, const Levels& out, NumericModel model) {
  Arithmetic const arithmetic{contracted.type == ScalarType::f32, op, model};
  Value result(contracted.type, axes_of(out));
  std::vector<std::int64_t> begun_by(static_cast<std::size_t>(result.size()),
                                     0);  // the unit that an element's sum belongs to; copies sum anew
  Extents const extents(pair.at);
  std::vector<Spot> const packet = spots(pair.at[Level::packet]), time = spots(pair.at[Level::time]);
  std::size_t const leaves = std::size_t{1} << contracted.depth;
  std::vector<std::optional<Element>> tree(leaves);
  Index const shift = begins(pair.at, out);
  std::int64_t unit = 0;

  for (const Spot& chip : live_spots(pair.at[Level::chip]))
    for (const Spot& cluster : live_spots(pair.at[Level::cluster]))
      for (const Spot& slice : live_spots(pair.at[Level::slice]))
        for (const Spot& row : live_spots(pair.at[Level::row])) {
          ++unit;
          Index here;
          for (const Spot* s : {&chip, &cluster, &slice, &row}) add(here, s->sums);
          for (const Spot& step : time) {
            const Spot& kept = time[static_cast<std::size_t>(kept_step(accumulated, step.position))];
            if (kept.pad != Pad::none) continue;
            for (std::size_t first = 0; first + leaves <= packet.size(); first += leaves) {
              if (packet[first].pad != Pad::none) continue;  // a column of padding, which the result has too
              // The result's element: the coordinates of what is neither summed in the packet nor over time.
              Index to = here;
              add(to, shift);
              add(to, kept.sums);
              add(to, packet[first].sums);
              if (!result.holds(to)) continue;
              bool any = false;
              for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
                const Spot& lane = packet[first + leaf];
                Index from = here;
                add(from, step.sums);
                add(from, lane.sums);
                tree[leaf].reset();
                if (step.pad == Pad::none && lane.pad == Pad::none && extents.hold(from)) {
                  tree[leaf] = arithmetic.product(data.at(from), data.type, weights.at(from), weights.type);
                } else {
                  Place const place{chip.position, cluster.position, slice.position, row.position, 0, step.position, lane.position};
                  if (cell(pair.at, place).pad == Pad::zero) tree[leaf] = Element{};  // the product is +0, whatever the other side holds
                }
                any |= tree[leaf].has_value();
              }
              if (!any) continue;
              for (std::size_t width = leaves; width > 1; width /= 2)
                for (std::size_t i = 0; i < width / 2; ++i) {
                  std::optional<Element> const a = tree[2 * i], b = tree[2 * i + 1];
                  tree[i] = a && b ? arithmetic.join(*a, *b) : a ? a : b;
                }
              Element& sum = result.at(to);
              std::int64_t& begun = begun_by[static_cast<std::size_t>(&sum - &result[0])];
              sum = begun == unit ? arithmetic.join(sum, *tree[0]) : *tree[0];
              begun = unit;
            }
          }
        }
  return result;
}

Verdict apply(const ir::Align& a, PassRun& run) {
  run.aligned = &run.found->as<Aligned>();
  run.stream = repeated(run.levels, run.aligned->at, run.stream);
  run.weights = repeated(run.module.levels(run.module.tensor(a.trf)), run.aligned->at, run.memory.read(a.trf));
  return accept();
}

Verdict apply(const ir::Contract& c, PassRun& run) {
  run.op = c.op;
  run.contracted = &run.found->as<Contracted>();
  return accept();
}

Verdict apply(const ir::Accumulate&, PassRun& run) {
  run.stream =
      contract(run.stream, run.weights, run.op, *run.aligned, *run.contracted, run.found->as<Accumulated>(), run.out, run.module.numeric);
  return accept();
}

}  // namespace tcp::reference
