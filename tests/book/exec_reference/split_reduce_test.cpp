// The rows of the ledger on reduces over several tensors: two that take turns in the fetch and meet in the Vector Engine, and the kernels the book builds of
// it. Small sizes, against plain loops on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "run_module.hpp"

namespace tcp::build {
namespace {

constexpr ScalarType int32 = ScalarType::i32, float32 = ScalarType::f32;

/// Two tensors over A (slices), T and P (a flit), and one pass that merges them by a binary operation.
Value merged(ScalarType type, const VectorStep& zip, const Value& x, const Value& y, const char* time = "T, Turn",
             const char* tile = "T, 1 # 2") {
  ModuleBuilder b("A = 256, T = 4, P = 8, Turn = 2");
  auto const first = b.hbm("x", type, "A, T, P", 0, ir::Role::argument), second = b.hbm("y", type, "A, T, P", 1 << 20, ir::Role::argument),
             out = b.hbm("out", type, "A, T, P", 1 << 24, ir::Role::result);
  auto const dx = b.dm("x", type, "A", "T, P", 0), dy = b.dm("y", type, "A", "T, P", 4096), sum = b.dm("sum", type, "A", "T, P", 8192);
  b.move(first, dx);
  b.move(second, dy);
  b.main(dx)
      .time(time)
      .packet("P")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .time("T")
      .stage(ir::Unzip{Name("Turn"), b.map(tile)})
      .stage(ir::VectorOperation{zip, {}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{sum, {}, false});
  interleave(b, dy, "Turn");
  b.move(sum, out);
  return result_of(b, {x, y});
}
Value numbers(std::uint64_t seed, ScalarType type = int32) { return random_value(type, {{"A", 256}, {"T", 4}, {"P", 8}}, seed); }

TEST(Book, KER_08_values) {
  // The stream as it comes, nothing merged: step 0 from the first tensor, step 1 from the second, step 2 from the first again.
  ModuleBuilder b("A = 256, T = 4, P = 8, Turn = 2");
  auto const first = b.hbm("x", int32, "A, T, P", 0, ir::Role::argument),
             second = b.hbm("y", int32, "A, T, P", 1 << 20, ir::Role::argument),
             out = b.hbm("out", int32, "A, T, Turn, P", 1 << 24, ir::Role::result);
  auto const dx = b.dm("x", int32, "A", "T, P", 0), dy = b.dm("y", int32, "A", "T, P", 4096),
             both = b.dm("both", int32, "A", "T, Turn, P", 8192);
  b.move(first, dx);
  b.move(second, dy);
  b.main(dx).time("T, Turn").packet("P").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::Commit{both, {}, false});
  interleave(b, dy, "Turn");
  b.move(both, out);
  Value const x = numbers(8), y = numbers(9), stream = result_of(b, {x, y});
  for (std::int64_t i = 0; i < x.size(); ++i)
    for (std::int64_t turn = 0; turn < 2; ++turn) {
      Index at = x.index_of(i);
      at.add(Name("Turn"), turn);
      ASSERT_EQ(whole(stream.at(at)), whole(turn == 0 ? x[i] : y[i]));
    }
}

TEST(Book, KER_27_instances_are_alike) {
  auto const code = [](ScalarType type, const char* element) {
    ModuleBuilder b("A = 256, T = 4, U = 3, P = 8, Turn = 2");
    auto const x = b.hbm("x", int32, "A, T, P", 0, ir::Role::argument),
               y = b.hbm("y", type, "A, " + std::string(element), 1 << 20, ir::Role::argument);
    auto const dx = b.dm("x", int32, "A", "T, P", 0), dy = b.dm("y", type, "A", element, 4096),
               both = b.dm("both", int32, "A", "T, Turn, P", 8192);
    b.move(x, dx);
    b.move(y, dy);
    b.main(dx).time("T, Turn").packet("P").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::Commit{both, {}, false});
    interleave(b, dy, "Turn");
    auto const facts = ir::verify(b.module, rngd);
    return facts ? std::string("accepted") : std::string(facts.refusal().code);
  };
  EXPECT_EQ(code(int32, "T, P"), "accepted");
  EXPECT_EQ(code(int32, "U, P"), "fetch-interleave-differs") << "another size";
  EXPECT_EQ(code(int32, "P, T"), "fetch-interleave-differs") << "another order";
  EXPECT_EQ(code(float32, "T, P"), "fetch-interleave-differs") << "another type";
}

TEST(Book, KER_10_values) {
  Value const x = numbers(1), y = numbers(2);
  Value const sum = merged(int32, step_of(FxpBinaryOp::AddFxp, {}, Groups::zip), x, y),
              most = merged(int32, step_of(ClipBinaryOpI32::Max, {}, Groups::zip), x, y),
              least = merged(int32, step_of(ClipBinaryOpI32::Min, {}, Groups::zip), x, y);
  EXPECT_EQ(sum.size(), x.size()) << "no axis of the turn is left";
  for (std::int64_t i = 0; i < x.size(); ++i) {
    Index const at = x.index_of(i);
    ASSERT_EQ(whole(sum.at(at)), whole(x[i]) + whole(y[i]));
    ASSERT_EQ(whole(most.at(at)), std::max(whole(x[i]), whole(y[i])));
    ASSERT_EQ(whole(least.at(at)), std::min(whole(x[i]), whole(y[i])));
  }
}

TEST(Book, KER_25_values) {
  // The other way: the second tensor as an operand from VRF.
  ModuleBuilder b("A = 256, T = 4, P = 8");
  auto const first = b.hbm("x", int32, "A, T, P", 0, ir::Role::argument),
             second = b.hbm("y", int32, "A, T, P", 1 << 20, ir::Role::argument),
             out = b.hbm("out", int32, "A, T, P", 1 << 24, ir::Role::result);
  auto const dx = b.dm("x", int32, "A", "T, P", 0), dy = b.dm("y", int32, "A", "T, P", 4096), sum = b.dm("sum", int32, "A", "T, P", 8192);
  auto const vrf = b.vrf("y", int32, "A", "T, P", 0);
  b.move(first, dx);
  b.move(second, dy);
  b.sub(dy).time("T").packet("P").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToVrf{vrf});
  b.main(dx)
      .time("T")
      .packet("P")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::AddFxp, {from_vrf(vrf)}))
      .stage(ir::VectorFinal{})
      .into(ir::Commit{sum, {}, false});
  b.move(sum, out);
  Value const x = numbers(3), y = numbers(4), direct = result_of(b, {x, y}),
              by_turns = merged(int32, step_of(FxpBinaryOp::AddFxp, {}, Groups::zip), x, y);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(whole(direct.at(x.index_of(i))), whole(x[i]) + whole(y[i]));
    ASSERT_EQ(direct.at(x.index_of(i)).bits, by_turns.at(x.index_of(i)).bits);
  }
}

