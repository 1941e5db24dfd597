// The derivation of loop nests against a walk through every position of both sides, for random pairs that are accepted and that are refused.
//
// An accepted pair must do what a read or write must do. A refused one must be refused for a reason that the walk confirms; and where the walk finds a loop
// nest after all, the refusal must belong to one of these classes, each of them meant:
//
//   blocks      The blocks of stream and buffer do not divide each other, but a nest exists by accident, as for A / 3 of a buffer m![A / 2, A % 2 # 4] (0, 5, 12,
//               17), or because two buffers happen to lie without a gap. The book's rule is the factorisation (SEQ-25); a sequencer configuration that
//               depends on such luck would change with every size.
//   start       A start inside a block, where a negative stride could do. Or, as insufficient input, a start from which on the stream's steps happen to pass over
//               all that the buffer lacks.
//   tail        A group padded as a whole is one loop over a contiguous run, and refused otherwise (by choice); with padding inside, some have another stride.
//   padding     Padding of a write goes behind the live steps of its own digit, or into the buffer's innermost padding. Other places could be found by search.
//   window      Windows are read only (by choice), also where every position would be written once.
//   between     In the newer reading, which repeats what the buffer lacks: a digit that is missing between two that are there is not repeated but refused.
#include <gtest/gtest.h>

#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include "law/rules/random_pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/sequence.hpp"

namespace {

using brute::any;
using brute::Border;
using brute::nowhere;
using brute::Pair;
using brute::Pairs;
using tcp::Access;
using Answer = brute::NestSearch::Answer;

const tcp::Axes& axes() {
  static const tcp::Axes all = [] {
    tcp::Axes a;
    for (const brute::Axis& each : Pairs::axes) {
      a.name[a.n] = tcp::Name(each.name);
      a.size[a.n++] = each.extent;
    }
    return a;
  }();
  return all;
}

/// A pair as the library sees it.
struct Parsed {
  std::vector<tcp::Buffer> buffers;
  std::vector<tcp::Mapping> terms;
  int packet_from;

