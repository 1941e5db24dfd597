#include "walker.hpp"

#include <utility>

namespace tcp::walker {

namespace {

using program::Exec;

bool longer_stride(std::vector<program::Loop>& loops, std::int64_t by) {
  for (program::Loop& l : loops)
    if (l.size > 1) {
      l.stride += by;
      return true;
    }
  return false;
}
program::Commit* commit_of(Exec& e) { return std::get_if<program::Commit>(&e.sink); }
template <class Kind>
Kind* step_of(Exec& e) {
  if (e.vector)
    for (program::VectorStep& s : e.vector->steps)
      if (auto* found = std::get_if<Kind>(&s.what)) return found;
  return nullptr;
}
bool turn_over(std::vector<program::TimeLoop>& loops) {
  for (std::size_t k = 0; k + 1 < loops.size(); ++k)
    if (loops[k].added != loops[k + 1].added && loops[k].rounds > 1 && loops[k + 1].rounds > 1) {
      std::swap(loops[k].added, loops[k + 1].added);
      return true;
    }
  return false;
}

bool fetch_base(Exec& e) { return e.fetch.read.base += e.fetch.read.access_bytes, true; }
bool fetch_stride(Exec& e) { return longer_stride(e.fetch.read.loops, e.fetch.read.access_bytes); }
bool fetch_mask_gone(Exec& e) { return std::exchange(e.fetch.mask, {}).has_value(); }
bool fetch_mask_longer(Exec& e) {
  if (!e.fetch.mask || e.fetch.mask->valid_count[0] == 0) return false;
  return --e.fetch.mask->valid_count[0], true;
}
bool fetch_offset(Exec& e) { return !e.fetch.offsets.empty() && (e.fetch.offsets[0].stride += e.fetch.read.access_bytes, true); }
bool fetch_offsets_gone(Exec& e) { return !std::exchange(e.fetch.offsets, {}).empty(); }
bool units_missing(Exec& e) {
  return std::exchange(e.units.slices.word[0], e.units.slices.word[0] & ~std::uint64_t{1}) != e.units.slices.word[0];
}
bool writer_missing(Exec& e) {
  if (!e.writing.contains(0)) return false;
  return e.writing.word[0] &= ~std::uint64_t{1}, true;
}
bool route_elsewhere(Exec& e) {
  if (e.switching)
    for (program::RouteStep& step : e.switching->of_time)
      if (step.size > 1 && step.held > 1) return ++step.slice, true;
  return false;
}
bool snoop_shut(Exec& e) {
  if (!e.switching || e.switching->snoop.empty()) return false;
  return e.switching->snoop[0] = {}, true;
}
bool snoop_open(Exec& e) {
  if (!e.switching || e.switching->snoop.empty() || e.switching->snoop[0].contains(3)) return false;
  return e.switching->snoop[0].insert(3), true;
}
bool shift(Exec& e) { return e.contraction && (++e.contraction->adapter.initial_shift, true); }
bool weights_first(Exec& e) { return e.contraction && (e.contraction->trf_first += e.contraction->trf_read_bytes, true); }
bool weights_stride(Exec& e) { return e.contraction && longer_stride(e.contraction->trf_loops, e.contraction->trf_read_bytes); }
bool weights_elsewhere(Exec& e) { return e.contraction && (e.contraction->trf_row_base += 64, true); }
bool lanes_not_zero(Exec& e) { return e.contraction && !std::exchange(e.contraction->zero_lanes, {}).empty(); }
bool lane_zero(Exec& e) {
  return e.contraction && (e.contraction->zero_lanes.push_back({{}, {~std::uint64_t{0}, ~std::uint64_t{0}}}), true);
}
bool sums_swapped(Exec& e) { return e.contraction && turn_over(e.contraction->loops); }
bool counts_gone(Exec& e) { return e.vector && std::exchange(e.vector->valid_count, {}).has_value(); }
bool count_less(Exec& e) { return e.vector && e.vector->valid_count && (e.vector->valid_count->packet_valid = 0, true); }
bool reduce_swapped(Exec& e) {
  auto* s = step_of<program::IntraSliceReduceStep>(e);
  return s != nullptr && turn_over(s->loops);
}
bool ring_not_folded(Exec& e) {
  auto* s = step_of<program::InterSliceReduceStep>(e);
  return s != nullptr && (s->folded = {}, true);
}
bool toggle_turned(Exec& e) {
  auto* s = step_of<program::BranchStep>(e);
  auto* toggle = s == nullptr ? nullptr : std::get_if<program::Toggle>(&s->by);
  return toggle != nullptr && (toggle->start ^= 1, true);
}
bool operand_elsewhere(Exec& e) {
  if (!e.vector) return false;
  for (program::VectorStep& s : e.vector->steps)
    if (auto* o = std::get_if<program::OperateStep>(&s.what))
      for (program::OperandSlot& slot : o->operands)
        if (auto* w = std::get_if<program::VrfWalk>(&slot.source))
          for (program::Loop& l : w->loops)
            if (l.size > 1 && l.stride != 0) return l.stride += 4, true;
  return false;
}
bool matrix_turned(Exec& e) {
  if (!e.transpose || e.transpose->in_rows == e.transpose->packets_per_column) return false;
  return std::swap(e.transpose->in_rows, e.transpose->packets_per_column), true;
}
bool commit_base(Exec& e) { return commit_of(e) != nullptr && (commit_of(e)->write.base += commit_of(e)->write.access_bytes, true); }
bool commit_stride(Exec& e) { return commit_of(e) != nullptr && longer_stride(commit_of(e)->write.loops, 8); }
bool commit_less(Exec& e) { return commit_of(e) != nullptr && (commit_of(e)->commit_in_size -= 8, true); }
bool trf_rows(Exec& e) {
  auto* s = std::get_if<program::TrfStore>(&e.sink);
  return s != nullptr && (s->row_bytes += 32, true);
}

}  // namespace

const std::vector<Mutation>& mutations() {
  static const std::vector<Mutation> all = {
      {"fetch base", fetch_base},
      {"fetch stride", fetch_stride},
      {"offset of a lift", fetch_offset},
      {"offsets of lifts left out", fetch_offsets_gone},
      {"fetch mask gone", fetch_mask_gone},
      {"fetch mask longer", fetch_mask_longer},
      {"units", units_missing},
      {"writers", writer_missing},
      {"route", route_elsewhere},
      {"bitmap shut", snoop_shut},
      {"bitmap open", snoop_open},
      {"adapter shift", shift},
      {"weights' first", weights_first},
      {"weights' stride", weights_stride},
      {"weights' place", weights_elsewhere},
      {"no zero lanes", lanes_not_zero},
      {"zero lanes", lane_zero},
      {"sums", sums_swapped},
      {"no counts", counts_gone},
      {"counts of 0", count_less},
      {"reduce", reduce_swapped},
      {"ring", ring_not_folded},
      {"toggle", toggle_turned},
      {"operand", operand_elsewhere},
      {"matrix", matrix_turned},
      {"commit base", commit_base},
      {"commit stride", commit_stride},
      {"commit size", commit_less},
      {"TRF row", trf_rows},
  };
  return all;
}

}  // namespace tcp::walker