TEST(Book, KER_23_values) {
  ModuleBuilder b("Tokens = 256, Hidden = 32, Turn = 2");
  auto const first = b.hbm("expert_0", float32, "Tokens, Hidden", 0, ir::Role::argument),
             second = b.hbm("expert_1", float32, "Tokens, Hidden", 1 << 20, ir::Role::argument),
             out = b.hbm("combined", float32, "Tokens, Hidden", 1 << 24, ir::Role::result);
  auto const e0 = b.dm("expert_0", float32, "Tokens", "Hidden", 0), e1 = b.dm("expert_1", float32, "Tokens", "Hidden", 4096),
             sum = b.dm("combined", float32, "Tokens", "Hidden", 8192);
  b.move(first, e0);
  b.move(second, e1);
  b.main(e0)
      .time("Hidden / 8, Turn")
      .packet("Hidden % 8")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .time("Hidden / 8")
      .stage(ir::Unzip{Name("Turn"), b.map("Hidden / 8, 1 # 2")})
      .time("Hidden / 4")
      .packet("Hidden % 4")
      .stage(ir::VectorOperation{step_of(VectorMethod::split), {}})
      .stage(operation(FpBinaryOp::MulF(FpMulAlu::Mul0),
                       {constant(0.7f, OperandGuard::group(GroupId::Zero)), constant(0.3f, OperandGuard::group(GroupId::One))}))
      .stage(ir::VectorOperation{step_of(FpBinaryOp::AddF, {}, Groups::zip), {}})
      .time("Hidden / 8")
      .packet("Hidden % 8")
      .stage(ir::VectorOperation{step_of(VectorMethod::concat), {}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{sum, {}, false});
  interleave(b, e1, "Turn");
  b.move(sum, out);
  Value const x = random_value(float32, {{"Tokens", 256}, {"Hidden", 32}}, 5),
              y = random_value(float32, {{"Tokens", 256}, {"Hidden", 32}}, 6);
  Value const combined = result_of(b, {x, y});
  for (std::int64_t i = 0; i < x.size(); ++i) {
    float const a = 0.7f * real(x[i]), c = 0.3f * real(y[i]);
    ASSERT_EQ(real(combined.at(x.index_of(i))), a + c);
  }
}

/// Adds a reduce over one axis of a stream of Time `outer`, `axis` / 8 and Packet `axis` % 8 (f32), behind the stages that are there.
void reduce_over(ModuleBuilder::PassBuilder& p, const std::string& outer, const std::string& axis, ReduceOp op) {
  std::string const before = outer.empty() ? "" : outer + ", ";
  p.time(before + axis + " / 4")
      .packet(axis + " % 4")
      .stage(ir::VectorOperation{step_of(VectorMethod::split), {}})
      .time(outer.empty() ? "1" : outer)
      .packet("1 # 4")
      .stage(ir::IntraSliceReduce{Name(axis), op})
      .packet("1 # 8")
      .stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}});
}

