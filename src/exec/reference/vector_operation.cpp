// Operations lane by lane: which operand a lane takes, and what becomes of it.
#include "tcp/exec/reference/vector.hpp"

#include "exec/reference/stages.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::reference {
namespace {

Element operand(const OperandValue& o, const Index& index) {
  if (o.shape.kind == OperandKind::none) return {};
  if (o.shape.kind == OperandKind::immediate) return {o.shape.bits, 0};
  TCP_BUG_UNLESS(o.value != nullptr, "an operand from VRF or stash has no value");
  return o.value->at(index);
}

Element combined(const VectorStep& step, const Element (&sources)[3], NumericModel model) {
  Arguments const arguments = arguments_of(step);
  Element a[3] = {sources[0]};  // of a conversion: the stream
  for (int i = 0; i < arguments.count; ++i) a[i] = sources[static_cast<int>(arguments.of[i])];
  for (const Element& each : a)
    if (each.undefined != 0) return {0, each.undefined};
  return {computed(step, a[0].bits, a[1].bits, a[2].bits, model), 0};
}

bool takes_part(Groups groups, std::uint32_t id) {
  bool const second = (id >> OperandGuard::group_bit & 1) != 0;
  return groups == Groups::both || groups == (second ? Groups::group1 : Groups::group0);
}

}  // namespace

ScalarType type_after(const VectorStep& step, ScalarType type) {
  if (step.method == VectorMethod::fxp_to_fp) return ScalarType::f32;
  if (step.method == VectorMethod::reinterpret) return step.to;
  return step.method == VectorMethod::fp_to_fxp ? ScalarType::i32 : type;
}

Element operate(const VectorOp& op, const Element& x, const Element& execution_id, const Index& index, NumericModel model) {
  std::size_t const each = op.step.family == OpFamily::FpTernary ? 2 : 1;
  bool const decides = op.step.groups != Groups::both || (!op.operands.empty() && op.operands[0].shape.guard != OperandGuard::always());
  if (decides && execution_id.undefined != 0) return {0, execution_id.undefined};
  if (!takes_part(op.step.groups, execution_id.bits)) return x;
  if (op.operands.empty()) return combined(op.step, {x, {}, {}}, model);
  for (std::size_t i = 0; i < op.operands.size(); i += each) {
    if (!op.operands[i].shape.guard.holds(static_cast<int>(execution_id.bits))) continue;
    return combined(op.step, {x, operand(op.operands[i], index), each == 2 ? operand(op.operands[i + 1], index) : Element{}}, model);
  }
  return x;
}

Value operate(const VectorOp& op, const Value& stream, const Value& execution_ids, NumericModel model) {
  Value out(type_after(op.step, stream.type), stream.axes());
  for (std::int64_t i = 0; i < out.size(); ++i) {
    Index const index = out.index_of(i);
    out[i] = operate(op, stream[i], execution_ids.at(index), index, model);
  }
  return out;
}

Value zip(const VectorStep& step, const TwoGroups& groups, NumericModel model) {
  Value out(groups.group[0].type, groups.group[0].axes());
  for (std::int64_t i = 0; i < out.size(); ++i) out[i] = combined(step, {groups.group[0][i], groups.group[1][i], {}}, model);
  return out;
}

Verdict apply(const ir::VectorOperation& o, PassRun& run) {
  std::vector<Value> tensors;
  tensors.reserve(o.operands.size());
  VectorOp op{o.step, {}};
  for (const ir::Operand& each : o.operands) {
    OperandValue value{each.shape, nullptr};
    if (each.shape.kind == OperandKind::vrf) {
      value.value = &tensors.emplace_back(run.operand(each.vrf));
      run.tell_copies_apart(*value.value);
    }
    if (each.shape.kind == OperandKind::stash) value.value = &*run.stash;
    op.operands.push_back(value);
  }
  NumericModel const model = run.module.numeric;
  bool const computes = o.step.family != OpFamily::none || o.step.method == VectorMethod::fxp_to_fp ||
                        o.step.method == VectorMethod::fp_to_fxp || o.step.method == VectorMethod::reinterpret;
  if (run.groups && o.step.groups == Groups::zip) {
    run.stream = zip(o.step, *run.groups, model);
    run.groups.reset();
    run.restart_ids();
    return accept();
  }
  if (run.groups) {
    for (GroupId g : {GroupId::Zero, GroupId::One}) {
      Value& group = run.groups->group[g == GroupId::One];
      if (computes) group = operate(op, group, group_ids(group, g), model);
      else group = restrict_to(run.out, group);
    }
    return accept();
  }
  if (!computes) return run.moved();
  run.stream = operate(op, run.stream, run.ids, model);
  return accept();
}

Verdict apply(const ir::Stash&, PassRun& run) {
  run.stash = run.stream;
  return accept();
}

}  // namespace tcp::reference
