// One kernel on chips that do not exist: what would each change of the hardware buy?
#include <cstdio>
#include <string>

#include "tcp/device/check.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/plan.hpp"

using namespace tcp;

constexpr const char* gemm = R"(
module gemm  axes I = 512, K = 64, J = 512
argument hbm a: bf16 Element[I, K]  argument hbm b: bf16 Element[J, K]  result hbm c: bf16 Element[I, J]
dm a_dm: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[I % 32, K]
dm b_dm: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[J % 32, K]
dm tile: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Element[I % 32, J % 32]
trf b_trf: bf16 Cluster[1 # 2] Slice[I / 32, J / 32] Row[J % 8] Element[J / 8 % 4, K]
move a -> a_dm  move b -> b_dm
sub.begin(b_dm) .fetch bf16 Time[J % 8, J / 8 % 4] Packet[K] .collect Time[J % 8, J / 8 % 4, K / 16] Packet[K % 16] .to_trf(b_trf)
main.begin(a_dm) .fetch bf16 Time[I % 32, J / 8 % 4] Packet[K] .collect Time[I % 32, J / 8 % 4, K / 16] Packet[K % 16]
  .align(b_trf) Time[I % 32, J / 8 % 4, K / 32] Packet[K % 32] .contract Packet[1]
  .accumulate(Interleaved) Time[I % 32, J / 8 % 4] Packet[J % 8] .cast bf16 Packet[J % 8 # 16] .commit(tile)
move tile -> c
)";

Expected<Cycles> timed(const Device& chip) {
  if (auto const possible = check_device(chip); !possible) return possible.refusal();
  auto const module = ir::parse(gemm, "gemm");
  if (!module) return module.refusal();
  auto const verified = ir::verify(*std::move(module), chip);
  if (!verified) return verified.refusal();
  auto const program = lower::lower(*verified);
  if (!program) return program.refusal();
  auto const times = plan(*program, chip);
  if (!times) return times.refusal();
  return trace_of(*program, *times, chip).makespan;
}

void show(const char* what, const Device& chip) {
  auto const cycles = timed(chip);
  if (cycles) std::printf("%-34s %7lld cycles\n", what, static_cast<long long>(cycles->value));
  else std::printf("%-34s %s\n", what, std::string(cycles.refusal().sentence().view()).c_str());
}

int main() {
  show("RNGD", rngd);

  Device chip = rngd;
  chip.hbm.partial_write_factor = 4;
  show("partial writes at 4 times, not 50", chip);

  chip.dma.startup = Cycles{100};
  show("and transfers that start in 100", chip);

  chip = rngd;
  chip.hbm.access_bytes = Bytes{64};
  show("HBM that moves 64 bytes at a time", chip);

  chip = rngd;
  chip.contraction.mac_bytes = Bytes{128};
  show("twice the multipliers", chip);

  chip = rngd;
  chip.dm.rows_per_bank = 32;
  chip.dm.slice_capacity = Bytes{4 << 10};
  show("DM of 4 KB", chip);
}
