// Two ways of simulating DM that give the same times: one group of slices in which the same engines work as one
// slice, or every slice by itself (dm_banks.hpp), which checks the first.
#include "sim/detailed/banks.hpp"

#include <algorithm>
#include <bit>

#include "sim/dm_timeout.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::sim {

namespace {

/// Calls visit(slice) for all slices of the units, counted through clusters and chips.
template <class Visit>
void each_slice(const Device& device, std::int64_t chips, const program::Units& units, Visit visit) {
  const chip::Levels& l = device.levels;
  for (std::int64_t chip = 0; chip < chips; ++chip) {
    if (chip >= static_cast<std::int64_t>(units.chips.size()) || !units.chips[static_cast<std::size_t>(chip)]) continue;
    for (std::int64_t cluster = 0; cluster < l.clusters_per_chip; ++cluster) {
      if ((units.clusters >> cluster & 1) == 0) continue;
      for (std::int64_t s = 0; s < l.slices_per_cluster; ++s)
        if (units.slices.contains(s)) visit((chip * l.clusters_per_chip + cluster) * l.slices_per_cluster + s);
    }
  }
}

std::int64_t slices_of(const Device& device, std::int64_t chips) {
  return chips * device.levels.clusters_per_chip * device.levels.slices_per_cluster;
}

/// One bit a bank, set for each that an access touches.
class BankMask {
 public:
  explicit BankMask(const Device& device)
      : shift_(std::countr_zero(static_cast<std::uint64_t>(device.dm.row_bytes.value))), banks_(device.dm.banks_per_slice) {
    TCP_BUG_UNLESS(banks_ <= 64 && std::has_single_bit(static_cast<std::uint64_t>(banks_)), "the banks of a slice do not fit into a word");
  }

  std::int64_t line(std::int64_t address) const { return address >> shift_; }
  std::uint64_t of_lines(std::int64_t begin, std::int64_t end) const {
    std::uint64_t const all = banks_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << banks_) - 1;
    if (end - begin >= banks_) return all;
    std::uint64_t const run = (std::uint64_t{1} << (end - begin)) - 1;
    std::int64_t const first = begin & (banks_ - 1);
    return first == 0 ? run : (run << first | run >> (banks_ - first)) & all;
  }
  std::uint64_t of(std::int64_t address, std::int64_t bytes) const { return of_lines(line(address), line(address + bytes - 1) + 1); }

 private:
  int shift_;
  std::int64_t banks_;
};

/// Slices in which the same engines work.
struct Group {
  std::uint32_t clients = 0;  // a bit each
  std::int64_t slices = 0;
  std::uint32_t waiting = 0;  // clients whose access is still to be served here
  std::uint64_t taken = 0;    // banks, in this cycle
  std::array<std::uint64_t, tensor_clients> taken_by{};
};

struct Waiting {
  DmaRequest request;
  std::int64_t line = 0, end = 0;  // not yet part of a beat
  std::int64_t issued = 0;
};

/// As in dm_banks.cpp: the requests of one DMN, oldest first, and the beat that its path works on.
struct Dmn {
  std::vector<Waiting> ring;
  std::size_t first = 0, count = 0;
  std::uint64_t beat = 0;
  DmBlocker blocker{};

  Waiting& oldest() { return ring[first]; }
};

class CollapsedBanks final : public Banks {
 public:
  CollapsedBanks(const Device& device, std::int64_t chips)
      : device_(device),
        chips_(chips),
        mask_(device),
        beat_lines_(std::clamp<std::int64_t>(device.dm.dmn_bytes_per_cycle / device.dm.row_bytes, 1, device.dm.banks_per_slice)),
        clients_of_(static_cast<std::size_t>(slices_of(device, chips)), 0),
        queued_(clients_of_.size(), 0),
        dmns_(static_cast<std::size_t>(slices_of(device, chips) / device.levels.slices_per_dmn)),
        starved_(static_cast<std::size_t>(slices_of(device, chips) / slices_per_pe(device)), false),
        use_(static_cast<std::size_t>(device.dm.banks_per_slice)) {
    for (Dmn& n : dmns_) n.ring.resize(static_cast<std::size_t>(device.levels.slices_per_dmn * device.dm.dma_queue_entries));
  }

