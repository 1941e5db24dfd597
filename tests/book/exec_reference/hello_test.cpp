// The five kernels of the book's first chapter, as corrected by its errata, run by the reference interpreter against plain loops on the host.
#include <gtest/gtest.h>

#include "run_module.hpp"

namespace tcp::build {
namespace {

TEST(Book, HEL_11_values_constant_addition) {
  ModuleBuilder b("A = 2048");
  auto const in = b.hbm("in", ScalarType::i32, "A", 0, ir::Role::argument),
             out = b.hbm("out", ScalarType::i32, "A", 1 << 28, ir::Role::result);
  auto const dm = b.dm("dm", ScalarType::i32, "A / 8", "A % 8", 0), sum = b.dm("sum", ScalarType::i32, "A / 8", "A % 8", 1 << 12);
  b.move(in, dm);
  b.main(dm)
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::AddFxp, {constant(1)}))
      .stage(ir::VectorFinal{})
      .into(ir::Commit{sum, {}, false});
  b.move(sum, out);
  Value const x = random_value(ScalarType::i32, {{"A", 2048}}, 1);
  Value const y = result_of(b, {x});
  for (std::int64_t a = 0; a < 2048; ++a) ASSERT_EQ(y.at(at({{"A", a}})).bits, x.at(at({{"A", a}})).bits + 1) << a;
}

TEST(Book, HEL_14_values_elementwise_multiplication) {
  ModuleBuilder b("A = 2048");
  auto const l = b.hbm("lhs", ScalarType::i32, "A", 0, ir::Role::argument),
             r = b.hbm("rhs", ScalarType::i32, "A", 1 << 28, ir::Role::argument);
  auto const out = b.hbm("out", ScalarType::i32, "A", 2 << 28, ir::Role::result);
  auto const dl = b.dm("l", ScalarType::i32, "A / 8", "A % 8", 0), dr = b.dm("r", ScalarType::i32, "A / 8", "A % 8", 1 << 12);
  auto const product = b.dm("product", ScalarType::i32, "A / 8", "A % 8", 1 << 13), vrf = b.vrf("v", ScalarType::i32, "A / 8", "A % 8", 0);
  b.move(l, dl);
  b.move(r, dr);
  b.sub(dr).stage(ir::Fetch{}).time("A % 8 / 8").packet("A % 8 % 8").stage(ir::Collect{}).into(ir::ToVrf{vrf});
  b.main(dl)
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(operation(FxpBinaryOp::MulInt, {from_vrf(vrf)}))
      .stage(ir::VectorFinal{})
      .into(ir::Commit{product, {}, false});
  b.move(product, out);
  Value const x = random_value(ScalarType::i32, {{"A", 2048}}, 2), y = random_value(ScalarType::i32, {{"A", 2048}}, 3);
  Value const z = result_of(b, {x, y});
  for (std::int64_t a = 0; a < 2048; ++a) ASSERT_EQ(z.at(at({{"A", a}})).bits, x.at(at({{"A", a}})).bits * y.at(at({{"A", a}})).bits) << a;
}

