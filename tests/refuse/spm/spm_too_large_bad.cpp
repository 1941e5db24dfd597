// The scratchpad of a DMN is small. Its capacity is not published; the chip file has an assumption, which you can change there. Spread the tensor over
// Dmn, or keep it in DM.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/spm.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 2097152);
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_spm(target, ScalarType::i8, m<A>{}, Bytes{0})); }
#else
REFUSED_AT_RUN_TIME { return check_spm(target, ScalarType::i8, m<A>{}, Bytes{0}).refusal(); }
#endif
