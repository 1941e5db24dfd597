// What the Contraction Engine accepts: products of a stream with weights from the TRF, added up within a packet and
// over time.
//
//     align        pairs the stream with the TRF: the Stream Adapter makes packets of its flits (stream_adapter.hpp), the TRF Sequencer reads the weights in
//                  the same order (trf_sequencer.hpp). Both then have one mapping, the computation's: Row, Time, Packet.
//     contract     multiplies, and adds neighbours in a tree: Packet becomes Packet / 2^n, in the wide type.
//     accumulate   adds over the axes of Time that are left out of the result, in 1,024 slots, and folds Row into Packet (Interleaved) or Time (Sequential).
//
// Padding: a product at zero padding of either side is +0.0, whatever the other side holds. `check_align` therefore
// merges the kinds of both sides: the computation's padding is zero where a product is. What is summed may contain zero
// padding, and no other.
#pragma once

#include "tcp/device/engine_limits.hpp"
#include "tcp/device/tensor_unit.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/pipeline.hpp"
#include "tcp/rules/register_files.hpp"
#include "tcp/rules/stream_adapter.hpp"
#include "tcp/rules/trf_sequencer.hpp"
#include "tcp/support/known.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// Products and sums are wider than their operands.
constexpr ScalarType wide_type(ScalarType type) { return is_integer(type) ? ScalarType::i32 : ScalarType::f32; }

/// How long the deepest tree for operands of a type takes.
constexpr Cycles tree_latency(const Device& d, ScalarType type) {
  switch (scalar_info(type).packet_bits) {
    case 4: return d.contraction.tree_latency_i4;
    case 8: return is_integer(type) ? d.contraction.tree_latency_i8 : d.contraction.tree_latency_f8;
    default: return d.contraction.tree_latency_bf16;
  }
}

/// Both operands are of one kind of multiplier: i4 or i5, i8 or i9, or twice the same floating type.
constexpr Verdict check_operand_types(ScalarType stream, ScalarType trf, Where at = {}) {
  for (ScalarType type : {stream, trf})
    if (auto v = check_operand_type(type, at); !v) return v;
  bool const same_multiplier = is_integer(stream) && is_integer(trf) && scalar_info(stream).packet_bits == scalar_info(trf).packet_bits;
  if (stream == trf || same_multiplier) return accept();
  return refuse("contraction-mixed-types", at)
      .what("a stream of ", stream, " cannot be multiplied with weights of ", trf)
      .why("one type sets the multipliers of both sides; i5 and i9 count as i4 and i8")
      .help("fetch one of them into the other's type");
}

/// An aligned pair. `at` has Chip, Cluster, Slice, Row, Time and Packet of the computation; its padding is zero where
/// either side's is.
struct Aligned {
  Levels at{};
  ScalarType type{}, trf_type{};
  AdapterSettings adapter{};
  TrfRead trf{};
};

/// The tree's result. Packet is the columns that a Row supplies.
struct Contracted {
  Levels at{};
  ScalarType type{};  // the wide one
  std::int64_t depth = 0;
};

/// The engine's result, and how the accumulator makes it.
struct Accumulated {
  static constexpr int max_loops = 2 * Mapping::max_digits;

  Stream out{};
  ScalarType type{};
  TimeLoop loop[max_loops]{};  // of the computation's Time, outermost first
  int loops = 0;
  std::int64_t columns = 1;  // that leave the accumulator
  std::int64_t groups = 1;   // of columns (Interleaved) or Rows (Sequential) that fill the accumulator in turn, one per cycle
  std::int64_t inner = 1;    // values of a register set that are open at the same time; 1 where nothing is added over time
  std::int64_t slots = 0;    // that these take
};