  tcp::Expected<tcp::Loops> derive(const tcp::Walks& how) const {
    return tcp::derive_loops(buffers.data(), static_cast<int>(buffers.size()), terms.data(), static_cast<int>(terms.size()), packet_from,
                             how);
  }
};

std::optional<Parsed> parsed(const Pair& p) {
  Parsed out{{}, {}, static_cast<int>(p.packet_from)};
  for (std::size_t b = 0; b < p.buffers.size(); ++b) {
    auto const m = tcp::parse(p.buffers[b].text(), axes());
    if (!m) return {};
    out.buffers.push_back({*m, p.unit[b]});
  }
  for (const brute::List& t : p.terms) {
    auto const m = tcp::parse(t.text(), axes());
    if (!m) return {};
    out.terms.push_back(*m);
  }
  return out;
}

std::string written(const Pair& p) {
  std::ostringstream out;
  for (std::size_t b = 0; b < p.buffers.size(); ++b) out << (b > 0 ? " + " : "") << p.buffers[b].text() << " (unit " << p.unit[b] << ")";
  for (std::size_t t = 0; t < p.terms.size(); ++t) out << (t == p.packet_from ? " || " : " | ") << p.terms[t].text();
  return out.str();
}

std::string written(const tcp::Loops& l) {
  std::ostringstream out;
  print(out, l);
  out << " base " << l.base;
  return out.str();
}

// What the refusals speak of: the factors of both sides in normal form.

/// The borders that no loop may cross: the factors of the stream's terms. A group with a tail, or a window, is one loop.
std::vector<Border> borders_of(const std::vector<tcp::Mapping>& terms) {
  std::vector<Border> all;
  for (const tcp::Mapping& m : terms) {
    int t = 0;
    for (int k = 0; k < m.digits;) {
      if (t < m.tails && m.tail[t].first == k) {
        all.push_back({m.tail[t].slot, true});
        k = m.tail[t].last + 1;
        while (t < m.tails && m.tail[t].first < k) ++t;
        continue;
      }
      if (!m.digit[k].joined) all.push_back({m.digit[k].slot, m.digit[k].in_window()});
      ++k;
    }
  }
  return all;
}
bool has_tail(const std::vector<tcp::Mapping>& terms) {
  return std::any_of(terms.begin(), terms.end(), [](const tcp::Mapping& m) { return m.tails > 0; });
}
bool has_window(const tcp::Mapping& m) {
  return std::any_of(m.digit, m.digit + m.digits, [](const tcp::Digit& d) { return d.in_window(); });
}

/// The steps at which the buffers begin a block of an axis; in the newer reading also the step at which what they have of it is repeated.
std::set<std::int64_t> blocks_of(const Parsed& q, tcp::Name axis, bool absent_digits_repeat = false) {
  std::set<std::int64_t> strides;
  std::int64_t coarsest = 0, end = 0;
  for (const tcp::Buffer& b : q.buffers)
    for (int k = 0; k < b.mapping.digits; ++k) {
      tcp::Digit const& d = b.mapping.digit[k];
      if (d.axis == tcp::no_axis || !(b.mapping.axis[d.axis].name == axis)) continue;
      strides.insert(d.stride);
      if (d.stride > coarsest) coarsest = d.stride, end = d.stride * d.size;
    }
  if (absent_digits_repeat && end > 0) strides.insert(end);
  return strides;
}

/// Whether some factor of the stream and some block of the buffers do not divide each other.
bool blocks_do_not_divide(const Parsed& q, bool absent_digits_repeat = false) {
  for (const tcp::Mapping& m : q.terms)
    for (int k = 0; k < m.digits; ++k) {
      tcp::Digit const& d = m.digit[k];
      if (d.axis == tcp::no_axis) continue;
      for (std::int64_t begin : blocks_of(q, m.axis[d.axis].name, absent_digits_repeat)) {
        bool const inside = d.stride < begin && begin < d.stride * d.size;
        std::int64_t const slot = d.in_window() ? d.size : d.slot;
        if (inside && (begin % d.stride != 0 || slot % (begin / d.stride) != 0)) return true;
        if (begin <= d.stride && d.stride % begin != 0) return true;
      }
    }
  return false;
}

/// The sum of the starts of an axis.
std::int64_t start_of(const std::vector<brute::List>& lists, std::size_t axis) {
  std::int64_t start = 0;
  for (const brute::List& l : lists) start += l.start[axis];
  return start;
}

/// Whether an axis starts in the stream somewhere inside a block of the buffers.
bool starts_inside_block(const Pair& p, const Parsed& q) {
  for (std::size_t a = 0; a < Pairs::axis_count; ++a) {
    std::int64_t const start = start_of(p.terms, a) - start_of(p.buffers, a);
    for (std::int64_t begin : blocks_of(q, tcp::Name(Pairs::axes[a].name)))
      if (start % begin != 0) return true;
  }
  return false;
}

/// Whether an axis of either side has a start. Starts are judged by themselves, so that the elements between may be missed that no step asks for.
bool has_start(const Pair& p) {
  for (std::size_t a = 0; a < Pairs::axis_count; ++a)
    if (start_of(p.terms, a) != 0 || start_of(p.buffers, a) != 0) return true;
  return false;
}
/// Whether padding in front, or a late start, may leave a repeated axis a single live step.
bool starts_repeated_axis(const Pair& p, const Parsed& q) {
  for (std::size_t a = 0; a < Pairs::axis_count; ++a)
    if (start_of(p.terms, a) != 0 && blocks_of(q, tcp::Name(Pairs::axes[a].name)).empty()) return true;
  return false;
}

/// Both sides of a pair, walked through.
class Truth {
 public:
  /// `absent_digits_repeat`: the newer reading, in which a digit that the buffers lack is left out of account.
  Truth(const Pair& p, bool absent_digits_repeat) : stream_(Pairs::axes, p.terms), tensor_(Pairs::axes, p.buffers, p.unit) {
    for (const brute::List& l : p.buffers)
      for (std::size_t a = 0; a < Pairs::axis_count; ++a) present_[a] |= l.start[a] != 0;
    for (const auto& at : tensor_.positions)
      for (brute::Element e : at.holds)
        for (int a = 0; a < Pairs::axis_count; ++a) present_[static_cast<std::size_t>(a)] |= brute::coordinate(e, a) != 0;
    for (const auto& at : tensor_.positions) {
      reach_ = std::max(reach_, at.address + 1);
      (at.holds.empty() ? padding_ : live_).insert(at.address);
      for (brute::Element e : at.holds) places_[known_part(e)].push_back(at.address);
    }
    std::set<std::int64_t> taken;
    std::set<brute::Element> brought;
    for (const auto& at : stream_.positions) {
      std::int64_t const place = place_of(p, at, absent_digits_repeat);
      wanted_.push_back(place);
      missing |= place == nowhere;
      pads |= place == any;
      if (place != any && place != nowhere) repeats |= !taken.insert(place).second;
      if (at.holds.size() == 1) repeats |= !brought.insert(known_part(at.holds[0])).second;
      empty &= at.holds.empty();
    }
    for (std::int64_t a : live_) incomplete |= !taken.contains(a);
    empty |= live_.empty();
  }

