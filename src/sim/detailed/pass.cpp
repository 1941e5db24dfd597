// A pass as three paces: its fetch, the engines between, its commit. Finds the next cycle in which one of them asks
// for a bank.
#include "sim/detailed/pass.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "tcp/sched/book.hpp"
#include "tcp/support/round.hpp"

namespace tcp::sim {

namespace {

std::int64_t accesses(const program::Sequencer& s) { return std::max<std::int64_t>(s.packets * s.accesses_per_packet, 0); }

}  // namespace

Pass::Pass(const Device& device, std::int32_t number, const program::Command& command, const program::Cost& cost, std::int64_t start)
    : device_(device), number_(number), start_(start), fill_(cost.startup.value), slowest_((cost.total() - cost.startup).value) {
  if (const auto* e = std::get_if<program::Exec>(&command.what)) set_up(*e);
  else if (const auto* i = std::get_if<program::Itos>(&command.what)) set_up(*i);
  else set_up_copy(std::get<program::Dma>(command.what), command.writes);
  if (fetch_.count > 0 && commit_.count > 0) fill_ = std::max<std::int64_t>(fill_, 1);
  if (fetch_.count > 0) {
    server_ = Pace(slowest_, fetch_.count);
    share_ = Pace(commit_.count, fetch_.count);
  }
  if (commit_.count > 0) commits_ = Pace(slowest_, commit_.count);
  if (const auto* e = std::get_if<program::Exec>(&command.what); e != nullptr && fetch_.count > 0) set_up_trf(*e, cost);
  if (fetch_.count == 0 && commit_.count > 0) batches_.push_back({0, 0, commit_.count});
  if (fetch_.count == 0 && commit_.count == 0) end_ = start + cost.total().value;
  find_due();
}

Pass::Stream Pass::stream(DmClient client, const program::Sequencer& s, const program::Units& units) const {
  std::vector<OdometerLoop<1>> steps;
  for (const program::Loop& l : s.loops) steps.push_back({l.size, {l.stride}});
  return {client, units, walk_of<1>(steps), s.base, std::max<std::int64_t>(s.access_bytes, 1), accesses(s), 0, 0};
}

void Pass::set_up(const program::Exec& e) {
  auto const walks = program::walks_of(e.fetch, e.units);  // of units that begin apart, the first stands for all
  fetch_ = stream(e.sub ? DmClient::sub_fetch : DmClient::main_fetch, walks.empty() ? e.fetch.read : walks.front(), e.units);
  fetch_.count = sched::book::fetch_cycles(device_, e.fetch, e.dual).value;
  pairs_ = fetch_.count < accesses(e.fetch.read);
  accesses_per_packet_ = e.fetch.read.accesses_per_packet;
  program::Units writing = e.units;
  writing.slices = e.writing;
  if (const auto* c = std::get_if<program::Commit>(&e.sink))
    commit_ = stream(e.sub ? DmClient::sub_commit : DmClient::main_commit, c->write, writing);
}

void Pass::set_up_trf(const program::Exec& e, const program::Cost& cost) {
  if (e.contraction) {
    reads_.emplace(device_, *e.contraction);
    trf_steps_ = Pace(e.contraction->steps, fetch_.count);
    occupied_ = reads_->occupied();
  }
  const auto* store = std::get_if<program::TrfStore>(&e.sink);
  if (store == nullptr || store->row_bytes < 1) return;
  for (const program::EngineCycles& each : cost.engines)
    if (each.engine == program::Engine::TrfStore && each.cycles.value > 0) {
      writes_.emplace(device_, *store, each.cycles.value);
      trf_steps_ = Pace(each.cycles.value, fetch_.count);
    }
}

void Pass::set_up(const program::Itos& i) { commit_ = stream(DmClient::sub_commit, program::walk_of(i), i.units); }

/// Slices copy for themselves. The one that has most to do stands for all, and the longest of its descriptors for its
/// walk.
void Pass::set_up_copy(const program::Dma& d, const std::vector<program::Range>& writes) {
  std::int64_t const size = device_.fetch.sub_size.value;
  const program::DmaDescriptor* longest = nullptr;
  std::int64_t most = 0;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::int64_t> sums;
  std::vector<OdometerLoop<1>> reading, writing;
  for (const program::DmaDescriptor& each : d.descriptors) {
    std::vector<OdometerLoop<1>> read, write;
    std::int64_t n = ceil_div(each.packet_bytes, size);
    for (const program::DmaLoop& l : each.loops) {
      if (l.write_stride != 0 && l.write_stride % device_.dm.dma_slice_stride.value == 0) continue;  // from slice to slice
      read.push_back({l.size, {l.read_stride}});
      write.push_back({l.size, {l.write_stride}});
      n *= l.size;
    }
    read.push_back({ceil_div(each.packet_bytes, size), {size}});
    write.push_back(read.back());
    sums[{each.write.chip, each.write.cluster, each.write.unit}] += n;
    if (longest != nullptr && n <= most) continue;
    longest = &each;
    most = n;
    reading = read;
    writing = write;
  }
  if (longest == nullptr) return;
  std::int64_t count = 0;
  for (const auto& [slice, n] : sums) count = std::max(count, n);
  program::Units units;
  for (const program::Range& r : writes)
    if (r.memory == program::Memory::Dm) units = r.units;
  fetch_ = {DmClient::sub_fetch, units, walk_of<1>(reading), longest->read.address, size, count, 0, 0};
  commit_ = {DmClient::sub_commit, units, walk_of<1>(writing), longest->write.address, size, count, 0, 0};
}

void Pass::take(Banks& banks) const {
  if (fetch_.count > 0) banks.take(fetch_.client, number_, fetch_.units);
  if (pairs_) banks.take(DmClient::sub_fetch, number_, fetch_.units);
  if (commit_.count > 0) banks.take(commit_.client, number_, commit_.units);
}
void Pass::leave(Banks& banks) const {
  if (fetch_.count > 0) banks.leave(fetch_.client);
  if (pairs_) banks.leave(DmClient::sub_fetch);
  if (commit_.count > 0) banks.leave(commit_.client);
}

/// When the next access of the fetch may go out: the server has begun with the one before the last.
std::int64_t Pass::fetch_at() const { return std::max(fetch_free_, server_before_); }

void Pass::issue(std::int64_t now, Banks& banks) {
  std::int64_t const t = now - start_ - halted_;
  if (fetch_.sent < fetch_.count && !fetch_.waiting() && t >= fetch_at()) issue_fetch(banks);
  if (due_ < 0 || t < std::max(due_, commit_free_) || commit_.waiting()) return;
  ++commit_.sent;
  banks.issue(commit_.client, commit_.base + commit_.walk.at(0), commit_.bytes);
  commit_.walk.next();
}

void Pass::issue_fetch(Banks& banks) {
  ++fetch_.sent;
  banks.issue(fetch_.client, fetch_.base + fetch_.walk.at(0), fetch_.bytes);
  fetch_.walk.next();
  if (!pairs_) return;
  ++in_packet_;
  paired_ = in_packet_ < accesses_per_packet_;
  if (paired_) {
    banks.issue(DmClient::sub_fetch, fetch_.base + fetch_.walk.at(0), fetch_.bytes);
    fetch_.walk.next();
    ++in_packet_;
  }
  if (in_packet_ >= accesses_per_packet_) in_packet_ = 0;
}

void Pass::settle(std::int64_t now, const Banks& banks) {
  std::int64_t const t = now - start_ - halted_;
  if (fetch_.waiting() && banks.served(fetch_.client) && (!paired_ || banks.served(DmClient::sub_fetch))) {
    ++fetch_.done;
    fetch_free_ = t + 1;
    fetched(t);
  }
  if (commit_.waiting() && banks.served(commit_.client)) {
    ++commit_.done;
    commit_free_ = t + 1;
    if (commit_.done == commit_.count && fetch_.done == fetch_.count) end_ = now + 1;
    else find_due();
  } else if (commit_.waiting() && !batches_.empty()) {
    // The next commit would come now, and its place is taken.
    Pace next = commits_;
    to_next_commit(next);
    if (fill_ + next.up() - 1 <= t + 1) ++halted_;
  }
}

void Pass::fetched(std::int64_t at) {
  server_before_ = server_.down();
  server_.not_before(at);
  Batch b{server_.down(), 0, 0};
  server_.step();
  b.end = server_.up();
  if (reads_ || writes_) {
    for (; reads_ && !trf_due_.empty() && trf_due_.front() < at; trf_due_.pop_front()) ++unwatched_;
    std::int64_t const known = trf_steps_.down();
    trf_steps_.step();
    std::int64_t const steps = trf_steps_.down() - known, cycles = std::max<std::int64_t>(b.end - b.begin, 1);
    // Weights are read when a time step begins; a flit is there when the server is through with it.
    for (std::int64_t i = 0; i < steps; ++i)
      trf_due_.push_back(reads_ ? b.begin + i * cycles / steps : fill_ + b.begin + ceil_div((i + 1) * cycles, steps) - 1);
  }
  if (commit_.count == 0) {
    if (fetch_.done == fetch_.count) end_ = start_ + halted_ + fill_ + server_.up();
    return;
  }
  std::int64_t const before = share_.down();
  share_.step();
  b.commits = share_.down() - before;
  if (b.commits > 0) batches_.push_back(b);
  if (due_ < 0) find_due();
}

const TrfBankSet& Pass::reading(std::int64_t now) {
  std::int64_t const t = now - start_ - halted_;
  occupied_.assign(occupied_.size(), false);
  for (; unwatched_ > 0; --unwatched_) reads_->step();
  for (; !trf_due_.empty() && trf_due_.front() <= t; trf_due_.pop_front()) {
    reads_->step();
    if (trf_due_.front() < t) continue;
    for (std::size_t b = 0; b < occupied_.size(); ++b) occupied_[b] = occupied_[b] || reads_->occupied()[b];
  }
  return occupied_;
}

void Pass::write_trf(std::int64_t now, const TrfBankSet* occupied) {
  std::int64_t const t = now - start_ - halted_;
  bool written = false;
  while (!trf_due_.empty() && trf_due_.front() <= t) {
    bool const went_before = trf_due_.front() < t && !flit_waits_;  // in a cycle that was not asked for, as nothing was read
    if (!went_before && (written || (occupied != nullptr && !writes_->may_go(*occupied)))) break;
    written = written || !went_before;
    flit_waits_ = false;
    writes_->go();
    trf_due_.pop_front();
  }
  if (trf_due_.empty() || trf_due_.front() > t) return;
  flit_waits_ = true;
  bool const place_is_taken = trf_due_.size() > 1 ? trf_due_[1] <= t + 1 : fetch_.done == fetch_.count;
  if (!place_is_taken) return;
  ++halted_;
  ++halted_by_trf_;
  if (end_ >= 0) ++end_;
}

std::int64_t Pass::next_write(std::int64_t now) const {
  if (flit_waits_) return now;
  return trf_due_.empty() ? never : std::max(now, trf_due_.front() + start_ + halted_);
}

void Pass::to_next_commit(Pace& pace) const {
  const Batch& b = batches_.front();
  if (commit_.count < fetch_.count) return pace.not_before(b.end);
  pace.not_before(b.begin);
  pace.step();
}

void Pass::find_due() {
  due_ = -1;
  if (batches_.empty()) return;
  Batch& b = batches_.front();
  to_next_commit(commits_);
  due_ = fill_ + commits_.up() - 1;
  if (--b.commits == 0) batches_.pop_front();
}

std::int64_t Pass::next(std::int64_t now) const {
  if (end_ >= 0) return end_;
  if (fetch_.waiting() || commit_.waiting()) return now;
  std::int64_t t = never;
  if (fetch_.sent < fetch_.count) t = fetch_at();
  if (due_ >= 0) t = std::min(t, std::max(due_, commit_free_));
  return t == never ? now : std::max(now, t + start_ + halted_);
}

}  // namespace tcp::sim
