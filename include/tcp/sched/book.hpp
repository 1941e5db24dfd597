// The timing model `book`: the book's closed forms, one function per engine, and how they make up a command.
//
// A pass through the Tensor Unit is a pipeline: it takes what its slowest engine takes, and the fill. The fill is the
// latency of what the first packet goes through: the fetch adapter's cast, the tree of adders, one cycle an ALU, one
// for each slice of a ring that is reduced. Commands have no overhead of their own.
//
// A DMA takes what its slowest engine takes: for each of its descriptors the start-up and then the requests, reads and
// writes of one medium in turn, of two media at the same time. No channel of HBM may be asked for more than it gives: a
// request takes 16/3 cycles, or that of a row switch where most requests switch rows.
//
// Where a total that the book prints contradicts the book's own rule, the rule holds. LiteralBook has a switch for each
// such total.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/sched/i_duration.hpp"

namespace tcp::sched {

/// Totals as printed; each by the row of our ledger of the book.
struct LiteralBook {
  bool same_medium_overlaps = false;  // DMA-27: a copy inside HBM counts its requests once, and no channel
  bool other_medium_in_turn = false;  // DMA-46: DM to HBM counts reads and writes, and one DMN has the full rate
  bool channel_rate_rounded = false;  // DMA-43: 5.3 cycles per request instead of 16/3
  bool fetch_of_24_bytes = false;     // KER-62: three accesses of 8 bytes count as one
  bool tree_not_pipelined = false;    // CTR-080: every time step waits for the tree

  bool operator==(const LiteralBook&) const = default;
};

namespace book {

// Numbers beyond `endless` are cut to it, so that a record with absurd sizes has a cost that can be compared and
// refused.
inline constexpr std::int64_t endless = std::int64_t{1} << 58;

Cycles fetch_cycles(const Device& device, const program::Fetch& fetch, bool dual, const LiteralBook& literal = {});
Cycles fetch_fill(const Device& device, const program::Fetch& fetch);
/// The table that a DMA brings for a fetch whose units begin apart.
Cycles lift_table(const Device& device, const program::Fetch& fetch);

/// Flits of a packet, or pairs of flits where both channels are joined.
std::int64_t flits(const Device& device, std::int64_t packet_bytes, bool dual);
Cycles switch_cycles(std::int64_t ring_size, std::int64_t input_time, std::int64_t flits_per_packet);

Cycles tree_latency(const Device& device, ScalarType type);
/// Time steps that enter the tree, one per cycle, all Rows alike.
Cycles contraction_cycles(const Device& device, const program::Contraction& c, const LiteralBook& literal = {});
/// Flits that leave the accumulator.
std::int64_t reducer_flits(const Device& device, const program::Contraction& c);

Cycles vector_cycles(const program::Vector& v, std::int64_t flits_in);
/// One for each ALU, and the ring of an inter-slice reduce.
Cycles vector_fill(const Device& device, const program::Vector& v);

Cycles transpose_cycles(const program::Transpose& t);
Cycles commit_cycles(const program::Commit& c);

program::Cost pass_cost(const Device& device, const program::Exec& e, const LiteralBook& literal = {});
program::Cost dma_cost(const Device& device, const program::Dma& d, const LiteralBook& literal = {});

/// What requests to HBM ask of each channel of a chip.
struct ChannelLoad {
  std::int64_t requests = 0;      // units of transfer
  std::int64_t row_switches = 0;  // of banks that were open
  std::int64_t partial_writes = 0;
};
/// By chip and channel; channel = stack * channels_per_stack + channel of the stack. Every request is looked at, up to
/// `requests_walked` of a side of a descriptor; of longer ones the first rounds stand for all.
inline constexpr std::int64_t requests_walked = std::int64_t{1} << 22;
std::map<std::int32_t, std::vector<ChannelLoad>> channel_loads(const Device& device, const program::Dma& d);
/// How long a channel works on its load, and what of that is due to rows that are switched and to partial writes.
struct ChannelTime {
  std::int64_t cycles = 0, rows = 0, partial = 0;
};
ChannelTime channel_time(const Device& device, const ChannelLoad& load, const LiteralBook& literal = {});

}  // namespace book

class BookDuration final : public Duration {
 public:
  explicit BookDuration(const Device& device, LiteralBook literal = {}) : device_(device), literal_(literal) {}

  std::string_view name() const override { return "book"; }
  Expected<program::Cost> cost(const program::Command& command, std::size_t number) const override;

 private:
  Device device_;
  LiteralBook literal_;
};

}  // namespace tcp::sched