  bool missing = false;     // an element of the stream is nowhere in the buffers
  bool torn = false;        // the elements of one position of a window lie in different places
  bool repeats = false;     // two positions of the stream bring the same element, or go to the same place
  bool incomplete = false;  // a live position of the buffers gets no element
  bool pads = false;        // the stream has padding
  bool empty = true;        // the stream or the buffers have nothing else

  std::int64_t positions() const { return static_cast<std::int64_t>(wanted_.size()); }

  /// Whether some loop nest does it.
  Answer possible(const std::vector<Border>& borders, Access access) const {
    if (missing || torn || (access == Access::write && (repeats || incomplete))) return Answer::none;
    return brute::NestSearch::search(borders, wanted_, reach_, access == Access::read,
                                     [this](std::int64_t a) { return padding_.contains(a); });
  }

  /// What these loops do wrong; empty if they do what a read or write must.
  std::string complaint(const tcp::Loops& loops, Access access) const {
    std::int64_t rounds = 1;
    for (int k = 0; k < loops.entries; ++k) rounds *= loops.entry[k].size;
    if (rounds != positions()) return "the rounds are not the stream's positions";
    if (missing) return "an element is nowhere";
    std::map<std::int64_t, int> times;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      std::int64_t const address = loops.at(static_cast<std::int64_t>(i));
      const auto& at = stream_.positions[i];
      for (brute::Element e : at.holds) {
        auto const& where = places_.at(projected_.empty() ? known_part(e) : projected_.at(e));
        if (std::find(where.begin(), where.end(), address) == where.end())
          return "position " + std::to_string(i) + " goes to " + std::to_string(address);
      }
      if (access == Access::read) continue;
      if (!at.holds.empty()) ++times[address];
      else if (!padding_.contains(address)) return "padding at " + std::to_string(i) + " is written to " + std::to_string(address);
    }
    if (access == Access::write)
      for (std::int64_t a : live_)
        if (times[a] != 1) return "live position " + std::to_string(a) + " is written " + std::to_string(times[a]) + " times";
    return "";
  }

