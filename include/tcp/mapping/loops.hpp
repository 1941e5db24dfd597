// From two mappings to a loop nest: how a sequencer must step through a buffer so that a stream comes out, or goes in.
//
// The stream is walked outermost term first, Time then Packet. Each of its digits becomes one loop for every buffer digit that it runs through: the loop's
// size is the number of steps, its stride the buffer positions that one of them moves on. An axis that the buffer does not have at all is a broadcast, stride 0.
// Nothing here looks at positions one by one; that the loops meet the same elements as the mappings is what the tests walk through.
//
// What a given chip's sequencer can hold (entries, rounds) is a rule of the device: see rules/sequence.hpp.
#pragma once

#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/divide.hpp"
#include "tcp/mapping/fault.hpp"
#include "tcp/support/expected.hpp"

namespace tcp {

enum class Access : std::uint8_t { read, write };

/// What a stream's digit means that the buffer does not hold although it holds other digits of the axis.
enum class Absent : std::uint8_t {
  refused,    // the book: insufficient input
  broadcast,  // the newer reading
};

/// A memory that the loops step through: a mapping whose positions lie `unit` apart. Several are several levels of one tensor, such as Slice and Element.
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
  /// How many neighbouring positions the innermost loops run over without a gap; a replicated position counts as often as it is read.
  constexpr std::int64_t contiguous() const {
    if (entries == 0) return 1;
    Entry const& last = entry[entries - 1];
    if (last.indirect || (last.stride != 0 && last.stride != 1)) return 1;
    std::int64_t run = last.size, reach = last.size * last.stride;
    for (int k = entries - 2; k >= 0 && !entry[k].indirect && entry[k].stride == reach && last.stride == 1; --k) {
      run *= entry[k].size;
      reach = entry[k].size * entry[k].stride;
    }
    return run;
  }
  /// The furthest position that any round reaches.
  constexpr std::int64_t furthest() const {
    std::int64_t position = base;
    for (int k = 0; k < entries; ++k)
      if (entry[k].stride > 0) position += (entry[k].size - 1) * entry[k].stride;
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
    for (int b = 0; b < count; ++b) foot_[b] = footprints(buffers[b].mapping);
  }

  constexpr Expected<Loops> derive(const Mapping* terms, int n, int packet_from) {
    for (int b = 0; b < count_; ++b) {
      if (!buffers_[b].mapping.ok()) return refusal_of(buffers_[b].mapping, at_);
      sound(buffers_[b].mapping);
    }
    for (int i = 0; i < n && !refused_; ++i) {
      if (!terms[i].ok()) return refusal_of(terms[i], at_);
      sound(terms[i]);
    }
    std::int64_t inside = 1;  // positions of the stream inside the term at hand
    for (int i = 0; i < n; ++i) inside *= terms[i].size;
    for (int i = 0; i < n && !refused_; ++i) {
      inside /= terms[i].size;
      add_term(terms[i], inside);
      if (i >= packet_from) loops_.packet *= terms[i].size;
    }
    if (!refused_) add_starts(terms, n);
    if (!refused_) check_bounds();
    if (!refused_ && how_.access == Access::write) check_written();
    if (refused_) return refusal_;
    return loops_;
  }

 private:
  static constexpr int max_buffers = 4;

  /// A part of a stream digit that runs through one buffer digit: `take` steps, `skip` buffer steps each.
  struct Part {
    int buffer, digit;
    std::int64_t skip, take;
  };

