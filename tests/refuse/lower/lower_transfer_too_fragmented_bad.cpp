// Fifteen axes in the opposite order are fifteen loops over single bytes. An engine has eight; the others would be 16,384 descriptors, each with its start-up.
//
// run time only: descriptors are made by the compiler
#include "../module_builder.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/lower/lower.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  build::ModuleBuilder b("A = 4, B = 4, C = 4, D = 4, E = 4, F = 4, G = 4, H = 4, I = 4, J = 4, K = 4, L = 4, M = 4, N = 4, O = 4");
  auto const in = b.hbm("in", ScalarType::i8, "A, B, C, D, E, F, G, H, I, J, K, L, M, N, O", 0, ir::Role::argument);
  b.move(in, b.hbm("out", ScalarType::i8, "O, N, M, L, K, J, I, H, G, F, E, D, C, B, A", std::int64_t{1} << 30, ir::Role::result));
  return lower::lower(b.module, rngd).refusal();
}
