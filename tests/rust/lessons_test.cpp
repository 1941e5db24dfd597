// Lessons of examples/ once in Rust, equal in bits to the ones in C++, which are compiled in here as they stand.
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>
#include <vector>

#include "running.hpp"
#include "tcp/runtime/record.hpp"

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
namespace lesson_02 {
namespace {
#include "../../examples/02_constant_addition/main.cpp"
}
}  // namespace lesson_02
namespace lesson_03 {
namespace {
#include "../../examples/03_elementwise_multiplication/main.cpp"
}
}  // namespace lesson_03
namespace lesson_04 {
namespace {
#include "../../examples/04_dot_product/main.cpp"
}
}  // namespace lesson_04
namespace lesson_05 {
namespace {
#include "../../examples/05_gemv/main.cpp"
}
}  // namespace lesson_05
namespace lesson_06 {
namespace {
#include "../../examples/06_gemm/main.cpp"
}
}  // namespace lesson_06
namespace lesson_08 {
namespace {
#include "../../examples/08_relu_and_pipelines/main.cpp"
}
}  // namespace lesson_08
namespace lesson_09 {
namespace {
#include "../../examples/09_two_groups/main.cpp"
}
}  // namespace lesson_09
namespace lesson_11 {
namespace {
#include "../../examples/11_padded_reduction/main.cpp"
}
}  // namespace lesson_11
namespace lesson_18 {
namespace {
#include "../../examples/18_quantised/main.cpp"
}
}  // namespace lesson_18
namespace lesson_10 {
namespace {
#include "../../examples/10_softmax/main.cpp"
}
}  // namespace lesson_10

namespace tcp::rust {
namespace {

/// The arguments of a C++ kernel, by its type.
template <class R, class... Argument>
ir::Module module_of(R (*kernel)(Context&, const Argument&...)) {
  auto ctx = Context::acquire();
  return record(kernel, ctx, ctx.declared<Argument>()...).module();
}

void expect_same_bits(const std::string& name, const ir::Module& in_cpp) {
  static auto const crate = Crate::open(TCP_SOURCE_DIR "/tests/rust/corpus/lessons.rs");
  ASSERT_TRUE(crate.ok()) << render(crate.refusal());
  for (const Kernel& kernel : crate->kernels()) {
    if (kernel.name != name) continue;
    KernelReading const reading = crate->read(kernel, rngd);
    ASSERT_EQ(words_of(reading.errors), "");
    auto const ours = verified(*reading.module), theirs = verified(in_cpp);
    ASSERT_TRUE(ours.ok()) << render(ours.refusal());
    ASSERT_TRUE(theirs.ok()) << render(theirs.refusal());
    auto const wanted = bits_of(*theirs, BackendKind::vector, 11);
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(bits_of(*ours, BackendKind::vector, 11), wanted);
    EXPECT_EQ(reading.module->commands.size(), in_cpp.commands.size());
    return;
  }
  FAIL() << "lessons.rs has no kernel " << name;
}

TEST(Lessons, ConstantAddition) { expect_same_bits("add_one", module_of(lesson_02::add_one)); }
TEST(Lessons, ElementwiseMultiplication) { expect_same_bits("multiply", module_of(lesson_03::multiply)); }
TEST(Lessons, DotProduct) { expect_same_bits("dot", module_of(lesson_04::dot)); }
TEST(Lessons, Gemv) { expect_same_bits("gemv", module_of(lesson_05::gemv)); }
TEST(Lessons, Gemm) { expect_same_bits("gemm", module_of(lesson_06::gemm)); }
TEST(Lessons, Relu) { expect_same_bits("relu", module_of(lesson_08::relu)); }
TEST(Lessons, SigmoidOfIntegers) { expect_same_bits("sigmoid_of_integers", module_of(lesson_08::sigmoid_of_integers)); }
TEST(Lessons, FiveAlus) { expect_same_bits("five_alus", module_of(lesson_08::five_alus)); }
TEST(Lessons, LeakyRelu) { expect_same_bits("leaky_relu", module_of(lesson_08::leaky_relu)); }
TEST(Lessons, TwoGroups) {
  expect_same_bits("ten_x_plus_y", module_of(lesson_09::ten_x_plus_y));
  expect_same_bits("y_minus_x", module_of(lesson_09::y_minus_x));
  expect_same_bits("exp_x_times_y", module_of(lesson_09::exp_x_times_y));
}
TEST(Lessons, PaddedReduction) {
  expect_same_bits("sum_of_exp", module_of(lesson_11::sum_of_exp));
  expect_same_bits("greatest", module_of(lesson_11::greatest));
}
TEST(Lessons, Quantised) { expect_same_bits("linear", module_of(lesson_18::linear)); }
TEST(Lessons, Softmax) { expect_same_bits("softmax", module_of(lesson_10::softmax)); }

}  // namespace
}  // namespace tcp::rust
