// What the Switch Engine accepts: packets travel between the slices of a cluster, on rings of neighbouring slices.
//
// The switch changes Slice and Time and nothing else. A factor that leaves Slice for Time makes every slice of a ring
// see, one after the other, what the ring's slices held; where it stood in Slice, all slices now hold the same, and the
// author writes a new axis, parts of one, or a bare number for these copies, or `1 # n`, which names the first of them
// and leaves the others undefined. Six regular topologies do this for factors that stand
// in a fixed order; a custom one has a bitmap for every slice that says whose packets it takes, and so permutes slices
// at will, but its routers have room for one packet and can reorder nothing: what goes to Time keeps its order and
// comes innermost.
//
//   Forwarding                               Slice, Time                                           stay
//   Broadcast01{slice1, slice0, time0}       [s2, s1, s0], [t1, t0]      [s2, copies, copies], [t1, s1, t0, s0]
//   Broadcast1{slice1, slice0}               [s2, s1, s0], [t0]          [s2, copies, s0], [t0, s1]
//   Transpose{slice1, slice0}                [s2, s1, s0], [t0]          [s2, s0, s1], [t0]
//   InterTranspose{slice1, slice0, time0}    [s2, s1, s0], [t2, t1, t0]  [s2, t1, s0], [t2, t0, s1]
//   TransposedBroadcast1{slice1, slice0}     [s2, s1, s0], [t0]          [s2, copies, s1], [t0, s0]
//   CustomBroadcast{ring_size}               Slice, Time                 Slice permuted, copies anywhere, [Time, what left Slice]
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/rules/pairing.hpp"
#include "tcp/rules/switch_config.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp {

/// Where packets come from, as loops over the output: `size` steps, each `slice` input slices and `time` input steps
/// further on.
struct SwitchRoute {
  struct Step {
    std::int64_t size = 1, slice = 0, time = 0;
    std::int64_t held = 1;  // steps from here to size are output padding that no slice sends

    constexpr bool operator==(const Step&) const = default;
  };
  static constexpr int max_steps = 32;

  Step step[max_steps]{};  // outermost first
  int steps = 0;

  constexpr void add(const Step& s) {
    TCP_BUG_UNLESS(steps < max_steps, "a mapping has fewer factors");
    if (s.size > 1) step[steps++] = s;
  }
};

/// One input packet. Nothing sends it if `slice` is below 0.
struct SwitchSource {
  std::int64_t slice = -1, time = -1;

  constexpr bool operator==(const SwitchSource&) const = default;
};

/// What a switch makes of a stream, and how.
struct Switched {
  Mapping slice{}, time{};
  Topology topology = Topology::Forwarding;
  std::int64_t ring_size = 1;         // slices that exchange packets; all rings at once
  bool occupies_dma_and_sub = false;  // writing a custom bitmap takes their place
  bool drops_live = false;            // a partial extraction
  SwitchRoute of_slice{}, of_time{};  // source of output slice s at output step t = of_slice at s + of_time at t

  /// Law: the packet that output slice s emits at output step t is input packet `source(s, t)`.
  constexpr SwitchSource source(std::int64_t s, std::int64_t t) const {
    SwitchSource from{0, 0};
    if (!add(from, of_slice, s) || !add(from, of_time, t)) return {};
    return from;
  }
  /// The bitmap: whether output slice s takes packets of input slice `from`.
  constexpr bool snoops(std::int64_t s, std::int64_t from) const {
    SwitchSource base{0, 0};
    if (!add(base, of_slice, s)) return false;
    // What is left is the moved factors' business; they keep the order of the input, so the largest strides come first.
    std::int64_t rest = from - base.slice;
    for (int i = 0; i < of_time.steps && rest >= 0; ++i) {
      SwitchRoute::Step const& e = of_time.step[i];
      if (e.slice == 0) continue;
      std::int64_t const steps = rest / e.slice < e.held ? rest / e.slice : e.held - 1;
      rest -= steps * e.slice;
    }
    return rest == 0;
  }

