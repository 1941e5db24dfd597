// A row of a DM bank, 8 bytes, is written as a whole. So what DMA writes into DM comes in runs of a multiple of 8 bytes that lie next to each other in
// the source and in the destination.
//
// A transpose on the way from HBM to DM usually breaks this. Keep a few innermost elements together (4 of bf16, 8 of i8), store the tensor in HBM in the
// order in which it is needed, or transpose in the Tensor Unit.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
TCP_AXES(I = 512, J = 512, K = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::element, m<K, J>{})};
constexpr DmaTensor out{
    .memory = Memory::Dm,
    .levels = Levels{}.set(Level::cluster, m<one.pad(2)>{}).set(Level::slice, m<I / 32, J / 32>{}).set(Level::element, m<J % 32, K>{})};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(target, ScalarType::bf16, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(target, ScalarType::bf16, 1, in, out).refusal(); }
#endif
