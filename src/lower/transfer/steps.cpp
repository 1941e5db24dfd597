// From what the rules found to steps and bounds.
//
// Needs: the pairs of digits of rules/pairing.hpp. Leaves: steps, and for each latitude the bounds within which rounds
// are meant. A digit bounds the steps that it is made of by its size, an axis those of all its digits by its extent;
// padding that a tensor owns loosens the former to the digit's slot and does away with the latter. What is promised to
// be zero is always moved: the rules have made sure that the source has zeros there.
#include <algorithm>
#include <map>
#include <set>

#include "lower/transfer/transfer.hpp"
#include "tcp/support/round.hpp"

namespace tcp::lower::transfer {

Side side_of(const ir::Module& module, ir::TensorId id) {
  const ir::Tensor& t = module.tensor(id);
  bool const from_its_begin = t.view && module.address_of(id) == module.address_of(module.root_of(id));
  return {t.memory,
          module.levels(t),
          t.view.has_value(),
          module.address_of(id).value_or(0),
          scalar_info(t.type).packet_bits,
          module.first_unit(id),
          from_its_begin};
}

namespace {

/// Plain digits, each of which pads for itself.
bool pads_by_digits(const Mapping& m) {
  if (m.tails > 0) return false;
  for (int a = 0; a < m.axes; ++a)
    if (m.axis[a].start != 0) return false;
  return std::none_of(m.digit, m.digit + m.digits, [&m](const Digit& d) {
    return d.in_window() || d.joined || d.skewed_by != no_axis || d.pad == Pad::zero || overshoots(m, d);
  });
}
/// Whether the slots after a view's digit, which begins `offset` positions into its tensor, are padding of the tensor
/// as well.
bool pads_alike(const Mapping& whole, const Mapping& view, int digit, std::int64_t offset) {
  std::int64_t const inside = footprints(view).inside[digit], period = inside * view.digit[digit].slot;
  if (offset % period != 0) return false;
  Footprints const foot = footprints(whole);
  for (int k = 0; k < whole.digits; ++k) {
    const Digit& d = whole.digit[k];
    if (foot.inside[k] * d.slot == period && foot.inside[k] * d.size <= inside * view.digit[digit].size) return d.pad != Pad::bottom;
  }
  return false;
}

}  // namespace

Side written_side_of(const ir::Module& module, ir::TensorId id) {
  Side side = side_of(module, id);
  ir::TensorId const root = module.root_of(id);
  auto const address = module.address_of(id), begin = module.address_of(root);
  if (!side.view || !address || !begin) return side;
  if (module.is_whole(id)) {  // other names for its positions: the padding is its own, promised zeros too
    side.view = false;
    return side;
  }
  Levels const whole = module.levels(module.tensor(root));
  for (int l = 0; l < level_count; ++l)
    if (static_cast<Level>(l) != Level::element && !(whole.at[l] == side.levels.at[l])) return side;
  Mapping& m = side.levels[Level::element];
  if (!pads_by_digits(m) || !pads_by_digits(whole[Level::element])) return side;
  std::int64_t const offset = (*address - *begin) * 8 / side.bits;
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].slot > m.digit[k].size && !pads_alike(whole[Level::element], m, k, offset)) m.digit[k].pad = Pad::bottom;
  side.view = false;
  return side;
}

namespace {

bool opaque(const Digit& d) { return d.axis == no_axis || d.in_window() || d.skewed_by != no_axis; }

/// The members of a window that is unfolded go through the places of one digit, its first.
Stride stride_in(const Mapping& m, Level level, int digit, std::int64_t positions) {
  while (digit >= 0 && m.digit[digit].joined) --digit;
  return {level, digit, positions / footprints(m).inside[digit], positions};
}

Step step_of(const PairedSteps& s, const Side& from, const Side& to) {
  Step step;
  const Mapping& m = to.levels[s.to];
  step.on[writing] = stride_in(m, s.to, s.to_digit, s.to_stride);
  if (!s.broadcast) step.on[reading] = stride_in(from.levels[s.from], s.from, s.from_digit, s.from_stride);
  const Digit& d = m.digit[s.to_digit];
  if (!opaque(d)) {
    step.axis = s.axis;
    step.weight = d.stride * step.on[writing].skip;
  }
  step.size = step.reach = s.size;
  bool const elements = !s.broadcast && s.from == Level::element && s.to == Level::element;
  bool const owned = !to.view && s.to_pad != Pad::bottom && d.pad != Pad::bottom && (from.view || s.from_pad != Pad::bottom);
  if (elements && owned) step.reach = s.reach;
  return step;
}

bool promises_zeros(const Mapping& m) {
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].pad == Pad::zero) return true;
  return false;
}