  void take(DmClient client, std::int32_t command, const program::Units& units) override {
    std::uint8_t const bit = static_cast<std::uint8_t>(1u << static_cast<int>(client));
    each_slice(device_, chips_, units, [&](std::int64_t s) { clients_of_[static_cast<std::size_t>(s)] |= bit; });
    command_[static_cast<std::size_t>(client)] = command;
    find_groups();
  }
  void leave(DmClient client) override {
    std::uint8_t const others = static_cast<std::uint8_t>(~(1u << static_cast<int>(client)));
    for (std::uint8_t& c : clients_of_) c &= others;
    find_groups();
  }

  void issue(DmClient client, std::int64_t address, std::int64_t bytes) override {
    std::size_t const c = static_cast<std::size_t>(client);
    access_[c] = mask_.of(address, bytes);
    std::uint32_t const bit = 1u << c;
    for (std::size_t g = 0; g < groups_; ++g) {
      group_[g].waiting |= group_[g].clients & bit;
      waiting_ |= group_[g].waiting;
    }
  }
  bool served(DmClient client) const override { return (waiting_ >> static_cast<int>(client) & 1) == 0; }

  bool ask(const DmaRequest& r) override {
    std::uint8_t& queued = queued_[static_cast<std::size_t>(r.slice)];
    if (queued == device_.dm.dma_queue_entries) return false;
    ++queued;
    ++requests_;
    Dmn& n = dmns_[static_cast<std::size_t>(r.slice / device_.levels.slices_per_dmn)];
    n.ring[(n.first + n.count++) % n.ring.size()] = {r, mask_.line(r.address), mask_.line(r.address + r.bytes - 1) + 1, now_};
    return true;
  }
  bool starved(std::int64_t slice) const override { return starved_[static_cast<std::size_t>(slice / slices_per_pe(device_))]; }

  void step() override {
    answered.clear();
    bool const engines = waiting_ != 0;
    waiting_ = 0;
    for (std::size_t g = 0; g < groups_; ++g) serve(group_[g], engines);
    if (requests_ > 0) {
      std::fill(starved_.begin(), starved_.end(), false);
      for (std::size_t n = 0; n < dmns_.size(); ++n)
        if (dmns_[n].count > 0) serve(n);
    }
    ++now_;
    if (requests_ > 0) find_late();
  }
  bool idle() const override { return waiting_ == 0 && requests_ == 0; }

  std::vector<DmBankUse> use() const override { return use_; }

 private:
  /// At most one for each set of clients. Where groups become one, an access that waits in one of them waits in all:
  /// its client could not go on before, either.
  void find_groups() {
    std::array<std::int64_t, 1u << tensor_clients> slices{};
    for (std::uint8_t c : clients_of_) ++slices[c];
    std::array<Group, 1u << tensor_clients> before = group_;
    std::size_t const count = groups_;
    groups_ = 0;
    for (std::uint32_t c = 1; c < slices.size(); ++c) {
      if (slices[c] == 0) continue;
      Group& g = group_[groups_];
      g = {.clients = c, .slices = slices[c], .waiting = 0, .taken = 0, .taken_by = {}};
      for (std::size_t old = 0; old < count; ++old)
        if ((before[old].clients & c) != 0) g.waiting |= before[old].waiting & c;
      of_clients_[c] = groups_++;
    }
  }

