// `memset` becomes one ITOS command for each 32-bit word, so it is meant for a few words: at most 64, and a whole number of them. To fill
// more, keep a constant in HBM and copy it.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(A = 65);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_memset(rngd, Tu::Sub, ScalarType::i32, A, Bytes{0}))); }
#else
REFUSED_AT_RUN_TIME { return check_memset(rngd, Tu::Sub, ScalarType::i32, A, Bytes{0}).refusal(); }
#endif
