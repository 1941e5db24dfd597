// The Vector Engine: widths, groups, execution ids, operands from VRF, and what reduces fold.
#include <algorithm>

#include "pass_walk.hpp"

namespace tcp::walker {

namespace {

/// The registers of the Valid Count Generator, as program.hpp says what they do.
std::int64_t generated(const program::ValidCount& v, std::int64_t slice, std::int64_t t) {
  auto const index = [&](std::int32_t dimension) {
    std::int64_t sum = 0, before = 1;
    for (const program::ValidCount::Counter& c : v.counters) {
      if (c.serves == dimension) sum += t / before % c.limit * c.stride;
      before *= c.limit;
    }
    return sum;
  };
  std::int64_t most = v.lanes;
  for (std::size_t k = v.counters.size(); k-- > 0;)
    if (v.counters[k].serves == 0) most = v.counters[k].stride;
  std::int64_t n = std::min(most, std::max(std::int64_t{0}, v.packet_valid - index(0)));
  for (std::size_t g = 0; g < v.gates.size(); ++g) {
    program::ValidCount::Gate const& gate = v.gates[g];
    std::uint64_t const seen = static_cast<std::uint64_t>(slice) & gate.mask;
    bool const in_time = index(static_cast<std::int32_t>(g) + 1) < gate.valid;
    bool const open = seen < gate.match ? true : seen == gate.match || gate.transposed ? in_time : false;
    if (!open) n = 0;
  }
  return n;
}

/// True of stages behind which the stream is what it was before: what padding holds stays too.
template <class What>
bool leaves_values(const What& what) {
  return std::holds_alternative<ir::Branch>(what) || std::holds_alternative<ir::BranchLog>(what) ||
         std::holds_alternative<ir::WriteOperand>(what) || std::holds_alternative<ir::Stash>(what);
}

}  // namespace

void PassWalk::start_counts(const program::ValidCount* registers) {
  count_.assign(static_cast<std::size_t>(slices_ * times_), static_cast<std::uint8_t>(packets_));
  if (registers == nullptr) return;
  for (std::int64_t s = 0; s < slices_; ++s)
    for (std::int64_t t = 0; t < times_; ++t)
      count_[static_cast<std::size_t>(s * times_ + t)] = static_cast<std::uint8_t>(generated(*registers, s, t));
}

void PassWalk::vector_step(const program::Vector& v) {
  demand(step_ < v.steps.size(), "the vector engine has fewer steps than stages");
  const program::VectorStep& step = v.steps[step_];
  if (v.valid_count && static_cast<std::size_t>(v.counted_before) == step_) start_counts(&*v.valid_count);
  demand(step.time_out == out(i_)[Level::time].size, "a step makes another number of flits");
  const auto& what = pass_.stages[i_].what;
  if (const auto* b = std::get_if<ir::Branch>(&what)) {
    const auto* branch = std::get_if<program::BranchStep>(&step.what);
    demand(branch != nullptr, "a branch");
    if (const auto* t = std::get_if<program::Toggle>(&branch->by)) toggle(*t, b->mode.axis);
    if (std::holds_alternative<program::ByValidCount>(branch->by)) branch_by_count();
    if (const auto* walk = std::get_if<program::VrfWalk>(&branch->by)) operand(*walk, b->vrf, false);
  } else if (const auto* log = std::get_if<ir::BranchLog>(&what)) {
    operand(std::get<program::BranchLogStep>(step.what).to, log->vrf, true);
  } else if (const auto* w = std::get_if<ir::WriteOperand>(&what)) {
    operand(std::get<program::WriteOperandStep>(step.what).to, w->vrf, true);
  } else if (const auto* o = std::get_if<ir::VectorOperation>(&what)) {
    const auto* operate = std::get_if<program::OperateStep>(&step.what);
    for (std::size_t k = 0; k < o->operands.size() && operate != nullptr; ++k)
      if (o->operands[k].vrf != ir::none) operand(std::get<program::VrfWalk>(operate->operands.at(k).source), o->operands[k].vrf, false);
  }
  if (const auto* r = std::get_if<program::ReshapeStep>(&step.what)) reshape(*r);
  else if (const auto* u = std::get_if<program::UnzipStep>(&step.what)) unzip(*u);
  else if (const auto* intra = std::get_if<program::IntraSliceReduceStep>(&step.what)) intra_slice(*intra);
  else if (const auto* inter = std::get_if<program::InterSliceReduceStep>(&step.what)) inter_slice(*inter, step.time_out);
  else if (!leaves_values(what)) begin_stream(out(i_));
  if (static_cast<std::int64_t>(count_.size()) != slices_ * times_) start_counts(nullptr);
  ++step_;
}

void PassWalk::reshape(const program::ReshapeStep& step) {
  using Width = program::ReshapeStep::Width;
  std::int64_t const half = 4;
  std::vector<std::uint8_t> counts;
  std::int64_t const steps = out(i_)[Level::time].size;
  for (std::int64_t s = 0; s < slices_; ++s)
    for (std::int64_t t = 0; t < steps; ++t) {
      std::int64_t n = 0;
      switch (step.width) {
        case Width::Split: n = t % 2 == 0 ? std::min(count(s, t / 2), half) : std::max(count(s, t / 2) - half, std::int64_t{0}); break;
        case Width::Trim: n = std::min(count(s, t), half); break;
        case Width::Concat: n = count(s, 2 * t) + count(s, 2 * t + 1); break;
        default: n = count(s, t);
      }
      counts.push_back(static_cast<std::uint8_t>(n));
    }
  moved(out(i_), [&](std::int64_t slice, std::int64_t time, std::int64_t lane) -> Origin {
    switch (step.width) {
      case Width::Split: return {Kind::element, slice, time / 2, time % 2 * half + lane};
      case Width::Concat: return {Kind::element, slice, 2 * time + lane / half, lane % half};
      case Width::Pad: return lane < half ? Origin{Kind::element, slice, time, lane} : Origin{};
      default: return {Kind::element, slice, time, lane};
    }
  });
  count_ = std::move(counts);
}

/// Both groups come out at once; the axis that told them apart is gone.
void PassWalk::unzip(const program::UnzipStep& step) {
  Name const axis = std::get<ir::Unzip>(pass_.stages[i_].what).axis;
  Levels const to = out(i_);
  demand(to[Level::time].size * 2 == times_, "a group has another number of flits");
  AxisNumbers const numbers({&levels_, &to});
  Cells const before(levels_, numbers), behind(to, numbers);
  auto const from = [&](std::int64_t t, std::int64_t group) {
    return t / step.alternate * 2 * step.alternate + group * step.alternate + t % step.alternate;
  };
  each_place(behind, [&](std::size_t u, const Place& p) {
    if (!behind.at(p).live()) return;
    for (std::int64_t group = 0; group < 2; ++group) {
      Place there = p;
      there.time = from(p.time, group);
      if (kind(u, {Kind::element, there.slice, there.time, there.packet}) != Kind::element) disagree(p, "gets no element");
      if (before.name(there) != behind.name(p) + static_cast<std::uint64_t>(group) * numbers.of(axis)) disagree(p, "gets another element");
    }
  });
  std::vector<std::uint8_t> counts;
  for (std::int64_t s = 0; s < slices_; ++s)
    for (std::int64_t t = 0; t < to[Level::time].size; ++t) counts.push_back(static_cast<std::uint8_t>(count(s, from(t, 0))));
  begin_stream(to);
  count_ = std::move(counts);
}

/// A walk through VRF beside the stream: for every element the operand with its coordinates.
void PassWalk::operand(const program::VrfWalk& w, ir::TensorId vrf, bool writes) {
  const ir::Tensor& tensor = module_.tensor(vrf);
  Levels const from = module_.levels(tensor);
  ir::TensorId const whole = module_.root_of(vrf);
  if (auto const stored = stored_.vrf.find(whole); stored != stored_.vrf.end() && !writes)
    demand(stored->second.address == *module_.address_of(whole), "an operand was stored elsewhere");
  demand(rounds(w.loops) == times_ * packets_, "the walk through VRF is not as long as the stream");
  AxisNumbers numbers({&levels_, &from});
  numbers.keep(from);
  for (const Mapping& m : from.at)
    for (int a = 0; a < m.axes; ++a)
      if (!has_axis(levels_, m.axis[a].name)) numbers.forget(m.axis[a].name);
  Cells const stream(levels_, numbers), held(from, numbers);
  bool const log = std::holds_alternative<ir::BranchLog>(pass_.stages[i_].what);
  each_place(stream, [&](std::size_t, const Place& p) {
    std::int64_t const byte = w.address + walked(w.loops, p.time * packets_ + p.packet) - *module_.address_of(vrf);
    bool const inside = byte >= 0 && byte % 4 == 0 && byte / 4 < from[Level::element].size;
    bool const live = stream.at(p).live();
    if (!live && !writes) return;
    if (!inside && live) disagree(p, "has an operand from outside of its tensor");
    if (!inside) {
      if (!log && p.packet >= count(p.slice, p.time)) return;
      disagree(p, "is padding, and writes outside of the tensor");
    }
    Cells::Held const operand = held.at({p.chip, p.cluster, p.slice, 0, byte / 4, 0, 0});
    if (live && !operand.live()) disagree(p, "has padding as its operand");
    if (live && operand.name != stream.name(p)) disagree(p, "has another operand");
    if (live && writes && !log && p.packet >= count(p.slice, p.time)) disagree(p, "is an element, and is not written for want of counts");
    if (!live && operand.live() && (log || p.packet < count(p.slice, p.time))) disagree(p, "is padding, and is written over an element");
  });
}

void PassWalk::toggle(const program::Toggle& t, Name axis) {
  AxisNumbers numbers({&levels_});
  numbers.only(axis);
  Cells const cells(levels_, numbers);
  each_place(cells, [&](std::size_t, const Place& p) {
    Cells::Held const held = cells.at(p);
    if (!held.live()) return;
    std::int64_t const i = p.time * packets_ + p.packet;
    std::int64_t sum = t.start;
    for (const program::Toggle::Counter& c : t.counters) sum += (c.within == 0 ? i : i % c.within) / c.inside % c.size * c.weight;
    if ((sum % 2 != 0) != (held.name % 2 != 0)) disagree(p, "gets the execution id of the other parity");
  });
}

void PassWalk::branch_by_count() {
  Cells const cells(levels_, AxisNumbers({&levels_}));
  // A packet without any axis has no end that could be counted: lanes of its padding may have either id, and nothing live comes from them.
  const Mapping& packet = levels_[Level::packet];
  bool of_no_axis = packet.digits > 1;
  for (int k = 0; k < packet.digits; ++k) of_no_axis &= packet.digit[k].axis == no_axis;
  each_place(cells, [&](std::size_t, const Place& p) {
    bool const live = cells.at(p).live(), counted = p.packet < count(p.slice, p.time);
    if (live != counted && !(of_no_axis && counted)) disagree(p, "is counted wrongly");
  });
}

/// An element is folded; what is none is not, or is the identity.
void PassWalk::check_folded(std::size_t unit, const std::optional<std::uint32_t>& identity, bool folded, const Cells::Held& held,
                            const Place& at) const {
  if (held.live() && !folded) disagree(at, "is an element, and is not folded");
  if (held.live() || !folded) return;
  if (!identity) disagree(at, "is padding, and is folded");
  Kind const k = kind(unit, {Kind::element, at.slice, at.time, at.packet});
  if (k != Kind::identity && k != Kind::zero) disagree(at, "is padding without the identity");
  if (*identity != (k == Kind::zero ? 0 : mask_value_.value_or(0))) disagree(at, "is padding with a value that is not the identity");
}

void PassWalk::intra_slice(const program::IntraSliceReduceStep& step) {
  Name const axis = std::get<ir::IntraSliceReduce>(pass_.stages[i_].what).axis;
  Levels const to = out(i_);
  AxisNumbers numbers({&levels_, &to});
  numbers.forget(axis);
  Cells const before(levels_, numbers), behind(to, numbers);
  std::int64_t kept_rounds = 1, all = 1;
  for (const program::TimeLoop& l : step.loops) {
    kept_rounds *= l.added ? 1 : l.rounds;
    all *= l.rounds;
  }
  demand(all == times_, "the loops of the reduce are not the time steps");
  demand(kept_rounds == to[Level::time].size, "the reduce puts out another number of flits");
  each_place(before, [&](std::size_t u, const Place& p) {
    std::int64_t rest = p.time, kept = 0, weight = 1;
    for (std::size_t k = step.loops.size(); k-- > 0;) {
      std::int64_t const rounds_of = step.loops[k].rounds, round = rest % rounds_of;
      rest /= rounds_of;
      if (step.loops[k].added) continue;
      kept += round * weight;
      weight *= rounds_of;
    }
    Place const there{p.chip, p.cluster, p.slice, 0, 0, kept, step.tree ? 0 : p.packet};
    Cells::Held const want = behind.at(there), held = before.at(p);
    if (!want.live()) return;
    check_folded(u, step.identity, p.packet < count(p.slice, p.time), held, p);
    if (!held.live()) return;
    if (held.name != want.name) disagree(p, "is folded into another result");
  });
  begin_stream(to);
  start_counts(nullptr);
}

void PassWalk::inter_slice(const program::InterSliceReduceStep& step, std::int64_t time_out) {
  Levels const to = out(i_);
  const InterSliceResult& found = facts_.stages[i_].as<InterSliceResult>();
  AxisNumbers numbers({&levels_, &to});
  numbers.keep(levels_);
  for (int k = 0; k < found.reduced.digits; ++k)
    if (found.reduced.digit[k].axis != no_axis) numbers.forget(found.reduced.axis[found.reduced.digit[k].axis].name);
  Cells const before(levels_, numbers), behind(to, numbers);
  demand(rounds(step.from_step) == step.group_slices * time_out, "the walk that fills the group is not as long as the group");
  each_place(behind, [&](std::size_t u, const Place& p) {
    Cells::Held const want = behind.at(p);
    if (!want.live()) return;
    std::int64_t const from = walked(step.from_step, p.slice % step.group_slices * time_out + p.time);
    if (from < 0 || from >= times_) disagree(p, "is folded at a step that is not there");
    bool any = false;
    for (std::int64_t g = p.slice / step.group_slices * step.group_slices; g < (p.slice / step.group_slices + 1) * step.group_slices; ++g) {
      Place const there{p.chip, p.cluster, g, 0, 0, from, p.packet};
      Cells::Held const held = before.at(there);
      check_folded(u, step.identity, step.folded.contains(g) && p.packet < count(g, from), held, there);
      if (!held.live()) continue;
      any = true;
      if (held.name != want.name) disagree(p, "is folded from another result's elements");
    }
    if (!any) disagree(p, "is folded from nothing");
  });
  begin_stream(to);
  start_counts(nullptr);
}

}  // namespace tcp::walker
