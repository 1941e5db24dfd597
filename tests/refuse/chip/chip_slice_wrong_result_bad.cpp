// `chip_slice` keeps Element as it is, but for the dimension, of which `length` steps are left. They may have any name in the result (a bare number,
// another axis), because on every chip they are other elements; what stands outside and inside of them stays.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/shuffle.hpp"

using namespace tcp;

namespace {
TCP_AXES(A = 4, B = 4, E = 64);
constexpr DmaTensor in{.memory = Memory::Dm,
                       .levels = Levels{}
                                     .set(Level::chip, m<A>{})
                                     .set(Level::cluster, m<one.pad(2)>{})
                                     .set(Level::slice, m<one.pad(256)>{})
                                     .set(Level::element, m<B, E>{})};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, m<A>{})
                                      .set(Level::cluster, m<one.pad(2)>{})
                                      .set(Level::slice, m<one.pad(256)>{})
                                      .set(Level::element, m<E % 32, E / 32>{})};
constexpr std::int64_t begin[] = {0, 1, 2, 3};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 4, out))); }
#else
REFUSED_AT_RUN_TIME { return check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 1, begin, 4, out).refusal(); }
#endif