/// A level that ends in zeros is the same on both sides, and moved as it is.
void move_whole(Move& move, Level level) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> gone;
  for (const Step& s : move.steps)
    if (s.on[writing].level == level) gone.insert({s.axis.head, s.axis.tail});
  std::size_t n = 0;
  for (std::size_t i = 0; i < move.steps.size(); ++i) {
    if (move.steps[i].on[writing].level == level && move.steps[i].on[writing].digit >= 0) continue;
    if (gone.contains({move.steps[i].axis.head, move.steps[i].axis.tail})) move.steps[i].weight = 0;
    move.steps[n++] = move.steps[i];
  }
  move.steps.resize(n);
  Step all;
  all.size = all.reach = move.side[writing].levels[level].size;
  all.on[reading] = all.on[writing] = {level, -1, 1, 1};
  move.steps.push_back(all);
  move.in_run.assign(move.steps.size(), false);
}

/// Adds a round for each factor of what is read that has one place: the last one is the only one that is meant.
void add_places(Move& move, Role role) {
  for (int l = 0; l < level_count; ++l) {
    const Mapping& m = move.side[role].levels.at[l];
    for (int k = 0; k < m.digits; ++k) {
      if (!is_one_place(move.side[role].levels, l, k)) continue;
      std::int64_t const before = m.digit[k].size - 1;
      Step place;
      place.size = place.reach = before + 1;
      place.on[role] = stride_in(m, static_cast<Level>(l), k, footprints(m).inside[k]);
      move.bounds.push_back({{{move.steps.size(), 1}}, before, before + 1});
      move.steps.push_back(place);
      move.in_run.push_back(false);
    }
  }
}

void add_steps(Move& move, const Pairing& moves, const Side& from, const Side& to) {
  bool inside[Pairing::max_pairs]{};
  detail::common_run(moves, from.dma(), to.dma(), inside);
  for (int i = 0; i < moves.pairs; ++i) {
    move.steps.push_back(step_of(moves.pair[i], from, to));
    move.in_run.push_back(inside[i]);
    bool const last = inside[i] && (!move.in_run[move.run_end] ||
                                    move.steps.back().on[writing].positions >= move.steps[move.run_end].on[writing].positions);
    if (last) move.run_end = move.steps.size() - 1;
  }
}

}  // namespace

Move move_of(const Pairing& moves, const Side& from, const Side& to) {
  Move move;
  move.side[reading] = from;
  move.side[writing] = to;
  add_steps(move, moves, from, to);
  for (int l = 0; l < level_count; ++l)
    if (!to.view && promises_zeros(to.levels.at[l])) move_whole(move, static_cast<Level>(l));
  add_places(move, reading);
  return move;
}

namespace {

/// The axes that the index tensor counts.
bool counted_by(const Side& index, Name axis) { return !(axis == Name{}) && detail::counts_axis(index.levels, axis); }

bool is_rows_digit(const Side& table, const Stride& s, Name rows) {
  if (s.digit < 0) return false;
  const Mapping& m = table.levels[s.level];
  const Digit& d = m.digit[s.digit];
  return d.axis != no_axis && m.axis[d.axis].name == rows;
}

}  // namespace

Move rows_of(const Gathered& found, const Side& table, const Side& index, const Side& picked, Name rows, bool scatter) {
  Role const other = scatter ? reading : writing;
  Move move;
  move.side = {scatter ? picked : table, scatter ? table : picked, index};
  move.rows = Rows{found.row_stride, found.rows, found.row_level, found.key_step};
  move.scatter = scatter;
  add_steps(move, found.row.moves, move.side[reading], move.side[writing]);
  // The picked rows: steps of the index tensor, which stay where they are in the table.
  Pairing const numbers = pair_levels(index.levels, picked.levels);
  std::vector<Step> kept;
  std::vector<bool> in_run;
  for (std::size_t i = 0; i < move.steps.size(); ++i) {
    Step& s = move.steps[i];
    bool const of_index = counted_by(index, s.axis) || is_rows_digit(table, s.on[scatter ? writing : reading], rows);
    if (of_index) continue;
    for (int k = 0; k < numbers.pairs; ++k) {  // copies of the index tensor that lie beside those of the rows
      const PairedSteps& p = numbers.pair[k];
      if (!p.broadcast && p.axis == Name{} && s.axis == Name{} && p.to == s.on[other].level && p.to_digit == s.on[other].digit)
        s.on[indexing] = stride_in(index.levels[p.from], p.from, p.from_digit, p.from_stride);
    }
    if (i == move.run_end) move.run_end = kept.size();
    kept.push_back(s);
    in_run.push_back(move.in_run[i]);
  }
  for (int k = 0; k < numbers.pairs; ++k) {
    const PairedSteps& p = numbers.pair[k];
    if (p.broadcast || !counted_by(index, p.axis)) continue;
    Step s = step_of(p, index, picked);
    s.exact = true;
    s.reach = s.size;
    Stride const in_index = s.on[reading], in_picked = s.on[writing];
    s.on = {};
    s.on[indexing] = in_index;
    s.on[other] = in_picked;
    kept.push_back(s);
    in_run.push_back(false);
  }
  move.steps = std::move(kept);
  move.in_run = std::move(in_run);
  add_places(move, reading);
  add_places(move, indexing);
  return move;
}

