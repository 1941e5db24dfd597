// Numbers the sets of units that a program uses, and answers which of them meet and which contain which.
#include "tcp/sched/unit_sets.hpp"

#include <algorithm>

namespace tcp::sched {

namespace {

using program::Memory;
using program::Units;

Units told_apart(Memory memory, const Units& units) {
  Units made = units;
  if (memory == Memory::Host) made.chips = {true};
  if (memory == Memory::Host || memory == Memory::Hbm) {
    made.clusters = 1;
    made.slices = {{1, 0, 0, 0}};
  }
  while (!made.chips.empty() && !made.chips.back()) made.chips.pop_back();
  return made;
}

bool chips_meet(const Units& a, const Units& b) {
  for (std::size_t c = 0; c < std::min(a.chips.size(), b.chips.size()); ++c)
    if (a.chips[c] && b.chips[c]) return true;
  return false;
}
bool units_meet(const Units& a, const Units& b) {
  if ((a.clusters & b.clusters) == 0 || !chips_meet(a, b)) return false;
  for (std::size_t w = 0; w < a.slices.word.size(); ++w)
    if ((a.slices.word[w] & b.slices.word[w]) != 0) return true;
  return false;
}
bool units_cover(const Units& a, const Units& b) {
  if ((b.clusters & ~a.clusters) != 0) return false;
  for (std::size_t c = 0; c < b.chips.size(); ++c)
    if (b.chips[c] && (c >= a.chips.size() || !a.chips[c])) return false;
  for (std::size_t w = 0; w < a.slices.word.size(); ++w)
    if ((b.slices.word[w] & ~a.slices.word[w]) != 0) return false;
  return true;
}

std::uint64_t hash_of(Memory memory, const Units& u) {
  std::uint64_t h = static_cast<std::uint64_t>(memory) + 0x9e3779b97f4a7c15u;
  auto const mix = [&h](std::uint64_t v) { h = (h ^ v) * 0xff51afd7ed558ccdu, h ^= h >> 32; };
  mix(u.clusters);
  for (std::uint64_t w : u.slices.word) mix(w);
  for (bool c : u.chips) mix(c ? 3 : 5);
  return h;
}

}  // namespace

std::size_t UnitSets::number(Memory memory, const Units& units) {
  Set fresh{memory, told_apart(memory, units), {}};
  std::vector<std::size_t>& alike = by_hash_[hash_of(memory, fresh.units)];
  for (std::size_t s : alike)
    if (sets_[s].memory == memory && sets_[s].units == fresh.units) return s;
  std::size_t const made = sets_.size();
  alike.push_back(made);
  for (std::size_t s = 0; s < made; ++s) {
    if (sets_[s].memory != memory || !units_meet(sets_[s].units, fresh.units)) continue;
    sets_[s].meeting.push_back(made);
    fresh.meeting.push_back(s);
  }
  if (units_meet(fresh.units, fresh.units)) fresh.meeting.push_back(made);
  sets_.push_back(std::move(fresh));
  return made;
}

bool UnitSets::meet(std::size_t a, std::size_t b) const {
  return sets_[a].memory == sets_[b].memory && units_meet(sets_[a].units, sets_[b].units);
}
bool UnitSets::covers(std::size_t a, std::size_t b) const { return units_cover(sets_[a].units, sets_[b].units); }

}  // namespace tcp::sched
