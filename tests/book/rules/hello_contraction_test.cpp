// The contractions of the first chapter, "Hello, TCP!": dot product, GEMV and GEMM, as far as collect, TRF and the Contraction Engine decide.
#include <gtest/gtest.h>

#include <vector>

#include "book/rules/contraction_example.hpp"

namespace tcp {
namespace {

using book::BookEntry, book::code_of, book::innermost_first, book::sentence_of;
using enum ScalarType;
constexpr auto Interleaved = AccumulationKind::Interleaved;

struct Hello {
  Axes axes;

  explicit Hello(std::string_view declared) : axes(parse_axes(declared).value()) {}
  Mapping map(std::string_view text) const { return parse(text, axes).value(); }

  Levels stream(std::string_view slice, const Stream& s) const {
    Levels l = places(slice);
    return l.set(Level::time, s.time).set(Level::packet, s.packet);
  }
  Levels trf(std::string_view slice, const TrfStored& t) const {
    Levels l = places(slice);
    return l.set(Level::row, t.row).set(Level::element, t.element);
  }
  Levels places(std::string_view slice) const {
    Levels l;
    return l.set(Level::cluster, map("1 # 2")).set(Level::slice, map(slice));
  }
};

struct Dot : Hello {
  Dot() : Hello("A = 2048") {}

  Stream collected() const { return check_collect(rngd, bf16, map("1"), map("A"), map("A / 16"), map("A % 16")).value(); }
  Expected<TrfStored> weights() const {
    return check_to_trf(rngd, bf16, collected().time, collected().packet, map("1"), map("A"), TrfAddress::Full);
  }
  Expected<Aligned> aligned() const {
    return check_align(rngd, bf16, stream("1 # 256", collected()), bf16, trf("1 # 256", weights().value()), map("A / 32"), map("A % 32"));
  }
};

TEST(Book, HEL_18_dot_product_weights) {
  Dot const d;
  auto const trf = d.weights();
  ASSERT_TRUE(trf) << sentence_of(trf);
  EXPECT_EQ(trf->row_bytes, Bytes{4096});
  EXPECT_EQ(d.collected().time.size, 128);
}

TEST(Book, HEL_19_dot_product_types) {
  Dot const d;
  auto const pair = d.aligned();
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(pair->at[Level::time].size, 64);
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, pair->at, d.map("1"));
  ASSERT_TRUE(sums) << sentence_of(sums);
  EXPECT_EQ(sums->type, f32);
  auto const result = check_accumulate(rngd, ContractOp::Add, Interleaved, sums->type, sums->at, d.map("1"), d.map("1 # 8"));
  ASSERT_TRUE(result) << sentence_of(result);
  EXPECT_EQ(result->out.packet, d.map("1 # 8"));
}

TEST(Book, HEL_21_align_pairs_two_flits) {
  Dot const d;
  EXPECT_EQ(d.aligned().value().adapter.collect_flits, 2);
  EXPECT_EQ(d.aligned().value().at[Level::time], d.map("A / 32"));
  EXPECT_EQ(d.aligned().value().at[Level::packet], d.map("A % 32"));
}

TEST(Book, HEL_22_contract_within_the_packet_accumulate_over_time) {
  Dot const d;
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, d.aligned().value().at, d.map("1")).value();
  EXPECT_EQ(sums.depth, 5);
  EXPECT_EQ(sums.at[Level::time], d.map("A / 32")) << "the tree leaves Time alone";
  auto const result = check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, d.map("1"), d.map("1 # 8")).value();
  EXPECT_EQ(result.loop[0], (TimeLoop{64, true}));
}

TEST(Book, HEL_25_gemv_weights) {
  Hello const h("I = 256, J = 2048");
  Stream const s = check_collect(rngd, bf16, h.map("1"), h.map("J"), h.map("J / 16"), h.map("J % 16")).value();
  auto const trf = check_to_trf(rngd, bf16, s.time, s.packet, h.map("1"), h.map("J"), TrfAddress::Full);
  ASSERT_TRUE(trf) << sentence_of(trf);
  EXPECT_EQ(trf->row_bytes, Bytes{4096});
}

