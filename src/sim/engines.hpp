// The engines, one file each. They see records of a program, bytes and streams; what happens in one slice never depends
// on another but in the switch and in the inter-slice reduce.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "sim/chip.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/odometer.hpp"

// What flows between two engines of a slice, packet after packet, and what the engines share to walk memory.

namespace tcp::sim {

/// Whether any of these marks is set.
inline bool any_undefined(const std::vector<std::uint8_t>& marks) {
  return !marks.empty() && std::memchr(marks.data(), 1, marks.size()) != nullptr;
}

/// `packets` packets of `lanes` elements each. An element is bits of its type, and may be undefined: it hangs on
/// something that nothing has written.
struct Stream {
  ScalarType type = ScalarType::i32;
  std::int64_t packets = 0, lanes = 0;
  std::vector<std::uint32_t> bits;
  std::vector<std::uint8_t> undefined;

  void shape(ScalarType of, std::int64_t packet_count, std::int64_t lane_count) {
    type = of;
    packets = packet_count;
    lanes = lane_count;
    std::size_t const n = static_cast<std::size_t>(packet_count * lane_count);
    bits.assign(n, 0);
    undefined.assign(n, 0);
  }
  bool any_undefined() const { return tcp::sim::any_undefined(undefined); }
  std::int64_t count_undefined() const { return any_undefined() ? std::count(undefined.begin(), undefined.end(), std::uint8_t{1}) : 0; }
  std::size_t at(std::int64_t packet, std::int64_t lane) const { return static_cast<std::size_t>(packet * lanes + lane); }
};

/// The addresses of nested loops, outermost first, from the first on.
inline Odometer<> odometer_of(const std::vector<program::Loop>& loops) {
  std::vector<OdometerLoop<1>> all;
  all.reserve(loops.size());
  for (const program::Loop& l : loops) all.push_back({l.size, {l.stride}});
  return Odometer<>(all);
}

/// What is the same for all slices of a pass.
struct PassContext {
  const Device& device;
  const program::Program& program;
  NumericModel numeric = NumericModel::rngd;
  Where at{};  // the source line of the command

  std::int64_t flit_lanes(ScalarType type) const { return device.flit.bytes.value * 8 / scalar_info(type).packet_bits; }
};

/// Whether an f32 is zero, or so far from both ends of the range that no product of two such numbers of at most 11
/// digits, and no sum of such products, is anything special: a multiple of 2^-100 below 2^80.
constexpr bool is_moderate(std::uint32_t bits) {
  std::uint32_t const magnitude = bits & 0x7fffffff;
  return (magnitude - (87u << 23) < 80u << 23) | (magnitude == 0);
}

/// cast.cpp. Elements in the wide type of the Contraction Engine: what scalar_cast_bits makes of each.
class WideCast {
 public:
  WideCast(ScalarType from, NumericModel numeric);

  /// All of some, into other memory. Whether all results are moderate.
  bool all(const std::uint32_t* from, std::size_t count, std::uint32_t* to) const;
  std::uint32_t operator()(std::uint32_t bits) const {
    if (table_ != nullptr) return table_[bits & mask_];
    return from_ == ScalarType::bf16 ? of_bf16(bits & mask_) : slowly(bits);
  }

 private:
  /// Keeps the digits; subnormals go as the model has it, and there is one NaN.
  std::uint32_t of_bf16(std::uint32_t bits) const {
    std::uint32_t const wide = bits << 16, magnitude = wide & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fc00000;
    return magnitude < 0x00800000 && flushes_ ? wide & 0x80000000 : wide;
  }
  std::uint32_t slowly(std::uint32_t bits) const;

  ScalarType from_, to_;
  NumericModel numeric_;
  bool flushes_;
  std::uint32_t mask_;
  const std::uint32_t* table_ = nullptr;  // of types of at most 8 bits
};

/// fetch.cpp. The adapter of the Fetch Engine: what becomes of a stored element.
class FetchAdapter {
 public:
  FetchAdapter(const PassContext& context, const program::Fetch& fetch);

  /// `turn`: which of two interleaved tensors it comes from.
  /// Whether what is stored stays as it is.
  bool changes_nothing() const { return table_ == nullptr && fetch_.zero_points.empty() && fetch_.stored == fetch_.type; }
  std::uint32_t apply(std::uint32_t stored, std::size_t turn) const {
    return short_[turn].empty() ? adapted(stored, turn) : short_[turn][stored];
  }

 private:
  std::uint32_t adapted(std::uint32_t stored, std::size_t turn) const;

