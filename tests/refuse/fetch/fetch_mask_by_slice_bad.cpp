// All slices run the same sequencer with the same masking registers. Here Slice counts `A % 16`, so that the last of the four blocks ends
// one step early in three of the slices: no register setting is right for all.
//
// Zero padding that the tensor holds itself needs no masking.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 61);
constexpr Levels tensor =
    Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, (A.pad(64) % 16).pad(256)).set(Level::element, A.pad(64) / 16);

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, one, (A.pad_zero(64) / 16).pad_zero(8))));
}
#else
REFUSED_AT_RUN_TIME {
  return check_fetch(rngd, {}, ScalarType::i8, tensor, ScalarType::i8, one, (A.pad_zero(64) / 16).pad_zero(8)).refusal();
}
#endif
