// The Valid Count Generator: it tags every flit that enters the Vector Engine with the number of its lanes that hold
// data, so that a reduce leaves padding out.
//
// What it computes is small (`ValidCountConfig`): counters turn a flit's number into an index along each of a few
// dimensions; the packet dimension makes a count of its index, the gates open or close the flit by their index and by
// some bits of the slice's number; the count is what the open gates let through.
//
//     count(slice, t) = packet count(t) * gate 0(slice, t) * gate 1(slice, t) * gate 2(slice, t)
//
// Each counter serves one dimension. That is the whole difficulty: an axis that is spread over Slice, Time and Packet
// must be counted by one such product. `plan_valid_count` finds it from the factors of the axis, or says why there is
// none. It never looks at positions one by one: as the factors of an axis count different steps of it, the number of
// elements before a given one is read off digit by digit (`before` below), and all questions come down to that number.
#pragma once

#include "tcp/mapping/steps.hpp"
#include "tcp/rules/pairing.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// Which dimension a counter serves: none, the packet, or gate 0, 1, ...
inline constexpr std::int8_t counts_nothing = -1, counts_packet = 0;
constexpr std::int8_t counts_gate(int g) { return static_cast<std::int8_t>(1 + g); }

struct ValidCounter {
  std::int64_t limit = 1;  // counts 0 ... limit - 1
  std::int64_t stride = 0;
  std::int8_t serves = counts_nothing;

  constexpr bool operator==(const ValidCounter&) const = default;
};

/// Opens and closes flits by the slice and an index. Below `match` always open; at it, while the index is below
/// `valid`; above it closed, or, transposed, as at it.
struct ValidGate {
  std::uint64_t mask = 0;   // the bits of the slice's number that it sees, in place
  std::uint64_t match = 1;  // 0 < 1: a gate that sees nothing is open
  std::int64_t valid = 0;
  bool transposed = false;

  constexpr bool operator==(const ValidGate&) const = default;
};

struct ValidCountConfig {
  static constexpr int max_counters = 16;
  static constexpr int max_gates = 8;

  ValidCounter counter[max_counters]{};  // the fastest first
  int counters = 0;
  ValidGate gate[max_gates]{};
  std::int64_t packet_valid = 8;  // elements along the packet dimension
  std::int64_t lanes = 8;

  constexpr bool operator==(const ValidCountConfig&) const = default;

  /// The lanes that belong to the packet dimension: the stride of its fastest counter.
  constexpr std::int64_t packet_lanes() const {
    for (int i = 0; i < counters; ++i)
      if (counter[i].serves == counts_packet) return counter[i].stride;
    return lanes;
  }
  /// The most that a flit can count.
  constexpr std::int64_t most() const { return packet_valid < packet_lanes() ? packet_valid : packet_lanes(); }
};

/// Trimming keeps the count, so no flit may have more valid lanes than stay.
constexpr Verdict check_trimmed_count(const Device& device, const ValidCountConfig& config, Where at = {}) {
  std::int64_t const most = config.most();
  if (most <= device.vector.narrow_lanes) return accept();
  return refuse("valid-count-trimmed", at)
      .what("flits have up to ", most, " valid lanes; trimming keeps ", device.vector.narrow_lanes)
      .why("lanes above the fourth would be cut off with data in them")
      .help("use vector_split, which gives the upper lanes a time step of their own");
}

enum class ValidCountMode : std::uint8_t {
  none,           // nothing to leave out
  time_reduce,    // the axis is not in Packet: a flit is valid or not
  packet_reduce,  // it is: a number of lanes
};

struct ValidCountPlan {
  ValidCountMode mode = ValidCountMode::none;
  ValidCountConfig config{};
};

/// The axes whose padding is to be counted out, and whether mere padding (factors like 1 # 2, in Time or outside in
/// Packet) is.
struct ValidCountAsk {
  static constexpr int max_axes = 8;

  Name axis[max_axes]{};
  int axes = 0;
  bool padding = false;

  constexpr ValidCountAsk() = default;
  constexpr explicit ValidCountAsk(Name only, bool padding_too = false) : axis{only}, axes(1), padding(padding_too) {}
};

