// The text form of mappings: read_mapping(print(m)) == m, for all mappings that searches schedule.
#include <gtest/gtest.h>

#include "running.hpp"

namespace tcp {
namespace {

using namespace mapper_tests;

TEST(MapperText, IsReadAsItWasPrinted) {
  for (const char* text :
       {"C[m,n] = sum[k] A[m,k] * B[n,k]{any} where m=1000, n=1000, k=1000",
        "C[m,n] = gelu(sum[k] A: f8e4m3[m,k] * B: f8e4m3[n,k] + b[n]) where m=3000, n=77, k=5000",
        "y[n] = sum[k] x[k] * W[n,k]{any} where n=4096, k=4096", "S[h,q,s] = sum[d] Q[q,h,d] * K[s,h,d] where h=24, q=100, s=300, d=128",
        "C[m,n] = max[k] A[m,k] * B[n,k] where m=100, n=300, k=128",
        "y[h,w,f] = sum[r,s,c] x[h+r-1 : 56, w+s-1 : 56, c]{any} * W[f,r,s,c]{any} where h=56, w=56, f=64, r=3, s=3, c=64"}) {
    mapper::SearchOptions options;
    options.plans = 12;
    auto const found = mapper::search(rngd, product(text), options);
    ASSERT_TRUE(found.ok()) << render(found.refusal());
    for (const mapper::Tried& t : found->tried) {
      std::string const printed = mapper::print(t.mapping);
      auto const again = mapper::read_mapping(printed, rngd);
      ASSERT_TRUE(again.ok()) << render(again.refusal()) << printed;
      EXPECT_EQ(*again, t.mapping) << printed;
    }
  }
}

/// Law: a bound is no more than what the scheduler finds, and what is proven is the least that was seen.
TEST(MapperSearch, BoundsAreKept) {
  for (const char* text :
       {"C[m,n] = sum[k] A[m,k] * B[n,k]{any} where m=1000, n=1000, k=1000", "C[m,n] = sum[k] A[m,k] * B[n,k] where m=300, n=77, k=500",
        "y[n] = sum[k] x[k] * W[n,k]{any} where n=4096, k=4096", "C[m,n] = sum[k] A[m,k] * B[n,k] where m=5, n=7, k=9",
        "S[h,q,s] = sum[d] Q[q,h,d] * K[s,h,d] where h=24, q=100, s=300, d=128",
        "C[b,m,n] = sum[k] A[b,m,k] * B[b,n,k] where b=100, m=90, n=80, k=1000",
        "C[m,n] = max[k] A[m,k] * B[n,k] where m=100, n=300, k=128",
        "y[h,w,f] = sum[r,s,c] x[h+r-1 : 56, w+s-1 : 56, c]{any} * W[f,r,s,c]{any} where h=56, w=56, f=64, r=3, s=3, c=64",
        "y[n,h,w,f] = sum[r,s,c] x[n, h+r-1 : 56, 2*w+s-1 : 112, c]{any} * W[f,r,s,c]{any} where n=3, h=56, w=56, f=130, r=3, s=3, c=64"}) {
    auto const found = mapper::search(rngd, product(text));
    ASSERT_TRUE(found.ok()) << render(found.refusal());
    for (const mapper::Tried& t : found->tried) {
      EXPECT_LE(t.bound, t.book + t.book / 100) << text << mapper::print(t.mapping);
      EXPECT_LE(found->space_bound, t.book) << text;
      EXPECT_LE(mapper::bounds_of(rngd, product(text)).rates, t.book);
    }
  }
}

/// Law: the same search finds the same, whatever was searched before.
TEST(MapperSearch, IsDeterministic) {
  mapper::Product const p = product("C[m,n] = sum[k] A[m,k] * B[n,k]{any} where m=200, n=900, k=700");
  auto const once = mapper::search(rngd, p), again = mapper::search(rngd, p);
  ASSERT_TRUE(once.ok() && again.ok());
  ASSERT_EQ(once->tried.size(), again->tried.size());
  for (std::size_t i = 0; i < once->tried.size(); ++i) EXPECT_EQ(once->tried[i].mapping, again->tried[i].mapping);
  EXPECT_EQ(once->best.mapping, again->best.mapping);
}

}  // namespace
}  // namespace tcp
