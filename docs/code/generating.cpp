// Two ways to make kernels with a program: by calling the front end with mappings as values, and by writing text that the libraries check, lower and time.
#include <algorithm>
#include <cstdio>
#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/refused.hpp"

using namespace tcp;

// y = max(x + bias, 0) for rows of any length, whatever the model's file says.
struct BiasAndRelu {
  std::int64_t rows, length;
  int bias;

  Mapping layout() const { return dyn::map(dyn::axis("R", rows), dyn::axis("E", length)); }

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& x) const {
    Mapping const all = layout(), idle = dyn::one.pad(2);                          // the second cluster rests
    std::int64_t const share = (all.size + 255) / 256, row = (share + 7) / 8 * 8;  // of each of 256 slices, in whole flits of 8
    Mapping const flat = dyn::axis("F", all.size), padded = flat.pad(256 * row);
    Mapping const slice = padded / row, mine = padded % row;

    auto const dm = x.reshape(flat).to_dm(ctx.tdma, idle, slice, mine);
    auto stream = dyn::main(ctx).begin(dm).fetch(ScalarType::i32, mine / 8, mine % 8).collect(mine / 8, mine % 8).vector_init();
    stream = std::move(stream).vector_intra_slice_branch(BranchMode::Unconditional);
    if (bias != 0) stream = std::move(stream).vector_fxp(FxpBinaryOp::AddFxp, bias);  // a generator leaves out what does nothing
    auto const y = std::move(stream).vector_clip(ClipBinaryOpI32::Max, 0).vector_final().commit(mine);

    auto const out = dyn::Tensor::hbm(ctx, ScalarType::i32, dyn::one, all);
    dyn::dma(ctx.tdma, y, out.reshape(flat));
    return out;
  }
};

int run_bias_and_relu() {
  auto ctx = Context::acquire();
  BiasAndRelu const kernel{7, 333, -2};
  dyn::HostTensor x(ScalarType::i32, kernel.layout());
  std::int32_t next = -1000;
  for (std::size_t i = 0; i < 7 * 333; ++i) x.data<i32>()[i] = i32::from_int(next++);
  auto const y = launch(kernel, ctx, x.to_hbm(ctx.pdma, dyn::one, kernel.layout())).get().to_host(ctx.pdma, kernel.layout());
  int wrong = 0;
  for (std::size_t i = 0; i < 7 * 333; ++i) wrong += y.data<i32>()[i].to_int() != std::max(x.data<i32>()[i].to_int() - 2, 0);
  std::printf("7 x 333: %d wrong of %d\n", wrong, 7 * 333);
  return wrong;
}

// A copy of 64 rows of 8,192 bytes through DM, so many bytes of a row to a slice.
std::string copy_in_pieces_of(int bytes) {
  std::string const n = std::to_string(bytes), pieces = std::to_string(8192 / bytes);
  return "module copy axes R = 64, B = 8192\n"
         "argument hbm x: i8 Element[R, B]  result hbm y: i8 Element[R, B]\n"
         "dm d: i8 Cluster[1 # 2] Slice[B / " +
         n + " # 256] Element[R, B % " + n +
         "]\n"
         "move x -> d  move d -> y\n";
}

// What a compiler asks of the libraries: is it a program, does the chip take it, how long does it take?
Expected<trace::Trace> timed(const std::string& text) {
  auto const module = ir::parse(text, "generated");
  if (!module) return module.refusal();
  auto const verified = ir::verify(*std::move(module), rngd);
  if (!verified) return verified.refusal();
  auto const program = lower::lower(*verified);  // which places what has no address, too
  if (!program) return program.refusal();
  auto const times = plan(*program, rngd, {.model = "book"});
  if (!times) return times.refusal();
  return trace_of(*program, *times, rngd);
}

int main() try {
  if (run_bias_and_relu() != 0) return 1;
  for (int const bytes : {16, 32, 64, 256, 1024, 4096, 8192}) {
    auto const trace = timed(copy_in_pieces_of(bytes));
    if (trace) std::printf("%5d bytes a piece: %6lld cycles\n", bytes, static_cast<long long>(trace->makespan.value));
    else std::printf("%5d bytes a piece: %s\n", bytes, std::string(trace.refusal().sentence().view()).c_str());
  }
  return 0;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
