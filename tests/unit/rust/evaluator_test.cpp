// Kernels as commands: types go down, generics are bound, numbers are computed, loops are unrolled.
#include <gtest/gtest.h>

#include "reading.hpp"

namespace tcp::rust {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

/// A kernel that adds the number that an expression gives.
std::string sum_of(const std::string& statements, const std::string& number) {
  return text_of(
      kernel(statements + "\nlet dm: Dm = x.to_dm(&mut ctx.tdma);\nlet y: Dm = " + adding(number) + ";\ny.to_hbm(&mut ctx.tdma)"));
}

TEST(Evaluator, ExpectedTypesGoDownFromLetReturnTupleAndArgument) {
  std::string const text = text_of(opening + R"(
fn add(ctx: &mut Context, dm: &Dm) -> Dm { )" +
                                   adding("1") + R"( }
fn two(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> (Dm, Dm) { (x.to_dm(&mut ctx.tdma), x.to_dm(&mut ctx.tdma)) }
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
  let (a, _b) = two(ctx, x);
  let c = add(ctx, &a);
  let d = add(ctx, &x.to_dm(&mut ctx.tdma));
  let _e = d.to_hbm::<m![A]>(&mut ctx.tdma);
  c.to_hbm(&mut ctx.tdma)
})");
  EXPECT_EQ(count(text, "AddFxp, 1"), 2) << text;
  EXPECT_EQ(count(text, "move "), 5) << text;
}
TEST(Evaluator, AValueWhoseTypeIsSaidLaterStandsWhereItWasMade) {
  std::string const text = text_of(opening + R"(
fn add(ctx: &mut Context, dm: &Dm) -> Dm { )" +
                                   adding("1") + R"( }
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>, y: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
  let first = x.to_dm(&mut ctx.tdma);
  let second: Dm = y.to_dm(&mut ctx.tdma);
  let _sum = add(ctx, &second);
  add(ctx, &first).to_hbm(&mut ctx.tdma)
})");
  EXPECT_LT(text.find("move x -> first"), text.find("move y -> second")) << text;
}
TEST(Evaluator, GenericsAreBoundByArgumentsAliasesAndTurbofish) {
  std::string const body = R"(
type On<S, E> = DmTensor<i32, Chip, Cluster, S, E>;
fn add<S: M, E: M, const N: usize>(ctx: &mut Context, dm: &On<S, E>) -> On<S, E>
where
    S: M,
{
  ctx.main.begin(dm.view()).fetch::<m![1], E>().collect::<m![1], m![E]>().vector_init().vector_intra_slice_tag(TagMode::Zero)
     .vector_fxp(FxpBinaryOp::AddFxp, (N * 2) as i32).vector_final().commit()
}
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> HbmTensor<i32, Chip, m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
  add::<_, _, { B::SIZE }>(ctx, &dm).to_hbm(&mut ctx.tdma)
})";
  EXPECT_TRUE(has(text_of(opening + body), "AddFxp, 16")) << text_of(opening + body);
}
TEST(Evaluator, NumbersAreThoseOfRust) {
  EXPECT_TRUE(has(sum_of("const N: i32 = 1 << 4 | 3;", "N - 7 / 2"), "AddFxp, 16"));
  EXPECT_TRUE(has(sum_of("let n = -7i32;", "n % 4"), "AddFxp, -3"));
  EXPECT_TRUE(has(sum_of("let n = 300usize as u8 as i32;", "n"), "AddFxp, 44"));
  EXPECT_TRUE(has(sum_of("let n = 10usize.div_ceil(4).pow(2).max(5) as i32;", "n"), "AddFxp, 9"));
  EXPECT_TRUE(has(sum_of("let mut n = 1; for i in 0..4 { if i == 3 { break; } n *= 3; }", "n"), "AddFxp, 27"));
  EXPECT_TRUE(has(sum_of("let [a, .., b] = [1, 2, 3]; let (c, d) = (a, b);", "c * 10 + d"), "AddFxp, 13"));
  EXPECT_TRUE(has(sum_of("let n = Slice::SIZE as i32 + <m![B, A % 4] as M>::SIZE as i32;", "n"), "AddFxp, 288"));
  EXPECT_TRUE(has(sum_of("let n = match B::SIZE { 0 => 1, 1..=7 => 2, n if n == 8 => 3, _ => 4 };", "n"), "AddFxp, 3"));
  EXPECT_TRUE(has(sum_of("let mut s = [1, 2]; s[1] += 5; let r = &mut s[0]; *r = 7;", "s[0] * 10 + s[1]"), "AddFxp, 77"));
}
TEST(Evaluator, FloatingLiteralsTakeTheirTypeFromTheUse) {
  auto const product = [](const std::string& statements, const std::string& number) {
    return text_of(opening + R"(#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![A]>) -> HbmTensor<f32, Chip, m![A]> {
  )" + statements + R"(
  let dm: DmTensor<f32, Chip, Cluster, Slice, m![A % 8]> = x.to_dm(&mut ctx.tdma);
  let y: DmTensor<f32, Chip, Cluster, Slice, m![A % 8]> = ctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().vector_init()
    .vector_intra_slice_tag(TagMode::Zero).vector_clip(ClipBinaryOpF32::Add, )" +
                   number + R"().vector_final().commit();
  y.to_hbm(&mut ctx.tdma)
})");
  };
  // (0.1 + 0.2) - 0.3 in f32 is 2^-25 more or nothing; in f64 something else.
  std::string const single = product("let n: f32 = (0.1 + 0.2) - 0.3;", "n"), wide = product("let n = ((0.1f64 + 0.2) - 0.3) as f32;", "n");
  EXPECT_TRUE(has(single, "Add, 2.98") || has(single, "Add, 1.19") || has(single, "Add, 0")) << single;
  EXPECT_TRUE(has(wide, "Add, 5.55")) << wide;
}
TEST(Evaluator, LoopsAreUnrolledAndEachRoundIsARegion) {
  std::string const text = text_of(
      kernel("let mut dm: Dm = x.to_dm(&mut ctx.tdma);\nfor i in 1..=3 { dm = " + adding("i as i32") + "; }\ndm.to_hbm(&mut ctx.tdma)"));
  EXPECT_TRUE(has(text, "AddFxp, 1)") && has(text, "AddFxp, 2)") && has(text, "AddFxp, 3)")) << text;
  EXPECT_EQ(count(text, "region i"), 3) << text;
  EXPECT_EQ(count(text, " kept"), 3) << text;
}
TEST(Evaluator, RoundsOfALoopThatIsUnrolledAreNoBarriers) {
  std::string const text =
      text_of(kernel("let mut dm: Dm = x.to_dm(&mut ctx.tdma);\n#[unroll]\nfor i in 1..=3 { dm = " + adding("i as i32") +
                     "; }\ndm.to_hbm(&mut ctx.tdma)"));
  EXPECT_EQ(count(text, "region i"), 3) << text;
  EXPECT_EQ(count(text, " kept"), 0) << text;
  // Also where the loop is the first statement of a block.
  std::string const first =
      text_of(kernel("#[unroll]\nfor _ in 0..2 { let _dm: Dm = x.to_dm(&mut ctx.tdma); }\nlet dm: Dm = x.to_dm(&mut ctx.tdma);\n"
                     "dm.to_hbm(&mut ctx.tdma)"));
  EXPECT_EQ(count(first, "region round"), 2) << first;
  EXPECT_EQ(count(first, " kept"), 0) << first;
}
TEST(Evaluator, LabelsSayWhichLoopIsLeft) {
  auto const sum = [](const std::string& count) {
    return text_of(kernel("let mut n = 0; " + count + " let dm: Dm = x.to_dm(&mut ctx.tdma); let y: Dm = " + adding("n as i32") +
                          "; y.to_hbm(&mut ctx.tdma)"));
  };
  EXPECT_NE(sum("'o: for i in 0..5 { for j in (0..5).rev() { if j == 2 { continue 'o; } if i == 3 { break 'o; } n += 10 * i + j; } }")
                .find("AddFxp, 81"),
            std::string::npos);
  EXPECT_NE(sum("'o: loop { loop { n += 1; break 'o; } n += 100; break; }").find("AddFxp, 1)"), std::string::npos);
  EXPECT_NE(sum("n = 'b: { if true { break 'b 7; } 9 };").find("AddFxp, 7"), std::string::npos);
  EXPECT_EQ(sum("break;"), "error: this leaves a loop or block that it is not in");
}

