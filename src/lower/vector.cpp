// The Vector Engine: its stage programme, step by step, with ALUs, operand slots, walks through VRF, execution ids and reduces.
//
// Needs: what the rules found of the stages from vector_init to vector_final, and the fetch in front of them. Leaves: program::Vector; where padding is filled
// with identities (counting.cpp), a fetch with another mask. Refuses: a toggle that depends on the slice, and padding that can be neither counted nor filled.
#include "counting.hpp"

namespace tcp::lower {

namespace {

using Step = program::VectorStep;

constexpr std::int64_t word = 4;  // bytes of an i32 or f32

program::VrfWalk walk_of(const Loops& loops, std::int64_t address) {
  program::VrfWalk walk;
  walk.address = address + loops.base * word;
  for (int k = 0; k < loops.entries; ++k) walk.loops.push_back({loops.entry[k].size, loops.entry[k].stride * word});
  return walk;
}

/// The counters of one level whose steps change the parity of an axis's coordinate.
void add_counters(program::Toggle& toggle, const Mapping& m, Name axis, std::int64_t lanes_inside) {
  int const a = find_axis(m, axis);
  if (a < 0) return;
  toggle.start += m.axis[a].start;
  Footprints const foot = footprints(m);
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    if (d.axis != a || d.stride % 2 == 0) continue;
    std::int64_t within = 0;  // a padded group begins anew behind its padding
    for (int t = 0; t < m.tails; ++t)
      if (m.tail[t].first <= k && k <= m.tail[t].last) within = foot.tail_unit[t] * m.tail[t].slot * lanes_inside;
    toggle.counters.push_back({within, foot.inside[k] * lanes_inside, d.slot, d.stride});
  }
}

/// Whether a level changes the parity of an axis's coordinate in a way that counters do not tell.
bool turns_unseen(const Mapping& m, Name axis, bool counted) {
  int const a = find_axis(m, axis);
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    if (d.axis != a || a < 0) continue;
    if (d.in_window() || d.skewed_by != no_axis || (!counted && d.stride % 2 != 0 && d.size > 1)) return true;
  }
  return false;
}

Expected<program::Toggle> toggle_of(const Levels& stream, Name axis, Where at) {
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::time, Level::packet})
    if (turns_unseen(stream[l], axis, l == Level::time || l == Level::packet))
      return refuse("lower-toggle-by-slice", at)
          .what("BranchMode::AxisToggle by ", axis, ", whose odd and even steps lie apart in ", name_of(l), " ", stream[l])
          .why("bit 3 is made from the time step and the lane, alike in all slices")
          .help("keep ", axis, " % 2 in Time or Packet");
  program::Toggle toggle;
  add_counters(toggle, stream[Level::time], axis, stream[Level::packet].size);
  add_counters(toggle, stream[Level::packet], axis, 1);
  for (Level l : {Level::chip, Level::cluster, Level::slice})
    if (int const a = find_axis(stream[l], axis); a >= 0) toggle.start += stream[l].axis[a].start;
  toggle.start = (toggle.start % 2 + 2) % 2;
  return toggle;
}

program::OperandSource source_of(OperandKind kind) { return static_cast<program::OperandSource>(kind); }
static_assert(static_cast<int>(OperandKind::none) == static_cast<int>(program::OperandSource::None));
static_assert(static_cast<int>(OperandKind::immediate) == static_cast<int>(program::OperandSource::Immediate));
static_assert(static_cast<int>(OperandKind::vrf) == static_cast<int>(program::OperandSource::Vrf));
static_assert(static_cast<int>(OperandKind::stash) == static_cast<int>(program::OperandSource::Stash));
static_assert(static_cast<int>(OpFamily::ClipF32) == static_cast<int>(Step::Family::ClipF32));
static_assert(static_cast<int>(Groups::zip) == static_cast<int>(Step::Group::Zip));
static_assert(static_cast<int>(BranchMode::Kind::Vrf) == static_cast<int>(program::BranchKind::Vrf));
static_assert(static_cast<int>(InputCmp::Kind::False) == static_cast<int>(program::Compare::False));

class VectorProgramme {
 public:
  VectorProgramme(const TensorUnitPass& p, const Counting& counting) : p_(p), counting_(counting) {}

  Expected<program::Vector> run(std::size_t first, std::size_t last) {
    out_.floating = p_.type_in(first) == ScalarType::f32;
    out_.floating_out = p_.found(last).type == ScalarType::f32;
    out_.valid_count = counting_.registers;
    for (i_ = first + 1; i_ < last; ++i_) {
      if (i_ == counting_.before && !counting_.registers.empty()) out_.counted_before = static_cast<std::int32_t>(out_.steps.size());
      Step step;
      step.time_out = p_.found(i_).out[Level::time].size;
      if (auto v = std::visit([&](const auto& what) { return lower(what, step); }, p_.stage(i_).what); !v) return v.refusal();
      out_.steps.push_back(std::move(step));
    }
    return std::move(out_);
  }

 private:
  std::int64_t address(ir::TensorId vrf) const { return *p_.module.address_of(vrf); }

