// Scratchpads are for transfers within a chip. To bring a tensor to another chip, go by way of HBM or DM.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 512, B = 64, D = 4);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<4>{}).set(Level::element, m<D, A, B>{})};
constexpr DmaTensor out{.memory = Memory::Spm,
                        .levels = Levels{}
                                      .set(Level::chip, m<D>{})
                                      .set(Level::cluster, m<A / 256>{})
                                      .set(Level::slice, m<A / 32 % 8>{})
                                      .set(Level::element, m<A % 32, B>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::i8, 4, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::i8, 4, in, out).refusal(); }
#endif
