// What the Stream Adapter accepts: it makes the packets that the Reducer multiplies out of the flits of the stream.
//
// A packet of the Reducer is 64 bytes, a flit 32. So the adapter buffers flits (up to 96 bytes) and does four things
// with them, in this order of Time, from the outside in:
//
//     pop      the next flits: one (the other half of the packet is then zeros), two from the innermost part of Time, or the two or three of one window
//     shift    the same flits again, some elements further on: how a window `$(W, Fw)` in Packet becomes Fw in Time and W in Packet
//     tile     the same packet again, for axes that only the TRF has
//
// and, before all that, it can transpose the elements of each flit. Nothing of this is declared by the author but the
// Time and Packet that come out; the settings are found by comparing.
#pragma once

#include "tcp/device/engine_limits.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/sequence.hpp"

namespace tcp {

/// The settings of the adapter. Rounds of its three loops are counted inside out: `tiles`, `shifts`, `pops`.
struct AdapterSettings {
  std::int64_t collect_flits = 1;
  FlitTranspose transpose{};
  std::int64_t shift_stride = 0;  // elements
  std::int64_t tiles = 1, shifts = 1, pops = 1;

  constexpr bool operator==(const AdapterSettings&) const = default;
};

constexpr Verdict check_shift(ScalarType type, const AdapterSettings& s, Where at = {}) {
  ShiftLimits const limits = shift_limits(type);
  if (s.shift_stride < 0 || s.shift_stride > limits.most_stride)
    return refuse("contraction-shift-stride", at)
        .what("the window moves on by ", s.shift_stride, " elements of ", type, " a step; the stream adapter shifts by 0 to ",
              limits.most_stride)
        .why("that is as far as the shifter reaches")
        .help("let the fetch read the filter axis in Time, or keep fewer factors inside the window");
  return accept();
}

/// What comes out of the adapter. Law: at step t, lane p holds what the collected flits of pop t / tiles / shifts,
/// transposed, hold at t / tiles % shifts * shift_stride + p, and zero after them; Time is [rest, shift, tile].
struct Adapted {
  Mapping rest{};   // of the stream's Time
  Mapping shift{};  // the filter steps that were taken out of a window
  Mapping tile{};   // axes in which packets are repeated
  Mapping packet{};
  AdapterSettings settings{};
};

namespace detail {

/// Digits begin … end of m as a mapping of their own, with the starts of the axes of which it has the coarsest digit.
constexpr Mapping piece(const Mapping& m, int begin, int end) {
  Mapping p = part(m, begin, end);
  for (int a = 0; a < m.axes; ++a) {
    int const k = coarsest_digit(m, a);
    if (k < begin || k >= end) p.axis[a].start = 0;
  }
  Footprints const foot = footprints(m);
  std::int64_t const inside = end < m.digits ? foot.inside[end] * m.digit[end].slot : 1;
  std::int64_t const outside = begin < m.digits ? foot.inside[begin] * m.digit[begin].slot : 1;
  p.size = begin < end ? outside / inside : 1;
  return normalise(p);
}

constexpr Mapping padding_only(std::int64_t slots, Pad kind) { return pad_to(Mapping{}, slots, kind); }

/// A packet without the outer steps of one member of its window.
struct Extracted {
  Mapping packet{}, shift{};
  std::int64_t stride = 0;  // elements that one of these steps moves on
  bool possible = false;
};

/// Takes `member` out of the window that begins at digit `first`, but for its inner `left` steps. Positions stay where
/// they are: what the window no longer reaches is padding, and holds whatever is there.
constexpr Extracted extract(const Mapping& m, int first, int member, std::int64_t left) {
  Extracted e;
  if (m.tails > 0) return e;
  std::int64_t const inside = footprints(m).inside[first];
  int after = first + 1;
  while (after < m.digits && m.digit[after].joined) ++after;

  Slide stays[Mapping::max_digits];
  int n = 0;
  std::int64_t measure = 0;
  for (int i = first; i < after; ++i) {
    Digit d = m.digit[i];
    Mapping one_axis;
    one_axis.axis[one_axis.axes++] = {m.axis[d.axis].name, m.axis[d.axis].extent, 0};
    std::int64_t const step = d.step;
    d.axis = 0;
    d.step = 0;
    d.joined = false;
    d.pad = Pad::none;
    d.slot = one_axis.size = d.size;
    one_axis.digit[one_axis.digits++] = d;
    one_axis = normalise(one_axis);
    if (i == member) {
      Halves const h = split_at(one_axis, left);
      if (!h.inner.ok()) return e;
      e.shift = h.outer;
      e.stride = step * left * inside;
      if (left == 1) continue;
      one_axis = h.inner;
    }
    stays[n++] = {one_axis, step};
    measure = greatest_common_divisor(measure, step);
  }
  // Steps of `measure` places: the places between hold nothing.
  Mapping window;
  if (n > 0) {
    for (int i = 0; i < n; ++i) stays[i].step /= measure;
    window = slide_over(stays, n);
    if (measure > 1) window = pair(window, padding_only(measure, Pad::top));
  }
  std::int64_t const places = m.digit[first].slot;
  if (!window.ok() || has_window(window) || window.size > places) return e;
  window = pad_to(window, places, Pad::top);
  e.packet = pair(pair(piece(m, 0, first), window), piece(m, after, m.digits));
  e.possible = e.packet.ok();
  return e;
}

/// Tries every setting of the adapter against what was declared.
class AdapterSearch {
 public:
  constexpr AdapterSearch(const Device& device, ScalarType type, const Mapping& time, const Mapping& packet, const Mapping& time2,
                          const Mapping& packet2)
      : packet_(packet),
        time2_(time2),
        packet2_(packet2),
        lanes_(device.contraction.mac_bytes.value * 8 / scalar_info(type).packet_bits),
        flit_lanes_(device.flit.bytes.value * 8 / scalar_info(type).packet_bits) {
    flits_ = packet.size / flit_lanes_;
    for (int k = packet.digits - 1; k >= 0; --k)
      if (packet.digit[k].in_window()) window_ = k;
    if (packet.size % flit_lanes_ != 0 || flits_ > (window_ < 0 ? 1 : device.contraction.flit_buffer / device.flit.bytes)) return;
    if (window_ >= 0) {
      for (std::int64_t c = 1; !found_ && take_flits(time, c); ++c) try_windows();
      return;
    }
    for (std::int64_t c = 1; !found_ && take_flits(time, c); ++c) attempt(pair(taken_, packet_), Mapping{}, true);
    for (std::int64_t c = 1; !found_ && take_flits(time, c); ++c) try_transposes(type);
  }