TEST(Book, HEL_26_gemv) {
  Hello const h("I = 256, J = 2048");
  EXPECT_EQ(code_of(check_collect(rngd, bf16, h.map("J / 32"), h.map("J % 32"), h.map("J / 32"), h.map("J % 32"))),
            "collect-packet-not-one-flit")
      << "E-03";
  Stream const s = check_collect(rngd, bf16, h.map("J / 16"), h.map("J % 16"), h.map("J / 16"), h.map("J % 16")).value();
  TrfStored const weights{h.map("1"), h.map("J")};
  auto const pair = check_align(rngd, bf16, h.stream("I", s), bf16, h.trf("I", weights), h.map("J / 32"), h.map("J % 32"));
  ASSERT_TRUE(pair) << sentence_of(pair);
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, pair->at, h.map("1")).value();
  EXPECT_EQ(code_of(check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, h.map("1"), h.map("1 # 8"))), "accepted");
}

TEST(Book, HEL_29_gemm_tiles) {
  Hello const h("I = 512, J = 512, K = 2048");
  EXPECT_EQ(h.map("I / 32, J / 32").size, 256);
  EXPECT_EQ(h.map("I % 32, J % 32").size, 32 * 32) << "E-07";
}

TEST(Book, HEL_31_gemm_weights) {
  auto const stored = [](std::string_view axes) {
    Hello const h(axes);
    return code_of(check_to_trf(rngd, bf16, h.map("J % 8, J / 8 % 4, K / 16"), h.map("K % 16"), h.map("J % 8"), h.map("J / 8 % 4, K"),
                                TrfAddress::Full));
  };
  EXPECT_EQ(stored("J = 512, K = 2048"), "memory-trf-too-large") << "E-09";
  EXPECT_EQ(stored("J = 512, K = 64"), "accepted");
  Hello const h("J = 512, K = 64");
  EXPECT_EQ(element_bytes(bf16, h.map("J / 8 % 4, K")).value(), Bytes{512});
}

TEST(Book, HEL_33_outermost_time_becomes_row) {
  Hello const h("J = 512, K = 64");
  Stream const s =
      check_collect(rngd, bf16, h.map("J % 8, J / 8 % 4"), h.map("K"), h.map("J % 8, J / 8 % 4, K / 16"), h.map("K % 16")).value();
  EXPECT_EQ(code_of(check_to_trf(rngd, bf16, s.time, s.packet, h.map("J % 8"), h.map("J / 8 % 4, K"), TrfAddress::Full)), "accepted");
  EXPECT_EQ(code_of(check_to_trf(rngd, bf16, s.time, s.packet, h.map("J / 8 % 4"), h.map("J % 8, K"), TrfAddress::Full)),
            "trf-row-not-outermost");
}

TEST(Book, HEL_35_gemm_types) {
  Hello const h("I = 512, J = 512, K = 64");
  Stream const s =
      check_collect(rngd, bf16, h.map("I % 32, J / 8 % 4"), h.map("K"), h.map("I % 32, J / 8 % 4, K / 16"), h.map("K % 16")).value();
  TrfStored const weights{h.map("J % 8"), h.map("J / 8 % 4, K")};
  auto const pair = check_align(rngd, bf16, h.stream("I / 32, J / 32", s), bf16, h.trf("I / 32, J / 32", weights),
                                h.map("I % 32, J / 8 % 4, K / 32"), h.map("K % 32"));
  ASSERT_TRUE(pair) << sentence_of(pair);
  EXPECT_EQ(innermost_first(pair->trf.loops), (std::vector<BookEntry>{{2, 64}, {4, 128}, {32, 0}}));
  auto const sums = check_contract(rngd, ContractOp::Add, bf16, pair->at, h.map("1")).value();
  auto const result = check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, h.map("I % 32, J / 8 % 4"), h.map("J % 8"));
  ASSERT_TRUE(result) << sentence_of(result);
  EXPECT_EQ(packed_size(result->type, Elements{result->out.packet.size}).value(), Bytes{32});
  // The prose's m![I], m![J # 8] are not what is left in a slice (E-11).
  EXPECT_EQ(code_of(check_accumulate(rngd, ContractOp::Add, Interleaved, f32, sums.at, h.map("I"), h.map("J % 8"))),
            "contraction-accumulate-order");
}

}  // namespace
}  // namespace tcp
