// Gives tensors addresses: memory by memory, in the order in which the tensors come alive, between those whose
// addresses the author has chosen.
#include "tcp/ir/place.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "ir/lives.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/round.hpp"

namespace tcp::ir {
namespace {

bool wants_a_place(const Tensor& t) { return !t.address && !t.view && t.memory != Memory::Host && t.memory != Memory::Trf; }
bool wants_a_host_address(const Tensor& t) { return !t.address && !t.view && t.memory == Memory::Host; }

constexpr std::int64_t unlimited = std::int64_t{1} << 56;  // as far as addresses go where the device has no geometry

std::int64_t capacity_of(const Device& device, Memory memory) {
  if (!device.checks.geometry) return unlimited;
  switch (memory) {
    case Memory::Hbm: return device.hbm.capacity.value;
    case Memory::Dm: return device.dm.slice_capacity.value;
    case Memory::Spm: return device.spm.pe_capacity.value;
    default: return device.vrf.slice_capacity.value;
  }
}

/// What every use of a tensor of this memory asks of its address. In HBM a packet that straddles two blocks of a
/// request costs one more, so tensors begin at such a block.
std::int64_t alignment_of(const Device& device, Memory memory, ScalarType type) {
  std::int64_t const element = std::max(1, scalar_info(type).packet_bits / 8);
  if (memory == Memory::Hbm) return std::lcm(std::lcm(element, device.dma.request_bytes.value), device.dma.hbm_to_dm_alignment.value);
  if (memory == Memory::Dm) return std::lcm(std::lcm(element, device.dm.write_alignment.value), device.dm.read_alignment.value);
  return element;
}

std::int64_t bytes_of(ScalarType type, std::int64_t elements) { return ceil_div(elements * scalar_info(type).packet_bits, 8); }

/// A tensor that wants a place, or has one.
struct Item {
  Life life{};
  std::int64_t size = 0, alignment = 1;
  std::int64_t lowest = 0, highest = 0;  // where it may begin
  std::optional<std::int64_t> address;
  bool fixed = false;  // by the author

  Interval extent() const { return {Bytes{*address}, Bytes{*address + size}}; }
};

/// How far a walk leaves the tensor that it reads, as the rules of fetch and commit count it: there must be memory all
/// the way.
struct Reach {
  std::int64_t before = 0, behind = 0;  // bytes from the tensor's begin
};

class Placer {
 public:
  Placer(Module& module, const Device& device, const Facts& facts, const std::vector<Taken>& taken)
      : module_(module), device_(device), taken_(taken), roots_(roots_of(module)), reach_(roots_.size()) {
    for (CommandId id : module.commands.ids()) {
      if (stashes(module.commands[id])) stashes_.push_back(id);
      if (const Pass* pass = std::get_if<Pass>(&module.commands[id].what)) note_reach(*pass, facts.commands[id].as<PassFacts>());
    }
  }

  Verdict run() {
    std::vector<Life> const lives = lives_of(module_, roots_);
    std::vector<Item> placed;
    for (Memory memory : {Memory::Hbm, Memory::Dm, Memory::Spm, Memory::Vrf}) {
      std::vector<Item> items = items_of(memory, lives);
      if (auto v = place_all(items, memory); !v) return v;
      placed.insert(placed.end(), items.begin(), items.end());
    }
    for (const Item& item : placed)
      if (item.life.tensor != none) tensor(item.life.tensor).address = item.address;
    for (Tensor& t : module_.tensors)
      if (wants_a_place(t)) t.address = 0;  // no command uses it: it takes no room, wherever it is
    place_on_host();
    return accept();
  }

 private:
  Tensor& tensor(TensorId id) { return module_.tensors[id]; }

  /// The host's memory is not the device's to give out; for a program its tensors follow one another, after a page of
  /// zeros.
  void place_on_host() {
    constexpr std::int64_t alignment = 64;
    std::int64_t next = device_.dma.packet_limit.value;
    for (Tensor& t : module_.tensors) {
      if (!wants_a_host_address(t)) continue;
      t.address = next;
      next += ceil_div(bytes_of(t.type, module_.map(t.element).size), alignment) * alignment;
    }
  }

