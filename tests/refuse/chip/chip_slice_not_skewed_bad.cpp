// A slice of the whole dimension that begins elsewhere on every chip is a rotation, and has a mapping: `skew(B, A)` begins at B = a on the chip where A
// = a. The numbers given must be just these. Otherwise declare the result with another axis, by position.
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
constexpr Mapping turned = pair(skew(m<B>{}, m<A>{}), m<E>{});
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, m<A>{})
                                      .set(Level::cluster, m<one.pad(2)>{})
                                      .set(Level::slice, m<one.pad(256)>{})
                                      .set(Level::element, turned)};
constexpr std::int64_t begin[] = {3, 0, 1, 2};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 4, begin, 4, out))); }
#else
REFUSED_AT_RUN_TIME { return check_chip_slice(target, ScalarType::i8, 4, in, m<B>{}, 4, begin, 4, out).refusal(); }
#endif
