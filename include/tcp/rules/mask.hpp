// The masking registers of the fetch adapter: which elements of the walk are replaced by the pad value.
//
// The adapter knows the sequencer's counters and nothing of mappings. Of the innermost loop, of n elements, it masks
//
//     the first `left_pad`                        in rounds where the loop `last_dim` is at its first step,
//     all from the valid count on                 in rounds where the loop `last_dim` is at its last step;
//
// the valid count is one number, or one for each of the up to eight steps of the loop `valid_count_dim`. The book's
// first two cases have one count and differ in where `last_dim` is; its third has eight counts, and a loop of one
// round as `last_dim`, so that every round is its last.
//
// The innermost loop may be cut shorter than the walk needs, if that brings the padding into reach of the registers.
#pragma once

#include "tcp/rules/padding.hpp"
#include "tcp/rules/sequence.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

struct Mask {
  static constexpr int max_counts = 8;

  bool on = false;
  int last_dim = 0;  // a loop, the outermost is 0
  std::int64_t left_pad = 0;
  int valid_count_dim = -1;  // -1: valid_count[0] holds for all rounds
  int counts = 0;
  std::int64_t valid_count[max_counts]{};
  std::int64_t pad_value = 0;  // of the stored type; masking comes before table, cast and zero point

  constexpr bool operator==(const Mask&) const = default;

  /// What the registers do. Law: the element at position i of the walk is masked iff masks(loops, i).
  constexpr bool masks(const Loops& loops, std::int64_t i) const {
    if (!on) return false;
    std::int64_t at[Loops::max_entries]{};
    for (int k = loops.entries - 1; k >= 0; --k) {
      at[k] = i % loops.entry[k].size;
      i /= loops.entry[k].size;
    }
    std::int64_t const j = at[loops.entries - 1];
    if (at[last_dim] == 0 && j < left_pad) return true;
    return at[last_dim] == loops.entry[last_dim].size - 1 && j >= valid_count[valid_count_dim < 0 ? 0 : at[valid_count_dim]];
  }
};

/// A walk and the registers that mask it.
struct MaskedWalk {
  Loops loops{};
  Mask mask{};
};

namespace detail {

/// Cuts a loop in two so that a border is `inside` positions from the innermost; false if none can.
constexpr bool cut_loops(Loops& loops, std::int64_t inside) {
  std::int64_t passed = 1;
  for (int k = loops.entries - 1; k >= 0 && passed < inside; --k) {
    Entry const e = loops.entry[k];
    if (inside % passed != 0) return false;
    std::int64_t const inner = inside / passed;
    if (inner < e.size) {
      if (e.size % inner != 0 || e.indirect || loops.entries == Loops::max_entries) return false;
      for (int j = loops.entries; j > k + 1; --j) loops.entry[j] = loops.entry[j - 1];
      loops.entry[k] = {e.size / inner, e.stride * inner};
      loops.entry[k + 1] = {inner, e.stride};
      ++loops.entries;
      return true;
    }
    passed *= e.size;
  }
  return passed == inside;
}

struct Borders {
  std::int64_t at[1 + (2 * PaddingRun::max_terms + 1) * PaddingRuns::room]{};
  int count = 0;