TEST(Evaluator, WhatIsChangedThroughAReferenceIsChangedOrRefused) {
  std::string const loaded = "let mut dm: Dm = x.to_dm(&mut ctx.tdma); ", stored = " dm.to_hbm(&mut ctx.tdma)";
  std::string const owner = "struct Held { t: Dm, n: i32 }\nimpl Held { fn step(&mut self) { self.n += 5; } }\n";
  EXPECT_NE(text_of(owner + kernel(loaded + "let mut h = Held { t: dm, n: 2 }; h.step(); let dm = h.t; let y: Dm = " + adding("h.n") +
                                   "; y.to_hbm(&mut ctx.tdma)"))
                .find("AddFxp, 7"),
            std::string::npos);
  EXPECT_NE(text_of(kernel("let (mut a, mut b) = (3, 4); std::mem::swap(&mut a, &mut b); " + loaded + "let y: Dm = " + adding("a") +
                           "; y.to_hbm(&mut ctx.tdma)"))
                .find("AddFxp, 4"),
            std::string::npos);
  EXPECT_EQ(text_of("fn up(t: &mut Dm, s: &Dm) { *t = s.view(); }\n" +
                    kernel(loaded + "let o: Dm = x.to_dm(&mut ctx.tdma); up(&mut dm, &o);" + stored)),
            "error: a tensor is assigned through a reference");
  EXPECT_EQ(text_of(kernel(loaded + "std::process::exit(3);" + stored)),
            "error: the function `std::process::exit` of Rust's library is not read");
  EXPECT_EQ(text_of(kernel(loaded + "let mut a = [1, 2]; for v in a.iter_mut() { *v += 1; }" + stored)), "error: `iter_mut` is not read");
  EXPECT_EQ(text_of(kernel(loaded + "let mut a = [1, 2]; for v in &mut a { *v += 1; }" + stored)),
            "error: a loop over `&mut` elements is not read");
}

