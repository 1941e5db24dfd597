// A plain axis may be read as a window; a window has no other name, as its places belong to several elements.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/view.hpp"

using namespace tcp;

TCP_AXES(X = 10, W = 8, F = 3);

static constexpr Verdict mistake() {
  Levels from, to;
  from.set(Level::element, m<slide(W, F)>::mapping);
  to.set(Level::element, X);
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