  constexpr void add(std::int64_t inside) {
    if (!contains(inside)) at[count++] = inside;
  }
  constexpr bool contains(std::int64_t inside) const {
    for (int i = 0; i < count; ++i)
      if (at[i] == inside) return true;
    return false;
  }
};

constexpr bool cut_at(Loops& loops, const Borders& borders) {
  for (int i = 0; i < borders.count; ++i)
    if (!cut_loops(loops, borders.at[i])) return false;
  return true;
}

/// Which neighbouring loops become one.
enum class Join : std::uint8_t { innermost, terms, everywhere };

/// True if all of these positions count within one term of a run.
constexpr bool in_one_term(const PaddingRuns& runs, std::int64_t begin, std::int64_t end) {
  for (int r = 0; r < runs.count; ++r)
    for (int t = 0; t < runs.run[r].terms; ++t)
      if (runs.run[r].term[t].unit <= begin && end <= runs.run[r].term[t].unit * runs.run[r].term[t].slots) return true;
  return false;
}

/// Joins neighbouring loops that walk as one, but not across a border: those of the innermost n elements always, others
/// as `which` says.
constexpr void join_between(Loops& loops, const Borders& borders, const PaddingRuns& runs, Join which, std::int64_t n, std::int64_t most) {
  std::int64_t passed = 1;  // positions inside of loop k + 1
  for (int k = loops.entries - 2; k >= 0; --k) {
    Entry const a = loops.entry[k], b = loops.entry[k + 1];
    bool const one_walk = !a.indirect && !b.indirect && a.stride == b.size * b.stride && a.size <= most / b.size;
    std::int64_t const end = passed * b.size * a.size;
    bool const wanted = which == Join::everywhere || end <= n || (which == Join::terms && in_one_term(runs, passed, end));
    if (!one_walk || !wanted || borders.contains(passed * b.size)) {
      passed *= b.size;
      continue;
    }
    loops.entry[k] = {a.size * b.size, b.stride};
    for (int j = k + 1; j + 1 < loops.entries; ++j) loops.entry[j] = loops.entry[j + 1];
    loops.entry[--loops.entries] = Entry{};
  }
}

/// The elements of the innermost loop that are live, for given steps of two other loops.
struct LiveElements {
  std::int64_t from = 0, to = 0;
  constexpr bool none() const { return from >= to; }
};

class MaskSolver {
 public:
  constexpr MaskSolver(const Device& device, ScalarType type, const PaddingRuns& runs, const Loops& loops, std::int64_t innermost)
      : device_(device), bits_(scalar_info(type).packet_bits), runs_(runs), loops_(loops), n_(innermost) {}

  /// Tries the ways to set the registers, the book's order first.
  constexpr bool solve(MaskedWalk& found) {
    int involved[3] = {-1, -1, -1}, count = 0;
    for (int k = 0; k < loops_.entries - 1; ++k) {
      bool any = false;
      for (int r = 0; r < runs_.count; ++r) any |= weight_of(runs_.run[r], k) != 0;
      if (any && count == 2) return false;  // no register looks at a third loop
      if (any) involved[count++] = k;
    }
    for (int r = 0; r < runs_.count; ++r)
      if (!innermost_fits(runs_.run[r])) return false;
    if (count == 0) return with(-1, -1, found);
    if (count == 1) return with(involved[0], -1, found) || with(-1, involved[0], found);
    return with(involved[0], involved[1], found) || with(involved[1], involved[0], found);
  }

 private:
  constexpr std::int64_t inside(int k) const {
    std::int64_t passed = 1;
    for (int j = loops_.entries - 1; j > k; --j) passed *= loops_.entry[j].size;
    return passed;
  }
  /// True if a loop, together with all finer ones, decides between live and padding: no threshold is on a border of
  /// its whole rounds otherwise.
  static constexpr bool decides(const PaddingRun& r, std::int64_t span) { return r.from % span != 0 || r.to % span != 0; }

  /// What one step of loop k adds to the run's sum; 0 if it does not matter.
  constexpr std::int64_t weight_of(const PaddingRun& r, int k) const {
    std::int64_t const unit = inside(k);
    for (int t = 0; t < r.terms; ++t) {
      PaddingRun::Term const& term = r.term[t];
      if (unit < term.unit || unit >= term.unit * term.slots) continue;
      std::int64_t const weight = unit / term.unit * term.weight;
      return decides(r, weight * loops_.entry[k].size) ? weight : 0;
    }
    return 0;
  }
  /// The term that the innermost loop runs through, or -1 if none that matters.
  constexpr int innermost_term(const PaddingRun& r) const {
    for (int t = 0; t < r.terms; ++t)
      if (r.term[t].unit < n_) return n_ % r.term[t].unit != 0 || decides(r, n_ / r.term[t].unit * r.term[t].weight) ? t : -1;
    return -1;
  }
  constexpr bool innermost_fits(const PaddingRun& r) const {
    int through = 0;
    for (int t = 0; t < r.terms; ++t) through += r.term[t].unit < n_;
    int const t = innermost_term(r);
    return through == 0 || (through == 1 && (t < 0 || (n_ % r.term[t].unit == 0 && n_ <= r.term[t].unit * r.term[t].slots)));
  }

