// Values that only the run knows: indices of gather and scatter, and results that depend on what was never written.
#include "helpers/program.hpp"
#include "refuse_test.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/reference/transfer.hpp"

using namespace tcp;

// # exec-no-such-row
// A gather or scatter adds the number of a row to an address. The chip does not look whether there is such a row; the interpreters do, and stop.
// run time only: it depends on values
namespace exec_no_such_row {
// error[exec-no-such-row]: the index tensor names row 4 of a table of 4 rows; help: keep the numbers between 0 and 3
REFUSED_AT_RUN_TIME {
  reference::Value table(ScalarType::i32, {{Name("V"), 4}}), rows(ScalarType::i32, {{Name("T"), 2}});
  rows[1].bits = 4;
  Levels out;
  out.set(Level::element, axis_mapping(Name("T"), 2));
  return reference::gather(table, rows, Name("V"), 4, out, {}).refusal();
}
}  // namespace exec_no_such_row

// # exec-row-twice
// A scatter writes each row that the index tensor names. If one is named twice, two values compete for it, and which of them stays is nobody's promise.
// run time only: it depends on values
namespace exec_row_twice {
// error[exec-row-twice]: the index tensor of a scatter names row 3 twice; help: scatter each row once
REFUSED_AT_RUN_TIME {
  reference::Value table(ScalarType::i32, {{Name("V"), 4}}), in(ScalarType::i32, {{Name("T"), 2}}), rows(ScalarType::i32, {{Name("T"), 2}});
  rows[0].bits = rows[1].bits = 3;
  Levels from;
  from.set(Level::element, axis_mapping(Name("T"), 2));
  return reference::scatter(table, in, rows, Name("V"), 4, from, {}).refusal();
}
}  // namespace exec_row_twice

// # exec-undefined-result
// Padding, and memory that nobody has written, hold whatever was there before. If such a value decides an element of a result, the kernel has no meaning; the report names
// the tensor it came from. With the check off the interpreter reads zero.
// run time only: it depends on values
namespace exec_undefined_result {
// error[exec-undefined-result]: element (A = 0) of result out depends on an undefined value: nobody has written dm; help: write it first, or keep it out of what is computed; with the check off it counts as zero
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.commands.erase(p.module.commands.begin());  // nobody loads dm
  auto const facts = ir::verify(p.module, rngd);
  reference::Value const in(ScalarType::i32, {{Name("A"), 2048}});
  return reference::run(p.module, *facts, {in}).refusal();
}
}  // namespace exec_undefined_result
