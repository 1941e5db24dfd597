// Which lanes of a flit hold data is held against every time step before the registers of the Valid Count Generator are believed. A stream of so many steps would
// keep the compiler busy; none fits into the memory of a slice.
//
// run time only: counts are checked by the compiler
#include "lower/vector_program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass("A = 4096, R = 2048, B = 4", "1", "A, R", "B # 8",
                                     [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
                                       auto const out = b.dm("out", ScalarType::i32, "1", "A, B", 1 << 30);
                                       ir::VectorOperation trim, pad;
                                       trim.step = step_of(VectorMethod::trim_way4);
                                       pad.step = step_of(VectorMethod::pad_way8);
                                       pass.stage(ir::Branch{BranchMode::Unconditional, ir::none}).packet("B").stage(trim);
                                       pass.time("A").stage(ir::IntraSliceReduce{Name("R"), ReduceOp::AddSat}).packet("B # 8").stage(pad);
                                       pass.stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
                                     });
}