namespace detail::counting {

/// Steps of an axis. Those of one list never count the same steps twice.
class StepList {
 public:
  static constexpr int room = 160;

  Steps item[room]{};  // coarsest first
  int n = 0;

  constexpr void add(Steps s) {
    if (s.size < 2 || n == room) return;
    int i = n++;
    for (; i > 0 && item[i - 1].stride < s.stride; --i) item[i] = item[i - 1];
    item[i] = s;
  }
  constexpr std::int64_t combinations() const {
    Checked all = 1;
    for (int i = 0; i < n; ++i) all = all * item[i].size;
    return bounded(all);
  }
  /// How many combinations of steps add up to less than `limit`. `left_out` (an index) stands still.
  constexpr std::int64_t before(std::int64_t limit, int left_out = -1) const {
    if (limit <= 0) return 0;
    Checked count = 0;
    std::int64_t left = limit - 1;
    for (int i = 0; i < n; ++i) {
      if (i == left_out) continue;
      Checked finer = 1;
      for (int j = i + 1; j < n; ++j)
        if (j != left_out) finer = finer * item[j].size;
      std::int64_t const steps = left / item[i].stride;
      if (steps >= item[i].size) return bounded(count + finer * item[i].size);
      if (steps > 0) count = count + finer * steps;
      left -= steps * item[i].stride;
    }
    return bounded(count + 1);
  }

 private:
  /// More than 64 bits can count is more than any axis has elements.
  static constexpr std::int64_t bounded(Checked c) { return c.fits ? c.value : INT64_MAX; }
};

constexpr bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }
/// The bits that count n positions.
constexpr int width_of(std::int64_t n) {
  int bits = 0;
  while (bits < 63 && (std::int64_t{1} << bits) < n) ++bits;
  return bits;
}

/// What must be counted by one dimension.
struct Need {
  ValidGate gate{};
  std::int8_t dimension = counts_nothing;
};

/// What a factor of Time is for: the need that it serves, and, if it was cut in two, the need of its outer part.
struct Use {
  int need = -1, outer_need = -1;
  std::int64_t stride = 0;
  std::int64_t inner = 0;  // positions of the inner part; 0: not cut
};

class Planner {
 public:
  constexpr Planner(const Device& device, const Levels& flit, Where at)
      : device_(device), flit_(flit), time_(flit[Level::time]), packet_(flit[Level::packet]), at_(at) {}

  constexpr Expected<ValidCountPlan> plan(const ValidCountAsk& ask) {
    for (Level l : {Level::chip, Level::cluster, Level::slice, Level::time, Level::packet})
      if (!flit_[l].ok()) return refusal_of(flit_[l], at_);
    if (packet_.size != device_.vector.lanes)
      return refuse("valid-count-packet-not-flit", at_)
          .what("Packet ", packet_, " has ", packet_.size, " lanes; valid counts are those of flits of ", device_.vector.lanes)
          .why("the generator counts the lanes of one flit")
          .help("ask for the stream that enters the Vector Engine, before it is narrowed");
    cap_ = device_.vector.lanes;
    if (ask.padding && packet_.digits > 0 && fold::mere_padding(packet_.digit[0])) cap_ = footprints(packet_).inside[0];
    for (int i = 0; i < ask.axes && !refused_; ++i) add_axis(ask.axis[i]);
    for (int k = 0; k < time_.digits && ask.padding && !refused_; ++k)
      if (fold::mere_padding(time_.digit[k]) && !fold::in_group(time_, k)) use_[k] = {.need = gate_of_padding(), .stride = 1};
    if (!refused_) give_dimensions();
    if (!refused_) make_counters();
    if (refused_) return refusal_;
    return plan_;
  }

 private:
  /// One factor of the axis.
  struct Part {
    Level level = Level::time;
    int digit = 0;
    Steps live{};
    std::int64_t slot = 1, inside = 1;

