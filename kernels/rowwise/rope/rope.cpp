// A contraction of each pair of columns with the 2 x 2 matrix that the table has for it, and how tokens, heads and the
// table are divided among slices.
#include "kernels/rowwise/rope/rope.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernels/parts/counts.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::kernels {

using dyn::map;

namespace {

constexpr std::int64_t longest_head = 512, flit = bf16_flit;

/// The rows of a step before and after, and the table's rows for them.
struct RopeStep {
  RopeStep(const Device& device, const Rope& rope)
      : of(rope),
        head(dyn::axis("H", rope.sizes().heads)),
        in(device, rope.spread(), map(head, rope.pair(), rope.from())),
        out(device, rope.spread(), map(head, rope.pair(), rope.to())),
        packet(std::gcd(rope.sizes().head, 2 * flit)) {}

  dyn::Tensor load_table(Context& ctx, const dyn::Tensor& table, std::int64_t step) const {
    Mapping const rest = map(of.to(), of.pair(), of.from());
    RowSpread const& s = of.spread();
    dyn::Tensor const whole = table.reshape(map(of.position(), rest));
    dyn::Tensor const some =
        s.step_rows == of.sizes().positions ? whole : whole.tile(of.position(), s.step_rows, of.sizes().start + s.first_row(step));
    return some.reshape(map(in.row().pad(of.sizes().positions), rest)).to_dm(ctx.tdma, in.cluster(), in.slice(), map(in.mine(), rest));
  }
  dyn::Tensor load_weights(Context& ctx, const dyn::Tensor& table, std::int64_t step) const {
    std::int64_t const some = std::min(packet, flit);
    Mapping const turn = map(of.pair(), of.from()), time = map(of.to(), in.mine(), turn / some);
    return dyn::sub(ctx)
        .begin(table)
        .fetch(ScalarType::bf16, time, turn % some)
        .collect(time, (turn % some).pad(flit))
        .to_trf(of.to(), map(in.mine(), turn / some, (turn % some).pad(flit)),
                step % 2 == 0 ? TrfAddress::FirstHalf : TrfAddress::SecondHalf);
  }
  /// A pair comes out of the two Rows as two neighbours, in f32.
  dyn::Tensor turned(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& weights) const {
    std::int64_t const some = std::min(packet, flit);
    Mapping const time = map(in.mine(), in.own() / some), packets = map(in.mine(), in.own() / packet);
    return dyn::main(ctx)
        .begin(x)
        .fetch(ScalarType::bf16, time, in.own() % some)
        .collect(time, (in.own() % some).pad(flit))
        .align(weights, packets, (in.own() % packet).pad(2 * flit))
        .contract((in.own() % packet).pad(2 * flit) / 2)
        .accumulate(AccumulationKind::Interleaved, map(in.mine(), in.own() / 2), of.to().pad(vector_lanes))
        .commit(map(out.mine(), out.held()));
  }
  dyn::Tensor rounded(Context& ctx, const dyn::Tensor& y) const {
    Mapping const time = map(out.mine(), out.own() / vector_lanes), eight = out.own() % vector_lanes;
    return dyn::main(ctx).begin(y).fetch(ScalarType::bf16, time, eight).collect(time, eight.pad(flit)).commit(map(out.mine(), out.held()));
  }

  const Rope& of;
  Mapping head;
  RowStep in, out;
  std::int64_t packet;  // columns that are multiplied at once
};

}  // namespace

Expected<RowSpread> spread_rope(const Device& device, const RopeSizes& s, Where at) {
  if (s.head < vector_lanes || s.head > longest_head || s.head % vector_lanes != 0 || s.heads < 1 || s.heads > longest_row)
    return refuse("kernel-rope-head", at)
        .what(s.heads, " heads of ", s.head, " columns")
        .why("pairs go through the Contraction Engine in packets of at least ", vector_lanes,
             " columns; a slice holds whole heads of at most ", longest_head)
        .help("use heads of ", vector_lanes, " to ", longest_head, " columns, in multiples of ", vector_lanes);
  std::int64_t const first = std::max<std::int64_t>(s.start, 0),
                     needed = first > most_rows || s.tokens > most_rows ? most_rows : first + s.tokens;
  if (s.start < 0 || s.tokens < 1 || s.positions < 1 || s.start > s.positions - s.tokens)
    return refuse("kernel-rope-position", at)
        .what(s.tokens, " tokens from position ", s.start, " on; the table has ", s.positions, " positions")
        .why("a token is turned by its position's row of the table")
        .help("make a table of at least ", needed, " positions");
  std::int64_t const of_a_row = 2 * s.head * scalar_info(ScalarType::bf16).packet_bits / 8;
  return spread_rows(device, s.tokens, s.heads * s.head,
                     {.matrices = 2,
                      .passes = 2,
                      .dm_column_bytes = 16,
                      .column_unit = s.head,
                      .most_per_slice = trf_half_capacity(device).value / of_a_row},
                     at);
}

Rope::Rope(const Device& device, const RopeSizes& sizes, Where at)
    : RowKernel(device, value_or_throw(spread_rope(device, sizes, at))), sizes_(sizes) {}

dyn::Tensor Rope::operator()(Context& ctx, const dyn::Tensor& x, const dyn::Tensor& table) const {
  RopeStep const rope(device(), *this);
  dyn::Tensor const y = rope.out.result(ctx, x);
  struct Loaded {
    dyn::Tensor x, table;
  };
  auto const load = [&](std::int64_t step) { return Loaded{rope.in.load(ctx, x, step), rope.load_table(ctx, table, step)}; };
  Loaded now, next = load(0);
  for (std::int64_t step = 0; step < spread().steps(); ++step) {
    now = std::exchange(next, {});
    auto const weights = rope.load_weights(ctx, now.table, step);
    if (step + 1 < spread().steps()) next = load(step + 1);  // queued ahead of what this step stores
    rope.out.store(ctx, rope.rounded(ctx, rope.turned(ctx, now.x, weights)), y, step);
  }
  return y;
}

Work Rope::work() const {
  Work work = work_on_rows(spread(), 2);
  work.multiply_adds = sizes_.tokens * spread().columns * 2;
  work.hbm_bytes += sizes_.tokens * sizes_.head * 4;
  work.dm_bytes += sizes_.tokens * sizes_.head * 4;
  return work;
}

std::vector<double> rope_frequencies(std::int64_t head, double base) {
  std::vector<double> all;
  for (std::int64_t p = 0; p < head / 2; ++p) all.push_back(std::pow(base, -2.0 * static_cast<double>(p) / static_cast<double>(head)));
  return all;
}
dyn::HostTensor rotation_table(std::int64_t positions, const std::vector<double>& frequencies) {
  auto const pairs = static_cast<std::int64_t>(frequencies.size());
  dyn::HostTensor table(ScalarType::bf16, map(dyn::axis("S", positions), dyn::axis("P", pairs), dyn::axis("F", 2), dyn::axis("J", 2)));
  bf16* at = table.data<bf16>();
  for (std::int64_t s = 0; s < positions; ++s)
    for (double frequency : frequencies) {
      double const angle = static_cast<double>(s) * frequency;
      for (double each : {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)}) *at++ = bf16::from_double(each);
    }
  return table;
}

}  // namespace tcp::kernels
