// Checks requests, cuts them into units and gives each to its channel (hbm_channel.hpp).
#include "tcp/sim/hbm.hpp"

#include <utility>

#include "sim/hbm_channel.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::sim {
namespace {

/// Beyond that, products of times and clock rates could leave 64 bits.
constexpr Cycles last_arrival{std::int64_t{1} << 50};

Refusal bad_size(const Device& d, const HbmRequest& r) {
  return refuse("hbm-request-size")
      .what("a request for ", r.size, " of HBM at ", r.address.value, ": a request has from 1 to ", d.hbm.access_bytes)
      .why("HBM transfers units of ", d.hbm.access_bytes, ", and DMA asks for no more at once")
      .help("split the transfer into requests of at most ", d.hbm.access_bytes);
}

Refusal bad_time(const HbmRequest& r, Cycles latest) {
  return refuse("hbm-request-time")
      .what("a request arrives at cycle ", r.arrival.value, ": the one before it arrived at ", latest.value, ", and the last cycle is ",
            last_arrival.value)
      .why("what a channel does is settled up to the latest arrival, and is not taken back")
      .help("submit requests in the order of their arrival");
}

/// The byte of the request that lies outside.
Refusal bad_address(const Device& d, const HbmRequest& r) {
  return check_hbm_address(d, r.address < Bytes{0} || r.address >= d.hbm.capacity ? r.address : r.address + r.size - Bytes{1}).refusal();
}

}  // namespace

struct Hbm::Parts {
  Device device;
  HbmTiming timing;
  HbmOrder order;
  HbmObserver* observer;
  Cycles latest{};
  std::vector<HbmChannel> channels;

  Parts(const Device& d, HbmOrder o, HbmObserver* heard) : device(d), timing(d), order(o), observer(heard) {
    for (std::int64_t i = 0; i < hbm_channels_per_chip(d); ++i) channels.emplace_back(timing, d.hbm.queue_entries);
  }

  std::int64_t push(Bytes begin, Bytes end, const HbmRequest& r, std::int64_t arrival) {
    const chip::Hbm& h = device.hbm;
    HbmPlace const p = hbm_place(begin);
    HbmUnit const unit{.row = p.row,
                       .bank = static_cast<std::int32_t>((p.slice * h.bank_groups_per_slice + p.bank_group) * h.banks_per_group + p.bank),
                       .access = r.access,
                       .partial = r.access == Access::write && end - begin != h.access_bytes,
                       .tag = r.tag};
    HbmChannel& channel = channels[static_cast<std::size_t>(p.stack * h.channels_per_stack + p.channel)];
    return order == HbmOrder::in_order ? channel.push_in_order(unit, arrival, observer) : channel.push(unit, arrival, observer);
  }
};

Hbm::Hbm(const Device& d, HbmOrder order, HbmObserver* observer) : parts_(std::make_unique<Parts>(d, order, observer)) {
  TCP_BUG_UNLESS(parts_->timing.banks <= 64, "the banks of a channel do not fit into a word");
}
Hbm::Hbm(Hbm&&) noexcept = default;
Hbm& Hbm::operator=(Hbm&&) noexcept = default;
Hbm::~Hbm() = default;

Expected<Cycles> Hbm::submit(const HbmRequest& r) {
  Parts& p = *parts_;
  Bytes const unit = p.device.hbm.access_bytes;
  if (r.size < Bytes{1} || r.size > unit) return bad_size(p.device, r);
  if (r.arrival < p.latest || r.arrival > last_arrival) return bad_time(r, p.latest);
  if (r.address < Bytes{0} || r.address > p.device.hbm.capacity - r.size) return bad_address(p.device, r);

  Bytes const end = r.address + r.size;
  p.latest = r.arrival;
  std::int64_t const arrival = p.timing.command_cycle(r.arrival);
  Bytes const next_unit{(r.address.value & -unit.value) + unit.value};
  std::int64_t entered = p.push(r.address, std::min(end, next_unit), r, arrival);
  if (end > next_unit) entered = std::max(entered, p.push(next_unit, end, r, arrival));
  return p.timing.core_cycle_before(entered);
}

void Hbm::advance(Cycles now) {
  Parts& p = *parts_;
  p.latest = std::max(p.latest, std::min(now, last_arrival));
  std::int64_t const until = p.timing.command_cycle(p.latest);
  for (HbmChannel& channel : p.channels) channel.advance(until, p.observer);
}

Cycles Hbm::finish() {
  Parts& p = *parts_;
  HbmCycles end{};
  for (HbmChannel& channel : p.channels) {
    channel.advance(std::numeric_limits<std::int64_t>::max(), p.observer);
    end = std::max(end, channel.stats().end);
  }
  return p.timing.core_cycle_after(end.value);
}

std::vector<HbmChannelStats> Hbm::channels() const {
  std::vector<HbmChannelStats> all;
  for (const HbmChannel& channel : parts_->channels) all.push_back(channel.stats());
  return all;
}

}  // namespace tcp::sim
