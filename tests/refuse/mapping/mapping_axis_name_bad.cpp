// Axes are named as in the book: an uppercase letter, then letters, digits and underscores, at most 16 characters in all. The text form
// tells axes from numbers and words by the first letter, and a name is kept in two machine words, so that mappings are compared quickly.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(tokens = 128);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<tokens>;
#else
REFUSED_AT_RUN_TIME { return Expr(tokens).mapping().refusal(); }
#endif