    constexpr bool padded() const { return slot > live.size; }
    constexpr Checked span() const { return Checked(live.size - 1) * live.stride; }
  };
  /// A bit of the slice's number that moves along the axis.
  struct Bit {
    std::uint64_t weight = 0;
    std::int64_t stride = 0;
  };
  struct Bits {
    Bit item[64]{};  // highest weight first
    int n = 0;

    constexpr void add(Bit b) {
      int i = n++;
      for (; i > 0 && item[i - 1].weight < b.weight; --i) item[i] = item[i - 1];
      item[i] = b;
    }
    constexpr Checked span(int from) const {
      Checked sum = 0;
      for (int i = from; i < n; ++i) sum = sum + item[i].stride;
      return sum;
    }
  };

  constexpr void say(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }

  constexpr void add_axis(Name axis) {
    // A chip or cluster beside the one place of a tensor is idle as a whole, and there is nothing to count.
    for (Level l : {Level::chip, Level::cluster})
      if (int const a = find_axis(flit_[l], axis); a >= 0)
        if (int const k = coarsest_digit(flit_[l], a); k >= 0 && is_one_place(flit_, static_cast<int>(l), k)) return;
    axis_ = axis;
    parts_ = 0;
    limit_ = 0;
    std::int64_t start = 0;
    for (Level l : {Level::chip, Level::cluster, Level::slice, Level::time, Level::packet}) {
      Mapping const& m = flit_[l];
      int const a = find_axis(m, axis);
      if (a < 0) continue;
      limit_ = m.axis[a].extent;
      start += m.axis[a].start;
      Footprints const foot = footprints(m);
      for (int k = 0; k < m.digits; ++k) {
        Digit const& d = m.digit[k];
        if (d.axis != a) continue;
        if (fold::is_entangled(m, axis) || fold::in_group(m, k))
          return say(refuse("valid-count-axis-in-group", at_)
                         .what(name_of(l), " ", m, " holds ", axis, " inside a padded group or a window, where its steps cannot be counted")
                         .why("the generator counts the steps of single axes")
                         .help("pad ", axis, " itself instead of the group"));
        part_[parts_++] = {l, k, {d.stride, d.size}, d.slot, foot.inside[k]};
      }
    }
    if (parts_ == 0) return;
    limit_ -= start;
    if (start < 0)
      return say(refuse("valid-count-front-padding", at_)
                     .what("axis ", axis, " has ", -start, " positions of padding in front; valid counts are prefixes")
                     .why("every gate and count is open from its first step on")
                     .help("put the padding after the data"));

    // A slice that holds nothing of the axis is counted as such, so the padding of Slice at the end of the axis is told
    // like live steps.
    for (int i = 0; i < parts_; ++i)
      if (part_[i].level == Level::slice && ends_axis(part_[i])) part_[i].live.size = part_[i].slot;
    StepList outside;  // of the packet
    for (int i = 0; i < parts_; ++i)
      if (part_[i].level != Level::packet) outside.add(part_[i].live);
    if (!add_packet(outside)) add_gate(outside);
  }

