// A reshape writes nothing, so it cannot promise that padding is zero.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/view.hpp"

using namespace tcp;

TCP_AXES(P = 61);

static constexpr Verdict mistake() {
  Levels from, to;
  from.set(Level::element, P.pad(64));
  to.set(Level::element, P.pad_zero(64));
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
