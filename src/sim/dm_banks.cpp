// Serves the accesses of one PE cycle by cycle: at most one per bank, engines before DMA, and refuses a program whose
// engines starve the DMA.
#include "tcp/sim/dm_banks.hpp"

#include <algorithm>

#include "sim/dm_timeout.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/derived.hpp"

namespace tcp::sim {
namespace {

constexpr int engines = dm_clients - 1;  // all but DMA, which comes last

const char* name_of(DmClient c) {
  constexpr const char* names[] = {"main fetch", "main commit", "sub fetch", "sub commit", "DMA"};
  return names[static_cast<int>(c)];
}

/// Rows counted through all banks of a slice: line i lies in bank i % banks.
struct Lines {
  std::int64_t begin = 0, end = 0;

  std::int64_t count() const { return end - begin; }
};

struct Bank {
  std::int64_t taken_in = -1;   // the last cycle that served an access
  std::int64_t held_since = 0;  // the first cycle of the last run of engines' accesses
  std::int64_t held_until = -1;
  DmClient holder = DmClient::dma;  // of that run's last access
  std::int64_t command = 0;
};

struct Waiting {
  DmAccess access{};
  Lines lines{};
  bool there = false;
};

struct Request {
  DmAccess access{};
  Lines lines{};  // not yet served or part of a beat
  std::int64_t issued = 0;
};

/// The requests of one DMN, oldest first, in a ring as large as the entries of its slices, and the beat that its path
/// works on.
struct Dmn {
  std::vector<Request> ring;
  std::size_t first = 0, count = 0;
  std::vector<std::int64_t> beat;  // the lines of the oldest request that the path still waits for
  DmBlocker blocker{};             // who last kept one of them from it

  Request& oldest() { return ring[first]; }
  void push(const Request& r) { ring[(first + count++) % ring.size()] = r; }
  void pop() {
    first = (first + 1) % ring.size();
    --count;
  }
};

Refusal bad_slice(const DmAccess& a, std::int64_t slices) {
  return refuse("dm-access-slice")
      .what("command ", a.command, " accesses slice ", a.slice, ": a PE has the slices 0 to ", slices - 1)
      .why("one model of banks serves one PE: the slices of a pair of DMNs")
      .help("give the access to the model of its PE, with a slice below ", slices);
}

Refusal bad_size(const DmAccess& a, Bytes most) {
  return refuse("dm-access-size")
      .what(name_of(a.client), " of command ", a.command, " accesses ", a.size, " at ", a.address.value, ": an access has from 1 to ", most)
      .why("an engine reaches each bank of a slice once per cycle, and DMA sends requests")
      .help("split it into accesses of at most ", most, " that begin at a row");
}

/// The byte of the access that lies outside.
Refusal bad_address(const Device& d, const DmAccess& a) {
  return check_dm_address(d, a.address < Bytes{0} || a.address >= d.dm.slice_capacity ? a.address : a.address + a.size - Bytes{1})
      .refusal();
}

}  // namespace

Refusal dm_timed_out(const Device& device, const DmAccess& waiting, const DmBlocker& b) {
  return refuse("dm-response-timeout")
      .what("DMA command ", waiting.command, " has no answer from slice ", waiting.slice, " after ", device.dm.response_timeout, ": ",
            name_of(b.client), " of command ", b.command, " holds bank ", b.bank)
      .why(
          "DMA has the lowest priority in a bank; a request without an answer for so long is an error of the network, and resets the "
          "cluster")
      .help("let command ", waiting.command, " run before or after command ", b.command, ", or give command ", b.command, " fewer than ",
            device.dm.same_bank_limit, " accesses in a row to one bank");
}

struct DmBanks::Parts {
  Device device;
  DmObserver* observer;
  std::int64_t banks, slices, slices_per_dmn, beat_lines;
  std::int64_t now = 0;
  std::int64_t waiting_engines = 0;
  std::vector<Bank> bank;            // slice by slice
  std::vector<Waiting> waiting;      // slice by slice, engines by priority
  std::vector<std::int64_t> queued;  // requests of DMA, a slice each
  std::vector<Dmn> dmns;
  DmStats stats{};

  Parts(const Device& d, DmObserver* heard)
      : device(d),
        observer(heard),
        banks(d.dm.banks_per_slice),
        slices(slices_per_pe(d)),
        slices_per_dmn(d.levels.slices_per_dmn),
        beat_lines(std::clamp<std::int64_t>(d.dm.dmn_bytes_per_cycle / d.dm.row_bytes, 1, banks)),
        bank(static_cast<std::size_t>(slices * banks)),
        waiting(static_cast<std::size_t>(slices * engines)),
        queued(static_cast<std::size_t>(slices)),
        dmns(static_cast<std::size_t>(dmns_per_pe(d))) {
    for (Dmn& n : dmns) {
      n.ring.resize(static_cast<std::size_t>(slices_per_dmn * d.dm.dma_queue_entries));
      n.beat.reserve(static_cast<std::size_t>(beat_lines));
    }
    stats.bank_accesses.resize(bank.size());
    stats.dmn_busy.resize(dmns.size());
  }

  std::size_t place(std::int64_t slice, std::int64_t line) const { return static_cast<std::size_t>(slice * banks + line % banks); }
  bool is_free(std::int64_t slice, std::int64_t line) const { return bank[place(slice, line)].taken_in != now; }