 private:
  /// An element without the coordinates of axes that the buffers do not have.
  brute::Element known_part(brute::Element e) const {
    for (int a = 0; a < Pairs::axis_count; ++a)
      if (!present_[static_cast<std::size_t>(a)]) e = brute::with_coordinate(e, a, 0);
    return e;
  }
  std::int64_t place_of(const Pair& p, const brute::Side::Position& at, bool absent_digits_repeat) {
    std::int64_t found = any;
    for (brute::Element e : at.holds) {
      brute::Element wanted = known_part(e);
      if (absent_digits_repeat) wanted = projected_[e] = without_absent_digits(p, wanted);
      auto const where = places_.find(wanted);
      if (where == places_.end()) return nowhere;
      torn |= found != any && found != where->second.front();
      found = where->second.front();
    }
    return found;
  }
  /// The newer reading: a digit that the buffers lack does not count. Steps that they lack of a digit that they have stay, and are found nowhere.
  static brute::Element without_absent_digits(const Pair& p, brute::Element e) {
    for (int a = 0; a < Pairs::axis_count; ++a) {
      std::map<std::int64_t, std::int64_t> digits;  // stride -> steps
      for (const brute::List& l : p.buffers)
        for (const brute::Item& i : l.items)
          for (const brute::Counted& c : i.counts)
            if (c.axis == a && c.size > 1) digits[c.stride] = c.size;
      std::int64_t kept = 0;
      for (auto d = digits.begin(); d != digits.end(); ++d) {
        auto const [stride, size] = *d;
        auto const next = std::next(d);
        std::int64_t step = brute::coordinate(e, a) / stride;
        if (next != digits.end()) step %= next->first / stride;
        if (next == digits.end() || next->first / stride % size == 0) step %= size;
        kept += step * stride;
      }
      e = brute::with_coordinate(e, a, kept);
    }
    return e;
  }

  brute::Side stream_, tensor_;
  std::array<bool, brute::most_axes> present_{};
  std::map<brute::Element, std::vector<std::int64_t>> places_;
  std::map<brute::Element, brute::Element> projected_;
  std::set<std::int64_t> live_, padding_;
  std::vector<std::int64_t> wanted_;
  std::int64_t reach_ = 0;
};

/// The run of neighbours at the beginning of the walk, counted one by one as E-40 has it: neighbours, or one position again and again, or else single elements.
std::int64_t run_by_walking(const tcp::Loops& loops, std::int64_t positions) {
  if (positions == 1) return 1;
  std::int64_t const step = loops.at(1) - loops.at(0);
  if (step != 0 && step != 1) return 1;
  std::int64_t n = 2;
  while (n < positions && loops.at(n) - loops.at(n - 1) == step) ++n;
  return n;
}

/// What does not hold of accepted loops besides their being right; empty if everything does.
std::string different_walk(const tcp::Loops& loops, std::int64_t positions) {
  if (loops.contiguous() != run_by_walking(loops, positions)) return "contiguous run";
  tcp::Loops const merged = tcp::merged(loops);
  if (merged.contiguous() != loops.contiguous()) return "contiguous run after merging";
  tcp::Device small = tcp::rngd;
  small.sequencer.entries = 3;
  small.sequencer.iterations = 12;
  auto const fitted = tcp::fit_sequencer(small, loops);
  std::int64_t furthest = loops.base;
  for (std::int64_t i = 0; i < positions; ++i) {
    std::int64_t const address = loops.at(i);
    furthest = std::max(furthest, address);
    if (merged.at(i) != address) return "merged";
    if (fitted && fitted->at(i) != address) return "fitted";
  }
  if (loops.furthest() != furthest) return "furthest";
  for (int k = 0; fitted && k < fitted->entries; ++k)
    if (fitted->entries > 3 || fitted->entry[k].size > 12) return "fits no sequencer of 3 entries and 12 rounds";
  return "";
}

/// Whether the walk confirms the reason of a refusal.
bool confirmed(const std::string& code, const Pair& p, const Parsed& q, const Truth& truth) {
  if (code == "sequence-insufficient-input") return truth.missing || has_start(p);
  if (code == "sequence-incompatible-shapes") return blocks_do_not_divide(q);
  if (code == "sequence-start-inside-block") return starts_inside_block(p, q);
  if (code == "sequence-tail-not-contiguous") return has_tail(q.terms);
  if (code == "sequence-window-not-in-buffer")
    return truth.missing || truth.torn || truth.possible(borders_of(q.terms), Access::read) == Answer::none;
  if (code == "sequence-write-broadcast") return truth.repeats || starts_repeated_axis(p, q);
  // Padding that begins inside a block of the buffer is said to leave the block unfinished; where blocks do not divide, another factor may have filled it.
  if (code == "sequence-write-incomplete") return truth.incomplete || blocks_do_not_divide(q);
  if (code == "sequence-write-beyond-tensor") return truth.pads;
  if (code == "sequence-write-window") {
    bool any_window = false;
    for (const tcp::Mapping& m : q.terms) any_window |= has_window(m);
    for (const tcp::Buffer& b : q.buffers) any_window |= has_window(b.mapping);
    return any_window;
  }
  return false;
}

