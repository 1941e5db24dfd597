// A stranger who writes no kernel but calls the library's: how long must a matrix product take at least?
#include <cstdio>
#include <tcp/device/load.hpp>
#include <tcp/kernels/gemm/gemm.hpp>
#include <tcp/kernels/work/work.hpp>
#include <tcp/tcp.hpp>

int main() {
  auto const cycles = tcp::kernels::cycles_of({.type = tcp::ScalarType::bf16, .multiply_adds = 1LL << 28, .hbm_bytes = 256}, tcp::rngd);
  std::printf("%lld cycles, bound by %s\n", static_cast<long long>(cycles.bound().value), cycles.bound_by());
}
