// Each slice writes into its own VRF. A tensor that is the same in all slices would hold another number in each of them afterwards, and so be no longer what its type says.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

TCP_AXES(A = 256, B = 8, T = 16);
constexpr Levels stream = Levels{}.set(Level::slice, A).set(Level::time, T).set(Level::packet, B);
constexpr Levels vrf = Levels{}.set(Level::slice, copies(256)).set(Level::element, B);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_write_operand(stream, ScalarType::i32, vrf, ScalarType::i32))); }
#else
REFUSED_AT_RUN_TIME { return check_write_operand(stream, ScalarType::i32, vrf, ScalarType::i32).refusal(); }
#endif
