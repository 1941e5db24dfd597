// The Vector Engine: its stage programme, step by step, with ALUs, operand slots, walks through VRF, execution ids and
// reduces.
//
// Needs: what the rules found of the stages from vector_init to vector_final, and the fetch in front of them. Leaves:
// program::Vector; where padding is filled with identities (counting.cpp), a fetch with another mask. Refuses: a toggle
// that depends on the slice, and padding that can be neither counted nor filled.
#include "lower/counting.hpp"

namespace tcp::lower {

namespace {

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
    std::int64_t within = 0;  // a padded group begins anew after its padding
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
          .what("BranchMode::AxisToggle by ", axis, ", whose odd and even steps are apart in ", name_of(l), " ", stream[l])
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

/// Families of the rules begin with None, which no operation has.
program::OperateStep::Family family_of(OpFamily family) {
  TCP_BUG_UNLESS(family != OpFamily::none, "an operation of no family");
  return static_cast<program::OperateStep::Family>(static_cast<int>(family) - 1);
}
static_assert(static_cast<int>(OpFamily::none) == 0);
static_assert(static_cast<int>(OpFamily::ClipF32) - 1 == static_cast<int>(program::OperateStep::Family::ClipF32));
static_assert(static_cast<int>(Groups::zip) == static_cast<int>(program::OperateStep::Group::Zip));

class VectorProgramme {
 public:
  VectorProgramme(const TensorUnitPass& p, const Counting& counting) : p_(p), counting_(counting) {}

  Expected<program::Vector> run(std::size_t first, std::size_t last) {
    out_.floating = p_.type_in(first) == ScalarType::f32;
    out_.floating_out = p_.found(last).out.type == ScalarType::f32;
    out_.valid_count = counting_.registers;
    for (i_ = first + 1; i_ < last; ++i_) {
      if (i_ == counting_.before && counting_.registers) out_.counted_before = static_cast<std::int32_t>(out_.steps.size());
      auto what = std::visit([&](const auto& stage) { return lower(stage); }, p_.stage(i_).what);
      if (!what) return what.refusal();
      out_.steps.push_back({*std::move(what), p_.out(i_, Level::time).size});
    }
    return std::move(out_);
  }

 private:
  using What = decltype(program::VectorStep::what);

  std::int64_t address(ir::TensorId vrf) const { return *p_.module.address_of(vrf); }

  program::VrfWalk walk_here(ir::TensorId vrf) const { return walk_of(p_.found(i_).as<Loops>(), address(vrf)); }

