// What the Commit Engine accepts: it writes a stream of flits into DM, slice by slice.
//
// The adapter keeps the leading 8, 16, 24 or 32 bytes of each flit, as much of it as Element has room for; the
// sequencer writes them, in one piece if they lie together in Element, else in several of at least 8 bytes. A read may
// run over the end of a tensor, a write never: it touches live positions, each exactly once, and padding of its own
// tensor where that may be touched.
//
// Beside the pipeline is the sub context's generate mode: the ITOS command, one 32-bit word to the addresses of a
// walk.
#pragma once

#include "tcp/device/engine_limits.hpp"
#include "tcp/device/tensor_unit.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/rules/padding.hpp"
#include "tcp/rules/pipeline.hpp"
#include "tcp/rules/sequence.hpp"

namespace tcp {

/// Which positions of one level hold anything. A position may lie outside of an axis by itself, and hold elements all
/// the same: of Slice[A #< 3 / 8] and Element[A % 8], slice 0 begins three steps before the first element, and holds
/// five of them.
class LivePositions {
 public:
  constexpr LivePositions(const Levels& levels, Level level) : m_(levels[level]), foot_(footprints(m_)) {
    for (int l = 0; l < level_count; ++l) {
      if (l == static_cast<int>(level)) continue;
      Mapping const& other = levels.at[l];
      for (int a = 0; a < m_.axes; ++a) {
        int const b = find_axis(other, m_.axis[a].name);
        if (b < 0) continue;
        least_[a] += other.axis[b].start;
        greatest_[a] += other.axis[b].start;
        for (int k = 0; k < other.digits; ++k)
          if (other.digit[k].axis == b) greatest_[a] += (other.digit[k].size - 1) * other.digit[k].stride;
      }
    }
  }

  /// Law: true iff some place with this position holds an element, if what the other levels count of an axis has no
  /// gaps.
  constexpr bool holds(std::int64_t position) const {
    std::int64_t at[Mapping::max_axes]{};
    for (int a = 0; a < m_.axes; ++a) at[a] = m_.axis[a].start;
    for (int t = 0; t < m_.tails; ++t)
      if (position / foot_.tail_unit[t] % m_.tail[t].slot >= foot_.tail_live[t]) return false;
    for (int k = 0; k < m_.digits; ++k) {
      Digit const& d = m_.digit[k];
      if (d.joined) continue;
      // Digits inside a tail count from the tail's begin.
      std::int64_t rest = position;
      for (int t = 0; t < m_.tails; ++t)
        if (m_.tail[t].first <= k && k <= m_.tail[t].last) rest %= foot_.tail_unit[t] * m_.tail[t].slot;
      std::int64_t const step = rest / foot_.inside[k] % d.slot;
      if (step >= live_slots(m_, k)) return false;
      if (d.axis != no_axis && !d.in_window() && d.skewed_by == no_axis) at[d.axis] += step * d.stride;
    }
    for (int a = 0; a < m_.axes; ++a)
      if (at[a] + greatest_[a] < 0 || at[a] + least_[a] >= m_.axis[a].extent) return false;
    return true;
  }

 private:
  Mapping m_;
  Footprints foot_;
  std::int64_t least_[Mapping::max_axes]{}, greatest_[Mapping::max_axes]{};  // what the other levels add to a coordinate
};

/// The slices, or clusters, that hold anything. Of a level with more positions than a mask has bits, the first ones.
constexpr SliceMask live_units(const Levels& levels, Level level) {
  SliceMask mask;
  LivePositions const live(levels, level);
  for (std::int64_t s = 0; s < levels[level].size && s < SliceMask::slices; ++s)
    if (live.holds(s)) mask = mask.with(static_cast<int>(s));
  return mask;
}
/// The slices that a Slice holds by itself.
constexpr SliceMask live_slices(const Mapping& slice) {
  Levels alone;
  alone.set(Level::slice, slice);
  return live_units(alone, Level::slice);
}

/// The bits of the slice bitmap: live slices, narrowed by what the author asks for.
constexpr Expected<SliceMask> slice_bitmap(const Mapping& slice, const SliceMask& asked, Where at = {}) {
  if (!slice.ok()) return refusal_of(slice, at);
  if (slice.size > SliceMask::slices)
    return refuse("commit-bitmap-too-short", at)
        .what("the slice bitmap has ", SliceMask::slices, " bits; Slice ", slice, " has ", slice.size, " positions")
        .why("one bit of the bitmap enables one slice")
        .help("commit without a SliceMask, or spread the tensor over fewer slices");
  SliceMask const bitmap = live_slices(slice) & asked;
  if (bitmap.empty())
    return refuse("commit-writes-nothing", at)
        .what("no slice is left to write: Slice ", slice, " and the SliceMask have none in common")
        .why("slices that Slice pads are idle and write nothing in any case")
        .help("put at least one live slice into the SliceMask");
  return bitmap;
}

/// How a commit is asked for, apart from the mappings.
struct CommitHow {
  Tu context = Tu::Main;
  bool into_view = false;    // commit_view: padding of the view belongs to other tensors
  bool valid_count = false;  // write only the leading elements, as many as a count says at run time
};

/// What a commit does.
struct Committed {
  ScalarType type = ScalarType::i32;
  Levels tensor{};         // Chip, Cluster, Slice and Element of the result, with the kinds of padding that it has
  Mapping packet{};        // what is left of the packet
  Bytes commit_in_size{};  // and its bytes
  Sequence sequence{};     // access: the book's commit_size; accesses_a_packet: writes per time step
  Elements dropped{};      // elements of the flit that are not written

