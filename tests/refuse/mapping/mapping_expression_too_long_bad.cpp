// An expression in C++ is kept as its text, in a template argument, with room for 254 characters and as many for the declarations of its
// axes.
//
// Name its parts as types and splice them: a type is kept in its canonical form, which is usually much shorter than what was written.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A_long_axis_name = 64);
constexpr Expr ten(const Expr& e) { return group(e, 1, 1, 1, 1, 1, 1, 1, 1, 1); }
}  // namespace
#if TCP_AT_COMPILE_TIME
using Layout = m<ten(ten(ten(ten(ten(ten(ten(ten(ten(A_long_axis_name)))))))))>;
#else
REFUSED_AT_RUN_TIME { return Expr(ten(ten(ten(ten(ten(ten(ten(ten(ten(A_long_axis_name)))))))))).mapping().refusal(); }
#endif