namespace detail {

/// The padding of m with kinds that both sides allow: zero where either has zeros. `repeated`: the stream has no
/// padding there, it repeats.
constexpr Mapping merged_padding(Mapping m, const TrfPadding& trf, bool repeated, bool in_packet) {
  for (int k = 0; k < m.digits; ++k) {
    Digit& d = m.digit[k];
    bool const slots = d.slot > d.size;
    bool const ends = d.axis != no_axis && coarsest_digit(m, d.axis) == k && (m.axis[d.axis].start < 0 || overshoots(m, d));
    if (!slots && !ends) continue;
    Pad const own = repeated ? Pad::none : d.pad == Pad::none ? Pad::top : d.pad;
    Pad other = slots ? trf.at_digit(m, k, in_packet) : Pad::zero;
    if (ends && other == Pad::zero) other = trf.at_end(m.axis[d.axis].name, end_of(d.stride, d.slot));
    d.pad = own == Pad::zero || other == Pad::zero ? Pad::zero : own == Pad::bottom ? Pad::bottom : Pad::top;
  }
  return normalise(m);
}

/// Two spellings of one level: zero where either has zeros.
constexpr Mapping merged_padding(const Mapping& stream, const Mapping& trf) {
  Mapping m = stream;
  if (stream.digits != trf.digits || stream.tails != trf.tails) return m;
  for (int k = 0; k < m.digits; ++k)
    if (trf.digit[k].pad == Pad::zero) m.digit[k].pad = Pad::zero;
  for (int t = 0; t < m.tails; ++t)
    if (trf.tail[t].pad == Pad::zero) m.tail[t].pad = Pad::zero;
  return normalise(m);
}

/// Padding among what is summed, of the weakest kind there is.
struct SummedPadding {
  Pad kind = Pad::none;
  Name axis{};  // none: of no axis

  constexpr void add(Pad other, Name of) {
    if (other > kind) *this = {other, of};
  }
};

/// `summed` are the digits that are summed, `kept` those that are not, on all levels.
constexpr SummedPadding summed_padding(const Levels& kept, const Mapping& summed) {
  SummedPadding worst;
  for (int k = 0; k < summed.digits; ++k) {
    Digit const& d = summed.digit[k];
    if (d.slot > d.size) worst.add(d.pad, d.axis == no_axis ? Name{} : summed.axis[d.axis].name);
  }
  for (int t = 0; t < summed.tails; ++t) worst.add(summed.tail[t].pad, {});
  for (int a = 0; a < summed.axes; ++a) {
    AxisUse const& axis = summed.axis[a];
    if (coarsest_digit(summed, a) < 0) continue;
    Checked start = 0, furthest = 0;
    Checked block = 1;
    std::int64_t end = 0, finest = INT64_MAX, coarsest = -1, kept_from = INT64_MAX;
    Pad kind = Pad::top;
    for (int l = 0; l <= level_count; ++l) {
      Mapping const& m = l < level_count ? kept.at[l] : summed;
      int const b = find_axis(m, axis.name);
      if (b < 0) continue;
      start = start + m.axis[b].start;
      for (int k = 0; k < m.digits; ++k) {
        Digit const& d = m.digit[k];
        if (d.axis != b) continue;
        furthest = furthest + Checked(d.size - 1) * d.stride;
        if (d.stride > coarsest) {
          coarsest = d.stride;
          kind = d.pad == Pad::none ? Pad::top : d.pad;
        }
        if (l < level_count) {
          if (d.stride < kept_from) kept_from = d.stride;
        } else {
          block = block * d.size;
          if (d.stride < finest) finest = d.stride;
          if (end_of(d.stride, d.size) > end) end = end_of(d.stride, d.size);
        }
      }
    }
    Checked const last = start + furthest;
    if (last.fits && start.value >= 0 && last.value < axis.extent) continue;
    // The axis ends inside: between sums, if these are whole blocks of it, else within one.
    Checked const summed_end = block * finest;
    bool const whole_blocks =
        last.fits && summed_end.fits && summed_end.value == end && end <= kept_from && axis.extent % end == 0 && start.value % end == 0;
    if (!whole_blocks) worst.add(kind, axis.name);
  }
  return worst;
}

constexpr Verdict check_summed(ContractOp op, const Levels& kept, const Mapping& summed, Where at) {
  SummedPadding const padding = summed_padding(kept, summed);
  if (padding.kind == Pad::none || (padding.kind == Pad::zero && op == ContractOp::Add)) return accept();
  Text where;
  if (!(padding.axis == Name{})) where << " of axis " << padding.axis;
  if (op == ContractOp::Max)
    return refuse("contraction-max-padding", at)
        .what("the maximum over ", summed, " would take in padding", where)
        .why("zeros take part in a sum without changing it; in a maximum they win over negative products")
        .help("keep padding in columns of its own: a packet K # 32 of 16 elements leaves 1 # 2, of which the second is cut off later");
  return refuse("contraction-undefined-padding", at)
      .what("the sum over ", summed, " would take in padding", where, " that is undefined in the stream and in the TRF")
      .why("an undefined product makes the sum undefined; zeros on one side make it +0.0")
      .help("pad with zeros in the fetch of one of them: #z, .pad_zero(n)");
}

/// An axis that is added within blocks, and of which the blocks stay as columns, begins at a block: else no column has
/// a coordinate of its own.
constexpr Verdict check_columns_start(const Levels& computation, const Mapping& summed, const Mapping& columns, Where at) {
  for (int a = 0; a < summed.axes; ++a) {
    Name const axis = summed.axis[a].name;
    if (coarsest_digit(summed, a) < 0 || !counts_axis(columns, axis)) continue;
    std::int64_t start = 0;
    for (const Mapping& m : computation.at)
      if (int const b = find_axis(m, axis); b >= 0) start += m.axis[b].start;
    if (start % summed.size == 0) continue;
    return refuse("contraction-columns-start", at)
        .what("axis ", axis, " begins at ", start, " and is added in blocks of ", summed.size, ", of which ", columns, " stays")
        .why("a block that begins before the axis, or inside another one, has no coordinate that its sum could be found by")
        .help("add all of ", axis, ", or pad it in front by whole blocks");
  }
  return accept();
}

/// The columns of a tree of depth n, as far as `columns` of them: only padding may be cut off.
constexpr Mapping tree_columns(const Mapping& packet, std::int64_t summed, std::int64_t columns) {
  Mapping const all = divide_by(packet, summed);
  if (!all.ok() || all.size == columns) return all;
  if (all.size < columns || all.tails > 0 || live_slots(all, 0) * footprints(all).inside[0] > columns) {
    Mapping none = all;
    none.fault = {FaultKind::resize_above_size, '=', columns, all.size};
    return none;
  }
  return resize_to(all, columns);
}

/// What of Time is kept and what is added up, found by walking both Times from the outside in.
class TimeSplit {
 public:
  constexpr TimeSplit(const Mapping& time, const Mapping& wanted) : wanted_(wanted) {
    bool plain = time.tails == 0 && wanted.tails == 0;
    for (int k = 0; k < time.digits; ++k) plain &= !time.digit[k].in_window() && time.digit[k].skewed_by == no_axis;
    if (!plain) {
      // A group with padding of its own is kept or added as a whole.
      if (equivalent(time, wanted)) push(time, false);
      else push(time, true);
    } else {
      for (int a = 0; a < time.axes; ++a) {  // of some axes only a start is left
        if (coarsest_digit(time, a) >= 0) continue;
        int const b = find_axis(wanted, time.axis[a].name);
        use_axis(b >= 0 && wanted.axis[b].start == time.axis[a].start ? kept : added, time.axis[a]);
      }
      next();
      for (int k = 0; k < time.digits; ++k) split(piece(time, k, k + 1));
    }
    found = at_ >= wanted.digits && kept.ok() && equivalent(kept, wanted);
    if (!plain) found = kept.ok() && equivalent(kept, wanted);
  }

