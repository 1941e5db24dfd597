// `E = n` keeps the first n positions of E and forgets the others. It cannot make positions that are not there: an axis of 3 has no fourth.
//
// To have more positions than elements, pad: `D # 4`, in C++ `D.pad(4)`. The kind of padding says what may be assumed about it: `#`
// undefined, `#z` zero, `#!` not to be touched.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(D = 3);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<D.resize(4)>;
#else
REFUSED_AT_RUN_TIME { return Expr(D.resize(4)).mapping().refusal(); }
#endif
