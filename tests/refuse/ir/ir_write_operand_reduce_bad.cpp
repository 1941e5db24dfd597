// `vector_write_operand` keeps what a time step has made for later steps to read. A reduce or a filter makes other steps out of those that it takes in, so there is no earlier step
// in which a value could have been written: the operation that reads and the one that writes must stand on the same side.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 256, T = 6, P = 4");
  auto const x = b.dm("x", ScalarType::i32, "A", "T, P", 0), y = b.dm("y", ScalarType::i32, "A", "P", 4096);
  auto const kept = b.vrf("kept", ScalarType::i32, "A", "P", 0);
  ir::Operand const operand{{OperandKind::vrf, ScalarType::i32, {}, false, 0}, kept};
  ir::Operand const zero{{OperandKind::immediate, ScalarType::i32, {}, true, 0}, ir::none};
  b.main(x)
      .time("T")
      .packet("P")
      .stage(ir::Fetch{})
      .packet("P # 8")
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(ir::VectorOperation{step_of(FxpBinaryOp::AddFxp), {operand}})
      .packet("P")
      .stage(ir::VectorOperation{step_of(VectorMethod::trim_way4), {}})
      .time("1")
      .stage(ir::IntraSliceReduce{Name("T"), ReduceOp::AddSat})
      .packet("P # 8")
      .stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}})
      .stage(ir::VectorOperation{step_of(ClipBinaryOpI32::Max), {zero}})
      .stage(ir::WriteOperand{kept, {}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  return ir::verify(b.module, rngd).refusal();
}