  void note_reach(const Pass& pass, const PassFacts& facts) {
    for (const StageFacts& stage : facts.stages) {
      if (const auto* fetched = stage.if_found<Fetched>())
        for (TensorId source : pass.source) note_reach(source, fetched->sequence.loops, fetched->lifts.reach());
      if (const auto* committed = stage.if_found<Committed>())
        note_reach(std::get<Commit>(pass.stages.back().what).destination, committed->sequence.loops);
    }
  }
  void note_reach(TensorId id, const Loops& loops, std::int64_t moved_on = 0) {
    ScalarType const type = module_.tensor(id).type;
    std::int64_t offset = 0;
    for (TensorId at = id; module_.tensor(at).view; at = module_.tensor(at).view->tensor)
      offset += seen_by(module_, module_.tensor(at))->offset;
    Reach& reach = reach_[roots_[id]];
    reach.before = std::max(reach.before, bytes_of(type, std::max<std::int64_t>(0, -loops.base - offset)));
    reach.behind = std::max(reach.behind, bytes_of(type, offset + loops.furthest() + moved_on + 1));
  }

  std::vector<Item> items_of(Memory memory, const std::vector<Life>& lives) const {
    std::vector<Item> items;
    std::int64_t const capacity = capacity_of(device_, memory);
    for (const Taken& t : taken_)
      if (t.memory == memory) items.push_back(held_by_others(t.bytes));
    for (const Life& life : lives) {
      const Tensor& t = module_.tensor(life.tensor);
      if (t.memory != memory) continue;
      Item item;
      item.life = life;
      item.size = bytes_of(t.type, module_.map(t.element).size);
      item.alignment = alignment_of(device_, memory, t.type);
      const Reach& reach = reach_[life.tensor];
      item.lowest = reach.before;
      item.highest = capacity - std::max(item.size, reach.behind);
      if (memory == Memory::Vrf && meets_a_stash(life)) item.highest -= device_.vrf.stash.value;
      item.address = t.address;
      item.fixed = t.address.has_value();
      items.push_back(item);
    }
    return items;
  }

  /// Whether a pass with a stash comes while a tensor is alive: the end of the VRF is left to it.
  bool meets_a_stash(const Life& life) const {
    auto const command = std::lower_bound(stashes_.begin(), stashes_.end(), life.first);
    return device_.checks.geometry && command != stashes_.end() && *command <= life.last;
  }

  Item held_by_others(const Interval& e) const {
    Item item;
    item.life.tensor = none;
    item.life.last = module_.commands.next();
    item.size = e.end.value - e.begin.value;
    item.address = e.begin.value;
    item.fixed = true;
    return item;
  }

  /// Bytes that were given back are used again as late as can be, so that one command need not wait for another to be
  /// done with them; where that leaves no room, from the lowest on, which packs closer.
  Verdict place_all(std::vector<Item>& items, Memory memory) const {
    if (std::all_of(items.begin(), items.end(), [](const Item& i) { return i.fixed; })) return accept();
    std::vector<Item> spread = items;
    if (attempt(spread, true) == nullptr) {
      items = std::move(spread);
      return accept();
    }
    const Item* const without = attempt(items, false);
    return without == nullptr ? accept() : Verdict(full(items, *without, memory));
  }

  /// Gives each item without an address one, in the order in which their lives begin. Returns the first for which there
  /// is no room. Costs the number of items times the number of those alive together.
  const Item* attempt(std::vector<Item>& items, bool onward) const {
    std::vector<const Item*> alive, later;  // by their first byte; the author's, that begin during the item's life
    std::int64_t next = 0;
    for (Item& item : items) {
      std::erase_if(alive, [&item](const Item* other) { return other->life.last < item.life.first; });
      if (!item.fixed) {
        in_the_way(items, item, alive, later);
        auto found = onward ? gap_from(next, item, later) : std::nullopt;
        if (!found) found = gap_from(0, item, later);
        if (!found) return &item;
        item.address = found;
        next = *found + item.size;
      }
      alive.insert(std::upper_bound(alive.begin(), alive.end(), &item, begins_before), &item);
    }
    return nullptr;
  }

  static bool begins_before(const Item* a, const Item* b) { return *a->address < *b->address; }

  /// All that an item must not touch: what is alive when its own life begins, and what the author has placed and begins
  /// before it ends.
  static void in_the_way(const std::vector<Item>& items, const Item& item, const std::vector<const Item*>& alive,
                         std::vector<const Item*>& all) {
    all = alive;
    const Item* const end = items.data() + items.size();
    for (const Item* other = &item + 1; other != end && other->life.first <= item.life.last; ++other)
      if (other->fixed) all.push_back(other);
    if (all.size() > alive.size()) std::sort(all.begin(), all.end(), begins_before);
  }

