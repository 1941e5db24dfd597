// The engines, one file each. They see records of a program, bytes and streams; what happens in one slice never depends
// on another but in the switch and in the inter-slice reduce.
#pragma once

#include "sim/chip.hpp"
#include "sim/stream.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sim {

/// What is the same for all slices of a pass.
struct PassContext {
  const Device& device;
  const program::Program& program;
  NumericModel numeric = NumericModel::rngd;
  Where at{};  // the source line of the command

  std::int64_t flit_lanes(ScalarType type) const { return device.flit.bytes.value * 8 / scalar_info(type).packet_bits; }
};

/// fetch.cpp. The adapter of the Fetch Engine: what becomes of a stored element.
class FetchAdapter {
 public:
  FetchAdapter(const PassContext& context, const program::Fetch& fetch);

  /// `turn`: which of two interleaved tensors it comes from.
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
/// What slice `to` gets, worked out from the routes at once.
Verdict take_by_route(const PassContext& context, const program::Switch& s, const Fabric& fabric, std::int64_t to, Stream& out);
/// What all slices get, packet by packet around the ring, with each router looking at its bitmap. Equals take_by_route.
Verdict take_by_routers(const PassContext& context, const program::Switch& s, const Fabric& fabric, std::vector<Stream>& out);

/// collect.cpp
void collect(const PassContext& context, const program::Collect& collect, const Stream& in, Stream& out);

/// stream_adapter.cpp: the packets of the Reducer.
class StreamAdapter {
 public:
  StreamAdapter(const PassContext& context, const program::Contraction& contraction, const Stream& flits);

  std::int64_t lanes() const { return lanes_; }
  /// The packet of a time step, in the wide type.
  void packet(std::int64_t step, std::uint32_t* bits, std::uint8_t* undefined) const;

 private:
  const program::StreamAdapter& settings_;
  std::int64_t lanes_ = 0, collected_ = 0;  // elements
  std::vector<std::uint32_t> bits_;         // of all flits, transposed
  std::vector<std::uint8_t> undefined_;
};

/// contraction.cpp
void contract(const PassContext& context, const program::Contraction& c, TensorRegisterFile& trf, const Stream& in, Stream& out);

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
