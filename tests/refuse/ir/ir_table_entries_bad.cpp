// A fetch may replace every element by what a table has for it. The table has an entry for each value that the element's type has: 16 or 256 of them. A text, or a
// program that fills a table in by hand, can give fewer.
//
// run time only: a module is built when a program runs
#include "ir/program.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.tables.push_back({"gelu", ScalarType::i8, ScalarType::i8, {0x00, 0x01, 0x80}});
  return p.refusal();
}
