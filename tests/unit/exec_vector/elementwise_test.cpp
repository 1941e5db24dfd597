// The kernels of the vector interpreter that work element by element, casts and reduces: every operation, every type, on every instruction set, against the scalar
// functions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "exec/vector/contraction/products.hpp"
#include "exec/vector/kernels/elementwise.hpp"
#include "exec/vector/kernels/reduce.hpp"
#include "exec/vector/kernels/target.hpp"
#include "hardest_operands.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/scalar/zero_point.hpp"

namespace {

using namespace tcp;
using namespace tcp::vector::kernels;

using Words = std::vector<std::uint32_t>;

constexpr NumericModel models[] = {NumericModel::rngd, NumericModel::ieee};

/// Zeros, subnormals, limits, infinities, NaNs, and integers at their limits.
const Words& telling() {
  static const Words words = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                              0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                              0x7f800001, 0xffffffff, 0x7fffffff, 0x3effffff, 0x3f000000, 0x3f000001, 0x4b000000, 0x4effffff,
                              0x4f000000, 0xcf000000, 0x00ffffff, 0x20000000, 0x1f800000, 2,          31,         32,
                              33,         0x40000000, 0xc0000000, 0x3f7fffff, 0x34000000, 0x33800000, 0x01000000, 0x00800001};
  return words;
}

/// All pairs of telling words, then random ones with exponents near one another, then any.
struct Operands {
  Words a, b, c;
};
Operands operands() {
  Operands o;
  std::mt19937 random(11);
  for (std::uint32_t const x : telling())
    for (std::uint32_t const y : telling()) {
      o.a.push_back(x);
      o.b.push_back(y);
      o.c.push_back(telling()[random() % telling().size()]);
    }
  for (int i = 0; i < 20000; ++i) {
    auto const any = [&] { return static_cast<std::uint32_t>(random()); };
    auto const near = [&](std::uint32_t exponent) { return (any() & 0x807fffff) | (exponent + any() % 4) << 23; };
    std::uint32_t const exponent = any() % 250;
    o.a.push_back(i % 2 == 0 ? any() : near(exponent));
    o.b.push_back(i % 2 == 0 ? any() : near(i % 4 == 1 ? exponent : exponent < 126 ? 126 - exponent : 0));
    o.c.push_back(i % 2 == 0 ? any() : near(0));
  }
  return o;
}

std::uint32_t scalar(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel model, int int_width) {
  namespace ar = arithmetic;
  i32 const m = i32::from_bits(a), n = i32::from_bits(b);
  f32 const x = f32::from_bits(a), y = f32::from_bits(b), z = f32::from_bits(c);
  switch (op) {
    case Op::add_fxp: return ar::add_fxp(m, n).bits;
    case Op::add_fxp_sat: return ar::add_fxp_sat(m, n).bits;
    case Op::sub_fxp: return ar::sub_fxp(m, n).bits;
    case Op::sub_fxp_sat: return ar::sub_fxp_sat(m, n).bits;
    case Op::mul_fxp: return ar::mul_fxp(m, n).bits;
    case Op::mul_int: return ar::mul_int(m, n).bits;
    case Op::left_shift: return ar::left_shift(m, n).bits;
    case Op::left_shift_sat: return ar::left_shift_sat(m, n).bits;
    case Op::logic_right_shift: return ar::logic_right_shift(m, n).bits;
    case Op::arith_right_shift: return ar::arith_right_shift(m, n).bits;
    case Op::arith_right_shift_round: return ar::arith_right_shift_round(m, n).bits;
    case Op::min_i32: return ar::min(m, n).bits;
    case Op::max_i32: return ar::max(m, n).bits;
    case Op::abs_min_i32: return ar::abs_min(m, n).bits;
    case Op::abs_max_i32: return ar::abs_max(m, n).bits;
    case Op::bit_and: return ar::bit_and(m, n).bits;
    case Op::bit_or: return ar::bit_or(m, n).bits;
    case Op::bit_xor: return ar::bit_xor(m, n).bits;
    case Op::add: return ar::add(x, y, model).bits;
    case Op::sub: return ar::sub(x, y, model).bits;
    case Op::mul: return ar::mul(x, y, model).bits;
    case Op::div: return ar::div(x, y, model).bits;
    case Op::fma: return ar::fma(x, y, z, model).bits;
    case Op::min: return ar::min(x, y, model).bits;
    case Op::max: return ar::max(x, y, model).bits;
    case Op::abs_min: return ar::abs_min(x, y, model).bits;
    case Op::abs_max: return ar::abs_max(x, y, model).bits;
    case Op::exp: return ar::exp(x, model).bits;
    case Op::neg_exp: return ar::neg_exp(x, model).bits;
    case Op::sqrt: return ar::sqrt(x, model).bits;
    case Op::tanh: return ar::tanh(x, model).bits;
    case Op::sigmoid: return ar::sigmoid(x, model).bits;
    case Op::erf: return ar::erf(x, model).bits;
    case Op::log: return ar::log(x, model).bits;
    case Op::sin: return ar::sin(x, model).bits;
    case Op::cos: return ar::cos(x, model).bits;
    case Op::fxp_to_fp: return ar::fxp_to_fp(m, int_width).bits;
    case Op::fp_to_fxp: return ar::fp_to_fxp(x, int_width, model).bits;
    case Op::relu: return relu_bits(ScalarType::f32, a);
    case Op::canonical: return canonical_result(canonical_operand(x, model), model).bits;
  }
  return 0;
}

