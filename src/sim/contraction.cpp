// The Contraction Engine: weights from the TRF, products, the tree, and the accumulators.
//
// Every Row multiplies the same packet with weights of its own. Neighbouring products are added, then neighbouring
// sums; what is left of a packet, its columns, goes to slots of the accumulator, where time steps are added in the
// order in which they come.
#include <algorithm>
#include <bit>

#include "sim/engines.hpp"
#include "sim/plain_steps.hpp"
#include "sim/weights.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/support/round.hpp"

namespace tcp::sim {

namespace {

/// Products and sums in the wide type. What does not change within a pass is settled when we are compiled: the loops
/// around this are where a simulation spends its time.
template <bool floating, bool maximum>
struct Arithmetic {
  static constexpr bool sums_floats = floating && !maximum;
  NumericModel numeric;

  std::uint32_t product(std::uint32_t a, std::uint32_t b) const {
    if constexpr (floating) return arithmetic::mul(f32::from_bits(a), f32::from_bits(b), numeric).bits;
    else return arithmetic::mul_int(i32::from_bits(a), i32::from_bits(b)).bits;
  }
  std::uint32_t join(std::uint32_t a, std::uint32_t b) const {
    if constexpr (floating) {
      f32 const x = f32::from_bits(a), y = f32::from_bits(b);
      return (maximum ? arithmetic::max(x, y, numeric) : arithmetic::add(x, y, numeric)).bits;
    } else {
      i32 const x = i32::from_bits(a), y = i32::from_bits(b);
      return (maximum ? arithmetic::max(x, y) : arithmetic::add_fxp(x, y)).bits;
    }
  }
};

/// Which lanes of a time step give +0.0.
class ZeroLanes {
 public:
  explicit ZeroLanes(const std::vector<program::LaneMask>& masks) : masks_(masks) {}

  std::array<std::uint64_t, 2> at(std::int64_t step) const {
    std::array<std::uint64_t, 2> lanes{};
    for (const program::LaneMask& m : masks_) {
      bool meant = true;
      for (const program::LaneMask::Round& r : m.rounds) {
        std::int64_t const counter = step / r.inside % r.size;
        meant &= counter >= r.from && counter < r.to;
      }
      if (!meant) continue;
      lanes[0] |= m.lanes[0];
      lanes[1] |= m.lanes[1];
    }
    return lanes;
  }

 private:
  const std::vector<program::LaneMask>& masks_;
};

/// One sum for each kept step, Row and column.
template <class Arithmetic>
class Accumulators {
 public:
  Accumulators(const program::Contraction& c, Arithmetic arithmetic) : c_(c), arithmetic_(arithmetic) {
    for (const program::TimeLoop& loop : c.loops) kept_ *= loop.added ? 1 : loop.rounds;
    std::size_t const n = static_cast<std::size_t>(kept_ * c.rows * c.columns);
    sum_.resize(n);
    undefined_.resize(n);
    begun_.resize(n);
  }
  std::int64_t kept() const { return kept_; }
  /// The sums of all kept steps, for who takes every time step by itself; to start with, what changes no sum.
  std::uint32_t* all() {
    std::fill(sum_.begin(), sum_.end(), 0x80000000u);
    return sum_.data();
  }
  std::uint8_t* all_marks() { return undefined_.data(); }
  std::size_t slot(std::int64_t kept, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>((kept * c_.rows + row) * c_.columns + column);
  }
  void take(std::size_t slot, std::uint32_t bits, std::uint8_t undefined) {
    sum_[slot] = begun_[slot] != 0 ? arithmetic_.join(sum_[slot], bits) : bits;
    undefined_[slot] |= undefined;
    begun_[slot] = 1;
  }
  std::uint32_t sum(std::size_t slot) const { return sum_[slot]; }
  std::uint8_t undefined(std::size_t slot) const { return undefined_[slot]; }

