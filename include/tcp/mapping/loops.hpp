// From two mappings to a loop nest: how a sequencer must step through a buffer so that a stream comes out, or goes in.
//
// Everything happens along one axis at a time. The buffer's digits of an axis split it into blocks: with B % 32 and B /
// 32 apart, blocks of 32. A digit of the stream that stays inside one block is one loop, whose stride is what one step
// of the buffer's digit moves on; a digit that runs over a border falls into two loops there, and must then fill its
// blocks. Steps that lie between the buffer's, and a start that would make inner steps carry into an outer block,
// cannot be looped. An axis that the buffer does not have at all is a broadcast, stride 0. Padding of a stream may be
// read from anywhere, and may be written only into padding.
//
// Nothing here looks at positions one by one; that the loops meet the same elements as the mappings is what the tests
// walk through.
//
// What a given chip's sequencer can hold (entries, rounds) is a rule of the device: see rules/sequence.hpp.
#pragma once

#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/fault.hpp"
#include "tcp/mapping/steps.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

enum class Access : std::uint8_t { read, write };

/// What a stream's digit means that the buffer does not hold although it holds other digits of the axis.
enum class Absent : std::uint8_t {
  refused,    // the book: insufficient input
  broadcast,  // the newer reading
};

/// A memory that the loops step through: a mapping whose positions lie `unit` apart. Several are several levels of one
/// tensor, such as Slice and Element.
struct Buffer {
  Mapping mapping{};
  std::int64_t unit = 1;
};

/// Rows by an index tensor: rounds of `over` in the stream pick rows of `rows` in the buffer.
struct Indirect {
  Name over{}, rows{};
};

struct Walks {
  Access access = Access::read;
  Absent absent = Absent::refused;
  const Indirect* indirect = nullptr;
};

struct Loops {
  static constexpr int max_entries = 48;

  Entry entry[max_entries]{};  // outermost first
  int entries = 0;
  std::int64_t base = 0;    // of the first position; below 0 with padding in front
  std::int64_t packet = 1;  // positions per time step

  /// The buffer position of the i-th position of the stream. `table` is what an indirect loop moves by.
  constexpr std::int64_t at(std::int64_t i, const std::int64_t* table = nullptr) const {
    std::int64_t position = base;
    for (int k = entries - 1; k >= 0; --k) {
      std::int64_t const round = i % entry[k].size;
      i /= entry[k].size;
      position += entry[k].stride * (entry[k].indirect ? table[round] : round);
    }
    return position;
  }
  /// How many neighbouring positions the innermost loops run over without a gap; a replicated position counts as often
  /// as it is read.
  constexpr std::int64_t contiguous() const {
    if (entries == 0) return 1;
    Entry const& last = entry[entries - 1];
    if (last.indirect || (last.stride != 0 && last.stride != 1)) return 1;
    std::int64_t run = last.size, reach = last.size * last.stride;
    for (int k = entries - 2; k >= 0 && !entry[k].indirect && entry[k].stride == reach; --k) {
      run *= entry[k].size;
      reach = entry[k].size * entry[k].stride;
    }
    return run;
  }
  /// The furthest position that any round reaches.
  constexpr std::int64_t furthest() const {
    std::int64_t position = base;
    for (int k = 0; k < entries; ++k)
      if (entry[k].stride > 0) position += ((entry[k].indirect ? entry[k].rows : entry[k].size) - 1) * entry[k].stride;
    return position;
  }
};

/// Joins neighbouring loops that walk as one, (n1 : s1), (n2 : s2) with s1 = n2·s2. Law: `at` is the same for every i.
constexpr Loops merged(const Loops& in) {
  Loops out = in;
  for (int k = 0; k + 1 < out.entries;) {
    Entry const a = out.entry[k], b = out.entry[k + 1];
    if (!a.indirect && !b.indirect && a.stride == b.size * b.stride) {
      out.entry[k] = {a.size * b.size, b.stride};
      for (int j = k + 1; j + 1 < out.entries; ++j) out.entry[j] = out.entry[j + 1];
      out.entry[--out.entries] = Entry{};
      if (k > 0) --k;
    } else {
      ++k;
    }
  }
  return out;
}

