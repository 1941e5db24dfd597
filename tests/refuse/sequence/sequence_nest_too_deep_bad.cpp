// Before loops are merged and counted against the sequencer's eight, the derivation keeps up to 48 of them. More are needed only if a stream counts several axes
// whole which the buffer holds digit by digit in the opposite order, as here: three axes of sixteen binary digits, and one of two.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(A = 65536, B = 65536, C = 65536, D = 4);

constexpr Mapping bits_reversed(const Mapping& axis) {
  Mapping all = axis % 2;
  for (std::int64_t k = 2; k < axis.size; k *= 2) all = pair(all, axis / k % 2);
  return all;
}
constexpr Verdict read() {
  Buffer const buffers[] = {{bits_reversed(A)}, {bits_reversed(B)}, {bits_reversed(C)}, {bits_reversed(D)}};
  Mapping const terms[] = {m<A, B, C, D>{}, m<1>{}};
  return verdict(sequence(target, ScalarType::bf16, buffers, 4, terms, 2, 1));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(read()); }
#else
REFUSED_AT_RUN_TIME { return read().refusal(); }
#endif
