// In dual-channel mode the main context takes the sub context's switch channel as well, and flits are 64 bytes wide. The sub context
// cannot be used meanwhile, so it has no such mode itself.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 64);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow dual{.context = Tu::Sub, .dual = true};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, dual, ScalarType::i8, tensor, ScalarType::i8, one, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, dual, ScalarType::i8, tensor, ScalarType::i8, one, A).refusal(); }
#endif
