// Ordered reduces against the fold of one number after the other.
#include "exec/vector/kernels/reduce.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "exec/vector/kernels/target.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace {

using namespace tcp;
using namespace tcp::vector::kernels;

std::uint32_t fold(Op op, std::uint32_t a, std::uint32_t b, NumericModel model) {
  namespace ar = arithmetic;
  f32 const x = f32::from_bits(a), y = f32::from_bits(b);
  i32 const m = i32::from_bits(a), n = i32::from_bits(b);
  switch (op) {
    case Op::add: return ar::add(x, y, model).bits;
    case Op::mul: return ar::mul(x, y, model).bits;
    case Op::max: return ar::max(x, y, model).bits;
    case Op::min: return ar::min(x, y, model).bits;
    case Op::add_fxp: return ar::add_fxp(m, n).bits;
    case Op::add_fxp_sat: return ar::add_fxp_sat(m, n).bits;
    case Op::max_i32: return ar::max(m, n).bits;
    default: return ar::min(m, n).bits;
  }
}

std::uint32_t expected(const Reduction& r, std::int64_t output, bool begun, std::uint32_t sum) {
  bool const floating = r.op == Op::add || r.op == Op::mul || r.op == Op::max || r.op == Op::min;
  for (std::int64_t step = 0; step < r.steps; ++step) {
    auto const lane = [&](int l) { return r.in[output * r.stride + step * r.step_stride + l * r.lane_stride]; };
    std::uint32_t all = lane(0);
    if (r.lanes > 1) all = fold(r.op, all, lane(1), r.model);
    if (r.lanes == 3) all = fold(r.op, all, lane(2), r.model);
    if (r.lanes == 4) all = fold(r.op, all, fold(r.op, lane(2), lane(3), r.model), r.model);
    if (begun) sum = fold(r.op, sum, all, r.model);
    else sum = floating ? canonical_result(canonical_operand(f32::from_bits(all), r.model), r.model).bits : all;
    begun = true;
  }
  return sum;
}

TEST(Reduce, every_operation_number_of_lanes_and_layout) {
  std::mt19937 random(21);
  std::vector<std::uint32_t> in;
  for (int i = 0; i < 60000; ++i) {
    auto const bits = static_cast<std::uint32_t>(random());
    in.push_back(i % 50 == 0 ? bits : i % 50 == 1 ? bits & 0x807fffff : (bits & 0x807fffff) | (120 + bits % 16) << 23);
  }
  for (Target const target : targets()) {
    use(target);
    for (Op const op : {Op::add, Op::mul, Op::max, Op::min, Op::add_fxp, Op::add_fxp_sat, Op::max_i32, Op::min_i32})
      for (NumericModel const model : {NumericModel::rngd, NumericModel::ieee})
        for (int lanes = 1; lanes <= 4; ++lanes)
          for (std::int64_t const steps : {1, 2, 7, 41})
            for (bool const neighbours : {false, true})
              for (bool const continues : {false, true}) {
                std::int64_t const outputs = 300;
                Reduction r;
                r.op = op;
                r.model = model;
                r.in = in.data();
                r.outputs = outputs;
                r.stride = neighbours ? 1 : lanes * steps;
                r.steps = steps;
                r.step_stride = neighbours ? outputs * lanes : lanes;
                r.lanes = lanes;
                r.lane_stride = neighbours ? outputs : 1;
                r.out_stride = 2;
                r.continues = continues;
                std::vector<std::uint32_t> out(static_cast<std::size_t>(2 * outputs), 0x3f800000);
                r.out = out.data();
                reduce(r);
                for (std::int64_t i = 0; i < outputs; ++i) {
                  ASSERT_EQ(out[static_cast<std::size_t>(2 * i)], expected(r, i, continues, 0x3f800000))
                      << target.name << " op " << static_cast<int>(op) << " lanes " << lanes << " steps " << steps << " output " << i;
                  ASSERT_EQ(out[static_cast<std::size_t>(2 * i + 1)], 0x3f800000u);
                }
              }
  }
  use({});
}

}  // namespace
