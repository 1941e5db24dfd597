// The table of the vendor's methods: every name once for a receiver, and its editions.
#include "rust/bindings.hpp"
#include "reading.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tcp::rust {
namespace {

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
  for (Edition edition : {Edition{7}, Edition{9}}) {
    EXPECT_EQ(errors_of(with_operand_of("m![256]"), edition), Errors{"15:10 rust-edition"});
    EXPECT_EQ(errors_of(with_operand_of("m![A / 8]"), edition), Errors{});
  }
}

TEST(Bindings, TilesOfUnitsNameTheirLevel) {
  std::string const begin =
      "let mut dm: Dm = x.to_dm(&mut ctx.tdma);\nx.view().tile::<m![A], 32, _>(8).to_dm_view(&mut ctx.tdma, dm.view_mut().";
  std::string const end = ");\ndm.to_hbm(&mut ctx.tdma)";
  std::string const text = text_of(kernel(begin + "slice_tile::<m![A / 8], 4, _>(5)" + end));
  EXPECT_NE(text.find("dm.tile([A / 8], length: 4, start: 5)"), text.npos) << text;
  EXPECT_EQ(errors_of(kernel(begin + "cluster_tile::<m![A / 8], 4, _>(5)" + end)), std::vector<std::string>{"10:74 rust-type-mismatch"});
}

}  // namespace
}  // namespace tcp::rust
