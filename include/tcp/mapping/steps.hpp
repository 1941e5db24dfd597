// How one mapping lies inside another: the factorisation that the book calls "factorizable", and division with
// remainder.
//
// Two digits of one axis are compared by the steps they count. `A % 8` counts steps 1, 2, 4 of A = 32 (as a product, 1
// up to 8), `A / 4` counts 4, 8, 16: what they have in common is 4 up to 8. A digit y falls into three factors around
// what it shares with x:
//
//     y = outer · common · inner          A = A / 8  ·  A / 4 % 2  ·  A % 4
//
// If the borders do not divide each other (base 5 against base 3) there is no such factorisation, and no loop nest can
// walk one mapping in the order of the other.
#pragma once

#include "tcp/mapping/print.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// Some steps of an axis: `size` of them, `stride` apart.
struct Steps {
  std::int64_t stride = 1, size = 1;

  constexpr bool operator==(const Steps&) const = default;
  constexpr std::int64_t end() const { return stride * size; }
};

struct Factors {
  Steps outer{}, common{}, inner{};
  bool possible = false;
};

/// Law: if possible, outer.size · common.size · inner.size = y.size, the three follow on each other from y.stride on,
/// and common lies in x.
constexpr Factors factorise(Steps x, Steps y) {
  Factors f;
  std::int64_t const low = x.stride > y.stride ? x.stride : y.stride;
  std::int64_t const high = x.end() < y.end() ? x.end() : y.end();
  if (low >= high) {  // nothing in common
    f = {{y.end(), 1}, {y.end(), 1}, y, true};
    return f;
  }
  bool const borders_divide = low % y.stride == 0 && low % x.stride == 0 && high % low == 0 && y.end() % low == 0 && y.end() % high == 0 &&
                              x.end() % low == 0 && x.end() % high == 0;
  if (!borders_divide) return f;
  f.inner = {y.stride, low / y.stride};
  f.common = {low, high / low};
  f.outer = {high, y.end() / high};
  f.possible = true;
  return f;
}

/// One loop of a sequencer: `size` rounds, `stride` positions apart. An indirect one moves by table[round] strides
/// instead.
struct Entry {
  std::int64_t size = 1, stride = 0;
  bool indirect = false;
  std::int64_t rows = 0;  // of an indirect loop: how many the table may name

  constexpr bool operator==(const Entry&) const = default;
};

/// The digit of m that counts steps of `stride` along an axis, and how many of them.
struct Found {
  int digit = -1;
  std::int64_t skip = 1;  // steps of the digit that one asked step is
  std::int64_t have = 1;  // asked steps that fit
  bool divides = false;   // and they fit exactly, or the axis ends there
  bool overlap = false;   // m counts some of the asked steps, in this way or another
};

constexpr Found find_steps(const Mapping& m, Name axis, Steps asked) {
  Found f;
  for (int k = 0; k < m.digits; ++k) {
    Digit const& y = m.digit[k];
    if (y.axis == no_axis || !(m.axis[y.axis].name == axis)) continue;
    if (asked.stride < y.stride * y.size && y.stride < asked.end()) f.overlap = true;
    if (asked.stride < y.stride || asked.stride % y.stride != 0 || asked.stride / y.stride >= y.size) continue;
    f.digit = k;
    f.skip = asked.stride / y.stride;
    f.have = ceil_div(y.size, f.skip);
    f.divides = y.size % f.skip == 0 || reaches_end(m, y);
  }
  return f;
}

/// Where the steps of a term lie in a buffer, and the buffer without them.
struct Division {
  static constexpr int max_entries = 16;

  Entry entry[max_entries]{};  // outermost first
  int entries = 0;
  Mapping rest{};  // what was taken is padding now, so that all strides stay
  enum class Outcome : std::uint8_t { whole, absent, insufficient, incompatible } outcome = Outcome::whole;
};

/// Divides a buffer without tails by one run of steps: the book's derivation, one term at a time.
///
/// Law: for every step j, cell(buffer, Σ entries at j) is the element that the term holds at j. `rest` has the size of
/// the buffer, holds the same at every position where the term's digit is 0, and no longer counts the term's steps.
constexpr Division divide(const Mapping& buffer, Name axis, Steps term) {
  using Outcome = Division::Outcome;
  Division d;
  d.rest = buffer;
  int const a = find_axis(buffer, axis);
  if (a < 0 || coarsest_digit(buffer, a) < 0) {
    d.outcome = Outcome::absent;
    return d;
  }
  if (buffer.tails > 0) {
    d.outcome = Outcome::incompatible;
    return d;
  }
  Mapping rest = buffer;
  Entry inside_out[Division::max_entries]{};
  int n = 0;
  while (term.size > 1) {
    Found const f = find_steps(rest, axis, term);
    if (f.digit < 0) {
      d.outcome = f.overlap ? Outcome::incompatible : Outcome::insufficient;
      return d;
    }
    Digit const y = rest.digit[f.digit];
    std::int64_t const take = term.size < f.have ? term.size : f.have;
    bool const clean = term.size <= f.have || (f.divides && term.size % f.have == 0);
    if (!clean || take < 2 || y.in_window() || y.skewed_by != no_axis || n == Division::max_entries ||
        rest.digits + 2 > Mapping::max_digits) {
      d.outcome = Outcome::incompatible;
      return d;
    }
    inside_out[n++] = {take, footprints(rest).inside[f.digit] * f.skip};
    term = {term.stride * take, term.size / take};

    // Outer part with the digit's own padding, the taken steps as padding, inner part. Steps that do not divide are
    // taken whole.
    std::int64_t const outer_steps = f.divides && f.have % take == 0 ? f.have / take : 1;
    std::int64_t const taken_slots = outer_steps > 1 ? take : y.slot / f.skip;
    if (y.slot % (f.skip * taken_slots) != 0) {
      d.outcome = Outcome::incompatible;
      return d;
    }
    Digit outer = y, inner = y;
    outer.stride = term.stride;
    outer.size = outer_steps;
    outer.slot = y.slot / (f.skip * taken_slots);
    inner.size = inner.slot = f.skip;
    inner.pad = Pad::none;
    Mapping next = detail::part(rest, 0, f.digit);
    next.size = rest.size;
    if (outer_steps > 1) next.digit[next.digits++] = outer;
    next.digit[next.digits++] = Digit{.pad = Pad::top, .size = 1, .slot = taken_slots};
    if (f.skip > 1) next.digit[next.digits++] = inner;
    for (int k = f.digit + 1; k < rest.digits; ++k) next.digit[next.digits++] = rest.digit[k];
    rest = detail::normalise(next);
  }
  for (int i = 0; i < n; ++i) d.entry[i] = inside_out[n - 1 - i];
  d.entries = n;
  d.rest = rest;
  return d;
}

}  // namespace tcp
