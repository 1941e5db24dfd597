// A cast makes each element smaller and pads the flit to 32 bytes again. Elements keep their places, Time stays as it is, and flits are not joined: eight
// elements of `i8` are followed by 24 bytes of zeros. Commit packs them.
#include "refuse_test.hpp"
#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/cast.hpp"

using namespace tcp;

TCP_AXES(A = 8);

static constexpr auto checked() { return check_cast(target, ScalarType::i32, ScalarType::i8, A, A.pad(16)); }

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(checked())); }
#else
REFUSED_AT_RUN_TIME { return checked().refusal(); }
#endif
