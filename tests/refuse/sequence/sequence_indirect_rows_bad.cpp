// An indirect loop takes its rows from an index tensor: round i moves to row `table[i]` instead of row i. For that the buffer must hold the row axis as one whole
// factor, so that a row number times one stride is an address; V cut into blocks has no such stride. And the stream must count the index axis whole and unpadded,
// one round for each entry of the table.
#include "refuse_test.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

TCP_AXES(V = 100, D = 16, I = 8);

template <class Buf, class Time, class Packet>
constexpr Verdict lookup() {
  Buffer const buffer{Buf{}};
  Mapping const terms[] = {Time{}, Packet{}};
  Indirect const rows{.over = Name("I"), .rows = Name("V")};
  return verdict(sequence(target, ScalarType::bf16, &buffer, 1, terms, 2, 1, {.indirect = &rows}));
}

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(lookup<m<V % 4, V / 4, D>, m<I>, m<D>>()); }
#else
REFUSED_AT_RUN_TIME { return lookup<m<V % 4, V / 4, D>, m<I>, m<D>>().refusal(); }
#endif
