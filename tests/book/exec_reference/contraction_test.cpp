// The rows of the ledger on what contractions compute, and on tiled products built of them: whole modules against plain loops on the host.
#include <gtest/gtest.h>

#include "run_module.hpp"

namespace tcp::build {
namespace {

constexpr ScalarType half_type = ScalarType::bf16, float32 = ScalarType::f32;

/// AB, BC -> AC. A over slices, C in 8 Rows and Time, B contracted: 32 of it in the tree, the rest over Time.
struct Einsum : ModuleBuilder {
  Value lhs = random_value(half_type, {{"A", 256}, {"B", 64}}, 1), rhs = random_value(half_type, {{"B", 64}, {"C", 16}}, 2);

  Einsum() : ModuleBuilder("A = 256, B = 64, C = 16") {
    auto const l = hbm("lhs", half_type, "A, B", 0, ir::Role::argument), r = hbm("rhs", half_type, "C, B", 1 << 20, ir::Role::argument),
               out = hbm("out", float32, "A, C", 1 << 24, ir::Role::result);
    auto const x = dm("lhs", half_type, "A", "B", 0), w = dm("rhs", half_type, "A", "C, B", 4096), y = dm("out", float32, "A", "C", 16384);
    auto const weights = trf("rhs", half_type, "A", "C % 8", "C / 8, B");
    move(l, x);
    move(r, w);  // broadcast over A
    sub(w)
        .time("C % 8, C / 8")
        .packet("B")
        .stage(ir::Fetch{})
        .time("C % 8, C / 8, B / 16")
        .packet("B % 16")
        .stage(ir::Collect{})
        .into(ir::ToTrf{weights});
    main(x)
        .time("C / 8")  // broadcast over C: in Time here, over the Rows in the engine
        .packet("B")
        .stage(ir::Fetch{})
        .time("C / 8, B / 16")
        .packet("B % 16")
        .stage(ir::Collect{})
        .time("C / 8, B / 32")
        .packet("B % 32")
        .stage(ir::Align{weights})
        .type(float32)
        .packet("1")
        .stage(ir::Contract{})
        .time("C / 8")
        .packet("C % 8")
        .stage(ir::Accumulate{})
        .into(ir::Commit{y, {}, false});
    move(y, out);
  }
};

TEST(Book, CTR_001_values) {
  Einsum const e;
  Value const y = result_of(e, {e.lhs, e.rhs});
  for (std::int64_t i = 0; i < 256; ++i)
    for (std::int64_t j = 0; j < 16; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < 64; ++k) sum += half(e.lhs.at(at({{"A", i}, {"B", k}}))) * half(e.rhs.at(at({{"B", k}, {"C", j}})));
      ASSERT_EQ(real(y.at(at({{"A", i}, {"C", j}}))), sum);
    }
}

TEST(Book, CTR_002_values) {
  // The four steps, each over the whole index set {A, B, C}.
  Einsum const e;
  std::vector<float> left(256 * 64 * 16), right(left.size()), product(left.size()), reduced(256 * 16, 0.0f);
  auto const all = [](std::int64_t a, std::int64_t b, std::int64_t c) { return static_cast<std::size_t>((a * 64 + b) * 16 + c); };
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t b = 0; b < 64; ++b)
      for (std::int64_t c = 0; c < 16; ++c) {
        left[all(a, b, c)] = half(e.lhs.at(at({{"A", a}, {"B", b}})));
        right[all(a, b, c)] = half(e.rhs.at(at({{"B", b}, {"C", c}})));
      }
  for (std::size_t i = 0; i < product.size(); ++i) product[i] = left[i] * right[i];
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t b = 0; b < 64; ++b)
      for (std::int64_t c = 0; c < 16; ++c) reduced[static_cast<std::size_t>(a * 16 + c)] += product[all(a, b, c)];
  Value const y = result_of(e, {e.lhs, e.rhs});
  for (std::int64_t a = 0; a < 256; ++a)
    for (std::int64_t c = 0; c < 16; ++c) ASSERT_EQ(real(y.at(at({{"A", a}, {"C", c}}))), reduced[static_cast<std::size_t>(a * 16 + c)]);
}

