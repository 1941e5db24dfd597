// What a message between ranks costs, by its size, and an agreement of all: between two processes of this machine,
// which the program starts by mpirun. Started by mpirun itself, over several machines for example, it measures there:
//
//   mpirun -n 2 --host one,other build/release/bin/ranks_bench
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tcp/ranks/world.hpp"

namespace tcp::ranks {
namespace {

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of one call, the least of several series.
template <class Call>
double least(int calls, Call&& call) {
  double best = 1e9;
  for (int series = 0; series < 5; ++series) {
    double const begin = seconds_now();
    for (int i = 0; i < calls; ++i) call();
    best = std::min(best, (seconds_now() - begin) / calls);
  }
  return best;
}

/// All ranks exchange messages of this size with the rank beside them.
double exchange_seconds(World& world, std::size_t bytes) {
  std::vector<std::byte> mine(bytes), theirs(bytes);
  int const other = world.rank() ^ 1;
  bool const paired = other < world.size();
  Outgoing const out[] = {{other, mine}};
  Incoming const in[] = {{other, theirs}};
  int const calls = bytes < (1 << 20) ? 200 : 5;
  return least(calls, [&] {
    if (paired) world.wire().exchange(out, in);
  });
}

void measure(World& world) {
  auto const agreement = least(200, [&] {
    std::uint64_t numbers[3] = {1, 2, 3};
    world.wire().largest(numbers);
  });
  double const small = exchange_seconds(world, 64), medium = exchange_seconds(world, 16 << 10), large = exchange_seconds(world, 64 << 20);
  if (world.rank() != 0) return;
  std::printf("figure ranks_agreement_us %.1f us\n", agreement * 1e6);
  std::printf("figure ranks_message_64_bytes_us %.1f us\n", small * 1e6);
  std::printf("figure ranks_message_16_KB_us %.1f us\n", medium * 1e6);
  std::printf("figure ranks_message_MB_per_s %.0f MB/s\n", static_cast<double>(64 << 20) / large / 1e6);
}

}  // namespace
}  // namespace tcp::ranks

int main(int argc, char** argv) {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) {
    execlp("mpirun", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", argv[0], nullptr);
    std::fprintf(stderr, "ranks_bench: there is no mpirun\n");
    return EXIT_FAILURE;
  }
  tcp::ranks::World world(&argc, &argv);
  tcp::ranks::measure(world);
  return EXIT_SUCCESS;
}