  Mapping kept{}, added{};
  TimeLoop loop[Accumulated::max_loops]{};
  int loops = 0;
  bool found = false;

 private:
  constexpr void push(const Mapping& m, bool is_added) {
    if (m.size == 1) {
      if (!is_added) kept = pair(kept, m);
      return;
    }
    (is_added ? added : kept) = pair(is_added ? added : kept, m);
    if (loops < Accumulated::max_loops) loop[loops++] = {m.size, is_added};
  }

  constexpr void next() {
    if (++at_ < wanted_.digits) left_ = wanted_.digit[at_];
  }

  constexpr void split(Mapping t) {
    while (t.digits > 0) {
      Digit const d = t.digit[0];
      if (at_ >= wanted_.digits) return push(t, true);
      if (d.axis == no_axis || left_.axis == no_axis) {
        bool const same = d.axis == left_.axis && d.size == left_.size && d.slot == left_.slot;
        push(t, !same);
        if (same) next();
        return;
      }
      if (!(t.axis[d.axis].name == wanted_.axis[left_.axis].name)) return push(t, true);
      std::int64_t const end = end_of(d.stride, d.slot), wanted_end = end_of(left_.stride, left_.slot);
      if (end == wanted_end) {
        std::int64_t const low = d.stride > left_.stride ? d.stride : left_.stride;
        if (low % d.stride != 0 || low % left_.stride != 0) return push(t, true);
        Halves const h = split_at(t, low / d.stride);
        if (!h.outer.ok()) return push(t, true);
        push(h.outer, false);
        t = h.inner;
        if (low == left_.stride) {
          next();
        } else {
          left_.slot = low / left_.stride;
          if (left_.size > left_.slot) left_.size = left_.slot;
        }
      } else if (wanted_end < end && wanted_end > d.stride && end % wanted_end == 0 && wanted_end % d.stride == 0) {
        Halves const h = split_at(t, wanted_end / d.stride);
        // One step and padding after it is nothing to add up: the padding belongs to the axis that is kept.
        bool const padding = h.outer.digits == 1 && h.outer.digit[0].size == 1;
        if (!h.outer.ok() || padding) return push(t, true);
        push(h.outer, true);
        t = h.inner;
      } else {
        return push(t, true);
      }
    }
  }