  const program::Fetch& fetch_;
  const program::Table* table_ = nullptr;
  NumericModel numeric_;
  std::vector<std::uint32_t> short_[2];  // by stored value, of types of at most 8 bits
};
/// Elements that lie side by side and stay as they are stored, so that they are read at once.
struct FetchRuns {
  explicit FetchRuns(const program::Sequencer& read);
  std::int64_t bytes, count;
  std::vector<program::Loop> loops;  // from run to run
};
/// Whether a fetch may be taken run by run.
bool has_runs(const program::Fetch& fetch, const FetchAdapter& adapter);
/// Elements of one, two or four bytes as words.
void widen(const std::byte* from, std::int64_t bytes, std::int64_t each, std::uint32_t* to);
/// `offset`: how far behind the base this slice begins.
void fetch(const program::Fetch& fetch, const FetchAdapter& adapter, const SparseMemory& dm, std::int64_t offset, Stream& out);

/// switch.cpp. How packets of all slices of a cluster come to others. A slice that is not there sends nothing: null.
struct Fabric {
  std::vector<const Stream*> in;  // by slice
  ScalarType type = ScalarType::i32;
  std::int64_t lanes = 0;
};
/// Where the packet that a slice puts out at a step comes from; slice -1: from none.
struct PacketSource {
  std::int64_t slice = -1, step = 0;
};
PacketSource source_of(const program::Switch& s, std::int64_t slice, std::int64_t step);
/// Whether the route of a slice leads anywhere.
bool is_fed(const program::Switch& s, std::int64_t slice);
/// The part of the routes that all slices share: how far each time step moves on.
std::vector<PacketSource> sources_in_time(const program::Switch& s);
/// What slice `to` gets, worked out from the routes at once.
Verdict take_by_route(const PassContext& context, const program::Switch& s, const std::vector<PacketSource>& in_time, const Fabric& fabric,
                      std::int64_t to, Stream& out);
/// What all slices get, packet by packet around the ring, with each router looking at its bitmap. Equals take_by_route.
Verdict take_by_routers(const PassContext& context, const program::Switch& s, const Fabric& fabric, std::vector<Stream>& out);

/// collect.cpp
void collect(const PassContext& context, const program::Collect& collect, const Stream& in, Stream& out);

/// stream_adapter.cpp: the packets of the Reducer.
class StreamAdapter {
 public:
  StreamAdapter(const PassContext& context, const program::Contraction& contraction, const Stream& flits);

  std::int64_t lanes() const { return lanes_; }
  /// Where the packet of a time step begins, if all of it is there; -1 where zeros are put in.
  std::int64_t begin_of(std::int64_t step) const {
    std::int64_t const round = step / settings_.tiles;
    std::int64_t const first = settings_.initial_shift + round % settings_.shifts * settings_.shift_stride;
    return first >= 0 && first + lanes_ <= collected_ ? round / settings_.shifts * collected_ + first : -1;
  }
  const std::vector<std::uint32_t>& bits() const { return bits_; }
  bool any_undefined() const { return tcp::sim::any_undefined(undefined_); }
  bool all_moderate() const { return moderate_; }
  /// What is undefined of `bits`; null if nothing is.
  const std::uint8_t* marks() const { return any_undefined() ? undefined_.data() : nullptr; }
  /// The packet of a time step, in the wide type.
  void packet(std::int64_t step, std::uint32_t* bits, std::uint8_t* undefined) const;

 private:
  const program::StreamAdapter& settings_;
  std::int64_t lanes_ = 0, collected_ = 0;  // elements
  std::vector<std::uint32_t> bits_;         // of all flits, transposed
  std::vector<std::uint8_t> undefined_;
  bool moderate_ = false;
};

class PlainChains;

/// contraction.cpp
/// What the sequencer and the accumulator's loops do with each time step: the same in all slices.
class ContractionWalk {
 public:
  ContractionWalk(const PassContext& context, const program::Contraction& c);

  /// The element of the weights that a step begins with, and the kept step that it is added to.
  std::size_t weights(std::int64_t step) const { return weights_[static_cast<std::size_t>(step)]; }
  std::int64_t kept(std::int64_t step) const { return kept_[static_cast<std::size_t>(step)]; }
  /// Where the packets of the steps begin in the stream; empty if some have zeros put in.
  const std::vector<std::uint32_t>& packets() const { return packets_; }
  /// The steps as plain_steps.hpp takes them, where all of a packet goes into one sum; else null.
  const PlainChains* chains() const { return chains_.get(); }

 private:
  std::vector<std::uint32_t> weights_, kept_, packets_;
  std::shared_ptr<const PlainChains> chains_;
};
void contract(const PassContext& context, const program::Contraction& c, const ContractionWalk& walk, TensorRegisterFile& trf,
              const Stream& in, Stream& out);

/// cast.cpp
void cast(const PassContext& context, const program::Cast& cast, const Stream& in, Stream& out);
void relu(Stream& stream);
/// transpose.cpp
void transpose(const PassContext& context, const program::Transpose& t, const Stream& in, Stream& out);

/// commit.cpp
void commit(const program::Commit& c, const Stream& in, SparseMemory& dm);
/// stores.cpp
Verdict store(const PassContext& context, const program::TrfStore& s, const Stream& in, TensorRegisterFile& trf);
void store(const program::VrfStore& s, const Stream& in, SparseMemory& vrf);

}  // namespace tcp::sim
