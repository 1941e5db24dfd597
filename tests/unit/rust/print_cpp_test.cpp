// A kernel in C++ as it was written in Rust: what is kept, and what is said where something is not. tests/rust/emitted
// compiles and runs what is printed of the corpus.
#include <gtest/gtest.h>

#include "reading.hpp"

namespace tcp::rust {
namespace {

std::string cpp_of(const std::string& text) {
  Crate const crate = Crate::of_text("test.rs", text);
  auto const printed = crate.print_cpp(crate.kernels().at(0), rngd);
  return printed ? *printed : std::string(printed.refusal().code);
}
void expect_part(const std::string& text, const std::string& part) { EXPECT_NE(text.find(part), text.npos) << part << "\n--\n" << text; }

TEST(PrintCpp, KeepsAliasesLoopsAndNames) {
  std::string const text = cpp_of(
      kernel("let mut dm: Dm = x.to_dm(&mut ctx.tdma);\nfor i in 0..3 {\n  dm = " + adding("i as i32") + ";\n}\ndm.to_hbm(&mut ctx.tdma)"));
  expect_part(text, "TCP_AXES(A = 2048);");
  expect_part(text, "using Slice = m<A / 8>;");
  expect_part(text, "using Dm = DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>;");
  expect_part(text, "  Dm dm = x.to_dm(ctx.tdma);\n");
  expect_part(text, "  for (std::int64_t i = 0; i < 3; ++i) {\n    auto const mark = ctx.round(\"i\", i);\n");
  expect_part(text, ".vector_fxp(FxpBinaryOp::AddFxp, static_cast<int>(i))");
  expect_part(text, "  return dm.to_hbm(ctx.tdma);\n");
}

TEST(PrintCpp, GenericHelpersAreTemplates) {
  std::string const text = cpp_of(opening + R"(
fn load<E: M>(ctx: &mut Context, x: &HbmTensor<i32, Chip, E>, by: i32) -> Dm {
    let dm: Dm = x.to_dm(&mut ctx.tdma);
    )" + adding("by") + R"(
}
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
    load(ctx, x, 2).to_hbm(&mut ctx.tdma)
}
)");
  expect_part(text, "template <MapType E>\nauto load(Context& ctx, const HbmTensor<i32, Chip, E>& x, int by) -> Dm {");
  expect_part(text, ".template fetch<i32, m<1>, m<A % 8>>()");
  expect_part(text, "return load(ctx, x, 2).to_hbm(ctx.tdma);");
}

TEST(PrintCpp, AShadowedNameGetsANumber) {
  std::string const text = cpp_of(kernel("let x: Dm = x.to_dm(&mut ctx.tdma);\nx.to_hbm(&mut ctx.tdma)"));
  expect_part(text, "  Dm x_2 = x.to_dm(ctx.tdma);\n  return x_2.to_hbm(ctx.tdma);\n");
}

TEST(PrintCpp, ConstantsAndConditionsStay) {
  std::string const text = cpp_of(opening + R"(
const STEP: usize = 2 * B::SIZE;
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>, n: i32) -> HbmTensor<i32, Chip, m![A]> {
    let dm: Dm = x.to_dm(&mut ctx.tdma);
    let by = if STEP > 4 { n } else { 7 };
    let y: Dm = )" + adding("by") +
                                  R"(;
    y.to_hbm(&mut ctx.tdma)
}
)");
  expect_part(text, "constexpr std::int64_t STEP = 2 * B.size;");
  expect_part(text, "const HbmTensor<i32, Chip, m<A>>& x, int n)");
  expect_part(text, "STEP > 4 ? n : 7");
}

TEST(PrintCpp, WhatIsNotKeptSaysWhy) {
  std::string const text =
      cpp_of(kernel("let dm: Dm = x.to_dm(&mut ctx.tdma);\nlet lists = [1i32];\nlet mut y: Dm = dm.clone();\nfor (i, n) in "
                    "lists.iter().enumerate() {\n  y = " +
                    adding("*n + i as i32") + ";\n}\ny.to_hbm(&mut ctx.tdma)"));
  EXPECT_TRUE(text.starts_with("// Straight, without the loops and helpers of the source: the typed front end cannot keep\n//   test.rs:"))
      << text;
  expect_part(text, "a loop over several things at once");
  expect_part(text, "auto const mark = ctx.round(\"round\", 0);");
}

TEST(PrintCpp, AKernelWithAnErrorIsRefused) {
  EXPECT_EQ(cpp_of(kernel("let dm: Dn = x.to_dm(&mut ctx.tdma);\nx.clone()")), "rust-unknown-name");
}

}  // namespace
}  // namespace tcp::rust
