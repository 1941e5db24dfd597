// Runs of accesses to one bank, without walking them one by one: a walk is summed up by how it begins, how it ends and
// its longest run, two summaries join into one, and a loop joins the summaries of its rounds. What a round touches
// depends on its address only modulo one row of all banks, so that rounds repeat.
#include "tcp/program/bank_runs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

#include "program/slice_set.hpp"

namespace tcp::program {

namespace {

/// One bank, over a stretch of accesses. Counts end at the limit.
struct Run {
  std::int64_t accesses = 0, first = 0, last = 0, longest = 0;  // first and last: those at the two ends that touch the bank
  bool throughout = true;                                       // every access does
};

class Summary {
 public:
  Summary(std::size_t banks, std::int64_t limit) : run_(banks), limit_(limit) {}

  /// A single access.
  void touch(std::size_t bank) { run_[bank] = {1, 1, 1, 1, true}; }
  void pass_by(std::size_t bank) { run_[bank] = {1, 0, 0, 0, false}; }

  void join(const Summary& next) {
    for (std::size_t b = 0; b < run_.size(); ++b) {
      const Run& n = next.run_[b];
      Run& r = run_[b];
      r.longest = cut(std::max({r.longest, n.longest, r.last + n.first}));
      if (r.throughout) r.first = cut(r.accesses + n.first);
      r.last = n.throughout ? cut(r.last + n.accesses) : n.last;
      r.throughout = r.throughout && n.throughout;
      r.accesses = cut(r.accesses + n.accesses);
    }
  }
  Summary repeated(std::int64_t times) const {
    Summary made(run_.size(), limit_), power = *this;
    for (; times > 0; times /= 2) {
      if (times % 2 != 0) made.join(power);
      power.join(Summary(power));
    }
    return made;
  }
  BankRuns longest() const {
    BankRuns made;
    for (const Run& r : run_) made.push_back(r.longest);
    return made;
  }

 private:
  std::int64_t cut(std::int64_t n) const { return std::min(n, limit_); }

  std::vector<Run> run_;
  std::int64_t limit_;
};

class BankWalk {
 public:
  BankWalk(const Device& device, const Sequencer& s)
      : s_(s),
        row_(device.dm.row_bytes.value),
        banks_(device.dm.banks_per_slice),
        period_(row_ * banks_),
        limit_(device.dm.same_bank_limit),
        known_(s.loops.size()) {}

  BankRuns runs() { return loop(0, residue(s_.base)).longest(); }

 private:
  std::int64_t residue(std::int64_t at) const { return (at % period_ + period_) % period_; }

  Summary loop(std::size_t k, std::int64_t at) {
    if (k == s_.loops.size()) return access(at);
    if (auto const found = known_[k].find(at); found != known_[k].end()) return found->second;
    const Loop& l = s_.loops[k];
    std::int64_t const stride = residue(l.stride), repeats = period_ / std::gcd(period_, stride);  // gcd(n, 0) is n
    std::int64_t const rounds = std::max<std::int64_t>(l.size, 0);
    Summary block(static_cast<std::size_t>(banks_), limit_), rest = block;
    for (std::int64_t i = 0; i < std::min(repeats, rounds); ++i) {
      Summary const round = loop(k + 1, residue(at + i * stride));
      block.join(round);
      if (i < rounds % repeats) rest.join(round);
    }
    Summary made = rounds < repeats ? block : block.repeated(rounds / repeats);
    if (rounds > repeats && rounds % repeats != 0) made.join(rest);
    known_[k].emplace(at, made);
    return made;
  }
  Summary access(std::int64_t at) const {
    Summary made(static_cast<std::size_t>(banks_), limit_);
    for (std::int64_t b = 0; b < banks_; ++b) made.pass_by(static_cast<std::size_t>(b));
    std::int64_t const end = at + std::min(std::max<std::int64_t>(s_.access_bytes, 1), period_);
    for (std::int64_t line = at / row_; line * row_ < end; ++line) made.touch(static_cast<std::size_t>(line % banks_));
    return made;
  }

  const Sequencer& s_;
  std::int64_t row_, banks_, period_, limit_;
  std::vector<std::unordered_map<std::int64_t, Summary>> known_;  // by loop: of each residue that its rounds began at
};

}  // namespace

BankRuns bank_runs(const Device& device, const Sequencer& walk) { return BankWalk(device, walk).runs(); }

std::vector<Sequencer> walks_of(const Fetch& fetch, const Units& units) {
  if (fetch.offsets.empty()) return {fetch.read};
  constexpr std::int64_t clusters = std::numeric_limits<decltype(units.clusters)>::digits, slices = slices_in_a_set;
  std::set<std::int64_t> begins;
  for (std::size_t chip = 0; chip < units.chips.size(); ++chip)
    for (std::int64_t cluster = 0; cluster < clusters; ++cluster)
      for (std::int64_t slice = 0; slice < slices; ++slice)
        if (units.chips[chip] && (units.clusters >> cluster & 1) != 0 && units.slices.contains(slice))
          begins.insert(offset_of(fetch, static_cast<std::int64_t>(chip), cluster, slice));
  std::vector<Sequencer> walks(begins.size(), fetch.read);
  std::size_t i = 0;
  for (std::int64_t begin : begins) walks[i++].base += begin;
  return walks;
}

}  // namespace tcp::program
