// Rows by number: an embedding looks rows of a table up, and writes changed rows back to where they came from.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(V = 1000, D = 64, S = 256);  // words, what a row holds, tokens of the text
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<S>;  // a token a slice
using Table = HbmTensor<f32, Chip, m<V, D>>;
using Tokens = HbmTensor<i32, Chip, m<S>>;
using Rows = HbmTensor<f32, Chip, m<S, D>>;

// rows[s, d] = table[token[s], d] + position[s, d]
auto embed(Context& ctx, const Table& table, const Tokens& tokens, const Rows& position) -> Rows {
  auto rows = table.gather_to_dm<V, Cluster, Slice, m<D>>(ctx.tdma, tokens, 0);  // S takes the place of V
  auto position_dm = position.to_dm<Cluster, Slice, m<D>>(ctx.tdma, 1 << 12);
  auto operand = ctx.sub.begin(position_dm.view()).fetch<f32, m<1>, m<D>>().collect<m<D / 8>, m<D % 8>>().to_vrf<m<D>>(0);
  return ctx.main.begin(rows.view())
      .fetch<f32, m<1>, m<D>>()
      .collect<m<D / 8>, m<D % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_clip(ClipBinaryOpF32::Add, operand)
      .vector_final()
      .commit<m<D>>(1 << 13)
      .to_hbm<m<S, D>>(ctx.tdma, 3 << 28);
}

// table[token[s], d] = rows[s, d]: into the table itself, so nothing is returned.
void store(Context& ctx, Table& table, const Tokens& tokens, const Rows& rows) { rows.scatter<V>(ctx.tdma, tokens, table.view_mut()); }

int main() try {
  auto ctx = Context::acquire();
  Random random(17);
  auto const table = HostTensor<f32, m<V, D>>::rand(random);
  auto const position = HostTensor<f32, m<S, D>>::rand(random);
  auto tokens = HostTensor<i32, m<S>>();
  for (std::size_t s = 0; s < 256; ++s)
    tokens[s] = i32::from_int(static_cast<std::int64_t>(7 * s % 1000));  // some words, none of them twice

  auto table_hbm = table.to_hbm<Chip, m<V, D>>(ctx.pdma, 0);
  auto const tokens_hbm = tokens.to_hbm<Chip, m<S>>(ctx.pdma, 1 << 28);
  auto const position_hbm = position.to_hbm<Chip, m<S, D>>(ctx.pdma, 2 << 28);
  auto const rows_hbm = launch(embed, ctx, table_hbm, tokens_hbm, position_hbm).get();
  auto const rows = rows_hbm.to_host<m<S, D>>(ctx.pdma);
  launch(store, ctx, table_hbm, tokens_hbm, rows_hbm).get();
  auto const stored = table_hbm.to_host<m<V, D>>(ctx.pdma);

  auto expected = table;
  int wrong_rows = 0, wrong_stored = 0;
  for (std::size_t s = 0; s < 256; ++s)
    for (std::size_t d = 0; d < 64; ++d) {
      std::size_t const at = 64 * static_cast<std::size_t>(tokens[s].to_int()) + d;
      expected[at] = f32::from_float(table[at].to_float() + position[64 * s + d].to_float());
      wrong_rows += rows[64 * s + d] != expected[at];
    }
  for (std::size_t i = 0; i < 1000 * 64; ++i) wrong_stored += stored[i] != expected[i];
  std::printf("gathered: %d wrong of %d\n", wrong_rows, 256 * 64);
  std::printf("scattered: %d wrong of %d\n", wrong_stored, 1000 * 64);
  return wrong_rows + wrong_stored == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
