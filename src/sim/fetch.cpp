// The Fetch Engine: its sequencer, access by access, the masking registers, and the adapter's table, cast and zero
// points.
#include "sim/engines.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/scalar/zero_point.hpp"
#include "tcp/support/round.hpp"

namespace tcp::sim {

namespace {

/// The masking registers, asked element by element in the order of the stream.
class Masking {
 public:
  explicit Masking(const program::Mask& m) : mask_(m), round_(m.loops.size(), 0) {}

  bool next() {
    bool const masked = here();
    for (std::size_t k = round_.size(); k-- > 0;) {
      if (++round_[k] < mask_.loops[k]) break;
      round_[k] = 0;
    }
    return masked;
  }

 private:
  bool here() const {
    std::size_t const last = static_cast<std::size_t>(mask_.last_dim);
    std::int64_t const element = round_.back();
    if (round_[last] == 0 && element < mask_.left_pad) return true;
    if (round_[last] != mask_.loops[last] - 1) return false;
    std::int64_t const which = mask_.valid_count_dim < 0 ? 0 : round_[static_cast<std::size_t>(mask_.valid_count_dim)];
    return element >= mask_.valid_count[static_cast<std::size_t>(which)];
  }

  const program::Mask& mask_;
  std::vector<std::int64_t> round_;
};

}  // namespace

FetchAdapter::FetchAdapter(const PassContext& context, const program::Fetch& fetch) : fetch_(fetch), numeric_(context.numeric) {
  if (fetch.table >= 0) table_ = &context.program.tables[static_cast<std::size_t>(fetch.table)];
  int const bits = scalar_info(fetch.stored).bits;
  if (bits > 8) return;
  for (std::size_t turn = 0; turn < 2; ++turn)
    for (std::uint32_t stored = 0; stored < 1u << bits; ++stored) {
      std::uint32_t const made = adapted(stored, turn);
      short_[turn].push_back(made);
    }
}

std::uint32_t FetchAdapter::adapted(std::uint32_t stored, std::size_t turn) const {
  ScalarType type = fetch_.stored;
  if (table_ != nullptr) {
    stored = table_->bits[stored];
    type = table_->to;
  }
  if (!fetch_.zero_points.empty()) {
    std::size_t const which = turn < fetch_.zero_points.size() ? turn : 0;
    return subtract_zero_point_bits(stored, *zero_point(type, fetch_.zero_points[which]), fetch_.type);
  }
  return type == fetch_.type ? stored : scalar_cast_bits(type, fetch_.type, stored, numeric_);
}

void widen(const std::byte* from, std::int64_t bytes, std::int64_t each, std::uint32_t* to) {
  if (each == 1)
    for (std::int64_t i = 0; i < bytes; ++i) to[i] = std::to_integer<std::uint32_t>(from[i]);
  else if (each == 2)
    for (std::int64_t i = 0; i < bytes / 2; ++i)
      to[i] = std::to_integer<std::uint32_t>(from[2 * i]) | std::to_integer<std::uint32_t>(from[2 * i + 1]) << 8;
  else
    for (std::int64_t i = 0; i < bytes / 4; ++i) to[i] = load_scalar_bits(from, ScalarType::i32, i);
}

FetchRuns::FetchRuns(const program::Sequencer& read)
    : bytes(read.access_bytes), count(read.packets * read.accesses_per_packet), loops(read.loops) {
  while (!loops.empty() && loops.back().stride == bytes && bytes * loops.back().size <= SparseMemory::page_bytes &&
         count % loops.back().size == 0) {
    bytes *= loops.back().size;
    count /= loops.back().size;
    loops.pop_back();
  }
}

bool has_runs(const program::Fetch& fetch, const FetchAdapter& adapter) {
  return adapter.changes_nothing() && scalar_info(fetch.stored).packet_bits % 8 == 0 && fetch.read.repeat_bits == 0 && !fetch.mask;
}

namespace {

void fetch_runs(const program::Sequencer& read, std::int64_t each, const SparseMemory& dm, std::int64_t offset, Stream& out) {
  FetchRuns const runs(read);
  Odometer<> walk = odometer_of(runs.loops);
  std::vector<std::byte> buffer(static_cast<std::size_t>(runs.bytes));
  std::size_t to = 0;
  for (std::int64_t left = runs.count; left > 0; --left, walk.next()) {
    std::int64_t const address = read.base + offset + walk.at();
    bool const defined = dm.read(address, runs.bytes, buffer.data());
    widen(buffer.data(), runs.bytes, each, out.bits.data() + to);
    if (!defined) dm.mark_undefined(address, runs.bytes, each, out.undefined.data() + to);
    to += static_cast<std::size_t>(runs.bytes / each);
  }
}

}  // namespace

void fetch(const program::Fetch& fetch, const FetchAdapter& adapter, const SparseMemory& dm, std::int64_t offset, Stream& out) {
  const program::Sequencer& read = fetch.read;
  std::int64_t const bits = scalar_info(fetch.stored).packet_bits;
  std::int64_t const elements = read.access_bytes * 8 / bits;
  std::int64_t const bytes = read.repeat_bits > 0 ? ceil_div(read.repeat_bits, 8) : read.access_bytes;
  out.shape(fetch.type, read.packets, fetch.packet_elements);
  if (has_runs(fetch, adapter)) return fetch_runs(read, bits / 8, dm, offset, out);

  Odometer<> walk = odometer_of(read.loops);
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  std::size_t to = 0;
  for (std::int64_t access = read.packets * read.accesses_per_packet; access > 0; --access, walk.next()) {
    std::int64_t const address = read.base + offset + walk.at();
    bool const defined = dm.read(address, bytes, buffer.data());
    std::size_t const turn = fetch.turn_loop < 0 ? 0 : static_cast<std::size_t>(walk.round(static_cast<std::size_t>(fetch.turn_loop)));
    for (std::int64_t e = 0; e < elements; ++e, ++to) {
      std::int64_t const element = read.repeat_bits > 0 ? 0 : e;
      out.bits[to] = adapter.apply(load_scalar_bits(buffer.data(), fetch.stored, element), turn);
      out.undefined[to] = !defined && dm.any_undefined(2 * address + element * bits / 4, bits / 4);
    }
  }
  if (!fetch.mask) return;
  Masking masking(*fetch.mask);
  std::uint32_t const pad[2] = {adapter.apply(fetch.mask->pad_value, 0), adapter.apply(fetch.mask->pad_value, 1)};
  // Masking comes before the adapter: of two interleaved tensors with zero points of their own, each pads with its own.
  Odometer<> turns = odometer_of(read.loops);
  for (std::size_t i = 0; i < out.bits.size(); ++i) {
    if (masking.next()) {
      out.bits[i] = pad[fetch.turn_loop < 0 ? 0 : static_cast<std::size_t>(turns.round(static_cast<std::size_t>(fetch.turn_loop)))];
      out.undefined[i] = 0;
    }
    if (static_cast<std::int64_t>(i + 1) % elements == 0) turns.next();
  }
}

}  // namespace tcp::sim
