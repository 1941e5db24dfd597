// What the Tensor Unit can be told, by name: its contexts, the topologies of its switch, how it joins and compares
// numbers, and which slices write. Rules, records of the IR and programs share these words.
#pragma once

#include <cstdint>

#include "tcp/support/known.hpp"
#include "tcp/support/text.hpp"

namespace tcp {

/// The contexts: `ctx.main` computes, `ctx.sub` prefetches with narrower fetch and commit units.
enum class Tu : std::uint8_t { Main, Sub };

constexpr const char* name_of(Tu context) { return context == Tu::Main ? "main" : "sub"; }
constexpr Text& operator<<(Text& out, Tu context) { return out << name_of(context); }

/// How the Switch Engine moves packets between slices (rules/switch.hpp draws each).
enum class Topology : std::uint8_t {
  Forwarding,
  Broadcast01,
  Broadcast1,
  Transpose,
  InterTranspose,
  TransposedBroadcast1,
  CustomBroadcast,
};

constexpr const char* name_of(Topology t) {
  constexpr const char* names[] = {"Forwarding",     "Broadcast01",          "Broadcast1",     "Transpose",
                                   "InterTranspose", "TransposedBroadcast1", "CustomBroadcast"};
  return names[static_cast<int>(t)];
}

/// How products are put together: the book's reduce_op.
enum class ContractOp : std::uint8_t { Add, Max };

/// Where accumulate puts Row: into Packet, a value of each Row at a time, or into Time, Row by Row.
struct AccumulationKind {
  enum class Code : std::uint8_t { Interleaved, Sequential };
  Code code{};

  constexpr AccumulationKind(Code c = {}) : code(c) {}
  template <Code C>
  constexpr AccumulationKind(Known<C>) : code(C) {}
  constexpr operator Code() const { return code; }

  static constexpr Known<Code::Interleaved> Interleaved{};
  static constexpr Known<Code::Sequential> Sequential{};
};

constexpr const char* name_of(AccumulationKind kind) { return kind == AccumulationKind::Interleaved ? "Interleaved" : "Sequential"; }
constexpr Text& operator<<(Text& out, AccumulationKind kind) { return out << name_of(kind); }

/// One loop over Time, as accumulate sees it: rounds that are added up, or kept apart.
struct TimeLoop {
  std::int64_t rounds = 1;
  bool added = false;

  constexpr bool operator==(const TimeLoop&) const = default;
};

/// What a reduce does with two elements, within a slice or across slices. The element type comes with the stream.
enum class ReduceOp : std::uint8_t { Add, AddSat, Max, Min, Mul };

constexpr const char* name_of(ReduceOp op) {
  constexpr const char* names[] = {"Add", "AddSat", "Max", "Min", "Mul"};
  return names[static_cast<int>(op)];
}
constexpr Text& operator<<(Text& t, ReduceOp op) { return t << name_of(op); }

/// How a branch compares a number with a boundary.
enum class Compare : std::uint8_t { Equal, Less, Greater, LessUnsigned, GreaterUnsigned, True, False };

/// A set of slices, one bit each.
struct SliceMask {
  static constexpr int slices = 256;

  std::uint64_t word[slices / 64]{};

  static constexpr SliceMask none() { return {}; }
  static constexpr SliceMask all() { return none().flipped(); }
  static constexpr SliceMask only(int slice) { return none().with(slice); }
  static constexpr SliceMask below(int n) {
    SliceMask m;
    for (int s = 0; s < n && s < slices; ++s) m = m.with(s);
    return m;
  }

  constexpr bool contains(int slice) const { return (word[slice / 64] >> (slice % 64) & 1) != 0; }
  constexpr SliceMask with(int slice) const {
    SliceMask m = *this;
    m.word[slice / 64] |= std::uint64_t{1} << (slice % 64);
    return m;
  }
  constexpr SliceMask without(int slice) const { return flipped().with(slice).flipped(); }
  constexpr SliceMask flipped() const {
    SliceMask m;
    for (int i = 0; i < slices / 64; ++i) m.word[i] = ~word[i];
    return m;
  }
  constexpr SliceMask operator&(const SliceMask& o) const {
    SliceMask m;
    for (int i = 0; i < slices / 64; ++i) m.word[i] = word[i] & o.word[i];
    return m;
  }
  constexpr int count() const {
    int n = 0;
    for (int s = 0; s < slices; ++s) n += contains(s);
    return n;
  }
  constexpr bool empty() const { return (word[0] | word[1] | word[2] | word[3]) == 0; }
  constexpr bool operator==(const SliceMask&) const = default;
};

}  // namespace tcp