  constexpr Bytes commit_size() const { return sequence.access; }
  constexpr std::int64_t writes_per_step() const { return sequence.accesses_a_packet; }
  constexpr std::int64_t writes() const { return sequence.accesses(); }
};

namespace detail {

/// The greatest kind of padding that a run of the stream's padding may be written to: that of its axis, or of no axis,
/// in Element.
constexpr Pad kind_under(const Mapping& element, const Mapping& stream, const PaddingRun& run) {
  Name const name = run.tail >= 0 || stream.digit[run.digit].axis == no_axis ? Name{} : stream.axis[stream.digit[run.digit].axis].name;
  Pad kind = Pad::top;
  for (int t = 0; t < element.tails; ++t) kind = greater(kind, element.tail[t].pad);
  for (int k = 0; k < element.digits; ++k) {
    Digit const& y = element.digit[k];
    bool const concerned = y.axis == no_axis || name == Name{} || element.axis[y.axis].name == name;
    if (concerned) kind = greater(kind, y.pad);
  }
  return kind;
}

/// The answer to a write into padding that belongs to others.
constexpr Refusal touches_padding(bool into_view, const Mapping& element, const Mapping& stream, Where at) {
  return refuse("commit-touches-padding", at)
      .what("padding of the stream ", stream, " would be written into padding of ", element, ", which must not be touched")
      .why(into_view ? "bytes beside the elements of a view belong to the tensor that it shows a part of"
                     : "padding written #! is never read nor written")
      .help("leave only live elements in the packet, or commit to a tensor whose padding is #");
}

/// A run of the stream's padding after one live value, as 1 # 8, that is written to such padding.
/// Whether that is padding of a view's tensor as well, check_beside_view finds out where the tensor is known.
constexpr bool beside_one_value(const Mapping& element, const Mapping& stream, const PaddingRun& run) {
  if (run.tail >= 0) return false;
  Digit const& d = stream.digit[run.digit];
  return d.axis == no_axis && d.size == 1 && !d.in_window() && kind_under(element, stream, run) == Pad::top;
}

/// Padding of the stream may be written to padding that is Element's own and may be touched.
constexpr Verdict check_touched(const CommitHow& how, const Mapping& element, const Mapping& stream, Where at) {
  PaddingRuns const runs = padding_runs(stream, Pad::zero, Pad::bottom);
  for (int i = 0; i < runs.count; ++i) {
    bool const bottom = kind_under(element, stream, runs.run[i]) == Pad::bottom;
    if (how.into_view ? beside_one_value(element, stream, runs.run[i]) : !bottom) continue;
    return touches_padding(how.into_view, element, stream, at);
  }
  return accept();
}

/// Zeros that Element promises must be written, and be zeros.
constexpr Verdict check_zeros_written(const Mapping& element, const Mapping& stream, Where at) {
  PaddingRuns const runs = padding_runs(element, Pad::zero, Pad::zero);
  bool all = !runs.more;
  for (int i = 0; i < runs.count && all; ++i) all = has_zeros_at(stream, element, runs.run[i]);
  if (all) return accept();
  return refuse("commit-zeros-not-written", at)
      .what("Element ", element, " promises zeros, and the stream ", stream, " does not bring them")
      .why("fresh memory is undefined: zero padding has to be written")
      .help("pad with # instead of #z, or keep zero padding in the packet");
}

constexpr Verdict check_strides(const Device& device, ScalarType type, const Loops& loops, Bytes access, Where at) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  std::int64_t inside = 1;
  for (int k = loops.entries - 1; k >= 0; --k) {
    Entry const e = loops.entry[k];
    bool const folded = inside * bits < access.value * 8;  // walked within one write
    inside *= e.size;
    if (folded || e.stride * bits % (device.commit.stride_multiple.value * 8) == 0) continue;
    return refuse("commit-stride", at)
        .what("the writes ", loops, " of ", type, " step by ", e.stride, " elements, ", e.stride * bits / 8,
              " bytes; strides of a commit are multiples of ", device.commit.stride_multiple)
        .why("a row of a DM bank is written as a whole")
        .help("pad the inner factors of Element to a multiple of ", device.commit.stride_multiple);
  }
  return accept();
}

/// One width of the truncated packet: the writes, or why there are none.
constexpr Expected<Committed> commit_width(const Device& device, const CommitHow& how, ScalarType type, const Mapping& time,
                                           const Mapping& packet, const Mapping& element, Bytes width, Where at) {
  Committed c;
  c.packet = packet;
  c.commit_in_size = width;
  auto const derived = derive_loops(element, time, packet, {Access::write, Absent::refused, nullptr}, at);
  if (!derived) return derived.refusal();
  Mapping const stream = pair(time, packet);
  if (!stream.ok()) return refusal_of(stream, at);
  if (auto v = check_touched(how, element, stream, at); !v) return v.refusal();
  if (!how.into_view)
    if (auto v = check_zeros_written(element, stream, at); !v) return v.refusal();
  auto const access = access_size(commit_sizes(device, how.context == Tu::Sub), type, *derived, at);
  if (!access) return access.refusal();
  if (auto v = check_strides(device, type, *derived, *access, at); !v) return v.refusal();
  auto const loops = fit_sequencer(device, *derived, at);
  if (!loops) return loops.refusal();
  c.sequence.loops = *loops;
  c.sequence.access = *access;
  c.sequence.accesses_a_packet = width / *access;
  c.sequence.packets = time.size;
  return c;
}

/// How many steps of a digit of `from`, which counts an axis, `part` has: of the same axis, by the same stride.
constexpr std::int64_t steps_in(const Mapping& part, const Mapping& from, const Digit& d) {
  std::int64_t steps = 1;
  for (int k = 0; k < part.digits; ++k) {
    Digit const& e = part.digit[k];
    bool const same = e.axis != no_axis && part.axis[e.axis].name == from.axis[d.axis].name && e.stride == d.stride;
    if (same && e.size > steps) steps = e.size;
  }
  return steps;
}
/// True if a level counts the axis in steps above those of `stride`.
constexpr bool counts_above(const Levels& levels, Name axis, std::int64_t stride) {
  for (const Mapping& m : levels.at) {
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis != no_axis && m.digit[k].size > 1 && m.digit[k].stride > stride && m.axis[m.digit[k].axis].name == axis)
        return true;
  }
  return false;
}

