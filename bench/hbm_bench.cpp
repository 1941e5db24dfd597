// How many requests per second the HBM model takes: 256-byte reads that eight engines send as fast as the channels take
// them, half of them in order of their addresses and half at random places, where nearly every one needs another row.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/hbm.hpp"

namespace {

using namespace tcp;
using namespace tcp::sim;

constexpr std::int64_t requests = 2'000'000;

std::vector<std::int64_t> addresses(bool random) {
  std::vector<std::int64_t> all;
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < requests; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    all.push_back(random ? static_cast<std::int64_t>(state >> 30) & -256 : i * 256);
  }
  return all;
}

void send(const std::vector<std::int64_t>& all, HbmOrder order) {
  Hbm hbm(rngd, order);
  Cycles now{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const accepted = hbm.submit({.address = Bytes{all[i]}, .size = Bytes{256}, .arrival = now});
    now = std::max(*accepted, now + Cycles{i % 8 == 7});
  }
  hbm.finish();
}

void print_rate(const char* name, HbmOrder order) {
  std::vector<double> rates;
  auto const in_a_row = addresses(false), at_random = addresses(true);
  for (int i = 0; i < 5; ++i)
    rates.push_back(2 * requests / bench::seconds([&] {
                      send(in_a_row, order);
                      send(at_random, order);
                    }));
  std::printf("figure %s %.1f M/s\n", name, bench::median(rates) / 1e6);
}

}  // namespace

int main() {
  print_rate("hbm_requests_in_order_M_s", HbmOrder::in_order);
  print_rate("hbm_requests_frfcfs_M_s", HbmOrder::fr_fcfs);
}
