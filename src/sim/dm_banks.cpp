// Serves the accesses of one PE cycle by cycle: at most one per bank, engines before DMA, and refuses a program whose
// engines starve the DMA.
#include "tcp/sim/dm_banks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/dm_timeout.hpp"
#include "tcp/device/address_map.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/bug.hpp"

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

/// What an engine waits for, in each slice. Most of the time it is the same access everywhere.
struct Engine {
  std::vector<std::uint8_t> there, served;  // by slice; the latter of this cycle
  std::int64_t waiting = 0;                 // slices
  bool alike = true;                        // what waits is `common` in each slice; else `access`
  DmAccess common{};
  Lines lines{};
  std::vector<DmAccess> access;
  std::vector<Lines> lines_in;

  std::int64_t command(std::size_t slice) const { return alike ? common.command : access[slice].command; }
  DmAccess access_in(std::size_t slice) const {
    DmAccess a = alike ? common : access[slice];
    a.slice = static_cast<std::int64_t>(slice);
    return a;
  }
  const Lines& lines_of(std::size_t slice) const { return alike ? lines : lines_in[slice]; }
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

/// What is kept for each bank is kept bank by bank, all slices of one side by side: so an access that waits in many
/// slices is served in all of them by one loop for each bank.
struct DmBanks::Parts {
  Device device;
  DmObserver* observer;
  std::int64_t banks, slices, slices_per_dmn, beat_lines;
  std::int64_t now = 0;
  std::int64_t waiting_engines = 0;
  std::vector<std::uint8_t> taken;              // in this cycle
  std::vector<std::uint8_t> held, held_before;  // by an engine, in this cycle and in the one before
  std::vector<std::uint8_t> holder;             // the client of the last access of an engine
  // An engine's accesses in a row, where a bank is held. Few banks are held for long: a byte is enough for the others.
  std::vector<std::uint8_t> run;
  std::vector<std::int32_t> long_run;
  std::vector<std::uint8_t> is_long;  // by bank: `long_run` has it from now on
  std::vector<std::uint8_t> counted;  // accesses that are not in `stats` yet
  int uncounted_steps = 0;
  std::array<Engine, engines> engine;
  std::array<bool, engines> told{};  // accesses of which the observer hears
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
        taken(static_cast<std::size_t>(slices * banks)),
        held(taken.size()),
        held_before(taken.size()),
        holder(taken.size()),
        run(taken.size()),
        long_run(taken.size()),
        is_long(static_cast<std::size_t>(banks)),
        counted(taken.size()),
        queued(static_cast<std::size_t>(slices)),
        dmns(static_cast<std::size_t>(dmns_per_pe(d))) {
    for (std::size_t client = 0; observer != nullptr && client < engines; ++client)
      told[client] = observer->hears(static_cast<DmClient>(client));
    for (Engine& e : engine) {
      e.there.resize(static_cast<std::size_t>(slices));
      e.served.resize(e.there.size());
      e.access.resize(e.there.size());
      e.lines_in.resize(e.there.size());
    }
    for (Dmn& n : dmns) {
      n.ring.resize(static_cast<std::size_t>(slices_per_dmn * d.dm.dma_queue_entries));
      n.beat.reserve(static_cast<std::size_t>(beat_lines));
    }
    stats.bank_accesses.resize(taken.size());
    stats.dmn_busy.resize(dmns.size());
  }

  std::size_t place(std::int64_t slice, std::int64_t line) const { return static_cast<std::size_t>(line % banks * slices + slice); }
  bool is_free(std::int64_t slice, std::int64_t line) const { return taken[place(slice, line)] == 0; }
  void take(std::int64_t slice, std::int64_t line) {
    std::size_t const at = place(slice, line);
    taken[at] = 1;
    ++counted[at];
  }

  Lines lines_of(const DmAccess& a) const {
    std::int64_t const row = device.dm.row_bytes.value;
    return {a.address.value / row, (a.address.value + a.size.value - 1) / row + 1};
  }