TEST(Book, CTR_077_values) {
  // i = (S, T) stays, j = K goes: K % 32 out of Packet by the tree, K / 32 out of Time by the accumulator.
  ModuleBuilder b("S = 256, T = 4, K = 128");
  auto const l = b.hbm("x", half_type, "S, T, K", 0, ir::Role::argument), r = b.hbm("w", half_type, "S, T, K", 1 << 20, ir::Role::argument),
             out = b.hbm("out", float32, "S, T, 1 # 2", 1 << 24, ir::Role::result);
  auto const x = b.dm("x", half_type, "S", "T, K", 0), w = b.dm("w", half_type, "S", "T, K", 4096),
             y = b.dm("y", float32, "S", "T, 1 # 2", 16384);
  auto const weights = b.trf("w", half_type, "S", "1", "T, K");
  b.move(l, x);
  b.move(r, w);
  b.sub(w).time("T, K / 16").packet("K % 16").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToTrf{weights});
  b.main(x)
      .time("T, K / 16")
      .packet("K % 16")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .time("T, K / 32")
      .packet("K % 32")
      .stage(ir::Align{weights})
      .type(float32)
      .packet("1")
      .stage(ir::Contract{})
      .time("T")
      .packet("1 # 8")
      .stage(ir::Accumulate{})
      .into(ir::Commit{y, {}, false});
  b.move(y, out);
  Value const xs = random_value(half_type, {{"S", 256}, {"T", 4}, {"K", 128}}, 3),
              ws = random_value(half_type, {{"S", 256}, {"T", 4}, {"K", 128}}, 4);
  Value const made = result_of(b, {xs, ws});
  for (std::int64_t s = 0; s < 256; ++s)
    for (std::int64_t t = 0; t < 4; ++t) {
      float sum = 0;
      for (std::int64_t k = 0; k < 128; ++k)
        sum += half(xs.at(at({{"S", s}, {"T", t}, {"K", k}}))) * half(ws.at(at({{"S", s}, {"T", t}, {"K", k}})));
      ASSERT_EQ(real(made.at(at({{"S", s}, {"T", t}}))), sum);
    }
}

TEST(Book, CTR_078_values) {
  // The same activations reach all eight Rows; Row r multiplies by its own weights: with weights in one Row alone, one column alone is not zero.
  EXPECT_EQ(rngd.levels.rows_per_slice, 8);
  for (std::int64_t row = 0; row < 8; ++row) {
    Einsum e;
    for (std::int64_t i = 0; i < e.rhs.size(); ++i)
      if (e.rhs.index_of(i).get("C") % 8 != row) e.rhs[i].bits = 0;
    for (std::int64_t i = 0; i < e.lhs.size(); ++i) e.lhs[i].bits = bf16::from_float(1.0f).bits;
    Value const y = result_of(e, {e.lhs, e.rhs});
    for (std::int64_t c = 0; c < 16; ++c) {
      float sum = 0;
      for (std::int64_t k = 0; k < 64; ++k) sum += half(e.rhs.at(at({{"B", k}, {"C", c}})));
      EXPECT_EQ(real(y.at(at({{"A", 100}, {"C", c}}))), c % 8 == row ? sum : 0.0f) << row << ", " << c;
    }
  }
}

