// What the Fetch Engine accepts: it reads a DM tensor as a stream of packets, slice by slice, and hands each element
// through the adapter.
//
// The sequencer walks Element in the order of Time and Packet; the adapter then masks, looks up, casts, subtracts zero
// points and joins several fetches to one packet, in that order. All of it follows from the declared stream: how much
// one fetch moves, how many make a packet, where the walk begins, and how the masking registers are set. Nothing is
// said twice, so nothing can disagree.
#pragma once

#include "tcp/device/casts.hpp"
#include "tcp/device/engine_limits.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/lift.hpp"
#include "tcp/rules/mask.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/rules/pipeline.hpp"
#include "tcp/scalar/zero_point.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// What a rule has to know of a lookup table: the entries themselves come with the program.
struct FetchTable {
  ScalarType from = ScalarType::i8, to = ScalarType::i8;
  int zero_at = -1;  // the first index whose entry is zero; -1: there is none

  constexpr bool operator==(const FetchTable&) const = default;
};

/// How a fetch is asked for, apart from the stream.
struct FetchHow {
  Tu context = Tu::Main;
  bool dual = false;  // main with the sub context's channel: flits of twice the size
  bool with_table = false;
  FetchTable table{};
  int zero_points = 0;  // 0, 1, or one for each interleaved tensor
  std::int64_t zero_point[2]{};
  Name interleaved{};  // the axis that tells two interleaved tensors apart
  Absent absent = Absent::refused;
};

/// What a fetch does: the stream, the walk, and the adapter's settings.
struct Fetched {
  ScalarType type = ScalarType::i32;
  Stream stream{};
  Sequence sequence{};  // access: the book's fetch_size; strides and base count stored elements
  Mask mask{};
  int interleave_entry = -1;  // the loop that changes from one tensor to the other; its stride is the distance of their addresses
  Elements read_before{}, read_after{};  // how far the walk leaves the tensor, for padding before and after it
  Lifts lifts{};                         // where in its copy each unit begins

  constexpr Bytes fetch_size() const { return sequence.access; }
  constexpr std::int64_t fetches_per_packet() const { return sequence.accesses_a_packet; }
  constexpr std::int64_t fetches() const { return sequence.accesses(); }
};

/// Two tensors that take turns: the same type and mappings, and a new axis of two steps that says whose turn it is.
constexpr Verdict check_begin_interleaved(const Device& device, Name axis, std::int64_t size, ScalarType type, const Levels& first,
                                          ScalarType other_type, const Levels& other, Where at = {}) {
  if (size != device.fetch.interleaved_tensors)
    return refuse("fetch-interleave-axis", at)
        .what("axis ", axis, " has ", size, " steps; a fetch interleaves exactly ", device.fetch.interleaved_tensors, " tensors")
        .why("the sequencer has one loop for the turn, and two base addresses")
        .help("declare ", axis, " = ", device.fetch.interleaved_tensors, "; combine further tensors in a second pass");
  if (type != other_type)
    return refuse("fetch-interleave-differs", at)
        .what("a tensor of ", type, " is interleaved with one of ", other_type)
        .why("both are read by one sequencer, in one type")
        .help("cast one of them first");
  for (int i = 0; i < level_count; ++i) {
    Level const level = static_cast<Level>(i);
    if (level == Level::time || level == Level::packet || first.at[i] == other.at[i]) continue;
    return refuse("fetch-interleave-differs", at)
        .what("a tensor with ", name_of(level), " = ", first.at[i], " is interleaved with one with ", name_of(level), " = ", other.at[i])
        .why("both are read by one sequencer, with one mapping")
        .help("bring both into one layout first");
  }
  for (int i = 0; i < level_count; ++i)
    if (find_axis(first.at[i], axis) >= 0)
      return refuse("fetch-interleave-axis-used", at)
          .what("axis ", axis, " tells the interleaved tensors apart, but ", name_of(static_cast<Level>(i)), " = ", first.at[i],
                " already counts it")
          .why("one axis cannot both count elements and say whose turn it is")
          .help("declare an axis of its own for the turn");
  return accept();
}