  constexpr bool found() const { return found_; }
  constexpr const Adapted& result() const { return result_; }
  /// Some setting makes the declared Packet; then `result` has its rest and shift, and only Time is wrong.
  constexpr bool packet_fits() const { return packet_fits_; }
  /// A setting that would do, for the help of a refusal: full packets if possible.
  constexpr bool suggests() const { return suggests_; }
  constexpr const Adapted& suggestion() const { return suggestion_; }

 private:
  /// Sets out to collect c packets from the innermost part of Time; false if that would be more than the Reducer takes.
  constexpr bool take_flits(const Mapping& time, std::int64_t c) {
    if (c > 1 && (c * packet_.size > lanes_ || time.size % c != 0)) return false;
    Halves const h = split_at(time, c);
    if (!h.inner.ok()) return false;
    rest_ = h.outer;
    taken_ = h.inner;
    settings_ = {};
    settings_.collect_flits = c * flits_;
    return true;
  }

  constexpr void try_transposes(ScalarType type) {
    FlitTranspose t[2];
    for (int i = 0, n = flit_transposes(type, t); i < n && !found_; ++i) {
      if (t[i].rows * t[i].columns != flit_lanes_) continue;
      Halves const h = split_at(packet_, t[i].columns);
      if (!h.inner.ok()) continue;
      settings_.transpose = t[i];
      attempt(pair(taken_, pair(h.inner, h.outer)), Mapping{}, false);
    }
  }

  constexpr void try_windows() {
    for (int i = window_; i < packet_.digits && (i == window_ || packet_.digit[i].joined) && !found_; ++i) {
      std::int64_t const size = packet_.digit[i].size;
      for (std::int64_t left = 1; left < size && !found_; ++left) {
        if (size % left != 0) continue;
        Extracted const e = extract(packet_, window_, i, left);
        if (!e.possible) continue;
        settings_.shift_stride = e.stride;
        settings_.shifts = size / left;
        attempt(pair(taken_, e.packet), e.shift, left == 1);
      }
    }
  }

