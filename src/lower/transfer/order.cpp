// In which order an engine goes through its loops.
//
// The book's order is: what lies in a slice outside, its slices inside, and last its DMNs, so that they take turns at a
// request each. Where HBM takes part that may be the wrong one, as rows are opened again and again; so a few orders are
// tried on the first requests, and the best is taken. An order that the author gives is kept; slices, which it does not
// name, go inside.
#include <algorithm>

#include "lower/transfer/transfer.hpp"
#include "tcp/device/address_map.hpp"

namespace tcp::lower::transfer {

namespace {

/// The greatest key first; a few rounds, and those alike stay as they are.
template <class Key>
std::vector<Round> sorted(std::vector<Round> all, Key key) {
  auto const before = [&](const Round& a, const Round& b) { return key(a) > key(b); };
  for (auto at = all.begin(); at != all.end(); ++at) std::rotate(std::upper_bound(all.begin(), at, *at, before), at, at + 1);
  return all;
}

using Rank = std::pair<int, std::int64_t>;

/// Orders that are tried, the book's first.
std::vector<std::vector<Round>> orders(const Device& device, const Move& move, const std::vector<Round>& rounds) {
  if (move.shaped()) return {sorted(rounds, [](const Round& r) { return r.units != 0 ? Rank(0, -r.units) : Rank(1, -r.place); })};
  std::size_t const hbm = move.side[reading].memory == Memory::Hbm ? reading : writing;
  std::int64_t const dmn = device.levels.slices_per_dmn;
  return {sorted(rounds, [](const Round& r) { return r.units != 0 ? Rank(0, -r.units) : Rank(1, r.stride[writing]); }),
          sorted(rounds,
                 [dmn](const Round& r) {
                   return r.units >= dmn ? Rank(0, 0) : r.units > 0 ? Rank(2, -r.units) : Rank(1, r.stride[writing]);
                 }),
          sorted(rounds, [hbm](const Round& r) { return Rank(0, r.stride[hbm]); }),
          sorted(rounds, [hbm, dmn](const Round& r) { return Rank(r.units < dmn ? 1 : 0, r.stride[hbm]); })};
}

/// The first requests of a descriptor: which channels they go to, and how often DMNs take turns.
class Trial {
 public:
  Trial(const Device& device, const Move& move, const Begin& begin)
      : device_(device),
        move_(move),
        begin_(begin),
        banks_(device.hbm.slices_per_channel * device.hbm.bank_groups_per_slice * device.hbm.banks_per_group),
        channels_(static_cast<std::size_t>(device.hbm.stacks_per_chip * device.hbm.channels_per_stack)),
        open_row_(channels_.size() * static_cast<std::size_t>(banks_), -1) {}

  /// About how long they take, in thirds of a cycle, if all engines do likewise.
  std::int64_t cycles(const std::vector<Round>& rounds) {
    constexpr std::int64_t sample = 256;
    std::int64_t const requests = dma_requests(device_, Bytes{begin_.packet}), most = std::max<std::int64_t>(1, sample / requests);
    std::vector<std::int64_t> at(rounds.size(), 0);
    std::int64_t packets = 0;
    for (bool more = true; more && packets < most; ++packets) {
      packet(rounds, at, requests);
      std::size_t i = rounds.size();
      while (i > 0 && ++at[i - 1] == rounds[i - 1].size) at[--i] = 0;
      more = i > 0;
    }
    std::int64_t slowest = 3 * requests * (packets + (move_.near() ? same_dmn_ : 0));
    for (const Channel& c : channels_)
      slowest = std::max(slowest, begin_.engines * c.count * (2 * c.switches > c.count ? 3 * device_.hbm.row_switch.value : 16));
    return slowest;
  }

 private:
  struct Channel {
    std::int64_t count = 0, switches = 0;
  };

  void packet(const std::vector<Round>& rounds, const std::vector<std::int64_t>& at, std::int64_t requests) {
    std::array<std::int64_t, 3> where = begin_.address;
    std::int64_t unit = begin_.unit;
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      for (Role role : {reading, writing}) where[role] += at[i] * rounds[i].stride[role] / 8;
      if (move_.rows && rounds[i].stride[indexing] != 0) where[table()] += at[i] * row_bytes();
      unit += at[i] * rounds[i].units;
    }
    for (Role role : {reading, writing})
      for (std::int64_t r = 0; r < requests && move_.side[role].memory == Memory::Hbm; ++r)
        request(Bytes{where[role] + r * device_.dma.request_bytes.value});
    std::int64_t const dmn = unit / device_.levels.slices_per_dmn;
    same_dmn_ += dmn == last_dmn_;
    last_dmn_ = dmn;
  }
  /// Which rows an index names is not known yet: they are taken to follow each other.
  Role table() const { return move_.scatter ? writing : reading; }
  std::int64_t row_bytes() const { return move_.rows->level == Level::element ? move_.rows->stride * move_.side[table()].bits / 8 : 0; }
  void request(Bytes address) {
    auto const place = hbm_decode(device_, address);
    if (!place) return;
    std::int64_t const channel = place->stack * device_.hbm.channels_per_stack + place->channel;
    std::int64_t const group = place->slice * device_.hbm.bank_groups_per_slice + place->bank_group;
    Channel& c = channels_[static_cast<std::size_t>(channel)];
    std::int64_t& row = open_row_[static_cast<std::size_t>(channel * banks_ + group * device_.hbm.banks_per_group + place->bank)];
    c.switches += row != place->row;
    row = place->row;
    ++c.count;
  }

  const Device& device_;
  const Move& move_;
  const Begin& begin_;
  std::int64_t banks_;  // per channel
  std::vector<Channel> channels_;
  std::vector<std::int64_t> open_row_;  // in each bank of each channel
  std::int64_t same_dmn_ = 0, last_dmn_ = -1;
};

}  // namespace

std::vector<Round> best_order(const Device& device, const Move& move, const Begin& begin, const std::vector<Round>& rounds) {
  auto all = orders(device, move, rounds);
  bool const hbm = move.side[reading].memory == Memory::Hbm || move.side[writing].memory == Memory::Hbm;
  if (all.size() == 1 || !hbm || move.pcie || rounds.size() < 2) return all[0];
  std::size_t best = 0;
  std::int64_t least = INT64_MAX;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), all[i]) != all.begin() + static_cast<std::ptrdiff_t>(i))
      continue;  // tried before
    std::int64_t const taken = Trial(device, move, begin).cycles(all[i]);
    if (taken >= least) continue;
    least = taken;
    best = i;
  }
  return all[best];
}

}  // namespace tcp::lower::transfer
