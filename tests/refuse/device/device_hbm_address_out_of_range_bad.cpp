// An HBM address counts the bytes of one chip, from 0. RNGD has 48 GiB: three times 2^34 bytes, so bits 34 and 35 of an address are
// never both set.
//
// Which chip holds an element is said by the mapping of Chip: all chips use the same addresses.
#include "refuse_test.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(check_hbm_address(rngd, Bytes{51539607552})); }
#else
REFUSED_AT_RUN_TIME { return check_hbm_address(rngd, Bytes{51539607552}).refusal(); }
#endif