TEST(Book, KER_24_values) {
  // Four chunks of 128 steps in one tensor: the fetch alternates between two at most (F-74), so they are reduced over Time.
  ModuleBuilder b("Features = 256, I = 4, Steps = 128");
  auto const in = b.hbm("in", float32, "Features, I, Steps", 0, ir::Role::argument),
             chunks = b.hbm("chunks", float32, "Features, I, 1 # 2", 1 << 24, ir::Role::result),
             all = b.hbm("all", float32, "Features, 1 # 2", 1 << 25, ir::Role::result);
  auto const x = b.dm("x", float32, "Features", "I, Steps", 0), most = b.dm("most", float32, "Features", "I, 1 # 2", 8192),
             most_of_all = b.dm("most of all", float32, "Features", "1 # 2", 16384);
  b.move(in, x);
  auto p = b.main(x);
  p.time("I, Steps / 8").packet("Steps % 8").stage(ir::Fetch{}).stage(ir::Collect{}).stage(ir::VectorInit{}).stage(ir::Branch{});
  reduce_over(p, "I", "Steps", ReduceOp::Max);
  p.stage(ir::VectorFinal{}).into(ir::Commit{most, {}, false});
  auto q = b.main(most);
  q.time("I").packet("1 # 2").stage(ir::Fetch{}).packet("1 # 8").stage(ir::Collect{}).stage(ir::VectorInit{}).stage(ir::Branch{});
  q.packet("1 # 4").stage(ir::VectorOperation{step_of(VectorMethod::trim_way4), {}});
  q.time("1").stage(ir::IntraSliceReduce{Name("I"), ReduceOp::Max});
  q.packet("1 # 8").stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}}).stage(ir::VectorFinal{});
  q.into(ir::Commit{most_of_all, {}, false});
  b.move(most, chunks);
  b.move(most_of_all, all);
  Value const data = random_value(float32, {{"Features", 256}, {"I", 4}, {"Steps", 128}}, 7);
  auto const results = results_of(b.module, {data});
  for (std::int64_t f = 0; f < 256; ++f) {
    float top = -1e9f;
    for (std::int64_t i = 0; i < 4; ++i) {
      float chunk = -1e9f;
      for (std::int64_t t = 0; t < 128; ++t) chunk = std::max(chunk, real(data.at(at({{"Features", f}, {"I", i}, {"Steps", t}}))));
      ASSERT_EQ(real(results[0].at(at({{"Features", f}, {"I", i}}))), chunk);
      top = std::max(top, chunk);
    }
    ASSERT_EQ(real(results[1].at(at({{"Features", f}}))), top);
  }
}

/// Layer normalisation over a Hidden axis that is split into two tensors; 512 tokens, 2 in each of 256 slices, 32 elements in each half.
class LayerNorm : public ModuleBuilder {
 public:
  static constexpr std::int64_t tokens = 256, each = 2, half_size = 32;
  static constexpr float epsilon = 1e-5f;

