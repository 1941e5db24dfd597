// `#z` in the mapping of a memory is a promise: these positions are zero. A transfer moves what lies in the source and makes no zeros, so it can keep
// the promise only if the source has the same zero padding. Ordinary padding, `#`, promises nothing.
//
// Where zeros are needed for a computation, ask the fetch for them: `.pad_zero` in its Time or Packet.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 512, B = 60);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B.pad(64)>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B.pad_zero(64)>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i8, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i8, 1, in, out).refusal(); }
#endif