/// The class of refusals, of those at the head of this file, that includes pairs for which some loop nest exists.
std::string class_of(const std::string& code) {
  if (code == "sequence-incompatible-shapes") return "blocks";
  if (code == "sequence-start-inside-block" || code == "sequence-insufficient-input") return "start";
  if (code == "sequence-tail-not-contiguous") return "tail";
  if (code == "sequence-write-beyond-tensor") return "padding";
  if (code == "sequence-write-window") return "window";
  return "";
}

class Tally {
 public:
  void count(const std::string& what) { ++counts_[what]; }
  /// A failure; the first few of each kind are shown.
  void complain(const std::string& kind, const std::string& what) {
    count("!! " + kind);
    if (of("!! " + kind) <= 4) ADD_FAILURE() << kind << ": " << what;
  }
  std::int64_t of(const std::string& what) const { return counts_.contains(what) ? counts_.at(what) : 0; }
  void print() const {
    for (const auto& [what, n] : counts_) std::cout << "  " << what << ": " << n << "\n";
  }

 private:
  std::map<std::string, std::int64_t> counts_;
};

bool too_large(const Pair& p) {
  std::int64_t stream = 1, held = 1;
  for (const brute::List& t : p.terms) stream *= t.size();
  for (const brute::List& b : p.buffers) held *= b.size();
  return stream > 400 || held > 1500;
}

TEST(SequenceLaw, reads_and_writes_do_what_they_must_and_refusals_have_their_reason) {
  Pairs pairs(20240607);
  Tally tally;
  for (int i = 0; i < 80000; ++i) {
    Pair const p = pairs.next();
    auto const q = too_large(p) ? std::nullopt : parsed(p);
    if (!q) continue;
    Truth const truth(p, false);
    auto const borders = borders_of(q->terms);
    for (Access access : {Access::read, Access::write}) {
      std::string const name = access == Access::read ? "read " : "write ";
      auto const loops = q->derive({.access = access});
      if (loops) {
        tally.count(name + "accepted");
        std::string const what = name + written(p) + "   " + written(*loops);
        if (auto const wrong = truth.complaint(*loops, access); !wrong.empty()) tally.complain("wrong " + name, wrong + ": " + what);
        if (auto const other = different_walk(*loops, truth.positions()); !other.empty()) tally.complain(other, what);
        continue;
      }
      std::string const code = loops.refusal().code;
      std::string const what = name + written(p) + "   " + std::string(loops.refusal().sentence().view());
      tally.count(name + code);
      if (truth.empty) continue;  // nothing is asked for, so nothing can be said about it
      if (!confirmed(code, p, *q, truth)) tally.complain("no reason to say " + name + code, what);
      Answer const answer = truth.possible(borders, access);
      if (answer == Answer::unsure) tally.count("unsure");
      if (answer != Answer::exists) continue;
      if (class_of(code).empty()) tally.complain("a loop nest exists in spite of " + code, what);
      else tally.count("nest exists, class " + class_of(code));
    }
  }
  tally.print();
  EXPECT_GE(tally.of("read accepted"), 30000);
  EXPECT_GE(tally.of("write accepted"), 15000);
  for (const char* code : {"insufficient-input", "incompatible-shapes"})
    for (const char* access : {"read", "write"}) EXPECT_GE(tally.of(std::string(access) + " sequence-" + code), 2000) << code;
  for (const char* outcome : {"read sequence-tail-not-contiguous", "read sequence-start-inside-block", "read sequence-window-not-in-buffer",
                              "write sequence-write-window"})
    EXPECT_GE(tally.of(outcome), 150) << outcome;
  for (const char* code : {"write-broadcast", "write-beyond-tensor", "write-incomplete"})
    EXPECT_GE(tally.of(std::string("write sequence-") + code), 2000) << code;
  EXPECT_LE(tally.of("unsure"), 1500) << "pairs whose padding has too many places to try them all";
}

