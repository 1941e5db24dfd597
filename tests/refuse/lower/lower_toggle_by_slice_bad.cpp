// `BranchMode::AxisToggle` makes bit 3 of the execution id from counters of the time step and the lane, which are the same in all slices. An axis whose odd
// and even steps lie in different slices cannot be told by them.
//
// run time only: registers are chosen by the compiler
#include "lower/vector_program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return tcp_refuse::refusal_of_pass(
      "A = 64, B = 8", "A % 2", "A / 2", "B", [](build::ModuleBuilder& b, build::ModuleBuilder::PassBuilder& pass) {
        auto const out = b.dm("out", ScalarType::i32, "A % 2", "A / 2, B", 4096);
        pass.stage(ir::Branch{BranchMode::toggle(Name("A")), ir::none}).stage(ir::VectorFinal{}).into(ir::Commit{out, {}, false});
      });
}
