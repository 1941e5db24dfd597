// The elementary functions on lanes: the loops. The functions themselves are in elementary_inl.hpp.
#include "exec/vector/kernels/elementary_lanes.hpp"

#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/vector/kernels/elementary_lanes.cpp"
#include <hwy/foreach_target.h>
// Highway wants to come second.
#include <hwy/highway.h>

#include "exec/vector/kernels/elementary_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

template <FunctionOfLanes function>
void each_lane_of(Elementary scalar, const Lanes& l, NumericModel model) {
  Narrow const d;
  std::size_t const lanes = hn::Lanes(d);
  auto const* const in = reinterpret_cast<const float*>(l.a);
  auto* const out = reinterpret_cast<float*>(l.out);
  std::size_t i = 0;
  for (; i + lanes <= l.count; i += lanes) hn::StoreU(results<function>(scalar, hn::LoadU(d, in + i), model), d, out + i);
  if (i == l.count) return;
  HWY_ALIGN float rest[most_lanes] = {};
  std::memcpy(rest, in + i, (l.count - i) * sizeof(float));
  hn::Store(results<function>(scalar, hn::Load(d, rest), model), d, rest);
  std::memcpy(out + i, rest, (l.count - i) * sizeof(float));
}

}  // namespace

void elementary_of_lanes(Op op, const Lanes& l, NumericModel model) {
  switch (op) {
    case Op::exp: return each_lane_of<exp_value>(Elementary::exp, l, model);
    case Op::neg_exp: return each_lane_of<neg_exp_value>(Elementary::neg_exp, l, model);
    case Op::tanh: return each_lane_of<tanh_value>(Elementary::tanh, l, model);
    case Op::sigmoid: return each_lane_of<sigmoid_value>(Elementary::sigmoid, l, model);
    case Op::erf: return each_lane_of<erf_value>(Elementary::erf, l, model);
    case Op::log: return each_lane_of<log_value>(Elementary::log, l, model);
    case Op::sin: return each_lane_of<sin_value>(Elementary::sin, l, model);
    default: return each_lane_of<cos_value>(Elementary::cos, l, model);
  }
}

}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace tcp::vector::kernels {
namespace {

/// The derivative g of erf obeys g' = -2 (c + t) g, which gives its coefficients one after the other.
ErfTable made_erf_table() {
  ErfTable table;
  for (int j = 0; j < ErfTable::intervals; ++j) {
    double const c = (j + 0.5) / 8;
    double previous = 0, g = 1.1283791670955125739 * std::exp(-c * c);
    table.at[0][j] = std::erf(c);
    for (int n = 0; n + 1 < ErfTable::terms; ++n) {
      table.at[n + 1][j] = g / (n + 1);
      double const next = -2 * (c * g + previous) / (n + 1);
      previous = g;
      g = next;
    }
  }
  return table;
}

}  // namespace

const ErfTable& erf_table() {
  static const ErfTable table = made_erf_table();
  return table;
}

HWY_EXPORT(elementary_of_lanes);

void elementary_lanes(Op op, const Lanes& lanes, NumericModel model) { HWY_DYNAMIC_DISPATCH(elementary_of_lanes)(op, lanes, model); }

}  // namespace tcp::vector::kernels

#endif