/// What is left of a packet holds all of its elements, or says which it lacks: of W = 4, those from step 4 of W on.
/// Elements in between, and all but the first step of an axis that Element does not name, would be lost unsaid.
constexpr Verdict check_dropped(const Levels& stream, const Mapping& kept, const Mapping& element, Where at) {
  Mapping const& packet = stream[Level::packet];
  for (int k = 0; k < packet.digits; ++k) {
    Digit const& d = packet.digit[k];
    if (d.axis == no_axis) continue;  // copies
    std::int64_t const steps = steps_in(kept, packet, d);
    if (steps >= d.size) continue;
    Name const axis = packet.axis[d.axis].name;
    if (steps > 1 && !counts_above(stream, axis, d.stride)) continue;
    return refuse("commit-drops-data", at)
        .what("Element ", element, " keeps ", kept.size, " of ", packet.size, " elements of Packet ", packet, ", and drops ",
              d.size - steps, " of ", d.size, " live steps of ", axis)
        .why("a commit may cut off the end of an axis, as W = 4 says; it leaves no holes in one, and forgets none")
        .help("give Element all of Packet, and take a tile of the result; or fetch only the part that is wanted");
  }
  return accept();
}

constexpr bool is_code(const Refusal& r, std::string_view code) { return code == r.code; }