template <class Out>
constexpr void print(Out& out, const Loops& loops) {
  out << "[";
  for (int k = 0; k < loops.entries; ++k) {
    if (k > 0) out << ", ";
    out << loops.entry[k].size << " : ";
    if (loops.entry[k].indirect) out << "table * ";
    out << loops.entry[k].stride;
  }
  out << "] : " << loops.packet;
}
constexpr Text& operator<<(Text& out, const Loops& loops) {
  print(out, loops);
  return out;
}

namespace detail {

class LoopNest {
 public:
  constexpr LoopNest(const Buffer* buffers, int count, const Walks& how, Where at) : buffers_(buffers), count_(count), how_(how), at_(at) {
    TCP_BUG_UNLESS(count <= max_buffers, "more buffers than a tensor has levels");
  }

  constexpr Expected<Loops> derive(const Mapping* terms, int n, int packet_from) {
    for (int b = 0; b < count_ && !refused_; ++b) take_buffer(b);
    Checked inside = 1;  // positions of the stream inside the term at hand
    for (int i = 0; i < n && !refused_; ++i) {
      take_term(terms[i]);
      inside = inside * terms[i].size;
      if (i >= packet_from) loops_.packet *= inside.fits ? terms[i].size : 1;
    }
    if (!refused_ && !inside.fits)
      say(refuse("sequence-stream-too-long", at_)
              .what("the stream has more positions than 64 bits can count")
              .why("sizes, strides and addresses are 64-bit numbers")
              .help("pad less"));
    for (int i = 0; i < n && !refused_; ++i) {
      inside.value /= terms[i].size;
      add_term(terms, n, i, inside.value);
    }
    if (how_.indirect != nullptr && !refused_) add_lone_indirect();
    for (int a = 0; a < axes_ && !refused_; ++a) check_axis(a);
    if (!refused_ && how_.access == Access::write) check_copies();
    if (refused_) return refusal_;
    return loops_;
  }

 private:
  static constexpr int max_buffers = 4;
  static constexpr int max_blocks = max_buffers * Mapping::max_digits;
  static constexpr int max_axes = max_blocks;
  static constexpr int max_parts = 32;

  /// A digit of the buffers, and what the stream asks of it.
  struct Block {
    int axis = 0;
    std::int64_t stride = 1, size = 1, slot = 1;  // along the axis
    std::int64_t moves = 1;                       // buffer positions of one step
    std::int64_t live = 0, touched = 0;           // the furthest step asked for, without the start: of elements, and with padding
    std::int64_t behind = 0;                      // on a write: the furthest step that padding of no axis takes
    std::int64_t start = 0;                       // steps of it in the walk's start
  };
  struct Axis {
    Name name{};
    std::int64_t extent = 0;
    std::int64_t wanted = 0, held = 0;  // starts of stream and buffers
    bool in_buffer = false;
  };
  /// One loop of a stream digit: in which block, how many of its steps each round, rounds with an element and rounds at
  /// all.
  struct Part {
    int block = -1;  // -1: nowhere, a repetition
    std::int64_t skip = 0, live = 1, rounds = 1;
  };
  struct Parts {
    Part part[max_parts]{};  // innermost first
    int n = 0;
  };

  constexpr void say(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }

  constexpr void say_too_deep() {
    say(refuse("sequence-nest-too-deep", at_)
            .what("the walk needs more loops or axes than are kept (", Loops::max_entries, ")")
            .why("each stream digit takes a loop for every block of the buffer that it runs through")
            .help("split the move, or choose mappings that share blocks"));
  }