  static std::optional<std::int64_t> gap_from(std::int64_t from, const Item& item, const std::vector<const Item*>& taken) {
    std::int64_t begin = round_up(std::max(from, item.lowest), item.alignment);
    for (const Item* other : taken) {
      if (*other->address >= begin + item.size) break;
      if (*other->address + other->size > begin) begin = round_up(*other->address + other->size, item.alignment);
    }
    return begin <= item.highest ? std::optional(begin) : std::nullopt;
  }

  Refusal full(const std::vector<Item>& items, const Item& item, Memory memory) const {
    std::int64_t const capacity = capacity_of(device_, memory);
    std::vector<const Item*> alive, taken;
    for (const Item* other = items.data(); other != &item; ++other)
      if (other->life.meets(item.life)) alive.push_back(other);
    in_the_way(items, item, alive, taken);
    std::sort(taken.begin(), taken.end(), begins_before);
    std::int64_t bytes = 0, gap = 0, free_from = 0;
    for (const Item* other : taken) {
      bytes += other->size;
      gap = std::max(gap, *other->address - free_from);
      free_from = std::max(free_from, *other->address + other->size);
    }
    gap = std::max(gap, capacity - free_from);
    return refuse("ir-memory-full", module_.tensor(item.life.tensor).at)
        .what("no room in ", memory, " for ", name_of_tensor(module_, item.life.tensor), ", ", item.size, " bytes, ", when(item.life),
              ": others alive then take ", bytes, " of ", capacity, " bytes, and the largest piece left has ", gap)
        .why(live_set(std::move(taken)))
        .help(memory == Memory::Hbm
                  ? "use a tensor for the last time before the next is written, or spread them over more chips"
                  : "use a tensor for the last time before the next is written, work on tiles, or spread them over more slices");
  }
  std::string when(const Life& life) const {
    if (life.first == CommandId(0) && life.last >= module_.commands.next()) return "in the whole kernel";
    if (life.first == life.last) return "in command " + std::to_string(life.first.number);
    return "in commands " + std::to_string(life.first.number) + " to " + std::to_string(life.last.number);
  }
  /// The largest first, as many as a note has room for, then the sum of the others.
  std::string live_set(std::vector<const Item*> taken) const {
    std::sort(taken.begin(), taken.end(), [](const Item* a, const Item* b) { return a->size != b->size ? a->size > b->size : a < b; });
    std::string list = "alive with it:";
    std::size_t shown = 0;
    for (; shown < taken.size(); ++shown) {
      const Item& item = *taken[shown];
      std::string const name = item.life.tensor == none ? "a tensor of another kernel" : name_of_tensor(module_, item.life.tensor);
      std::string const one = (shown == 0 ? " " : "; ") + name + ", " + std::to_string(item.size) + " bytes at " +
                              std::to_string(*item.address) + ", " + when(item.life);
      if (list.size() + one.size() > Text::room - room_for_the_rest) break;
      list += one;
    }
    if (shown == taken.size()) return list;
    std::int64_t rest = 0;
    for (std::size_t i = shown; i < taken.size(); ++i) rest += taken[i]->size;
    return list + (shown == 0 ? " " : "; and ") + std::to_string(taken.size() - shown) + " more, " + std::to_string(rest) + " bytes";
  }
  static constexpr std::size_t room_for_the_rest = 48;

  Module& module_;
  const Device& device_;
  const std::vector<Taken>& taken_;
  Indexed<TensorId, TensorId> roots_;
  Indexed<Reach, TensorId> reach_;  // of roots
  std::vector<CommandId> stashes_;  // commands that stash, in order
};

}  // namespace

Expected<Verified> placed(Verified module, const std::vector<Taken>& taken) {
  const std::vector<Tensor>& tensors = module.module().tensors;
  if (std::none_of(tensors.begin(), tensors.end(), wants_a_place) && std::none_of(tensors.begin(), tensors.end(), wants_a_host_address))
    return module;
  if (module.contents_.use_count() > 1) module.contents_ = std::make_shared<Verified::Contents>(*module.contents_);
  Verified::Contents& contents = *module.contents_;
  if (auto v = Placer(contents.module, contents.device, contents.facts, taken).run(); !v) return v.refusal();
  return module;
}

}  // namespace tcp::ir