namespace detail {

/// Types and adapter stages: what may follow what, and in which context.
constexpr Verdict check_adapter(const Device& device, const FetchHow& how, ScalarType from, ScalarType to, Where at) {
  if (!scalar_info(from).in_memory)
    return refuse("fetch-type-not-in-memory", at)
        .what("there are no tensors of ", from, " in DM")
        .why("i5 and i9 exist only between the fetch adapter and the contraction")
        .help("store ", from == ScalarType::i5 ? "i4" : "i8", " and let the fetch widen it");
  if (how.dual && how.context == Tu::Sub)
    return refuse("fetch-dual-in-sub", at)
        .what("the sub context cannot fetch by two channels")
        .why("dual channel gives the sub context's channel to main")
        .help("fetch in the main context, or by one channel");
  if (how.with_table) {
    if (how.context == Tu::Sub)
      return refuse("fetch-table-in-sub", at)
          .what("the sub context has no lookup table")
          .why("its adapter casts, subtracts zero points and batches, no more")
          .help("fetch with the table in the main context");
    if (how.table.from != from || scalar_info(from).bits > 8)
      return refuse("fetch-table-index", at)
          .what("a table from ", how.table.from, " to ", how.table.to, " cannot be indexed by ", from)
          .why("an index is the unsigned value of a 4-bit or 8-bit element")
          .help("use a table made for ", scalar_info(from).bits > 8 ? text("a type of at most 8 bits") : text(from));
    if (how.zero_points > 0)
      return refuse("fetch-table-and-zero-point", at)
          .what("a table and a zero point are asked for in one fetch")
          .why("the zero point belongs to the stored value, which the table has replaced")
          .help("put the subtraction into the table's entries");
  }
  ScalarType const looked_up = how.with_table ? how.table.to : from;
  if (!has_fetch_cast(device, looked_up, to)) {
    Refusal r = refuse("fetch-no-such-cast", at);
    r.what("the fetch adapter has no cast from ", looked_up, " to ", to).help("fetch ", looked_up, " as ", looked_up);
    for (ScalarType each : scalar_types)
      if (each != looked_up && has_fetch_cast(device, looked_up, each)) r.help(" or ", each);
    return r.why("later stages have other casts: the Vector Engine between i32 and f32, the Cast Engine to narrower types");
  }
  if (how.zero_points == 0) return accept();
  if (how.zero_points > (how.interleaved == Name{} ? 1 : 2))
    return refuse("fetch-zero-points-not-interleaved", at)
        .what(how.zero_points, " zero points for ", how.interleaved == Name{} ? "one tensor" : "two interleaved tensors")
        .why("a zero point is one number for each tensor that is fetched")
        .help("use fetch_with_zero_point, or begin_interleaved and a zero point for each of the two");
  for (int i = 0; i < how.zero_points; ++i)
    if (auto const z = zero_point(from, how.zero_point[i], at); !z) return z.refusal();
  if (from == to)
    return refuse("fetch-zero-point-type", at)
        .what("a zero point is subtracted from ", from, ", and the stream is ", to, " as well")
        .why("the difference of two values of ", from, " needs a wider type")
        .help("fetch as ", from == ScalarType::i4   ? "i5 or i32"
                           : from == ScalarType::i8 ? "i9 or i32"
                                                    : "i32");
  return accept();
}

/// The turn of interleaved tensors is one whole loop of Time.
constexpr Verdict check_turn(const Device& device, Name axis, const Mapping& time, const Mapping& packet, Where at) {
  int const a = find_axis(time, axis);
  int digits = 0;
  bool whole = find_axis(packet, axis) < 0;
  for (int k = 0; a >= 0 && k < time.digits; ++k) {
    Digit const& d = time.digit[k];
    if (d.axis != a) continue;
    ++digits;
    whole &= d.size == device.fetch.interleaved_tensors && d.slot == d.size && !d.in_window() && time.axis[a].start == 0;
  }
  if (digits == 1 && whole) return accept();
  return refuse("fetch-interleave-not-in-time", at)
      .what("the tensors are told apart by axis ", axis, ", which must be a whole factor of Time; Time is ", time, ", Packet ", packet)
      .why("a packet comes from one of the tensors, and the turn changes between packets")
      .help("put ", axis, " into Time, innermost for packets that alternate");
}

/// The value that becomes zero in the adapter; false if there is none.
constexpr bool value_of_zero(const FetchHow& how, std::int64_t& stored) {
  stored = 0;
  if (how.with_table) stored = how.table.zero_at;
  if (how.zero_points > 0) stored = how.zero_point[0];
  if (how.zero_points > 1 && how.zero_point[1] != stored) return false;
  return !how.with_table || stored >= 0;
}

/// The zero padding of the stream that the source does not hold.
constexpr Expected<PaddingRuns> zeros_to_make(const FetchHow& how, const Levels& source, const Mapping& time, const Mapping& packet,
                                              const Mapping& both, Where at) {
  std::int64_t stored = 0;
  bool const known = value_of_zero(how, stored);
  for (Level level : {Level::chip, Level::cluster, Level::slice})
    if ((!known || stored != 0) && promises_zero(source[level]))
      return refuse("fetch-zero-moved", at)
          .what(name_of(level), " = ", source[level], " promises zeros, which the ", how.with_table ? "table" : "zero point",
                " would turn into something else")
          .why("only padding in Time and Packet can be masked")
          .help("declare the padding of ", name_of(level), " with # from the start");
  PaddingRuns left;
  if (!promises_zero(both)) return left;
  Mapping const outside[] = {source[Level::chip], source[Level::cluster], source[Level::slice]};
  PaddingRuns const all = padding_runs(both, Pad::zero, Pad::zero, outside, 3);
  left.more = all.more;
  for (int i = 0; i < all.count; ++i) {
    ZerosHeld const held = !known || stored != 0 ? ZerosHeld::none : zeros_held(source[Level::element], both, all.run[i]);
    if (held == ZerosHeld::all) continue;
    left.run[left.count++] = held == ZerosHeld::behind ? without_end(all.run[i]) : all.run[i];
  }
  if (left.count == 0 && !left.more) return left;
  if (how.context == Tu::Sub)
    return refuse("fetch-mask-in-sub", at)
        .what("Time ", time, " and Packet ", packet, " promise zeros that ", source[Level::element], " does not hold")
        .why("only the adapter of the main context masks")
        .help("keep zero padding in the tensor itself, pad with #, or fetch in the main context");
  if (!known)
    return refuse("fetch-mask-no-zero", at)
        .what("zero padding in Time ", time, " or Packet ", packet, ", and no stored value becomes zero for ",
              how.with_table ? "this table" : "both zero points")
        .why("masking comes before the table and the zero point, and has one value")
        .help(how.with_table ? "give the table an entry of zero, or pad with #" : "use one zero point for both tensors, or pad with #");
  for (int i = 0; i < left.count; ++i)
    if (left.run[i].elsewhere)
      return refuse("fetch-mask-by-slice", at)
          .what("which positions of Time ", time, " and Packet ", packet, " are padding depends on the slice")
          .why("all slices mask alike; a finer factor of the axis is counted by Slice, Cluster or Chip")
          .help("keep zero padding in the tensor itself, or give the finer factor to Element");
  return left;
}

/// Whether some step of a mapping moves along an axis.
constexpr bool moves_along(const Mapping& m, Name axis) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].axis != no_axis && m.digit[k].size > 1 && m.axis[m.digit[k].axis].name == axis) return true;
  return false;
}