TEST(Book, CTR_009_values) {
  // $(H + Fh) $(W + Fw) K, Fh Fw K C -> H W C: the window over H is walked by the fetch, the one over W by the shifts of the stream adapter.
  ModuleBuilder b("S = 256, H = 3, Fh = 2, W = 30, Fw = 3, K = 4, C = 8");
  auto const l = b.hbm("image", half_type, "S, $(H, Fh), K, $(W, Fw)", 0, ir::Role::argument),
             r = b.hbm("filter", half_type, "C, Fh, K, Fw # 4", 1 << 24, ir::Role::argument),
             out = b.hbm("out", float32, "S, H, C, W # 32", 1 << 28, ir::Role::result);
  auto const x = b.dm("image", half_type, "S", "$(H, Fh), K, $(W, Fw)", 0), w = b.dm("filter", half_type, "S", "C, Fh, K, Fw # 4", 8192),
             y = b.dm("out", float32, "S", "H, C, W # 32", 16384);
  auto const weights = b.trf("filter", half_type, "S", "C", "Fh, K, Fw # 4");
  b.move(l, x);
  b.move(r, w);
  b.sub(w).time("C, Fh").packet("K, Fw # 4").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToTrf{weights});
  b.main(x)
      .time("H, Fh, K")
      .packet("$(W, Fw)")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .time("H, Fh, K, Fw")
      .packet("W # 32")
      .stage(ir::Align{weights})
      .type(float32)
      .stage(ir::Contract{})
      .time("H, C, W # 32 / 8")
      .packet("W # 32 % 8")
      .stage(ir::Accumulate{AccumulationKind::Sequential})
      .into(ir::Commit{y, {}, false});
  b.move(y, out);
  // The image is stored once; as a tensor it has an element for every place of the window.
  Value const image = random_value(half_type, {{"S", 256}, {"Row", 4}, {"K", 4}, {"Column", 32}}, 9),
              filter = random_value(half_type, {{"C", 8}, {"Fh", 2}, {"K", 4}, {"Fw", 3}}, 10);
  auto const pixel = [&](std::int64_t s, std::int64_t h, std::int64_t k, std::int64_t column) {
    return image.at(at({{"S", s}, {"Row", h}, {"K", k}, {"Column", column}})).bits;
  };
  Value windows = value(half_type, {{"S", 256}, {"H", 3}, {"Fh", 2}, {"K", 4}, {"W", 30}, {"Fw", 3}});
  for (std::int64_t i = 0; i < windows.size(); ++i) {
    Index const at = windows.index_of(i);
    windows[i].bits = pixel(at.get("S"), at.get("H") + at.get("Fh"), at.get("K"), at.get("W") + at.get("Fw"));
  }
  Value const made = result_of(b, {windows, filter});
  for (std::int64_t s = 0; s < 256; s += 17)
    for (std::int64_t h = 0; h < 3; ++h)
      for (std::int64_t c = 0; c < 8; ++c)
        for (std::int64_t column = 0; column < 30; ++column) {
          float sum = 0;
          for (std::int64_t fh = 0; fh < 2; ++fh)
            for (std::int64_t k = 0; k < 4; ++k)
              for (std::int64_t fw = 0; fw < 3; ++fw)
                sum += half({pixel(s, h + fh, k, column + fw), 0}) * half(filter.at(at({{"C", c}, {"Fh", fh}, {"K", k}, {"Fw", fw}})));
          ASSERT_EQ(real(made.at(at({{"S", s}, {"H", h}, {"C", c}, {"W", column}}))), sum) << s << ", " << h << ", " << c << ", " << column;
        }
}

/// A product whose K comes in four tiles: HBM to DM by DMA, weights by the sub context into the half of the TRF that is not in use, the product in main,
/// partial sums in f32 in DM, and one cast at the end.
struct Tiled : ModuleBuilder {
  static constexpr std::int64_t tiles = 4;
  Value lhs = random_value(half_type, {{"I", 256}, {"K", 128}}, 5), rhs = random_value(half_type, {{"J", 8}, {"K", 128}}, 6);

  Tiled() : ModuleBuilder("I = 256, J = 8, K = 128, Turn = 2") {
    auto const l = hbm("lhs", half_type, "I, K", 0, ir::Role::argument), r = hbm("rhs", half_type, "J, K", 1 << 20, ir::Role::argument);
    ir::TensorId total = ir::none;
    for (std::int64_t k = 0; k < tiles; ++k) {
      ir::TensorId const part = product(tile_of(*this, l, "K / 32", 1, k), tile_of(*this, r, "K / 32", 1, k), k);
      total = k == 0 ? part : sum(total, part, k);
    }
    move(total, hbm("sums", float32, "I, J", 1 << 23, ir::Role::result));
    move(rounded(total), hbm("out", half_type, "I, J", 1 << 24, ir::Role::result));
  }

