// Finds what an earlier launch of the same kernel left, and forgets what was not used for longest.
#include "runtime/device/kept.hpp"

#include <algorithm>

#include "tcp/dsl/session.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/rules/dma.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::detail {

namespace {

bool comes_before(const ir::Taken& a, const ir::Taken& b) {
  return a.memory != b.memory ? a.memory < b.memory : a.bytes.begin < b.bytes.begin;
}

ir::Taken bytes_of(const ir::Module& module, const ir::Tensor& t) {
  return {t.memory, value_or_throw(extent_at(t.type, module.map(t.element), Bytes{*t.address}))};
}

}  // namespace

std::vector<std::int64_t> argument_addresses_of(const ir::Module& recorded) {
  std::vector<std::int64_t> all;
  for (ir::TensorId id : recorded.arguments) all.push_back(recorded.tensor(id).address.value_or(-1));
  return all;
}

Placement::Placement(ir::Verified placed, const ir::Module& recorded)
    : verified_(std::move(placed)), argument_addresses_(argument_addresses_of(recorded)) {
  note_chosen(recorded);
  note_overwritten();
}

void Placement::note_chosen(const ir::Module& recorded) {
  std::vector<ir::Taken> all;
  for (ir::TensorId id : recorded.tensors.ids()) {
    const ir::Tensor& t = module().tensor(id);
    if (recorded.tensor(id).address || t.view || !outlives_kernels(t.memory)) continue;
    all.push_back(bytes_of(module(), t));
  }
  std::sort(all.begin(), all.end(), comes_before);
  for (const ir::Taken& t : all) {
    if (chosen_.empty() || chosen_.back().memory != t.memory || chosen_.back().bytes.end < t.bytes.begin) chosen_.push_back(t);
    else chosen_.back().bytes.end = std::max(chosen_.back().bytes.end, t.bytes.end);
  }
}

void Placement::note_overwritten() {
  Indexed<bool, ir::TensorId> seen(module().tensors.size(), false);
  for (ir::TensorId id : module().results) seen[module().root_of(id)] = true;
  for (const ir::Command& c : module().commands)
    for (ir::TensorId id : ir::written_by(c)) {
      ir::TensorId const root = module().root_of(id);
      const ir::Tensor& t = module().tensor(root);
      if (!outlives_kernels(t.memory) || seen[root]) continue;
      seen[root] = true;
      overwritten_.push_back(bytes_of(module(), t));
    }
}

bool Placement::fits_beside(const std::vector<ir::Taken>& taken) const {
  return std::none_of(taken.begin(), taken.end(), [this](const ir::Taken& t) {
    // Only the last one that begins before the end of `t` can reach into it: chosen bytes do not overlap.
    auto after = std::lower_bound(chosen_.begin(), chosen_.end(), ir::Taken{t.memory, {t.bytes.end, t.bytes.end}}, comes_before);
    if (after == chosen_.begin()) return false;
    --after;
    return after->memory == t.memory && after->bytes.overlaps(t.bytes);
  });
}

std::shared_ptr<Placement> KeptModule::find(const std::vector<std::int64_t>& argument_addresses,
                                            const std::vector<ir::Taken>& taken) const {
  for (auto at = placements_.rbegin(); at != placements_.rend(); ++at) {
    if ((*at)->argument_addresses() != argument_addresses || !(*at)->fits_beside(taken)) continue;
    std::rotate(at.base() - 1, at.base(), placements_.end());
    return placements_.back();
  }
  return nullptr;
}
void KeptModule::add(std::shared_ptr<Placement> placement) {
  if (placements_.size() == most_placements) placements_.erase(placements_.begin());
  placements_.push_back(std::move(placement));
}

std::shared_ptr<KeptModule> KeptModules::find(const ir::Module& recorded) {
  auto const alike = by_hash_.find(ir::recording_hash(recorded));
  if (alike == by_hash_.end()) return nullptr;
  for (Entry& e : alike->second) {
    if (!ir::same_recording(e.module->recorded(), recorded)) continue;
    e.used = ++clock_;
    return e.module;
  }
  return nullptr;
}

std::shared_ptr<KeptModule> KeptModules::add(ir::Module recorded) {
  make_room();
  std::vector<Entry>& alike = by_hash_[ir::recording_hash(recorded)];
  alike.push_back({std::make_shared<KeptModule>(std::move(recorded)), ++clock_});
  return alike.back().module;
}

void KeptModules::make_room() {
  if (--until_next_count_ > 0) return;
  std::size_t commands = 0;
  std::vector<std::uint64_t> uses;
  for (const auto& [hash, alike] : by_hash_)
    for (const Entry& e : alike) {
      commands += e.module->commands();
      uses.push_back(e.used);
    }
  until_next_count_ = std::max<std::size_t>(64, uses.size() / 4);
  if (commands <= most_commands) return;
  // Half of them at once: what was used since the median stays.
  std::nth_element(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2), uses.end());
  std::uint64_t const oldest = uses[uses.size() / 2];
  for (auto alike = by_hash_.begin(); alike != by_hash_.end();) {
    std::erase_if(alike->second, [&](const Entry& e) { return e.used < oldest; });
    alike = alike->second.empty() ? by_hash_.erase(alike) : std::next(alike);
  }
}

}  // namespace tcp::detail
