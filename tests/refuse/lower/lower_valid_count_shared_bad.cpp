// The Valid Count Generator counts once, where flits enter a block. Here the inter-slice reduce must leave out the end of R before the intra-slice block, and the
// reduce inside it the end of B, behind an operation that identity values would not survive.
//
// run time only: registers are chosen by the compiler
#include "lower/vector_program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass(
      "R = 13, A = 4, B = 5", "R # 16 / 4", "R # 16 % 4, B # 8", "A # 8",
      [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
        ir::VectorOperation add{step_of(FxpBinaryOp::AddFxp), {}}, trim{step_of(VectorMethod::trim_way4), {}},
            pad{step_of(VectorMethod::pad_way8), {}};
        add.operands.push_back({{OperandKind::immediate, ScalarType::i32, OperandGuard::always(), true, 1}, ir::none});
        auto const out = b.dm("out", ScalarType::i32, "1 # 4", "R # 16 % 4, A # 8", 4096);
        pass.slice("1 # 4").stage(ir::InterSliceReduce{ReduceOp::AddSat}).stage(ir::Branch{}).stage(add);
        pass.packet("A").stage(trim).time("R # 16 % 4").stage(ir::IntraSliceReduce{Name("B"), ReduceOp::AddSat});
        pass.packet("A # 8").stage(pad).stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
      });
}
