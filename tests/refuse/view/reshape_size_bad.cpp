// A reshape moves nothing: every position keeps its place and gets another name. So there are as many of them before and after.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/view.hpp"

using namespace tcp;

TCP_AXES(A = 2048, B = 512, P = 61);

static constexpr Verdict mistake() {
  Levels from, to;
  from.set(Level::element, A);
  to.set(Level::element, A / 2);
  return check_reshape(from, to);
}

#if TCP_AT_COMPILE_TIME
template <class Kernel = void>
void f() {
  TCP_REFUSE(mistake());
}
template void f<>();
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
