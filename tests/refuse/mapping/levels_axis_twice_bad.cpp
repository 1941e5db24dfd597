// A tensor is spread over the levels of the machine, and the coordinates of a place are summed over them. Each step of an axis belongs to
// one level: here slices count blocks of 8 along A, and the elements of a slice count 16 steps of A, so that two slices would hold the same
// elements under different names.
//
// Let the levels follow on each other: `A / 8` in Slice and `A % 8` in Element.
#include "refuse_test.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 2048);
}
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_levels(Levels{}.set(Level::slice, m<A / 8>::mapping).set(Level::element, m<A % 16>::mapping))); }
#else
REFUSED_AT_RUN_TIME {
  return check_levels(Levels{}.set(Level::slice, m<A / 8>::mapping).set(Level::element, m<A % 16>::mapping)).refusal();
}
#endif
