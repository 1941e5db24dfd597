// A gather or scatter adds the number of a row to an address. The chip does not look whether there is such a row; the interpreters do, and stop.
//
// run time only: it depends on values
#include "refuse_test.hpp"
#include "tcp/exec/reference/transfer.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  reference::Value table(ScalarType::i32, {{Name("V"), 4}}), rows(ScalarType::i32, {{Name("T"), 2}});
  rows[1].bits = 4;
  Levels out;
  out.set(Level::element, axis_mapping(Name("T"), 2));
  return reference::gather(table, rows, Name("V"), 4, out, {}).refusal();
}