void cut(Move& move, std::size_t step, std::int64_t inner) {
  Step outside = move.steps[step];
  Step& inside = move.steps[step];
  std::int64_t const all = inside.size;
  outside.size = ceil_div(inside.size, inner);
  outside.reach = ceil_div(inside.reach, inner);
  outside.weight *= inner;
  for (Stride& s : outside.on) s.skip *= inner, s.positions *= inner;
  inside.size = inside.reach = inner;
  auto const at = static_cast<std::ptrdiff_t>(step);
  move.steps.insert(move.steps.begin() + at, outside);
  move.in_run.insert(move.in_run.begin() + at, move.in_run[step]);
  if (move.run_end > step) ++move.run_end;
  for (Bound& b : move.bounds) {
    std::vector<Bound::Term> terms;
    for (const Bound::Term& t : b.terms) {
      terms.push_back({t.step > step ? t.step + 1 : t.step, t.step == step ? t.weight * inner : t.weight});
      if (t.step == step) terms.push_back({step + 1, t.weight});
    }
    b.terms = std::move(terms);
  }
  if (all % inner != 0) move.bounds.push_back({{{step, inner}, {step + 1, 1}}, 0, all});
}

namespace {

class Bounds {
 public:
  Bounds(const Move& move, Latitude latitude) : move_(move), latitude_(latitude), made_(move.bounds) {}

  std::vector<Bound> all() {
    bool const beyond = latitude_ == Latitude::read_beyond || latitude_ == Latitude::runs_beyond;
    for (Role role : {reading, writing, indexing})
      if (role != reading || !beyond) digits(role);
    if (move_.bounded_axes) axes();
    return std::move(made_);
  }

 private:
  const Side& to() const { return move_.side[writing]; }
  bool may_fill(Pad kind) const { return latitude_ != Latitude::elements && !to().view && kind != Pad::bottom; }

  std::int64_t limit(Role role, const Stride& s, bool exact) const {
    const Side& side = move_.side[role];
    const Mapping& m = side.levels[s.level];
    const Digit& d = m.digit[s.digit];
    std::int64_t const live = live_slots(m, s.digit);
    bool const others = side.view && !(role == reading && side.from_its_begin);  // what looks like padding may be after the tensor
    if (exact || role == indexing || others) return live;
    if (role == reading || d.pad == Pad::zero || may_fill(d.pad)) return d.slot;
    return live;
  }
  void digits(Role role) {
    std::map<std::pair<int, int>, Bound> by_digit;
    for (std::size_t i = 0; i < move_.steps.size(); ++i) {
      const Stride& s = move_.steps[i].on[role];
      if (s.digit < 0) continue;
      Bound& b = by_digit[{static_cast<int>(s.level), s.digit}];
      b.terms.push_back({i, s.skip});
      b.high = limit(role, s, move_.steps[i].exact);
    }
    for (auto& [digit, bound] : by_digit) made_.push_back(std::move(bound));
  }

  struct AxisOf {
    std::int64_t extent = 0, start = 0, coarsest = -1;
    Pad kind = Pad::top;
  };
  static AxisOf axis_in(const Levels& levels, Name name) {
    AxisOf found;
    for (const Mapping& m : levels.at) {
      int const a = find_axis(m, name);
      if (a < 0) continue;
      found.extent = m.axis[a].extent;
      found.start += m.axis[a].start;
      int const k = coarsest_digit(m, a);
      if (k < 0 || m.digit[k].stride <= found.coarsest) continue;
      found.coarsest = m.digit[k].stride;
      found.kind = m.digit[k].pad == Pad::none ? Pad::top : m.digit[k].pad;
    }
    return found;
  }
  void axes() {
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    for (const Step& first : move_.steps) {
      if (first.weight == 0 || !seen.insert({first.axis.head, first.axis.tail}).second) continue;
      bool const read = first.on[writing].digit < 0;  // a picked row of a scatter
      AxisOf const axis = axis_in(move_.side[read ? reading : writing].levels, first.axis);
      bool const of_units = !read && is_one_place(to().levels, static_cast<int>(first.on[writing].level), first.on[writing].digit);
      // Padding there is another unit, and no part of the tensor.
      if (!first.exact && !of_units && ((axis.kind == Pad::zero && !to().view) || may_fill(axis.kind))) continue;
      Bound b;
      b.low = -axis.start;
      b.high = axis.extent - axis.start;
      for (std::size_t i = 0; i < move_.steps.size(); ++i)
        if (move_.steps[i].weight > 0 && move_.steps[i].axis == first.axis) b.terms.push_back({i, move_.steps[i].weight});
      made_.push_back(std::move(b));
    }
  }

  const Move& move_;
  Latitude latitude_;
  std::vector<Bound> made_;
};

}  // namespace

std::vector<Bound> bounds_of(const Move& move, Latitude latitude) { return Bounds(move, latitude).all(); }

}  // namespace tcp::lower::transfer