  bool issue(Engine& e, const DmAccess& a, const Lines& lines, std::span<const std::int64_t> where) {
    for (std::int64_t slice : where)
      if (e.there[static_cast<std::size_t>(slice)] != 0) return false;
    auto const same = [&] {
      return e.alike && a.address == e.common.address && a.size == e.common.size && a.command == e.common.command && a.tag == e.common.tag;
    };
    if (e.waiting == 0) {
      e.alike = true;
      e.common = a;
      e.lines = lines;
    } else if (!same()) {
      for (std::size_t slice = 0; e.alike && slice < e.there.size(); ++slice)
        if (e.there[slice] != 0) {
          e.access[slice] = e.common;
          e.lines_in[slice] = e.lines;
        }
      e.alike = false;
    }
    for (std::int64_t slice : where) {
      auto const at = static_cast<std::size_t>(slice);
      e.there[at] = 1;
      if (e.alike) continue;
      e.access[at] = a;
      e.lines_in[at] = lines;
    }
    e.waiting += static_cast<std::int64_t>(where.size());
    waiting_engines += static_cast<std::int64_t>(where.size());
    return true;
  }

  /// The runs of a bank with this cycle's accesses; the longest of those that grew. Masks are of all bits or of none.
  template <class Length>
  std::int32_t lengthen(std::vector<Length>& runs, const std::uint8_t* __restrict go, std::size_t first, std::size_t begin,
                        std::size_t end) const {
    Length* __restrict const length = runs.data() + first;
    const std::uint8_t* __restrict const before = held_before.data() + first;
    Length longest = 0;
    for (std::size_t s = begin; s < end; ++s) {
      auto const here = static_cast<Length>(-static_cast<Length>(go[s]));
      auto const longer = static_cast<Length>((length[s] & static_cast<Length>(-static_cast<Length>(before[s]))) + 1);
      auto const made = static_cast<Length>(longer & here);
      length[s] = static_cast<Length>(made | (length[s] & static_cast<Length>(~here)));
      longest = made > longest ? made : longest;
    }
    return longest;
  }
  std::int32_t run_of(std::int64_t slice, std::int64_t line) const {
    std::size_t const at = place(slice, line);
    return is_long[static_cast<std::size_t>(line % banks)] != 0 ? long_run[at] : run[at];
  }

