// In each time step every lane writes to a place of its own. Over axes of Time the places may repeat: that is what a running sum does. Over axes of
// Packet they may not.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(B = 8, T = 16);
constexpr Levels stream = Levels{}.set(Level::time, T).set(Level::packet, B);
constexpr Levels vrf = Levels{};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_write_operand(stream, ScalarType::i32, vrf, ScalarType::i32))); }
#else
REFUSED_AT_RUN_TIME { return check_write_operand(stream, ScalarType::i32, vrf, ScalarType::i32).refusal(); }
#endif