/// A stream may repeat what it reads along an axis of its own, and may leave out what it does not want; both at once is
/// an axis by the wrong name.
constexpr Verdict check_axes_meant(const FetchHow& how, const Levels& source, const Mapping& time, const Mapping& packet, Where at) {
  Mapping const& element = source[Level::element];
  for (int u = 0; u < element.axes; ++u) {
    Name const unread = element.axis[u].name;
    if (!moves_along(element, unread) || moves_along(time, unread) || moves_along(packet, unread)) continue;
    for (const Mapping* m : {&time, &packet})
      for (int a = 0; a < m->axes; ++a) {
        Name const repeats = m->axis[a].name;
        bool known = repeats == how.interleaved || !moves_along(*m, repeats);
        for (const Mapping& level : source.at) known |= find_axis(level, repeats) >= 0;
        if (known) continue;
        return refuse("fetch-axis-not-read", at)
            .what("the stream repeats along ", repeats, ", which the tensor does not have, and reads only the first step of ", unread,
                  " of its Element ", element)
            .why("either is allowed alone; together they are what an axis by the wrong name looks like")
            .help("write ", unread, " for ", repeats, ", or fetch from tile(", unread, ", 1, 0) to repeat one step of it");
      }
  }
  return accept();
}

/// An element of 4 bits may share its byte, a fetch may not begin in the middle of one.
constexpr Verdict check_whole_bytes(ScalarType type, const Loops& loops, Bytes access, const Lifts& lifts, Where at) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  if (bits % 8 == 0) return accept();
  bool whole = loops.base * bits % 8 == 0;
  for (int i = 0; i < lifts.count; ++i) whole &= lifts.step[i].stride * bits % 8 == 0;
  std::int64_t inside = 1;
  for (int k = loops.entries - 1; k >= 0; --k) {
    if (inside * bits >= access.value * 8) whole &= loops.entry[k].stride * bits % 8 == 0;
    inside *= loops.entry[k].size;
  }
  if (whole) return accept();
  return refuse("fetch-half-byte", at)
      .what("the walk ", loops, " from ", loops.base, " on begins a fetch in the middle of a byte of two ", type, " elements")
      .why("fetches begin at whole bytes")
      .help("pad the inner factors of Element to even sizes");
}

