// What a DMA asks of the channels of HBM. Each engine is looked at by itself, as the book does: how engines interleave
// on a bank is the detailed model's matter.
#include "sched/book/requests.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/derived.hpp"

namespace tcp::sched::book {

namespace {

/// The channels of one chip as one descriptor sees them.
class Channels {
 public:
  explicit Channels(const Device& device)
      : device_(device),
        banks_(device.hbm.slices_per_channel * device.hbm.bank_groups_per_slice * device.hbm.banks_per_group),
        made(static_cast<std::size_t>(hbm_channels_per_chip(device))),
        open_(made.size() * static_cast<std::size_t>(banks_), -1) {}

  void ask(const Request& r, bool write) {
    std::int64_t const unit = device_.hbm.access_bytes.value;
    for (std::int64_t at = r.address / unit * unit; at < r.address + r.bytes; at += unit) {
      bool const whole = r.address <= at && at + unit <= r.address + r.bytes;
      one(at, write && !whole);
    }
  }

 private:
  void one(std::int64_t at, bool partial) {
    auto const place = hbm_decode(device_, Bytes{at});
    if (!place) return;  // no such memory: the program's own check says so
    std::size_t const channel = static_cast<std::size_t>(place->stack * device_.hbm.channels_per_stack + place->channel);
    std::int64_t const bank =
        (place->slice * device_.hbm.bank_groups_per_slice + place->bank_group) * device_.hbm.banks_per_group + place->bank;
    std::int64_t& row = open_[channel * static_cast<std::size_t>(banks_) + static_cast<std::size_t>(bank)];
    ChannelLoad& load = made[channel];
    ++load.requests;
    if (row >= 0 && row != place->row) ++load.row_switches;
    if (partial) ++load.partial_writes;
    row = place->row;
  }

  const Device& device_;
  std::int64_t banks_;

 public:
  std::vector<ChannelLoad> made;

 private:
  std::vector<std::int64_t> open_;
};

void add_side(const Device& device, const program::DmaDescriptor& d, bool write, std::map<std::int32_t, std::vector<ChannelLoad>>& loads) {
  const program::DmaSide& side = write ? d.write : d.read;
  if (side.memory != program::Memory::Hbm) return;
  Channels channels(device);
  std::vector<ChannelLoad>& of_chip = loads[side.chip];
  of_chip.resize(channels.made.size());
  auto const ask = [&](const Request& r) { channels.ask(r, write); };
  auto visit = [&](std::int64_t packet) { each_request(device, packet, d.packet_bytes, ask); };
  PacketWalk const walk(device, d, write, visit);
  for (std::size_t c = 0; c < channels.made.size(); ++c) {
    const ChannelLoad& seen = channels.made[c];
    ChannelLoad& load = of_chip[c];
    load.requests = plus(load.requests, walk.for_all(seen.requests));
    load.row_switches = plus(load.row_switches, walk.for_all(seen.row_switches));
    load.partial_writes = plus(load.partial_writes, walk.for_all(seen.partial_writes));
  }
}

}  // namespace

std::map<std::int32_t, std::vector<ChannelLoad>> channel_loads(const Device& device, const program::Dma& d) {
  std::map<std::int32_t, std::vector<ChannelLoad>> loads;
  for (const program::DmaDescriptor& each : d.descriptors)
    for (bool write : {false, true}) add_side(device, each, write, loads);
  return loads;
}

}  // namespace tcp::sched::book