TEST(Book, HEL_18_values_dot_product) {
  ModuleBuilder b("A = 2048");
  auto const l = b.hbm("lhs", ScalarType::bf16, "A", 0, ir::Role::argument),
             r = b.hbm("rhs", ScalarType::bf16, "A", 1 << 28, ir::Role::argument);
  auto const out = b.hbm("out", ScalarType::bf16, "1", 2 << 28, ir::Role::result);
  auto const dl = b.dm("l", ScalarType::bf16, "1 # 256", "A", 0), dr = b.dm("r", ScalarType::bf16, "1 # 256", "A", 1 << 12);
  auto const sum = b.dm("sum", ScalarType::bf16, "1 # 256", "1 # 8", 1 << 13), trf = b.trf("t", ScalarType::bf16, "1 # 256", "1", "A");
  b.move(l, dl);
  b.move(r, dr);
  b.sub(dr).stage(ir::Fetch{}).time("A / 16").packet("A % 16").stage(ir::Collect{}).into(ir::ToTrf{trf});
  b.main(dl)
      .stage(ir::Fetch{})
      .time("A / 16")
      .packet("A % 16")
      .stage(ir::Collect{})
      .time("A / 32")
      .packet("A % 32")
      .stage(ir::Align{trf})
      .type(ScalarType::f32)
      .packet("1")
      .stage(ir::Contract{})
      .time("1")
      .packet("1 # 8")
      .stage(ir::Accumulate{})
      .type(ScalarType::bf16)
      .packet("1 # 16")
      .stage(ir::Cast{})
      .into(ir::Commit{sum, {}, false});
  b.move(sum, out);
  Value const x = random_value(ScalarType::bf16, {{"A", 2048}}, 4), y = random_value(ScalarType::bf16, {{"A", 2048}}, 5);
  float expected = 0;  // every partial sum is a small multiple of 1/16, so f32 adds without rounding, in any order
  for (std::int64_t a = 0; a < 2048; ++a) expected += half(x.at(at({{"A", a}}))) * half(y.at(at({{"A", a}})));
  EXPECT_EQ(half(result_of(b, {x, y})[0]), bf16::from_float(expected).to_float());
}

TEST(Book, HEL_35_values_gemm) {
  ModuleBuilder b("I = 512, J = 512, K = 64");
  char const* const slice = "I / 32, J / 32";
  auto const a = b.hbm("a", ScalarType::bf16, "I, K", 0, ir::Role::argument),
             w = b.hbm("b", ScalarType::bf16, "J, K", 1 << 28, ir::Role::argument);
  auto const out = b.hbm("c", ScalarType::bf16, "I, J", 2 << 28, ir::Role::result);
  auto const da = b.dm("a", ScalarType::bf16, slice, "I % 32, K", 0), dw = b.dm("b", ScalarType::bf16, slice, "J % 32, K", 1 << 12);
  auto const tile = b.dm("c", ScalarType::bf16, slice, "I % 32, J % 32", 1 << 13),
             trf = b.trf("b", ScalarType::bf16, slice, "J % 8", "J / 8 % 4, K");
  b.move(a, da);
  b.move(w, dw);
  b.sub(dw)
      .time("J % 8, J / 8 % 4")
      .packet("K")
      .stage(ir::Fetch{})
      .time("J % 8, J / 8 % 4, K / 16")
      .packet("K % 16")
      .stage(ir::Collect{})
      .into(ir::ToTrf{trf});
  b.main(da)
      .time("I % 32, J / 8 % 4")
      .packet("K")
      .stage(ir::Fetch{})
      .time("I % 32, J / 8 % 4, K / 16")
      .packet("K % 16")
      .stage(ir::Collect{})
      .time("I % 32, J / 8 % 4, K / 32")
      .packet("K % 32")
      .stage(ir::Align{trf})
      .type(ScalarType::f32)
      .packet("1")
      .stage(ir::Contract{})
      .time("I % 32, J / 8 % 4")
      .packet("J % 8")
      .stage(ir::Accumulate{})
      .type(ScalarType::bf16)
      .packet("J % 8 # 16")
      .stage(ir::Cast{})
      .into(ir::Commit{tile, {}, false});
  b.move(tile, out);
  Value const x = random_value(ScalarType::bf16, {{"I", 512}, {"K", 64}}, 6),
              y = random_value(ScalarType::bf16, {{"J", 512}, {"K", 64}}, 7);
  Value const c = result_of(b, {x, y});
  for (std::int64_t i = 0; i < 512; i += 7)
    for (std::int64_t j = 0; j < 512; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < 64; ++k) sum += half(x.at(at({{"I", i}, {"K", k}}))) * half(y.at(at({{"J", j}, {"K", k}})));
      ASSERT_EQ(half(c.at(at({{"I", i}, {"J", j}}))), bf16::from_float(sum).to_float()) << i << ", " << j;
    }
}

}  // namespace
}  // namespace tcp::build
