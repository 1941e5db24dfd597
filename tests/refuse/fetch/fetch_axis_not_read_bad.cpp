// A stream may repeat what it reads along an axis that the tensor does not have, and it may read a part of an axis. A tensor of E and K
// that is fetched as EK and K is neither: EK is E by the wrong name, every step would be the one of E = 0, and no number would tell.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(E = 4, EK = 4, K = 32);
constexpr Levels source = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, m<E, K>{});

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, {}, ScalarType::i8, source, ScalarType::i8, m<EK>{}, m<K>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, {}, ScalarType::i8, source, ScalarType::i8, m<EK>{}, m<K>{}).refusal(); }
#endif