void check(Op op, const Operands& o, NumericModel model, int int_width = 31) {
  Words want;
  for (std::size_t i = 0; i < o.a.size(); ++i) want.push_back(scalar(op, o.a[i], o.b[i], o.c[i], model, int_width));
  for (Target const target : targets()) {
    use(target);
    Words out = o.a;  // in place
    compute(op, {out.data(), out.data(), {o.b.data(), 0}, {o.c.data(), 0}, out.size()}, model, int_width);
    int shown = 0;
    for (std::size_t i = 0; i < out.size() && shown < 5; ++i) {
      if (out[i] == want[i]) continue;
      ++shown;
      ADD_FAILURE() << target.name << " op " << static_cast<int>(op) << " " << numeric_model_name(model) << std::hex << ": " << o.a[i]
                    << ", " << o.b[i] << ", " << o.c[i] << " gives " << out[i] << ", not " << want[i];
    }
  }
  use({});
}

TEST(Elementwise, every_operation_of_two_and_three_arguments) {
  Operands const o = operands();
  for (int op = 0; op < static_cast<int>(Op::exp); ++op)
    for (NumericModel const model : models) check(static_cast<Op>(op), o, model);
}

TEST(Elementwise, conversions_with_every_width) {
  Operands const o = operands();
  for (int width = 0; width <= 31; ++width)
    for (NumericModel const model : models) {
      check(Op::fxp_to_fp, o, model, width);
      check(Op::fp_to_fxp, o, model, width);
    }
  for (NumericModel const model : models) {
    check(Op::canonical, o, model);
    check(Op::relu, o, model);
    check(Op::sqrt, o, model);
  }
}

TEST(Elementwise, halves_are_rounded_away_from_zero) {
  Operands o;
  for (std::uint32_t base : {0x3f000000u, 0x3fc00000u, 0x40200000u, 0x4a800000u, 0x4affffffu, 0x4b000000u})
    for (std::uint32_t near = 0; near < 5; ++near)
      for (std::uint32_t const sign : {0u, 0x80000000u}) o.a.push_back((base + near - 2) | sign);
  o.b = o.c = o.a;
  for (int width = 0; width <= 31; ++width) check(Op::fp_to_fxp, o, NumericModel::rngd, width);
}

