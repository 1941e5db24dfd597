// The meaning of the Vector Engine where order and undefined values matter: filters, operands written back, guards.
#include "tcp/exec/reference/vector.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tcp/mapping/parse.hpp"
#include "tcp/support/random.hpp"

namespace tcp::reference {
namespace {

constexpr NumericModel model = NumericModel::rngd;
constexpr ScalarType int32 = ScalarType::i32, float32 = ScalarType::f32;
constexpr Origin fresh = 9;

const Axes& axes() {
  static const Axes declared = *parse_axes("A = 32, B = 6, T = 5, K = 64, S = 4");
  return declared;
}
Mapping map(const std::string& written) {
  auto const m = parse(written, axes());
  EXPECT_TRUE(m) << written;
  return m ? *m : Mapping{};
}
Levels stream(const std::string& slice, const std::string& time, const std::string& packet) {
  return Levels{}.set(Level::slice, map(slice)).set(Level::time, map(time)).set(Level::packet, map(packet));
}

Value filled(const Levels& levels, std::uint64_t seed) {
  Value v(int32, axes_of(levels));
  Random random(seed);
  for (std::int64_t i = 0; i < v.size(); ++i) v[i].bits = static_cast<std::uint32_t>(random.below(100));
  return v;
}

OperandValue constant(std::uint32_t bits, OperandGuard guard = {}) { return {{OperandKind::immediate, int32, guard, true, bits}, nullptr}; }
OperandValue vrf(const Value& v, OperandGuard guard = {}) { return {{OperandKind::vrf, v.type, guard, false, 0}, &v}; }

TEST(ReferenceVector, a_filter_keeps_lanes_in_order_of_arrival) {
  // Odd numbers stay; six of eight lanes of a packet hold elements.
  Levels const in = stream("S", "A / 8", "B # 8"), out = stream("S", "K / 32", "K % 8");
  Value const x = filled(in, 1);
  Value ids(int32, x.axes());
  for (std::int64_t i = 0; i < x.size(); ++i) ids[i].bits = x[i].bits % 2 != 0 ? 5 : 2;
  auto const made = filter(x, ids, OperandGuard::id(5), in, out, fresh, {});
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  for (std::int64_t s = 0; s < 4; ++s) {
    std::vector<std::uint32_t> want;
    for (std::int64_t a = 0; a < 4; ++a)
      for (std::int64_t b = 0; b < 6; ++b) {
        std::uint32_t const n = x.at(Index{}.add(Name("S"), s).add(Name("A"), a * 8).add(Name("B"), b)).bits;
        if (n % 2 != 0) want.push_back(n);
      }
    ASSERT_LE(want.size(), 16u);
    EXPECT_EQ(made->count.at(Index{}.add(Name("S"), s)).bits, want.size());
    for (std::size_t i = 0; i < 16; ++i) {
      // K / 32 has the two steps 0 and 32.
      auto const at = static_cast<std::int64_t>(i);
      Element const e = made->kept.at(Index{}.add(Name("S"), s).add(Name("K"), at / 8 * 32 + at % 8));
      EXPECT_EQ(e.undefined, i < want.size() ? 0u : fresh) << "beyond the number kept nothing is known";
      if (i < want.size()) {
        EXPECT_EQ(e.bits, want[i]);
      }
    }
  }
}

TEST(ReferenceVector, a_filter_that_keeps_too_much_is_refused) {
  Levels const in = stream("1", "A / 8", "A % 8"), out = stream("1", "1", "K % 8");
  Value const x = filled(in, 2);
  Value ids(int32, x.axes());
  for (std::int64_t i = 0; i < 8; ++i) ids[3 * i].bits = 1;
  EXPECT_TRUE(filter(x, ids, OperandGuard::id(1), in, out, fresh, {}));
  ids[1].bits = 1;
  auto const made = filter(x, ids, OperandGuard::id(1), in, out, fresh, {});
  ASSERT_FALSE(made);
  EXPECT_STREQ(made.refusal().code, "vector-filter-overflow");
}

TEST(ReferenceVector, behind_an_undefined_id_a_filter_knows_nothing) {
  Levels const in = stream("1", "A / 8", "A % 8");
  Value const x = filled(in, 3);
  Value ids(int32, x.axes());
  ids[10].undefined = 4;
  auto const made = filter(x, ids, OperandGuard::id(0), in, in, fresh, {});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->kept[9].undefined, 0u);
  EXPECT_EQ(made->kept[10].undefined, fresh);
  EXPECT_EQ(made->count[0].undefined, 4u);
}

// The book's running sum: id 0 at the first step, 1 between, 2 at the last; add(stream, written) for ids 1 and 2, write for ids 0 and 1.
TEST(ReferenceVector, a_running_sum_along_time) {
  Levels const levels = stream("S", "B, T", "A / 8 % 2, 4");
  Value const x = filled(levels, 4);
  Value ids(int32, {{Name("T"), 5}});
  for (std::int64_t t = 0; t < 5; ++t) ids[t].bits = t == 0 ? 0 : t < 4 ? 1 : 2;
  Value written(int32, {{Name("S"), 4}, {Name("A"), 9}});
  written.undefine(fresh);
  OperandGuard const reads = OperandGuard::id(1) | OperandGuard::id(2), writes = OperandGuard::id(0) | OperandGuard::id(1);
  std::vector<VectorOp> const ops{{step_of(FxpBinaryOp::AddFxp), {vrf(written, reads)}}, {step_of(VectorMethod::write_operand), {}}};
  Value no_stash;
  Value const sums = operate_in_time(ops, x, ids, writes, written, no_stash, levels, model);
  for (std::int64_t s = 0; s < 4; ++s)
    for (std::int64_t b = 0; b < 6; ++b)
      for (std::int64_t a : {0, 8}) {
        std::uint32_t sum = 0;
        for (std::int64_t t = 0; t < 5; ++t) {
          Index const at = Index{}.add(Name("S"), s).add(Name("B"), b).add(Name("T"), t).add(Name("A"), a);
          sum += x.at(at).bits;
          ASSERT_EQ(sums.at(at).undefined, 0u);
          ASSERT_EQ(sums.at(at).bits, sum);
          if (b == 5 && t == 4) {
            EXPECT_EQ(written.at(at).bits, sum - x.at(at).bits) << "the last step is not stored";
          }
        }
      }
}

TEST(ReferenceVector, what_was_never_written_is_undefined) {
  Levels const levels = stream("1", "T", "1 # 8");
  Value const x = filled(levels, 5);
  Value ids(int32, {});
  Value written(int32, {});
  written.undefine(fresh);
  std::vector<VectorOp> const ops{{step_of(FxpBinaryOp::AddFxp), {vrf(written)}}, {step_of(VectorMethod::write_operand), {}}};
  Value no_stash;
  Value const sums = operate_in_time(ops, x, ids, OperandGuard::always(), written, no_stash, levels, model);
  EXPECT_EQ(sums[0].undefined, fresh) << "and so is everything that it went into";
  EXPECT_EQ(sums[4].undefined, fresh);
}

TEST(ReferenceVector, undefined_values_reach_what_they_take_part_in_and_no_more) {
  Value x(int32, {{Name("A"), 3}});
  x[1].undefined = 7;
  Value ids(int32, {{Name("A"), 3}});
  ids[2] = {0, 8};
  auto const with = [&](const VectorStep& step, const std::vector<OperandValue>& operands) {
    return operate({step, operands}, x, ids, model);
  };
  Value const always = with(step_of(FxpBinaryOp::AddFxp), {constant(1)});
  EXPECT_EQ(always[0].undefined, 0u);
  EXPECT_EQ(always[1].undefined, 7u);
  EXPECT_EQ(always[2].undefined, 0u) << "the id does not decide";
  Value const guarded = with(step_of(FxpBinaryOp::AddFxp), {constant(1, OperandGuard::id(3)), constant(2)});
  EXPECT_EQ(guarded[0].bits, 2u);
  EXPECT_EQ(guarded[2].undefined, 8u) << "here it does";
  Value const replaced = with(step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode11), {constant(4)});
  EXPECT_EQ(replaced[1].undefined, 0u) << "op(operand, operand) does not read the stream";
  EXPECT_EQ(replaced[1].bits, 8u);
  Value const skipped = with(step_of(FxpBinaryOp::AddFxp), {constant(1, OperandGuard::id(1))});
  EXPECT_EQ(skipped[0].bits, x[0].bits) << "no slot claims it";
}

