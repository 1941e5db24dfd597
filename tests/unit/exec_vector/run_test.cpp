// Whole modules: what is shared, what is told of the plan, what the caller sees. That the bits are right is the business of tests/agree and of every test that
// runs a module (run_module.hpp).
#include "tcp/exec/vector/run.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/render.hpp"

namespace tcp::vector {
namespace {

using build::ModuleBuilder;
using Arguments = Images;

/// Words that count from `first`.
std::shared_ptr<const Image> counting(std::size_t words, std::uint32_t first) {
  Image image(4 * words);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t const word = first + static_cast<std::uint32_t>(i);
    std::memcpy(image.data() + 4 * i, &word, 4);
  }
  return std::make_shared<const Image>(std::move(image));
}
std::uint32_t word(const Image& image, std::size_t i) {
  std::uint32_t w;
  std::memcpy(&w, image.data() + 4 * i, 4);
  return w;
}

Expected<Images> ran(const ModuleBuilder& b, const Arguments& arguments, const Options& options = {}) {
  auto const verified = ir::verify(b.module, rngd);
  if (!verified) return verified.refusal();
  return run(*verified, arguments, options);
}

ir::TensorId tile(ModuleBuilder& b, ir::TensorId of, std::string_view element, std::string_view dimension, std::int64_t length,
                  std::int64_t start) {
  ir::Tensor t = b.module.tensor(of);
  t.element = b.map(element);
  t.address.reset();
  t.role = ir::Role::temporary;
  t.view = ir::ViewOf{of, ir::ViewOf::Kind::tile, b.map(dimension), length, start};
  b.module.tensors.push_back(t);
  return ir::TensorId(b.module.tensors.size() - 1);
}

TEST(VectorRun, who_shares_elements_does_not_see_what_others_write) {
  ModuleBuilder b("A = 8, B = 16");
  auto const in = b.hbm("in", ScalarType::i32, "A, B", 0, ir::Role::argument);
  auto const over = b.hbm("over", ScalarType::i32, "A = 2, B", 1 << 20, ir::Role::argument);
  auto const first = b.hbm("first", ScalarType::i32, "A, B", 2 << 20, ir::Role::result);
  auto const second = b.hbm("second", ScalarType::i32, "A, B", 3 << 20, ir::Role::result);
  b.move(in, first);
  b.move(first, second);
  b.move(over, tile(b, first, "A = 2 # 8, B", "A", 2, 4));
  auto const x = counting(128, 0), y = counting(32, 1000);
  auto const out = ran(b, {x, y});
  ASSERT_TRUE(out) << render(out.refusal());
  for (std::size_t i = 0; i < 128; ++i) {
    bool const written = i / 16 == 4 || i / 16 == 5;
    EXPECT_EQ(word(*(*out)[0], i), written ? 1000 + i - 64 : i);
    EXPECT_EQ(word(*(*out)[1], i), i);
    EXPECT_EQ(word(*x, i), i);
  }
}

TEST(VectorRun, a_result_that_is_another_result_is_written_out_twice) {
  ModuleBuilder b("A = 64");
  auto const in = b.hbm("in", ScalarType::i32, "A", 0, ir::Role::argument);
  auto const first = b.hbm("first", ScalarType::i32, "A", 1 << 20, ir::Role::result);
  auto const second = b.hbm("second", ScalarType::i32, "A", 2 << 20, ir::Role::result);
  for (std::int64_t half : {0, 32}) b.move(tile(b, in, "A = 32 # 64", "A", 32, half), tile(b, first, "A = 32 # 64", "A", 32, half));
  b.move(first, second);
  auto const out = ran(b, {counting(64, 5)});
  ASSERT_TRUE(out) << render(out.refusal());
  for (const auto& image : *out)
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(word(*image, i), 5 + i);
}

TEST(VectorRun, what_nobody_wrote_is_refused_or_zero) {
  ModuleBuilder b("A = 64");
  auto const in = b.hbm("in", ScalarType::i32, "A", 0, ir::Role::argument);
  auto const out = b.hbm("out", ScalarType::i32, "A", 1 << 20, ir::Role::result);
  b.move(tile(b, in, "A = 32 # 64", "A", 32, 0), tile(b, out, "A = 32 # 64", "A", 32, 0));
  auto const refused = ran(b, {counting(64, 1)});
  ASSERT_FALSE(refused);
  EXPECT_STREQ(refused.refusal().code, "exec-undefined-result");
  auto const zero = ran(b, {counting(64, 1)}, {.check = false, .on_progress = {}, .on_plan = {}, .on_undefined = {}});
  ASSERT_TRUE(zero);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(word(*(*zero)[0], i), i < 32 ? 1 + i : 0);
}

TEST(VectorRun, tells_what_was_fused_and_how_far_it_is) {
  ModuleBuilder b("A = 2048");
  auto const in = b.hbm("in", ScalarType::i32, "A", 0, ir::Role::argument);
  auto const out = b.hbm("out", ScalarType::i32, "A", 1 << 28, ir::Role::result);
  auto const from = b.dm("from", ScalarType::i32, "A / 8", "A % 8", 0), to = b.dm("to", ScalarType::i32, "A / 8", "A % 8", 1 << 12),
             log = b.vrf("log", ScalarType::i32, "A / 8", "A % 8", 0);
  b.move(in, from);
  OperandShape three;
  three.kind = OperandKind::immediate;
  three.known = true;
  three.bits = 3;
  b.main(from)
      .time("1")
      .packet("A % 8")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(ir::BranchLog{log})
      .stage(ir::VectorOperation{step_of(FxpBinaryOp::AddFxp), {{three, ir::none}}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{to, {}, false});
  b.move(to, out);
  std::vector<std::string> lines;
  std::vector<std::size_t> done;
  Options options;
  options.on_plan = [&](std::size_t command, const std::string& line) { lines.push_back(std::to_string(command) + ": " + line); };
  options.on_progress = [&](std::size_t n, std::size_t of) {
    EXPECT_EQ(of, 3u);
    done.push_back(n);
  };
  auto const images = ran(b, {counting(2048, 0)}, options);
  ASSERT_TRUE(images) << render(images.refusal());
  EXPECT_EQ(word(*(*images)[0], 2047), 2050u);
  EXPECT_EQ(done, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(lines, (std::vector<std::string>{"0: from shares the elements, nothing is copied", "1: log takes the branch log",
                                             "1: to in one sweep: load i32, FxpBinaryOp::AddFxp",
                                             "2: out shares the elements, nothing is copied", "3: out is moved into HBM"}));
}

}  // namespace
}  // namespace tcp::vector