  void serve(Group& g, bool engines) {
    g.taken = 0;
    g.taken_by.fill(0);
    if (!engines) return;
    for (std::uint32_t rest = g.waiting; rest != 0; rest &= rest - 1) {
      std::size_t const c = static_cast<std::size_t>(std::countr_zero(rest));
      if (std::uint64_t const lost = access_[c] & g.taken; lost != 0) {
        use_[static_cast<std::size_t>(std::countr_zero(lost))].lost += g.slices;
        continue;
      }
      g.taken |= access_[c];
      g.taken_by[c] = access_[c];
      g.waiting &= ~(1u << c);
      count(access_[c], g.slices);
    }
    waiting_ |= g.waiting;
  }
  void count(std::uint64_t banks, std::int64_t times) {
    for (; banks != 0; banks &= banks - 1) use_[static_cast<std::size_t>(std::countr_zero(banks))].accesses += times;
  }

  /// The path takes what it can of its beat; when the beat is complete, it turns to the next one in the next cycle.
  void serve(std::size_t number) {
    Dmn& n = dmns_[number];
    Waiting& w = n.oldest();
    if (n.beat == 0) {
      std::int64_t const end = std::min(w.line + beat_lines_, w.end);
      n.beat = mask_.of_lines(w.line, end);
      w.line = end;
    }
    std::uint32_t const clients = clients_of_[static_cast<std::size_t>(w.request.slice)];
    std::uint64_t const held = clients == 0 ? 0 : n.beat & group_[of_clients_[clients]].taken;
    count(n.beat & ~held, 1);
    if (held != 0) blocked(n, held, group_[of_clients_[clients]]);
    if (held == n.beat) starved_[number / static_cast<std::size_t>(dmns_per_pe(device_))] = true;
    n.beat = held;
    if (held != 0 || w.line < w.end) return;
    answered.push_back(w.request.tag);
    --queued_[static_cast<std::size_t>(w.request.slice)];
    --requests_;
    n.first = (n.first + 1) % n.ring.size();
    --n.count;
  }
  void blocked(Dmn& n, std::uint64_t held, const Group& g) {
    int const bank = static_cast<int>(std::bit_width(held)) - 1;
    ++use_[static_cast<std::size_t>(bank)].lost;
    for (std::size_t c = 0; c < tensor_clients; ++c)
      if ((g.taken_by[c] >> bank & 1) != 0) n.blocker = {static_cast<DmClient>(c), command_[c], bank};
  }
  void find_late() {
    for (Dmn& n : dmns_) {
      if (n.count == 0 || now_ - n.oldest().issued < device_.dm.response_timeout.value) continue;
      const DmaRequest& r = n.oldest().request;
      DmAccess const waiting{
          r.slice % device_.levels.slices_per_cluster, Bytes{r.address}, Bytes{r.bytes}, DmClient::dma, r.command, r.tag};
      trouble = dm_timed_out(device_, waiting, n.blocker);
      return;
    }
  }

  Device device_;
  std::int64_t chips_;
  BankMask mask_;
  std::int64_t beat_lines_;
  std::vector<std::uint8_t> clients_of_, queued_;  // by slice
  std::array<Group, 1u << tensor_clients> group_{};
  std::array<std::size_t, 1u << tensor_clients> of_clients_{};
  std::size_t groups_ = 0;
  std::array<std::uint64_t, tensor_clients> access_{};
  std::array<std::int32_t, tensor_clients> command_{};
  std::uint32_t waiting_ = 0;  // clients, in any group
  std::vector<Dmn> dmns_;
  std::vector<bool> starved_;  // by PE
  std::int64_t requests_ = 0, now_ = 0;
  std::vector<DmBankUse> use_;
};

class LiveBanks final : public Banks, private DmObserver {
 public:
  LiveBanks(const Device& device, std::int64_t chips)
      : device_(device),
        chips_(chips),
        per_pe_(slices_per_pe(device)),
        starved_(static_cast<std::size_t>(slices_of(device, chips) / per_pe_)) {
    for (std::size_t i = 0; i < starved_.size(); ++i)
      pes_.push_back(DmBanks(device, this));  // NOLINT: that this is an observer is known here alone
  }

