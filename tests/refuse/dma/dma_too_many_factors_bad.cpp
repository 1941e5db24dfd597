// The plan of a transfer has room for 48 runs of steps that source and destination have in common. No tensor of practical use comes near that; this one
// has 52 axes, each in a place of its own.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/rules/dma.hpp"

using namespace tcp;

namespace {
constexpr Mapping thirteen_axes(char letter) {
  Mapping all;
  for (char i = 'a'; i < 'a' + 13; ++i) {
    char const name[] = {letter, i};
    all = pair(all, axis_mapping(Name(std::string_view(name, 2)), 2));
  }
  return all;
}
constexpr DmaTensor in{.memory = Memory::Dm};
constexpr DmaTensor out{.memory = Memory::Dm,
                        .levels = Levels{}
                                      .set(Level::chip, thirteen_axes('A'))
                                      .set(Level::cluster, thirteen_axes('B'))
                                      .set(Level::slice, thirteen_axes('C'))
                                      .set(Level::element, thirteen_axes('D'))};
}  // namespace

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_transfer(logical, ScalarType::i8, 1, in, out))); }
#else
REFUSED_AT_RUN_TIME { return check_transfer(logical, ScalarType::i8, 1, in, out).refusal(); }
#endif
