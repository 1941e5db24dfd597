// A pass may read an operand and write it back with `vector_write_operand`: an operation then reads what earlier time steps have written. Of a branch log and of a filter's count nothing
// says when they can be read, so they are read in a later pass.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 256, T = 6, P = 8");
  auto const x = b.dm("x", ScalarType::i32, "A", "T, P", 0), y = b.dm("y", ScalarType::i32, "A", "T, P", 4096);
  auto const log = b.vrf("log", ScalarType::i32, "A", "T, P", 0);
  ir::Operand const operand{{OperandKind::vrf, ScalarType::i32, {}, false, 0}, log};
  b.main(x)
      .time("T")
      .packet("P")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{BranchMode::comparing(InputCmp::Less(0)), ir::none})
      .stage(ir::BranchLog{log})
      .stage(ir::VectorOperation{step_of(FxpBinaryOp::AddFxp), {operand}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  return ir::verify(b.module, rngd).refusal();
}
