// A mapping has at most 16 factors after neighbours that count as one have been joined (64 over all levels of a tensor). It is kept in a
// fixed room, because it is a constant of the compiler and part of types.
//
// Factors of one axis that follow on each other count as one: write them side by side and in order, and they join.
#include "refuse_test.hpp"
#include "tcp/mapping/map.hpp"
using namespace tcp;
namespace {
TCP_AXES(A = 131'072);
}
#if TCP_AT_COMPILE_TIME
using Layout = m<A / 65'536, 2, A / 32'768 % 2, 2, A / 16'384 % 2, 2, A / 8192 % 2, 2, A / 4096 % 2, 2, A / 2048 % 2, 2, A / 1024 % 2, 2,
                 A / 512 % 2, 2, A / 256 % 2, 2>;
#else
REFUSED_AT_RUN_TIME {
  return group(A / 65'536, 2, A / 32'768 % 2, 2, A / 16'384 % 2, 2, A / 8192 % 2, 2, A / 4096 % 2, 2, A / 2048 % 2, 2, A / 1024 % 2, 2,
               A / 512 % 2, 2, A / 256 % 2, 2)
      .mapping()
      .refusal();
}
#endif