  LayerNorm() : ModuleBuilder("S = 256, T = 2, H = 32, Turn = 2") {
    ir::TensorId x[2], sum[2], squares[2];
    for (int i = 0; i < 2; ++i) {
      auto const in = hbm("in", ScalarType::bf16, "S, T, H", i << 20, ir::Role::argument);
      x[i] = dm("x", ScalarType::bf16, "S", "T, H", next_ += 4096);
      move(in, x[i]);
    }
    for (int i = 0; i < 2; ++i) sum[i] = reduced(x[i], ir::none);
    ir::TensorId const total = added(sum[0], sum[1]);
    ir::TensorId const mean = scaled(total, false), mean_vrf = loaded(mean);
    for (int i = 0; i < 2; ++i) squares[i] = reduced(x[i], mean_vrf);
    ir::TensorId const spread = added(squares[0], squares[1]);
    ir::TensorId const deviation = scaled(spread, true), deviation_vrf = loaded(deviation);
    for (ir::TensorId id : {sum[0], sum[1], mean, squares[0], squares[1], spread, deviation}) show(id, "S, T, 1 # 2");
    for (int i = 0; i < 2; ++i) show(normalised(x[i], mean_vrf, deviation_vrf), "S, T, H");
    for (int i = 0; i < 2; ++i)
      data.push_back(random_value(ScalarType::bf16, {{"S", tokens}, {"T", each}, {"H", half_size}}, static_cast<std::uint64_t>(40 + i)));
    results = results_of(module, data);
  }

  std::vector<Value> data, results;

  float token(int result, std::int64_t s, std::int64_t t) const {
    return real(results[static_cast<std::size_t>(result)].at(at({{"S", s}, {"T", t}})));
  }
  float element(int i, std::int64_t s, std::int64_t t, std::int64_t h) const {
    return half(data[static_cast<std::size_t>(i)].at(at({{"S", s}, {"T", t}, {"H", h}})));
  }
  /// By the definition, over all of Hidden.
  double mean(std::int64_t s, std::int64_t t) const {
    double sum = 0;
    for (int i = 0; i < 2; ++i)
      for (std::int64_t h = 0; h < half_size; ++h) sum += static_cast<double>(element(i, s, t, h));
    return sum / (2 * half_size);
  }
  double variance(std::int64_t s, std::int64_t t) const {
    double sum = 0, const_mean = mean(s, t);
    for (int i = 0; i < 2; ++i)
      for (std::int64_t h = 0; h < half_size; ++h) sum += std::pow(static_cast<double>(element(i, s, t, h)) - const_mean, 2);
    return sum / (2 * half_size);
  }

