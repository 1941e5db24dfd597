// What compile_time.py compiles: one whole kernel, the matrix product of the book, for each place of SHAPES.
//
//   -DSHAPES='S(512, 512, 64)'                        the book's I, J and K
//   -DSHAPES='S(512, 512, 32) S(256, 1024, 32) …'     as many kernels, each of another shape; I / 32 times J / 32 is 256
#include <tcp/tcp.hpp>

using namespace tcp;

using Chip = m<1>;
using Cluster = m<one.pad(2)>;

#ifndef SHAPES
#define SHAPES S(512, 512, 64)
#endif
#define S(ROWS, COLUMNS, DEPTH)                                                                                                           \
  namespace gemm_##ROWS##_##COLUMNS##_##DEPTH {                                                                                           \
    TCP_AXES(I = ROWS, J = COLUMNS, K = DEPTH);                                                                                           \
    using Slice = m<I / 32, J / 32>;                                                                                                      \
    HbmTensor<bf16, Chip, m<I, J>> gemm(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b) { \
      auto a_dm = a.to_dm<Cluster, Slice, m<I % 32, K>>(ctx.tdma);                                                                        \
      auto b_dm = b.to_dm<Cluster, Slice, m<J % 32, K>>(ctx.tdma);                                                                        \
      auto weights = ctx.sub.begin(b_dm.view())                                                                                           \
                         .fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>()                                                                        \
                         .collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>()                                                               \
                         .to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::Full);                                                            \
      auto c_dm = ctx.main.begin(a_dm.view())                                                                                             \
                      .fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>()                                                                          \
                      .collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>()                                                                 \
                      .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(weights)                                                            \
                      .contract<m<1>>()                                                                                                   \
                      .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved)                                          \
                      .cast<bf16, m<(J % 8).pad(16)>>()                                                                                   \
                      .commit<m<I % 32, J % 32>>();                                                                                       \
      return c_dm.to_hbm<m<I, J>>(ctx.tdma);                                                                                              \
    }                                                                                                                                     \
  }
SHAPES
