// What is wrong in a kernel in Rust, and what the table of calls knows.
#include <gtest/gtest.h>

#include <set>

#include "reading.hpp"
#include "rust/bindings.hpp"

namespace tcp::rust {
namespace {

using Errors = std::vector<std::string>;

SourceError first_error(const std::string& text, Edition edition = {}) {
  Crate const crate = Crate::of_text("test.rs", text, edition);
  if (!crate.errors().empty()) return crate.errors()[0];
  for (const Kernel& k : crate.kernels())
    if (auto const reading = crate.read(k, rngd); !reading.errors.empty()) return reading.errors[0];
  return {};
}

TEST(Errors, AKernelInAModuleThatDoesNotReadIsSaid) {
  EXPECT_EQ(errors_of(opening + "mod inner {\n#[device(chip = 1)]\nfn kernel(ctx &mut Context) {}\n}\n"),
            (std::vector<std::string>{"9:15 rust-syntax"}));
}

TEST(Errors, AllStatementsAreReadAfterAMistake) {
  EXPECT_EQ(errors_of(kernel(R"(let a = x.to_dm::<Cluster, Slise, m![A % 8]>(&mut ctx.tdma);
  let b: Dm = x.to_dm(&mut ctx.tdm);
  let c = a.to_hbm(&mut ctx.tdma);
  let d = b.view();
  for i in 0..2 { let e: DmTensor<i32, Chip, Cluster, Slice, m![A % 7]> = x.to_dm(&mut ctx.tdma); }
  x.frobnicate())")),
            (Errors{"9:28 rust-unknown-name", "10:32 rust-unknown-name", "13:65 mapping-modulo-not-divisor", "14:5 rust-unknown-method"}));
}
TEST(Errors, ATensorOfTheDeclaredTypeStandsInForOneThatWasRefused) {
  EXPECT_EQ(errors_of(kernel(R"(let a: Dm = x.to_dmm(&mut ctx.tdma);
  let b: Dm = a.to_dm(&mut ctx.tdmaa);
  a.viev();
  b.to_hbm(&mut ctx.tdma))")),
            (Errors{"9:15 rust-unknown-method", "10:32 rust-unknown-name", "11:5 rust-unknown-method"}));
}
TEST(Errors, ThePieceThatIsWrongIsMarked) {
  SourceError const e = first_error(
      kernel("let dm: Dm = x.to_dm(&mut ctx.tdma);\nctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>().collekt::<m![1], m![A % 8]>()"));
  EXPECT_EQ(place(e.refusal.at), "10:55");
  EXPECT_EQ(e.end_line, 10u);
  EXPECT_EQ(e.end_column, 84u);
  EXPECT_EQ(e.refusal.advice.view(), "did you mean `collect::<Time, Packet>()`?");
}
TEST(Errors, RulesOfTheChipPointIntoTheRustSource) {
  SourceError const e = first_error(kernel(
      "let dm: Dm = x.to_dm(&mut ctx.tdma);\nctx.main.begin(dm.view()).fetch::<m![1], m![A % 8]>()\n  .collect::<m![1], m![A % 4]>()"));
  EXPECT_EQ(std::string(e.refusal.code).substr(0, 7), "collect") << e.refusal.code;
  EXPECT_EQ(place(e.refusal.at), "11:4");
  EXPECT_EQ(e.line_text, "  .collect::<m![1], m![A % 4]>()");
}
TEST(Errors, AMistakeInAHelperNamesItsCaller) {
  SourceError const e = first_error(opening + R"(fn helper(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) -> Dm {
  x.to_dm::<Cluster, m![A / 4], m![A % 8]>(&mut ctx.tdma)
}
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) { helper(ctx, x); }
)");
  EXPECT_EQ(place(e.refusal.at), "8:5");
  ASSERT_EQ(e.called_from.size(), 1u);
  EXPECT_EQ(place(e.called_from[0]), "11:65");
}
TEST(Errors, LevelsThatDifferAreNamedWithBothMappings) {
  SourceError const e = first_error(kernel(
      "let dm: Dm = x.to_dm(&mut ctx.tdma);\nlet other: DmTensor<i32, Chip, Cluster, Slice, m![A / 256]> = dm;\nx.to_hbm(&mut ctx.tdma)"));
  EXPECT_EQ(e.refusal.headline.view(), "Element is m![A % 8], and the type says m![A / 256]");
}
TEST(Errors, EditionsSpeakTheirOwnNames) {
  SourceError const e = first_error(kernel("let dm: Dm = x.to_dm(&mut ctx.tdma);\nctx.main.begin(dm.view()).fetch::<m![1], m![A % "
                                           "8]>().collect::<m![1], m![A % 8]>().align::<m![1], m![A % 8], _, _>(&dm)"),
                                    5);
  EXPECT_EQ(e.refusal.headline.view(), "edition 0.5 has no `align`");
  EXPECT_EQ(e.refusal.advice.view(), "`align` is `contract_outer` since 0.2: contract_outer::<Time, Packet, _, _, _>(&trf)");
}
TEST(Errors, WhatNobodySaysIsAskedFor) {
  EXPECT_EQ(errors_of(kernel("let dm = x.to_dm(&mut ctx.tdma);\ndm.view();\nx.to_hbm(&mut ctx.tdma)")), (Errors{"10:1 rust-type-needed"}));
  EXPECT_EQ(errors_of(opening + "fn made<E: M>(ctx: &mut Context) -> DmTensor<i32, Chip, Cluster, Slice, E> { DmTensor::new() "
                                "}\n#[device(chip = 1)]\nfn k(ctx: &mut Context) { let x = made(ctx); x.view(); }"),
            (Errors{"9:46 rust-type-needed"}));
}
TEST(Errors, NothingThatIsReadCrashes) {
  for (const std::string body : {"x[0]",
                                 "x.0",
                                 "*x",
                                 "-x",
                                 "x + 1",
                                 "1 / 0",
                                 "let a = [1; 200000];",
                                 "let (a, b) = 1;",
                                 "loop {}",
                                 "fn f() { f() } f();",
                                 "x.tile::<m![A], 0, _>(9)",
                                 "x.tile()",
                                 "ctx.main.begin()",
                                 "ctx.main.begin(x)",
                                 "ctx.tdma.begin(x)",
                                 "m![]",
                                 "9999999999999999999999",
                                 "0x",
                                 "1e999999",
                                 "for i in 0.. {}",
                                 "for i in 0..99999999999 {}",
                                 "let s = |x| x;",
                                 "x?",
                                 "x.to_hbm::<m![A, A]>()",
                                 "Slice::SIZE::SIZE",
                                 "SwitchConfig::X {}",
                                 "i64::MAX + 1",
                                 "1 << 200",
                                 "[1, 2][5]",
                                 "&mut *x",
                                 "x = x",
                                 "const N: usize = N; N",
                                 "type T = T; let y: T = x;",
                                 "assert!(1 == 2)",
                                 "panic!()",
                                 "\"\".len()",
                                 "DmTensor::<i32>::new()",
                                 "HbmTensor::from_addr()"})
    EXPECT_FALSE(errors_of(kernel(body + "\n;")).empty()) << body;
}
TEST(Errors, TooManyAreCutOff) {
  std::string body;
  for (int i = 0; i < 200; ++i) body += "let a" + std::to_string(i) + " = nothing" + std::to_string(i) + ";\n";
  EXPECT_EQ(errors_of(kernel(body)).size(), 50u);
}

// The table of the vendor's methods: every name once for a receiver, and its editions.

namespace bindings {

std::vector<Binding> all_rows() {
  std::vector<Binding> all;
  for (auto part : {tensor_bindings(), stream_bindings(), vector_bindings()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(Bindings, EveryNameStandsOnceForAReceiver) {
  std::set<std::pair<Receiver, std::string_view>> seen;
  for (const Binding& b : all_rows()) {
    EXPECT_TRUE(seen.emplace(b.on, b.name).second) << b.name;
    EXPECT_EQ(find_binding(b.on, b.name)->form, b.form);
  }
}
TEST(Bindings, FormsBeginWithTheirNames) {
  for (const Binding& b : all_rows()) EXPECT_EQ(b.form.substr(0, b.name.size()), b.name);
}
TEST(Bindings, EveryEditionHasEachCallUnderOneOfItsNames) {
  for (const Binding& b : all_rows()) {
    EXPECT_LE(b.since, b.until) << b.name;
    if (b.other.empty()) continue;
    const Binding* const other = find_binding(b.on, b.other);
    ASSERT_NE(other, nullptr) << b.name;
    if (b.name.starts_with("fetch_")) continue;  // said by fetch itself before
    EXPECT_TRUE(other->until < b.since || other->since > b.until) << b.name << " and " << b.other;
  }
}
/// A call as an edition's crate has it: of its name nothing else is asked here.
TEST(Bindings, EachEditionHasItsOwnNames) {
  for (const Binding& b : all_rows())
    for (int edition : {0, 2, 3, 4, 5, 6, 7, 8, 9}) {
      SCOPED_TRACE(std::string(b.name) + " in " + edition_name(edition));
      bool const has = b.since <= edition && edition <= b.until;
      if (b.on == Receiver::gather && edition < 9) continue;  // what makes its receiver is of 0.9
      constexpr std::string_view receivers[] = {"dm", "ctx.main.begin(dm.view())", "ctx.main", "x.gather::<A, m![1]>()"};
      std::string text = kernel("let dm: Dm = DmTensor::new();\n" + std::string(receivers[static_cast<std::size_t>(b.on)]) + "." +
                                std::string(b.name) + "();\nx");
      if (edition >= 8) text.replace(text.find("Context"), 7, "Device");
      Crate const crate = Crate::of_text("test.rs", text, edition);
      auto const errors = crate.read(crate.kernels().at(0), rngd).errors;
      auto const missing = std::find_if(errors.begin(), errors.end(), [](const SourceError& e) {
        return std::string_view(e.refusal.headline.view()).find(" has no `") != std::string_view::npos;
      });
      EXPECT_EQ(missing == errors.end(), has) << (missing == errors.end() ? "" : missing->refusal.headline.view());
      if (has || missing == errors.end()) continue;
      EXPECT_STREQ(missing->refusal.code, "rust-edition");
      EXPECT_EQ(std::string(missing->refusal.headline.view()),
                "edition " + edition_name(edition) + " has no `" + std::string(b.name) + "`");
      std::string const wanted = !b.other.empty()    ? std::string(b.other)
                                 : edition > b.until ? "until " + edition_name(b.until)
                                                     : "since " + edition_name(b.since);
      EXPECT_NE(missing->refusal.advice.view().find(wanted), std::string_view::npos) << missing->refusal.advice.view();
    }
}
TEST(Bindings, WhatIsNotHereYetSaysSo) {
  for (std::string_view name : {"slice_tile", "cluster_tile", "chip_slice"})
    EXPECT_NE(find_binding(Receiver::tensor, name), nullptr) << name;
}

/// A number in each of 256 slices, beside a stream whose slices count A: the operand's Slice is another mapping.
std::string with_operand_of(const std::string& slice) {
  return R"(axes![A = 2048];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>, n: &HbmTensor<i32, m![1], m![1 # 8]>) -> HbmTensor<i32, m![1], m![A]> {
    let dm: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut ctx.tdma);
    let n: DmTensor<i32, m![1], m![1 # 2], m![256], m![1 # 8]> = n.to_dm(&mut ctx.tdma);
    let n: DmTensor<i32, m![1], m![1 # 2], )" +
         slice + R"(, m![1 # 8]> = unsafe { n.reshape() };
    let n: VrfTensor<i32, m![1], m![1 # 2], )" +
         slice + R"(, m![1 # 8]> = ctx.sub.begin(n.view()).fetch::<m![1], m![1 # 8]>().collect::<m![1], m![1 # 8]>().to_vrf();
    let y: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = ctx
        .main
        .begin(dm.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::AddFxp, &n)
        .vector_final()
        .commit();
    y.to_hbm(&mut ctx.tdma)
})";
}

TEST(Bindings, OperandsAreComparedAsTheEditionDoes) {
  using Errors = std::vector<std::string>;
  for (Edition edition : {Edition{}, Edition{4}, Edition{6}}) EXPECT_EQ(errors_of(with_operand_of("m![256]"), edition), Errors{});
  EXPECT_EQ(errors_of(with_operand_of("m![256]"), 7), Errors{"15:10 rust-edition"});
  EXPECT_EQ(errors_of(with_operand_of("m![A / 8]"), 7), Errors{});
  auto const with_device = [](std::string text) { return text.replace(text.find("Context"), 7, "Device"); };  // as of 0.8
  EXPECT_EQ(errors_of(with_device(with_operand_of("m![256]")), 9), Errors{"15:10 rust-edition"});
  EXPECT_EQ(errors_of(with_device(with_operand_of("m![A / 8]")), 9), Errors{});
}

TEST(Bindings, TilesOfUnitsNameTheirLevel) {
  std::string const begin =
      "let mut dm: Dm = x.to_dm(&mut ctx.tdma);\nx.view().tile::<m![A], 32, _>(8).to_dm_view(&mut ctx.tdma, dm.view_mut().";
  std::string const end = ");\ndm.to_hbm(&mut ctx.tdma)";
  std::string const text = text_of(kernel(begin + "slice_tile::<m![A / 8], 4, _>(5)" + end));
  EXPECT_NE(text.find("dm.tile([A / 8], length: 4, start: 5)"), text.npos) << text;
  EXPECT_EQ(errors_of(kernel(begin + "cluster_tile::<m![A / 8], 4, _>(5)" + end)), std::vector<std::string>{"10:74 rust-type-mismatch"});
}

}  // namespace bindings

}  // namespace
}  // namespace tcp::rust
