// Outside of comments the text form is plain ASCII: letters that look alike would make names that look alike. A quoted name may hold any byte as `\xHH`.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return ir::parse("dm t\xc3\xa9nseur: i32", "bad.tcp").refusal(); }