 private:
  ir::TensorId per_token(const char* name) { return dm(name, float32, "S", "T, 1 # 2", next_ += 4096); }
  PassBuilder stream_of(ir::TensorId x) {
    PassBuilder p = main(x);
    p.type(float32).time("T, H / 8").packet("H % 8").stage(ir::Fetch{}).stage(ir::Collect{}).stage(ir::VectorInit{}).stage(ir::Branch{});
    p.time("T, H / 4").packet("H % 4").stage(ir::VectorOperation{step_of(VectorMethod::split), {}});
    return p;
  }
  /// The sum over H of x, or of (x - mean)².
  ir::TensorId reduced(ir::TensorId x, ir::TensorId mean_vrf) {
    ir::TensorId const to = per_token("sum");
    PassBuilder p = stream_of(x);
    if (mean_vrf != ir::none) {
      p.stage(operation(FpBinaryOp::SubF, {from_vrf(mean_vrf, float32)}));
      p.stage(ir::VectorOperation{step_of(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00), {}});
    }
    p.time("T").packet("1 # 4").stage(ir::IntraSliceReduce{Name("H"), ReduceOp::Add});
    p.packet("1 # 8").stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}}).stage(ir::VectorFinal{});
    p.into(ir::Commit{to, {}, false});
    return to;
  }
  PassBuilder tokens_of(ir::TensorId x, const char* time) {
    PassBuilder p = main(x);
    p.time(time).packet("1 # 2").stage(ir::Fetch{}).packet("1 # 8").stage(ir::Collect{});
    return p;
  }
  ir::TensorId added(ir::TensorId x, ir::TensorId y) {
    ir::TensorId const to = per_token("total");
    PassBuilder p = tokens_of(x, "T, Turn");
    p.stage(ir::VectorInit{}).time("T").stage(ir::Unzip{Name("Turn"), map("T, 1 # 2")});
    p.stage(ir::VectorOperation{step_of(ClipBinaryOpF32::Add, {}, Groups::zip), {}}).stage(ir::VectorFinal{});
    p.into(ir::Commit{to, {}, false});
    interleave(*this, y, "Turn");
    return to;
  }
  /// A sum over Hidden as a mean, or as the square root of the mean and epsilon (F-77).
  ir::TensorId scaled(ir::TensorId sum, bool root) {
    ir::TensorId const to = per_token("mean");
    PassBuilder p = tokens_of(sum, "T");
    p.stage(ir::VectorInit{}).stage(ir::Branch{}).packet("1 # 4").stage(ir::VectorOperation{step_of(VectorMethod::trim_way4), {}});
    p.stage(operation(FpBinaryOp::MulF(FpMulAlu::Mul0), {constant(1.0f / (2 * half_size))}));
    if (root) p.stage(operation(FpBinaryOp::AddF, {constant(epsilon)})).stage(operation(FpUnaryOp::Sqrt));
    p.packet("1 # 8").stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}}).stage(ir::VectorFinal{});
    p.into(ir::Commit{to, {}, false});
    return to;
  }
  ir::TensorId loaded(ir::TensorId x) {
    ir::TensorId const to = vrf("operand", float32, "S", "T, 1 # 8", next_vrf_ += 64);
    sub(x).time("T").packet("1 # 2").stage(ir::Fetch{}).packet("1 # 8").stage(ir::Collect{}).into(ir::ToVrf{to});
    return to;
  }
  ir::TensorId normalised(ir::TensorId x, ir::TensorId mean_vrf, ir::TensorId deviation_vrf) {
    ir::TensorId const to = dm("out", float32, "S", "T, H", next_ += 4096);
    PassBuilder p = stream_of(x);
    p.stage(operation(FpBinaryOp::SubF, {from_vrf(mean_vrf, float32)}))
        .stage(operation(FpDivBinaryOp::DivF, {from_vrf(deviation_vrf, float32)}));
    p.time("T, H / 8").packet("H % 8").stage(ir::VectorOperation{step_of(VectorMethod::concat), {}}).stage(ir::VectorFinal{});
    p.into(ir::Commit{to, {}, false});
    return to;
  }
  void show(ir::TensorId id, const char* element) { move(id, hbm("out", float32, element, next_hbm_ += 1 << 20, ir::Role::result)); }

  std::int64_t next_ = 0, next_vrf_ = 0, next_hbm_ = 1 << 24;
};

const LayerNorm& layer_norm() {
  static const LayerNorm kernel;
  return kernel;
}
template <class Check>
void for_each_token(Check check) {
  for (std::int64_t s = 0; s < LayerNorm::tokens; ++s)
    for (std::int64_t t = 0; t < LayerNorm::each; ++t) check(s, t);
}

