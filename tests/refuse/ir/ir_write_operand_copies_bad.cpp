// `vector_write_operand` keeps what a time step has made for later steps to read: a running sum, say. A bare number in Time stands for copies, steps that hold the same elements;
// with an operand that changes from step to step they would no longer be the same. Count them by an axis.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 256, P = 8, F = 32");
  auto const x = b.dm("x", ScalarType::i32, "A", "P", 0), y = b.dm("y", ScalarType::i32, "A", "F", 4096);
  auto const kept = b.vrf("kept", ScalarType::i32, "A", "P", 0);
  ir::Operand const operand{{OperandKind::vrf, ScalarType::i32, {}, false, 0}, kept};
  b.main(x)
      .time("4")
      .packet("P")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{BranchMode::toggle(Name("P"))})
      .stage(ir::VectorOperation{step_of(FxpBinaryOp::AddFxp), {operand}})
      .stage(ir::WriteOperand{kept, {}})
      .time("F / 8")
      .packet("F % 8")
      .stage(ir::Filter{})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  return ir::verify(b.module, rngd).refusal();
}