  constexpr void attempt(const Mapping& block, const Mapping& shift, bool usual) {
    if (!block.ok()) return;
    Mapping full = block;
    if (block.size < lanes_) {
      if (lanes_ % block.size != 0) return;
      full = pair(padding_only(lanes_ / block.size, Pad::zero), block);
    } else if (block.size > lanes_) {
      Footprints const foot = footprints(block);
      bool const only_padding = block.tails == 0 && live_slots(block, 0) * foot.inside[0] <= lanes_;
      if (!only_padding) return;
      full = resize_to(block, lanes_);
      if (!full.ok()) return;
    }
    if (usual) suggest(shift, full);
    Mapping const& compared = packet2_.size == block.size ? block : full;
    if (!equivalent(packet2_, compared)) return;
    Mapping const begins = pair(rest_, shift);
    if (!packet_fits_) remember(shift, full);
    packet_fits_ = true;
    if (!begins.ok() || time2_.size % begins.size != 0) return;
    Halves const h = split_at(time2_, time2_.size / begins.size);
    if (!h.outer.ok() || !equivalent(h.outer, begins)) return;
    remember(shift, full);
    result_.tile = h.inner;
    result_.settings.tiles = h.inner.size;
    found_ = true;
  }

  constexpr void remember(const Mapping& shift, const Mapping& full) {
    result_ = {rest_, shift, Mapping{}, full, settings_};
    result_.settings.pops = rest_.size;
  }
  constexpr void suggest(const Mapping& shift, const Mapping& full) {
    suggestion_ = {rest_, shift, Mapping{}, full, settings_};
    suggests_ = true;
  }

  const Mapping &packet_, &time2_, &packet2_;
  std::int64_t lanes_, flit_lanes_, flits_ = 0;
  int window_ = -1;
  Mapping rest_{}, taken_{};
  AdapterSettings settings_{};
  bool found_ = false, packet_fits_ = false, suggests_ = false;
  Adapted result_{}, suggestion_{};
};

}  // namespace detail

/// Finds the settings that make Time2 and Packet2 of a collected stream. Kinds of padding are the stream's; what the
/// adapter adds is zero.
constexpr Expected<Adapted> adapt(const Device& device, ScalarType type, const Mapping& time, const Mapping& packet, const Mapping& time2,
                                  const Mapping& packet2, Where at = {}) {
  for (const Mapping* m : {&time, &packet, &time2, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  auto const bytes = packed_size(type, Elements{packet2.size}, at);
  if (!bytes) return bytes.refusal();

  detail::AdapterSearch const search(device, type, time, packet, time2, packet2);
  Text advice;
  if (search.suggests()) {
    Mapping const begins = pair(search.suggestion().rest, search.suggestion().shift);
    advice << "write Time = " << begins << ", inside of it what only the TRF has, and Packet = " << search.suggestion().packet;
  } else {
    advice << "collect the stream into flits of " << device.flit.bytes << " first";
  }
  if (*bytes != device.contraction.mac_bytes && *bytes != device.flit.bytes)
    return refuse("contraction-packet-size", at)
        .what("Packet ", packet2, " of ", type, " is ", *bytes, "; the Reducer takes ", device.contraction.mac_bytes, ", or ",
              device.flit.bytes, " and zeros")
        .why("all lanes of a Row multiply at once")
        .help(advice);
  if (detail::has_window(time2) || detail::has_window(packet2))
    return refuse("contraction-window-left", at)
        .what("the aligned stream still slides, in Time ", time2, " or Packet ", packet2, ": a product needs one element in each position")
        .why("the fetch takes a window in Time apart, the stream adapter's shift one window in Packet")
        .help("write the filter axis as a factor of Time of its own");
  if (search.found()) {
    if (auto v = check_shift(type, search.result().settings, at); !v) return v.refusal();
    return search.result();
  }
  if (!search.packet_fits())
    return refuse("contraction-packet-wrong", at)
        .what("Packet ", packet2, " of ", type, " is not what the stream adapter makes of Time ", time, ", Packet ", packet)
        .why("it takes one flit and zeros, the two flits of the innermost part of Time, or a window from which it shifts out a filter axis")
        .help(advice);
  Mapping const begins = pair(search.result().rest, search.result().shift);
  return refuse("contraction-time-wrong", at)
      .what("Time ", time2, " does not begin with ", begins, ", the stream's own Time in its order")
      .why("packets come as the flits did; they can be repeated, for axes that only the TRF has, and such axes are innermost")
      .help("write Time = ", begins, ", inside of it what only the TRF has; or fetch in another order");
}

}  // namespace tcp