TEST(Elementwise, one_value_for_all_lanes_and_every_count) {
  Operands const o = operands();
  for (Target const target : targets()) {
    use(target);
    for (std::size_t count = 0; count < 40; ++count) {
      Words out(41, 0x5a5a5a5a);
      compute(Op::fma, {out.data(), o.a.data() + 2000, {nullptr, 0x40490fdb}, {nullptr, 0x3f800000}, count}, NumericModel::rngd);
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], i < count ? scalar(Op::fma, o.a[2000 + i], 0x40490fdb, 0x3f800000, NumericModel::rngd, 31) : 0x5a5a5a5a)
            << target.name;
      out.assign(41, 0x5a5a5a5a);
      compute(Op::exp, {out.data(), o.a.data() + 2000, {}, {}, count}, NumericModel::rngd);
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], i < count ? scalar(Op::exp, o.a[2000 + i], 0, 0, NumericModel::rngd, 31) : 0x5a5a5a5a) << target.name;
    }
  }
  use({});
}

/// Operands where the functions do something: telling ones, neighbours of powers of two and of multiples of pi / 2 and of 1/8, random ones of every exponent, and
/// dense stretches between 2^-30 and 2^8.
Words elementary_operands() {
  Words words = telling();
  for (HardOperands const& hard : hardest_operands)
    for (std::uint32_t const x : hard.x) words.insert(words.end(), {x, x ^ 0x80000000});
  std::mt19937 random(5);
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent)
    for (std::uint32_t near = 0; near < 8; ++near)
      for (std::uint32_t const sign : {0u, 0x80000000u}) {
        words.push_back(((exponent << 23) + near - 4) | sign);
        words.push_back((exponent << 23) | (static_cast<std::uint32_t>(random()) & 0x7fffff) | sign);
      }
  for (int i = 1; i < 2000; ++i)
    for (std::uint32_t near = 0; near < 3; ++near) {
      words.push_back(f32::from_float(static_cast<float>(i * 1.5707963267948966)).bits + near - 1);
      words.push_back(f32::from_float(static_cast<float>(i) / 8).bits + near - 1);
      words.push_back(f32::from_float(static_cast<float>(-i) / 16).bits + near - 1);
    }
  for (int i = 0; i < 40000; ++i)
    words.push_back((static_cast<std::uint32_t>(random()) & 0x807fffff) | (97 + static_cast<std::uint32_t>(random()) % 38) << 23);
  return words;
}

struct Function {
  Op op;
  const char* name;
};
constexpr Function functions[] = {{Op::exp, "exp"},         {Op::neg_exp, "neg_exp"}, {Op::tanh, "tanh"},
                                  {Op::sigmoid, "sigmoid"}, {Op::erf, "erf"},         {Op::log, "log"},
                                  {Op::sin, "sin"},         {Op::cos, "cos"},         {Op::sqrt, "sqrt"}};

TEST(Elementwise, elementary_functions_of_telling_operands) {
  Words const words = elementary_operands();
  for (Function const& f : functions)
    for (NumericModel const model : models) check(f.op, {words, words, words}, model);
}

class ElementwiseSweep : public testing::TestWithParam<Function> {};

std::uint32_t flushed(std::uint32_t x) { return (x & 0x7f800000) == 0 ? x & 0x80000000 : x; }