  Verdict lower(const ir::Branch& b, Step& step) {
    step.kind = Step::Kind::Branch;
    step.branch = static_cast<program::BranchKind>(b.mode.kind);
    if (b.mode.kind == BranchMode::Kind::AxisToggle) {
      auto const toggle = toggle_of(p_.in(i_), b.mode.axis, p_.where(i_));
      if (!toggle) return toggle.refusal();
      step.toggle = *toggle;
    }
    if (b.mode.kind == BranchMode::Kind::Comparison)
      for (std::size_t c = 0; c < step.compare.size(); ++c)
        step.compare[c] = {static_cast<program::Compare>(b.mode.compare[c].kind), b.mode.compare[c].boundary};
    if (b.mode.kind == BranchMode::Kind::Vrf) step.vrf.push_back(walk_of(std::get<BranchPlan>(p_.found(i_).found).log, address(b.vrf)));
    return accept();
  }
  Verdict lower(const ir::BranchLog& b, Step& step) {
    step.kind = Step::Kind::BranchLog;
    step.vrf.push_back(walk_of(std::get<Loops>(p_.found(i_).found), address(b.vrf)));
    return accept();
  }
  Verdict lower(const ir::WriteOperand& w, Step& step) {
    step.kind = Step::Kind::WriteOperand;
    step.ids = w.guard.ids;
    step.vrf.push_back(walk_of(std::get<Loops>(p_.found(i_).found), address(w.vrf)));
    return accept();
  }
  Verdict lower(const ir::Stash&, Step& step) {
    step.kind = Step::Kind::Stash;
    return accept();
  }
  Verdict lower(const ir::VectorOperation& o, Step& step) {
    switch (o.step.method) {
      case VectorMethod::split: return reshape(step, Step::Width::Split);
      case VectorMethod::trim_way4: return reshape(step, Step::Width::Trim);
      case VectorMethod::concat: return reshape(step, Step::Width::Concat);
      case VectorMethod::pad_way8: return reshape(step, Step::Width::Pad);
      case VectorMethod::fxp_to_fp:
      case VectorMethod::fp_to_fxp:
        step.kind = Step::Kind::Convert;
        step.to_float = o.step.method == VectorMethod::fxp_to_fp;
        step.int_width = static_cast<std::int32_t>(o.step.int_width);
        return accept();
      default: break;
    }
    step.kind = Step::Kind::Operate;
    step.family = static_cast<Step::Family>(o.step.family);
    step.op = o.step.op;
    step.mode = o.step.mode;
    step.alu = static_cast<std::uint8_t>(alu_of(o.step));
    step.group = static_cast<Step::Group>(o.step.groups);
    for (const ir::Operand& each : o.operands) {
      program::OperandSlot slot;
      slot.source = source_of(each.shape.kind);
      slot.ids = each.shape.guard.ids;
      if (each.shape.kind == OperandKind::immediate) slot.bits = each.shape.bits;
      if (each.shape.kind == OperandKind::vrf) slot.vrf.push_back(walk_of(std::get<Loops>(p_.found(i_).found), address(each.vrf)));
      step.operands.push_back(std::move(slot));
    }
    return accept();
  }
  static Verdict reshape(Step& step, Step::Width width) {
    step.kind = Step::Kind::Reshape;
    step.width = width;
    return accept();
  }
  Verdict lower(const ir::Unzip& u, Step& step) {
    step.kind = Step::Kind::Unzip;
    Mapping const time = p_.in(i_)[Level::time];
    step.alternate = footprints(time).inside[coarsest_digit(time, find_axis(time, u.axis))];
    return accept();
  }
  Verdict lower(const ir::Filter& f, Step& step) {
    step.kind = Step::Kind::Filter;
    step.ids = f.keep.ids;
    if (f.count != ir::none) step.vrf.push_back({address(f.count), {}});
    return accept();
  }
  Verdict lower(const ir::IntraSliceReduce& r, Step& step) {
    const IntraSliceResult& made = std::get<IntraSliceResult>(p_.found(i_).found);
    step.kind = Step::Kind::IntraSliceReduce;
    step.alu = static_cast<std::uint8_t>(VectorAlu::ReduceAccTree);
    step.reduce = static_cast<std::uint8_t>(r.op);
    step.reduce_slots = made.slots;
    step.reduce_loops = reduce_loops(p_, i_);
    step.tree = made.tree;
    return filled(step);
  }
  Verdict lower(const ir::InterSliceReduce& r, Step& step) {
    const InterSliceResult& made = std::get<InterSliceResult>(p_.found(i_).found);
    step.kind = Step::Kind::InterSliceReduce;
    step.reduce = static_cast<std::uint8_t>(r.op);
    step.group_slices = made.group;
    step.broadcast = made.broadcast;
    step.promoted = made.promoted;
    step.folded = slice_set(live_units(p_.in(i_), Level::slice));
    // What fills the places of the folded factors walks Time as a stream walks a buffer: promoted factors step through it, all else repeats.
    auto const loops = derive_loops(p_.in(i_)[Level::time], split_at(made.slice, made.group).inner, made.time, {}, p_.where(i_));
    if (!loops) return loops.refusal();
    for (int k = 0; k < loops->entries; ++k) step.from_step.push_back({loops->entry[k].size, loops->entry[k].stride});
    return filled(step);
  }
  Verdict filled(Step& step) const {
    for (std::size_t stage : counting_.filled)
      if (stage == i_) step.identity = {counting_.identity};
    return accept();
  }
  template <class Other>
  Verdict lower(const Other&, Step&) {
    TCP_BUG_UNLESS(false, "a stage of another engine stands inside the vector engine");
    return accept();
  }

  const TensorUnitPass& p_;
  const Counting& counting_;
  std::size_t i_ = 0;
  program::Vector out_;
};

}  // namespace

Expected<program::Vector> lower_vector(const TensorUnitPass& p, std::size_t first, std::size_t last, program::Fetch& fetch) {
  auto const counting = plan_counting(p, first, last, fetch);
  if (!counting) return counting.refusal();
  return VectorProgramme(p, *counting).run(first, last);
}

}  // namespace tcp::lower
