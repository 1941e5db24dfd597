// A filter drops what is padding, and knows it by the valid count of each flit: a number of first lanes. Here lanes 0 and 4 hold data, the lanes between them
// none.
//
// run time only: registers are chosen by the compiler
#include "lower/vector_program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass("A = 2, B = 8, K = 64", "1", "B", "A, 1 # 4",
                                     [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
                                       auto const out = b.dm("out", ScalarType::i32, "1", "K", 4096);
                                       pass.stage(ir::Branch{BranchMode::comparing(InputCmp::Less(0)), ir::none});
                                       pass.time("K / 8").packet("K % 8").stage(ir::Filter{OperandGuard::bit(0), ir::none});
                                       pass.stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
                                     });
}