/// Padding slices write nothing, so what they promised of zeros is not in the result.
constexpr Mapping without_idle_zeros(Mapping m) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].slot > live_slots(m, k) && m.digit[k].pad == Pad::zero) m.digit[k].pad = Pad::top;
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].pad == Pad::zero) m.tail[t].pad = Pad::top;
  return normalise(m);
}

constexpr Verdict check_valid_count(const CommitHow& how, Where at) {
  if (how.context == Tu::Main && how.valid_count)
    return refuse("commit-valid-count-in-main", at)
        .what("valid-count packing in the main context")
        .why("only the commit unit of the sub context counts the elements it writes")
        .help("name the elements in the mapping: Element N = 8 keeps the leading 8 of each packet");
  if (how.valid_count)
    return refuse("commit-valid-count-unknown", at)
        .what("valid-count packing, with no count")
        .why(
            "the chip's manual says that a run-time count decides how many leading elements of a packet are written; it does not say where "
            "the count comes from, so that no program can give it")
        .help("name the elements in the mapping: Element N = 8 keeps the leading 8 of each packet; vector_filter compacts by value");
  return accept();
}

}  // namespace detail

/// The commit of a stream (Chip, Cluster, Slice, Time and Packet of `stream`) into Element. Chip, Cluster and Slice
/// stay as they are.
constexpr Expected<Committed> check_commit(const Device& device, const CommitHow& how, ScalarType type, const Levels& stream,
                                           const Mapping& element, Where at = {}) {
  if (auto v = detail::check_valid_count(how, at); !v) return v.refusal();
  if (auto v = check_type_in_memory(type, at); !v) return v.refusal();
  if (auto v = check_levels(stream, at); !v) return v.refusal();
  Levels tensor = stream;
  tensor.set(Level::time, Mapping{}).set(Level::packet, Mapping{}).set(Level::row, Mapping{}).set(Level::element, element);
  if (auto v = check_levels(tensor, at); !v) return v.refusal();
  Mapping const &time = stream[Level::time], &packet = stream[Level::packet];
  auto const bytes = packed_size(type, Elements{packet.size}, at);
  if (!bytes) return bytes.refusal();
  if (*bytes != device.flit.bytes)
    return refuse("commit-packet-not-one-flit", at)
        .what("Packet ", packet, " of ", type, " is ", *bytes, "; commit takes flits of ", device.flit.bytes)
        .why("the commit unit takes one flit at a time")
        .help(how.context == Tu::Main ? "collect, cast and transpose make flits" : "fetch packets of one flit");

  // The widest part of the packet that Element has room for; into a view the narrowest that holds all of its elements,
  // so that no more padding is touched than the width of a write asks for.
  OneOf<Bytes> const& widths = device.commit.packet_sizes;
  Refusal widest{}, narrowest{}, almost{};
  bool tried = false, met = false, found = false;
  Committed done;
  for (int i = widths.count - 1; i >= 0 && (!found || how.into_view); --i) {
    Bytes const width = widths.item[i];
    Mapping const kept = resize_to(packet, width.value * 8 / scalar_info(type).packet_bits);
    if (width > *bytes || !kept.ok()) continue;
    auto c = detail::commit_width(device, how, type, time, kept, element, width, at);
    if (c) {
      found = true;
      done = *c;
      done.type = type;
      done.dropped = Elements{packet.size - kept.size};
      continue;
    }
    narrowest = c.refusal();
    if (!tried) widest = narrowest;
    tried = true;
    bool shape = false;  // another width might fit
    for (const char* code :
         {"sequence-write-beyond-tensor", "sequence-write-incomplete", "sequence-insufficient-input", "sequence-incompatible-shapes"})
      shape |= detail::is_code(narrowest, code);
    if (!shape && !met) almost = narrowest;
    met |= !shape;
  }
  if (found) {
    if (auto v = detail::check_dropped(stream, done.packet, element, at); !v) return v.refusal();
    for (Level level : {Level::chip, Level::cluster, Level::slice}) tensor.set(level, detail::without_idle_zeros(tensor[level]));
    done.tensor = tensor;
    return done;
  }
  if (met) return almost;

  // No width fits. Time is to blame if it does not fit on its own.
  Mapping const steps[] = {time};
  Buffer const to{element};
  auto const alone = derive_loops(&to, 1, steps, 1, 1, {Access::write, Absent::refused, nullptr}, at);
  if (!alone && !detail::is_code(alone.refusal(), "sequence-write-incomplete")) {
    if (!detail::is_code(alone.refusal(), "sequence-insufficient-input")) return alone.refusal();
    return refuse("commit-drops-time", at)
        .what("Element ", element, " has no room for all steps of Time ", time)
        .why("a commit drops the end of each packet, never a time step")
        .help("give Element all of Time, or fetch only the part that is wanted");
  }
  if (!tried) return refusal_of(resize_to(packet, widths.item[0].value * 8 / scalar_info(type).packet_bits), at);
  bool const incompatible = detail::is_code(widest, "sequence-incompatible-shapes") && detail::is_code(narrowest, widest.code);
  if (incompatible || detail::is_code(widest, "sequence-write-incomplete")) return widest;
  Refusal r = refuse("commit-width", at);
  r.what("Packet ", packet, " of ", type, " cannot be cut to fit Element ", element, ": a commit keeps its leading ");
  for (int i = 0; i < widths.count; ++i) r.what(i == 0 ? "" : i + 1 < widths.count ? ", " : " or ", widths.item[i].value);
  return r.what(" bytes")
      .why("more would be written outside of Element, fewer would leave live positions unwritten")
      .help("pad the row in Element to one of these widths");
}