TEST(Book, KER_12_values) {
  LayerNorm const& k = layer_norm();
  for_each_token([&](std::int64_t s, std::int64_t t) {
    double const mean = k.mean(s, t), root = std::sqrt(k.variance(s, t) + static_cast<double>(LayerNorm::epsilon));
    for (int i = 0; i < 2; ++i)
      for (std::int64_t h = 0; h < LayerNorm::half_size; ++h) {
        double const expected = (static_cast<double>(k.element(i, s, t, h)) - mean) / root;
        float const made = real(k.results[static_cast<std::size_t>(7 + i)].at(at({{"S", s}, {"T", t}, {"H", h}})));
        ASSERT_NEAR(static_cast<double>(made), expected, 1e-5) << s << ", " << t << ", " << h;
      }
  });
}
TEST(Book, KER_13_values) {
  LayerNorm const& k = layer_norm();
  for_each_token([&](std::int64_t s, std::int64_t t) {
    for (int i = 0; i < 2; ++i) {
      float sum = 0;  // quarters: exact in any order
      for (std::int64_t h = 0; h < LayerNorm::half_size; ++h) sum += k.element(i, s, t, h);
      ASSERT_EQ(k.token(i, s, t), sum);
    }
  });
}
TEST(Book, KER_14_values) {
  LayerNorm const& k = layer_norm();
  for_each_token([&](std::int64_t s, std::int64_t t) { ASSERT_EQ(k.token(2, s, t), (k.token(0, s, t) + k.token(1, s, t)) * (1.0f / 64)); });
}
TEST(Book, KER_15_values) {
  LayerNorm const& k = layer_norm();
  for_each_token([&](std::int64_t s, std::int64_t t) {
    for (int i = 0; i < 2; ++i) {
      double sum = 0;
      for (std::int64_t h = 0; h < LayerNorm::half_size; ++h) sum += std::pow(static_cast<double>(k.element(i, s, t, h)) - k.mean(s, t), 2);
      ASSERT_NEAR(static_cast<double>(k.token(3 + i, s, t)), sum, 1e-5 * sum);
    }
    ASSERT_EQ(k.token(5, s, t), k.token(3, s, t) + k.token(4, s, t));
    ASSERT_NEAR(static_cast<double>(k.token(6, s, t)), std::sqrt(k.variance(s, t) + static_cast<double>(LayerNorm::epsilon)), 1e-5);
  });
}
TEST(Book, KER_16_values) {
  LayerNorm const& k = layer_norm();
  for_each_token([&](std::int64_t s, std::int64_t t) { ASSERT_NEAR(static_cast<double>(k.token(2, s, t)), k.mean(s, t), 1e-6); });
}

TEST(Book, KER_22_values) {
  // Per image the mean over its pixels, the two tensors by turns, then, so that it is the mean over all 512 images (F-79), the batch over the slices.
  ModuleBuilder b("Batch = 256, Pixel = 32, Turn = 2");
  ir::TensorId sums[2];
  for (int i = 0; i < 2; ++i) {
    auto const in = b.hbm("in", float32, "Batch, Pixel", i << 20, ir::Role::argument);
    auto const x = b.dm("x", float32, "Batch", "Pixel", 4096 * i);
    sums[i] = b.dm("sum", float32, "Batch", "1 # 2", 16384 + 4096 * i);
    b.move(in, x);
    auto p = b.main(x);
    p.time("Pixel / 8").packet("Pixel % 8").stage(ir::Fetch{}).stage(ir::Collect{}).stage(ir::VectorInit{}).stage(ir::Branch{});
    reduce_over(p, "", "Pixel", ReduceOp::Add);
    p.stage(ir::VectorFinal{}).into(ir::Commit{sums[i], {}, false});
  }
  auto const both = b.dm("both", float32, "Batch", "1 # 2", 32768), total = b.dm("total", float32, "1 # 256", "1 # 2", 40960);
  b.main(sums[0])
      .time("Turn")
      .packet("1 # 2")
      .stage(ir::Fetch{})
      .packet("1 # 8")
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .time("1")
      .stage(ir::Unzip{Name("Turn"), b.map("1 # 2")})
      .stage(ir::VectorOperation{step_of(ClipBinaryOpF32::Add, {}, Groups::zip), {}})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{both, {}, false});
  interleave(b, sums[1], "Turn");
  b.main(both)
      .packet("1 # 2")
      .stage(ir::Fetch{})
      .packet("1 # 8")
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .slice("1 # 256")
      .stage(ir::InterSliceReduce{ReduceOp::Add})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{total, {}, false});
  b.move(total, b.hbm("out", float32, "1 # 2", 1 << 24, ir::Role::result));
  Value const x = random_value(float32, {{"Batch", 256}, {"Pixel", 32}}, 22),
              y = random_value(float32, {{"Batch", 256}, {"Pixel", 32}}, 23);
  double sum = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) sum += static_cast<double>(real(x[i])) + static_cast<double>(real(y[i]));
  EXPECT_EQ(static_cast<double>(real(result_of(b, {x, y})[0])), sum) << "of quarters, so exact; the mean is this by a power of two";
}