  /// Judges the axis in Packet. True if the packet dimension counts it; else a flit's lanes are all there or none, and
  /// gates can do the rest.
  constexpr bool add_packet(const StepList& outside) {
    int own = 0, last = -1;
    Checked span = 0;
    for (int i = 0; i < parts_; ++i)
      if (part_[i].level == Level::packet) ++own, last = i, span = span + part_[i].span();
    if (own == 0) return false;
    plan_.mode = ValidCountMode::packet_reduce;
    bool const partial = outside.before(limit_) > outside.before(left_after(span));

    // The lanes up to which there can be data: they must be a prefix, without a gap.
    int const a = find_axis(packet_, axis_);
    Footprints const foot = footprints(packet_);
    std::int64_t cap = 0;
    bool gap = false, shared = false, seen = false;
    for (int k = 0; k < packet_.digits; ++k) {
      Digit const& d = packet_.digit[k];
      bool const ours = d.axis == a;
      gap |= seen && (fold::mere_padding(d) || (ours && d.slot > d.size));
      if (fold::mere_padding(d)) continue;
      shared |= !ours;
      if (cap == 0 && !d.joined) cap = foot.inside[k] * (ours ? d.size : d.slot);
      seen = true;
    }
    if (gap) {
      say(refuse("valid-count-not-a-prefix", at_)
              .what("in Packet ", packet_, " lanes without data are between lanes of ", axis_)
              .why("a valid count is a prefix of the lanes")
              .help("keep the lanes of ", axis_, " together, padding after them"));
      return true;
    }
    if (!partial) {
      if (cap < cap_) cap_ = cap;
      return false;
    }
    if (shared) {
      say(refuse("valid-count-packet-shared", at_)
              .what("Packet ", packet_, " holds ", axis_, " together with other factors, and ", axis_, " ends inside a packet")
              .why("the count is a prefix of the lanes: it would leave out data of the others")
              .help("let ", axis_, " have the packet alone, or move it to Time"));
      return true;
    }
    std::int64_t unit = 0;
    bool finest = own == 1;
    for (int i = 0; i < parts_; ++i) {
      if (i != last) finest &= part_[i].live.stride >= part_[last].live.end();
      unit = greatest_common_divisor(unit, part_[i].live.stride);
    }
    if (!finest || unit != part_[last].live.stride) {
      say(refuse("valid-count-packet-not-innermost", at_)
              .what("Packet ", packet_, " holds an outer part of ", axis_, ", which ends inside a packet")
              .why("lanes are counted from the finest step of the axis")
              .help("put the innermost part, ", axis_, " % n, into Packet and the outer part into Time"));
      return true;
    }
    for (int i = 0; i < parts_; ++i) {
      Part const& p = part_[i];
      if (p.level == Level::slice) {
        say(refuse("valid-count-varies-by-slice", at_)
                .what("Slice ", flit_[Level::slice], " and Packet ", packet_, " both hold ", axis_,
                      ", which ends inside a packet: its last slice needs a count of ", limit_ / unit % p_live(last), ", others of ",
                      p_live(last))
                .why("the count of a flit depends on its time step alone; a slice can only be switched off")
                .help("move the innermost part of ", axis_, " from Packet to Time, or pad with the identity of the reduce"));
        return true;
      }
      if (p.level == Level::chip || p.level == Level::cluster) {
        say_clusters(p.level);
        return true;
      }
    }
    if (packet_counts_) return say_too_many(), true;
    packet_counts_ = true;
    cap_ = part_[last].live.size;
    packet_valid_ = ceil_div(limit_, unit);
    int const need = add_need({});
    needs_[need].dimension = counts_packet;
    for (int i = 0; i < parts_; ++i) {
      Part const& p = part_[i];
      if (p.level != Level::time) continue;
      Use& use = use_[p.digit];
      use = {.need = need, .stride = p.live.stride / unit};
      if (!p.padded() || ends_axis(p)) continue;
      if (p.slot % p.live.size != 0) return say_padding_inside(p), true;
      cut(p, use);
    }
    return true;
  }

