// Stores into TRF and VRF: what becomes Row and Element, which padding may be promised, what fits.
#include "tcp/rules/register_files.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"

namespace tcp {
namespace {

using enum ScalarType;

std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }

struct Store {
  Axes axes = parse_axes("A = 4, N = 8, K = 12, L = 40").value();

  Mapping map(std::string_view text) const { return parse(text, axes).value(); }
  std::string trf(std::string_view time, std::string_view packet, std::string_view row, std::string_view element) const {
    return code(verdict(check_to_trf(rngd, bf16, map(time), map(packet), map(row), map(element), TrfAddress::Full)));
  }
  std::string vrf(std::string_view time, std::string_view packet, std::string_view element, std::int64_t address = 0) const {
    return code(verdict(check_to_vrf(rngd, f32, map(time), map(packet), map(element), Bytes{address})));
  }
};

TEST(RegisterFiles, padding_may_be_promised_less_never_more) {
  Store const s;
  EXPECT_EQ(s.trf("N, A", "K #z 16", "N", "A, K #z 16"), "accepted");
  EXPECT_EQ(s.trf("N, A", "K #z 16", "N", "A, K # 16"), "accepted") << "then it may not be relied on";
  EXPECT_EQ(s.trf("N, A", "K # 16", "N", "A, K #z 16"), "trf-padding-not-zero");
  EXPECT_EQ(s.trf("N, A", "K #z 16", "N", "A, K"), "trf-element-wrong") << "padding is stored as well";
  EXPECT_EQ(s.vrf("A", "K #z 16", "A, K #z 16"), "accepted");
  EXPECT_EQ(s.vrf("A", "K # 16", "A, K #z 16"), "vrf-padding-not-zero");
  // The type that results is the declared one.
  EXPECT_EQ(check_to_trf(rngd, bf16, s.map("N, A"), s.map("K #z 16"), s.map("N"), s.map("A, K # 16"), TrfAddress::Full).value().element,
            s.map("A, K # 16"));
}

TEST(RegisterFiles, padding_of_two_kinds) {
  // The flit's own padding is undefined, the other half of the row zeros.
  Store const s;
  Mapping const real = s.map("1 #z 2, K # 16");
  EXPECT_FALSE(detail::promises_more(s.map("K # 32"), real));
  EXPECT_FALSE(detail::promises_more(real, real));
  EXPECT_TRUE(detail::promises_more(s.map("K #z 32"), real));
}

TEST(RegisterFiles, padded_rows) {
  Store const s;
  EXPECT_EQ(s.trf("K # 16 / 2, A", "L # 48 % 16", "K # 16 / 2", "A, L # 48 % 16"), "accepted");
  EXPECT_EQ(s.trf("A # 8, N", "L # 48 % 16", "A #z 8", "N, L # 48 % 16"), "trf-padding-not-zero");
  EXPECT_EQ(s.trf("A, N", "L # 48 % 16", "A # 8", "N, L # 48 % 16"), "trf-row-not-outermost") << "there is no padding in Time";
}

TEST(RegisterFiles, row_lies_in_time) {
  Store const s;
  EXPECT_EQ(s.trf("A", "N, 2", "A, N / 4", "N % 4, 2"), "trf-row-not-outermost") << "a flit goes into one Row";
  EXPECT_EQ(s.trf("1", "N, 2", "1", "N, 2"), "accepted");
}

TEST(RegisterFiles, vrf_capacity_and_address) {
  Store const s;
  EXPECT_EQ(s.vrf("A, N", "L # 64", "A, N, L # 64"), "accepted") << "8 KB";
  EXPECT_EQ(s.vrf("A, N", "L # 65", "A, N, L # 65"), "memory-vrf-too-large");
  EXPECT_EQ(s.vrf("A", "N", "A, N", 8064), "accepted");
  EXPECT_EQ(s.vrf("A", "N", "A, N", 8068), "memory-beyond-end");
  EXPECT_EQ(s.vrf("A", "N", "A, N", 2), "memory-address-misaligned");
  EXPECT_EQ(s.vrf("A", "N", "N, A"), "vrf-element-wrong");
  EXPECT_EQ(check_to_vrf(rngd, i32, s.map("A"), s.map("N"), s.map("A, N"), Bytes{64}).value().extent, (Interval{Bytes{64}, Bytes{192}}));
}

TEST(RegisterFiles, a_logical_device_has_no_capacity) {
  Store const s;
  EXPECT_EQ(
      code(verdict(check_to_trf(logical, bf16, s.map("N, L"), s.map("1 # 4096"), s.map("N"), s.map("L, 1 # 4096"), TrfAddress::Full))),
      "accepted");
  EXPECT_EQ(s.trf("N, L", "1 # 4096", "N", "L, 1 # 4096"), "memory-trf-too-large");
}

}  // namespace
}  // namespace tcp