  Expected<What> lower(const ir::Branch& b) {
    program::BranchStep out;
    switch (b.mode.kind) {
      case BranchMode::Kind::Unconditional: out.by = program::Unconditional{}; break;
      case BranchMode::Kind::AxisToggle: {
        auto toggle = toggle_of(p_.in(i_), b.mode.axis, p_.where(i_));
        if (!toggle) return toggle.refusal();
        out.by = *std::move(toggle);
        break;
      }
      case BranchMode::Kind::ValidCount: out.by = program::ByValidCount{}; break;
      case BranchMode::Kind::Comparison: {
        program::Comparisons all;
        for (std::size_t c = 0; c < all.each.size(); ++c) all.each[c] = {b.mode.compare[c].kind, b.mode.compare[c].boundary};
        out.by = all;
        break;
      }
      case BranchMode::Kind::Vrf: out.by = walk_of(p_.found(i_).as<BranchPlan>().log, address(b.vrf)); break;
    }
    return What(std::move(out));
  }
  Expected<What> lower(const ir::BranchLog& b) { return What(program::BranchLogStep{walk_here(b.vrf)}); }
  Expected<What> lower(const ir::WriteOperand& w) { return What(program::WriteOperandStep{w.guard.ids, walk_here(w.vrf)}); }
  Expected<What> lower(const ir::Stash&) { return What(program::StashStep{}); }
  Expected<What> lower(const ir::VectorOperation& o) {
    using Width = program::ReshapeStep::Width;
    auto const int_width = static_cast<std::int32_t>(o.step.int_width);
    switch (o.step.method) {
      case VectorMethod::split: return What(program::ReshapeStep{Width::Split});
      case VectorMethod::trim_way4: return What(program::ReshapeStep{Width::Trim});
      case VectorMethod::concat: return What(program::ReshapeStep{Width::Concat});
      case VectorMethod::pad_way8: return What(program::ReshapeStep{Width::Pad});
      case VectorMethod::fxp_to_fp: return What(program::ConvertStep{true, int_width});
      case VectorMethod::reinterpret: return What(program::ReinterpretStep{o.step.to == ScalarType::f32});
      case VectorMethod::fp_to_fxp: return What(program::ConvertStep{false, int_width});
      default: break;
    }
    program::OperateStep out;
    out.family = family_of(o.step.family);
    out.op = o.step.op;
    out.mode = o.step.mode;
    out.alu = static_cast<std::uint8_t>(alu_of(o.step));
    out.group = static_cast<program::OperateStep::Group>(o.step.groups);
    for (const ir::Operand& each : o.operands) {
      program::OperandSlot slot;
      slot.ids = each.shape.guard.ids;
      switch (each.shape.kind) {
        case OperandKind::none: slot.source = program::NoOperand{}; break;
        case OperandKind::immediate: slot.source = program::Immediate{each.shape.bits}; break;
        case OperandKind::vrf: slot.source = walk_here(each.vrf); break;
        case OperandKind::stash: slot.source = program::Stashed{}; break;
      }
      out.operands.push_back(std::move(slot));
    }
    return What(std::move(out));
  }
  Expected<What> lower(const ir::Unzip& u) {
    const Mapping& time = p_.in(i_, Level::time);
    return What(program::UnzipStep{footprints(time).inside[coarsest_digit(time, find_axis(time, u.axis))]});
  }
  Expected<What> lower(const ir::Filter& f) {
    program::FilterStep out;
    out.ids = f.keep.ids;
    if (f.count != ir::none) out.count_to = program::VrfWalk{address(f.count), {}};
    return What(std::move(out));
  }
  Expected<What> lower(const ir::IntraSliceReduce& r) {
    const IntraSliceResult& made = p_.found(i_).as<IntraSliceResult>();
    return What(program::IntraSliceReduceStep{static_cast<std::uint8_t>(r.op), made.slots, reduce_loops(p_, i_), made.tree, identity()});
  }
  Expected<What> lower(const ir::InterSliceReduce& r) {
    const InterSliceResult& made = p_.found(i_).as<InterSliceResult>();
    program::InterSliceReduceStep out;
    out.op = static_cast<std::uint8_t>(r.op);
    out.group_slices = made.group;
    out.broadcast = made.broadcast;
    out.promoted = made.promoted;
    out.folded = slice_set(live_units(p_.in(i_), Level::slice));
    // What fills the places of the folded factors walks Time as a stream walks a buffer: promoted factors step through
    // it, all else repeats.
    auto const loops = derive_loops(p_.in(i_, Level::time), split_at(made.slice, made.group).inner, made.time, {}, p_.where(i_));
    if (!loops) return loops.refusal();
    for (int k = 0; k < loops->entries; ++k) out.from_step.push_back({loops->entry[k].size, loops->entry[k].stride});
    out.identity = identity();
    return What(std::move(out));
  }
  /// What the padding of the reduce at hand was filled with, if it was.
  std::optional<std::uint32_t> identity() const {
    for (std::size_t stage : counting_.filled)
      if (stage == i_) return counting_.identity;
    return std::nullopt;
  }
  template <class Other>
  Expected<What> lower(const Other&) {
    TCP_BUG_UNLESS(false, "a stage of another engine stands inside the vector engine");
    return What{};
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
