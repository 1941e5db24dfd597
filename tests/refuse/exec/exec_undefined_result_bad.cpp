// Padding, and memory that nobody has written, hold whatever was there before. If such a value decides an element of a result, the kernel has no meaning; the report names
// the tensor it came from. With the check off the interpreter reads zero.
//
// run time only: it depends on values
#include "ir/program.hpp"
#include "refuse_test.hpp"
#include "tcp/exec/reference/run.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.commands.erase(p.module.commands.begin());  // nobody loads dm
  auto const facts = ir::verify(p.module, rngd);
  reference::Value const in(ScalarType::i32, {{Name("A"), 2048}});
  return reference::run(p.module, *facts, {in}).refusal();
}
