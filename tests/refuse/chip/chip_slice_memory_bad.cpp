// `chip_slice` is a copy by the sub context, which reads and writes DM. Move the tensor to DM first.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/shuffle.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 4, B = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<B, E>{})};
constexpr DmaTensor out{.memory = Memory::Hbm, .levels = Levels{}.set(Level::chip, m<A>{}).set(Level::element, m<E>{})};
constexpr std::int64_t begin[] = {0, 1, 2, 3};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 4, out))); }
#else
REFUSED_AT_RUN_TIME { return check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 4, out).refusal(); }
#endif
