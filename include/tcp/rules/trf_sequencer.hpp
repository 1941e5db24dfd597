// What the TRF Sequencer accepts: every cycle it reads one contiguous piece of a Row's weights and repeats it until the
// Reducer's 64 bytes are full.
//
// So of the packet that the stream brings, the inner part must lie in the TRF in one piece (reg_read_size, a power of
// two of bytes), and everything outside of it must be the same weights again. Time is walked by a loop nest, in any
// order, axes that the TRF does not have by a stride of 0. Where the stream's packet ends in padding it does not matter
// what is read.
#pragma once

#include "tcp/device/derived.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/rules/sequence.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// The settings of the sequencer. Everything is in bytes of one Row.
struct TrfRead {
  Loops loops{};  // over Time, outermost first; `base` from the tensor's first byte
  Bytes read{};   // reg_read_size
  std::int64_t repeats = 1;

  constexpr bool operator==(const TrfRead& o) const {
    if (!(read == o.read) || repeats != o.repeats || loops.entries != o.loops.entries || loops.base != o.loops.base) return false;
    for (int k = 0; k < loops.entries; ++k)
      if (!(loops.entry[k] == o.loops.entry[k])) return false;
    return true;
  }
};

namespace detail {

/// Where steps of an axis end; the greatest number there is, if that does not fit.
constexpr std::int64_t end_of(std::int64_t stride, std::int64_t steps) {
  Checked const end = Checked(stride) * steps;
  return end.fits ? end.value : INT64_MAX;
}

/// True if a digit of m steps along the axis.
constexpr bool counts_axis(const Mapping& m, Name name) {
  int const a = find_axis(m, name);
  return a >= 0 && coarsest_digit(m, a) >= 0;
}

/// True if the digits of m and n together count every step of one axis from `steps.stride` up to `steps.end()`.
constexpr bool counts_all(const Mapping& m, const Mapping& n, Name axis, Steps steps) {
  std::int64_t reached = steps.stride;
  std::int64_t const last = end_of(steps.stride, steps.size);
  while (reached < last) {
    std::int64_t next = 0;
    for (const Mapping* each : {&m, &n}) {
      for (int k = 0; k < each->digits; ++k) {
        Digit const& d = each->digit[k];
        if (d.axis == no_axis || !(each->axis[d.axis].name == axis) || d.stride > reached || reached % d.stride != 0) continue;
        std::int64_t const end = reaches_end(*each, d) ? last : end_of(d.stride, d.size);
        if (end > next) next = end;
      }
    }
    if (next <= reached) return false;
    reached = next;
  }
  return true;
}

/// A packet without the padding outside of its last live step, where it does not matter what is read.
constexpr Mapping without_outer_padding(Mapping m) {
  while (m.digits > 0 && m.ok()) {
    Footprints const foot = footprints(m);
    bool const tailed = m.tails > 0 && m.tail[0].first == 0;
    std::int64_t const live = tailed ? foot.tail_live[0] * foot.tail_unit[0] : live_slots(m, 0) * foot.inside[0];
    if (live == m.size) break;
    m = resize_to(m, live);
  }
  return m;
}

/// What the TRF holds at padding of the computation: Pad::zero if zero padding of its own, Pad::top if padding or
/// something else, Pad::none if weights that do not depend on the position.
class TrfPadding {
 public:
  /// `read`: elements that are read in one piece.
  constexpr TrfPadding(const Levels& trf, std::int64_t read) : trf_(trf), read_(read), foot_(footprints(trf[Level::element])) {}

  constexpr Pad at_digit(const Mapping& m, int k, bool in_packet) const {
    Digit const& d = m.digit[k];
    Mapping const& element = trf_[Level::element];
    if (in_packet && footprints(m).inside[k] * d.slot > read_) return Pad::none;  // repeated
    if (d.axis == no_axis) {
      if (!in_packet) return Pad::none;
      for (int j = 0; j < element.digits; ++j) {
        Digit const& y = element.digit[j];
        if (y.axis == no_axis && y.size == d.size && y.slot >= d.slot && y.pad == Pad::zero && foot_.inside[j] == footprints(m).inside[k])
          return Pad::zero;
      }
      return Pad::top;
    }
    Name const name = m.axis[d.axis].name;
    if (!counts_axis(element, name)) return Pad::none;
    // The digit of the element that holds the outermost of the steps, and the padding after them.
    Steps left{d.stride, d.size};
    std::int64_t inner = 1;
    while (left.size > 1) {
      Found const f = find_steps(element, name, left);
      if (f.digit < 0 || f.have < 2) return Pad::top;
      std::int64_t const take = left.size < f.have ? left.size : f.have;
      if (take == left.size) {
        Digit const& y = element.digit[f.digit];
        bool const own = take * f.skip >= y.size && ceil_div(d.slot, inner) * f.skip <= y.slot;
        return own && y.pad == Pad::zero ? Pad::zero : Pad::top;
      }
      inner *= take;
      left = {left.stride * take, ceil_div(left.size, take)};
    }
    return Pad::top;
  }

  /// Beyond the end of an axis, which the computation counts up to `reach`.
  constexpr Pad at_end(Name axis, std::int64_t reach) const {
    const Mapping* in = nullptr;
    int coarsest = -1;
    for (const Mapping& m : trf_.at) {
      int const a = find_axis(m, axis);
      int const k = a < 0 ? -1 : coarsest_digit(m, a);
      if (k < 0 || (in != nullptr && m.digit[k].stride <= in->digit[coarsest].stride)) continue;
      in = &m;
      coarsest = k;
    }
    if (in == nullptr) return Pad::none;
    Digit const& y = in->digit[coarsest];
    return y.pad == Pad::zero && end_of(y.stride, y.slot) >= reach ? Pad::zero : Pad::top;
  }