  /// Judges the axis in Slice and Time, by one gate; and padding that is no end of the axis by a gate of its own.
  constexpr void add_gate(const StepList& outside) {
    for (int i = 0; i < parts_; ++i) {
      Part const& p = part_[i];
      if ((p.level == Level::chip || p.level == Level::cluster) && matters(outside, p)) return say_clusters(p.level);
    }
    Bits bits;
    if (!find_bits(outside, bits)) return;

    // Padding of Time inside the axis, as in [R / 4, R % 4 # 8], has gates of its own: it must be cut off, or not
    // matter to the end of the axis.
    bool over_padded = false;
    for (int i = 0; i < parts_; ++i) {
      Part const& p = part_[i];
      if (p.level != Level::time || !p.padded()) continue;
      if (ends_axis(p)) {
        over_padded = true;
      } else if (p.slot % p.live.size == 0) {
        cut(p, use_[p.digit]);
      } else if (!matters(outside, p)) {
        Need own;
        own.gate = {.mask = 0, .match = 0, .valid = p.live.size};
        use_[p.digit] = {.need = add_need(own), .stride = 1};
      } else {
        return say_padding_inside(p);
      }
    }

    // Padding at the end of the axis is left to the threshold first, then cut off like the rest.
    Threshold found = find_threshold(bits, over_padded);
    if (!found.possible && over_padded) {
      found = find_threshold(bits, false);
      for (int i = 0; i < parts_; ++i) {
        Part const& p = part_[i];
        if (p.level != Level::time || !p.padded() || !ends_axis(p)) continue;
        if (found.possible && p.slot % p.live.size != 0)
          return say(refuse("valid-count-over-padded", at_)
                         .what("Time ", time_, " has ", p.slot, " steps of ", axis_, ", of which at most ", p.live.size,
                               " hold data; slices in which all of those do would count ", p.slot)
                         .why("a gate opens a slice for all its steps, or up to one threshold")
                         .help("pad ", axis_, " to ", (Checked(p.live.stride) * p.live.size).value));
        cut(p, use_[p.digit]);
      }
    }
    if (!found.possible) return say_slices(bits, found);
    if (!found.needed) return;

    Need main;
    main.gate = found.gate;
    int const need = add_need(main);
    for (int i = 0; i < parts_; ++i) {
      Part const& p = part_[i];
      if (p.level != Level::time || !counts_for_end(p)) continue;
      use_[p.digit].need = need;
      use_[p.digit].stride = p.live.stride / found.unit;
    }
  }

  /// Padding after the last step is the end of the axis.
  constexpr bool ends_axis(const Part& p) const { return left_after(Checked(p.live.stride) * p.live.size) == 0; }
  /// Elements of the axis after some steps of it.
  constexpr std::int64_t left_after(Checked steps) const { return steps.fits && steps.value < limit_ ? limit_ - steps.value : 0; }
  constexpr std::int64_t p_live(int i) const { return part_[i].live.size; }
  /// False for a padded factor that has a gate for itself.
  constexpr bool counts_for_end(const Part& p) const { return use_[p.digit].need < 0; }

  /// Whether the end of the axis falls between two steps of this factor, for some steps of the others.
  constexpr bool matters(const StepList& all, const Part& p) const {
    int at = -1;
    for (int i = 0; i < all.n; ++i)
      if (all.item[i] == p.live) at = i;
    return all.before(limit_, at) > all.before(left_after(p.span()), at);
  }

  /// How far a bit of a slice's factor moves along the axis. A step beyond its end is as good as one to it.
  constexpr std::int64_t stride_of_bit(const Part& p, int b) const {
    return limit_ - left_after(Checked(p.live.stride) * (std::int64_t{1} << b));
  }
  /// The bits of the slice's number that tell where the axis ends.
  constexpr bool find_bits(const StepList& outside, Bits& bits) {
    StepList fine;  // the same steps, those of Slice bit by bit
    for (int i = 0; i < parts_; ++i) {
      Part const& p = part_[i];
      if (p.level == Level::packet) continue;
      if (p.level != Level::slice) fine.add(p.live);
      else
        for (int b = 0; b < width_of(p.live.size); ++b) fine.add({stride_of_bit(p, b), 2});
    }
    for (int i = 0; i < parts_; ++i) {
      Part const& p = part_[i];
      if (p.level != Level::slice || !matters(outside, p)) continue;
      if (!is_power_of_two(p.live.size) || !is_power_of_two(p.inside)) {
        say(refuse("valid-count-slice-not-bits", at_)
                .what("in Slice ", flit_[Level::slice], " a factor of ", axis_, " takes ", p.live.size, " positions, ", p.inside,
                      " slices apart; both must be powers of two")
                .why("a gate sees whole bits of the slice's number")
                .help("pad the factors of Slice to powers of two"));
        return false;
      }
      for (int b = 0; b < width_of(p.live.size); ++b) {
        std::int64_t const stride = stride_of_bit(p, b);
        int at = -1;
        for (int j = 0; j < fine.n; ++j)
          if (fine.item[j] == Steps{stride, 2}) at = j;
        if (fine.before(limit_, at) > fine.before(left_after(stride), at)) bits.add({static_cast<std::uint64_t>(p.inside) << b, stride});
      }
    }
    return true;
  }
  struct Threshold {
    bool possible = false, needed = false;
    ValidGate gate{};
    std::int64_t unit = 1;           // of the index: what the strides of Time have in common
    std::int64_t all = 0, some = 0;  // steps of a slice, and of the slice where the axis ends
    std::int64_t others = 0;         // steps of slices after that one
  };

