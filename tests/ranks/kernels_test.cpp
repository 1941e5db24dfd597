// Kernels of the library over ranks that are threads: the bits of one process, for every number of ranks; each of them
// split, so that a rank computes with its own chips' tensors alone.
#include <gtest/gtest.h>

#include "kernels/collectives/collectives.hpp"
#include "kernels/gemm/gemm_on_chips.hpp"
#include "kernels/llama/layer.hpp"
#include "over_threads.hpp"
#include "tcp/runtime/record.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

using kernels::Moves;
using kernels::Split;

constexpr ScalarType bf = ScalarType::bf16;

/// Tensors in HBM without values, one after the other.
class Declared {
 public:
  dyn::Tensor operator()(ScalarType type, const Mapping& chip, const Mapping& element) {
    std::int64_t const here = next_;
    next_ += (element.size * scalar_info(type).packet_bits / 8 + 4095) / 4096 * 4096;
    return dyn::Tensor::hbm_at(here, type, chip, element);
  }

 private:
  std::int64_t next_ = 0;
};

template <class Kernel>
ir::Verified recorded(std::int64_t chips, const Kernel& kernel) {
  Context ctx = Context::acquire(ContextOptions{});
  ir::Module module = chips == 2   ? record<2>(kernel, ctx).module()
                      : chips == 4 ? record<4>(kernel, ctx).module()
                                   : record<8>(kernel, ctx).module();
  // What lies at an address is what the test puts there.
  for (std::size_t i = 0; i < module.tensors.size(); ++i)
    if (module.tensors[i].role == ir::Role::from_addr) {
      module.tensors[i].role = ir::Role::argument;
      module.arguments.push_back(ir::TensorId(i));
    }
  return value_or_throw(ir::verify(std::move(module), rngd));
}

/// Numbers between 1/8 and 16, of either sign.
Images any_arguments(const ir::Module& module) {
  Random random(7);
  Images all;
  for (ir::TensorId id : module.arguments) {
    const ir::Tensor& t = module.tensor(id);
    Levels const levels = module.levels(t);
    auto const elements = static_cast<std::size_t>(levels[Level::chip].size * levels[Level::element].size);
    int const bytes = scalar_info(t.type).packet_bits / 8;
    Image image(elements * static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < elements; ++i) {
      auto const bits = static_cast<std::uint32_t>(random.next());
      std::uint32_t const word = t.type == ScalarType::i32 ? 0 : (bits & 0x807fffff) | (124 + (bits >> 23) % 7) << 23;
      std::uint32_t const value = bytes == 2 ? word >> 16 : word;
      std::memcpy(image.data() + i * static_cast<std::size_t>(bytes), &value, static_cast<std::size_t>(bytes));
    }
    all.push_back(std::make_shared<const Image>(std::move(image)));
  }
  return all;
}

/// Padding of an image is whatever a kernel leaves there: elements alone are compared.
bool same_elements(const ir::Module& module, ir::TensorId id, const Image& a, const Image& b) {
  if (a.size() != b.size()) return false;
  const ir::Tensor& t = module.tensor(id);
  Levels const levels = module.levels(t);
  auto const width = static_cast<std::size_t>(scalar_info(t.type).packet_bits / 8);
  Place p;
  for (p.chip = 0; p.chip < levels[Level::chip].size; ++p.chip)
    for (p.element = 0; p.element < levels[Level::element].size; ++p.element) {
      if (!cell(levels, p).live()) continue;
      std::size_t const at = static_cast<std::size_t>(p.chip * levels[Level::element].size + p.element) * width;
      if (std::memcmp(a.data() + at, b.data() + at, width) != 0) return false;
    }
  return true;
}

void expect_same_over_ranks(std::int64_t chips, const ir::Verified& kernel) {
  const ir::Module& module = kernel.module();
  Images const arguments = any_arguments(module);
  auto const wanted = vector::run(kernel, arguments);
  ASSERT_TRUE(wanted) << wanted.refusal().headline.s;
  for (int ranks : {2, 3, 4, 8}) {
    if (ranks > chips) continue;
    auto const got = ranks::over_threads(kernel, arguments, ranks, chips, true, 2);
    for (std::size_t r = 0; r < got.results.size(); ++r) {
      ASSERT_TRUE(got.results[r]) << got.results[r].refusal().headline.s;
      EXPECT_EQ(got.traffic[r].whole, 0) << "over " << ranks << " ranks: " << got.traffic[r].why;
      EXPECT_EQ(got.traffic[r].kernels, 2);
      for (std::size_t i = 0; i < wanted->size(); ++i)
        EXPECT_TRUE(same_elements(module, module.root_of(module.results[i]), *(*wanted)[i], *(*got.results[r])[i]))
            << "result " << i << " on rank " << r << " of " << ranks;
    }
  }
}