  const Mapping& wanted_;
  int at_ = -1;
  Digit left_{};
};

}  // namespace detail

/// Pairs a collected stream (Chip, Cluster, Slice, Time, Packet) with a TRF tensor (Chip, Cluster, Slice, Row,
/// Element).
/// Law: the lanes of Time2 and Packet2 hold the stream's elements, axes of the TRF aside, and read_trf's bytes their
/// weights. Steps of Time2 that neither has repeat what is inside of them.
constexpr Expected<Aligned> check_align(const Device& device, ScalarType type, const Levels& stream, ScalarType trf_type, const Levels& trf,
                                        const Mapping& time2, const Mapping& packet2, Where at = {}) {
  if (auto v = check_operand_types(type, trf_type, at); !v) return v.refusal();
  for (Level l : {Level::chip, Level::cluster, Level::slice}) {
    if (!stream[l].ok()) return refusal_of(stream[l], at);
    if (!trf[l].ok()) return refusal_of(trf[l], at);
    if (!equivalent(stream[l], trf[l]))
      return refuse("contraction-other-slices", at)
          .what("the stream has ", name_of(l), " ", stream[l], ", the TRF tensor ", trf[l])
          .why("a slice multiplies what it has; neither side moves on the way")
          .help("load the TRF from a tensor with ", name_of(l), " = ", stream[l]);
  }
  for (Level l : {Level::row, Level::element})
    if (!trf[l].ok()) return refusal_of(trf[l], at);
  if (auto v = check_row_count(device, trf[Level::row], at); !v) return v.refusal();

  auto const adapted = adapt(device, type, stream[Level::time], stream[Level::packet], time2, packet2, at);
  if (!adapted) return adapted.refusal();
  Aligned a;
  a.type = type;
  a.trf_type = trf_type;
  a.adapter = adapted->settings;
  Mapping const time = pair(pair(adapted->rest, adapted->shift), adapted->tile);
  if (!time.ok()) return refusal_of(time, at);
  auto const read = read_trf(device, type, trf, time, adapted->packet, at);
  if (!read) return read.refusal();
  a.trf = *read;

  detail::TrfPadding const weights(trf, read->read.value * 8 / scalar_info(type).packet_bits);
  for (Level l : {Level::chip, Level::cluster, Level::slice}) a.at[l] = detail::merged_padding(stream[l], trf[l]);
  a.at[Level::row] = trf[Level::row];
  a.at[Level::time] = pair(
      pair(detail::merged_padding(adapted->rest, weights, false, false), detail::merged_padding(adapted->shift, weights, false, false)),
      detail::merged_padding(adapted->tile, weights, true, false));
  a.at[Level::packet] = detail::merged_padding(adapted->packet, weights, false, true);
  if (auto v = check_levels(a.at, at); !v) return v.refusal();
  return a;
}

