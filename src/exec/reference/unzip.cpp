// Two-group mode: an axis of size 2 tells two groups apart, which operations treat one by one until zip joins them.
#include "exec/reference/stages.hpp"

namespace tcp::reference {

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

Verdict apply(const ir::Unzip& u, PassRun& run) {
  run.groups = unzip(run.stream, u.axis);
  return accept();
}

}  // namespace tcp::reference
