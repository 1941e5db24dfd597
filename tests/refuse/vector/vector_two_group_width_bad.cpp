// Two groups alternate from packet to packet. `vector_split` and `vector_concat` keep that; `vector_trim_way4` and `vector_pad_way8` change how
// many packets there are and would put the groups out of step, so on two groups they do not exist. After the `_zip` there is one stream, and
// `vector_pad_way8` is available again.
//
// For `Packet = A % 2 # 8`, `vector_split` gives `Time = ..., 1 # 2` and `Packet = A % 2 # 4`, and `vector_concat` takes it back.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Branch, .type = ScalarType::f32, .mode = VectorState::Mode::paired};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::trim_way4)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::trim_way4)).refusal(); }
#endif
