// The kernel of docs/generating.md, compiled and run; and that the page shows it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

// [page]
#include "tcp/dsl/dynamic.hpp"
#include "tcp/runtime/launch.hpp"

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
// [page]

namespace {

void expect_right(std::int64_t rows, std::int64_t length, int bias) {
  auto ctx = Context::acquire();
  BiasAndRelu const kernel{rows, length, bias};
  dyn::HostTensor x(ScalarType::i32, kernel.layout());
  for (std::size_t i = 0; i < x.size(); ++i) x.data<i32>()[i] = i32::from_int(static_cast<std::int64_t>(i * 37 % 101) - 50);
  auto const y = launch(kernel, ctx, x.to_hbm(ctx.pdma, dyn::one, kernel.layout())).get().to_host(ctx.pdma, kernel.layout());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y.data<i32>()[i].to_int(), std::max(x.data<i32>()[i].to_int() + bias, 0)) << i << " of " << rows << " x " << length;
}
TEST(Generating, the_page_s_kernel_runs) {
  expect_right(4, 1024, 3);
  expect_right(7, 333, -2);
  expect_right(3000, 11, 0);
}

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(TCP_SOURCE_DIR) + "/" + file);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}
TEST(Generating, the_page_shows_it) {
  std::string const source = text_of("tests/kernels/generating/generating_test.cpp"), mark = "// [page]\n";
  std::size_t const begin = source.find(mark) + mark.size(), end = source.find(mark, begin);
  ASSERT_NE(end, source.npos);
  EXPECT_NE(text_of("docs/generating.md").find("```cpp\n" + source.substr(begin, end - begin) + "```\n"), std::string::npos);
}

}  // namespace
