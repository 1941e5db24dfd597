// The levels of a tensor have at most 64 factors together (16 in each), after neighbours that count as one have been joined.
#include "refuse_test.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
/// Sixteen rows of two copies with a gap behind them.
constexpr Mapping sixteen() {
  Mapping all;
  for (int i = 0; i < 16; ++i) all = pair(all, copies(2).pad(3));
  return all;
}
constexpr Levels five_times_sixteen() {
  Levels levels;
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::row, Level::element}) levels.set(l, sixteen());
  return levels;
}
}  // namespace
#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_levels(five_times_sixteen())); }
#else
REFUSED_AT_RUN_TIME { return check_levels(five_times_sixteen()).refusal(); }
#endif