TEST(SequenceLaw, the_newer_reading_repeats_digits_that_the_buffers_lack) {
  Pairs pairs(36, {.starts = false, .windows = false, .groups = false});
  Tally tally;
  for (int i = 0; i < 40000; ++i) {
    Pair const p = pairs.next();
    auto const q = too_large(p) ? std::nullopt : parsed(p);
    if (!q) continue;
    Truth const truth(p, true);
    auto const older = q->derive({}), newer = q->derive({.absent = tcp::Absent::broadcast});
    if (newer) {
      tally.count(older ? "accepted in both readings" : "accepted in the newer reading only");
      std::string const what = written(p) + "   " + written(*newer);
      if (auto const wrong = truth.complaint(*newer, Access::read); !wrong.empty()) tally.complain("wrong", wrong + ": " + what);
      if (auto const other = different_walk(*newer, truth.positions()); !other.empty()) tally.complain(other, what);
      continue;
    }
    if (truth.empty) continue;
    std::string const code = newer.refusal().code;
    std::string const what = written(p) + "   " + std::string(newer.refusal().sentence().view());
    tally.count(code);
    if (older) tally.complain("the older reading takes it, the newer does not", what);
    // Steps that are missing in the older reading may be said to be missing; that there is no nest is judged by the newer one.
    bool const uneven = code == "sequence-incompatible-shapes" && blocks_do_not_divide(*q, true);
    if (!uneven && !confirmed(code, p, *q, Truth(p, false))) tally.complain("no reason to say " + code, what);
    if (truth.possible(borders_of(q->terms), Access::read) != Answer::exists) continue;
    tally.count("nest exists, class " + std::string(code == "sequence-insufficient-input" ? "between" : class_of(code)));
    if (code != "sequence-insufficient-input" && class_of(code) != "blocks") tally.complain("a loop nest exists in spite of " + code, what);
  }
  tally.print();
  EXPECT_GE(tally.of("accepted in both readings"), 10000);
  EXPECT_GE(tally.of("accepted in the newer reading only"), 500);
  EXPECT_GE(tally.of("sequence-insufficient-input"), 300);
  EXPECT_GE(tally.of("sequence-incompatible-shapes"), 300);
}

TEST(SequenceLaw, a_tensor_is_read_and_written_in_its_own_order) {
  // However it is cut into Time and Packet, the walk is 0, 1, 2, … A write puts even the padding where it came from.
  Pairs pairs(41, {.windows = false});
  std::int64_t cuts = 0;
  for (int i = 0; i < 12000; ++i) {
    Pair const p = pairs.next();
    brute::List all;
    for (const brute::List& b : p.buffers)
      for (const brute::Item& item : b.items)
        if (!item.counts.empty() || item.live == 1) all.items.push_back(item);
    auto const m = tcp::parse(all.text(), axes());
    if (!m || m->size > 1500) continue;
    all.start = p.buffers.back().start;
    Truth const truth({{all}, {1}, {all}, 0}, false);
    if (truth.empty) continue;
    for (std::int64_t n = 1; n <= m->size; ++n) {
      tcp::Halves const halves = m->size % n == 0 ? split_at(*m, n) : tcp::Halves{tcp::copies(0), tcp::copies(0)};
      if (!halves.inner.ok()) continue;
      // Not so for a cut inside mere padding at the very inside, A, 1 # 4 as A, 1 # 2 and 1 # 2: a write looks for such padding as a whole.
      tcp::Digit const& innermost = m->digit[m->digits - 1];
      bool const mere_padding = m->digits > 0 && innermost.axis == tcp::no_axis && innermost.size == 1;
      if (mere_padding && n < innermost.slot && n > 1) continue;
      ++cuts;
      for (Access access : {Access::read, Access::write}) {
        auto const loops = tcp::derive_loops(*m, halves.outer, halves.inner, {.access = access});
        std::string const what = all.text() + " cut at " + std::to_string(n);
        ASSERT_TRUE(loops.ok()) << what << "   " << loops.refusal().sentence().view();
        ASSERT_EQ(truth.complaint(*loops, access), "") << what;
        for (std::int64_t at = 0; at < m->size && access == Access::write; ++at) ASSERT_EQ(loops->at(at), at) << what;
      }
    }
  }
  EXPECT_GE(cuts, 20000);
}