TEST(Evaluator, ScalarsOfALaunchDecide) {
  std::string const text = opening + R"(#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>, n: HbmScalar<i32>, twice: bool) -> HbmTensor<i32, Chip, m![A]> {
  let dm: Dm = x.to_dm(&mut ctx.tdma);
  let k = if twice { n * 2 } else { n };
  let y: Dm = )" + adding("k") +
                           R"(;
  y.to_hbm(&mut ctx.tdma)
})";
  EXPECT_TRUE(has(text_of(text, {{"n", 21}, {"twice", 1}}), "AddFxp, 42"));
  EXPECT_TRUE(has(text_of(text, {{"n", 21}}), "AddFxp, 21"));
  Crate const crate = Crate::of_text("test.rs", text);
  EXPECT_EQ(crate.read(crate.kernels()[0], rngd).notes.size(), 2u);
}
TEST(Evaluator, StructuresAndArraysOfTensorsAreArgumentsByName) {
  std::string const text = text_of(opening + R"(
struct Layer<E: M> { weight: HbmTensor<i32, Chip, E>, more: [HbmTensor<i32, Chip, E>; 2] }
struct Model { layers: [Layer<m![A]>; 2] }
#[device(chip = 1)]
fn kernel(ctx: &mut Context, model: &Model) -> HbmTensor<i32, Chip, m![A]> {
  let dm: Dm = model.layers[1].more[0].to_dm(&mut ctx.tdma);
  dm.to_hbm(&mut ctx.tdma)
})");
  EXPECT_TRUE(has(text, "model_layers_1_more_0")) << text;
  EXPECT_EQ(count(text, "argument hbm"), 6) << text;
}
TEST(Evaluator, ReshapeIsRelabelling) {
  std::string const text = text_of(kernel(R"(
  let dm: Dm = x.to_dm(&mut ctx.tdma);
  let y: DmTensor<i32, Chip, Cluster, m![A % 256], m![A / 256]> = unsafe { dm.reshape() };
  y.to_hbm(&mut ctx.tdma))"));
  EXPECT_TRUE(has(text, "relabel")) << text;
}
TEST(Evaluator, NewTensorsAreZeroWhereSomethingOfThemIsReadThatNobodyWrote) {
  auto const with = [](const std::string& rounds) {
    return text_of(opening + R"(#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![B, A]>) -> HbmTensor<i32, Chip, m![B, A]> {
  let dm: DmTensor<i32, Chip, Cluster, Slice, m![B, A % 8]> = x.to_dm(&mut ctx.tdma);
  let mut out: DmTensor<i32, Chip, Cluster, Slice, m![B, A % 8]> = DmTensor::new();
  for i in )" + rounds +
                   R"( { dm.view().tile::<m![B], 2, _>(2 * i).to_dm_view(&mut ctx.tdma, out.view_mut().tile::<m![B], 2, _>(2 * i)); }
  out.to_hbm(&mut ctx.tdma)
})");
  };
  EXPECT_EQ(count(with("0..4"), "memset"), 0);
  EXPECT_EQ(count(with("0..3"), "memset"), 1);
}
TEST(Evaluator, LongAndRepeatedAxisNamesStayApart) {
  std::string const text = text_of(R"(
mod a { axes![AnAxisWithALongName = 2048]; }
mod b { axes![AnAxisWithALongName = 8]; }
type Chip = m![1];
type S = m![a::AnAxisWithALongName / 8];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![b::AnAxisWithALongName, a::AnAxisWithALongName]>) -> HbmTensor<i32, Chip, m![b::AnAxisWithALongName, a::AnAxisWithALongName]> {
  let dm: DmTensor<i32, Chip, m![1 # 2], S, m![b::AnAxisWithALongName, a::AnAxisWithALongName % 8]> = x.to_dm(&mut ctx.tdma);
  dm.to_hbm(&mut ctx.tdma)
})");
  EXPECT_TRUE(has(text, "AnAxisWithALongN = 8") && has(text, "AnAxisWithALon_2 = 2048")) << text;
}
TEST(Evaluator, TheKeyOfAScatterIsTheAxisThatItsRowsLack) {
  std::string const text = text_of(R"(axes![V = 1000, S = 256, D = 64];
#[device(chip = 1)]
fn store(ctx: &mut Context, table: &mut HbmTensor<f32, m![1], m![V, D]>, tokens: &HbmTensor<i32, m![1], m![S]>, rows: &HbmTensor<f32, m![1], m![S, D]>) {
  rows.dma_scatter(tokens, table, &mut ctx.tdma);
})");
  EXPECT_TRUE(has(text, "scatter rows -> ") && has(text, "(rows: tokens, axis: V)")) << text;
}
TEST(Evaluator, AxesOfTwoModulesAreTwoAxesAlsoUnderOneName) {
  std::string const text = text_of(R"(
mod a { axes![N = 256]; }
mod b { axes![N = 256]; pub use super::a::N as Other; }
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![a::N, b::N]>) -> HbmTensor<i32, m![1], m![b::Other, b::N]> {
  let dm: DmTensor<i32, m![1], m![1 # 2], m![a::N], m![b::N]> = x.to_dm(&mut ctx.tdma);
  dm.to_hbm(&mut ctx.tdma)
})");
  EXPECT_TRUE(has(text, "result hbm result: i32 Element[N, N_2]")) << text;
}
/// `test` is not set; what only tests have is there all the same, unless the crate has something of its name.
TEST(Evaluator, TheCrateCountsBeforeItsTests) {
  std::string const small = R"(
#[cfg(test)]
const ADDED: i32 = 1;
#[cfg(not(test))]
const ADDED: i32 = 4096;
#[cfg(test)]
fn of_tests() -> i32 { 7 }
struct Numbers;
impl Numbers {
    #[cfg(test)]
    fn both() -> i32 { 1 }
    #[cfg(not(test))]
    fn both() -> i32 { 30 }
    #[cfg(test)]
    fn one() -> i32 { 200 }
}
)";
  std::string const body = "let dm: Dm = x.to_dm(&mut ctx.tdma);\nlet y: Dm = " +
                           adding("ADDED + of_tests() + Numbers::both() + Numbers::one() + if cfg!(test) { 10000 } else { 0 }") +
                           ";\ny.to_hbm(&mut ctx.tdma)";
  EXPECT_NE(text_of(kernel(body) + small).find("AddFxp, 4333"), std::string::npos) << text_of(kernel(body) + small);

  std::string const axes = R"(
