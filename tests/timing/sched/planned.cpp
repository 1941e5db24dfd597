// What the vendor's planner expects, of single commands and of whole kernels. Kernels are files of tests/timing/kernels.
#include "references.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "lower_module.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/sched/calibrated.hpp"
#include "tcp/support/render.hpp"
#include "unit/sched/records.hpp"

namespace tcp::accuracy {

namespace {

program::Program lowered(const std::string& text) {
  auto const module = ir::parse(text, "accuracy");
  if (!module) throw std::runtime_error(render(module.refusal()));
  auto program = build::lower_module(*module, rngd);
  if (!program) throw std::runtime_error(render(program.refusal()));
  return *std::move(program);
}

MakeProgram module_of(std::string text) {
  return [text = std::move(text)] { return lowered(text); };
}

/// One move between HBM and DM, bytes.
struct Move {
  std::string axes, hbm, slice, element;
  std::string cluster = "1 # 2";
};
MakeProgram load(const Move& m) {
  return module_of("module load\naxes " + m.axes + "\nargument hbm h: i8 Element[" + m.hbm + "] at 0\ndm d: i8 Cluster[" + m.cluster +
                   "] Slice[" + m.slice + "] Element[" + m.element + "] at 0\nmove h -> d\n");
}
MakeProgram store(const Move& m) {
  return module_of("module store\naxes " + m.axes + "\nresult hbm h: i8 Element[" + m.hbm + "] at 0\ndm d: i8 Cluster[" + m.cluster +
                   "] Slice[" + m.slice + "] Element[" + m.element + "] at 0\nmove d -> h\n");
}
Move rows(std::int64_t bytes) {
  std::string const b = std::to_string(bytes);
  return {"N = 256, A = " + b, "N, A", "N", "A"};
}

/// Everything before the last move or pass makes its source, so that only that one command is looked at.
MakeProgram last_command_of(std::string text) {
  return [text = std::move(text)] {
    program::Program p = lowered(text);
    p.commands.erase(p.commands.begin(), p.commands.end() - 1);
    return p;
  };
}

MakeProgram kernel(const std::string& name) {
  return [name] {
    std::ifstream file(TCP_SOURCE_DIR "/tests/timing/kernels/" + name + ".tcp");
    std::stringstream text;
    text << file.rdbuf();
    return lowered(text.str());
  };
}

MakeProgram sub_pass_to_trf() {
  return last_command_of(R"(module trf
axes A = 2048
dm r: bf16 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
trf weights: bf16 Cluster[1 # 2] Slice[1 # 256] Row[1] Element[A]
sub.begin(r)
  .fetch bf16 Time[1] Packet[A]
  .collect Time[A / 16] Packet[A % 16]
  .to_trf(weights)
)");
}
MakeProgram single_packet_to_vrf() {
  return last_command_of(R"(module vrf
axes A = 2
dm r: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
vrf v: i32 Cluster[1 # 2] Slice[1 # 256] Element[A # 8] at 0
sub.begin(r)
  .fetch i32 Time[1] Packet[A]
  .collect Time[1] Packet[A # 8]
  .to_vrf(v)
)");
}
MakeProgram contraction_pass() {
  return last_command_of(R"(module contraction
axes A = 2048
dm l: bf16 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
dm sum: bf16 Cluster[1 # 2] Slice[1 # 256] Element[1 # 4] at 8192
trf weights: bf16 Cluster[1 # 2] Slice[1 # 256] Row[1] Element[A]
sub.begin(l)
  .fetch bf16 Time[1] Packet[A]
  .collect Time[A / 16] Packet[A % 16]
  .to_trf(weights)
main.begin(l)
  .fetch bf16 Time[1] Packet[A]
  .collect Time[A / 16] Packet[A % 16]
  .align(weights) Time[A / 32] Packet[A % 32]
  .contract Packet[1]
  .accumulate(Interleaved) Time[1] Packet[1 # 8]
  .cast bf16 Packet[1 # 16]
  .commit(sum)
)");
}
MakeProgram vector_pass(bool narrow) {
  std::string text = R"(module vector
axes R = 1024
dm x: f32 Cluster[1 # 2] Slice[1 # 256] Element[R] at 0
dm y: f32 Cluster[1 # 2] Slice[1 # 256] Element[R] at 8192
main.begin(x)
  .fetch f32 Time[R / 8] Packet[R % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
)";
  text += narrow ? "  .vector_split Time[R / 4] Packet[R % 4]\n  .vector_fp_unary(Exp)\n  .vector_concat Time[R / 8] Packet[R % 8]\n"
                 : "  .vector_clip(Max, 0.5)\n";
  return last_command_of(text + "  .vector_final\n  .commit(y)\n");
}
MakeProgram inter_slice_reduce() {
  return last_command_of(R"(module reduce
axes S = 256, B = 8
dm x: i32 Cluster[1 # 2] Slice[S] Element[B] at 0
dm z: i32 Cluster[1 # 2] Slice[1 # 256] Element[B] at 8192
main.begin(x)
  .fetch i32 Time[1] Packet[B]
  .collect
  .vector_init
  .vector_inter_slice_reduce(AddSat) Slice[1 # 256]
  .vector_final
  .commit(z)
)");
}
MakeProgram switch_pass() {
  return [] {
    program::Exec e = sched::copy_pass(64);
    e.switching.emplace();
    e.switching->topology = program::Topology::CustomBroadcast;
    e.switching->ring_size = 256;
    e.switching->time_out = 64;
    return sched::program_of({sched::command_of(e)});
  };
}

/// What both clusters read in packets of the greatest length, beside the bytes that the planner's shares of HBM imply.
double peak_rate(const Device& device, Model model) {
  if (model != Model::Book && model != Model::Planned) return 0;
  program::Program const p = load({"C = 2, N = 256, A = 65536", "C, N, A", "N", "A", "C"})();
  const program::Dma& d = std::get<program::Dma>(p.commands.at(0).what);
  program::Cost const cost =
      model == Model::Book ? sched::book::dma_cost(device, d) : sched::calibrated::dma_cost(device, d, sched::Figures::Planned);
  return 2 * 256 * 65536.0 / static_cast<double>((cost.total() - cost.startup).value);
}

}  // namespace

std::vector<Reference> planned_commands() {
  Move const tile{"I = 512, J = 1024", "I, J", "I / 32, J / 64", "I % 32, J % 64"};
  auto const planned = [](std::string name, double figure, Use use, MakeProgram program) {
    return Reference{Kind::Command, std::move(name), figure, use, std::move(program)};
  };
  using enum Use;
  return {
      planned("sub-context pass to TRF, 4,096 B: 263 + bytes / 8", 263 + 512, Taken, sub_pass_to_trf()),
      planned("single-packet pass to VRF, 8 B", 264, Taken, single_packet_to_vrf()),
      planned("contraction pass, 128 reads: 265 + reads of 32 B", 265 + 128, Taken, contraction_pass()),
      planned("vector pass with commit, 128 packets: 281 + packets", 281 + 128, Taken, vector_pass(false)),
      planned("the same, narrow: 281 + 2 x packets", 281 + 256, Taken, vector_pass(true)),
      planned("inter-slice reduce over 256 slices: 281 + 1 + 2,293", 281 + 1 + 2293, Taken, inter_slice_reduce()),
      planned("switch, ring of 256, Time 64: ring x (Time + 2) + 264", 256 * (64 + 2) + 264, Taken, switch_pass()),
      planned("load 4 KB to 1 slice", 499, Fit, load({"A = 4096", "A", "1 # 256", "A"})),
      planned("load 4 KB to 256 x 16 B", 792, Fit, load(rows(16))),
      planned("load 16 KB to 256 x 64 B", 707, HeldOut, load(rows(64))),
      planned("load 512 KB to 256 x 2,048 B", 1673, Fit, load(rows(2048))),
      planned("load to 256 x 2,000 B", 1905, HeldOut, load(rows(2000))),
      planned("load 1 MB to 256 x 4,096 B", 2277, Fit, load(rows(4096))),
      planned("broadcast 4 KB to 256 slices", 10069, HeldOut, load({"A = 4096, B = 256", "A", "B", "A"})),
      planned("broadcast 2 KB to 256 slices", 5308, Fit, load({"A = 2048, B = 256", "A", "B", "A"})),
      planned("64 KB to 1 MB, 16 neighbours alike", 3020, Fit, load({"A = 65536, B = 16", "A", "A / 4096, B", "A % 4096"})),
      planned("64 KB to 1 MB, every 16th slice alike", 3118, HeldOut, load({"A = 65536, B = 16", "A", "B, A / 4096", "A % 4096"})),
      {Kind::Command, "greatest rate of HBM that shares of it imply, B/cycle", 1358, HeldOut, {}, peak_rate},
      planned("store 2 B of one slice", 506, Fit, store({"A = 2", "A", "1 # 256", "A"})),
      planned("store 256 x 2 B", 93634, Fit, store(rows(2))),
      planned("store 256 x 16 B", 9132, HeldOut, store(rows(16))),
      planned("store 256 x 2,048 B", 1563, Fit, store(rows(2048))),
      planned("store 256 x 2,000 B", 18204, HeldOut, store(rows(2000))),
      planned("store 256 x 32 runs of 64 B", 72731, HeldOut, store(tile)),
  };
}

std::vector<Reference> planned_kernels() {
  auto const planned = [](std::string name, double figure, const char* file) {
    return Reference{Kind::Kernel, std::move(name), figure, Use::HeldOut, kernel(file)};
  };
  return {
      planned("constant add", 12602, "constant_add"),   planned("elementwise mul", 12802, "elementwise_mul"),
      planned("dot product", 3776, "dot_product"),      planned("GEMV", 107976, "gemv"),
      planned("GEMM 512 x 512 x 64", 81449, "gemm"),    planned("softmax 256 x 1000", 23839, "softmax"),
      planned("RMSNorm 256 x 1024", 11203, "rms_norm"),
  };
}

}  // namespace tcp::accuracy