  /// One gate for all slices: those before the boundary are open, the boundary is open up to a step, those after it
  /// closed, or all alike.
  constexpr Threshold find_threshold(const Bits& bits, bool never_all) {
    Threshold f;
    StepList time;
    std::int64_t unit = 0;
    for (int i = 0; i < parts_; ++i) {
      if (part_[i].level != Level::time || !counts_for_end(part_[i])) continue;
      time.add(part_[i].live);
      unit = greatest_common_divisor(unit, part_[i].live.stride);
    }
    if (unit > 0) f.unit = unit;
    f.all = never_all ? -1 : time.combinations();
    if (time.before(left_after(bits.span(0))) == f.all) {
      f.possible = true;
      return f;
    }
    f.needed = true;
    bool standard = true, transposed = true;
    Checked offset = 0;
    std::uint64_t match = 0;
    for (int i = 0; i < bits.n; ++i) {
      f.gate.mask |= bits.item[i].weight;
      if (time.before(left_after(offset + bits.span(i + 1))) == f.all) {
        offset = offset + bits.item[i].stride;
        match |= bits.item[i].weight;
      } else if (std::int64_t const n = time.before(left_after(offset + bits.item[i].stride)); n != 0) {
        standard = false;
        f.others = n;
      }
    }
    f.some = time.before(left_after(offset));
    Checked below = 0;
    for (int i = 0; i < bits.n; ++i) {
      Checked const above = below + bits.item[i].stride;
      if ((match & bits.item[i].weight) != 0) below = above;
      else transposed &= time.before(left_after(above)) == f.some && time.before(left_after(above + bits.span(i + 1))) == f.some;
    }
    f.gate.match = match;
    f.gate.valid = ceil_div(left_after(offset), f.unit);
    f.gate.transposed = !standard;
    f.possible = standard || transposed;
    return f;
  }

  constexpr void say_slices(const Bits& bits, const Threshold& f) {
    bool ordered = true;
    for (int i = 1; i < bits.n; ++i) ordered &= bits.item[i].stride < bits.item[i - 1].stride;
    if (!ordered)
      return say(refuse("valid-count-slice-order", at_)
                     .what("the data of ", axis_, " does not end in the order of the slices, ", flit_[Level::slice])
                     .why("a gate opens the slices up to a boundary")
                     .help("order the factors of ", axis_, " in Slice from the coarsest to the finest"));
    say(refuse("valid-count-several-boundaries", at_)
            .what("with Slice ", flit_[Level::slice], " and Time ", time_, " the data of ", axis_, " ends in several slices, after ",
                  f.some, " steps in one and ", f.others, " in another")
            .why("a gate has one boundary: slices before it are open, slices after it closed or all alike")
            .help("give the outer part of ", axis_, " to Slice and the inner part to Time"));
  }
  constexpr void say_padding_inside(const Part& p) {
    say(refuse("valid-count-padding-inside", at_)
            .what("Time ", time_, " pads ", axis_, " inside the axis, ", p.live.size, " steps to ", p.slot, ", and again at its end")
            .why("one threshold cannot leave out both, and the padding cannot be cut off: ", p.live.size, " does not divide ", p.slot)
            .help("pad to a multiple of ", p.live.size, ", or at the end of ", axis_, " only"));
  }
  constexpr void say_clusters(Level l) {
    say(refuse("valid-count-across-clusters", at_)
            .what(name_of(l), " ", flit_[l], " counts ", axis_, ", and the data ends at another step in each of them")
            .why("all chips and clusters run with the same counts")
            .help("pad with the identity of the reduce, or keep ", axis_, " inside a cluster"));
  }
  constexpr void say_too_many() {
    say(refuse("valid-count-too-many-axes", at_)
            .what("the padding of Slice ", flit_[Level::slice], ", Time ", time_, ", Packet ", packet_, " needs more than one count and ",
                  device_.vector.valid_count_gates, " gates")
            .why("every padded axis takes a gate of its own, or the one packet count")
            .help("pad fewer axes, or join axes that are padded together"));
  }

