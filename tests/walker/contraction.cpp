// The Contraction Engine: both operands of every product, and the sum that it goes to.
#include "pass_walk.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::walker {

void PassWalk::contraction(const program::Contraction& c, std::size_t align) {
  Levels const at = out(align), to = out(i_);
  demand(c.steps == at[Level::time].size && c.rows == at[Level::row].size, "steps or Rows are wrong");
  demand(c.type == type_in(align), "the contraction takes another type");
  adapter(c, at);
  weights(c, at, std::get<ir::Align>(pass_.stages[align].what).trf);
  zero_lanes(c, at, std::get<ir::Align>(pass_.stages[align].what).trf);
  std::vector<Kind> const made = sums(c, at, to);
  begin_stream(to);
  for (std::size_t n = 0; n < made.size(); ++n)
    if (kind_[n] == Kind::junk) kind_[n] = made[n];
}

/// Where the stream adapter takes a lane from: the flits that it holds, shifted; behind them zeros come in.
Origin PassWalk::adapted(const program::Contraction& c, const Place& p) const {
  const program::StreamAdapter& a = c.adapter;
  std::int64_t const flit = device_.flit.bytes.value * 8 / scalar_info(c.type).packet_bits, flits = packets_ / flit;
  std::int64_t const e = a.initial_shift + p.time / a.tiles % a.shifts * a.shift_stride + p.packet;
  if (e < 0 || e >= a.collect_flits * flit) return {Kind::zero};
  // In-flit transpose: a flit of rows of columns is given out column by column.
  std::int64_t const matrix = a.transpose_rows * a.transpose_columns, inner = flit / matrix, cell = e % flit / inner;
  std::int64_t const lane = (cell % a.transpose_rows * a.transpose_columns + cell / a.transpose_rows) * inner + e % inner;
  std::int64_t const n = p.time / a.tiles / a.shifts * a.collect_flits + e / flit;
  if (n / flits >= times_) return {};
  return {Kind::element, p.slice, n / flits, n % flits * flit + lane};
}

/// Lane by lane the element that the stream adapter brings. All Rows get the same.
void PassWalk::adapter(const program::Contraction& c, const Levels& at) {
  const program::StreamAdapter& a = c.adapter;
  std::int64_t const flits = packets_ * scalar_info(c.type).packet_bits / 8 / device_.flit.bytes.value;
  demand(a.pops * a.shifts * a.tiles == c.steps, "the adapter's rounds are not the time steps");
  demand(a.pops * a.collect_flits == times_ * flits, "the adapter pops another number of flits");
  Levels const levels = Levels(at).set(Level::row, Mapping{});
  AxisNumbers numbers({&levels_, &levels});
  numbers.keep(levels_);
  Cells const before(levels_, numbers), behind(levels, numbers);
  each_place(behind, [&](std::size_t u, const Place& p) {
    Cells::Held const want = behind.at(p);
    if (!want.live() || lane_is_zero(c, p.time, p.packet)) return;
    Origin const from = adapted(c, p);
    if (from.kind != Kind::element || kind(u, from) != Kind::element) disagree(p, "is multiplied, and the adapter brings no element");
    if (before.name({p.chip, p.cluster, from.slice, 0, 0, from.time, from.packet}) != want.name)
      disagree(p, "is multiplied, and the adapter brings another element");
  });
}

/// Where weights begin in their Row: a view of some of them, behind others.
std::int64_t PassWalk::begin_in_row(ir::TensorId trf) const {
  std::int64_t elements = 0;
  for (; module_.tensor(trf).view; trf = module_.tensor(trf).view->tensor) elements += ir::seen_by(module_, module_.tensor(trf))->offset;
  return elements;
}
/// The element of weights that begin there by which a lane is multiplied; it may lie outside.
std::int64_t PassWalk::weight(const program::Contraction& c, const Place& p, std::int64_t begin) {
  std::int64_t const bits = scalar_info(c.weights).packet_bits;
  return ((c.trf_first + walked(c.trf_loops, p.time)) * 8 + p.packet * bits % (c.trf_read_bytes * 8)) / bits - begin;
}

