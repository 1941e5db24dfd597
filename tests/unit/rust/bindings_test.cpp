// The table of the vendor's methods: every name once for a receiver, and its editions.
#include "rust/bindings.hpp"

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

}  // namespace
}  // namespace tcp::rust
