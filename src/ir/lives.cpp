// Collects which tensors each command reads and writes, how long each tensor is alive, and whether two that are alive
// together share bytes.
#include "ir/lives.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

#include "ir/reader.hpp"
#include "ir/stage_fields.hpp"

namespace tcp::ir {
namespace {

struct UsesOf {
  Uses operator()(const Pass& p) const {
    Uses u{p.source, {}};
    for (const Stage& s : p.stages) add(u, s.what);
    return u;
  }
  Uses operator()(const Transfer& t) const {
    Uses u{{t.source}, {t.destination}};
    if (t.rows != none) u.reads.push_back(t.rows);
    return u;
  }
  Uses operator()(const HostTransfer& t) const { return {{t.source}, {t.destination}}; }
  Uses operator()(const Memset& m) const { return {{}, {m.destination}}; }

  static void add(Uses& u, const StageRecord& stage) {
    each_field(stage, [&u](const auto& field) { note(u, field); });
  }

 private:
  template <class Other>
  static void note(Uses&, const Other&) {}
  static void note(Uses& u, const TensorField<const TensorId>& f) {
    if (f.value != none) (f.access == Access::read ? u.reads : u.writes).push_back(f.value);
  }
  static void note(Uses& u, const PlainField<const std::vector<Operand>>& f) {
    for (const Operand& o : f.value)
      if (o.vrf != none) u.reads.push_back(o.vrf);
  }
};

}  // namespace

Uses uses_of(const Command& command) { return std::visit(UsesOf{}, command.what); }
Uses uses_of(const Pass& pass) { return UsesOf{}(pass); }
Uses uses_of(const StageRecord& stage) {
  Uses u;
  UsesOf::add(u, stage);
  return u;
}
std::vector<TensorId> written_by(const Command& command) { return uses_of(command).writes; }
std::vector<TensorId> read_by(const Command& command) { return uses_of(command).reads; }
std::vector<TensorId> read_by(const Pass& pass) { return uses_of(pass).reads; }

Indexed<TensorId, TensorId> roots_of(const Module& module) {
  Indexed<TensorId, TensorId> roots;
  roots.reserve(module.tensors.size());
  for (const Tensor& t : module.tensors) roots.push_back(t.view ? roots[t.view->tensor] : roots.next());
  return roots;
}

std::vector<Life> lives_of(const Module& module, const Indexed<TensorId, TensorId>& roots) {
  Indexed<Life, TensorId> by_root(roots.size());
  auto const use = [&](TensorId id, CommandId first, CommandId last) {
    Life& life = by_root[roots[id]];
    if (life.tensor == none) life = {roots[id], first, last};
    life.first = std::min(life.first, first);
    life.last = std::max(life.last, last);
  };
  CommandId const begin(0), end = module.commands.next();
  for (CommandId command : module.commands.ids()) {
    Uses const uses = uses_of(module.commands[command]);
    for (const auto* list : {&uses.reads, &uses.writes})
      for (TensorId id : *list) use(id, command, command);
  }
  for (TensorId id : roots.ids())
    if (module.tensor(id).role != Role::temporary) use(id, begin, end);
  for (const auto* list : {&module.arguments, &module.results})
    for (TensorId id : *list) use(id, begin, end);
  std::erase_if(by_root, [](const Life& life) { return life.tensor == none; });
  std::sort(by_root.begin(), by_root.end(),
            [](const Life& a, const Life& b) { return a.first != b.first ? a.first < b.first : a.tensor < b.tensor; });
  return by_root;
}

std::optional<Interval> extent_of(const Module& module, const Device& device, TensorId root) {
  const Tensor& t = module.tensor(root);
  if (t.memory == Memory::Host) return {};
  if (t.memory == Memory::Trf) {
    std::int64_t const half = trf_half_capacity(device).value;
    if (t.trf == TrfAddress::Full) return Interval{Bytes{0}, Bytes{2 * half}};
    return t.trf == TrfAddress::FirstHalf ? Interval{Bytes{0}, Bytes{half}} : Interval{Bytes{half}, Bytes{2 * half}};
  }
  if (!t.address) return {};
  auto const e = extent_at(t.type, module.map(t.element), Bytes{*t.address}, t.at);
  return e ? std::optional(*e) : std::nullopt;
}

std::optional<Clash> clash_in(const Module& module, const Device& device, Memory memory, const std::vector<Life>& lives) {
  // Those alive at one time have disjoint bytes, or a clash was found before: so of each newcomer only the two
  // neighbours matter.
  std::map<std::int64_t, std::pair<TensorId, Interval>> alive;
  using Death = std::pair<CommandId, std::int64_t>;  // last command, first byte
  std::priority_queue<Death, std::vector<Death>, std::greater<>> deaths;
  for (const Life& life : lives) {
    if (module.tensor(life.tensor).memory != memory) continue;
    auto const bytes = extent_of(module, device, life.tensor);
    if (!bytes) continue;
    for (; !deaths.empty() && deaths.top().first < life.first; deaths.pop()) alive.erase(deaths.top().second);
    auto const behind = alive.lower_bound(bytes->begin.value);
    auto const clash = [&](const auto& other) { return Clash{life.tensor, other->second.first, *bytes, other->second.second}; };
    if (behind != alive.end() && bytes->overlaps(behind->second.second)) return clash(behind);
    if (behind != alive.begin())
      if (auto const before = std::prev(behind); bytes->overlaps(before->second.second)) return clash(before);
    alive.emplace(bytes->begin.value, std::pair(life.tensor, *bytes));
    deaths.emplace(life.last, bytes->begin.value);
  }
  return {};
}

namespace {

/// Positions of a root: `run` of them from each sum of steps on.
struct ElementRuns {
  struct Steps {
    std::int64_t count, stride;
  };
  std::int64_t begin = 0, run = 1, runs = 1;
  std::vector<Steps> outer;  // outermost first