/// The most bytes that one fetch can move.
constexpr Expected<Bytes> fetch_size(const Device& device, const FetchHow& how, ScalarType from, ScalarType to, const Loops& loops,
                                     Where at) {
  if (how.context == Tu::Main) return access_size(main_fetch_sizes(device, how.dual, from, to), from, loops, at);
  OneOf<Bytes> const sizes = sub_fetch_sizes(device, from, to);
  std::int64_t const common = greatest_common_divisor(loops.packet, loops.contiguous());
  for (Bytes each : sizes)
    if (common % (each.value * 8 / scalar_info(from).packet_bits) == 0) return each;
  Bytes const size = sizes.item[0];
  return refuse("fetch-sub-run-too-short", at)
      .what("the sub context fetches ", size, " at once; packets of ", loops.packet, " elements of ", from, " are in runs of ",
            loops.contiguous(), ", so that ", common, common == 1 ? " comes" : " come", " at once")
      .why("a fetch reads neighbouring bytes of one packet")
      .help("make the innermost factors of Element and Packet agree on ", size, ", or fetch in the main context");
}

}  // namespace detail

/// The fetch of a DM tensor (Chip, Cluster, Slice and Element of `source`) as a stream of type `to`. Chip, Cluster and
/// Slice stay as they are: a lifted source has those of the stream.
constexpr Expected<Fetched> check_fetch(const Device& device, const FetchHow& how, ScalarType from, const Levels& source, ScalarType to,
                                        const Mapping& time, const Mapping& packet, Where at = {}, const Lifts& lifts = Lifts{}) {
  if (auto v = check_cluster_size(device, source[Level::cluster], at); !v) return v.refusal();
  if (auto v = check_slice_size(device, source[Level::slice], at); !v) return v.refusal();
  Levels stream = source;
  stream.set(Level::element, Mapping{}).set(Level::time, time).set(Level::packet, packet);
  if (auto v = check_levels(stream, at); !v) return v.refusal();
  if (auto v = detail::check_adapter(device, how, from, to, at); !v) return v.refusal();
  auto const bytes = packed_size(to, Elements{packet.size}, at);
  if (!bytes) return bytes.refusal();
  if (bytes->value % device.fetch.packet_multiple.value != 0)
    return refuse("fetch-packet-not-aligned", at)
        .what("Packet ", packet, " of ", to, " is ", *bytes, "; a fetch makes packets of a multiple of ", device.fetch.packet_multiple)
        .why("the sequencer reads rows of DM, and the pad of a packet is read along with it")
        .help("pad it: ", detail::ShownOperand{packet}, " # ",
              round_up(bytes->value, device.fetch.packet_multiple.value) * 8 / scalar_info(to).packet_bits);

  // Interleaved tensors lie in one memory, as far apart as their addresses, which only run time knows.
  constexpr std::int64_t unknown_distance = std::int64_t{1} << 48;
  Buffer buffers[2] = {{source[Level::element]}, {}};
  bool const interleaved = !(how.interleaved == Name{});
  if (interleaved) {
    if (auto v = detail::check_turn(device, how.interleaved, time, packet, at); !v) return v.refusal();
    buffers[1] = {axis_mapping(how.interleaved, device.fetch.interleaved_tensors), unknown_distance};
  }
  // Zero padding is judged on Time and Packet together, and walked so: its zeros may lie in the source after the last
  // element.
  bool const zero = detail::promises_zero(time) || detail::promises_zero(packet);
  Mapping const both = zero ? pair(time, packet) : Mapping{};
  if (!both.ok()) return refusal_of(both, at);
  Mapping const terms[] = {zero ? both : time, packet};
  Walks walks;
  walks.absent = how.absent;
  auto const derived = derive_loops(buffers, interleaved ? 2 : 1, terms, zero ? 1 : 2, 1, walks, at);
  if (!derived) return derived.refusal();
  if (auto v = detail::check_axes_meant(how, source, time, packet, at); !v) return v.refusal();
  Loops loops = *derived;
  loops.packet = packet.size;
  if (zero) detail::cut_loops(loops, packet.size);
  for (int k = 0; k < loops.entries && interleaved; ++k)
    if (loops.entry[k].stride == unknown_distance) loops.entry[k] = {loops.entry[k].size, 0, true};  // joins no neighbour

  auto const access = detail::fetch_size(device, how, from, to, loops, at);
  if (!access) return access.refusal();
  if (auto v = detail::check_whole_bytes(from, loops, *access, lifts, at); !v) return v.refusal();
  auto const zeros = detail::zeros_to_make(how, source, time, packet, both, at);
  if (!zeros) return zeros.refusal();

  auto const fitted = fit_sequencer(device, loops, at);
  if (!fitted) return fitted.refusal();

  Fetched f;
  f.type = to;
  f.stream = {time, packet};
  f.sequence.loops = *fitted;
  if (zeros->count > 0 || zeros->more) {
    MaskedWalk masked;
    if (!find_mask(device, from, loops, *zeros, *access, masked))
      return refuse("fetch-mask-impossible", at)
          .what("the zeros that Time ", time, " and Packet ", packet, " of ", from, " promise fit none of the ways to mask")
          .why("the registers mask the ends of the innermost loop, in the first and last round of one other loop, or by up to ",
               device.fetch.mask_counts, " counts")
          .help("keep zero padding in the tensor itself, zero-pad one axis only, or pad with #");
    f.mask = masked.mask;
    detail::value_of_zero(how, f.mask.pad_value);
    f.sequence.loops = masked.loops;
  }
  for (int k = 0; k < f.sequence.loops.entries; ++k) {
    if (!f.sequence.loops.entry[k].indirect) continue;
    f.interleave_entry = k;
    f.sequence.loops.entry[k].indirect = false;
  }
  f.sequence.access = *access;
  f.sequence.accesses_a_packet = packet.size / (access->value * 8 / scalar_info(from).packet_bits);
  f.sequence.packets = time.size;
  f.lifts = lifts;
  std::int64_t const behind = f.sequence.loops.furthest() + lifts.reach() + 1 - source[Level::element].size;
  f.read_before = Elements{f.sequence.loops.base < 0 ? -f.sequence.loops.base : 0};
  f.read_after = Elements{behind > 0 ? behind : 0};
  return f;
}

/// Where the walk begins and ends, once the address is known: inside the memory, beyond the tensor or not. `from`: the
/// stored type.
constexpr Verdict check_fetch_address(const Device& device, ScalarType from, const Fetched& fetched, Bytes address, Where at = {}) {
  if (auto v = check_alignment(from, address, device.dm.read_alignment, at); !v) return v;
  Bytes const end = device.checks.geometry ? device.dm.slice_capacity : Bytes{std::int64_t{1} << 56};
  return check_reach(from, fetched.sequence.loops, address < end ? address : end, end, at, fetched.lifts.reach());
}

}  // namespace tcp
