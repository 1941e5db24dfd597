// A contraction of the book: a collected stream, a TRF tensor, and what is declared to come out; and an oracle that looks at every lane of every step.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/contraction.hpp"

namespace tcp {

inline void PrintTo(const Mapping& m, std::ostream* out) { *out << text(m).view(); }
inline void PrintTo(const TimeLoop& l, std::ostream* out) { *out << (l.added ? "added " : "kept ") << l.rounds; }

namespace book {

inline std::string code_of(const Verdict& v) { return v ? "accepted" : v.refusal().code; }
template <class T>
std::string code_of(const Expected<T>& e) {
  return code_of(verdict(e));
}
/// For the message of a test that wanted acceptance.
template <class T>
std::string sentence_of(const Expected<T>& e) {
  return e ? "accepted" : std::string(e.refusal().sentence().view());
}

/// A loop of the TRF sequencer as the book lists it.
struct BookEntry {
  std::int64_t size, stride;

  bool operator==(const BookEntry&) const = default;
};
inline void PrintTo(const BookEntry& e, std::ostream* out) { *out << "{ size: " << e.size << ", stride: " << e.stride << " }"; }

/// The book's order: Entry 0 is the innermost loop.
inline std::vector<BookEntry> innermost_first(const Loops& l) {
  std::vector<BookEntry> all;
  for (int k = l.entries - 1; k >= 0; --k) all.push_back({l.entry[k].size, l.entry[k].stride});
  return all;
}

struct Contraction {
  Axes axes;
  ScalarType type;
  Levels stream{}, trf{};
  Device device = logical;

  Contraction(std::string_view declared, ScalarType of_type, std::string_view time, std::string_view packet, std::string_view row,
              std::string_view element)
      : axes(parse_axes(declared).value()), type(of_type) {
    stream.set(Level::time, map(time)).set(Level::packet, map(packet));
    trf.set(Level::row, map(row)).set(Level::element, map(element));
  }

  Mapping map(std::string_view text) const { return parse(text, axes).value(); }

  Expected<Aligned> align(std::string_view time, std::string_view packet) const {
    return check_align(device, type, stream, type, trf, map(time), map(packet));
  }
  Expected<Contracted> contract(const Expected<Aligned>& pair, std::string_view packet, ContractOp op = ContractOp::Add) const {
    return check_contract(device, op, type, pair.value().at, map(packet));
  }
  Expected<Accumulated> accumulate(const Expected<Contracted>& sums, std::string_view time, std::string_view packet, AccumulationKind kind,
                                   ContractOp op = ContractOp::Add) const {
    return check_accumulate(device, op, kind, sums.value().type, sums.value().at, map(time), map(packet));
  }
};

/// True if position i of m holds the element, as far as m counts its axes.
inline bool holds(const Mapping& m, std::int64_t i, const Index& element) {
  if (i < 0 || i >= m.size) return false;
  for (std::int64_t n = 0; n < preimages(m, i); ++n) {
    Index const held = preimage(m, i, n);
    bool same = true;
    for (int a = 0; a < m.axes; ++a) same &= held.get(m.axis[a].name) == element.get(m.axis[a].name);
    if (same) return true;
  }
  return false;
}
inline bool is_zero(const Mapping& m, std::int64_t i) {
  Cell const c = cell(m, i);
  return c.kind == CellKind::padding && c.pad == Pad::zero;
}

/// Runs adapter and sequencer as their settings say, and compares what meets in each lane with what the computation's mapping says.
inline ::testing::AssertionResult lanes_agree(const Contraction& c, const Aligned& a) {
  std::int64_t const bits = scalar_info(c.type).packet_bits;
  std::int64_t const lanes = 512 / bits, flit = 256 / bits;
  Mapping const stream = pair(c.stream[Level::time], c.stream[Level::packet]);
  Mapping const pair_map = pair(a.at[Level::time], a.at[Level::packet]);
  Mapping const& element = c.trf[Level::element];
  if (!stream.ok() || !pair_map.ok()) return ::testing::AssertionFailure() << "Time and Packet do not fit together";
  if (a.at[Level::packet].size != lanes) return ::testing::AssertionFailure() << "the packet has " << a.at[Level::packet].size << " lanes";
  std::int64_t const collected = a.adapter.collect_flits * flit;
  for (std::int64_t t = 0; t < a.at[Level::time].size; ++t) {
    for (std::int64_t p = 0; p < lanes; ++p) {
      std::int64_t e = t / a.adapter.tiles % a.adapter.shifts * a.adapter.shift_stride + p;
      bool const zero_fill = e < 0 || e >= collected;
      if (FlitTranspose const& f = a.adapter.transpose; f.rows > 1 && !zero_fill)
        e = e / flit * flit + e % flit % f.rows * f.columns + e % flit / f.rows;
      std::int64_t const from = t / a.adapter.tiles / a.adapter.shifts * collected + e;
      std::int64_t const weight_bits = a.trf.loops.at(t) * 8 + p * bits % (a.trf.read.value * 8);
      std::int64_t const weight = weight_bits / bits;
      if (weight_bits % bits != 0) return ::testing::AssertionFailure() << "a read begins inside a weight";
      Cell const lane = cell(pair_map, t * lanes + p);
      ::testing::AssertionResult const wrong = ::testing::AssertionFailure() << "step " << t << ", lane " << p << ": ";
      if (lane.kind == CellKind::several) return ::testing::AssertionResult(wrong) << "several elements in one lane";
      if (lane.live()) {
        if (zero_fill || !holds(stream, from, lane.index)) return ::testing::AssertionResult(wrong) << "not the stream's element";
        if (!holds(element, weight, lane.index)) return ::testing::AssertionResult(wrong) << "not its weight";
      } else if (lane.pad == Pad::zero) {
        if (!zero_fill && !is_zero(stream, from) && !is_zero(element, weight))
          return ::testing::AssertionResult(wrong) << "said to be zero, and neither side is";
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace book
}  // namespace tcp
