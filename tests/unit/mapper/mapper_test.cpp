// Products in formulas, pins, and searches: what they find, and what they say about it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tcp/device/chips.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/mapper/search.hpp"
#include "tcp/support/render.hpp"

namespace tcp {
namespace {

mapper::Product product(std::string_view text) {
  auto const f = formula::parse(text);
  EXPECT_TRUE(f.ok()) << text;
  auto const p = mapper::product_of(*f);
  EXPECT_TRUE(p.ok()) << text << (p.ok() ? "" : render(p.refusal()));
  return p.ok() ? *p : mapper::Product{};
}
std::string name(const mapper::Product& p, int tensor) { return p.tensor(tensor).name; }

TEST(Product, IsFoundWhateverTheOrder) {
  auto const p = product("C[m,n] = sum[k] B[n,k] * A[m,k] where m=2, n=3, k=4");
  EXPECT_EQ(name(p, p.a), "A");
  EXPECT_EQ(name(p, p.b), "B");
  EXPECT_EQ(p.rows, 2);
  EXPECT_EQ(p.columns, 3);
  EXPECT_EQ(p.depth, 4);
}
TEST(Product, OfAVectorHasOneRow) {
  for (const char* text : {"y[n] = sum[k] x[k] * W[n,k] where n=3, k=4", "y[n] = sum[k] W[n,k] * x[k] where n=3, k=4"}) {
    auto const p = product(text);
    EXPECT_EQ(name(p, p.a), "x") << text;
    EXPECT_EQ(p.rows, 1) << text;
    EXPECT_EQ(p.columns, 3) << text;
  }
}
TEST(Product, HasStepsAfterTheSum) {
  auto const p = product("C[m,n] = gelu(2 * (sum[k] A[m,k] * B[n,k]) + v[n] - w[m]) where m=2, n=3, k=4");
  ASSERT_EQ(p.after.size(), 4u);
  EXPECT_EQ(p.after[0].operation, formula::Operation::mul);
  EXPECT_EQ(p.after[0].number, 2);
  EXPECT_TRUE(p.after[1].of_columns);
  EXPECT_FALSE(p.after[2].of_columns);
  EXPECT_EQ(p.after[3].operation, formula::Operation::gelu);
}
TEST(Product, HasBatches) {
  auto const p = product("S[h,q,s] = sum[d] Q[q,h,d] * K[s,h,d]{any} where h=3, q=20, s=30, d=64");
  EXPECT_EQ(p.batches, 3);
  EXPECT_EQ(p.rows, 20);
  EXPECT_EQ(p.columns, 30);
  EXPECT_TRUE(p.batches_in_a);
  EXPECT_FALSE(p.batches_in_b);
  EXPECT_FALSE(p.batches_in_result);
  EXPECT_EQ(mapper::work_of(p).multiply_adds, 3 * 20 * 30 * 64);
  EXPECT_EQ(mapper::work_of(p).hbm_bytes, 2 * 3 * (20 * 64 + 30 * 64 + 20 * 30));
}
TEST(Product, OfAMaximum) {
  EXPECT_TRUE(product("C[m,n] = max[k] A[m,k]*B[n,k] where m=2, n=3, k=32").maximum);
  EXPECT_FALSE(product("C[m,n] = sum[k] A[m,k]*B[n,k] where m=2, n=3, k=32").maximum);
}
constexpr const char* convolution =
    "y[h,w,f] = sum[r,s,c] x[h+r-1 : 56, w+s-1 : 56, c]{any} * W[f,r,s,c]{any} where h=56, w=56, f=64, r=3, s=3, c=64";
TEST(Product, OfWindowsIsAConvolution) {
  auto const p = product("y[n,h,w,f] = relu(sum[s,c] W[f,s,c]{any} * x[n, 2*h, w+2*s-2 : 9, c]{any}) where n=2, h=3, w=7, f=5, s=4, c=40");
  ASSERT_TRUE(p.windows.has_value());
  EXPECT_EQ(name(p, p.a), "x");
  EXPECT_EQ(p.windows->images, 2);
  EXPECT_EQ(p.windows->down, (mapper::ImageWindows::Direction{p.row_axis, -1, 3, 1, 5, 2, 1, 0}));
  EXPECT_EQ(p.windows->across.weights, 4);
  EXPECT_EQ(p.windows->across.places, 9);
  EXPECT_EQ(p.windows->across.dilation, 2);
  EXPECT_EQ(p.windows->across.before, 2);
  EXPECT_EQ(p.windows->stored_channels, 64);
  EXPECT_EQ(p.rows, 42);
  EXPECT_EQ(p.depth, 256);
  EXPECT_EQ(mapper::bounds_of(rngd, product(convolution)).rates, 882);
}
TEST(Product, BoundsCountBytesAndMultiplications) {
  EXPECT_EQ(mapper::bounds_of(rngd, product("C[m,n] = sum[k] A[m,k]*B[n,k] where m=4096, n=4096, k=4096")).rates, 524288);
  EXPECT_EQ(mapper::bounds_of(rngd, product("C[m,n] = sum[k] A[m,k]*B[n,k] where m=512, n=512, k=512")).rates, 1024);
  EXPECT_EQ(mapper::bounds_of(rngd, product("C[m,n] = sum[k] A[m,k]*B[n,k] where m=512, n=512, k=512")).with_startups, 2524);
}

TEST(MapperPin, IsKept) {
  mapper::SearchOptions options;
  options.plans = 6;
  auto const p = product("C[m,n] = sum[k] A[m,k]*B[n,k]{any} where m=300, n=400, k=512");
  auto const pin = mapper::read_pin("keep: B; clusters: m; channels: 1; stored: blocks 256", p);
  ASSERT_TRUE(pin.ok()) << render(pin.refusal());
  options.pin = *pin;
  auto const found = mapper::search(rngd, p, options);
  ASSERT_TRUE(found.ok()) << render(found.refusal());
  const mapper::Decisions& d = found->best.mapping.decisions;
  EXPECT_EQ(d.keep, mapper::KeptOperand::b);
  EXPECT_EQ(d.clusters, mapper::OverClusters::streamed);
  EXPECT_FALSE(d.dual);
  EXPECT_EQ(d.block, 256);
}

/// Batches that fill the chip together take about as long as one product of all of them.
TEST(MapperSearch, ComputesBatchesTogether) {
  auto const heads = mapper::search(rngd, product("S[h,q,s] = sum[d] Q[h,q,d] * K[h,s,d] where h=32, q=128, s=512, d=128"));
  ASSERT_TRUE(heads.ok()) << render(heads.refusal());
  EXPECT_LE(heads->best.book, 8700);
  EXPECT_EQ(heads->refused, 0) << render(heads->first_refused);
  mapper::SearchOptions one_by_one;
  auto const p = heads->best.mapping.product;
  one_by_one.pin = *mapper::read_pin("batches: 1; clusters: q", p);
  auto const slow = mapper::search(rngd, p, one_by_one);
  ASSERT_TRUE(slow.ok()) << render(slow.refusal());
  EXPECT_GE(slow->best.book, 2 * heads->best.book);
}
TEST(MapperReasons, NameTheOtherChoiceAndWhatItLoses) {
  mapper::SearchOptions options;
  options.reasons = true;
  auto const found = mapper::search(rngd, product("C[m,n] = sum[k] A[m,k]*B[n,k]{any} where m=1000, n=1000, k=1000"), options);
  ASSERT_TRUE(found.ok());
  int losing = 0;
  for (const mapper::Reason& r : found->reasons) {
    EXPECT_NE(r.chosen, r.other) << r.decision;
    EXPECT_EQ(r.loses, r.best_with_other.book - found->best.book);
    EXPECT_FALSE(r.why.empty());
    losing += r.loses > 0 ? 1 : 0;
  }
  EXPECT_GE(losing, 3);
}

/// Cycles in `book` that a search must reach.
struct Bar {
  const char* sizes;
  std::int64_t most;
};
TEST(MapperSearch, ReachesItsBars) {
  for (Bar const bar : {Bar{"m=512, n=512, k=512", 6700}, Bar{"m=1000, n=1000, k=1000", 15500}, Bar{"m=1023, n=777, k=555", 12500},
                        Bar{"m=1, n=4096, k=4096", 24800}, Bar{"m=64, n=4096, k=4096", 27700}}) {
    auto const found = mapper::search(rngd, product(std::string("C[m,n] = sum[k] A[m,k] * B[n,k]{any} where ") + bar.sizes));
    ASSERT_TRUE(found.ok()) << render(found.refusal());
    EXPECT_LE(found->best.book, bar.most) << bar.sizes;
    EXPECT_EQ(found->refused, 0) << render(found->first_refused);
  }
}

TEST(MapperSearch, ReachesTheBarOfAConvolution) {
  auto const found = mapper::search(rngd, product(convolution));
  ASSERT_TRUE(found.ok()) << render(found.refusal());
  EXPECT_LE(found->best.book, 4000);
  auto const kernel = mapper::make_kernel(rngd, found->best.mapping);
  ASSERT_TRUE(kernel.ok());
  auto const recorded = mapper::record(rngd, *kernel);
  ASSERT_TRUE(recorded.ok());
  EXPECT_TRUE(ir::print_cpp(recorded->module()).ok());
  EXPECT_EQ(found->refused, 0) << render(found->first_refused);
}

/// Mappings that were found once and stored (tcp map --save): they are read, and still take no more.
TEST(MapperStored, TakesNoMoreThanItsBar) {
  struct Stored {
    const char* file;
    std::int64_t most;
  };
  for (Stored const stored : {Stored{"512_512_512", 6700}, Stored{"1000_1000_1000", 15500}, Stored{"1023_777_555", 12500},
                              Stored{"4096_4096", 24800}, Stored{"64_4096_4096", 27700}, Stored{"convolution_56", 4000}}) {
    std::ostringstream text;
    text << std::ifstream(std::string(TCP_SOURCE_DIR "/tests/unit/mapper/stored/") + stored.file + ".map").rdbuf();
    auto const mapping = mapper::read_mapping(text.str(), rngd);
    ASSERT_TRUE(mapping.ok()) << stored.file << render(mapping.refusal());
    EXPECT_EQ(mapper::print(*mapping), text.str());
    auto const tried = mapper::try_mapping(rngd, *mapping);
    ASSERT_TRUE(tried.ok()) << stored.file << render(tried.refusal());
    EXPECT_LE(tried->book, stored.most) << stored.file;
  }
}

}  // namespace
}  // namespace tcp