 private:
  static constexpr bool add(SwitchSource& to, const SwitchRoute& route, std::int64_t position) {
    for (int i = route.steps - 1; i >= 0; --i) {
      SwitchRoute::Step const& e = route.step[i];
      std::int64_t const n = position % e.size;
      position /= e.size;
      if (n >= e.held) return false;
      to.slice += n * e.slice;
      to.time += n * e.time;
    }
    return true;
  }
};

namespace detail {

constexpr bool power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

class SwitchRule {
 public:
  constexpr SwitchRule(const Device& device, const Levels& in, const SwitchConfig& config, const Mapping& slice2, const Mapping& time2,
                       Where at)
      : device_(device),
        in_(in),
        slice_(in[Level::slice]),
        time_(in[Level::time]),
        config_(config),
        slice2_(slice2),
        time2_(time2),
        at_(at) {}

  constexpr Expected<Switched> check() {
    for (const Mapping& m : in_.at)
      if (!m.ok()) return refusal_of(m, at_);
    if (!slice2_.ok()) return refusal_of(slice2_, at_);
    if (!time2_.ok()) return refusal_of(time2_, at_);
    out_.topology = config_.topology;
    check_cluster();
    if (!refused_) {
      if (config_.topology == Topology::CustomBroadcast) custom();
      else regular();
    }
    if (refused_) return refusal_;
    return out_;
  }

 private:
  constexpr void say(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }
  constexpr const char* name() const { return name_of(config_.topology); }

  constexpr void check_cluster() {
    std::int64_t const all = device_.levels.slices_per_cluster;
    if (device_.checks.geometry && (slice_.size != all || slice2_.size != all)) {
      bool const input = slice_.size != all;
      return say(refuse("switch-not-full-cluster", at_)
                     .what("the switch works on all ", all, " slices of a cluster; ", input ? "the input" : "the declared", " Slice ",
                           input ? slice_ : slice2_, " has ", (input ? slice_ : slice2_).size)
                     .why("the ring joins all slices, and each has a router that must be told what to do")
                     .help("pad Slice to ", all, ", or fill it with copies"));
    }
    if (slice_.size != slice2_.size)
      say(refuse("switch-slice-resized", at_)
              .what("Slice has ", slice_.size, " positions before the switch and ", slice2_.size, " after it: ", slice2_)
              .why("a slice that sends is a slice that receives; where a factor leaves Slice, copies take its place")
              .help("write a new axis or a bare number where a factor left Slice"));
  }

  constexpr void say_not_power(const Text& ring) {
    say(refuse("switch-ring-not-power-of-two", at_)
            .what(ring, " slices would form a ring; rings have 1, 2, 4 and so on up to ", device_.levels.slices_per_cluster)
            .why("the ring of all slices is halved, and halved again")
            .help("use powers of two"));
  }

  constexpr void check_output_levels() {
    Levels out = in_;
    out[Level::slice] = slice2_;
    out[Level::time] = time2_;
    if (auto v = check_levels(out, at_); !v) say(v.refusal());
  }

  /// True if the input counts the axis, on any level.
  constexpr bool known(Name axis) const {
    for (const Mapping& m : in_.at)
      if (find_axis(m, axis) >= 0) return true;
    return false;
  }

  // ---- Regular topologies: cut Slice and Time where the numbers say, and put the pieces together in the topology's
  // order.

  constexpr Halves cut(const Mapping& m, std::int64_t inner, Level level) {
    Halves const h = split_at(m, inner);
    if (h.outer.ok() && h.inner.ok()) return h;
    say(refuse("switch-factor-not-cut", at_)
            .what(name(), " cuts ", name_of(level), " ", m, " after every ", inner, " positions, and no factor ends there")
            .why("the topology moves whole factors")
            .help("choose numbers at which factors of ", name_of(level), ", or blocks of them, end"));
    return h;
  }