 private:
  /// Buffers take turns, so that the next tile can come while this one is used.
  std::int64_t address(std::int64_t k, std::int64_t at) { return k % 2 * 65536 + at; }
  ir::TensorId product(ir::TensorId l, ir::TensorId r, std::int64_t k) {
    auto const x = dm("x", half_type, "I", "K % 32", address(k, 0)), w = dm("w", half_type, "I", "J, K % 32", address(k, 4096));
    auto const weights = trf("w", half_type, "I", "J", "K % 32", k % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf);
    auto const part = dm("part", float32, "I", "J", address(k, 8192));
    move(l, x);
    move(r, w);
    sub(w).time("J, K % 32 / 16").packet("K % 16").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToTrf{weights});
    main(x)
        .time("K % 32 / 16")
        .packet("K % 16")
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .time("1")
        .packet("K % 32")
        .stage(ir::Align{weights})
        .type(float32)
        .packet("1")
        .stage(ir::Contract{})
        .packet("J")
        .stage(ir::Accumulate{})
        .into(ir::Commit{part, {}, false});
    return part;
  }
  ir::TensorId sum(ir::TensorId x, ir::TensorId y, std::int64_t k) {
    auto const to = dm("total", float32, "I", "J", 200000 + 8 * 4096 * k);
    main(x)
        .time("Turn")
        .packet("J")
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .stage(ir::VectorInit{})
        .time("1")
        .stage(ir::Unzip{Name("Turn"), map("1 # 2")})
        .stage(ir::VectorOperation{step_of(ClipBinaryOpF32::Add, {}, Groups::zip), {}})
        .stage(ir::VectorFinal{})
        .into(ir::Commit{to, {}, false});
    interleave(*this, y, "Turn");
    return to;
  }
  ir::TensorId rounded(ir::TensorId x) {
    auto const to = dm("out", half_type, "I", "J", 400000);
    main(x)
        .packet("J")
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .type(half_type)
        .packet("J # 16")
        .stage(ir::Cast{})
        .into(ir::Commit{to, {}, false});
    return to;
  }
};

TEST(Book, KER_03_values) {
  Tiled const k;
  Value const y = results_of(k.module, {k.lhs, k.rhs})[0];
  for (std::int64_t i = 0; i < 256; ++i)
    for (std::int64_t j = 0; j < 8; ++j) {
      float sum = 0;
      for (std::int64_t each = 0; each < 128; ++each)
        sum += half(k.lhs.at(at({{"I", i}, {"K", each}}))) * half(k.rhs.at(at({{"J", j}, {"K", each}})));
      ASSERT_EQ(real(y.at(at({{"I", i}, {"J", j}}))), sum) << i << ", " << j;
    }
}

TEST(Book, KER_05_values) {
  // Numbers whose sums need more bits than bf16 has: rounding after every tile would show.
  Tiled k;
  for (std::int64_t i = 0; i < k.lhs.size(); ++i) k.lhs[i].bits = bf16::from_float(k.lhs.index_of(i).get("K") == 0 ? 256.0f : 1.0f).bits;
  for (std::int64_t i = 0; i < k.rhs.size(); ++i) k.rhs[i].bits = bf16::from_float(1.0f).bits;
  auto const y = results_of(k.module, {k.lhs, k.rhs});
  EXPECT_EQ(real(y[0].at(at({{"I", 3}, {"J", 4}}))), 256.0f + 127.0f) << "f32 until the end";
  EXPECT_EQ(half(y[1].at(at({{"I", 3}, {"J", 4}}))), 384.0f) << "383 rounded once, to even";
  float after_each = 0;
  for (int tile = 0; tile < 4; ++tile) after_each = bf16::from_float(after_each + (tile == 0 ? 256.0f + 31.0f : 32.0f)).to_float();
  EXPECT_NE(after_each, 383.0f);
}

TEST(Book, KER_06_values) {
  Tiled const k;
  auto const y = results_of(k.module, {k.lhs, k.rhs});
  for (std::int64_t i = 0; i < 256; ++i)
    for (std::int64_t j = 0; j < 8; ++j) {
      float sum = 0;
      for (std::int64_t each = 0; each < 128; ++each)
        sum += half(k.lhs.at(at({{"I", i}, {"K", each}}))) * half(k.rhs.at(at({{"J", j}, {"K", each}})));
      ASSERT_EQ(half(y[1].at(at({{"I", i}, {"J", j}}))), bf16::from_float(sum).to_float()) << "cast and committed";
    }
  // Double-buffered: while one tile's weights are read, the next go into the other half; into the same one they may not.
  Tiled wrong;
  for (ir::Tensor& t : wrong.module.tensors) t.trf = TrfAddress::FirstHalf;
  std::swap(wrong.module.commands[2], wrong.module.commands[6]);  // loads the second tile's weights before the first are used
  EXPECT_EQ(code_of(wrong), "ir-tensors-overlap");
}

}  // namespace
}  // namespace tcp::build