#[cfg(test)]
axes![A = 64, C = 4];
#[cfg(not(test))]
axes![A = 2048];
#[cfg(test)]
mod tests {
    use super::*;
    #[device(chip = 1)]
    fn only_in_tests(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
        assert!(A::SIZE == 2048 && C::SIZE == 4);
        let dm: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
        dm.to_hbm(&mut ctx.tdma)
    }
}
)";
  EXPECT_EQ(errors_of(axes), std::vector<std::string>{});
  EXPECT_EQ(Crate::of_text("test.rs", axes).kernels().size(), 1u);
}
TEST(Evaluator, AKernelInsideAFunctionIsFound) {
  EXPECT_TRUE(
      has(text_of("fn main() {\n" + kernel("let dm: Dm = x.to_dm(&mut ctx.tdma);\ndm.to_hbm(&mut ctx.tdma)") + "}\n"), "move x -> dm"));
}
TEST(Evaluator, WhatAnotherModuleDeclaresIsNamedWithItsModule) {
  std::string const modules =
      "mod layers { pub mod norm {\nuse super::super::*;\naxes![Inner = 4];\npub fn capped(ctx: &mut Context, dm: &Dm) -> Dm { " +
      adding("1") + " }\n} }\n";
  auto const advice = [&](const std::string& body) {
    Crate const crate = Crate::of_text("test.rs", modules + kernel(body));
    auto const errors = crate.read(crate.kernels().at(0), rngd).errors;
    return errors.size() == 1 ? std::string(errors[0].refusal.advice.view()) : std::to_string(errors.size()) + " errors";
  };
  EXPECT_EQ(advice("let dm: Dm = x.to_dm(&mut ctx.tdma);\ncapped(ctx, &dm).to_hbm(&mut ctx.tdma)"),
            "bring it in: use crate::layers::norm::capped;");
  EXPECT_EQ(advice("let y: DmTensor<i32, Chip, Cluster, Slice, m![A % 8, Inner]> = x.to_dm(&mut ctx.tdma);\nx.to_dm::<Cluster, Slice, m![A "
                   "% 8]>(&mut ctx.tdma).to_hbm(&mut ctx.tdma)"),
            "bring it in: use crate::layers::norm::Inner;");
}
TEST(Evaluator, WindowsOfEditionsAreToldByTheManifest) {
  std::string const april = kernel(R"(let dm = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 0);
  ctx.main.begin(dm.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().commit::<m![A % 8]>(4096).to_hbm(&mut ctx.tdma, 0))");
  EXPECT_TRUE(errors_of(april).empty());
  EXPECT_TRUE(errors_of(april, 0).empty());
  EXPECT_EQ(errors_of(april, 5), (std::vector<std::string>{"9:12 rust-edition"}));  // the address
}

}  // namespace
}  // namespace tcp::rust
