// Operations lane by lane: which operand a lane takes, and what becomes of it. Branches and two-group mode, which only
// say who takes part.
#include "tcp/exec/reference/vector.hpp"

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

Value execution_ids(const BranchMode& mode, const Value& stream, const Value* log, NumericModel model) {
  Value ids(ScalarType::i32, stream.axes());
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    Index const index = ids.index_of(i);
    switch (mode.kind) {
      case BranchMode::Kind::Unconditional: break;
      case BranchMode::Kind::AxisToggle: ids[i].bits = index.get(mode.axis) % 2 != 0 ? 1u << OperandGuard::group_bit : 0; break;
      case BranchMode::Kind::ValidCount: ids[i].bits = 1; break;  // every element there is lies below the count
      case BranchMode::Kind::Comparison:
        ids[i] = {static_cast<std::uint32_t>(execution_id(mode, stream[i].bits, model)), stream[i].undefined};
        break;
      case BranchMode::Kind::Vrf:
        TCP_BUG_UNLESS(log != nullptr, "BranchMode::Vrf has nothing to read");
        ids[i] = log->at(index);
        ids[i].bits &= 15;
        break;
    }
  }
  return ids;
}

TwoGroups unzip(const Value& stream, Name axis) {
  std::vector<Value::Axis> left;
  for (const Value::Axis& a : stream.axes())
    if (!(a.name == axis)) left.push_back(a);
  TwoGroups both;
  for (int g = 0; g < 2; ++g) {
    both.group[g] = Value(stream.type, left);
    for (std::int64_t i = 0; i < both.group[g].size(); ++i) both.group[g][i] = stream.at(both.group[g].index_of(i).add(axis, g));
  }
  return both;
}

Value group_ids(const Value& group, GroupId id) {
  Value ids(ScalarType::i32, group.axes());
  for (std::int64_t i = 0; i < ids.size(); ++i) ids[i].bits = id == GroupId::One ? 1u << OperandGuard::group_bit : 0;
  return ids;
}

Value zip(const VectorStep& step, const TwoGroups& groups, NumericModel model) {
  Value out(groups.group[0].type, groups.group[0].axes());
  for (std::int64_t i = 0; i < out.size(); ++i) out[i] = combined(step, {groups.group[0][i], groups.group[1][i], {}}, model);
  return out;
}

}  // namespace tcp::reference
