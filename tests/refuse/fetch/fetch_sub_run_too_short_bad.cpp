// The sub context fetches exactly 8 bytes at once (4 when it widens `i4` to `i32`). They must be neighbours in memory and belong to one
// packet.
//
// Here a packet takes every fourth byte. Give the axis that is contiguous in memory to the packet, or fetch in the main context, which can
// fetch single bytes.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 8, B = 4);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<A, B>{});
constexpr FetchHow sub{.context = Tu::Sub};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, sub, ScalarType::i8, tensor, ScalarType::i8, B, A))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, sub, ScalarType::i8, tensor, ScalarType::i8, B, A).refusal(); }
#endif
