// How long lowering takes: the GEMM lesson, a kernel of 10,000 commands, and one of twice as many, which must take
// about twice as long.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/support/render.hpp"

using namespace tcp;

namespace {

/// The product of lesson 06, so many times one after the other, as a loop in a kernel is recorded: every round has
/// tensors of its own. With one round they have the lesson's addresses, else they are placed.
std::string gemm(int rounds) {
  std::string tensors =
      "module gemm\naxes I = 512, K = 64, J = 512\n\nargument hbm a: bf16 Element[I, K] at 0\nargument hbm b: bf16 Element[J, K] at "
      "268435456\n"
      "result hbm c: bf16 Element[I, J] at 536870912\n";
  std::string commands = "\n";
  std::string const place = " Cluster[1 # 2] Slice[I / 32, J / 32] ";
  for (int i = 0; i < rounds; ++i) {
    std::string const n = std::to_string(i);
    auto const at = [rounds](const char* address) { return rounds == 1 ? std::string(" at ") + address : std::string(); };
    tensors += "dm x" + n + ": bf16" + place + "Element[I % 32, K]" + at("0") + "\n";
    tensors += "dm y" + n + ": bf16" + place + "Element[J % 32, K]" + at("4096") + "\n";
    tensors += "dm z" + n + ": bf16" + place + "Element[I % 32, J % 32]" + at("8192") + "\n";
    tensors += "trf w" + n + ": bf16" + place + "Row[J % 8] Element[J / 8 % 4, K]\n";
    commands +=
        "move a -> x" + n + "\nmove b -> y" + n + "\nsub.begin(y" + n +
        ")\n  .fetch bf16 Time[J % 8, J / 8 % 4] Packet[K]\n  .collect Time[J % 8, J / 8 % 4, K / 16] Packet[K % 16]\n  .to_trf(w" + n +
        ")\nmain.begin(x" + n +
        ")\n  .fetch bf16 Time[I % 32, J / 8 % 4] Packet[K]\n  .collect Time[I % 32, J / 8 % 4, K / 16] Packet[K % 16]\n  .align(w" + n +
        ") Time[I % 32, J / 8 % 4, K / 32] Packet[K % 32]\n  .contract Packet[1]\n"
        "  .accumulate(Interleaved) Time[I % 32, J / 8 % 4] Packet[J % 8]\n  .cast bf16 Packet[J % 8 # 16]\n  .commit(z" +
        n + ")\nmove z" + n + " -> c\n";
  }
  return tensors + commands;
}

constexpr int commands_per_round = 5;

ir::Module module_of(int rounds) {
  auto module = ir::parse(gemm(rounds), "gemm.tcp");
  if (!module) {
    std::fprintf(stderr, "%s\n", render(module.refusal()).c_str());
    std::exit(1);
  }
  return *std::move(module);
}

double seconds_to_lower(const ir::Module& module) {
  double const start = bench::now(1);
  auto const verified = ir::verify(module, rngd);
  auto const program = verified ? lower::lower(*verified) : Expected<program::Program>(verified.refusal());
  double const taken = bench::now(1) - start;
  if (!program) {
    std::fprintf(stderr, "%s\n", render(program.refusal()).c_str());
    std::exit(1);
  }
  return taken;
}

double median_to_lower(int rounds, int times) {
  ir::Module const module = module_of(rounds);
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(seconds_to_lower(module));
  return bench::median(all);
}

/// Bytes that the facts of a module take, per stage. What commands or stages share is counted once.
double bytes_per_stage(const ir::Module& module) {
  auto const verified = ir::verify(module, rngd);
  std::set<const void*> counted;
  std::size_t bytes = 0, stages = 0;
  for (const ir::CommandFacts& command : verified->facts().commands) {
    const auto* pass = command.if_found<ir::PassFacts>();
    if (pass == nullptr) continue;
    bytes += sizeof command;
    stages += pass->stages.size();
    if (!counted.insert(pass).second) continue;
    bytes += sizeof *pass;
    for (const ir::StageFacts& stage : pass->stages) {
      bytes += sizeof stage;
      std::visit(
          [&]<class Found>(const Found& found) {
            if constexpr (!std::is_same_v<Found, std::monostate>)
              if (counted.insert(found.get()).second) bytes += sizeof *found;
          },
          stage.found);
    }
  }
  return static_cast<double>(bytes) / static_cast<double>(stages);
}

}  // namespace

int main() {
  std::printf("figure lower_gemm_lesson_ms %.3f ms\n", 1e3 * median_to_lower(1, 21));
  double const many = median_to_lower(10000 / commands_per_round, 3), twice = median_to_lower(20000 / commands_per_round, 3);
  std::printf("figure lower_10000_commands_s %.3f s\n", many);
  std::printf("figure lower_20000_commands_growth %.2f times\n", twice / many);
  std::printf("figure stage_facts_bytes %.0f bytes\n", bytes_per_stage(module_of(10000 / commands_per_round)));
  std::printf("figure stage_facts_bytes_unshared %.0f bytes\n", bytes_per_stage(module_of(1)));
}