/// Lane by lane the weight that each Row reads.
void PassWalk::weights(const program::Contraction& c, const Levels& at, ir::TensorId trf) {
  const ir::Tensor& tensor = module_.tensor(trf);
  demand(tensor.type == c.weights, "the weights have another type");
  if (auto const found = stored_.trf.find(module_.root_of(trf)); found != stored_.trf.end())
    demand(found->second.row_base == c.trf_row_base && found->second.rows == c.rows, "the weights were stored elsewhere");
  std::int64_t const bits = scalar_info(c.weights).packet_bits;
  demand(rounds(c.trf_loops) == c.steps, "the TRF sequencer makes another number of reads");
  demand(c.trf_read_bytes * c.trf_repeats * 8 == at[Level::packet].size * bits, "the reads do not fill a packet");
  Levels const from = module_.levels(tensor);
  AxisNumbers numbers({&from, &at});
  numbers.keep(from);
  Cells const held(from, numbers), product(at, numbers);
  std::int64_t const begin = begin_in_row(trf);
  each_place(product, [&](std::size_t, const Place& p) {
    Cells::Held const want = product.at(p);
    if (!want.live() || lane_is_zero(c, p.time, p.packet)) return;
    std::int64_t const element = weight(c, p, begin);
    if (element < 0 || element >= from[Level::element].size) disagree(p, "is multiplied by something outside of the weights");
    Place const there{p.chip, p.cluster, p.slice, p.row, element, 0, 0};
    Cells::Held const by = held.at(there);
    if (!by.live()) disagree(p, "is multiplied by padding");
    if (by.name != want.name) disagree(p, "is multiplied by another weight");
  });
}

bool PassWalk::lane_is_zero(const program::Contraction& c, std::int64_t step, std::int64_t lane) {
  for (const program::LaneMask& m : c.zero_lanes) {
    if ((m.lanes[static_cast<std::size_t>(lane / 64)] >> (lane % 64) & 1) == 0) continue;
    bool meant = true;
    for (const program::LaneMask::Round& r : m.rounds) {
      std::int64_t const counter = step / r.inside % r.size;
      meant &= counter >= r.from && counter < r.to;
    }
    if (meant) return true;
  }
  return false;
}

/// Products at zero padding are +0.0, of two zeros or by force; products of elements are not.
void PassWalk::zero_lanes(const program::Contraction& c, const Levels& at, ir::TensorId trf) {
  Levels const from = module_.levels(module_.tensor(trf));
  Cells const product(at, AxisNumbers({&at})), weights_held(from, AxisNumbers({&from}));
  std::int64_t const begin = begin_in_row(trf);
  each_place(product, [&](std::size_t u, const Place& p) {
    Cells::Held const held = product.at(p);
    bool const zero = lane_is_zero(c, p.time, p.packet);
    if (held.live() && zero) disagree(p, "is an element, and its product is forced to zero");
    if (held.pad != Pad::zero || zero) return;
    Origin const stream = adapted(c, p);
    std::int64_t const element = weight(c, p, begin);
    bool const no_number = stream.kind == Kind::zero || (stream.kind == Kind::element && kind(u, stream) == Kind::zero);
    bool const both = no_number && element >= 0 && element < from[Level::element].size &&
                      weights_held.at({p.chip, p.cluster, p.slice, p.row, element, 0, 0}).pad == Pad::zero;
    if (!both) disagree(p, "is zero padding, and its product is not forced to zero");
  });
}

