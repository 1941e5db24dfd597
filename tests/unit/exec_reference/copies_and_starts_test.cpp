// Where a stream's elements are the same along an axis and then are not; where an axis begins in padding; where a result names its axes anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/scalar/scalar.hpp"
#include "tcp/support/render.hpp"

namespace tcp::reference {
namespace {

Index at(std::initializer_list<std::pair<const char*, std::int64_t>> coordinates) {
  Index index;
  for (const auto& [axis, c] : coordinates) index.add(Name(axis), c);
  return index;
}

Value numbered(ScalarType type, std::vector<Value::Axis> axes, std::int64_t from) {
  Value v(type, std::move(axes));
  for (std::int64_t i = 0; i < v.size(); ++i)
    v[i].bits =
        is_integer(type) ? static_cast<std::uint32_t>(from + i) & scalar_mask(type) : bf16::from_float(static_cast<float>(from + i)).bits;
  return v;
}

Value result_of(const std::string& text, std::vector<Value> arguments) {
  auto const module = ir::parse(text, "test");
  if (!module) throw std::runtime_error(render(module.refusal()));
  auto const verified = ir::verify(*module, logical);
  if (!verified) throw std::runtime_error(render(verified.refusal()));
  auto const outcome = run(*verified, std::move(arguments));
  if (!outcome) throw std::runtime_error(render(outcome.refusal()));
  return outcome->results.at(0);
}

TEST(CopiesAndStarts, a_chip_slice_under_another_name_goes_by_position) {
  Value const in = numbered(ScalarType::i8, {{Name("B"), 4}, {Name("D"), 4}, {Name("A"), 8}}, 0);
  Value const out = result_of(R"(module sliced(chips: 4)
axes B = 4, D = 4, A = 8, E = 3
argument hbm in: i8 Chip[B] Element[D, A]
dm x: i8 Chip[B] Element[D, A]
dm y: i8 Chip[B] Element[E, A]
result hbm out: i8 Chip[B] Element[E, A]
move in -> x
chip_slice x -> y (permutation: (0, 1, 0, 1), dimension: [D], length: 3)
move y -> out
)",
                              {in});
  for (std::int64_t b = 0; b < 4; ++b)
    for (std::int64_t e = 0; e < 3; ++e)
      for (std::int64_t a = 0; a < 8; ++a)
        EXPECT_EQ(out.at(at({{"B", b}, {"E", e}, {"A", a}})).bits, in.at(at({{"B", b}, {"D", e + b % 2}, {"A", a}})).bits);
}

TEST(CopiesAndStarts, a_branch_by_an_axis_that_is_fetched_again_tells_the_copies_apart) {
  Value const in = numbered(ScalarType::i32, {{Name("A"), 8}}, 100);
  Value const out = result_of(R"(module toggled
axes A = 8, D = 2
argument hbm in: i32 Element[A]
dm x: i32 Element[A]
dm y: i32 Element[D, A]
result hbm out: i32 Element[D, A]
move in -> x
main.begin(x)
  .fetch i32 Time[D] Packet[A]
  .collect
  .vector_init
  .vector_intra_slice_branch(AxisToggle(D))
  .vector_fxp(AddFxp, 5 when {8..15})
  .vector_final
  .commit(y)
move y -> out
)",
                              {in});
  for (std::int64_t d = 0; d < 2; ++d)
    for (std::int64_t a = 0; a < 8; ++a) EXPECT_EQ(out.at(at({{"D", d}, {"A", a}})).bits, static_cast<std::uint32_t>(100 + a + 5 * d));
}