/// The tensor that a sink writes (commit_view, to_trf, to_vrf) has the stream's type and is in its slices.
constexpr Verdict check_sink(ScalarType type, const Levels& stream, ScalarType to_type, const Levels& to, Where at = {}) {
  bool same = to_type == type;
  for (Level level : {Level::chip, Level::cluster, Level::slice}) same &= equivalent(to[level], stream[level]);
  if (same) return accept();
  return refuse("ir-sink-differs", at)
      .what("a stream of ", type, " over Slice ", stream[Level::slice], " ends in a tensor of ", to_type, " over Slice ", to[Level::slice])
      .why("a sink writes where the stream is; it converts and moves nothing")
      .help("give the tensor the stream's type, Chip, Cluster and Slice");
}

/// The address of a new tensor.
constexpr Verdict check_commit_address(const Device& device, ScalarType type, const Mapping& element, Bytes address, Where at = {}) {
  return check_dm_write(device, type, element, address, at);
}

/// The address of a commit into a view, by what is written: the view's mapping has the size of all of its tensor, and
/// may end beyond the memory.
constexpr Verdict check_commit_address(const Device& device, const Committed& commit, Bytes address, Where at = {}) {
  if (auto v = check_alignment(commit.type, address, device.checks.dma_alignment ? device.dm.write_alignment : Bytes{0}, at); !v) return v;
  Bytes const end = device.checks.geometry ? device.dm.slice_capacity : Bytes{std::int64_t{1} << 56};
  return check_reach(commit.type, commit.sequence.loops, address < end ? address : end, end, at);
}

/// What a commit into a view writes beside its elements is padding of its tensor, which begins `offset`
/// elements before the view: other elements of that tensor, and zeros that it promises, stay as they are.
constexpr Verdict check_beside_view(const Committed& commit, const Mapping& time, const Mapping& whole, std::int64_t offset,
                                    Where at = {}) {
  Mapping const stream = pair(time, commit.packet);
  if (padding_runs(stream, Pad::zero, Pad::bottom).count == 0) return accept();
  for (std::int64_t i = 0; i < stream.size; ++i) {
    if (cell(stream, i).live()) continue;
    std::int64_t const position = offset + commit.sequence.loops.at(i);
    Cell const there = cell(whole, position);
    if (position < whole.size && there.kind == CellKind::padding && there.pad == Pad::top) continue;
    return detail::touches_padding(true, whole, stream, at);
  }
  return accept();
}

/// Generate mode: one 32-bit word to DM from an address on, in all slices of the bitmap.
constexpr Verdict check_itos(const Device& device, Tu context, Bytes address, Where at = {}) {
  if (context == Tu::Main)
    return refuse("commit-generate-in-main", at)
        .what("an immediate is written to DM in the main context")
        .why("generate mode belongs to the commit unit of the sub context")
        .help("use the sub context");
  return check_dm(device, ScalarType::i32, Mapping{}, address, at);
}

/// What a memset fills: a whole tensor, beside whose elements is nothing but padding, or the elements of a tile,
/// beside which other elements lie.
enum class MemsetOf : std::uint8_t { tensor, tile };

/// The writes of a memset: so many bytes each, at these offsets from the begin of what it fills.
struct MemsetWrites {
  std::int64_t bytes = 4, count = 0;
  Loops loops{};  // strides in bytes

  constexpr std::int64_t at(std::int64_t i) const { return loops.at(i); }
};

