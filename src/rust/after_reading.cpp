// Zeros for tensors that the vendor's crate would have filled, and halves of the TRF that its scheduler would have
// chosen.
#include "rust/after_reading.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tcp::rust {
namespace {

/// What a command needs to be there: what it reads, and the rows of a scatter that its index does not name.
std::vector<ir::TensorId> needed_by(const ir::Command& c) {
  std::vector<ir::TensorId> all = ir::read_by(c);
  if (const auto* const t = std::get_if<ir::Transfer>(&c.what); t != nullptr && t->kind == ir::Transfer::Kind::scatter)
    all.push_back(t->destination);
  return all;
}

/// Whether tiles that were written make up a whole tensor: the same factors each time, every step of them once.
class Tiles {
 public:
  explicit Tiles(const ir::Module& module) : module_(module) {}

  void add(ir::TensorId view) {
    std::vector<std::pair<ir::MapId, std::int64_t>> steps;
    std::vector<std::int64_t> starts;
    for (ir::TensorId at = view; module_.tensor(at).view; at = module_.tensor(at).view->tensor) {
      const ir::ViewOf& v = *module_.tensor(at).view;
      if (v.renames()) return;
      if (v.kind != ir::ViewOf::Kind::tile) continue;
      if (v.length < 1 || v.start % v.length != 0) return;
      steps.emplace_back(v.dimension, v.length);
      starts.push_back(v.start);
    }
    if (steps.empty()) whole_ = true;
    seen_[steps].insert(starts);
  }
  bool cover() const {
    if (whole_) return true;
    for (auto const& [steps, starts] : seen_) {
      std::int64_t needed = 1;
      for (auto const& [dimension, length] : steps) needed *= std::max<std::int64_t>(1, module_.map(dimension).size / length);
      if (static_cast<std::int64_t>(starts.size()) >= needed) return true;
    }
    return false;
  }

 private:
  const ir::Module& module_;
  bool whole_ = false;
  std::map<std::vector<std::pair<ir::MapId, std::int64_t>>, std::set<std::vector<std::int64_t>>> seen_;
};

bool is_filled_before_use(const ir::Module& module, ir::TensorId id) {
  Tiles tiles(module);
  for (const ir::Command& c : module.commands) {
    for (ir::TensorId read : needed_by(c))
      if (module.root_of(read) == id && !tiles.cover()) return false;
    for (ir::TensorId written : ir::written_by(c))
      if (module.root_of(written) == id) {
        const auto* const t = std::get_if<ir::Transfer>(&c.what);
        if (t == nullptr || t->kind != ir::Transfer::Kind::scatter) tiles.add(written);
      }
  }
  bool const result = std::find(module.results.begin(), module.results.end(), id) != module.results.end();
  return !result || tiles.cover();
}

}  // namespace

ir::TensorId fill_new_tensors(ir::Module& module, const Device& device, const std::vector<NewTensor>& made) {
  struct Fill {
    std::size_t before;
    std::vector<ir::Command> commands;
  };
  std::vector<Fill> fills;
  for (const NewTensor& n : made) {
    if (is_filled_before_use(module, n.id)) continue;
    ir::Tensor const t = module.tensor(n.id);
    ir::Command set{ir::Memset{n.id, 0}, t.at, ir::none};
    if (t.memory == Memory::Dm) {
      fills.push_back({n.commands, {std::move(set)}});
      continue;
    }
    // HBM has no memset: zeros are made in one slice of DM, and moved.
    Mapping const element = module.map(t.element);
    std::int64_t const bytes = element.size * scalar_info(t.type).packet_bits / 8;
    if (bytes > device.dm.slice_capacity.value / 2) return n.id;
    ir::Tensor zeros = t;
    zeros.memory = Memory::Dm;
    zeros.name.clear();
    zeros.role = ir::Role::temporary;
    zeros.address.reset();
    zeros.cluster = module.intern(Mapping{}.pad(device.levels.clusters_per_chip));
    zeros.slice = module.intern(Mapping{}.pad(device.levels.slices_per_cluster));
    ir::TensorId const id = module.tensors.add(std::move(zeros));
    ir::Tensor whole = t;
    whole.address.reset();
    whole.role = ir::Role::temporary;
    whole.view = ir::ViewOf{n.id, ir::ViewOf::Kind::whole};
    ir::TensorId const all = module.tensors.add(std::move(whole));
    ir::Transfer move;
    move.source = id;
    move.destination = all;
    fills.push_back({n.commands, {{ir::Memset{id, 0}, t.at, ir::none}, {std::move(move), t.at, ir::none}}});
  }
  // From the back, so that the places of the others stay.
  for (auto fill = fills.rbegin(); fill != fills.rend(); ++fill) {
    Fill& f = *fill;
    auto const at = module.commands.begin() + static_cast<std::ptrdiff_t>(std::min(f.before, module.commands.size()));
    int const region = at == module.commands.end() ? ir::none : at->region;
    for (ir::Command& c : f.commands) c.region = region;
    module.commands.insert(at, std::make_move_iterator(f.commands.begin()), std::make_move_iterator(f.commands.end()));
  }
  return ir::none;
}

void halve_trf(ir::Module& module, const std::vector<ir::TensorId>& free) {
  struct Life {
    ir::TensorId id;
    ir::CommandId first, last;
    bool fixed;
  };
  std::vector<Life> lives;
  for (ir::TensorId id : module.tensors.ids()) {
    if (module.tensor(id).memory != Memory::Trf || module.tensor(id).view) continue;
    Life life{id, module.commands.next(), ir::CommandId(0), std::find(free.begin(), free.end(), id) == free.end()};
    for (ir::CommandId c : module.commands.ids()) {
      auto const touches = [&](const std::vector<ir::TensorId>& all) {
        return std::any_of(all.begin(), all.end(), [&](ir::TensorId t) { return module.root_of(t) == id; });
      };
      if (!touches(ir::written_by(module.commands[c])) && !touches(needed_by(module.commands[c]))) continue;
      life.first = std::min(life.first, c);
      life.last = std::max(life.last, c);
    }
    lives.push_back(life);
  }
  auto const meet = [](const Life& a, const Life& b) { return a.first < b.last && b.first < a.last; };
  std::vector<TrfAddress> chosen(lives.size(), TrfAddress::Full);
  for (std::size_t i = 0; i < lives.size(); ++i) {
    chosen[i] = module.tensors[lives[i].id].trf;
    if (lives[i].fixed) continue;
    bool shared = false, first_taken = false;
    for (std::size_t k = 0; k < lives.size(); ++k) {
      if (k == i || !meet(lives[i], lives[k])) continue;
      shared = true;
      if ((k < i || lives[k].fixed) && chosen[k] == TrfAddress::FirstHalf) first_taken = true;
    }
    if (shared) chosen[i] = first_taken ? TrfAddress::SecondHalf : TrfAddress::FirstHalf;
    module.tensors[lives[i].id].trf = chosen[i];
  }
}

}  // namespace tcp::rust