  constexpr bool divides(Checked product, std::int64_t size, Level level, const Mapping& m) {
    if (product.fits && product.value <= size && size % product.value == 0) return true;
    bool const of_slice = level == Level::slice;
    Refusal r = of_slice ? refuse("switch-slice-not-divisible", at_) : refuse("switch-time-not-divisible", at_);
    r.what(name(), " takes ");
    if (of_slice) r.what("slice1 * slice0 = ", config_.slice1, " * ", config_.slice0);
    else if (config_.topology == Topology::InterTranspose) r.what("slice1 * time0 = ", config_.slice1, " * ", config_.time0);
    else r.what("time0 = ", config_.time0);
    say(r.what(" positions of ", name_of(level), " at a time, which do not divide the ", size, " of ", m)
            .why("the rest of ", name_of(level), " is a whole number of such blocks")
            .help("use numbers whose product divides ", size));
    return false;
  }

  /// Copies as the author wrote them: a bare number, new axes or parts of them, or `1 # n`, which names the first copy
  /// only.
  constexpr Mapping copies_in(const Mapping& declared, std::int64_t inner, std::int64_t n) {
    Mapping const piece = split_at(split_at(declared, inner).outer, n).inner;
    Mapping const plain = copies(n);
    if (!piece.ok()) return plain;
    for (int k = 0; k < piece.digits; ++k) {
      Digit const& d = piece.digit[k];
      if (d.axis == no_axis || !known(piece.axis[d.axis].name)) continue;
      if (find_axis(slice_, piece.axis[d.axis].name) < 0) say_not_new(piece.axis[d.axis].name, d.size);
      return plain;  // no copies at all: the comparison will say so
    }
    check_copies(piece);
    return refused_ ? plain : piece;
  }
  constexpr void say_not_new(Name axis, std::int64_t n) {
    Refusal r = refuse("switch-axis-known", at_);
    r.what("axis ", axis, " counts copies in Slice ", slice2_, ", but the input counts it on another level")
        .why("copies are all alike; an axis that the input counts names different elements");
    bool const in_time = find_axis(time_, axis) >= 0 && coarsest_digit(time_, find_axis(time_, axis)) >= 0;
    if (in_time) r.help("to bring ", axis, " from Time into Slice use InterTranspose; for copies ");
    say(r.help(in_time ? "" : "use ", "a new axis of ", n, ", or the bare number ", n));
  }
  /// Every slice of a ring gets a copy. `1 # n` names the first of n, and those in its padding are undefined; a new
  /// axis, or a part of one, names them all, so it has no padding.
  constexpr void check_copies(const Mapping& m) {
    for (int k = 0; k < m.digits && !refused_; ++k) {
      Digit const& d = m.digit[k];
      if (d.axis == no_axis) {
        if (d.slot > d.size && (d.size > 1 || config_.topology == Topology::TransposedBroadcast1))
          say(refuse("switch-copies-padded", at_)
                  .what("in Slice ", slice2_, " there is padding where the switch makes copies: ", d.size, " # ", d.slot)
                  .why("every slice of the ring receives the packets")
                  .help(
                      "write ", d.slot, ", a new axis of ", d.slot,
                      config_.topology == Topology::TransposedBroadcast1 ? text() : text(", or 1 # ", d.slot, " to name the first alone")));
        continue;
      }
      AxisUse const& a = m.axis[d.axis];
      if (d.slot != d.size || a.start != 0 || d.in_window() || d.skewed_by != no_axis || runs_out(a.name, d))
        say(refuse("switch-copies-not-whole", at_)
                .what("the new axis ", a.name, " of ", a.extent, " counts copies in Slice ", slice2_, ", but not all of them")
                .why("every slice of the ring receives the packets, so each has a name: no padding, no start, no window")
                .help("use an axis of exactly the number of copies, a part of one, or a bare number"));
    }
  }
  /// True if the axis ends inside the last step of this digit, and another digit of Slice counts what such a step has.
  constexpr bool runs_out(Name axis, const Digit& of) const {
    int const a = find_axis(slice2_, axis);
    if (a < 0 || (Checked(of.stride) * of.size).value <= slice2_.axis[a].extent) return false;
    for (int k = 0; k < slice2_.digits; ++k)
      if (slice2_.digit[k].axis == a && slice2_.digit[k].stride < of.stride) return true;
    return false;
  }