/// In both models on every target: what `ieee` gives, with operands and results flushed, is what `rngd` gives.
void sweep(Op op, const Words& in) {
  Words want[2];
  for (std::uint32_t const x : in) {
    want[1].push_back(scalar(op, x, 0, 0, NumericModel::ieee, 31));
    want[0].push_back(flushed(flushed(x) == x ? want[1].back() : scalar(op, flushed(x), 0, 0, NumericModel::ieee, 31)));
  }
  Words out(in.size());
  for (Target const target : targets()) {
    use(target);
    for (std::size_t m = 0; m < 2; ++m) {
      compute(op, {out.data(), in.data(), {}, {}, in.size()}, models[m]);
      if (out == want[m]) continue;
      for (std::size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(out[i], want[m][i]) << target.name << ' ' << numeric_model_name(models[m]) << " of " << std::hex << in[i];
    }
  }
}

TEST_P(ElementwiseSweep, all_operands) {
  constexpr std::uint64_t end = std::uint64_t{1} << 32;
  constexpr std::size_t block = 1 << 16;
  std::uint64_t const step = std::getenv("TCP_EXHAUSTIVE") != nullptr ? 1 : 8191;
  for (std::uint64_t at = 0; at < end;) {
    Words in;
    for (; at < end && in.size() < block; at += step) in.push_back(static_cast<std::uint32_t>(at));
    ASSERT_NO_FATAL_FAILURE(sweep(GetParam().op, in));
  }
  use({});
}
INSTANTIATE_TEST_SUITE_P(Function, ElementwiseSweep, testing::ValuesIn(functions),
                         [](const auto& each) { return std::string(each.param.name); });

// Casts, zero points, tables, comparisons and choices against the scalar functions: every pattern of 4 to 16 bits, and telling and random ones of 32.

namespace cast {

using namespace tcp;
using namespace tcp::vector::kernels;

using Words = std::vector<std::uint32_t>;

constexpr NumericModel models[] = {NumericModel::rngd, NumericModel::ieee};

/// All patterns of a narrow format; of a 32-bit one, those around every boundary between two numbers of a narrower format, and random ones.
Words patterns(ScalarType type) {
  Words words;
  int const bits = scalar_info(type).bits;
  if (bits <= 16) {
    for (std::uint32_t i = 0; i <= scalar_mask(type); ++i) words.push_back(i);
    return words;
  }
  for (std::uint32_t high = 0; high < 0x10000; ++high)
    for (std::uint32_t const low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) words.push_back(high << 16 | low);
  std::mt19937 random(9);
  for (int i = 0; i < 100000; ++i) words.push_back(static_cast<std::uint32_t>(random()));
  return words;
}

std::vector<std::byte> cells(const Words& words, ScalarType type) {
  std::vector<std::byte> out;
  for (std::uint32_t const w : words)
    for (int byte = 0; byte < cell_bytes(type); ++byte) out.push_back(static_cast<std::byte>(w >> (8 * byte) & 0xff));
  return out;
}

std::uint32_t cell(const std::vector<std::byte>& memory, ScalarType type, std::size_t i) {
  std::uint32_t w = 0;
  std::memcpy(&w, memory.data() + i * static_cast<std::size_t>(cell_bytes(type)), static_cast<std::size_t>(cell_bytes(type)));
  return w;
}

TEST(Cast, every_pair_of_formats) {
  for (ScalarType const from : scalar_types) {
    Words const words = patterns(from);
    std::vector<std::byte> const in = cells(words, from);
    for (ScalarType const to : scalar_types) {
      if (!has_scalar_cast(from, to)) continue;
      for (NumericModel const model : models) {
        Words want;
        for (std::uint32_t const w : words) want.push_back(scalar_cast_bits(from, to, w, model));
        for (Target const target : targets()) {
          use(target);
          std::vector<std::byte> out(words.size() * static_cast<std::size_t>(cell_bytes(to)));
          cast(from, to, in.data(), out.data(), words.size(), model);
          int shown = 0;
          for (std::size_t i = 0; i < words.size() && shown < 3; ++i)
            if (cell(out, to, i) != want[i]) {
              ++shown;
              ADD_FAILURE() << target.name << " " << scalar_info(from).name << " to " << scalar_info(to).name << std::hex << ": "
                            << words[i] << " gives " << cell(out, to, i) << ", not " << want[i];
            }
        }
      }
    }
  }
  use({});
}

TEST(Cast, zero_points_of_every_value) {
  for (ScalarType const from : {ScalarType::i4, ScalarType::i8, ScalarType::i16}) {
    Words const words = patterns(from);
    std::vector<std::byte> const in = cells(words, from);
    for (ScalarType const to : {ScalarType::i5, ScalarType::i9, ScalarType::i32})
      for (std::int32_t const z : {-8, -1, 0, 3, 7}) {
        ZeroPoint const point = *zero_point(from, z);
        for (Target const target : targets()) {
          use(target);
          std::vector<std::byte> out(words.size() * static_cast<std::size_t>(cell_bytes(to)));
          subtract_zero_point(from, to, z, in.data(), out.data(), words.size());
          for (std::size_t i = 0; i < words.size(); ++i)
            ASSERT_EQ(cell(out, to, i), subtract_zero_point_bits(words[i], point, to)) << target.name;
        }
      }
  }
  use({});
}

TEST(Cast, tables_of_every_width) {
  Words table;
  for (std::uint32_t i = 0; i < 256; ++i) table.push_back(i * 0x01030507u);
  Words const words = patterns(ScalarType::i8);
  std::vector<std::byte> const in = cells(words, ScalarType::i8);
  for (ScalarType const to : {ScalarType::i8, ScalarType::bf16, ScalarType::f32}) {
    std::vector<std::byte> out(words.size() * static_cast<std::size_t>(cell_bytes(to)));
    look_up(table.data(), in.data(), out.data(), cell_bytes(to), words.size());
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(cell(out, to, i), table[i] & scalar_mask(to));
  }
}

bool holds(Compare how, ScalarType type, std::uint32_t a, std::uint32_t b, NumericModel model) {
  namespace ar = arithmetic;
  f32 const x = f32::from_bits(a), y = f32::from_bits(b);
  i32 const m = i32::from_bits(a), n = i32::from_bits(b);
  bool const floating = type == ScalarType::f32;
  switch (how) {
    case Compare::Equal: return floating ? ar::equal(x, y, model) : ar::equal(m, n);
    case Compare::Less: return floating ? ar::less(x, y, model) : ar::less(m, n);
    case Compare::Greater: return floating ? ar::greater(x, y, model) : ar::greater(m, n);
    case Compare::LessUnsigned: return ar::less_unsigned(m, n);
    default: return ar::greater_unsigned(m, n);
  }
}

TEST(Compare, sets_one_bit_where_it_holds) {
  Words const words = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                       0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                       0x7f800001, 0xffffffff, 0x7fffffff, 5,          0xfffffffb, 0x40000000, 0xc0000000};
  for (Target const target : targets()) {
    use(target);
    for (ScalarType const type : {ScalarType::i32, ScalarType::f32})
      for (NumericModel const model : models)
        for (int how = 0; how <= static_cast<int>(Compare::GreaterUnsigned); ++how)
          for (std::uint32_t const boundary : words) {
            std::vector<std::uint8_t> ids(words.size(), 9);
            compare(static_cast<Compare>(how), type, words.data(), boundary, model, 4, ids.data(), words.size());
            for (std::size_t i = 0; i < words.size(); ++i)
              EXPECT_EQ(ids[i], holds(static_cast<Compare>(how), type, words[i], boundary, model) ? 13 : 9)
                  << target.name << " " << how << std::hex << " " << words[i] << " " << boundary;
          }
  }
  use({});
}

TEST(Choose, takes_the_lanes_that_the_guard_holds_for) {
  for (Target const target : targets()) {
    use(target);
    for (std::size_t const count : {1u, 63u, 64u, 200u}) {
      Words a, b;
      std::vector<std::uint8_t> ids;
      for (std::size_t i = 0; i < count; ++i) {
        a.push_back(static_cast<std::uint32_t>(i));
        b.push_back(static_cast<std::uint32_t>(1000 + i));
        ids.push_back(static_cast<std::uint8_t>(i * 7 % 16));
      }
      Words out = b;  // in place
      choose(0x8421, ids.data(), a.data(), out.data(), out.data(), count);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], (0x8421 >> ids[i] & 1) != 0 ? a[i] : b[i]) << target.name;
    }
  }
  use({});
}

}  // namespace cast

// Ordered reduces against the fold of one number after the other.

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