  Lines lines_of(const DmAccess& a) const {
    std::int64_t const row = device.dm.row_bytes.value;
    return {a.address.value / row, (a.address.value + a.size.value - 1) / row + 1};
  }

  Bank& take(std::int64_t slice, std::int64_t line) {
    std::size_t const at = place(slice, line);
    bank[at].taken_in = now;
    ++stats.bank_accesses[at];
    return bank[at];
  }

  void hold(const DmAccess& a, std::int64_t line) {
    Bank& b = take(a.slice, line);
    if (b.held_until != now - 1) b.held_since = now;
    b.held_until = now;
    b.holder = a.client;
    b.command = a.command;
    std::int64_t const run = now - b.held_since + 1;
    if (run > stats.longest_hold.accesses) stats.longest_hold = {.accesses = run, .slice = a.slice, .bank = line % banks};
  }

  void serve(Waiting& w) {
    DmClientStats& of = stats.client[static_cast<int>(w.access.client)];
    bool all_free = true;
    for (std::int64_t line = w.lines.begin; line < w.lines.end; ++line) all_free = all_free && is_free(w.access.slice, line);
    if (!all_free) {
      of.waited += Cycles{1};
      return;
    }
    for (std::int64_t line = w.lines.begin; line < w.lines.end; ++line) hold(w.access, line);
    w.there = false;
    --waiting_engines;
    ++of.served;
    if (observer != nullptr) observer->served(w.access, Cycles{now + 1});
  }

  /// The path takes what it can of its beat; when the beat is complete, it turns to the next one in the next cycle.
  void serve(Dmn& n, Cycles& busy) {
    Request& r = n.oldest();
    if (n.beat.empty()) {
      std::int64_t const end = std::min(r.lines.begin + beat_lines, r.lines.end);
      for (; r.lines.begin < end; ++r.lines.begin) n.beat.push_back(r.lines.begin);
    }
    std::size_t left = 0;
    for (std::int64_t line : n.beat)
      if (is_free(r.access.slice, line)) {
        take(r.access.slice, line);
      } else {
        const Bank& b = bank[place(r.access.slice, line)];
        n.blocker = {.client = b.holder, .command = b.command, .bank = line % banks};
        n.beat[left++] = line;
      }
    DmClientStats& of = stats.client[engines];
    if (left == n.beat.size()) of.waited += Cycles{1};
    else busy += Cycles{1};
    n.beat.resize(left);
    if (left > 0 || r.lines.count() > 0) return;
    ++of.served;
    --queued[static_cast<std::size_t>(r.access.slice)];
    if (observer != nullptr) observer->served(r.access, Cycles{now + 1});
    n.pop();
  }
};

DmBanks::DmBanks(const Device& d, DmObserver* observer) : parts_(std::make_unique<Parts>(d, observer)) {}
DmBanks::DmBanks(DmBanks&&) noexcept = default;
DmBanks& DmBanks::operator=(DmBanks&&) noexcept = default;
DmBanks::~DmBanks() = default;

Expected<bool> DmBanks::issue(const DmAccess& a) {
  Parts& p = *parts_;
  bool const is_dma = a.client == DmClient::dma;
  Bytes const most = is_dma ? p.device.dma.request_bytes : dm_slice_bytes_per_cycle(p.device);
  if (a.slice < 0 || a.slice >= p.slices) return bad_slice(a, p.slices);
  if (a.size < Bytes{1} || a.size > most) return bad_size(a, most);
  if (a.address < Bytes{0} || a.address > p.device.dm.slice_capacity - a.size) return bad_address(p.device, a);
  Lines const lines = p.lines_of(a);
  if (!is_dma && lines.count() > p.banks) return bad_size(a, most);

  if (!is_dma) {
    Waiting& w = p.waiting[static_cast<std::size_t>(a.slice * engines + static_cast<int>(a.client))];
    if (w.there) return false;
    w.access = a;
    w.lines = lines;
    w.there = true;
    ++p.waiting_engines;
    return true;
  }
  std::int64_t& queued = p.queued[static_cast<std::size_t>(a.slice)];
  if (queued == p.device.dm.dma_queue_entries) return false;
  ++queued;
  p.dmns[static_cast<std::size_t>(a.slice / p.slices_per_dmn)].push({.access = a, .lines = lines, .issued = p.now});
  return true;
}

Verdict DmBanks::step() {
  Parts& p = *parts_;
  if (p.waiting_engines > 0)
    for (Waiting& w : p.waiting)
      if (w.there) p.serve(w);
  for (std::size_t i = 0; i < p.dmns.size(); ++i)
    if (p.dmns[i].count > 0) p.serve(p.dmns[i], p.stats.dmn_busy[i]);
  ++p.now;
  Cycles const limit = p.device.dm.response_timeout;
  for (Dmn& n : p.dmns)
    if (n.count > 0 && p.now - n.oldest().issued >= limit.value) return dm_timed_out(p.device, n.oldest().access, n.blocker);
  return accept();
}

Verdict DmBanks::drain() {
  while (!idle())
    if (Verdict v = step(); !v) return v;
  return accept();
}

Cycles DmBanks::now() const { return Cycles{parts_->now}; }

bool DmBanks::idle() const {
  return parts_->waiting_engines == 0 && std::all_of(parts_->dmns.begin(), parts_->dmns.end(), [](const Dmn& n) { return n.count == 0; });
}

const DmStats& DmBanks::stats() const { return parts_->stats; }

}  // namespace tcp::sim
