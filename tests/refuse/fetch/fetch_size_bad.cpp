// The main context fetches 1, 2, 4, 8, 16 or 32 bytes at once, the sub context 8, or 4 when it widens `i4` to `i32`. Larger packets are
// made of several fetches, so a 24-byte packet takes three fetches of 8.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch_size(rngd, Tu::Main, ScalarType::i8, ScalarType::i8, Bytes{24}))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch_size(rngd, Tu::Main, ScalarType::i8, ScalarType::i8, Bytes{24}).refusal(); }
#endif
