// Only DM can be written by a command that carries its own data. HBM and SPM are filled by moving data there.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(Verdict(memset_refused("HBM"))); }
#else
REFUSED_AT_RUN_TIME { return memset_refused("HBM"); }
#endif