  constexpr void regular() {
    using T = Topology;
    T const t = config_.topology;
    if (t == T::Forwarding) {
      out_.of_slice.add({slice_.size, 1, 0, slice_.size});
      out_.of_time.add({time_.size, 0, 1, time_.size});
      return compare(slice_, time_);
    }
    if (config_.slice1 < 1 || config_.slice0 < 1 || config_.time0 < 1)
      return say(refuse("switch-number-below-one", at_)
                     .what(name(), " with slice1 = ", config_.slice1, ", slice0 = ", config_.slice0, ", time0 = ", config_.time0,
                           ": each is a number of positions")
                     .why("a factor has at least one position")
                     .help("write 1 where a factor is not needed"));
    Checked const ring = Checked(config_.slice1) * config_.slice0;
    if (!divides(ring, slice_.size, Level::slice, slice_)) return;
    if (!power_of_two(ring.value)) return say_not_power(text("slice1 * slice0 = ", ring.value));
    std::int64_t const s1 = config_.slice1, s0 = config_.slice0;
    Halves const outer = cut(slice_, ring.value, Level::slice);
    if (refused_) return;
    Halves const inner = cut(outer.inner, s0, Level::slice);
    if (refused_) return;
    Mapping const &slice2 = outer.outer, &slice1 = inner.outer, &slice0 = inner.inner;
    out_.ring_size = ring.value;
    std::int64_t const rings = slice_.size / ring.value, steps = time_.size;
    SwitchRoute &s = out_.of_slice, &u = out_.of_time;
    s.add({rings, ring.value, 0, rings});
    switch (t) {
      case T::Broadcast01: {
        if (!divides(config_.time0, steps, Level::time, time_)) return;
        Halves const time = cut(time_, config_.time0, Level::time);
        if (refused_) return;
        s.add({ring.value, 0, 0, ring.value});
        u.add({steps / config_.time0, 0, config_.time0, steps / config_.time0});
        u.add({s1, s0, 0, s1});
        u.add({config_.time0, 0, 1, config_.time0});
        u.add({s0, 1, 0, s0});
        Mapping const tile = copies_in(slice2_, 1, ring.value);
        return compare(pair(slice2, tile), pair(pair(time.outer, slice1), pair(time.inner, slice0)));
      }
      case T::Broadcast1: {
        s.add({s1, 0, 0, s1});
        s.add({s0, 1, 0, s0});
        u.add({steps, 0, 1, steps});
        u.add({s1, s0, 0, s1});
        Mapping const tile = copies_in(slice2_, s0, s1);
        return compare(pair(pair(slice2, tile), slice0), pair(time_, slice1));
      }
      case T::Transpose:
        s.add({s0, 1, 0, s0});
        s.add({s1, s0, 0, s1});
        u.add({steps, 0, 1, steps});
        return compare(pair(pair(slice2, slice0), slice1), time_);
      case T::TransposedBroadcast1: {
        s.add({s0, 0, 0, s0});
        s.add({s1, s0, 0, s1});
        u.add({steps, 0, 1, steps});
        u.add({s0, 1, 0, s0});
        Mapping const tile = copies_in(slice2_, s1, s0);
        return compare(pair(pair(slice2, tile), slice1), pair(time_, slice0));
      }
      case T::InterTranspose: {
        Checked const block = Checked(s1) * config_.time0;
        if (!divides(block, steps, Level::time, time_)) return;
        Halves const time = cut(time_, block.value, Level::time);
        if (refused_) return;
        Halves const swapped = cut(time.inner, config_.time0, Level::time);
        if (refused_) return;
        s.add({s1, 0, config_.time0, s1});
        s.add({s0, 1, 0, s0});
        u.add({steps / block.value, 0, block.value, steps / block.value});
        u.add({config_.time0, 0, 1, config_.time0});
        u.add({s1, s0, 0, s1});
        return compare(pair(pair(slice2, swapped.outer), slice0), pair(pair(time.outer, swapped.inner), slice1));
      }
      case T::Forwarding:
      case T::CustomBroadcast: return;
    }
  }

