// Operations that read what they wrote in earlier time steps: a running sum is add(x, written), then written := the
// sum.
//
// Each step of Time goes through all operations before the next begins. Within a step every read comes before every
// write, wherever the two stand; lanes write in their order, so of several that share a place the last one stays.
#include "tcp/exec/reference/vector.hpp"

#include "exec/reference/stages.hpp"

namespace tcp::reference {
namespace {

struct Lane {
  Index index{};
  Element id{}, kept{};  // kept: what vector_write_operand takes
};

/// The lanes of one step, of all chips, clusters and slices, in their order.
void lanes_of(const Levels& levels, std::int64_t step, const Value& execution_ids, std::vector<Lane>& lanes) {
  std::int64_t const width = levels[Level::packet].size, slices = levels[Level::slice].size, clusters = levels[Level::cluster].size;
  lanes.clear();
  for (std::int64_t i = 0; i < levels[Level::chip].size * clusters * slices * width; ++i) {
    Place const place{.chip = i / width / slices / clusters,
                      .cluster = i / width / slices % clusters,
                      .slice = i / width % slices,
                      .time = step,
                      .packet = i % width};
    if (Cell const c = cell(levels, place); c.live()) lanes.push_back({c.index, execution_ids.at(c.index), {}});
  }
}

}  // namespace

Value operate_in_time(const std::vector<VectorOp>& ops, const Value& stream, const Value& execution_ids, OperandGuard guard, Value& written,
                      Value& stash, const Levels& levels, NumericModel model) {
  Value out(stream.type, stream.axes());
  for (const VectorOp& op : ops) out.type = type_after(op.step, out.type);
  std::vector<Lane> lanes;
  for (std::int64_t step = 0; step < levels[Level::time].size; ++step) {
    lanes_of(levels, step, execution_ids, lanes);
    for (Lane& lane : lanes) {
      Element made = stream.at(lane.index);
      for (const VectorOp& op : ops) {
        if (op.step.method == VectorMethod::write_operand) lane.kept = made;
        else if (op.step.method == VectorMethod::stash) stash.at(lane.index) = made;
        else made = operate(op, made, lane.id, lane.index, model);
      }
      out.at(lane.index) = made;
    }
    for (const Lane& lane : lanes) {
      bool const decides = guard != OperandGuard::always();
      if (decides && lane.id.undefined != 0) written.at(lane.index) = {0, lane.id.undefined};
      else if (guard.holds(static_cast<int>(lane.id.bits))) written.at(lane.index) = lane.kept;
    }
  }
  return out;
}

namespace {

/// False of what only looks on, as the branch log does: that is done once, before the steps.
bool takes_part(const ir::Stage& s) {
  return std::holds_alternative<ir::WriteOperand>(s.what) || std::holds_alternative<ir::Stash>(s.what);
}

}  // namespace

std::size_t last_in_time(const ir::Module& module, const ir::Pass& p, std::size_t first) {
  ir::TensorId back = ir::none;
  for (const ir::Stage& s : p.stages)
    if (const auto* w = std::get_if<ir::WriteOperand>(&s.what)) back = module.root_of(w->vrf);
  auto const uses = [&](const ir::Stage& s) {
    if (std::holds_alternative<ir::WriteOperand>(s.what)) return true;
    const auto* operation = std::get_if<ir::VectorOperation>(&s.what);
    if (operation == nullptr || back == ir::none) return false;
    for (const ir::Operand& o : operation->operands)
      if (o.shape.kind == OperandKind::vrf && module.root_of(o.vrf) == back) return true;
    return false;
  };
  if (!uses(p.stages[first])) return none_in_time;
  std::size_t last = first;
  for (std::size_t i = first; i < p.stages.size(); ++i)
    if (uses(p.stages[i])) last = i;
  return last;
}

void run_in_time(PassRun& run, std::size_t first, std::size_t last) {
  const ir::Pass& p = run.pass;
  const ir::WriteOperand* write_back = nullptr;
  for (std::size_t i = first; i <= last; ++i)
    if (const auto* w = std::get_if<ir::WriteOperand>(&p.stages[i].what)) write_back = w;
  Value written = run.memory.read_to_change(write_back->vrf);
  run.stream = spread_over(run.levels, run.stream);
  Value stash = run.stash ? *run.stash : Value(run.stream.type, run.stream.axes());
  std::vector<Value> others;
  others.reserve(16 * (last - first + 1));
  std::vector<VectorOp> ops;
  ScalarType type = run.stream.type;
  for (std::size_t i = first; i <= last; ++i) {
    if (std::holds_alternative<ir::WriteOperand>(p.stages[i].what)) ops.push_back({step_of(VectorMethod::write_operand), {}});
    if (std::holds_alternative<ir::Stash>(p.stages[i].what)) {
      ops.push_back({step_of(VectorMethod::stash), {}});
      stash = Value(type, run.stream.axes());
    }
    const auto* operation = std::get_if<ir::VectorOperation>(&p.stages[i].what);
    if (operation == nullptr) {
      if (!takes_part(p.stages[i]))
        std::visit([&run](const auto& what) { TCP_BUG_UNLESS(apply(what, run).ok(), "what looks on refused"); }, p.stages[i].what);
      continue;
    }
    VectorOp op{operation->step, {}};
    for (const ir::Operand& each : operation->operands) {
      OperandValue value{each.shape, nullptr};
      if (each.shape.kind == OperandKind::stash) value.value = &stash;
      if (each.shape.kind == OperandKind::vrf)
        value.value = each.vrf == write_back->vrf ? &written : &others.emplace_back(run.operand(each.vrf));
      op.operands.push_back(value);
    }
    type = type_after(op.step, type);
    ops.push_back(std::move(op));
  }
  run.stream = operate_in_time(ops, run.stream, run.ids, write_back->guard, written, stash, run.levels, run.module.numeric);
  run.stash = std::move(stash);
  run.memory.write(write_back->vrf, written);
}

/// Never asked: run_in_time has done it.
Verdict apply(const ir::WriteOperand&, PassRun&) { return accept(); }

}  // namespace tcp::reference
