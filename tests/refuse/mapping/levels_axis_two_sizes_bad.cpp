// Axes are told apart by their names alone. On two levels of one tensor, one name stands for axes of two sizes.
//
// Rename one of them, or declare it once and use that declaration on both levels.
#include "refuse_test.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace mine {
TCP_AXES(K = 64);
}
namespace yours {
TCP_AXES(K = 128);
}
#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(check_levels(Levels{}.set(Level::slice, m<mine::K / 8>::mapping).set(Level::element, m<yours::K % 8>::mapping)));
}
#else
REFUSED_AT_RUN_TIME {
  return check_levels(Levels{}.set(Level::slice, m<mine::K / 8>::mapping).set(Level::element, m<yours::K % 8>::mapping)).refusal();
}
#endif
