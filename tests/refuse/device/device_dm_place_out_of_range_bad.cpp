// A place in DM is a bank of the slice, a row of the bank and a byte of the row. On RNGD a slice has 16 banks of 4096 rows of 8 bytes.
// Each is counted from 0.
//
// Only tools that look at bank conflicts ask for places; kernels use addresses.
#include "refuse_test.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(check_dm_place(rngd, {.row = 0, .bank = 16, .byte = 0})); }
#else
REFUSED_AT_RUN_TIME { return check_dm_place(rngd, {.row = 0, .bank = 16, .byte = 0}).refusal(); }
#endif