  /// Kinds of padding aside, which the computed mapping has right.
  constexpr void compare(const Mapping& slice, const Mapping& time) {
    if (refused_) return;
    if (!slice.ok()) return say(refusal_of(slice, at_));
    if (!time.ok()) return say(refusal_of(time, at_));
    if (!equivalent(slice, slice2_))
      return say(refuse("switch-wrong-slice", at_)
                     .what(name(), " makes Slice ", slice, " of ", slice_, "; declared is ", slice2_)
                     .why("a regular topology moves factors to fixed places; copies are written as a bare number or a new axis")
                     .help("write Slice = ", slice));
    if (!equivalent(time, time2_))
      return say(refuse("switch-wrong-time", at_)
                     .what(name(), " makes Time ", time, " of ", time_, " and Slice ", slice_, "; declared is ", time2_)
                     .why("a regular topology moves factors to fixed places")
                     .help("write Time = ", time));
    out_.slice = slice;
    out_.time = time;
    check_output_levels();
  }

  // ---- The custom topology: find out from the mappings who needs whose packets.

  constexpr void custom() {
    out_.occupies_dma_and_sub = true;
    if (config_.ring_size != 0 && !power_of_two(config_.ring_size)) return say_not_power(text("ring_size = ", config_.ring_size));
    if (equivalent(slice_, slice2_) && equivalent(time_, time2_)) return nothing_moves();
    check_plain(slice_);
    check_plain(slice2_);
    if (!refused_) check_new_axes(slice2_);
    if (!refused_) check_output_levels();
    if (refused_) return;

    // Time is the input's Time, and inside of it what left Slice.
    bool const whole = time2_.size % time_.size == 0;
    std::int64_t const moved_size = whole ? time2_.size / time_.size : 1;
    Halves const time = split_at(time2_, moved_size);
    if (!whole || !time.outer.ok() || !equivalent(time.outer, time_))
      return say(refuse("switch-moved-not-innermost", at_)
                     .what("Time ", time2_, " does not begin with the input's Time ", time_)
                     .why("packets of other slices arrive last, so what leaves Slice becomes the innermost factors of Time")
                     .help("write Time = ", time_, " and then the factors that leave Slice"));
    Mapping moved = without_kinds(time.inner);
    Mapping slice = without_kinds(slice2_);
    check_moved(moved);
    if (refused_) return;

    Levels from, to;
    from[Level::slice] = slice_;
    to[Level::slice] = slice;
    to[Level::time] = moved;
    Pairing const p = pair_levels(from, to);
    if (!p.ok()) return say_fault(p);
    check_order(p, moved);
    if (!refused_ && p.drops) check_dropped(p, moved);
    if (refused_) return;

    make_routes(p, slice, moved);
    check_ring(ring_crossed(), ring_of_factors(slice));
    if (refused_) return;
    give_kinds(p, slice, moved);
    out_.slice = normalise(slice);
    out_.time = pair(time_, normalise(moved));
    if (!out_.time.ok()) say(refusal_of(out_.time, at_));
  }

  constexpr void nothing_moves() {
    out_.of_slice.add({slice_.size, 1, 0, slice_.size});
    out_.of_time.add({time_.size, 0, 1, time_.size});
    out_.slice = slice_;
    out_.time = time_;
    check_ring(1, 1);
  }
  /// `most`: the ring of all slices that the factors in question count, those in padding as well.
  constexpr void check_ring(std::int64_t needed, std::int64_t most) {
    std::int64_t const asked = config_.ring_size == 0 ? needed : config_.ring_size;
    if (asked < needed || asked > (most > needed ? most : needed))
      return say(
          refuse("switch-ring-size", at_)
              .what("ring_size = ", config_.ring_size, "; from Slice ", slice_, " to ", slice2_, " packets travel in rings of ", needed)
              .why(config_.ring_size < needed ? "a slice would need packets from outside its ring"
                                              : "a larger ring takes longer and carries nothing more")
              .help("write ring_size = ", needed, ", or leave it out"));
    out_.ring_size = asked;
  }
  /// The smallest rings in which every slice that receives something has all of its senders.
  constexpr std::int64_t ring_crossed() const {
    std::int64_t furthest = 0;
    for (int i = 0; i < out_.of_time.steps; ++i) furthest += (out_.of_time.step[i].held - 1) * out_.of_time.step[i].slice;
    std::int64_t ring = 1;
    for (std::int64_t s = 0; s < slice_.size; ++s) {
      SwitchSource const from = out_.source(s, 0);
      if (from.slice < 0) continue;
      while (s / ring != from.slice / ring || s / ring != (from.slice + furthest) / ring) ring *= 2;
    }
    return ring;
  }

