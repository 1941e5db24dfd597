// On the way from HBM to DM the source is read at multiples of 8 bytes, so the tensor in HBM begins at one. (HBM to HBM, and DM to HBM, begin anywhere.)
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 512, B = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<A, B>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}.set(Level::cluster, m<A / 256>{}).set(Level::slice, m<A % 256>{}).set(Level::element, m<B>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(check_transfer_at(target, ScalarType::i8, in, Bytes{1028}, out, Bytes{0})); }
#else
REFUSED_AT_RUN_TIME { return check_transfer_at(target, ScalarType::i8, in, Bytes{1028}, out, Bytes{0}).refusal(); }
#endif
