// `vector_write_operand` keeps the stream's values in VRF, for a later time step to read them as operands of the same type.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(B = 8);
constexpr Levels stream = Levels{}.set(Level::packet, B);
constexpr Levels vrf = Levels{}.set(Level::element, B);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_write_operand(stream, ScalarType::f32, vrf, ScalarType::i32))); }
#else
REFUSED_AT_RUN_TIME { return check_write_operand(stream, ScalarType::f32, vrf, ScalarType::i32).refusal(); }
#endif
