// Queues the units of one channel, chooses which starts next, and accounts for the cycles that each waited.
#include "sim/hbm_channel.hpp"

namespace tcp::sim {

/// From `now`, or from the start of the bank's last access if that is still to come.
void HbmChannel::turn_to(Bank& b, std::int64_t row, std::int64_t now) {
  bool const was_closed = b.row == closed;
  b.ready = std::max(now, b.last_start) + (was_closed ? timing_->row_open : timing_->row_switch);
  b.state = was_closed ? RowState::opened : RowState::switched;
  b.row = row;
}

std::int64_t HbmChannel::push_in_order(const HbmUnit& unit, std::int64_t arrival, HbmObserver* observer) {
  // The entry that this unit takes belonged to the unit a whole queue before it.
  Entry& slot = entries_[static_cast<std::size_t>(free_)];
  if (++free_ == static_cast<std::int32_t>(entries_.size())) free_ = 0;
  std::int64_t const entered = pushed_++ < static_cast<std::int64_t>(entries_.size()) ? arrival : std::max(arrival, slot.entered);
  stats_.queue_full += HbmCycles{entered - arrival};

  std::int64_t const first_in_queue = std::max(entered, last_bank_ == none ? 0 : last_start_);
  Bank& b = bank(unit.bank);
  if (b.row != unit.row) turn_to(b, unit.row, first_in_queue);
  start(unit, std::max({first_in_queue, b.ready, last_start_ + gap_to(unit.bank)}), entered, observer);
  slot.entered = last_start_;
  return entered;
}

std::int64_t HbmChannel::push(const HbmUnit& unit, std::int64_t arrival, HbmObserver* observer) {
  advance(arrival, observer);
  std::int64_t entered = arrival;
  if (free_ == none) {
    start_next(observer);
    entered = std::max(arrival, last_start_);
    stats_.queue_full += HbmCycles{entered - arrival};
  }
  if (waited_for_ == 0) waiting_since_ = entered;
  std::int32_t const e = append(unit, entered);
  Bank& b = bank(unit.bank);
  if (b.candidate != none) return entered;
  if (b.row != unit.row) turn_to(b, unit.row, entered);
  b.candidate = e;
  b.age = entry(e).age;
  consider(unit.bank);
  return entered;
}

void HbmChannel::advance(std::int64_t now, HbmObserver* observer) {
  while (next_.bank != none && next_.start < now) start_next(observer);
}

void HbmChannel::consider(std::int32_t b) {
  std::int64_t const at = earliest_start(b), age = bank(b).age;
  if (next_.bank == none || at < next_.start || (at == next_.start && age < next_.age)) next_ = {.start = at, .age = age, .bank = b};
}

void HbmChannel::choose() {
  next_.bank = none;
  for (std::uint64_t rest = waited_for_; rest != 0; rest &= rest - 1) consider(std::countr_zero(rest));
}

void HbmChannel::start_next(HbmObserver* observer) {
  std::int32_t const b = next_.bank;
  std::int32_t const e = bank(b).candidate;
  start(entry(e).unit, next_.start, waiting_since_, observer);
  take_out(e);
  find_candidate(b, last_start_);
  choose();
}

std::int32_t HbmChannel::append(const HbmUnit& unit, std::int64_t entered) {
  std::int32_t const e = free_;
  Bank& b = bank(unit.bank);
  free_ = entry(e).next;
  entry(e) = {.unit = unit, .entered = entered, .age = pushed_++, .next = none, .previous = b.tail};
  (b.tail == none ? b.head : entry(b.tail).next) = e;
  b.tail = e;
  waited_for_ |= std::uint64_t{1} << unit.bank;
  return e;
}

void HbmChannel::take_out(std::int32_t e) {
  Entry& out = entry(e);
  Bank& b = bank(out.unit.bank);
  (out.previous == none ? b.head : entry(out.previous).next) = out.next;
  (out.next == none ? b.tail : entry(out.next).previous) = out.previous;
  if (b.head == none) waited_for_ &= ~(std::uint64_t{1} << out.unit.bank);
  // What wants the same row is younger, so the search for it goes on here.
  b.candidate = out.next;
  out.next = free_;
  free_ = e;
}

void HbmChannel::find_candidate(std::int32_t b, std::int64_t now) {
  Bank& in = bank(b);
  while (in.candidate != none && entry(in.candidate).unit.row != in.row) in.candidate = entry(in.candidate).next;
  if (in.candidate == none && in.head != none) {
    in.candidate = in.head;
    turn_to(in, entry(in.head).unit.row, now);
  }
  if (in.candidate != none) in.age = entry(in.candidate).age;
}

void HbmChannel::start(const HbmUnit& unit, std::int64_t at, std::int64_t waiting_since, HbmObserver* observer) {
  account(unit, at, waiting_since);
  last_start_ = unit.partial ? at + timing_->write_back : at;
  last_bank_ = unit.bank;
  bank(unit.bank).last_start = last_start_;
  bank(unit.bank).state = RowState::hit;
  stats_.end = HbmCycles{last_start_ + timing_->unit};
  if (observer != nullptr) observer->done(unit.tag, timing_->core_cycle_after(stats_.end.value));
}

void HbmChannel::account(const HbmUnit& unit, std::int64_t at, std::int64_t waiting_since) {
  ++(unit.access == Access::read ? stats_.reads : stats_.writes);
  RowState const state = bank(unit.bank).state;
  ++(state == RowState::hit ? stats_.row_hits : state == RowState::opened ? stats_.row_opens : stats_.row_conflicts);

  std::int64_t const from = std::max(stats_.end.value, waiting_since);
  std::int64_t const columns_ready = std::clamp(last_start_ + gap_to(unit.bank), from, at);
  stats_.idle += HbmCycles{from - stats_.end.value};
  stats_.column_stall += HbmCycles{columns_ready - from};
  stats_.row_stall += HbmCycles{at - columns_ready};
  stats_.busy += HbmCycles{timing_->unit};
  if (!unit.partial) return;
  ++stats_.partial_writes;
  stats_.busy += HbmCycles{timing_->unit};
  stats_.partial_write_stall += HbmCycles{timing_->write_back - timing_->unit};
}

}  // namespace tcp::sim