 private:
  const Levels& trf_;
  std::int64_t read_;
  Footprints foot_;
};

}  // namespace detail

/// How the sequencer reads `element` so that it meets the computation's Time and Packet, lane by lane.
/// Law: at step t and lane p, wherever the computation holds an element, the byte offset loops.at(t) + p · bits / 8 mod
/// read holds its weight.
constexpr Expected<TrfRead> read_trf(const Device& device, ScalarType type, const Levels& trf, const Mapping& time, const Mapping& packet,
                                     Where at = {}) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  Mapping const &row = trf[Level::row], &element = trf[Level::element];
  for (int k = 0; k < row.digits; ++k) {
    if (row.digit[k].axis == no_axis) continue;
    Name const name = row.axis[row.digit[k].axis].name;
    bool const counted = detail::counts_axis(time, name) || detail::counts_axis(packet, name);
    if (counted && !detail::counts_axis(element, name))
      return refuse("contraction-row-axis", at)
          .what("Time ", time, " and Packet ", packet, " count axis ", name, ", of which the TRF has only Row ", row)
          .why("the weights of the other steps of ", name, " were never loaded")
          .help("store the rest of axis ", name, " in the Element of the TRF tensor");
  }
  for (int k = 0; k < element.digits; ++k) {
    Digit const& y = element.digit[k];
    if (y.axis == no_axis || detail::counts_all(time, packet, element.axis[y.axis].name, {y.stride, y.size})) continue;
    Name const name = element.axis[y.axis].name;
    return refuse("contraction-trf-not-read", at)
        .what("Time ", time, " and Packet ", packet, " do not count all of axis ", name, " in the TRF's Element ", element)
        .why("each weight takes part: an axis of the TRF that is left out would silently be read at its first step")
        .help("add the missing steps of ", name, " to Time, innermost if the stream does not have them");
  }

  Mapping const live = detail::without_outer_padding(packet);
  auto const derived = derive_loops(element, time, live, {}, at);
  if (!derived) return derived.refusal();
  Loops outer = *derived;
  int entries = 0;
  for (std::int64_t rounds = 1; rounds < time.size; ++entries) rounds *= outer.entry[entries].size;
  int k = outer.entries - 1;
  std::int64_t run = 1;
  while (k >= entries && outer.entry[k].stride == run) run *= outer.entry[k--].size;
  for (int j = k; j >= entries; --j)
    if (outer.entry[j].stride != 0)
      return refuse("contraction-trf-not-repeated", at)
          .what("of Packet ", live, " only ", run, " elements are in one piece in the TRF's Element ", element)
          .why("the sequencer reads one piece a cycle, and fills the packet by repeating it")
          .help("store the weights in the order of the packet, or move its outer factors to Time");
  // Alone in the packet, the piece may be read longer than it is: after it there is padding only.
  bool const alone = k < entries;
  std::int64_t read_bits = run * bits;
  if (alone) {
    std::int64_t power = 8;
    while (power < read_bits) power *= 2;
    read_bits = power;
  }
  Bytes const read{read_bits / 8};
  if (read_bits % 8 != 0 || !device.trf.read_sizes.contains(read)) {
    Refusal r = refuse("contraction-trf-read-size", at);
    r.what("Packet ", live, " of ", type, " repeats a piece of ", read_bits, " bits of the TRF's Element ", element,
           "; the sequencer reads pieces of ");
    int n = 0;
    for (Bytes each : device.trf.read_sizes) r.what(n++ > 0 ? ", " : "", each.value);
    return r.what(" bytes")
        .why("the rest of the packet is filled by repeating the piece")
        .help("pad the inner axis in TRF and stream alike, to a power of two");
  }

  outer.entries = entries;
  outer.packet = 1;
  for (int j = entries; j < Loops::max_entries; ++j) outer.entry[j] = Entry{};
  auto const fitted = fit_sequencer(device, outer, at);
  if (!fitted) return fitted.refusal();
  TrfRead result;
  result.read = read;
  result.repeats = device.contraction.mac_bytes / read;
  result.loops = *fitted;
  std::int64_t const most = (std::int64_t{1} << (device.trf.stride_bits - 1)) - 1;
  for (int j = -1; j < fitted->entries; ++j) {
    Checked const moved = Checked(j < 0 ? fitted->base : fitted->entry[j].stride) * bits;
    if (!moved.fits || moved.value / 8 > most || moved.value / 8 < -most - 1)
      return refuse("contraction-trf-stride", at)
          .what("a loop of the TRF sequencer moves by ", fitted->entry[j < 0 ? 0 : j].stride, " elements of ", type,
                ", more than its strides of ", device.trf.stride_bits, " bits can say")
          .why("no tensor that fits the TRF of a chip asks for that")
          .help("use a smaller TRF tensor");
    if (moved.value % read_bits != 0)
      return refuse("contraction-trf-misaligned", at)
          .what("the TRF sequencer reads ", read, " at once from Element ", element, ", and ", j < 0 ? "begins at " : "moves on by ",
                moved.value % 8 == 0 ? moved.value / 8 : moved.value, moved.value % 8 == 0 ? " bytes" : " bits")
          .why("a read begins at a multiple of its size; otherwise it would reach over a line of a bank")
          .help("pad the inner axis of the TRF's Element so that its rows are multiples of ", read);
    (j < 0 ? result.loops.base : result.loops.entry[j].stride) = moved.value / 8;
  }
  return result;
}

}  // namespace tcp