  /// The number of an axis, or -1.
  constexpr int find(Name name) const {
    for (int a = 0; a < axes_; ++a)
      if (axis_[a].name == name) return a;
    return -1;
  }
  constexpr Axis& use(const AxisUse& a) {
    int const known = find(a.name);
    if (known < 0 && axes_ == max_axes) say_too_deep();
    if (known < 0 && !refused_) {
      axis_[axes_].name = a.name;
      axis_[axes_].extent = a.extent;
      return axis_[axes_++];
    }
    Axis& axis = axis_[known < 0 ? 0 : known];
    if (axis.extent != a.extent)
      say(refuse("sequence-axis-two-sizes", at_)
              .what("axis ", a.name, " has size ", axis.extent, " in the buffer and size ", a.extent, " in the stream")
              .why("axes are told apart by their names alone")
              .help("rename one of them"));
    return axis;
  }
  /// The block of an axis with the largest steps of at most `stride`, and the one with the smallest above it; -1 if
  /// there is none.
  constexpr int block_at(int axis, std::int64_t stride) const {
    int found = -1;
    for (int b = 0; b < blocks_; ++b)
      if (block_[b].axis == axis && block_[b].stride <= stride && (found < 0 || block_[b].stride > block_[found].stride)) found = b;
    return found;
  }
  constexpr int block_above(int axis, std::int64_t stride) const {
    int found = -1;
    for (int b = 0; b < blocks_; ++b)
      if (block_[b].axis == axis && block_[b].stride > stride && (found < 0 || block_[b].stride < block_[found].stride)) found = b;
    return found;
  }
  constexpr void sound(const Mapping& m) {
    if (!m.ok()) return say(refusal_of(m, at_));
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].skewed_by != no_axis)
        say(refuse("sequence-skewed", at_)
                .what(m, " is skewed; a sequencer steps evenly")
                .why("the steps of a skewed axis turn around, and a loop cannot")
                .help("move the skewed tensor with chip_slice, or give it a plain mapping first"));
  }

  constexpr void take_buffer(int b) {
    Mapping const& m = buffers_[b].mapping;
    sound(m);
    if (refused_) return;
    Footprints const foot = footprints(m);
    for (int a = 0; a < m.axes && !refused_; ++a) {
      Axis& axis = use(m.axis[a]);
      axis.held += m.axis[a].start;
      axis.in_buffer = true;
    }
    for (int k = 0; k < m.digits && !refused_; ++k) {
      Digit const& d = m.digit[k];
      if (d.axis == no_axis) continue;
      if (d.in_window() && how_.access == Access::write) return say_write_window(m);
      int first = k;
      while (m.digit[first].joined) --first;
      Block& block = block_[blocks_++];
      block.axis = find(m.axis[d.axis].name);
      block.stride = d.stride;
      block.size = d.size;
      block.slot = d.in_window() ? d.size : d.slot;
      block.moves = foot.inside[first] * (d.in_window() ? d.step : 1) * buffers_[b].unit;
    }
  }
  constexpr void take_term(const Mapping& m) {
    sound(m);
    for (int a = 0; a < m.axes && !refused_; ++a) {
      use(m.axis[a]).wanted += m.axis[a].start;
      rows_streamed_ |= how_.indirect != nullptr && m.axis[a].name == how_.indirect->rows;
    }
  }

  constexpr void push(Entry e) {
    if (e.size == 1 && !e.indirect) return;
    if (loops_.entries == Loops::max_entries) return say_too_deep();
    loops_.entry[loops_.entries++] = e;
  }

  // What can be wrong.

  constexpr Refusal lacking(Refusal r, Name name, Steps term, const char* but) const {
    r.what("the stream asks for ", term.size, " steps of ", name);
    if (term.stride > 1) r.what(" / ", term.stride);
    r.what(", which ");
    for (int b = 0; b < count_; ++b) r.what(b > 0 ? " and " : "", buffers_[b].mapping);
    return r.what(" ", but);
  }
  constexpr void say_insufficient(Name name, Steps term) {
    say(lacking(refuse("sequence-insufficient-input", at_), name, term, "does not hold")
            .why("steps of an axis that the buffer holds in part only are nowhere to be read; an axis it lacks wholly would be repeated")
            .help("move more of axis ", name, " into the buffer, or stream what it holds"));
  }
  constexpr void say_incompatible(Name name, Steps term) {
    say(lacking(refuse("sequence-incompatible-shapes", at_), name, term, "counts in blocks that do not fit them")
            .why("the two count axis ", name,
                 " in blocks of which neither divides the other, so no loop nest walks one in the order of the other")
            .help("use the same block sizes on both sides, or move in two steps"));
  }
  constexpr void say_write_window(const Mapping& m) {
    say(refuse("sequence-write-window", at_)
            .what("a window cannot be written: ", m)
            .why("a position of a window belongs to several elements; windows are read only")
            .help("write a tensor with a plain axis of as many places, and reshape that to read it as a window"));
  }
  constexpr void say_write_broadcast(const Text& what) {
    say(refuse("sequence-write-broadcast", at_)
            .what("the stream repeats its elements (", what, "), and a write would put several of them into one position")
            .why("a write gives every live position exactly one element")
            .help("drop the repeated factor from Time and Packet"));
  }
  constexpr void say_write_absent(Name axis) {
    Refusal r = refuse("sequence-write-broadcast", at_);
    r.what("the stream counts axis ", axis, ", which is not in ");
    for (int b = 0; b < count_; ++b) r.what(b > 0 ? " nor in " : "", buffers_[b].mapping);
    say(r.what(": a write would put elements that differ in ", axis, " into one position")
            .why("a write gives every live position exactly one element")
            .help("add axis ", axis, " to it, or reduce over ", axis, " before the write"));
  }
  constexpr void say_write_beyond(std::int64_t rounds) {
    Refusal r = refuse("sequence-write-beyond-tensor", at_);
    r.what("the stream's padding of ", rounds, " positions would be written outside the padding of ");
    for (int b = 0; b < count_; ++b) r.what(b > 0 ? " and " : "", buffers_[b].mapping);
    say(r.why("a read may run over into what follows a row; a write would destroy it").help("trim the stream to the buffer's own padding"));
  }
  constexpr void say_write_incomplete(Name name, std::int64_t brings, std::int64_t of) {
    Refusal r = refuse("sequence-write-incomplete", at_);
    r.what("the stream leaves live positions of ");
    for (int b = 0; b < count_; ++b) r.what(b > 0 ? " and " : "", buffers_[b].mapping);
    r.what(" unwritten: ");
    if (name == Name{}) r.what("there are ", of, " copies");
    else r.what("of axis ", name, " it brings ", brings, " of ", of, " steps");
    say(r.why("a write gives every live position exactly one element").help("write into a view of the part that the stream brings"));
  }

  // From digits to loops.

  /// The loops of one digit of a stream, or of a window's member.
  constexpr Parts find_parts(int a, const Digit& d) {
    Axis const& axis = axis_[a];
    Parts out;
    Steps const term{d.stride, d.size};
    std::int64_t stride = d.stride, live = d.size, rounds = d.in_window() ? d.size : d.slot;
    bool const repeat = how_.absent == Absent::broadcast && how_.access == Access::read;
    while (rounds > 1) {
      if (out.n == max_parts) return say_too_deep(), out;
      int in = block_at(a, stride);
      int const above = block_above(a, stride);
      // Where these steps end: at the next block, or, if what is missing is repeated, where the buffer ends.
      std::int64_t border = above >= 0 ? block_[above].stride : 0;
      bool const coarsest = in >= 0 && above < 0;
      if (in < 0 && live > 1 && !repeat) return say_insufficient(axis.name, term), out;
      if (in >= 0) {
        std::int64_t const end = block_[in].stride * block_[in].size;
        bool const missing = repeat && coarsest && end + axis.held < axis.extent;
        if (stride % block_[in].stride != 0) return say_incompatible(axis.name, term), out;
        if (missing && stride >= end) {
          if (stride % end != 0) return say_incompatible(axis.name, term), out;
          in = -1;
        } else if (missing && (live - 1) * stride >= end) {
          border = end;
        }
      }
      std::int64_t const skip = in < 0 ? 0 : stride / block_[in].stride;
      if (live == 1 || border == 0 || live <= border / stride) {
        out.part[out.n++] = {in, skip, live, rounds};
        return out;
      }
      std::int64_t const take = border / stride;
      if (border % stride != 0 || rounds % take != 0) {
        if (repeat && coarsest) say_insufficient(axis.name, term);
        else say_incompatible(axis.name, term);
        return out;
      }
      // A write whose elements end inside a block would put padding upon the block's other elements, unless the axis
      // ends there as well.
      if (how_.access == Access::write && live % take != 0 && axis.wanted + d.stride * d.size < axis.extent)
        return say_write_incomplete(axis.name, d.size, ceil_div(axis.extent - axis.wanted, d.stride)), out;
      if (take > 1) out.part[out.n++] = {in, skip, take, take};
      stride = border;
      live = ceil_div(live, take);
      rounds /= take;
    }
    return out;
  }

  /// Notes what a loop asks of its block.
  constexpr void ask(const Part& p) {
    if (p.block < 0) return;
    Block& b = block_[p.block];
    b.live += (p.live - 1) * p.skip;
    b.touched += (p.rounds - 1) * p.skip;
    if (how_.access != Access::write) return;
    if (asked_ == Loops::max_entries) return say_too_deep();
    asked_part_[asked_++] = p;
  }

  constexpr void add_term(const Mapping* terms, int n, int i, std::int64_t inside) {
    Mapping const& m = terms[i];
    Footprints const foot = footprints(m);
    int t = 0;
    for (int k = 0; k < m.digits && !refused_;) {
      int const from = loops_.entries;
      int const tail = t < m.tails && m.tail[t].first == k ? t : -1;
      int const end = tail >= 0 ? m.tail[tail].last + 1 : k + 1;
      while (k < end && !refused_) {
        if (m.digit[k].in_window()) add_window(m, k);
        else if (!m.digit[k].joined) add_digit(terms, n, i, k, foot.inside[k] * inside);
        ++k;
      }
      while (k < m.digits && m.digit[k].joined) ++k;
      int nested = 0;
      for (; t < m.tails && m.tail[t].first < k; ++t) ++nested;
      if (tail >= 0 && !refused_) close_tail(m, tail, nested > 1, from, foot.tail_live[tail]);
    }
  }

  constexpr void add_digit(const Mapping* terms, int n, int i, int k, std::int64_t inside) {
    Mapping const& m = terms[i];
    Digit const& d = m.digit[k];
    bool const writes = how_.access == Access::write;
    if (d.axis == no_axis) {
      if (writes && d.size > 1) return say_write_broadcast(text(d.size, " copies"));
      if (d.size > 1) return push({d.slot, 0});
      // Mere padding: a read takes what is next to it or comes again; a write must find padding of the buffer's own.
      return push({d.slot, writes ? padding_stride(terms, n, i, k, inside) : inside == 1 ? 1 : 0});
    }
    int const a = find(m.axis[d.axis].name);
    if (how_.indirect != nullptr && axis_[a].name == how_.indirect->over) return add_indirect(axis_[a], d);
    if (!axis_[a].in_buffer) {
      if (writes) return say_write_absent(axis_[a].name);
      return push({d.slot, 0});
    }
    Parts const parts = find_parts(a, d);
    for (int p = parts.n - 1; p >= 0 && !refused_; --p) {
      Part const& part = parts.part[p];
      push({part.rounds, part.block < 0 ? 0 : block_[part.block].moves * part.skip});
      ask(part);
    }
  }

  constexpr void add_indirect(const Axis& over, const Digit& d) {
    int const rows = find(how_.indirect->rows);
    int const row = rows < 0 ? -1 : block_at(rows, 1);
    bool const possible = row >= 0 && block_above(rows, 1) < 0 && axis_[rows].held == 0 && !over.in_buffer && d.slot == d.size &&
                          d.stride == 1 && over.wanted == 0 && !rows_streamed_;
    if (!possible)
      return say(refuse("sequence-indirect-rows", at_)
                     .what("rows of ", how_.indirect->rows, " cannot be picked by ", how_.indirect->over, ": the buffer must hold ",
                           how_.indirect->rows, " as one whole factor, and the stream ", how_.indirect->over,
                           " whole, unpadded, and in its place")
                     .why("the table holds row numbers, and the loop moves by whole rows")
                     .help("keep the row axis whole in the buffer and out of the stream"));
    push({d.size, block_[row].moves, true, block_[row].size});
  }
  /// An index axis of one position has no digit, and is a loop of one round all the same.
  constexpr void add_lone_indirect() {
    for (int k = 0; k < loops_.entries; ++k)
      if (loops_.entry[k].indirect) return;
    int const over = find(how_.indirect->over);
    add_indirect(over < 0 ? Axis{} : axis_[over], Digit{.stride = 1, .size = 1, .slot = 1});
  }

  constexpr void add_window(const Mapping& m, int first) {
    if (how_.access == Access::write) return say_write_window(m);
    // The window's positions are evenly spaced in the buffer if all its members are, by the same measure.
    std::int64_t measure = 0;
    for (int k = first; k < m.digits && (k == first || m.digit[k].joined) && !refused_; ++k) {
      Digit const& d = m.digit[k];
      int const a = find(m.axis[d.axis].name);
      Parts const parts = axis_[a].in_buffer ? find_parts(a, d) : Parts{};
      if (refused_) return;
      bool const one = parts.n == 1 && parts.part[0].block >= 0;
      std::int64_t const stride = one ? block_[parts.part[0].block].moves * parts.part[0].skip : 0;
      bool const even = stride > 0 && stride % d.step == 0 && (measure == 0 || measure == stride / d.step);
      if (!even)
        return say(
            lacking(refuse("sequence-window-not-in-buffer", at_), axis_[a].name, {d.stride, d.size}, "does not hold as such a window")
                .why("a window is read from a buffer that holds the window, its members by the same steps")
                .help("keep $(...) in the buffer's mapping; its positions are stored once"));
      measure = stride / d.step;
      ask(parts.part[0]);
    }
    push({m.digit[first].slot, measure});
  }

  /// A group that is padded as a whole is one loop, or none.
  constexpr void close_tail(const Mapping& m, int t, bool nested, int from, std::int64_t live) {
    Entry all{1, 0};
    bool one = !nested;
    for (int i = loops_.entries - 1; i >= from && one; --i) {
      Entry const& e = loops_.entry[i];
      if (all.size == 1) all = e;
      else if (!e.indirect && e.stride == all.size * all.stride) all.size *= e.size;
      else one = false;
    }
    if (!one || all.size != live || all.indirect)
      return say(refuse("sequence-tail-not-contiguous", at_)
                     .what("the stream pads a group to ", m.tail[t].slot, " positions, which is no whole number of its outer steps, in ", m)
                     .why("such a run is one loop, so the group must be stored in the buffer without a gap")
                     .help("pad the group's outermost axis instead, or keep the group together in the buffer"));
    if (how_.access == Access::write) {
      bool own = false;
      for (int b = 0; b < count_; ++b) {
        Footprints const foot = footprints(buffers_[b].mapping);
        for (int u = 0; u < buffers_[b].mapping.tails; ++u)
          own |= foot.tail_live[u] == live && foot.tail_unit[u] * buffers_[b].unit == all.stride &&
                 buffers_[b].mapping.tail[u].slot >= m.tail[t].slot;
      }
      if (!own) return say_write_beyond(m.tail[t].slot);
    }
    loops_.entries = from;
    push({m.tail[t].slot, all.stride});
  }

  /// Where a write puts padding that belongs to no axis: after the digit that is inside of it, or into the buffer's
  /// innermost padding.
  constexpr std::int64_t padding_stride(const Mapping* terms, int n, int i, int k, std::int64_t inside) {
    std::int64_t slots = terms[i].digit[k].slot;
    if (inside == 1) {
      for (int b = 0; b < count_; ++b) {
        Mapping const& m = buffers_[b].mapping;
        if (buffers_[b].unit != 1 || m.digits == 0) continue;
        Digit const& y = m.digit[m.digits - 1];
        if (y.axis == no_axis && y.size == 1 && y.slot >= slots) return 1;
      }
      say_write_beyond(slots);
      return 0;
    }
    std::int64_t between = 1;  // padding of the same sort inside
    for (++k; i < n; ++i, k = 0) {
      for (; k < terms[i].digits; ++k) {
        Digit const& d = terms[i].digit[k];
        if (d.axis == no_axis && d.size == 1) {
          between *= d.slot;
          continue;
        }
        if (d.axis == no_axis || d.in_window()) break;
        int const a = find(terms[i].axis[d.axis].name);
        if (!axis_[a].in_buffer || refused_) break;
        Parts const parts = find_parts(a, d);
        if (refused_ || parts.n == 0) break;
        Part const& p = parts.part[parts.n - 1];
        Block& b = block_[p.block];
        std::int64_t const first = p.rounds * p.skip * between;  // the first step after
        if (first < b.size) break;
        std::int64_t const last = first * slots - 1;
        if (last > b.behind) b.behind = last;
        return b.moves * first;
      }
      if (k < terms[i].digits) break;
    }
    for (int b = 0; b < count_ && i == n; ++b) {  // nothing but padding inside: one element and what is after it
      Mapping const& m = buffers_[b].mapping;
      if (buffers_[b].unit != 1 || m.digits == 0) continue;
      Digit const& y = m.digit[m.digits - 1];
      if (y.axis == no_axis && y.size == 1 && y.slot >= slots * between) return between;
    }
    say_write_beyond(slots);
    return 0;
  }

  /// Applies the starts, and asks whether every element is where the loops go, and, on a write, whether nothing else
  /// is. A start is judged by itself: a stream whose steps happen to pass over what the buffer lacks is refused all the
  /// same.
  constexpr void check_axis(int a) {
    Axis const& axis = axis_[a];
    bool const writes = how_.access == Access::write;
    std::int64_t const first_wanted = axis.wanted > 0 ? axis.wanted : 0, first_held = axis.held > 0 ? axis.held : 0;
    if (!axis.in_buffer) {
      if (writes && axis.wanted < 0) say_write_incomplete(axis.name, 0, 1);  // a stream of nothing but padding
      return;
    }
    if (block_above(a, 0) < 0) {  // the buffer holds one coordinate, its start
      if (axis.wanted != axis.held || axis.held < 0) say_insufficient(axis.name, {1, first_wanted + 1});
      return;
    }
    if (first_wanted < first_held) return say_insufficient(axis.name, {1, first_held});
    if (writes && first_wanted > first_held) return say_write_incomplete(axis.name, axis.extent - first_wanted, axis.extent - first_held);
    std::int64_t const start = axis.wanted - axis.held;
    std::int64_t left = start, above = 0;  // the stride of the next coarser block, 0 for the coarsest
    for (int i = block_at(a, INT64_MAX); i >= 0; i = block_at(a, above - 1)) {
      Block& b = block_[i];
      b.start = floor_div(left, b.stride);
      left -= b.start * b.stride;
      loops_.base += b.start * b.moves;
      std::int64_t furthest = b.start + b.live;
      if (above == 0 && furthest > last_step(axis, b)) furthest = last_step(axis, b);
      if (above > 0 && start != 0 && furthest >= above / b.stride)
        return say(refuse("sequence-start-inside-block", at_)
                       .what("axis ", axis.name, " starts at ", start, ", inside a block of ", above, " of the buffer")
                       .why("a sequencer adds the start once; here the steps inside a block would have to carry")
                       .help("start at a multiple of the block, or keep axis ", axis.name, " whole in the buffer"));
      if (furthest >= b.size) return say_insufficient(axis.name, {b.stride, furthest + 1});
      above = b.stride;
    }
    if (left != 0) return say_insufficient(axis.name, {1, axis.extent});
    for (int i = 0; i < blocks_ && writes && !refused_; ++i)
      if (block_[i].axis == a) check_filled(i);
  }
  /// The last step of a block that is in the axis.
  static constexpr std::int64_t last_step(const Axis& axis, const Block& b) { return floor_div(axis.extent - 1 - axis.held, b.stride); }

  /// Every live step of a buffer digit is written once, and its padding takes what padding there is.
  constexpr void check_filled(int i) {
    Block const& b = block_[i];
    Axis const& axis = axis_[b.axis];
    std::int64_t need = b.size;
    if (block_above(b.axis, b.stride) < 0 && last_step(axis, b) + 1 < need) need = last_step(axis, b) + 1;
    std::int64_t filled = 1;  // steps from the start on; each loop must go on where the ones before it end
    while (true) {
      Part const* next = nullptr;
      bool further = false;
      for (int p = 0; p < asked_; ++p) {
        if (asked_part_[p].block != i) continue;
        if (asked_part_[p].skip == filled && asked_part_[p].live > 1) next = &asked_part_[p];
        further |= asked_part_[p].skip > filled;
      }
      if (next == nullptr) {
        if (further) return say_write_incomplete(axis.name, b.start + filled, need);
        break;
      }
      if (further && next->rounds > next->live) return say_write_beyond(next->rounds);
      filled *= next->live;
    }
    if (b.start + filled < need) return say_write_incomplete(axis.name, b.start + filled, need);
    std::int64_t const reach = b.start + (b.touched > b.behind ? b.touched : b.behind);
    if (b.start < 0 || reach >= b.slot) return say_write_beyond(reach + 1);
    if (b.touched > b.live && b.start + filled < b.size) say_write_beyond(b.touched + 1);  // padding upon live steps
  }
  constexpr void check_copies() {
    for (int b = 0; b < count_ && !refused_; ++b)
      for (int k = 0; k < buffers_[b].mapping.digits; ++k) {
        Digit const& d = buffers_[b].mapping.digit[k];
        if (d.axis == no_axis && d.size > 1) return say_write_incomplete(Name{}, 1, d.size);
      }
  }

  const Buffer* buffers_;
  int count_;
  Walks how_;
  Where at_;
  Axis axis_[max_axes]{};
  int axes_ = 0;
  Block block_[max_blocks]{};
  int blocks_ = 0;
  Part asked_part_[Loops::max_entries]{};  // of a write
  int asked_ = 0;
  bool rows_streamed_ = false;
  Loops loops_{};
  bool refused_ = false;
  Refusal refusal_{};
};

}  // namespace detail

/// The loop nest that walks the buffers in the order of the stream, given as a list of terms of which those from
/// `packet_from` on are the packet.
///
/// Law: for every position i of the stream that holds an element, the buffers hold that element at `at(i)`.
constexpr Expected<Loops> derive_loops(const Buffer* buffers, int count, const Mapping* terms, int n, int packet_from,
                                       const Walks& how = {}, Where at = {}) {
  return detail::LoopNest(buffers, count, how, at).derive(terms, n, packet_from);
}
constexpr Expected<Loops> derive_loops(const Mapping& buffer, const Mapping& time, const Mapping& packet, const Walks& how = {},
                                       Where at = {}) {
  Buffer const one_buffer{buffer};
  Mapping const terms[] = {time, packet};
  return derive_loops(&one_buffer, 1, terms, 2, 1, how, at);
}

}  // namespace tcp