  constexpr int add_need(const Need& n) {
    if (needs_n_ == max_needs) {
      say_too_many();
      return 0;
    }
    needs_[needs_n_] = n;
    return needs_n_++;
  }
  /// One gate serves all mere padding: it is open where all these counters stand at 0.
  constexpr int gate_of_padding() {
    if (padding_need_ < 0) {
      Need n;
      n.gate = {.mask = 0, .match = 0, .valid = 1};
      padding_need_ = add_need(n);
    }
    return padding_need_;
  }
  /// Cuts a factor of Time into its live steps and, outside of them, mere padding.
  constexpr void cut(const Part& p, Use& use) {
    use.inner = p.live.size;
    use.outer_need = gate_of_padding();
  }

  constexpr void give_dimensions() {
    int gates = 0;
    int const room = device_.vector.valid_count_gates < ValidCountConfig::max_gates ? static_cast<int>(device_.vector.valid_count_gates)
                                                                                    : ValidCountConfig::max_gates;
    bool packet_free = !packet_counts_;
    // First those that see slices; what depends on time alone may use the packet dimension too.
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < needs_n_; ++i) {
        Need& n = needs_[i];
        if (n.dimension != counts_nothing || (n.gate.mask != 0) != (round == 0)) continue;
        if (gates < room) {
          plan_.config.gate[gates] = n.gate;
          n.dimension = counts_gate(gates++);
        } else if (round == 1 && packet_free) {
          packet_free = false;
          n.dimension = counts_packet;
          packet_valid_ = n.gate.valid * cap_;
          hosted_ = i;
        } else {
          return say_too_many();
        }
      }
    }
  }

  constexpr void make_counters() {
    ValidCountConfig& c = plan_.config;
    c.lanes = device_.vector.lanes;
    c.packet_valid = packet_counts_ || hosted_ >= 0 ? packet_valid_ : cap_;
    if (needs_n_ == 0 && cap_ == c.lanes) {
      plan_ = {};
      return;
    }
    if (plan_.mode == ValidCountMode::none) plan_.mode = ValidCountMode::time_reduce;
    for (int k = time_.digits - 1; k >= 0 && !refused_; --k) {
      std::int64_t slots = time_.digit[k].slot;
      for (int t = time_.tails - 1; t >= 0; --t) {
        if (time_.tail[t].first > k || time_.tail[t].last < k) continue;
        slots = time_.tail[t].slot;
        k = time_.tail[t].first;
      }
      Use const& use = use_[k];
      std::int64_t const inner = use.inner > 0 ? use.inner : slots;
      add_counter(inner, use.need, use.stride);
      if (inner < slots) add_counter(slots / inner, use.outer_need, 1);
    }
    // The fastest counter of the packet dimension says how many lanes belong to it.
    if (c.packet_lanes() != cap_ && !refused_) {
      if (c.counters == room_for_counters()) return say_counters();
      for (int i = c.counters++; i > 0; --i) c.counter[i] = c.counter[i - 1];
      c.counter[0] = {1, cap_, counts_packet};
    }
  }
  constexpr void add_counter(std::int64_t limit, int need, std::int64_t stride) {
    if (limit == 1 || refused_) return;
    ValidCountConfig& c = plan_.config;
    std::int8_t const serves = need < 0 ? counts_nothing : needs_[need].dimension;
    if (serves == counts_nothing && c.counters > 0 && c.counter[c.counters - 1].serves == counts_nothing) {
      c.counter[c.counters - 1].limit *= limit;
      return;
    }
    if (c.counters == room_for_counters()) return say_counters();
    if (serves == counts_nothing) stride = 0;
    c.counter[c.counters++] = {limit, need >= 0 && need == hosted_ ? stride * cap_ : stride, serves};
  }
  constexpr int room_for_counters() const {
    std::int64_t const n = device_.vector.valid_count_counters;
    return n < ValidCountConfig::max_counters ? static_cast<int>(n) : ValidCountConfig::max_counters;
  }
  constexpr void say_counters() {
    say(refuse("valid-count-too-many-counters", at_)
            .what("Time ", time_, " needs more than ", room_for_counters(), " counters to tell its padding")
            .why("each factor of Time that pads takes a counter")
            .help("keep the factors of a padded axis next to each other in Time"));
  }

  static constexpr std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
    while (b != 0) {
      std::int64_t const r = a % b;
      a = b;
      b = r;
    }
    return a;
  }

  static constexpr int max_parts = 5 * Mapping::max_digits;
  static constexpr int max_needs = 32;

  const Device& device_;
  const Levels& flit_;
  const Mapping& time_;
  const Mapping& packet_;
  Where at_;

  Name axis_{};             // the one at hand
  std::int64_t limit_ = 0;  // its elements, from the first position on
  Part part_[max_parts]{};
  int parts_ = 0;

  Need needs_[max_needs]{};
  int needs_n_ = 0;
  int padding_need_ = -1, hosted_ = -1;
  Use use_[Mapping::max_digits]{};
  std::int64_t cap_ = 0, packet_valid_ = 0;
  bool packet_counts_ = false;

  ValidCountPlan plan_{};
  bool refused_ = false;
  Refusal refusal_{};
};

}  // namespace detail::counting