// Packet and Time in the Reducer, Slice in the Inter-Slice Block, two tensors by turns, two chips by DMA: after each of them one axis less.
TEST(Book, KER_07_values) {
  ModuleBuilder b("C = 2, D = 2, S = 256, K = 64, Turn = 2", 2);
  b.chip = "C";
  auto const ones = b.hbm("ones", ScalarType::bf16, "K", 1 << 22, ir::Role::argument);
  auto const weights = b.dm("weights", ScalarType::bf16, "S", "K", 65536);
  auto const trf = b.trf("weights", ScalarType::bf16, "S", "1", "K");
  b.move(ones, weights);
  b.sub(weights).packet("K").stage(ir::Fetch{}).time("K / 16").packet("K % 16").stage(ir::Collect{}).into(ir::ToTrf{trf});
  ir::TensorId sums[2];
  for (int i = 0; i < 2; ++i) {
    auto const in = b.hbm("in", ScalarType::bf16, "S, K", i << 20, ir::Role::argument);
    auto const x = b.dm("x", ScalarType::bf16, "S", "K", 4096 * i);
    sums[i] = b.dm("sum", float32, "1 # 256", "1 # 2", 16384 + 4096 * i);
    b.move(in, x);
    b.main(x)
        .packet("K")
        .stage(ir::Fetch{})
        .time("K / 16")
        .packet("K % 16")
        .stage(ir::Collect{})
        .time("K / 32")
        .packet("K % 32")
        .stage(ir::Align{trf})
        .type(float32)
        .packet("1")
        .stage(ir::Contract{})
        .time("1")
        .packet("1 # 8")
        .stage(ir::Accumulate{})
        .stage(ir::VectorInit{})
        .slice("1 # 256")
        .stage(ir::InterSliceReduce{ReduceOp::Add})
        .stage(ir::VectorFinal{})
        .into(ir::Commit{sums[i], {}, false});
  }
  auto const added = [&](ir::TensorId x, ir::TensorId y, const char* chips, std::int64_t address) {
    b.chip = chips;
    auto const to = b.dm("both", float32, "1 # 256", "1 # 2", address);
    b.main(x)
        .time("Turn")
        .packet("1 # 2")
        .stage(ir::Fetch{})
        .packet("1 # 8")
        .stage(ir::Collect{})
        .stage(ir::VectorInit{})
        .time("1")
        .stage(ir::Unzip{Name("Turn"), b.map("1 # 2")})
        .stage(ir::VectorOperation{step_of(ClipBinaryOpF32::Add, {}, Groups::zip), {}})
        .stage(ir::VectorFinal{})
        .into(ir::Commit{to, {}, false});
    interleave(b, y, "Turn");
    return to;
  };
  auto const of_chip = added(sums[0], sums[1], "C", 32768);
  ir::TensorId turned[2];
  for (int i = 0; i < 2; ++i) {
    b.chip = "D";
    turned[i] = b.dm("turned", float32, "1 # 256", "1 # 2", 40960 + 4096 * i);
    ir::Transfer t;
    t.kind = ir::Transfer::Kind::chip_shuffle;
    t.source = of_chip;
    t.destination = turned[i];
    t.permutation = i == 0 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{1, 0};
    b.module.commands.emplace_back().what = std::move(t);
  }
  auto const all = added(turned[0], turned[1], "D", 53248);
  b.chip = "D";
  b.move(all, b.hbm("out", float32, "1 # 2", 1 << 24, ir::Role::result));
  Value one = value(ScalarType::bf16, {{"K", 64}});
  for (std::int64_t k = 0; k < 64; ++k) one[k].bits = bf16::from_float(1.0f).bits;
  Value const x = random_value(ScalarType::bf16, {{"C", 2}, {"S", 256}, {"K", 64}}, 70),
              y = random_value(ScalarType::bf16, {{"C", 2}, {"S", 256}, {"K", 64}}, 71);
  double sum = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) sum += static_cast<double>(half(x[i])) + static_cast<double>(half(y[i]));
  Value const total = result_of(b, {one, x, y});
  for (std::int64_t d = 0; d < 2; ++d) EXPECT_EQ(static_cast<double>(real(total.at(at({{"D", d}})))), sum) << "chip " << d;
}

}  // namespace
}  // namespace tcp::build