TEST(SequenceLaw, indirect_rows_are_those_of_the_table) {
  // Steps of A pick rows of R. The table is walked through like the rest: what the stream then holds at A = i is row table[i].
  tcp::Indirect const rows{.over = tcp::Name("A"), .rows = tcp::Name("R")};
  Pairs pairs(28, {.windows = false, .groups = false});
  auto const drop = [](std::vector<brute::List>& lists, int axis) {
    for (brute::List& l : lists) {
      std::erase_if(l.items, [&](const brute::Item& i) { return !i.counts.empty() && i.counts[0].axis == axis; });
      l.start[static_cast<std::size_t>(axis)] = 0;
    }
  };
  Tally tally;
  for (int i = 0; i < 60000; ++i) {
    Pair p = pairs.next();
    if (!pairs.one_in(10)) drop(p.buffers, Pairs::a_of_12);
    if (!pairs.one_in(10)) drop(p.terms, Pairs::ragged_13);
    auto const q = too_large(p) ? std::nullopt : parsed(p);
    if (!q) continue;
    auto const loops = q->derive({.indirect = &rows});
    bool streams_over = false, streams_rows = false, holds_over = false;
    for (const tcp::Mapping& m : q->terms) {
      streams_over |= find_axis(m, rows.over) >= 0;
      streams_rows |= find_axis(m, rows.rows) >= 0;
    }
    for (const tcp::Buffer& b : q->buffers) holds_over |= find_axis(b.mapping, rows.over) >= 0;
    if (!streams_over) continue;
    if (!loops) {
      tally.count(loops.refusal().code);
      continue;
    }
    std::string const what = written(p) + "   " + written(*loops);
    if (holds_over || streams_rows) {
      tally.complain("rows are picked and streamed at once", what);
      continue;
    }
    tally.count("accepted");

    std::int64_t table[12];
    std::int64_t held = 0;
    for (const tcp::Buffer& b : q->buffers)
      for (int k = 0; k < b.mapping.digits; ++k)
        if (b.mapping.digit[k].axis != tcp::no_axis && b.mapping.axis[b.mapping.digit[k].axis].name == rows.rows)
          held = b.mapping.digit[k].size;
    if (held < 2) {
      tally.complain("the buffer holds no rows", what);
      continue;
    }
    for (std::int64_t& row : table) row = pairs.below(held);

    brute::Side const stream(Pairs::axes, p.terms), tensor(Pairs::axes, p.buffers, p.unit);
    std::map<brute::Element, std::set<std::int64_t>> places;
    for (const auto& at : tensor.positions)
      for (brute::Element e : at.holds) places[e].insert(at.address);
    std::int64_t furthest = 0;
    for (std::size_t at = 0; at < stream.positions.size(); ++at) {
      std::int64_t const address = loops->at(static_cast<std::int64_t>(at), table);
      furthest = std::max(furthest, address);
      for (brute::Element e : stream.positions[at].holds) {
        brute::Element wanted = brute::with_coordinate(e, Pairs::ragged_13, table[brute::coordinate(e, Pairs::a_of_12)]);
        for (int a : {Pairs::a_of_12, Pairs::b_of_8, Pairs::q_of_3, Pairs::repeated_2}) {
          std::size_t const axis = static_cast<std::size_t>(a);
          bool const absent = start_of(p.buffers, axis) == 0 && blocks_of(*q, tcp::Name(Pairs::axes[axis].name)).empty();
          if (absent) wanted = brute::with_coordinate(wanted, a, 0);
        }
        if (!places[wanted].contains(address)) tally.complain("another row", what + " at " + std::to_string(at));
      }
    }
    if (loops->furthest() < furthest) tally.complain("furthest", what);
  }
  tally.print();
  EXPECT_GE(tally.of("accepted"), 200);
  EXPECT_GE(tally.of("sequence-indirect-rows"), 1000);
}

}  // namespace