TEST(ReferenceVector, conversions_change_the_type) {
  Value x(int32, {{Name("A"), 2}});
  x[0].bits = 3;
  x[1].undefined = 6;
  Value const ids(int32, {});
  Value const y = operate({fxp_to_fp_step(31), {}}, x, ids, model);
  EXPECT_EQ(y.type, float32);
  EXPECT_EQ(y[0].bits, f32::from_float(3.0f).bits);
  EXPECT_EQ(y[1].undefined, 6u);
  EXPECT_EQ(operate({fp_to_fxp_step(31), {}}, y, ids, model).type, int32);
}

TEST(ReferenceVector, groups_keep_to_themselves) {
  Value x(int32, {{Name("A"), 2}, {Name("I"), 2}, {Name("B"), 2}});
  for (std::int64_t i = 0; i < 8; ++i) x[i].bits = static_cast<std::uint32_t>(i);
  TwoGroups const g = unzip(x, Name("I"));
  EXPECT_EQ(g.group[0].axes().size(), 2u);
  EXPECT_EQ(g.group[1][2].bits, 6u) << "A = 1, I = 1, B = 0";
  Value const ids = group_ids(g.group[1], GroupId::One);
  VectorOp const for_zero{step_of(FpUnaryOp::Exp, {}, Groups::group0), {}};
  EXPECT_EQ(operate(for_zero, g.group[1], ids, model)[2].bits, 6u);
}

}  // namespace
}  // namespace tcp::reference
