// A DM address counts the bytes of one slice, from 0. A slice of RNGD has 512 KiB, so the last address is 524287.
//
// Which slice holds an element is said by the mapping of Slice, never by the address: all slices use the same addresses.
#include "refuse_test.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(check_dm_address(rngd, Bytes{524288})); }
#else
REFUSED_AT_RUN_TIME { return check_dm_address(rngd, Bytes{524288}).refusal(); }
#endif
