// Chains against plain loops over the scalar functions.
#include "exec/vector/chain.hpp"

#include <gtest/gtest.h>

#include "tcp/scalar/scalar.hpp"
#include "tcp/support/random.hpp"

namespace tcp::vector {
namespace {

constexpr NumericModel model = NumericModel::rngd;

Tensor random_tensor(ScalarType type, const std::vector<AxisSize>& axes, std::uint64_t seed) {
  Tensor t = fresh(type, axes);
  Random random(seed);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    auto const n = static_cast<float>(random.between(-1000, 1000)) / 8;
    std::uint32_t const bits = type == ScalarType::f32    ? f32::from_float(n).bits
                               : type == ScalarType::bf16 ? bf16::from_float(n).bits
                                                          : static_cast<std::uint32_t>(random.between(-1000, 1000)) & scalar_mask(type);
    store_bits(t.writable_data() + i * t.width(), t.width(), bits);
  }
  return t;
}
std::uint32_t at(const Tensor& t, std::int64_t a, std::int64_t b) {
  std::int64_t offset = 0;
  if (const Axis* x = t.find(Name("A"))) offset += a * x->stride;
  if (const Axis* x = t.find(Name("B"))) offset += b * x->stride;
  return load_bits(t.data() + offset * t.width(), t.width());
}

Origin origin_at(const Tensor& t, std::int64_t a, std::int64_t b) {
  if (!t.origins) return 0;
  std::int64_t offset = 0;
  if (const Axis* x = t.find(Name("A"))) offset += a * x->origin_stride;
  if (const Axis* x = t.find(Name("B"))) offset += b * x->origin_stride;
  return t.origin_data()[offset];
}

/// Calls check(result, a, b) with one and with two threads.
template <class Check>
void each_result(const Chain& chain, std::int64_t a, std::int64_t b, Check&& check) {
  for (int threads : {1, 2}) {
    Tensor const t = made(chain, {model, threads});
    for (std::int64_t i = 0; i < a; ++i)
      for (std::int64_t j = 0; j < b; ++j) check(t, i, j);
  }
}

TEST(Chains, a_tensor_is_not_copied) {
  Tensor const t = random_tensor(ScalarType::bf16, {{Name("A"), 4}, {Name("B"), 3}}, 1);
  EXPECT_EQ(made(Chain(t), {}).data(), t.data());
}

TEST(Chains, fused_steps_equal_the_steps_one_by_one) {
  for (auto const& [rows, columns] : {std::pair{3, 5}, {7, 1024}, {2, 3000}, {2050, 3}, {64, 64}}) {
    Tensor const x = random_tensor(ScalarType::bf16, {{Name("A"), rows}, {Name("B"), columns}}, 2);
    Tensor const bias = random_tensor(ScalarType::f32, {{Name("A"), rows}}, 3);
    Chain chain(x);
    chain.cast(ScalarType::f32);
    OperandRegister const half{chain.constant(ScalarType::f32, f32::from_float(0.5f).bits), {}};
    chain.operate(step_of(FpBinaryOp::MulF(FpMulAlu::Mul0)), {half}, {});
    OperandRegister const add{chain.load(bias), {}};
    chain.operate(step_of(FpBinaryOp::AddF), {add}, {});
    chain.cast(ScalarType::bf16);
    each_result(chain, rows, columns, [&](const Tensor& got, std::int64_t a, std::int64_t b) {
      f32 const wide = f32::from_bits(scalar_cast_bits(ScalarType::bf16, ScalarType::f32, at(x, a, b), model));
      f32 const scaled = arithmetic::mul(wide, f32::from_float(0.5f), model);
      f32 const sum = arithmetic::add(scaled, f32::from_bits(at(bias, a, b)), model);
      ASSERT_EQ(at(got, a, b), scalar_cast_bits(ScalarType::f32, ScalarType::bf16, sum.bits, model)) << a << " " << b;
    });
  }
}

TEST(Chains, an_undefined_operand_leaves_lanes_alone_that_do_not_take_it) {
  Tensor const x = random_tensor(ScalarType::i32, {{Name("A"), 40}, {Name("B"), 50}}, 4);
  Chain chain(x);
  Instruction compare;
  compare.kind = Instruction::Kind::compare;
  compare.ids = true;
  compare.a = chain.result;
  compare.mode = BranchMode::comparing(InputCmp::Less(0));
  Ids const ids{chain.add(compare), 0};
  OperandRegister const unknown{chain.load(uniform(ScalarType::i32, {{Name("A"), 40}}, 0, 7)), OperandGuard::bit(0)};
  chain.operate(step_of(FxpBinaryOp::AddFxp), {unknown}, ids);
  each_result(chain, 40, 50, [&](const Tensor& got, std::int64_t a, std::int64_t b) {
    bool const taken = static_cast<std::int32_t>(at(x, a, b)) < 0;
    ASSERT_EQ(origin_at(got, a, b), taken ? 7u : 0u) << a << " " << b;
    if (!taken) {
      ASSERT_EQ(at(got, a, b), at(x, a, b)) << a << " " << b;
    }
  });
}

TEST(Chains, an_axis_that_is_fixed_is_gone) {
  Tensor const x = random_tensor(ScalarType::bf16, {{Name("A"), 3}, {Name("B"), 5}}, 5);
  Chain chain(x);
  chain.cast(ScalarType::f32);
  chain.fix_at(Name("B"), 2);
  EXPECT_FALSE(chain.has_axis(Name("B")));
  Tensor const got = made(chain, {model, 1});
  EXPECT_EQ(got.find(Name("B")), nullptr);
  ASSERT_EQ(got.size(), 3);
  for (std::int64_t a = 0; a < 3; ++a)
    EXPECT_EQ(at(got, a, 0), scalar_cast_bits(ScalarType::bf16, ScalarType::f32, at(x, a, 2), model)) << a;
}

// The notes of what is undefined may lie in another order than the elements.
TEST(Chains, what_is_stored_is_defined_and_the_rest_stays_as_it_was) {
  Tensor to = random_tensor(ScalarType::f32, {{Name("A"), 4}, {Name("B"), 6}}, 6);
  constexpr std::size_t notes = 64;  // more than elements: whoever writes beside them is seen
  to.origins = Storage::make(notes * sizeof(Origin));
  std::fill_n(to.writable_origins(), notes, Origin{9});
  for (Axis& a : to.axes) a.origin_stride = a.name == Name("A") ? 1 : 4;
  Tensor const x = random_tensor(ScalarType::bf16, {{Name("A"), 2}, {Name("B"), 6}}, 7);
  Chain chain(x);
  chain.cast(ScalarType::f32);
  Tensor part = cut(to, Name("A"), 2, 2);
  store(chain, part, {model, 1});
  for (std::int64_t a = 0; a < 4; ++a)
    for (std::int64_t b = 0; b < 6; ++b) {
      EXPECT_EQ(origin_at(to, a, b), a < 2 ? 9u : 0u) << a << " " << b;
      if (a >= 2) {
        EXPECT_EQ(at(to, a, b), scalar_cast_bits(ScalarType::bf16, ScalarType::f32, at(x, a - 2, b), model)) << a << " " << b;
      }
    }
  for (std::size_t i = 24; i < notes; ++i) EXPECT_EQ(to.origin_data()[i], 9u) << i;
}

TEST(Chains, the_first_guard_that_holds_decides) {
  Tensor const x = random_tensor(ScalarType::i32, {{Name("A"), 40}, {Name("B"), 50}}, 4);
  Chain chain(x);
  Instruction compare;
  compare.kind = Instruction::Kind::compare;
  compare.ids = true;
  compare.a = chain.result;
  compare.mode = BranchMode::comparing(InputCmp::Less(0), InputCmp::Greater(500));
  Ids const ids{chain.add(compare), 0};
  OperandRegister const negative{chain.constant(ScalarType::i32, 7), OperandGuard::bit(0)};
  OperandRegister const large{chain.constant(ScalarType::i32, 9), OperandGuard::bit(1)};
  chain.operate(step_of(FxpBinaryOp::AddFxp), {negative, large}, ids);
  each_result(chain, 40, 50, [&](const Tensor& got, std::int64_t a, std::int64_t b) {
    auto const n = static_cast<std::int32_t>(at(x, a, b));
    ASSERT_EQ(static_cast<std::int32_t>(at(got, a, b)), n < 0 ? n + 7 : n > 500 ? n + 9 : n);
  });
}

TEST(Chains, coordinates_count_in_every_block) {
  for (std::int64_t columns : {3, 1500}) {
    Tensor const x = random_tensor(ScalarType::i32, {{Name("A"), 30}, {Name("B"), columns}}, 5);
    for (const char* axis : {"A", "B"}) {
      Chain chain(x);
      Instruction parity;
      parity.kind = Instruction::Kind::parity;
      parity.ids = true;
      parity.axis = Name(axis);
      Ids const ids{chain.add(parity), 0};
      OperandRegister const odd{chain.constant(ScalarType::i32, 1000), OperandGuard::group(GroupId::One)};
      chain.operate(step_of(FxpBinaryOp::SubFxp), {odd}, ids);
      each_result(chain, 30, columns, [&](const Tensor& got, std::int64_t a, std::int64_t b) {
        std::int64_t const c = *axis == 'A' ? a : b;
        ASSERT_EQ(at(got, a, b), at(x, a, b) - (c % 2 != 0 ? 1000u : 0u));
      });
    }
  }
}

TEST(Chains, are_stored_as_the_destination_lies) {
  Tensor const x = random_tensor(ScalarType::i32, {{Name("A"), 33}, {Name("B"), 70}}, 6);
  Chain chain(x);
  OperandRegister const one{chain.constant(ScalarType::i32, 1), {}};
  chain.operate(step_of(FxpBinaryOp::AddFxp), {one}, {});
  Tensor whole = fresh(ScalarType::i32, {{Name("B"), 80}, {Name("A"), 40}});
  std::fill_n(whole.writable_data(), whole.size() * 4, std::byte{0});
  Tensor part = cut(cut(whole, Name("A"), 3, 33), Name("B"), 10, 70);
  store(chain, part, {model, 1});
  for (std::int64_t a = 0; a < 40; ++a)
    for (std::int64_t b = 0; b < 80; ++b) {
      bool const inside = a >= 3 && a < 36 && b >= 10;
      ASSERT_EQ(at(whole, a, b), inside ? at(x, a - 3, b - 10) + 1 : 0u);
    }
}

TEST(Chains, undefined_elements_go_through_what_reads_them) {
  Tensor x = random_tensor(ScalarType::i32, {{Name("A"), 30}, {Name("B"), 50}}, 7);
  track(x);
  x.writable_origins()[3 * 50 + 4] = 11;
  Tensor const y = uniform(ScalarType::i32, {{Name("A"), 30}}, 5);
  Chain chain(x);
  OperandRegister const add{chain.load(y), {}};
  chain.operate(step_of(FxpBinaryOp::AddFxp), {add}, {});
  Tensor const got = made(chain, {model, 1});
  ASSERT_TRUE(got.has_undefined());
  for (std::int64_t a = 0; a < 30; ++a)
    for (std::int64_t b = 0; b < 50; ++b) {
      std::int64_t const where = a * got.find(Name("A"))->origin_stride + b * got.find(Name("B"))->origin_stride;
      EXPECT_EQ(got.origin_data()[where], a == 3 && b == 4 ? 11u : 0u);
      if (a != 3 || b != 4) {
        EXPECT_EQ(at(got, a, b), at(x, a, b) + 5);
      }
    }
}

TEST(Chains, what_is_the_same_along_an_axis_is_computed_once) {
  Tensor const x = random_tensor(ScalarType::i32, {{Name("A"), 8}}, 8);
  Chain chain(x);
  chain.spread_over({{Name("B"), 1000}});
  OperandRegister const one{chain.constant(ScalarType::i32, 1), {}};
  chain.operate(step_of(FxpBinaryOp::AddFxp), {one}, {});
  Tensor const got = made(chain, {});
  EXPECT_EQ(got.find(Name("B"))->stride, 0);
  EXPECT_EQ(got.find(Name("B"))->size, 1000);
  EXPECT_EQ(at(got, 5, 999), at(x, 5, 0) + 1);
}

}  // namespace
}  // namespace tcp::vector
