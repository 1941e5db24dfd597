// The Cast Engine takes one flit of 32 bytes at a time, eight elements of 32 bits. Collect makes every packet one flit.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/cast.hpp"

using namespace tcp;

TCP_AXES(A = 4);

static constexpr auto checked() { return check_cast(target, ScalarType::i32, ScalarType::i8, A, A.pad(32)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