namespace detail {

/// The live places of a mapping as writes of `each` neighbours; none if these are not always live together.
constexpr bool live_loops(const Mapping& m, std::int64_t each, std::int64_t bytes, MemsetWrites& found) {
  if (each > 1 && m.size % each != 0) return false;
  Halves const cut = split_at(m, each);
  if (!cut.outer.ok() || !cut.inner.ok() || cut.inner.tails > 0) return false;
  for (int k = 0; k < cut.inner.digits; ++k)
    if (!cut.inner.digit[k].joined && cut.inner.digit[k].slot != live_slots(cut.inner, k)) return false;
  for (int k = 0; k < m.digits; ++k)
    if (overshoots(m, m.digit[k])) return false;
  for (int k = 0; k < cut.outer.digits; ++k)  // an axis that ends inside a write
    if (overshoots(cut.outer, cut.outer.digit[k])) return false;
  for (int a = 0; a < m.axes; ++a)
    if (m.axis[a].start < 0) return false;
  Footprints const foot = footprints(cut.outer);
  found = {bytes, 1, {}};
  for (int k = 0; k < cut.outer.digits; ++k) {
    if (cut.outer.digit[k].joined) continue;
    found.loops.entry[found.loops.entries++] = {live_slots(cut.outer, k), foot.inside[k] * bytes};
    found.count *= live_slots(cut.outer, k);
  }
  return true;
}

}  // namespace detail

/// DM filled with one 32-bit word: the elements of a tensor or a tile, in writes of a word or of a part of one.
/// Padding is left alone, but for padding that must be zero (check_memset_word), and padding that no loops can leave
/// out or that shares a byte with an element: its values are undefined before and after.
constexpr Expected<MemsetWrites> check_memset(const Device& device, Tu context, ScalarType type, const Mapping& element, Bytes address,
                                              MemsetOf what = MemsetOf::tensor, Where at = {}) {
  if (auto v = check_itos(device, context, address, at); !v) return v.refusal();
  auto const bytes = element_bytes(type, element, at);
  if (!bytes) return bytes.refusal();
  bool const tile = what == MemsetOf::tile;
  MemsetWrites writes;
  bool apart = tile || !detail::promises_zero(element);
  if (apart) {
    apart = false;
    for (std::int64_t each = 4; each >= 1 && !apart; each /= 2)
      apart =
          each * 8 >= scalar_info(type).packet_bits && detail::live_loops(element, each * 8 / scalar_info(type).packet_bits, each, writes);
  }
  if (tile && !apart)
    return refuse("commit-memset-part-of-byte", at)
        .what("memset of a tile ", element, " of ", type, ", whose elements do not fill whole bytes")
        .why("a byte is written as a whole, and the bits beside the tile's elements belong to others")
        .help("let the tile hold whole bytes, or commit into it");
  if (!apart) {
    writes = {bytes->value % 4 == 0 ? 4 : 1, bytes->value / (bytes->value % 4 == 0 ? 4 : 1), {}};
    writes.loops.entry[writes.loops.entries++] = {writes.count, writes.bytes};
  }
  if (tile) {
    Loops reached = writes.loops;
    reached.entry[reached.entries++] = {writes.bytes, 1};
    Bytes const end = device.checks.geometry ? device.dm.slice_capacity : Bytes{std::int64_t{1} << 56};
    if (auto v = check_reach(ScalarType::i8, reached, address, end, at); !v) return v.refusal();
  } else if (auto v = check_dm(device, type, element, address, at); !v) {
    return v.refusal();
  }
  return writes;
}

/// The word of a memset of a whole tensor: padding that promises zeros is filled with it as well.
constexpr Verdict check_memset_word(const Mapping& element, std::uint32_t word, Where at = {}) {
  if (word == 0 || !detail::promises_zero(element)) return accept();
  return refuse("commit-memset-padding", at)
      .what("memset of Element ", element, " with a word that is not zero")
      .why("a memset leaves padding as it was, and the kind of this padding promises zeros")
      .help("pad with # instead of #z, or fill with zero");
}

/// The answer to a memset of another memory.
constexpr Refusal memset_refused(std::string_view memory, Where at = {}) {
  return refuse("commit-memset-memory", at)
      .what("memset of a tensor in ", memory, "; only DM has a command for it")
      .why("immediates are written by the commit unit of the sub context, which reaches DM")
      .help("upload a constant from the host, or copy one");
}

}  // namespace tcp