struct Size {
  std::int64_t rows, columns;
};
constexpr Size sizes[] = {{1, 256}, {16, 512}, {5, 200}, {40, 1032}};

Mapping own_chip(std::int64_t chips) { return dyn::axis("Own", chips); }

TEST(OverRanks, AllReduceAtOnceIsEqual) {
  for (std::int64_t chips : {2, 4, 8})
    for (const Size& s : sizes) {
      kernels::AllReduce const sum(rngd, bf, chips, s.rows, s.columns, Moves::at_once);
      auto const kernel = [&](Context& ctx) { return sum(ctx, Declared()(bf, own_chip(chips), sum.parts().whole())); };
      SCOPED_TRACE(std::to_string(chips) + " chips, " + std::to_string(s.rows) + " x " + std::to_string(s.columns));
      expect_same_over_ranks(chips, recorded(chips, kernel));
    }
}
TEST(OverRanks, AllReduceInRotationsIsEqual) {
  for (std::int64_t chips : {2, 4}) {
    kernels::AllReduce const sum(rngd, ScalarType::f32, chips, 16, 512, Moves::rotations);
    auto const kernel = [&](Context& ctx) { return sum(ctx, Declared()(ScalarType::f32, own_chip(chips), sum.parts().whole())); };
    expect_same_over_ranks(chips, recorded(chips, kernel));
  }
}
TEST(OverRanks, ScatteredSumsAndGathersAreEqual) {
  for (Split split : {Split::rows, Split::columns})
    for (const Size& s : {Size{16, 512}, Size{6, 1032}}) {
      kernels::ReduceScatter const sum(rngd, bf, 4, s.rows, s.columns, split, Moves::at_once);
      auto const scattered = [&](Context& ctx) { return sum(ctx, Declared()(bf, own_chip(4), sum.parts().whole())); };
      expect_same_over_ranks(4, recorded(4, scattered));
      kernels::AllGather const gather(rngd, bf, 4, s.rows, s.columns, split);
      auto const gathered = [&](Context& ctx) { return gather(ctx, Declared()(bf, gather.parts().part_chip(), gather.parts().part())); };
      expect_same_over_ranks(4, recorded(4, gathered));
    }
}
TEST(OverRanks, ProductsOverChipsAreEqualWithoutAMessage) {
  for (kernels::GemmSplit over : {kernels::GemmSplit::m, kernels::GemmSplit::n, kernels::GemmSplit::k}) {
    kernels::GemmOnChips const gemm(rngd, bf, 32, 64, 256, 4, over);
    auto const kernel = [&](Context& ctx) {
      Declared d;
      auto const a = d(bf, gemm.chip(), gemm.a_layout()), b = d(bf, gemm.chip(), gemm.b_layout());
      return gemm(ctx, a, b);
    };
    auto const recording = recorded(4, kernel);
    expect_same_over_ranks(4, recording);
    auto const got = ranks::over_threads(recording, any_arguments(recording.module()), 4, 4);
    EXPECT_EQ(got.traffic.front().exchanges, 0);
  }
}

/// 8 heads, 4 of keys, and sizes that divide by little.
kernels::LlamaConfig small_model() {
  kernels::LlamaConfig c = kernels::llama_3_8b();
  c.layers = 1;
  c.vocabulary = 300;
  c.hidden = 160;
  c.heads = 8;
  c.kv_heads = 4;
  c.head_dim = 32;
  c.intermediate = 224;
  c.positions = 64;
  return c;
}
TEST(OverRanks, ADecoderLayerIsEqual) {
  kernels::LlamaConfig const config = small_model();
  for (kernels::LlamaStep const& step :
       {kernels::LlamaStep{.tokens = 1, .past = 9, .capacity = 32, .chips = 4}, kernels::LlamaStep{.tokens = 6, .capacity = 32, .chips = 4},
        kernels::LlamaStep{.tokens = 1, .past = 5, .capacity = 32, .sequences = 3, .chips = 2}}) {
    kernels::DecoderLayer const layer(rngd, config, step);
    auto const kernel = [&](Context& ctx) {
      Declared d;
      kernels::LayerTensors weights;
      for (kernels::LayerTensor which : kernels::layer_tensors_of(config)) weights[which] = d(bf, layer.chip(), layer.weight_layout(which));
      kernels::KvCache const cache{d(bf, layer.chip(), layer.cache_layout()), d(bf, layer.chip(), layer.cache_layout())};
      dyn::Tensor const x = d(bf, layer.chip(), layer.layout()), rotations = d(bf, layer.chip(), layer.attention().rope().table_layout());
      return layer(ctx, x, weights, cache, rotations);
    };
    SCOPED_TRACE(std::to_string(step.tokens) + " tokens");
    expect_same_over_ranks(step.chips, recorded(step.chips, kernel));
  }
}

}  // namespace
}  // namespace tcp
