// Zero padding in Time or Packet asks for the masking registers, unless the tensor has zero padding at the same places already. Only the
// main context has such registers.
//
// Let the tensor be zero-padded in DM, so that the fetch finds the zeros there; or promise less, with `#`. What Collect adds to fill the
// last flit is zero in any case.
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/fetch.hpp"

using namespace tcp;

TCP_AXES(A = 63);
constexpr Levels tensor = Levels{}.set(Level::cluster, one.pad(2)).set(Level::slice, one.pad(256)).set(Level::element, A);
constexpr FetchHow sub{.context = Tu::Sub};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_fetch(rngd, sub, ScalarType::i8, tensor, ScalarType::i8, one, A.pad_zero(64)))); }
#else
REFUSED_AT_RUN_TIME { return check_fetch(rngd, sub, ScalarType::i8, tensor, ScalarType::i8, one, A.pad_zero(64)).refusal(); }
#endif