  /// Serves slices from `begin` to `end`, where the access of a client has the same lines. The longest run of accesses
  /// to a bank that this makes.
  std::int32_t serve(Engine& e, std::uint8_t client, const Lines& lines, std::size_t begin, std::size_t end) {
    std::uint8_t* __restrict const go = e.served.data();
    std::uint8_t* __restrict const there = e.there.data();
    std::copy(there + begin, there + end, go + begin);
    for (std::int64_t line = lines.begin; line < lines.end; ++line) {
      const std::uint8_t* __restrict const is_taken = taken.data() + place(0, line);
      for (std::size_t s = begin; s < end; ++s) go[s] &= static_cast<std::uint8_t>(is_taken[s] ^ 1);
    }
    std::int32_t longest = 0;
    for (std::int64_t line = lines.begin; line < lines.end; ++line) {
      std::size_t const first = place(0, line);
      std::uint8_t* __restrict const now_taken = taken.data() + first;
      std::uint8_t* __restrict const now_held = held.data() + first;
      std::uint8_t* __restrict const by = holder.data() + first;
      std::uint8_t* __restrict const count = counted.data() + first;
      for (std::size_t s = begin; s < end; ++s) {
        now_taken[s] |= go[s];
        now_held[s] |= go[s];
        by[s] = static_cast<std::uint8_t>((by[s] & (go[s] - 1)) | (client & -go[s]));
        count[s] = static_cast<std::uint8_t>(count[s] + go[s]);
      }
      std::uint8_t& in_words = is_long[static_cast<std::size_t>(line % banks)];
      std::int32_t const made = in_words != 0 ? lengthen(long_run, go, first, begin, end) : lengthen(run, go, first, begin, end);
      if (in_words == 0 && made == 255) {  // the next would not fit
        std::copy_n(run.begin() + static_cast<std::ptrdiff_t>(first), slices, long_run.begin() + static_cast<std::ptrdiff_t>(first));
        in_words = 1;
      }
      longest = std::max(longest, made);
    }
    std::int32_t served = 0, waited = 0;
    for (std::size_t s = begin; s < end; ++s) {
      there[s] ^= go[s];
      served += go[s];
      waited += there[s];
    }
    DmClientStats& of = stats.client[client];
    of.served += served;
    of.waited += Cycles{waited};
    e.waiting -= served;
    waiting_engines -= served;
    return longest;
  }
  void serve_engines() {
    std::int32_t longest = 0;
    for (std::uint8_t client = 0; client < engines; ++client) {
      Engine& e = engine[client];
      if (e.waiting == 0) {
        std::fill(e.served.begin(), e.served.end(), std::uint8_t{0});
        continue;
      }
      if (e.alike) {
        longest = std::max(longest, serve(e, client, e.lines, 0, e.there.size()));
        continue;
      }
      for (std::size_t s = 0; s < e.there.size(); ++s) longest = std::max(longest, serve(e, client, e.lines_in[s], s, s + 1));
    }
    if (longest > stats.longest_hold.accesses) find_longest(longest);
    if (std::none_of(told.begin(), told.end(), [](bool is) { return is; })) return;
    for (std::size_t s = 0; s < static_cast<std::size_t>(slices); ++s)
      for (std::uint8_t client = 0; client < engines; ++client)
        if (told[client] && engine[client].served[s] != 0) observer->served(engine[client].access_in(s), Cycles{now + 1});
  }
  /// Slice by slice, those of higher priority first.
  void find_longest(std::int32_t longest) {
    for (std::size_t s = 0; s < static_cast<std::size_t>(slices); ++s)
      for (const Engine& e : engine) {
        if (e.served[s] == 0) continue;
        Lines const& lines = e.lines_of(s);
        for (std::int64_t line = lines.begin; line < lines.end; ++line)
          if (run_of(static_cast<std::int64_t>(s), line) == longest) {
            stats.longest_hold = {.accesses = longest, .slice = static_cast<std::int64_t>(s), .bank = line % banks};
            return;
          }
      }
  }
  void begin_cycle() {
    std::fill(taken.begin(), taken.end(), std::uint8_t{0});
    std::swap(held, held_before);
    std::fill(held.begin(), held.end(), std::uint8_t{0});
    if (++uncounted_steps == 255) count();
  }
  void count() {
    for (std::int64_t slice = 0; slice < slices; ++slice)
      for (std::int64_t bank = 0; bank < banks; ++bank)
        stats.bank_accesses[static_cast<std::size_t>(slice * banks + bank)] +=
            std::exchange(counted[static_cast<std::size_t>(bank * slices + slice)], std::uint8_t{0});
    uncounted_steps = 0;
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
        std::uint8_t const by = holder[place(r.access.slice, line)];
        n.blocker = {.client = static_cast<DmClient>(by),
                     .command = engine[by].command(static_cast<std::size_t>(r.access.slice)),
                     .bank = line % banks};
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

  if (!is_dma) return p.issue(p.engine[static_cast<std::size_t>(a.client)], a, lines, {&a.slice, 1});
  std::int64_t& queued = p.queued[static_cast<std::size_t>(a.slice)];
  if (queued == p.device.dm.dma_queue_entries) return false;
  ++queued;
  p.dmns[static_cast<std::size_t>(a.slice / p.slices_per_dmn)].push({.access = a, .lines = lines, .issued = p.now});
  return true;
}

Expected<bool> DmBanks::issue(const DmAccess& access, std::span<const std::int64_t> slices) {
  Parts& p = *parts_;
  TCP_BUG_UNLESS(access.client != DmClient::dma, "a request of DMA goes to one slice");
  DmAccess a = access;
  for (std::int64_t slice : slices) {
    a.slice = slice;
    if (slice < 0 || slice >= p.slices) return bad_slice(a, p.slices);
  }
  Bytes const most = dm_slice_bytes_per_cycle(p.device);
  if (a.size < Bytes{1} || a.size > most) return bad_size(a, most);
  if (a.address < Bytes{0} || a.address > p.device.dm.slice_capacity - a.size) return bad_address(p.device, a);
  Lines const lines = p.lines_of(a);
  if (lines.count() > p.banks) return bad_size(a, most);
  return p.issue(p.engine[static_cast<std::size_t>(a.client)], a, lines, slices);
}

Verdict DmBanks::step() {
  Parts& p = *parts_;
  p.begin_cycle();
  if (p.waiting_engines > 0) p.serve_engines();
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

std::int64_t DmBanks::waiting(DmClient client) const { return parts_->engine[static_cast<std::size_t>(client)].waiting; }

const DmClientStats& DmBanks::stats_of(DmClient client) const { return parts_->stats.of(client); }
const DmStats& DmBanks::stats() const {
  parts_->count();
  return parts_->stats;
}

}  // namespace tcp::sim