  constexpr void check_plain(const Mapping& m) {
    bool plain = m.tails == 0;
    for (int k = 0; k < m.digits; ++k) plain &= !m.digit[k].in_window() && m.digit[k].skewed_by == no_axis;
    for (int a = 0; a < m.axes; ++a) plain &= m.axis[a].start == 0;
    if (plain) return;
    say(refuse("switch-factor-not-plain", at_)
            .what("Slice ", m, " has a start, a window, a skew or a group padded as a whole; a custom switch moves plain factors")
            .why("the bitmaps are made from factors that step evenly over the slices")
            .help("fetch from a view instead of a start, and pad the outermost axis of a group"));
  }

  /// Only factors of the input's Slice can have moved to Time.
  constexpr void check_moved(const Mapping& moved) {
    bool plain = moved.tails == 0;
    for (int k = 0; k < moved.digits; ++k) {
      Digit const& d = moved.digit[k];
      if (d.axis == no_axis || d.in_window() || d.skewed_by != no_axis) {
        plain = false;
        continue;
      }
      Name const axis = moved.axis[d.axis].name;
      int const a = find_axis(slice_, axis);
      plain &= a >= 0 && coarsest_digit(slice_, a) >= 0;
    }
    if (!plain) say_not_from_slice(moved);
  }
  constexpr void say_not_from_slice(const Mapping& moved) {
    say(refuse("switch-time-not-from-slice", at_)
            .what("Time ", time2_, " ends in ", moved, ", which is not all from Slice ", slice_)
            .why("the switch adds to Time what left Slice, and nothing else")
            .help("drop copies and padding from Time, or let the fetch repeat them"));
  }

  constexpr void say_fault(const Pairing& p) {
    Text wanted = text(p.axis);
    if (p.asked.stride > 1) wanted << " / " << p.asked.stride;
    bool const elsewhere = p.fault == PairFault::insufficient;
    Refusal r = elsewhere ? refuse("switch-not-from-slice", at_) : refuse("switch-incompatible-blocks", at_);
    r.what(name_of(p.level), " is to hold ", wanted, " in ", p.asked.size, " steps; the input's Slice is ", slice_);
    if (elsewhere) {
      r.why("a custom switch moves factors of Slice; it brings nothing from Time into Slice")
          .help("use InterTranspose to exchange a factor of Slice with one of Time");
    } else {
      r.why("the two cut axis ", p.axis, " into blocks of which neither divides the other")
          .help("use the same blocks of ", p.axis, " before and after the switch");
    }
    say(r);
  }

  /// Axes that the input's Slice does not have are copies, and must be new to the whole tensor.
  constexpr void check_new_axes(const Mapping& slice) {
    for (int k = 0; k < slice.digits && !refused_; ++k) {
      Digit const& d = slice.digit[k];
      if (d.axis == no_axis) continue;
      Name const axis = slice.axis[d.axis].name;
      int const a = find_axis(slice_, axis);
      if (a >= 0 && coarsest_digit(slice_, a) >= 0) continue;
      if (known(axis)) {
        say_not_new(axis, d.size);
      } else {
        Mapping one_digit = part(slice, k, k + 1);
        one_digit.size = d.slot;
        check_copies(one_digit);
      }
    }
  }

