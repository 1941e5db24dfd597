// How fast the model `detailed` is: device cycles per second where one slice stands for all, and where all 512 are
// followed; and how long the schedule of a large product of matrices takes.
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/detailed.hpp"

namespace {

using namespace tcp;
using namespace tcp::program;

constexpr std::int64_t slice_stride = rngd.dm.dma_slice_stride.value;

Units whole_chip() {
  Units u{{true}, 3, {}};
  for (std::int64_t s = 0; s < 256; ++s) u.slices.insert(s);
  return u;
}
Range in(program::Memory memory, std::int64_t begin, std::int64_t bytes) { return {memory, whole_chip(), begin, begin + bytes}; }

Sequencer walk(std::int64_t base, std::int64_t packets, std::int64_t access) {
  Sequencer s;
  s.base = base;
  s.loops = {{packets, access}};
  s.packets = packets;
  s.access_bytes = access;
  return s;
}
Exec pass(Sequencer read) {
  Exec e;
  e.units = whole_chip();
  e.writing = e.units.slices;
  e.fetch.stored = e.fetch.type = ScalarType::bf16;
  e.fetch.packet_elements = read.access_bytes / 2;
  e.fetch.read = std::move(read);
  return e;
}
Command command(Exec e, std::vector<Range> reads, std::vector<Range> writes) {
  Resources const context = bit(e.sub ? Resource::Sub : Resource::Main);
  return {std::move(e), context, std::move(reads), std::move(writes), -1};
}

/// `bytes` for each slice, at `address` of DM; in HBM slice by slice from `home` on, clusters `apart`.
Command transfer(bool load, std::int64_t address, std::int64_t bytes, std::int64_t home, std::int64_t apart) {
  Dma d;
  for (std::int32_t e = 0; e < 8; ++e) {
    std::int64_t const packet = bytes < 4096 ? bytes : 4096;
    DmaSide hbm{program::Memory::Hbm, 0, 0, 0, home + e / 4 * apart + e % 4 * 64 * bytes};
    DmaSide dm{program::Memory::Dm, 0, e / 4, e % 4 * 64, address};
    DmaLoop slices{64, bytes, slice_stride, 0}, packets{bytes / packet, packet, packet, 0};
    if (!load) std::swap(slices.read_stride, slices.write_stride);
    d.descriptors.push_back({e, load ? hbm : dm, load ? dm : hbm, {slices, packets}, packet, {}});
  }
  std::vector<Range> const touched{in(program::Memory::Dm, address, bytes)};
  return {std::move(d), bit(Resource::TensorDma), load ? std::vector<Range>{} : touched, load ? touched : std::vector<Range>{}, -1};
}

/// C = A B, 4096 on each side. A slice has eight columns of B in its TRF. Rows of A come 64 at a time; in each cluster
/// four slices share a row, and the switch brings every flit to all slices.
Program gemm() {
  constexpr std::int64_t tiles = 64, rows = 64, a_bytes = rows * 8192 / 256, c_bytes = rows * 16, b_bytes = 65536, matrix = 4096 * 8192;
  constexpr std::int64_t a_at[] = {0, a_bytes}, c_at[] = {1 << 16, (1 << 16) + c_bytes}, b_at = 1 << 17;
  Program p;
  p.chip = "rngd";
  auto const load_a = [&](std::int64_t i) { return transfer(true, a_at[i % 2], a_bytes, i * rows * 8192, 0); };
  p.commands.push_back(transfer(true, b_at, b_bytes, matrix, matrix / 2));
  Exec store = pass(walk(b_at, b_bytes / 8, 8));
  store.sub = true;
  store.sink = TrfStore{8, 0, b_bytes / 8, true};
  p.commands.push_back(command(store, {in(program::Memory::Dm, b_at, b_bytes)}, {in(program::Memory::Trf, 0, b_bytes / 8)}));
  p.commands.push_back(load_a(0));
  for (std::int64_t i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) p.commands.push_back(load_a(i + 1));
    Exec e = pass(walk(a_at[i % 2], a_bytes / 32, 32));
    Switch s;
    s.topology = Topology::Broadcast01;
    s.ring_size = 256;
    s.time_out = rows * 256;
    s.of_time = {{rows * 256, 0, 0, rows * 256}};
    e.switching = {s};
    e.collect = {{32, 1}};
    Contraction c;
    c.rows = 8;
    c.trf_loops = {{rows, 0}, {128, 64}};
    c.trf_read_bytes = 64;
    c.tree_depth = 5;
    c.steps = rows * 128;
    c.loops = {{rows, false}, {128, true}};
    e.contraction = {c};
    e.cast = {{ScalarType::f32, ScalarType::bf16}};
    Commit to;
    to.type = ScalarType::bf16;
    to.write = walk(c_at[i % 2], rows, 16);
    to.commit_in_size = 16;
    e.sink = to;
    p.commands.push_back(command(e, {in(program::Memory::Dm, a_at[i % 2], a_bytes), in(program::Memory::Trf, 0, b_bytes / 8)},
                                 {in(program::Memory::Dm, c_at[i % 2], c_bytes)}));
    p.commands.push_back(transfer(false, c_at[i % 2], c_bytes, 2 * matrix + i * 512 * c_bytes, 256 * c_bytes));
  }
  return p;
}

/// Passes that fetch a flit every cycle and commit one in 128: products with weights that stay.
Program products(std::int64_t passes) {
  Program p;
  p.chip = "rngd";
  for (std::int64_t i = 0; i < passes; ++i) {
    Exec e = pass(walk(0, 8192, 32));
    Commit to;
    to.type = ScalarType::bf16;
    to.write = walk(1 << 18, 64, 16);
    to.commit_in_size = 16;
    e.sink = to;
    p.commands.push_back(command(e, {in(program::Memory::Dm, 0, 1 << 18)}, {in(program::Memory::Dm, 1 << 18, 1024)}));
  }
  return p;
}

void print_rate(const char* name, const Program& p, const sim::DetailedOptions& options) {
  std::vector<double> rates;
  for (int i = 0; i < 3; ++i) {
    Cycles cycles{};
    double const seconds = bench::seconds([&] { cycles = sim::run_detailed(p, rngd, options)->schedule.makespan; });
    rates.push_back(static_cast<double>(cycles.value) / seconds);
  }
  std::printf("figure %s %.3f M/s\n", name, bench::median(rates) / 1e6);
}

}  // namespace

int main() {
  print_rate("detailed_cycles_collapsed_M_s", products(100), {});
  print_rate("detailed_cycles_512_slices_M_s", products(2), {.collapse = false});
  Program const large = gemm();
  Cycles cycles{};
  double const seconds = bench::seconds([&] { cycles = sim::run_detailed(large, rngd)->schedule.makespan; });
  std::printf("figure detailed_gemm_4096_s %.2f s\n", seconds);
  std::printf("figure detailed_gemm_4096_cycles %.0f cycles\n", static_cast<double>(cycles.value));
}
