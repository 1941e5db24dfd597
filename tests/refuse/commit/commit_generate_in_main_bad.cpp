// An ITOS command writes one 32-bit word into DM without any stream. It belongs to the commit unit of the sub context.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_itos(rngd, Tu::Main, Bytes{0}))); }
#else
REFUSED_AT_RUN_TIME { return check_itos(rngd, Tu::Main, Bytes{0}).refusal(); }
#endif