  constexpr void check_order(const Pairing& p, const Mapping& moved) {
    std::int64_t before = 0;
    for (int i = 0; i < p.pairs && !refused_; ++i) {
      if (p.pair[i].to != Level::time) continue;
      if (before != 0 && p.pair[i].from_stride > before)
        say(refuse("switch-moved-out-of-order", at_)
                .what("Time ends in ", moved, "; in Slice ", slice_, " these factors are in another order")
                .why("routers have room for one packet: what leaves Slice arrives in the order of the slices, and cannot be reordered")
                .help("keep the factors that leave Slice in the order they have there"));
      before = p.pair[i].from_stride;
      Digit const& d = moved.digit[p.pair[i].to_digit];
      if (d.slot > d.size && p.pair[i].reach * p.pair[i].to_stride < d.slot * footprints(moved).inside[p.pair[i].to_digit] &&
          is_outermost(p, i))
        say_not_from_slice(moved);
    }
  }
  /// True if pair i has the outermost steps of its destination digit.
  constexpr bool is_outermost(const Pairing& p, int i) const {
    return i == 0 || p.pair[i - 1].to != p.pair[i].to || p.pair[i - 1].to_digit != p.pair[i].to_digit;
  }

  constexpr void check_dropped(const Pairing& p, const Mapping& moved) {
    bool const partial = p.cut_pair >= 0 && p.pair[p.cut_pair].to == Level::time;
    bool const shown = partial && p.pair[p.cut_pair].cut;
    bool const allowed = config_.extraction == Extraction::Partial || (config_.extraction == Extraction::AsWritten && shown);
    if (allowed) {
      out_.drops_live = true;
      return;
    }
    Text lost = text(p.dropped_axis);
    if (p.dropped.stride > 1) lost << " / " << p.dropped.stride;
    Refusal r = refuse("switch-drops-data", at_);
    r.what("of Slice ", slice_, " the steps of ", lost, " are neither in Slice ", slice2_, " nor all in Time, which ends in ", moved);
    r.why("live elements would be lost without a word");
    if (config_.extraction == Extraction::Whole) r.help("move whole factors, or say .extraction = Extraction::Partial");
    else r.help("move whole factors to Time, or say that only a part is wanted: .extraction = Extraction::Partial");
    say(r);
  }

  /// The slices that stay in one ring, padding included: all that is inside the outermost factors that do not move.
  constexpr std::int64_t ring_of_factors(const Mapping& slice) const {
    Mapping const in = without_kinds(slice_);
    Footprints const in_foot = footprints(in), out_foot = footprints(slice);
    std::int64_t block = slice_.size;  // both agree on whole blocks of this size
    int i = 0, o = 0;
    while (block > 1 && i < in.digits && o < slice.digits) {
      Digit const &x = in.digit[i], &y = slice.digit[o];
      bool const copies_alike = x.axis == no_axis && y.axis == no_axis && x.size == y.size && in_foot.inside[i] == out_foot.inside[o];
      // One step along the axis is as many slices in the one as in the other.
      Checked const there = Checked(x.stride) * out_foot.inside[o], here = Checked(y.stride) * in_foot.inside[i];
      bool const same_axis = x.axis != no_axis && y.axis != no_axis && in.axis[x.axis].name == slice.axis[y.axis].name && there.fits &&
                             here.fits && there.value == here.value;
      if (!copies_alike && !same_axis) break;
      std::int64_t const next = in_foot.inside[i] > out_foot.inside[o] ? in_foot.inside[i] : out_foot.inside[o];
      if (block % next != 0) break;
      block = next;
      bool const in_done = in_foot.inside[i] == block, out_done = out_foot.inside[o] == block;
      i += in_done;
      o += out_done;
    }
    if (power_of_two(block)) return block;
    std::int64_t ring = 1;
    while (ring < slice_.size && ring <= INT64_MAX / 2) ring *= 2;
    return ring;
  }