TEST(CopiesAndStarts, an_operand_over_an_axis_of_copies_tells_them_apart) {
  Value const in = numbered(ScalarType::i32, {{Name("A"), 8}}, 1000), by = numbered(ScalarType::i32, {{Name("D"), 3}, {Name("A"), 8}}, 0);
  Value const out = result_of(R"(module added
axes A = 8, D = 3
argument hbm in: i32 Element[A]
argument hbm by: i32 Element[D, A]
dm x: i32 Element[A]
dm z: i32 Element[D, A]
vrf v: i32 Element[D, A]
dm y: i32 Element[D, A]
result hbm out: i32 Element[D, A]
move in -> x
move by -> z
main.begin(z)
  .fetch i32 Time[D] Packet[A]
  .collect
  .to_vrf(v)
main.begin(x)
  .fetch i32 Time[D] Packet[A]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, v)
  .vector_final
  .commit(y)
move y -> out
)",
                              {in, by});
  for (std::int64_t d = 0; d < 3; ++d)
    for (std::int64_t a = 0; a < 8; ++a) EXPECT_EQ(out.at(at({{"D", d}, {"A", a}})).bits, static_cast<std::uint32_t>(1000 + a + 8 * d + a));
}

constexpr const char* half_full = R"(module contracted
axes K = 32
argument hbm data: i8 Element[K]
argument hbm weights: i8 Element[K]
dm x: i8 Element[K]
dm w: i8 Element[K]
trf t: i8 Element[K] Full
dm y: i32 Element[1 # 2]
result hbm out: i32 Element[1 # 2]
move data -> x
move weights -> w
main.begin(w)
  .fetch i8 Time[1] Packet[K]
  .collect
  .to_trf(t)
main.begin(x)
  .fetch i8 Time[1] Packet[K]
  .collect
  .align(t) Time[1] Packet[1 #z 2, K]
  .contract(Max) Packet[1 # 2]
  .accumulate(Interleaved) Time[1] Packet[1 # 8]
  .commit(y)
move y -> out
)";

TEST(CopiesAndStarts, a_column_of_padding_takes_no_part_in_a_maximum) {
  Value const data = numbered(ScalarType::i8, {{Name("K"), 32}}, 1), weights = numbered(ScalarType::i8, {{Name("K"), 32}}, -40);
  std::int64_t greatest = INT32_MIN;
  for (std::int64_t k = 0; k < 32; ++k) greatest = std::max(greatest, (1 + k) * (k - 40));
  EXPECT_LT(greatest, 0);
  EXPECT_EQ(static_cast<std::int32_t>(result_of(half_full, {data, weights}).at({}).bits), greatest);
}

TEST(CopiesAndStarts, a_sum_over_an_axis_that_begins_in_padding) {
  Value const data = numbered(ScalarType::bf16, {{Name("K"), 13}}, 1), weights = numbered(ScalarType::bf16, {{Name("K"), 13}}, -3);
  float sum = 0;
  for (std::int64_t k = 0; k < 13; ++k) sum += static_cast<float>((1 + k) * (k - 3));
  Value const out = result_of(R"(module summed
axes K = 13
argument hbm data: bf16 Element[K #< 3 #z 16]
argument hbm weights: bf16 Element[K #< 3 #z 16]
dm x: bf16 Element[K #< 3 #z 16]
dm w: bf16 Element[K #< 3 #z 16]
trf t: bf16 Element[K #< 3 #z 16] Full
dm y: f32 Element[1 # 2]
result hbm out: f32 Element[1 # 2]
move data -> x
move weights -> w
main.begin(w)
  .fetch bf16 Time[1] Packet[K #< 3 #z 16]
  .collect
  .to_trf(t)
main.begin(x)
  .fetch bf16 Time[1] Packet[K #< 3 #z 16]
  .collect
  .align(t) Time[1] Packet[1 #z 2, K #< 3 #z 16]
  .contract Packet[1]
  .accumulate(Interleaved) Time[1] Packet[1 # 8]
  .commit(y)
move y -> out
)",
                              {data, weights});
  EXPECT_EQ(f32::from_bits(out.at({}).bits).to_float(), sum);  // small integers: every order gives the same
}

}  // namespace
}  // namespace tcp::reference