 private:
  const program::Contraction& c_;
  Arithmetic arithmetic_;
  std::int64_t kept_ = 1;
  std::vector<std::uint32_t> sum_;
  std::vector<std::uint8_t> undefined_, begun_;
};

template <class Arithmetic>
void put_out(const PassContext& context, const program::Contraction& c, const Accumulators<Arithmetic>& sums, ScalarType wide,
             std::int64_t tree_columns, Stream& out) {
  std::int64_t const lanes = context.flit_lanes(wide);
  std::int64_t const beats = c.sequential ? ceil_div(c.columns, lanes) : 1;
  out.shape(wide, sums.kept() * (c.sequential ? c.rows * beats : c.columns), lanes);
  for (std::int64_t kept = 0; kept < sums.kept(); ++kept)
    for (std::int64_t row = 0; row < c.rows; ++row)
      for (std::int64_t column = 0; column < c.columns; ++column) {
        // Interleaved: a value of each Row at a time. Sequential: Row by Row; after its columns there are zeros.
        std::size_t const to =
            c.sequential ? out.at((kept * c.rows + row) * beats + column / lanes, column % lanes) : out.at(kept * c.columns + column, row);
        if (column >= tree_columns) continue;
        out.bits[to] = sums.sum(sums.slot(kept, row, column));
        out.undefined[to] = sums.undefined(sums.slot(kept, row, column));
      }
  if (c.sequential) return;
  for (std::int64_t packet = 0; packet < out.packets; ++packet)  // Rows that are not in use put out anything
    for (std::int64_t lane = c.rows; lane < lanes; ++lane) out.undefined[out.at(packet, lane)] = 1;
}

/// What every Row makes of a packet: products, and sums of neighbours until `columns` are left. Rows lie beside one
/// another, [lane][Row] and then [column][Row].
template <class Arithmetic>
class Tree {
 public:
  Tree(const Arithmetic& arithmetic, const program::Contraction& c, const Weights& weights, std::int64_t lanes, std::int64_t columns)
      : arithmetic_(arithmetic),
        weights_(weights),
        rows_(static_cast<std::size_t>(c.rows)),
        lanes_(static_cast<std::size_t>(lanes)),
        columns_(static_cast<std::size_t>(columns)),
        values_(rows_ * lanes_),
        plain_(Arithmetic::sums_floats && rows_ == whole && !weights.any_special()) {}

  std::uint32_t value(std::int64_t column, std::int64_t row) const {
    return values_[static_cast<std::size_t>(column) * rows_ + static_cast<std::size_t>(row)];
  }
  template <class IsZero>
  void run(const std::vector<std::uint32_t>& data, std::size_t first, bool any_zero, IsZero is_zero) {
    if (plain_ && !any_zero && run_plain(data, first)) return;
    for (std::size_t l = 0; l < lanes_; ++l) {
      const std::uint32_t* const w = weights_.values(first + l % weights_.read_elements());
      for (std::size_t r = 0; r < rows_; ++r) values_[l * rows_ + r] = is_zero(l) ? 0 : arithmetic_.product(data[l], w[r]);
    }
    for (std::size_t width = lanes_; width > columns_; width /= 2)
      for (std::size_t i = 0; i < width / 2; ++i)
        for (std::size_t r = 0; r < rows_; ++r)
          values_[i * rows_ + r] = arithmetic_.join(values_[2 * i * rows_ + r], values_[(2 * i + 1) * rows_ + r]);
  }

 private:
  static constexpr std::size_t whole = 8;  // Rows, that a host's vector unit takes at once

  /// On the host's own numbers. False: one came up that may be special to the chip, and nothing of this counts.
  bool run_plain(const std::vector<std::uint32_t>& data, std::size_t first) {
    std::uint32_t special = 0;
    std::size_t const read = weights_.read_elements();
    for (std::size_t begin = 0; begin < lanes_; begin += read)  // a read that is narrower than the packet serves again
      for (std::size_t l = begin; l < std::min(begin + read, lanes_); ++l) {
        special |= is_special(data[l]);
        special |= all_rows(&values_[l * whole], &data[l], 0, weights_.values(first + l - begin), [](float a, float b) { return a * b; });
      }
    for (std::size_t width = lanes_; width > columns_ && special == 0; width /= 2)
      for (std::size_t i = 0; i < width / 2; ++i)
        special |= all_rows(&values_[i * whole], &values_[2 * i * whole], 1, &values_[(2 * i + 1) * whole],
                            [](float a, float b) { return a + b; });
    return special == 0;
  }
  /// One operand for all Rows has the step 0. Whether any result is special.
  template <class Do>
  static std::uint32_t all_rows(std::uint32_t* to, const std::uint32_t* a, std::size_t step, const std::uint32_t* b, Do what) {
    std::uint32_t special = 0, made[whole];
    for (std::size_t r = 0; r < whole; ++r)
      made[r] = std::bit_cast<std::uint32_t>(what(std::bit_cast<float>(a[r * step]), std::bit_cast<float>(b[r])));
    for (std::uint32_t each : made) special |= is_special(each);
    std::copy_n(made, whole, to);
    return special;
  }