/// Adds products within a packet. `pair`: the computation, as check_align gives it.
/// Law: Packet2 is Packet / 2^depth, less outer columns of padding; of several depths that fit, the deepest without
/// such columns.
constexpr Expected<Contracted> check_contract(const Device& device, ContractOp op, ScalarType type, const Levels& computation,
                                              const Mapping& packet2, Where at = {}) {
  if (auto v = check_operand_type(type, at); !v) return v.refusal();
  Mapping const &packet = computation[Level::packet], &row = computation[Level::row];
  for (const Mapping* m : {&packet, &row, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  if (op == ContractOp::Max && row.size > 1)
    return refuse("contraction-max-rows", at)
        .what("contract_max with Row ", row, " of ", row.size, " rows; only one row finds a maximum")
        .why("the other rows of the Reducer can only add")
        .help("store the TRF tensor with Row m![1], and its rows in Element");
  std::int64_t const columns = packet2.size;
  if (columns > device.contraction.columns)
    return refuse("contraction-too-many-columns", at)
        .what("Packet ", packet2, " is ", columns, " sums; a Row supplies ", device.contraction.columns, " columns")
        .why("the accumulator has as many columns for each Row")
        .help("add neighbours: write Packet / ", ceil_div(columns, device.contraction.columns), ", or cut off columns of padding");
  Contracted c;
  c.type = wide_type(type);
  c.at = computation;
  std::int64_t depth = 0;
  while ((packet.size >> depth) > columns) ++depth;
  bool const power_of_two = (columns & (columns - 1)) == 0;
  for (; depth >= 0 && power_of_two; --depth) {
    Mapping const all = detail::tree_columns(packet, std::int64_t{1} << depth, columns);
    if (!all.ok() || !equivalent(all, packet2)) continue;
    if (depth > tree_depth(device, type))
      return refuse("contraction-tree-too-deep", at)
          .what("Packet ", packet2, " of ", packet, " adds 2^", depth, " products; the tree for ", type, " adds 2^",
                tree_depth(device, type))
          .why("each level of the tree adds pairs")
          .help("leave more of the packet: write ", divide_by(packet, std::int64_t{1} << tree_depth(device, type)));
    c.at[Level::packet] = all;
    Mapping const summed = modulo(packet, std::int64_t{1} << depth);
    if (auto v = detail::check_columns_start(computation, summed, all, at); !v) return v.refusal();
    if (auto v = detail::check_summed(op, c.at, summed, at); !v) return v.refusal();
    c.depth = depth;
    return c;
  }
  depth = 0;
  while ((packet.size >> depth) > columns) ++depth;
  Mapping const near = divide_by(packet, std::int64_t{1} << depth);
  Refusal r = refuse("contraction-columns-wrong", at);
  r.what("Packet ", packet2, " is not what a tree leaves of ", packet)
      .why("it adds neighbours, then neighbouring sums: n levels leave Packet / 2^n; only padding may be cut off, on the outside");
  if (near.ok()) return r.help("write ", near, ", or bring the axes to be added to the inside of the packet");
  return r.help("bring the axes to be added to the inside of the packet");
}

/// Adds over time, and folds Row. `contracted`: Chip, Cluster, Slice, Row, Time and Packet of the tree's result.
/// Law: Time2 is Time less what is added, in its order, and then the columns (Interleaved: Packet2 is Row # 8) or Row
/// and the columns in eights (Sequential).
constexpr Expected<Accumulated> check_accumulate(const Device& device, ContractOp op, AccumulationKind kind, ScalarType type,
                                                 const Levels& contracted, const Mapping& time2, const Mapping& packet2, Where at = {}) {
  Mapping const &row = contracted[Level::row], &time = contracted[Level::time], &packet = contracted[Level::packet];
  for (const Mapping* m : {&row, &time, &packet, &time2, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  bool const interleaved = kind == AccumulationKind::Interleaved;
  std::int64_t const lanes = device.flit.bytes.value * 8 / scalar_info(type).packet_bits;
  Mapping columns = packet;
  if (!interleaved && packet.size % lanes != 0) {
    columns = lanes % packet.size == 0 ? pair(detail::padding_only(lanes / packet.size, Pad::zero), packet)
                                       : pad_to(packet, round_up(packet.size, lanes), Pad::zero);
  }
  Halves const beats = split_at(columns, lanes < columns.size ? lanes : columns.size);
  if (!beats.inner.ok()) return refusal_of(beats.inner, at);
  Mapping const flit = interleaved ? pad_to(row, round_up(row.size, lanes), Pad::top) : beats.inner;
  if (!equivalent(packet2, flit))
    return refuse("contraction-accumulate-packet", at)
        .what("Packet ", packet2, " is not what ", kind, " puts out: ", interleaved ? "a value of each Row, " : "columns of one Row, ",
              flit)
        .why("eight values leave the accumulator at a time")
        .help("write Packet = ", flit);

  // Outer columns of padding may be left out.
  Mapping const all = interleaved ? packet : beats.outer;
  std::int64_t const live = all.digits == 0 || all.tails > 0 ? all.size : live_slots(all, 0) * footprints(all).inside[0];
  Accumulated a;
  a.type = type;
  bool columns_fit = false;
  std::int64_t const least = all.size > device.contraction.columns ? all.size : live;
  for (std::int64_t kept = all.size; kept >= least; --kept) {
    bool const even = !interleaved || (kept & (kept - 1)) == 0;
    Mapping const some = resize_to(all, kept);
    Mapping const inside = interleaved ? some : pair(row, some);
    if (!even || !inside.ok() || time2.size % inside.size != 0) continue;
    Halves const h = split_at(time2, inside.size);
    if (!h.inner.ok() || !equivalent(h.inner, inside)) continue;
    columns_fit = true;
    detail::TimeSplit const split(time, h.outer);
    if (!split.found) continue;

    Levels rest = contracted;
    rest[Level::time] = split.kept;
    if (auto v = detail::check_summed(op, rest, split.added, at); !v) return v.refusal();
    a.out = {pair(split.kept, inside), flit};
    if (!a.out.time.ok()) return refusal_of(a.out.time, at);
    a.columns = interleaved ? kept : kept * beats.inner.size;
    a.groups = interleaved ? device.contraction.columns / kept : device.levels.rows_per_slice / row.size;
    a.loops = split.loops;
    bool inner = false;
    for (int k = 0; k < split.loops; ++k) {
      a.loop[k] = split.loop[k];
      if (inner && !split.loop[k].added) a.inner *= split.loop[k].rounds;
      inner |= split.loop[k].added;
    }
    if (!inner) return a;
    a.inner *= interleaved ? kept : row.size;
    std::int64_t const each =
        interleaved ? round_up(row.size, device.levels.rows_per_slice) : round_up(packet.size, device.contraction.columns);
    Checked const slots = Checked(a.inner) * each;
    a.slots = slots.value;
    if (!slots.fits || slots.value > device.contraction.accumulator_slots)
      return refuse("contraction-accumulate-slots", at)
          .what(kind, " keeps ", a.inner, " sums of ", each, " slots open at once; the accumulator has ",
                device.contraction.accumulator_slots, " slots, room for ", device.contraction.accumulator_slots / each)
          .why("a sum stays open until the outermost axis of Time that is added, in ", time, ", has come to its end")
          .help("move the outermost axis that is added further inside, in the fetch's Time");
    return a;
  }
  Mapping const ends = interleaved ? all : pair(row, all);
  if (!columns_fit)
    return refuse("contraction-accumulate-time", at)
        .what("Time ", time2, " does not end with ", interleaved ? "the columns " : "Row and the columns in eights, ", ends)
        .why("these leave the accumulator one after the other, in each step")
        .help("write what is left of ", time, " and then ", ends);
  Refusal r = refuse("contraction-accumulate-order", at);
  r.what("Time ", time2, " is not ", time, " with some axes left out");
  if (ends.size > 1) r.what(", and then ", ends);
  return r.why("what is left out is added up; the rest keeps its order and its padding")
      .help("keep the order of Time here; rearrange in the fetch, or when the result is committed");
}

/// The lanes of one time step whose products are +0.0.
struct LaneMask {
  static constexpr std::int64_t room = 128;
  std::uint64_t word[room / 64]{};

  constexpr bool operator==(const LaneMask&) const = default;
  constexpr bool contains(std::int64_t lane) const { return (word[lane / 64] >> (lane % 64) & 1) != 0; }
  constexpr void insert(std::int64_t lane) { word[lane / 64] |= std::uint64_t{1} << (lane % 64); }
};

/// For the compiler, at run time: it looks at each lane.
constexpr LaneMask zero_lanes(const Levels& computation, Place place) {
  LaneMask mask;
  for (place.packet = 0; place.packet < computation[Level::packet].size && place.packet < LaneMask::room; ++place.packet) {
    Cell const c = cell(computation, place);
    if (c.kind == CellKind::padding && c.pad == Pad::zero) mask.insert(place.packet);
  }
  return mask;
}

}  // namespace tcp