  void take(DmClient client, std::int32_t command, const program::Units& units) override {
    Client& c = client_[static_cast<std::size_t>(client)];
    c = {};
    c.access.client = client;
    c.access.command = command;
    each_slice(device_, chips_, units, [&](std::int64_t s) {
      std::size_t const pe = static_cast<std::size_t>(s / per_pe_);
      if (c.pes.empty() || c.pes.back().number != pe) c.pes.push_back({pe, {}});
      c.pes.back().slices.push_back(s % per_pe_);
    });
  }
  void leave(DmClient client) override { client_[static_cast<std::size_t>(client)] = {}; }

  void issue(DmClient client, std::int64_t address, std::int64_t bytes) override {
    Client& c = client_[static_cast<std::size_t>(client)];
    c.access.address = Bytes{address};
    c.access.size = Bytes{bytes};
    for (const Part& part : c.pes) {
      auto const taken = pes_[part.number].issue(c.access, part.slices);
      if (!taken) trouble = taken.refusal();
      else TCP_BUG_UNLESS(*taken, "an engine has an access waiting");
    }
  }
  bool served(DmClient client) const override {
    const Client& c = client_[static_cast<std::size_t>(client)];
    return std::all_of(c.pes.begin(), c.pes.end(), [&](const Part& part) { return pes_[part.number].waiting(client) == 0; });
  }

  bool ask(const DmaRequest& r) override {
    auto const taken = pe(r.slice).issue({r.slice % per_pe_, Bytes{r.address}, Bytes{r.bytes}, DmClient::dma, r.command, r.tag});
    if (!taken) trouble = taken.refusal();
    return taken && *taken;
  }
  bool starved(std::int64_t slice) const override { return starved_[static_cast<std::size_t>(slice / per_pe_)]; }

  void step() override {
    answered.clear();
    for (std::size_t i = 0; i < pes_.size(); ++i) {
      Cycles const before = pes_[i].stats_of(DmClient::dma).waited;
      if (Verdict const v = pes_[i].step(); !v) trouble = v.refusal();
      starved_[i] = pes_[i].stats_of(DmClient::dma).waited > before;
    }
  }
  bool idle() const override {
    return std::all_of(pes_.begin(), pes_.end(), [](const DmBanks& b) { return b.idle(); });
  }

  std::vector<DmBankUse> use() const override {
    std::vector<DmBankUse> all(static_cast<std::size_t>(device_.dm.banks_per_slice));
    for (const DmBanks& p : pes_) {
      const std::vector<std::int64_t>& accesses = p.stats().bank_accesses;
      for (std::size_t i = 0; i < accesses.size(); ++i) all[i % all.size()].accesses += accesses[i];
    }
    return all;
  }

 private:
  struct Part {
    std::size_t number = 0;  // of the PE
    std::vector<std::int64_t> slices;
  };
  struct Client {
    DmAccess access{};
    std::vector<Part> pes;
  };

  DmBanks& pe(std::int64_t slice) { return pes_[static_cast<std::size_t>(slice / per_pe_)]; }
  void served(const DmAccess& access, Cycles) override { answered.push_back(access.tag); }
  bool hears(DmClient client) const override { return client == DmClient::dma; }

  Device device_;
  std::int64_t chips_, per_pe_;
  std::vector<DmBanks> pes_;
  std::vector<bool> starved_;
  std::array<Client, tensor_clients> client_{};
};

}  // namespace

std::unique_ptr<Banks> collapsed_banks(const Device& device, std::int64_t chips) { return std::make_unique<CollapsedBanks>(device, chips); }
std::unique_ptr<Banks> live_banks(const Device& device, std::int64_t chips) { return std::make_unique<LiveBanks>(device, chips); }

}  // namespace tcp::sim
