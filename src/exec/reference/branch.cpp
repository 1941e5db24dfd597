// Who takes part: the execution ids of a stream's elements, by which the operands of later operations are chosen.
#include "tcp/support/bug.hpp"

#include "exec/reference/stages.hpp"

namespace tcp::reference {

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

void PassRun::restart_ids() { ids = execution_ids(BranchMode::Unconditional, stream, nullptr, module.numeric); }

Verdict apply(const ir::VectorInit&, PassRun& run) {
  run.restart_ids();
  return accept();
}

Verdict apply(const ir::Branch& b, PassRun& run) {
  std::optional<Value> log;
  if (b.vrf != ir::none) {
    log = run.operand(b.vrf);
    run.tell_copies_apart(*log);
  }
  if (b.mode.kind == BranchMode::Kind::AxisToggle) run.tell_copies_apart(Value(ScalarType::i32, {{b.mode.axis, 1}}));
  run.ids = execution_ids(b.mode, run.stream, log ? &*log : nullptr, run.module.numeric);
  return accept();
}

Verdict apply(const ir::BranchLog& b, PassRun& run) {
  run.memory.write(b.vrf, run.ids);
  return accept();
}

Verdict apply(const ir::VectorFinal&, PassRun&) { return accept(); }

}  // namespace tcp::reference