/// The registers that count the padding of these axes out of a stream as it enters the Vector Engine (`flit`: Chip,
/// Cluster, Slice, Time, Packet).
///
/// Law: in every slice that is not idle, lane p of flit t is below valid_count iff the axes' coordinates there exist;
/// where no axis is in Packet, a flit counts all its lanes or none.
constexpr Expected<ValidCountPlan> plan_valid_count(const Device& device, const Levels& flit, const ValidCountAsk& ask, Where at = {}) {
  return detail::counting::Planner(device, flit, at).plan(ask);
}

/// How the padding of a reduced axis is left out.
enum class ReducePadding : std::uint8_t {
  none,         // there is none
  valid_count,  // the Valid Count Generator skips it
  identity,     // the fetch fills it with a value that changes nothing
};

/// What is between the fetch and the reduce.
struct ReducePath {
  bool moves_only = false;               // nothing but fetch, collect and narrowing
  ScalarType fetched = ScalarType::i32;  // the type in memory, before the fetch's cast
};

struct ReducePaddingPlan {
  ReducePadding way = ReducePadding::none;
  ValidCountPlan count{};
  std::uint32_t identity = 0;
};

/// The best way to leave the padding out; refused if there is none, with the reason for which the padding cannot be
/// counted.
constexpr Expected<ReducePaddingPlan> plan_reduce_padding(const Device& device, ScalarType type, ReduceOp op, const Levels& flit,
                                                          const ValidCountAsk& ask, const ReducePath& path, Where at = {}) {
  ReducePaddingPlan p;
  auto const counted = plan_valid_count(device, flit, ask, at);
  if (counted) {
    p.count = *counted;
    p.way = counted->mode == ValidCountMode::none ? ReducePadding::none : ReducePadding::valid_count;
    return p;
  }
  Refusal r = counted.refusal();
  if (!path.moves_only)
    return r.why("; and identity values cannot stand in for the padding, because an operation before the reduce would change them");
  p.way = ReducePadding::identity;
  p.identity = identity_bits(type, op);
  // Floating-point types have all the identities; of the integers, the narrow ones lack the ends of i32.
  if (path.fetched != type && is_integer(type) && (op == ReduceOp::Max || op == ReduceOp::Min))
    return refuse("reduce-identity-not-fetched", at)
        .what("the padding of this reduce cannot be counted, and a fetch of ", path.fetched, " cannot make the identity of ", op, ", ",
              static_cast<std::int32_t>(p.identity))
        .why(r.headline)
        .help("choose a placement that can be counted, or keep the tensor as ", type, " in memory");
  return p;
}

}  // namespace tcp