  constexpr void make_routes(const Pairing& p, const Mapping& slice, const Mapping& moved) {
    out_.of_time.add({time_.size, 0, 1, time_.size});
    add_steps(out_.of_slice, p, Level::slice, slice);
    add_steps(out_.of_time, p, Level::time, moved);
  }
  /// Every position of the level, whether a pair leads there or not.
  constexpr void add_steps(SwitchRoute& route, const Pairing& p, Level level, const Mapping& m) const {
    for (int k = 0; k < m.digits; ++k) {
      std::int64_t left = m.digit[k].slot;
      for (int i = 0; i < p.pairs; ++i) {
        if (p.pair[i].to != level || p.pair[i].to_digit != k) continue;
        bool last = true;
        std::int64_t inner = 1;
        for (int j = i + 1; j < p.pairs; ++j)
          if (p.pair[j].to == level && p.pair[j].to_digit == k) last = false, inner *= p.pair[j].size;
        std::int64_t const size = last ? left : left / inner;
        route.add({size, p.pair[i].broadcast ? 0 : p.pair[i].from_stride, 0, p.pair[i].reach < size ? p.pair[i].reach : size});
        left /= size;
      }
      if (left > 1) route.add({left, 0, 0, 1});  // padding
    }
  }

  /// What a slice receives from padding is padding of that kind; what no slice sends is undefined.
  constexpr void give_kinds(const Pairing& p, Mapping& slice, Mapping& moved) const {
    for (int i = 0; i < p.pairs; ++i) {
      PairedSteps const& s = p.pair[i];
      if (s.broadcast || !is_outermost(p, i)) continue;
      Digit& d = (s.to == Level::slice ? slice : moved).digit[s.to_digit];
      Digit const& from = slice_.digit[s.from_digit];
      std::int64_t const inside = (s.to == Level::slice ? footprints(slice) : footprints(moved)).inside[s.to_digit];
      bool const all_sent = s.reach * s.to_stride >= d.slot * inside;
      Pad const kind = from.pad == Pad::none ? Pad::top : from.pad;
      d.pad = all_sent ? kind : greater(kind, Pad::top);
    }
  }

  const Device& device_;
  const Levels& in_;
  const Mapping& slice_;
  const Mapping& time_;
  const SwitchConfig& config_;
  const Mapping& slice2_;
  const Mapping& time2_;
  Where at_;
  Switched out_{};
  bool refused_ = false;
  Refusal refusal_{};
};

}  // namespace detail

/// The switch as the author declares it: Slice and Time after it. `in` has all levels of the stream; Chip, Cluster and
/// Packet stay as they are.
constexpr Expected<Switched> check_switch(const Device& device, const Levels& in, const SwitchConfig& config, const Mapping& slice2,
                                          const Mapping& time2, Where at = {}) {
  return detail::SwitchRule(device, in, config, slice2, time2, at).check();
}

/// Refused: an InterTranspose in which a slice sends more flits in a row to one other than the switch holds.
///
/// The packets of a step of time1 go to the same slice, time0 of them. It takes one of each of slice1 slices in turn,
/// so that all but the first wait in the ring; a single one never does, however long it is. Law: a chip hangs with what
/// is refused.
constexpr Verdict check_consecutive_flits(const Device& device, ScalarType type, const Mapping& packet, const SwitchConfig& config,
                                          Where at = {}) {
  if (config.topology != Topology::InterTranspose || config.slice1 < 2 || config.time0 < 2) return accept();
  std::int64_t const most = device.switching.blocking_flits, flit_bits = device.flit.bytes.value * 8;
  Checked const bits = Checked(packet.size) * scalar_info(type).packet_bits;
  std::int64_t const flits = bits.fits ? (bits.value - 1) / flit_bits + 1 : INT64_MAX;
  Checked const in_a_row = Checked(config.time0) * flits;
  if (in_a_row.fits && in_a_row.value <= most) return accept();
  Refusal r = refuse("switch-too-many-flits", at);
  r.what("InterTranspose with time0 = ", config.time0, " sends ", config.time0, " packets of ", flits, flits == 1 ? " flit" : " flits",
         " in a row to one slice, ", in_a_row.fits ? in_a_row.value : INT64_MAX, "; the switch holds ", most);
  r.why("the slice takes one packet of each of ", config.slice1, " slices in turn: what waits and finds no room stops the ring for ever");
  return r.help("fetch the factor that goes to Slice innermost in Time, and write time0 = 1: the same comes out");
}

}  // namespace tcp