  constexpr LiveElements live(int a, std::int64_t at_a, int b, std::int64_t at_b) const {
    LiveElements e{0, n_};
    for (int i = 0; i < runs_.count; ++i) {
      PaddingRun const& r = runs_.run[i];
      std::int64_t sum = 0;
      if (a >= 0) sum += weight_of(r, a) * at_a;
      if (b >= 0) sum += weight_of(r, b) * at_b;
      int const t = innermost_term(r);
      if (t < 0) {
        if (sum < r.from || sum >= r.to) return {0, 0};
        continue;
      }
      std::int64_t const unit = r.term[t].unit, weight = r.term[t].weight;
      if (r.from > sum) {
        std::int64_t const from = ceil_div(r.from - sum, weight) * unit;
        if (from > e.from) e.from = from;
      }
      std::int64_t const to = r.to > sum ? ceil_div(r.to - sum, weight) * unit : 0;
      if (to < e.to) e.to = to;
    }
    return e;
  }

  constexpr bool fits(std::int64_t elements) const { return elements * bits_ <= device_.fetch.mask_count_limit * 4; }

  /// Loop `last` as last_dim (-1: a loop of one round is added), loop `counted` as valid_count_dim (-1: one count).
  constexpr bool with(int last, int counted, MaskedWalk& found) {
    if (last < 0 && loops_.entries >= device_.sequencer.entries) return false;
    std::int64_t const rounds = last < 0 ? 1 : loops_.entry[last].size;
    std::int64_t const counts = counted < 0 ? 1 : loops_.entry[counted].size;
    if (counts > Mask::max_counts || (counted >= 0 && counts > device_.fetch.mask_counts)) return false;
    Mask mask;
    mask.on = true;
    mask.left_pad = -1;
    mask.counts = static_cast<int>(counts);
    // A sum only grows with each counter: what holds at the second round and the last but one holds in between.
    std::int64_t const tried[] = {0, 1, rounds - 2, rounds - 1};
    for (std::int64_t const round : tried) {
      if (round < 0 || round >= rounds) continue;
      bool const first = round == 0, final = round == rounds - 1;
      for (std::int64_t c = 0; c < counts; ++c) {
        LiveElements const e = live(last, round, counted, c);
        if (final) mask.valid_count[c] = e.none() ? 0 : e.to;
        else if (!e.none() && e.to != n_) return false;
        if (final && e.none()) continue;
        std::int64_t const left = e.none() ? n_ : e.from;
        if (first && mask.left_pad >= 0 && mask.left_pad != left) return false;
        if (first) mask.left_pad = left;
        else if (left != 0) return false;
      }
    }
    if (mask.left_pad < 0) mask.left_pad = 0;
    bool all_fit = fits(mask.left_pad);
    for (std::int64_t c = 0; c < counts; ++c) all_fit &= fits(mask.valid_count[c]);
    if (!all_fit) return false;
    found.loops = loops_;
    mask.last_dim = last;
    mask.valid_count_dim = counted;
    if (last < 0) {  // before the innermost loop, where it shifts none of the others
      int const at = loops_.entries - 1;
      found.loops.entry[at + 1] = found.loops.entry[at];
      found.loops.entry[at] = Entry{1, 0};
      ++found.loops.entries;
      mask.last_dim = at;
    }
    found.mask = mask;
    return true;
  }

