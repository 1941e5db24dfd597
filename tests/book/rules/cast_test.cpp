// The rows of the ledger on the Cast Engine.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/rules/cast.hpp"
#include "tcp/rules/pass.hpp"
#include "written.hpp"

namespace tcp {
namespace {

Expected<Mapping> cast(const char* axes, ScalarType from, ScalarType to, const char* packet, const char* packet2) {
  Written const m{axes};
  return check_cast(rngd, from, to, m(packet), m(packet2));
}
/// A flit of i32 cast to i8, out of a stage.
std::string cast_after(StreamStage after) {
  Written const m{"A = 8"};
  PassState s;
  s.after = after;
  Levels stream;
  stream.set(Level::packet, m("A"));
  Mapping const packet = m("A # 32");
  return code_of(advanced(rngd, s, stream, CastRequest{ScalarType::i8, packet}));
}

TEST(Book, PIP_10_one_flit_in_one_flit_out) {
  // F-05: no batching; whatever the width, the packet is one flit before and after.
  Written const m{"A = 8"};
  for (ScalarType to : {ScalarType::i4, ScalarType::i8, ScalarType::i16}) {
    Mapping const out = m("A").pad(256 / scalar_info(to).packet_bits);
    auto const r = check_cast(rngd, ScalarType::i32, to, m("A"), out);
    ASSERT_TRUE(r);
    EXPECT_EQ(packed_size(to, Elements{r->size})->value, 32);
  }
}

TEST(Book, CAS_01_where_it_stands) {
  for (StreamStage s : {StreamStage::Collect, StreamStage::Contraction, StreamStage::Vector})
    EXPECT_EQ(cast_after(s), "accepted") << name_of(s);
  for (StreamStage s : {StreamStage::Begin, StreamStage::Fetch, StreamStage::Switch})
    EXPECT_EQ(cast_after(s), "stage-missing") << name_of(s);
  for (StreamStage s : {StreamStage::Cast, StreamStage::Transpose}) EXPECT_EQ(cast_after(s), "stage-order") << name_of(s);
  for (ScalarType from : scalar_types) {
    int casts = 0;
    for (ScalarType to : scalar_types) casts += has_cast_engine_cast(rngd, from, to);
    EXPECT_EQ(casts > 0, from == ScalarType::i32 || from == ScalarType::f32);
  }
}

void targets(ScalarType from, std::initializer_list<ScalarType> allowed) {
  for (ScalarType to : scalar_types) {
    bool const listed = std::find(allowed.begin(), allowed.end(), to) != allowed.end();
    Written const m{"A = 8"};
    auto const r = check_cast(rngd, from, to, m("A"), m("A").pad(256 / scalar_info(to).packet_bits));
    EXPECT_EQ(code_of(r), listed ? "accepted" : "cast-no-such-cast") << scalar_info(to).name;
  }
}
TEST(Book, CAS_02_targets_of_i32) { targets(ScalarType::i32, {ScalarType::i4, ScalarType::i8, ScalarType::i16}); }
TEST(Book, CAS_03_targets_of_f32) { targets(ScalarType::f32, {ScalarType::f8e5m2, ScalarType::f8e4m3, ScalarType::f16, ScalarType::bf16}); }

TEST(Book, CAS_04_input_is_one_flit) {
  EXPECT_EQ(code_of(cast("A = 4", ScalarType::i32, ScalarType::i8, "A", "A # 32")), "cast-packet-not-one-flit");
  EXPECT_EQ(code_of(cast("A = 16", ScalarType::i32, ScalarType::i8, "A", "A # 32")), "cast-packet-not-one-flit");
  EXPECT_EQ(code_of(cast("A = 4", ScalarType::i32, ScalarType::i8, "A # 8", "A # 32")), "accepted");
}

TEST(Book, CAS_05_output_is_padded_to_one_flit) {
  struct Row {
    ScalarType from, to;
    const char* packet2;
  };
  for (Row const& r : {Row{ScalarType::i32, ScalarType::i8, "A # 32"}, Row{ScalarType::i32, ScalarType::i16, "A # 16"},
                       Row{ScalarType::f32, ScalarType::bf16, "A # 16"}, Row{ScalarType::f32, ScalarType::f16, "A # 16"},
                       Row{ScalarType::f32, ScalarType::f8e4m3, "A # 32"}, Row{ScalarType::f32, ScalarType::f8e5m2, "A # 32"},
                       Row{ScalarType::i32, ScalarType::i4, "A # 64"}})
    EXPECT_TRUE(cast("A = 8", r.from, r.to, "A", r.packet2)) << scalar_info(r.to).name;
  for (const char* other : {"A", "A # 16", "A # 64", "1 # 4, A"}) {
    std::string const code = code_of(cast("A = 8", ScalarType::i32, ScalarType::i8, "A", other));
    EXPECT_EQ(code, std::string(other) == "1 # 4, A" ? "accepted" : "cast-wrong-packet") << other;
  }
  EXPECT_EQ(code_of(cast("A = 8", ScalarType::i32, ScalarType::i8, "A", "A, 1 # 4")), "cast-wrong-packet") << "elements keep their places";
}

TEST(Book, CAS_06_types) {
  auto const r = cast("B = 4, A = 8", ScalarType::i32, ScalarType::i8, "A", "A # 32");
  ASSERT_TRUE(r);
  EXPECT_EQ(text_of(*r), "A #z 32") << "what the cast adds is zero";
  for (std::int64_t i = 0; i < 32; ++i) EXPECT_EQ(cell(*r, i).live(), i < 8) << "8 data bytes and 24 of padding";
}

TEST(Book, CAS_07_types) {
  auto const r = cast("A = 4", ScalarType::i32, ScalarType::i8, "A # 8", "A # 32");
  ASSERT_TRUE(r);
  for (std::int64_t i = 0; i < 32; ++i) EXPECT_EQ(cell(*r, i).live(), i < 4) << "4 data bytes";
}

}  // namespace
}  // namespace tcp