  std::int64_t end() const {
    std::int64_t last = begin;
    for (const Steps& s : outer) last += (s.count - 1) * s.stride;
    return last + run;
  }
  std::vector<std::int64_t> begins() const {
    std::vector<std::int64_t> all{begin};
    for (const Steps& s : outer) {
      std::vector<std::int64_t> next;
      next.reserve(all.size() * static_cast<std::size_t>(s.count));
      for (std::int64_t at : all)
        for (std::int64_t i = 0; i < s.count; ++i) next.push_back(at + i * s.stride);
      all = std::move(next);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

/// The elements of a tensor as positions of its root.
ElementRuns runs_of(const Module& module, TensorId id) {
  Mapping const& m = module.map(module.tensor(id).element);
  Footprints const foot = footprints(m);
  ElementRuns p;
  for (int k = m.digits - 1; k >= 0; --k) {
    if (m.digit[k].joined) continue;
    std::int64_t const steps = live_slots(m, k);
    if (p.outer.empty() && foot.inside[k] == p.run) p.run *= steps;
    else if (steps > 1) p.outer.insert(p.outer.begin(), {steps, foot.inside[k]});
  }
  for (const ElementRuns::Steps& s : p.outer) p.runs *= s.count;
  for (; module.tensor(id).view; id = module.tensor(id).view->tensor)
    if (auto const view = seen_by(module, module.tensor(id))) p.begin += view->offset;
  return p;
}

/// Some chip, cluster and slice is in both, as far as the ends of their levels tell.
bool share_units(const Module& module, TensorId a, TensorId b) {
  Place const first_of_a = module.first_unit(a), first_of_b = module.first_unit(b);
  Levels const x = module.levels(module.tensor(a)), y = module.levels(module.tensor(b));
  auto const reach = [](const Mapping& m) {
    Footprints const foot = footprints(m);
    std::int64_t last = 0;
    for (int k = 0; k < m.digits; ++k) last += (live_slots(m, k) - 1) * foot.inside[k];
    return last;
  };
  for (Level level : {Level::chip, Level::cluster, Level::slice}) {
    std::int64_t const i = first_of_a.on(static_cast<int>(level)), j = first_of_b.on(static_cast<int>(level));
    if (i + reach(x[level]) < j || j + reach(y[level]) < i) return false;
  }
  return true;
}

}  // namespace

bool share_places(const Module& module, TensorId a, TensorId b) {
  if (!share_units(module, a, b)) return false;
  ElementRuns const x = runs_of(module, a), y = runs_of(module, b);
  if (x.end() <= y.begin || y.end() <= x.begin) return false;
  constexpr std::int64_t most_runs = std::int64_t{1} << 22;
  if (x.runs > most_runs || y.runs > most_runs) return true;
  std::vector<std::int64_t> const xs = x.begins(), ys = y.begins();
  for (std::size_t i = 0, j = 0; i < xs.size() && j < ys.size();) {
    if (xs[i] + x.run <= ys[j]) ++i;
    else if (ys[j] + y.run <= xs[i]) ++j;
    else return true;
  }
  return false;
}

bool stashes(const Command& command) {
  const Pass* pass = std::get_if<Pass>(&command.what);
  return pass != nullptr &&
         std::any_of(pass->stages.begin(), pass->stages.end(), [](const Stage& s) { return std::holds_alternative<Stash>(s.what); });
}

std::string name_of_tensor(const Module& module, TensorId id) {
  const std::string& name = module.tensor(id).name;
  return name.empty() ? "tensor " + std::to_string(id.number) : std::string(shown(name).view());
}

}  // namespace tcp::ir