/// Every product goes to the sum of its element.
std::vector<Kind> PassWalk::sums(const program::Contraction& c, const Levels& at, const Levels& to) {
  std::int64_t const flit = to[Level::packet].size, rows = c.rows;
  std::int64_t kept_rounds = 1, all = 1;
  for (const program::TimeLoop& l : c.loops) {
    kept_rounds *= l.added ? 1 : l.rounds;
    all *= l.rounds;
  }
  demand(all == c.steps, "the accumulator's loops are not the time steps");
  std::int64_t const beats = c.sequential ? c.columns / flit : c.columns;
  demand(kept_rounds * beats * (c.sequential ? rows : 1) == to[Level::time].size, "the accumulator puts out another number of flits");
  demand(c.sequential ? c.columns % flit == 0 : rows <= flit, "a flit of sums has another size");
  // Axes of which something is summed are compared at the first of each sum only, where that counts 0.
  AxisNumbers first_only({&at, &to});
  for (const Levels* levels : {&at, &to})
    for (const Mapping& m : levels->at)
      for (int a = 0; a < m.axes; ++a)
        if (!has_axis(at, m.axis[a].name) || !has_axis(to, m.axis[a].name)) first_only.forget(m.axis[a].name);
  AxisNumbers always = first_only;
  auto const positions = [](const Levels& levels, Name axis) {
    std::int64_t n = 1;
    for (const Mapping& m : levels.at)
      for (int k = 0; k < m.digits; ++k)
        if (m.digit[k].axis != no_axis && m.axis[m.digit[k].axis].name == axis) n *= m.digit[k].size;
    return n;
  };
  for (const Mapping& m : at.at)
    for (int a = 0; a < m.axes; ++a)
      if (positions(at, m.axis[a].name) != positions(to, m.axis[a].name)) always.forget(m.axis[a].name);
  std::uint64_t shift = 0;  // a start goes with the digits that are summed
  for (const Mapping& m : to.at)
    for (int a = 0; a < m.axes; ++a) shift += static_cast<std::uint64_t>(m.axis[a].start) * first_only.of(m.axis[a].name);
  for (const Mapping& m : at.at)
    for (int a = 0; a < m.axes; ++a) shift -= static_cast<std::uint64_t>(m.axis[a].start) * first_only.of(m.axis[a].name);

  Cells const product(at, first_only), product_always(at, always), sum(to, first_only), sum_always(to, always);
  std::int64_t const leaves = std::int64_t{1} << c.tree_depth;
  // Sums of products that are zero, all of them, are zero; one product that is not makes junk of them, or an element.
  std::vector<Kind> made(units_.size() * static_cast<std::size_t>(slices_ * to[Level::time].size * flit), Kind::zero);
  auto const number = [&](std::size_t u, const Place& p) {
    return static_cast<std::size_t>(((static_cast<std::int64_t>(u) * slices_ + p.slice) * to[Level::time].size + p.time) * flit + p.packet);
  };
  each_place(product, [&](std::size_t u, const Place& p) {
    std::int64_t const column = p.packet / leaves;
    if (column >= c.columns) {
      if (product.at(p).live()) disagree(p, "is an element, and its column is cut off");
      return;
    }
    bool first = p.packet % leaves == 0;
    std::int64_t rest = p.time, kept = 0, weight = 1;
    for (std::size_t k = c.loops.size(); k-- > 0;) {
      std::int64_t const round = rest % c.loops[k].rounds;
      rest /= c.loops[k].rounds;
      if (c.loops[k].added) {
        first &= round == 0;
      } else {
        kept += round * weight;
        weight *= c.loops[k].rounds;
      }
    }
    Place there{p.chip, p.cluster, p.slice, 0, 0, 0, 0};
    there.time = c.sequential ? (kept * rows + p.row) * beats + column / flit : kept * beats + column;
    there.packet = c.sequential ? column % flit : p.row;
    Cells::Held const want = sum.at(there);
    bool const zero = lane_is_zero(c, p.time, p.packet);
    if (!zero) made[number(u, there)] = want.live() ? Kind::element : Kind::junk;
    if (!want.live()) return;
    Cells::Held const held = product.at(p);
    if (held.live()) {
      if (product_always.name(p) != sum_always.name(there)) disagree(p, "is added to another sum");
    } else if (!zero && held.pad != Pad::zero) {
      disagree(p, "is padding, and its product is added");
    }
    if (first && product.name(p) + shift != want.name) disagree(p, "begins another sum");
  });
  each_place(sum, [&](std::size_t u, const Place& p) {
    if (sum.at(p).live() && made[number(u, p)] == Kind::zero) disagree(p, "is a sum of nothing");
  });
  return made;
}

}  // namespace tcp::walker
