// Fresh memory is undefined. Zero padding in Element is a promise to whoever reads the tensor later, so the commit has to write the zeros:
// they must be in the stream, and within the part of the packet that is written.
//
// What Collect, Cast and a masking fetch add to a packet is zero; what a fetch over-reads is not.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"

using namespace tcp;

TCP_AXES(M = 4, N = 8);
constexpr Levels stream = Levels{}.set(Level::slice, one.pad(256)).set(Level::time, M).set(Level::packet, N.pad(16));

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_commit(rngd, {}, ScalarType::bf16, stream, m<M, N.pad_zero(16)>{}))); }
#else
REFUSED_AT_RUN_TIME { return check_commit(rngd, {}, ScalarType::bf16, stream, m<M, N.pad_zero(16)>{}).refusal(); }
#endif