  const Device& device_;
  std::int64_t bits_;
  const PaddingRuns& runs_;
  const Loops& loops_;
  std::int64_t n_;
};

/// How the loops of one factor are laid out for the registers.
enum class MaskLayout : std::uint8_t {
  as_derived,
  joined,  // one loop
  blocks,  // two: the outer one counts the largest blocks that are wholly live or wholly padding
  counts,  // two: the inner one has as many rounds as there are valid counts
};

/// The walk with an innermost loop of n elements and borders where the runs have theirs; false if it cannot be had.
constexpr bool loops_for_mask(const Device& device, const Loops& derived, const PaddingRuns& runs, std::int64_t n, MaskLayout layout,
                              Loops& loops) {
  Borders borders;
  borders.add(n);
  for (int r = 0; r < runs.count; ++r) {
    for (int t = 0; t < runs.run[r].terms; ++t) {
      PaddingRun::Term const& term = runs.run[r].term[t];
      if (term.unit > n) borders.add(term.unit);
      if (term.unit * term.slots > n) borders.add(term.unit * term.slots);
    }
    if (layout < MaskLayout::blocks || runs.run[r].terms != 1) continue;
    PaddingRun::Term const& term = runs.run[r].term[0];
    std::int64_t const unit = term.unit > n ? term.unit : n, rounds = term.unit * term.slots / unit;
    std::int64_t block = device.fetch.mask_counts;
    while (block > 1 && rounds % block != 0) --block;
    block *= unit;
    if (layout == MaskLayout::blocks)
      block = greatest_common_divisor(greatest_common_divisor(runs.run[r].to, runs.run[r].from), term.slots * term.weight) / term.weight *
              term.unit;
    if (block > n && term.unit * term.slots % block == 0) borders.add(block);
  }
  loops = derived;
  if (!cut_at(loops, borders)) {  // a border may lie inside of loops that walk as one
    loops = merged(derived);
    if (!cut_at(loops, borders)) return false;
  }
  std::int64_t const most = device.sequencer.iterations;
  bool too_long = false;
  for (int k = 0; k < loops.entries; ++k) too_long |= loops.entry[k].size > most;
  if (too_long) loops = split_above(loops, most);
  for (int k = 0; k < loops.entries; ++k)
    if (loops.entry[k].size > most) return false;
  join_between(loops, borders, runs, layout == MaskLayout::as_derived ? Join::innermost : Join::terms, n, most);
  if (loops.entries >= device.sequencer.entries) join_between(loops, borders, runs, Join::everywhere, n, most);
  return loops.entries > 0 && loops.entries <= device.sequencer.entries && loops.entry[loops.entries - 1].size == n;
}

}  // namespace detail

/// Registers that mask these runs and nothing live, and the walk as they need it. `access`: what one fetch moves; the
/// innermost loop is a whole number of it.
///
/// Law: found.loops walks the positions of `derived` in the same order; a position is masked iff it is in one of the
/// runs.
constexpr bool find_mask(const Device& device, ScalarType type, const Loops& derived, const PaddingRuns& runs, Bytes access,
                         MaskedWalk& found) {
  if (runs.more || runs.count > 2 || derived.entries == 0) return false;  // one thing for the counts, one for the innermost loop
  for (int r = 0; r < runs.count; ++r)
    if (runs.run[r].holes || runs.run[r].elsewhere) return false;
  std::int64_t const bits = scalar_info(type).packet_bits;
  std::int64_t const longest = device.fetch.mask_packet_limit.value * 8 / bits;
  std::int64_t const whole = access.value * 8 / bits;
  std::int64_t const natural = derived.entry[derived.entries - 1].size;
  // The innermost loop as it is, and else the longest divisor of the packet that does.
  for (std::int64_t n = longest + 1; n > 1; --n) {
    std::int64_t const innermost = n > longest ? natural : n;
    if (innermost > longest || derived.packet % innermost != 0 || innermost % whole != 0 || (n == innermost && n == natural)) continue;
    using detail::MaskLayout;
    for (MaskLayout layout : {MaskLayout::as_derived, MaskLayout::joined, MaskLayout::blocks, MaskLayout::counts}) {
      Loops loops;
      if (!detail::loops_for_mask(device, derived, runs, innermost, layout, loops)) continue;
      if (detail::MaskSolver(device, type, runs, loops, innermost).solve(found)) return true;
    }
  }
  return false;
}

}  // namespace tcp
