// The number of positions of a mapping, padding included, must fit into a signed 64-bit number. No memory comes near that size; most often
// two sizes have been multiplied that do not belong together, or a size was given in bytes instead of elements.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(Rows = 1'099'511'627'776, Columns = 1'073'741'824);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<Rows, Columns>;
#else
REFUSED_AT_RUN_TIME { return group(Rows, Columns).mapping().refusal(); }
#endif
