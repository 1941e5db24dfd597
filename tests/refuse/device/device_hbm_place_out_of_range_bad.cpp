// A place in HBM is a stack, a channel of the stack, a slice of the channel, a bank group, a bank of the group, a row and a byte. On
// RNGD there are 2 stacks of 16 channels of 3 slices of 4 bank groups of 4 banks of 16384 rows of 2048 bytes. Each is counted from 0.
//
// Only tools that look at channels and rows ask for places; kernels use addresses.
#include "refuse_test.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/chips.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(check_hbm_place(rngd, {.stack = 0, .channel = 5, .slice = 3})); }
#else
REFUSED_AT_RUN_TIME { return check_hbm_place(rngd, {.stack = 0, .channel = 5, .slice = 3}).refusal(); }
#endif