  const Arithmetic& arithmetic_;
  const Weights& weights_;
  std::size_t rows_, lanes_, columns_;
  std::vector<std::uint32_t> values_;
  bool plain_;
};

/// Which of the kept steps a time step belongs to.
std::int64_t kept_step(const program::Contraction& c, std::int64_t step) {
  std::int64_t to = 0, of = 1;
  for (std::size_t k = c.loops.size(); k-- > 0; step /= c.loops[k].rounds)
    if (!c.loops[k].added) {
      to += step % c.loops[k].rounds * of;
      of *= c.loops[k].rounds;
    }
  return to;
}

template <class Arithmetic>
void contract_with(const Arithmetic& arithmetic, const PassContext& context, const program::Contraction& c, const ContractionWalk& walk,
                   TensorRegisterFile& trf, const Stream& in, Stream& out) {
  ScalarType const wide = is_integer(c.type) ? ScalarType::i32 : ScalarType::f32;
  StreamAdapter const adapter(context, c, in);
  Weights weights(context, c);
  weights.load(trf);
  ZeroLanes const zeros(c.zero_lanes);
  Accumulators sums(c, arithmetic);
  std::int64_t const lanes = adapter.lanes(), leaves = std::int64_t{1} << c.tree_depth, tree_columns = lanes / leaves;
  std::int64_t const columns = std::min(c.columns, tree_columns);
  bool const weights_undefined = weights.any_undefined();
  if constexpr (Arithmetic::sums_floats) {
    if (walk.chains() != nullptr && adapter.all_moderate() && weights.all_moderate()) {
      walk.chains()->add(static_cast<int>(lanes), adapter.bits().data(), weights.values(0), sums.all());
      walk.chains()->mark(lanes, adapter.marks(), weights.marks(), sums.all_marks());
      return put_out(context, c, sums, wide, columns, out);
    }
  }
  Tree tree(arithmetic, c, weights, columns * leaves, columns);
  std::vector<std::uint32_t> data(static_cast<std::size_t>(lanes));
  std::vector<std::uint8_t> data_undefined(data.size());
  for (std::int64_t step = 0; step < c.steps; ++step) {
    adapter.packet(step, data.data(), data_undefined.data());
    std::array<std::uint64_t, 2> const zero = zeros.at(step);
    auto const is_zero = [&zero](std::size_t lane) { return (zero[lane / 64] >> (lane % 64) & 1) != 0; };
    std::size_t const first = walk.weights(step);
    tree.run(data, first, (zero[0] | zero[1]) != 0, is_zero);
    bool const look = weights_undefined || any_undefined(data_undefined);
    // A sum is undefined if one of its products is.
    auto const is_undefined = [&](std::int64_t column, std::int64_t row) {
      for (std::int64_t lane = column * leaves; look && lane < (column + 1) * leaves; ++lane) {
        std::size_t const l = static_cast<std::size_t>(lane);
        if (!is_zero(l) && (data_undefined[l] | weights.undefined(first + l % weights.read_elements(), row)) != 0) return true;
      }
      return false;
    };
    std::int64_t const kept = walk.kept(step);
    for (std::int64_t row = 0; row < c.rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        sums.take(sums.slot(kept, row, column), tree.value(column, row), is_undefined(column, row));
  }
  put_out(context, c, sums, wide, columns, out);
}

}  // namespace

ContractionWalk::ContractionWalk(const PassContext& context, const program::Contraction& c) {
  std::int64_t low = 0;
  for (const program::Loop& loop : c.trf_loops) low += std::min<std::int64_t>(0, (loop.size - 1) * loop.stride);
  std::int64_t const bits = scalar_info(c.weights).packet_bits;
  Odometer<> walk = odometer_of(c.trf_loops);
  for (std::int64_t step = 0; step < c.steps; ++step, walk.next()) {
    weights_.push_back(static_cast<std::uint32_t>((walk.at() - low) * 8 / bits));
    kept_.push_back(static_cast<std::uint32_t>(kept_step(c, step)));
  }
  Stream none;
  none.lanes = context.flit_lanes(c.type);
  StreamAdapter const adapter(context, c, none);
  for (std::int64_t step = 0; step < c.steps; ++step) {
    std::int64_t const begin = adapter.begin_of(step);
    if (begin < 0) {
      packets_.clear();
      return;
    }
    packets_.push_back(static_cast<std::uint32_t>(begin));
  }
  std::int64_t const lanes = adapter.lanes();
  if (!is_integer(c.type) && !c.maximum && c.columns == 1 && std::int64_t{1} << c.tree_depth == lanes && c.zero_lanes.empty() &&
      c.trf_read_bytes * 8 / bits >= lanes && suits_plain_steps(c.rows, lanes))
    chains_ = std::make_shared<PlainChains const>(c, *this, packets_);
}

void contract(const PassContext& context, const program::Contraction& c, const ContractionWalk& walk, TensorRegisterFile& trf,
              const Stream& in, Stream& out) {
  NumericModel const numeric = context.numeric;
  if (is_integer(c.type)) {
    if (c.maximum) contract_with(Arithmetic<false, true>{numeric}, context, c, walk, trf, in, out);
    else contract_with(Arithmetic<false, false>{numeric}, context, c, walk, trf, in, out);
  } else {
    if (c.maximum) contract_with(Arithmetic<true, true>{numeric}, context, c, walk, trf, in, out);
    else contract_with(Arithmetic<true, false>{numeric}, context, c, walk, trf, in, out);
  }
}

}  // namespace tcp::sim