  constexpr void say(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }
  constexpr void sound(const Mapping& m) {
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].skewed_by != no_axis)
        say(refuse("sequence-skewed", at_)
                .what(m, " is skewed; a sequencer steps evenly")
                .why("the steps of a skewed axis turn around, and a loop cannot")
                .help("move the skewed tensor with chip_slice, or give it a plain mapping first"));
  }

  constexpr void push(Entry e) {
    if (e.size == 1 && !e.indirect) return;
    if (loops_.entries == Loops::max_entries) {
      say(refuse("sequence-nest-too-deep", at_)
              .what("the walk needs more than ", Loops::max_entries, " loops")
              .why("each stream digit takes a loop for every block of the buffer that it runs through")
              .help("split the move, or choose mappings that share blocks"));
      return;
    }
    loops_.entry[loops_.entries++] = e;
  }

  constexpr bool axis_in_buffer(Name name) const {
    for (int b = 0; b < count_; ++b) {
      int const a = find_axis(buffers_[b].mapping, name);
      if (a >= 0 && coarsest_digit(buffers_[b].mapping, a) >= 0) return true;
    }
    return false;
  }

  constexpr std::int64_t stride_of(int b, int k) const {
    Mapping const& m = buffers_[b].mapping;
    int first = k;
    while (m.digit[first].joined) --first;
    return foot_[b].inside[first] * (m.digit[k].in_window() ? m.digit[k].step : 1) * buffers_[b].unit;
  }

  constexpr Refusal lacking(Refusal r, Name name, Steps term) const {
    Text wanted = text(name);
    if (term.stride > 1) wanted << " / " << term.stride;
    r.what("the stream asks for ", wanted, " in ", term.size, " steps; ");
    bool any = false;
    for (int b = 0; b < count_; ++b) r.what(any ? " and " : "the buffer is ", buffers_[b].mapping), any = true;
    return r;
  }

  constexpr void say_insufficient(Name name, Steps term) {
    say(lacking(refuse("sequence-insufficient-input", at_), name, term)
            .why("steps of an axis that the buffer holds in part only are nowhere to be read; an axis it lacks wholly would be repeated")
            .help("move more of axis ", name, " into the buffer, or stream what it holds"));
  }
  constexpr void say_incompatible(Name name, Steps term) {
    say(lacking(refuse("sequence-incompatible-shapes", at_), name, term)
            .why("the two count axis ", name,
                 " in blocks of which neither divides the other, so no loop nest walks one in the order of the other")
            .help("use the same block sizes on both sides, or move in two steps"));
  }
  constexpr bool counts_coarser(Name name, std::int64_t stride) const {
    for (int b = 0; b < count_; ++b)
      for (int k = 0; k < buffers_[b].mapping.digits; ++k) {
        Digit const& y = buffers_[b].mapping.digit[k];
        if (y.axis != no_axis && buffers_[b].mapping.axis[y.axis].name == name && y.stride > stride) return true;
      }
    return false;
  }

  /// The parts of one run of steps along an axis, innermost first. `to_end`: the end of the axis may cut the run short inside a block.
  constexpr int find_parts(Name name, Steps term, bool to_end, Part (&part)[Division::max_entries], Entry& absent) {
    Steps left = term;
    int n = 0;
    while (left.size > 1) {
      Found found;
      int in = -1;
      bool overlap = false;
      for (int b = 0; b < count_; ++b) {
        Found const f = find_steps(buffers_[b].mapping, name, left);
        overlap |= f.overlap;
        if (f.digit >= 0) found = f, in = b;
      }
      if (in < 0 && !overlap) {
        if (how_.absent == Absent::broadcast && how_.access == Access::read) {
          absent = {left.size, 0};
          return n;
        }
        say_insufficient(name, term);
        return 0;
      }
      bool const clean = in >= 0 && n < Division::max_entries && found.have > 1 &&
                         (left.size <= found.have || (found.divides && (left.size % found.have == 0 || to_end)));
      if (!clean) {
        say_incompatible(name, term);
        return 0;
      }
      std::int64_t const take = left.size < found.have ? left.size : found.have;
      part[n++] = {in, found.digit, found.skip, take};
      left = {left.stride * take, ceil_div(left.size, take)};
    }
    return n;
  }

  constexpr void add_term(const Mapping& m, std::int64_t inside) {
    Footprints const foot = footprints(m);
    int t = 0;
    for (int k = 0; k < m.digits && !refused_;) {
      if (t < m.tails && m.tail[t].first == k) {
        int const outer = t;
        int const from = loops_.entries;
        for (; k <= m.tail[outer].last && !refused_; ++k) add_digit(m, k, foot.inside[k] * inside);
        while (t < m.tails && m.tail[t].first < k) ++t;
        if (!refused_) close_tail(m, outer, t - outer > 1, from, foot.tail_live[outer]);
      } else if (m.digit[k].in_window()) {
        add_window(m, k);
        do ++k;
        while (k < m.digits && m.digit[k].joined);
      } else {
        add_digit(m, k, foot.inside[k] * inside);
        ++k;
      }
    }
  }

  constexpr void add_digit(const Mapping& m, int k, std::int64_t inside) {
    Digit const& d = m.digit[k];
    bool const writes = how_.access == Access::write;
    if (d.axis == no_axis) {
      if (writes && d.size > 1) return say_write_broadcast(text(d.size, " copies"));
      if (d.size > 1) return push({d.slot, 0});
      // Mere padding: a read takes what lies next to it or comes again; a write must find padding of the buffer's own.
      if (writes) return push({d.slot, inside == 1 && ends_in_padding(d.slot) ? 1 : outer_padding(d.slot, inside)});
      return push({d.slot, inside == 1 ? 1 : 0});
    }
    AxisUse const& a = m.axis[d.axis];
    if (how_.indirect != nullptr && a.name == how_.indirect->over) return add_indirect(m, k);
    if (!axis_in_buffer(a.name)) {
      if (writes) return say_write_broadcast(text("axis ", a.name));
      return push({d.slot, 0});
    }
    Part part[Division::max_entries]{};
    Entry absent{1, 0};
    bool const to_end = reaches_end(m, d);
    int const n = find_parts(a.name, {d.stride, d.size}, to_end, part, absent);
    if (refused_) return;
    std::int64_t inner = 1;
    for (int i = 0; i + 1 < n; ++i) inner *= part[i].take;
    // The outermost loop runs over the padding as well.
    std::int64_t const outermost = absent.size > 1 ? absent.size : d.slot / inner;
    if (absent.size == 1 && (d.slot % inner != 0 || (n > 0 && ceil_div(d.size, inner) != part[n - 1].take))) {
      return say(lacking(refuse("sequence-incompatible-shapes", at_), a.name, {d.stride, d.size})
                     .why("the padding after them begins in the middle of a block of the buffer")
                     .help("pad to whole blocks of the buffer"));
    }
    if (absent.size > 1) push(absent);
    for (int i = n - 1; i >= 0; --i) {
      Part const& p = part[i];
      bool const last = i == n - 1 && absent.size == 1;
      push({last ? outermost : p.take, stride_of(p.buffer, p.digit) * p.skip});
      use(p, last ? outermost : p.take);
    }
  }

  constexpr void add_indirect(const Mapping& m, int k) {
    Digit const& d = m.digit[k];
    for (int b = 0; b < count_; ++b) {
      int const a = find_axis(buffers_[b].mapping, how_.indirect->rows);
      if (a < 0) continue;
      int const row = coarsest_digit(buffers_[b].mapping, a);
      if (row < 0 || buffers_[b].mapping.digit[row].stride != 1 || d.slot != d.size || d.stride != 1) break;
      push({d.size, stride_of(b, row), true});
      return;
    }
    say(refuse("sequence-indirect-rows", at_)
            .what("rows of ", how_.indirect->rows, " cannot be picked by ", how_.indirect->over, ": the buffer must hold ",
                  how_.indirect->rows, " as one whole factor, and the stream ", how_.indirect->over, " unpadded")
            .why("the table holds row numbers, and the loop moves by whole rows")
            .help("keep the row axis whole in the buffer"));
  }

  constexpr void add_window(const Mapping& m, int first) {
    // The window's positions are evenly spaced in the buffer if all its members are, by the same measure.
    std::int64_t measure = 0;
    for (int k = first; k < m.digits && (k == first || m.digit[k].joined) && !refused_; ++k) {
      Digit const& d = m.digit[k];
      Name const name = m.axis[d.axis].name;
      if (!axis_in_buffer(name)) {
        say(lacking(refuse("sequence-window-not-in-buffer", at_), name, {d.stride, d.size})
                .why("a window is read from a buffer that holds the window")
                .help("keep $(…) in the buffer's mapping; its positions are stored once"));
        return;
      }
      Part part[Division::max_entries]{};
      Entry absent{1, 0};
      int const n = find_parts(name, {d.stride, d.size}, false, part, absent);
      if (refused_) return;
      std::int64_t const stride = n == 1 && absent.size == 1 ? stride_of(part[0].buffer, part[0].digit) * part[0].skip : 0;
      bool const even = stride > 0 && stride % d.step == 0 && (measure == 0 || measure == stride / d.step);
      if (!even) {
        say(lacking(refuse("sequence-window-not-in-buffer", at_), name, {d.stride, d.size})
                .why("the members of the window lie in the buffer by another measure than in the stream")
                .help("use the same steps in the buffer's window"));
        return;
      }
      measure = stride / d.step;
      use(part[0], part[0].take);
    }
    if (how_.access == Access::write && !refused_) return say_write_broadcast(text("a window"));
    push({m.digit[first].slot, measure});
  }

  constexpr void close_tail(const Mapping& m, int t, bool nested, int from, std::int64_t live) {
    Entry all{1, 0};
    bool one = !nested;
    for (int i = loops_.entries - 1; i >= from && one; --i) {
      Entry const& e = loops_.entry[i];
      if (all.size == 1) all = e;
      else if (!e.indirect && e.stride == all.size * all.stride) all.size *= e.size;
      else one = false;
    }
    if (!one || all.size != live || all.indirect) {
      say(refuse("sequence-tail-not-contiguous", at_)
              .what("the stream pads a group to ", m.tail[t].slot, " positions, which is no whole number of its outer steps, in ", m)
              .why("such a run is one loop, so the group must lie in the buffer without a gap")
              .help("pad the group's outermost axis instead, or keep the group together in the buffer"));
      return;
    }
    if (how_.access == Access::write && m.tail[t].slot > live) {
      bool const own = count_ == 1 && all.stride == 1 && buffers_[0].mapping.tails == 1 &&
                       foot_[0].tail_live[0] * foot_[0].tail_unit[0] == live && buffers_[0].mapping.size >= m.tail[t].slot;
      if (!own) return say_write_beyond(m.tail[t].slot);
    }
    loops_.entries = from;
    push({m.tail[t].slot, all.stride});
  }

  /// Remembers how far into a buffer digit the stream reaches, and which of its steps are counted.
  constexpr void use(const Part& p, std::int64_t rounds) {
    Digit const& y = buffers_[p.buffer].mapping.digit[p.digit];
    Reach& r = reach_[p.buffer][p.digit];
    // Rounds of padding must not fall upon live steps.
    if (rounds > p.take && how_.access == Access::write && p.take * p.skip < y.size) say_write_beyond(rounds);
    r.touched += (rounds - 1) * p.skip;
    r.last += (p.take - 1) * p.skip;
    r.covered *= p.take;
  }

  /// Starts of the stream and of the buffers, as a base.
  constexpr void add_starts(const Mapping* terms, int n) {
    for (int i = 0; i < n + count_ && !refused_; ++i) {
      Mapping const& m = i < n ? terms[i] : buffers_[i - n].mapping;
      for (int a = 0; a < m.axes && !refused_; ++a) {
        Name const name = m.axis[a].name;
        bool seen = false;
        for (int j = 0; j < i; ++j) seen |= find_axis(j < n ? terms[j] : buffers_[j - n].mapping, name) >= 0;
        if (seen) continue;
        std::int64_t wanted = 0, held = 0;
        for (int j = i; j < n; ++j)
          if (int const b = find_axis(terms[j], name); b >= 0) wanted += terms[j].axis[b].start;
        for (int b = 0; b < count_; ++b)
          if (int const c = find_axis(buffers_[b].mapping, name); c >= 0) held += buffers_[b].mapping.axis[c].start;
        if ((wanted > 0 ? wanted : 0) < held) say_insufficient(name, {1, held});
        else if (wanted < held && how_.access == Access::write) say_write_beyond(held - wanted);
        else if (wanted > held && how_.access == Access::write) say_write_incomplete(name, wanted - held);
        else if (wanted != held && axis_in_buffer(name)) add_start(name, wanted - held);
        else if (wanted > 0 && held != wanted && find_anchor(name)) say_insufficient(name, {1, wanted});
      }
    }
  }
  /// True if a buffer holds one element of the axis only, and no digit of it.
  constexpr bool find_anchor(Name name) const {
    for (int b = 0; b < count_; ++b)
      if (find_axis(buffers_[b].mapping, name) >= 0) return true;
    return false;
  }
  constexpr void add_start(Name name, std::int64_t start) {
    // From the coarsest digit down; in front of the axis only the coarsest can count, and only if it is alone.
    std::int64_t left = start, below = -1;
    int digits = 0;
    while (left != 0) {
      int hit_buffer = -1, hit = -1;
      std::int64_t best = 0;
      for (int b = 0; b < count_; ++b) {
        Mapping const& m = buffers_[b].mapping;
        for (int k = 0; k < m.digits; ++k) {
          Digit const& y = m.digit[k];
          if (y.axis == no_axis || !(m.axis[y.axis].name == name) || (below >= 0 && y.stride >= below) || y.stride <= best) continue;
          best = y.stride;
          hit_buffer = b;
          hit = k;
        }
      }
      if (hit < 0) break;
      ++digits;
      below = best;
      std::int64_t const steps = left / best;
      left -= steps * best;
      loops_.base += steps * stride_of(hit_buffer, hit);
      reach_[hit_buffer][hit].last += steps;
      if (start < 0 && left != 0) break;
    }
    if (left != 0 || (start < 0 && (digits > 1 || count_digits(name) > 1))) {
      say(refuse("sequence-start-inside-block", at_)
              .what("axis ", name, " starts at ", start, ", which is no whole step of the buffer's blocks")
              .why("a sequencer adds the start once; with blocks it would have to carry")
              .help("start at a multiple of the block, or keep axis ", name, " whole in the buffer"));
    }
  }
  constexpr int count_digits(Name name) const {
    int n = 0;
    for (int b = 0; b < count_; ++b)
      for (int k = 0; k < buffers_[b].mapping.digits; ++k) {
        Digit const& y = buffers_[b].mapping.digit[k];
        n += y.axis != no_axis && buffers_[b].mapping.axis[y.axis].name == name;
      }
    return n;
  }

  /// No live element may lie beyond the live steps of a buffer digit, unless the axis itself ends there.
  constexpr void check_bounds() {
    for (int b = 0; b < count_ && !refused_; ++b) {
      Mapping const& m = buffers_[b].mapping;
      for (int k = 0; k < m.digits && !refused_; ++k) {
        Digit const& y = m.digit[k];
        if (y.axis == no_axis || reach_[b][k].last < y.size || reaches_end(m, y)) continue;
        Name const name = m.axis[y.axis].name;
        Steps const asked{y.stride, reach_[b][k].last + 1};
        if (counts_coarser(name, y.stride)) say_incompatible(name, asked);
        else say_insufficient(name, asked);
      }
    }
  }

  /// Every live position of the buffer gets exactly one element.
  constexpr void check_written() {
    for (int b = 0; b < count_ && !refused_; ++b) {
      Mapping const& m = buffers_[b].mapping;
      for (int k = 0; k < m.digits && !refused_; ++k) {
        Digit const& y = m.digit[k];
        if (y.axis != no_axis && reach_[b][k].touched >= y.slot) say_write_beyond(reach_[b][k].touched + 1);
        bool const whole = y.axis == no_axis ? y.size == 1 : reach_[b][k].covered >= y.size && reach_[b][k].last + 1 >= y.size;
        if (whole) continue;
        Refusal r = refuse("sequence-write-incomplete", at_);
        r.what("the stream leaves live positions of ", m, " unwritten: ");
        if (y.axis == no_axis) r.what("there are ", y.size, " copies");
        else r.what("of axis ", m.axis[y.axis].name, " it brings ", reach_[b][k].covered, " of ", y.size, " steps");
        say(r.why("a write gives every live position exactly one element").help("write into a view of the part that the stream brings"));
      }
    }
  }

  constexpr void say_write_incomplete(Name name, std::int64_t first) {
    say(refuse("sequence-write-incomplete", at_)
            .what("the stream leaves live positions unwritten: of axis ", name, " it brings nothing before ", first)
            .why("a write gives every live position exactly one element")
            .help("write into a view of the part that the stream brings"));
  }
  constexpr void say_write_broadcast(const Text& what) {
    say(refuse("sequence-write-broadcast", at_)
            .what("the stream repeats its elements (", what, "), and a write would put several of them into one position")
            .why("a write gives every live position exactly one element")
            .help("drop the repeated factor from Time and Packet"));
  }
  constexpr void say_write_beyond(std::int64_t rounds) {
    Refusal r = refuse("sequence-write-beyond-tensor", at_);
    r.what("the stream's padding of ", rounds, " positions would be written outside the padding of ");
    for (int b = 0; b < count_; ++b) r.what(b > 0 ? " and " : "", buffers_[b].mapping);
    say(r.why("a read may run over into what lies behind a row; a write would destroy it")
            .help("trim the stream to the buffer's own padding"));
  }

  /// Padding as the buffer's innermost factor.
  constexpr bool ends_in_padding(std::int64_t slots) const {
    for (int b = 0; b < count_; ++b) {
      Mapping const& m = buffers_[b].mapping;
      if (buffers_[b].unit != 1 || m.digits == 0) continue;
      Digit const& y = m.digit[m.digits - 1];
      if (y.axis == no_axis && y.size == 1 && y.slot >= slots) return true;
    }
    return false;
  }
  /// Padding of a whole row behind the buffer's last live position.
  constexpr std::int64_t outer_padding(std::int64_t slots, std::int64_t inside) {
    for (int b = 0; b < count_; ++b) {
      Mapping const& m = buffers_[b].mapping;
      if (buffers_[b].unit != 1 || m.digits == 0 || m.tails > 0) continue;
      if (foot_[b].inside[0] * m.digit[0].size == inside && m.size >= slots * inside) return inside;
    }
    say_write_beyond(slots);
    return 0;
  }

  struct Reach {
    std::int64_t last = 0;     // the furthest live step that is asked for
    std::int64_t touched = 0;  // and the furthest with padding
    std::int64_t covered = 1;  // how many steps are
  };

  const Buffer* buffers_;
  int count_;
  Walks how_;
  Where at_;
  Footprints foot_[max_buffers]{};
  Reach reach_[max_buffers][Mapping::max_digits]{};
  Loops loops_{};
  bool refused_ = false;
  Refusal refusal_{};
};

}  // namespace detail

/// The loop nest that walks the buffers in the order of the stream, given as a list of terms of which those from `packet_from` on are the packet.
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
