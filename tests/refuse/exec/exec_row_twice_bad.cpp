// A scatter writes each row that the index tensor names. If one is named twice, two values compete for it, and which of them stays is nobody's promise.
//
// run time only: it depends on values
#include "refuse_test.hpp"
#include "tcp/exec/reference/transfer.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  reference::Value table(ScalarType::i32, {{Name("V"), 4}}), in(ScalarType::i32, {{Name("T"), 2}}), rows(ScalarType::i32, {{Name("T"), 2}});
  rows[0].bits = rows[1].bits = 3;
  Levels from;
  from.set(Level::element, axis_mapping(Name("T"), 2));
  return reference::scatter(table, in, rows, Name("V"), 4, from, {}).refusal();
}
