// What one fetch brings leaves the adapter as at most one flit of 32 bytes. A cast to a wider type makes more bytes of it, so less can be
// fetched at once: 8 bytes of `i8` become 32 bytes of `i32`.
//
// The compiler chooses the fetch size by itself and never goes beyond the limit; the rule is for configurations that are written by hand.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch_size(rngd, Tu::Main, ScalarType::i8, ScalarType::i32, Bytes{16}))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch_size(rngd, Tu::Main, ScalarType::i8, ScalarType::i32, Bytes{16}).refusal(); }
#endif
