// Verifies a module: first that every number in it names something, then tensors, commands and overlaps by the rules.
// The stages of a pass are verified in verify_pass.cpp.
#include "tcp/ir/verify.hpp"

#include <algorithm>

#include "ir/lives.hpp"
#include "ir/stage_fields.hpp"
#include "ir/verify_pass.hpp"
#include "tcp/rules/view.hpp"
#include "tcp/support/round.hpp"

namespace tcp::ir {
namespace {

class Verifier {
 public:
  Verifier(const Module& module, const Device& device) : module_(module), device_(device) {}

  /// `module` is the one that was given: it takes the mappings that stages make.
  Expected<Facts> run(Module& module) {
    if (module_.chips < 1)
      return refuse("ir-chips", {})
          .what("the module is for ", module_.chips, " chips")
          .why("Chip has one position for each chip, and there is at least one")
          .help("set Module::chips to 1 or more; in a text, module name(chips: 1)");
    if (auto v = check_references(); !v) return v.refusal();
    roots_ = roots_of(module_);
    for (const Tensor& t : module_.tensors)
      if (auto v = check_tensor(t); !v) return v.refusal();
    Facts facts;
    facts.commands.reserve(module_.commands.size());
    AlikeCommands alike(module_, roots_);
    for (CommandId id : module_.commands.ids()) {
      const Command& c = module_.commands[id];
      if (auto const like = alike.earlier(id)) {
        facts.commands.push_back(facts.commands[*like]);
      } else {
        const Pass* pass = std::get_if<Pass>(&c.what);
        auto found = pass != nullptr ? facts_of(verify_pass(module, device_, *pass, c.at)) : check_apart(c);
        if (!found) return found.refusal();
        facts.commands.push_back(*std::move(found));
      }
      if (auto v = std::visit([&](const auto& what) { return check_tensors(what, facts.commands[id], c.at); }, c.what); !v)
        return v.refusal();
      if (auto v = check_first_units(c); !v) return v.refusal();
    }
    if (auto v = check_overlaps(); !v) return v.refusal();
    return facts;
  }
  Verdict tensor(const Tensor& t) const { return check_tensor(t); }
  template <class What>
  Verdict command(const What& what, Where at) const {
    auto const found = check(what, at);
    if (!found) return found.refusal();
    if (auto v = check_tensors(what, *found, at); !v) return v;
    return check_first_units(Command{what, at});
  }

 private:
  bool known_map(MapId id) const { return module_.maps.has(id); }
  bool known_tensor(TensorId id) const { return module_.tensors.has(id); }

  template <class Of, std::int32_t unset>
  static Refusal dangling(const char* what, Id<Of, unset> id, Where at) {
    return dangling(what, id.number, at);
  }
  static Refusal dangling(const char* what, std::int64_t id, Where at) {
    return refuse("ir-dangling-reference", at)
        .what("the module names ", what, " ", id, ", which it does not have")
        .why("maps, tensors and tables are named by their position in the module's lists")
        .help("intern mappings with Module::intern, and add tensors before they are used");
  }

  /// Whatever the index is, a lookup finds a value.
  Verdict check_table(std::size_t number) const {
    const LookupTable& t = module_.tables[number];
    std::size_t const indices = std::size_t{1} << scalar_info(t.from).bits;
    auto const strange = std::find_if(t.bits.begin(), t.bits.end(), [&](std::uint32_t bits) { return (bits & ~scalar_mask(t.to)) != 0; });
    if (t.bits.size() == indices && strange == t.bits.end()) return accept();
    Refusal r = refuse("ir-table-entries", {});
    if (t.bits.size() != indices) r.what("table ", number, " has ", t.bits.size(), " entries for the ", indices, " values of ", t.from);
    else r.what("entry ", strange - t.bits.begin(), " of table ", number, " has more bits than ", t.to);
    return r.why("the bits of an index, taken as a number, count the entries, and each entry is the bits of a value")
        .help("give a table of ", t.from, " ", indices, " entries of ", t.to);
  }

  /// Every number names something, and views end in a tensor: what a module built by hand may get wrong before any rule
  /// can be asked.
  Verdict check_references() const {
    for (std::size_t i = 0; i < module_.tables.size(); ++i)
      if (auto v = check_table(i); !v) return v;
    for (TensorId each : module_.tensors.ids()) {
      const Tensor& t = module_.tensor(each);
      for (MapId id : {t.chip, t.cluster, t.slice, t.row, t.element})
        if (!known_map(id)) return dangling("mapping", id, t.at);
      if (t.view && (!known_tensor(t.view->tensor) || t.view->tensor >= each)) return dangling("viewed tensor", t.view->tensor, t.at);
      if (t.view && !known_map(t.view->dimension)) return dangling("mapping", t.view->dimension, t.at);
    }
    for (const Command& c : module_.commands) {
      Uses const uses = uses_of(c);
      for (const auto* list : {&uses.reads, &uses.writes})
        for (TensorId id : *list)
          if (!known_tensor(id)) return dangling("tensor", id, c.at);
      if (c.region != none && (c.region < 0 || static_cast<std::size_t>(c.region) >= module_.regions.size()))
        return dangling("region", c.region, c.at);
      const Pass* pass = std::get_if<Pass>(&c.what);
      if (pass == nullptr) continue;
      for (const Stage& s : pass->stages)
        if (auto v = check_references(s); !v) return v;
    }
    if (auto v = check_list("argument", module_.arguments); !v) return v;
    return check_list("result", module_.results);
  }

  /// What is handed over: whole tensors, each once. A kernel may give back an argument that it has written into, and a
  /// tensor under other names.
  Verdict check_list(const char* what, const std::vector<TensorId>& list) const {
    Indexed<bool, TensorId> seen(module_.tensors.size(), false);
    for (TensorId id : list) {
      if (!known_tensor(id)) return dangling("tensor", id, {});
      const Tensor& t = module_.tensor(id);
      bool const twice = seen[id];
      seen[id] = true;
      bool const other_role = &list == &module_.arguments && t.role != Role::argument;
      bool const part = t.view && (&list == &module_.arguments || !module_.is_whole(id));
      if (!part && !twice && !other_role) continue;
      return refuse("ir-argument-list", t.at)
          .what(name_of_tensor(module_, id), " is in the list of ", what, "s",
                part    ? " and is a view"
                : twice ? " twice"
                        : " and has another role")
          .why("arguments are filled before the module runs, results are read after it: whole tensors, each once")
          .help(part    ? "list the tensor of the view"
                : twice ? "list it once"
                        : "give it the role of an argument");
    }
    return accept();
  }

  template <class Other>
  Verdict check_reference(const Other&, Where) const {
    return accept();
  }
  Verdict check_reference(const MappingField<const MapId>& f, Where at) const {
    return known_map(f.value) ? accept() : dangling("mapping", f.value, at);
  }
  Verdict check_reference(const TableField<const int>& f, Where at) const {
    bool const known = f.value == none || (f.value >= 0 && static_cast<std::size_t>(f.value) < module_.tables.size());
    return known ? accept() : dangling("table", f.value, at);
  }
  Verdict check_references(const Stage& s) const {
    for (MapId id : {s.out.chip, s.out.cluster, s.out.slice, s.out.row, s.out.time, s.out.packet})
      if (!known_map(id)) return dangling("mapping", id, s.at);
    Verdict known = accept();
    each_field(s.what, [&](const auto& field) {
      if (known) known = check_reference(field, s.at);
    });
    if (!known) return known;
    if (const auto* o = std::get_if<VectorOperation>(&s.what); o != nullptr && !words::well_formed(o->step))
      return refuse("ir-step-malformed", s.at)
          .what("a vector operation has method ", static_cast<int>(o->step.method), ", family ", static_cast<int>(o->step.family), ", op ",
                static_cast<int>(o->step.op), ", mode ", static_cast<int>(o->step.mode), ", which do not go together")
          .why(
              "an operation is of its method's family, and codes count from 0; branch, reduce, filter and the like are stages of their own")
          .help("make steps by step_of(...), fxp_to_fp_step and fp_to_fxp_step");
    return accept();
  }

  /// HBM has Chip and Element, DM, SPM and VRF Cluster and Slice as well, the TRF a Row besides, the host Element
  /// alone.
  static Verdict check_levels_of(const Tensor& t, const Levels& levels) {
    bool const on_chip = t.memory != Memory::Host && t.memory != Memory::Hbm;
    for (Level level : {Level::chip, Level::cluster, Level::slice, Level::row}) {
      bool const has = level == Level::chip ? t.memory != Memory::Host : level == Level::row ? t.memory == Memory::Trf : on_chip;
      if (has || levels[level] == Mapping{}) continue;
      return refuse("ir-level-not-in-memory", t.at)
          .what("a tensor in ", t.memory, " has ", name_of(level), " ", levels[level])
          .why("the host has Element alone, HBM Chip and Element, DM, SPM and VRF also Cluster and Slice, the TRF also Row")
          .help("move the factors of ", name_of(level), " to Element");
    }
    return accept();
  }
  Verdict check_tensor(const Tensor& t) const {
    Levels const levels = module_.levels(t);
    const Mapping& element = levels[Level::element];
    if (auto v = check_levels_of(t, levels); !v) return v;
    if (t.view && t.address)
      return refuse("ir-view-address", t.at)
          .what("a view has address ", *t.address, " of its own")
          .why("a view is stored where its tensor is")
          .help("give the address to the tensor of the view");
    if (t.view) return verdict(seen_by(module_, t));
    Bytes const address{t.address.value_or(0)};
    switch (t.memory) {
      case Memory::Host: return check_levels(levels, t.at);
      case Memory::Hbm:
        if (auto v = check_chip_size(device_, module_.chips, levels[Level::chip], t.at); !v) return v;
        if (auto v = check_levels(levels, t.at); !v) return v;
        return check_hbm(device_, t.type, element, address, t.at);
      case Memory::Spm:
        if (auto v = check_spm_geometry(device_, module_.chips, levels, t.at); !v) return v;
        return check_spm(device_, t.type, element, address, t.at);
      default: break;
    }
    if (auto v = check_geometry(device_, module_.chips, levels, t.at); !v) return v;
    if (t.memory == Memory::Dm) return check_dm(device_, t.type, element, address, t.at);
    if (t.memory == Memory::Vrf) return check_vrf(device_, t.type, element, address, t.at);
    return check_trf(device_, t.type, levels[Level::row], element, t.trf, t.at);
  }

  // A command by how its tensors are laid out (`check`), then by which tensors they are: where each is, and whether it
  // may be written (`check_tensors`).

  Expected<CommandFacts> check_apart(const Command& c) const {
    return std::visit([&](const auto& what) { return check(what, c.at); }, c.what);
  }
  /// A pass is checked by verify_pass.
  Expected<CommandFacts> check(const Pass&, Where) const { return CommandFacts{}; }
  Verdict check_tensors(const Pass& p, const CommandFacts& facts, Where at) const {
    if (auto v = check_pass_addresses(module_, device_, p, facts.as<PassFacts>(), at); !v) return v;
    Uses const uses = uses_of(p);
    for (TensorId w : uses.writes)
      if (auto v = check_written(w, at); !v) return v;
    for (TensorId r : uses.reads)
      for (TensorId w : uses.writes)
        if (module_.tensor(r).memory == Memory::Dm && module_.tensor(w).memory == Memory::Dm && bytes_overlap(r, w))
          return refuse("ir-pass-overwrites-source", at)
              .what("a pass commits into bytes of ", name(w), " that it reads from ", name(r))
              .why("fetch and commit run at the same time, and nothing says which comes first")
              .help("commit to another address, and copy back in a second pass if you must");
    return accept();
  }
  /// A tile of Chip, Cluster or Slice counts from 0 what lies in other units: no other command than a move has an
  /// address for each.
  Verdict check_first_units(const Command& c) const {
    const Transfer* t = std::get_if<Transfer>(&c.what);
    if (t != nullptr && t->kind == Transfer::Kind::move) return accept();
    Uses const uses = uses_of(c);
    for (const auto* list : {&uses.reads, &uses.writes})
      for (TensorId id : *list) {
        Place const first = module_.first_unit(id);
        for (Level level : {Level::chip, Level::cluster, Level::slice})
          if (std::int64_t const at = first.on(static_cast<int>(level)); at > 0)
            return refuse("ir-view-units", c.at)
                .what(name(id), ", a tile that begins with ", name_of(level), " ", at, ", is used by ",
                      std::holds_alternative<Pass>(c.what) ? "a pass" : "a command that is no move")
                .why("a view counts from 0, and every engine works where its unit is: only a move between memories has an address for each")
                .help("move the tile to a tensor of its own, or work on all of the tensor");
      }
    return accept();
  }
  /// A view that shows places as several elements, copies as elements of their own, or zeros and other padding as
  /// elements, is there to be read.
  Verdict check_written(TensorId id, Where at) const {
    for (TensorId each = id; module_.tensor(each).view; each = module_.tensor(each).view->tensor) {
      if (!module_.tensor(each).view->renames()) continue;
      Levels const shown = module_.levels(module_.tensor(each)), tensor = module_.levels(module_.tensor(module_.tensor(each).view->tensor));
      for (int l = 0; l < level_count; ++l) {
        const Mapping &seen = shown.at[l], &behind = tensor.at[l];
        bool const plain = !detail::has_window(seen) || detail::has_window(behind);
        if (plain && detail::same_places(behind, seen) && detail::keeps_copies(seen, behind)) continue;
        return refuse("ir-view-read-only", at)
            .what("a view of ", name(id), " is written that shows ", name_of(static_cast<Level>(l)), " ", behind, " as ", seen)
            .why(
                "a place that has several names, that is padding, or of which there are copies, cannot take what is written under one name")
            .help("write into the tensor of the view");
      }
    }
    return accept();
  }
  Expected<CommandFacts> check(const Transfer& t, Where at) const {
    const Tensor &from = module_.tensor(t.source), &to = module_.tensor(t.destination);
    if (from.type != to.type)
      return refuse("ir-transfer-types", at)
          .what("a transfer from ", from.type, " to ", to.type)
          .why("DMA moves bytes as they are")
          .help("convert in the Tensor Unit, while fetching or by a cast");
    DmaTensor const in = dma_tensor(module_, t.source), out = dma_tensor(module_, t.destination);
    int const count = static_cast<int>(t.permutation.size());
    switch (t.kind) {
      case Transfer::Kind::move: {
        auto const plan = check_transfer(device_, from.type, module_.chips, in, out, at);
        if (!plan) return plan.refusal();
        if (t.time && t.packet) {
          if (!known_map(*t.time) || !known_map(*t.packet)) return dangling("mapping", known_map(*t.time) ? *t.packet : *t.time, at);
          Levels const stream = dma_stream_levels(in, out, module_.map(*t.time), module_.map(*t.packet));
          if (auto v = check_dma_stream(device_, from.type, in, out, stream, at); !v) return v.refusal();
        }
        return CommandFacts(*plan);
      }
      case Transfer::Kind::chip_shuffle:
        return facts_of(check_chip_shuffle(device_, from.type, module_.chips, in, t.permutation.data(), count, out, at));
      case Transfer::Kind::cluster_shuffle:
        return facts_of(check_cluster_shuffle(device_, from.type, module_.chips, in, t.permutation.data(), count, out, at));
      case Transfer::Kind::chip_slice:
        if (!known_map(t.dimension)) break;
        return facts_of(check_chip_slice(device_, from.type, module_.chips, in, module_.map(t.dimension), t.length, t.permutation.data(),
                                         count, out, at));
      default: break;
    }
    if (t.rows == none || t.kind == Transfer::Kind::chip_slice)
      return refuse("ir-transfer-without-rows", at)
          .what("a transfer of this kind lacks its index tensor or its dimension")
          .why("gather and scatter pick rows by an index tensor, chip_slice cuts along a dimension")
          .help("set Transfer::rows and row_axis, or dimension and length");
    ScalarType const index_type = module_.tensor(t.rows).type;
    DmaTensor const index = dma_tensor(module_, t.rows);
    if (t.kind == Transfer::Kind::gather)
      return facts_of(check_gather(device_, from.type, module_.chips, in, t.row_axis, index_type, index, out, at, t.keys));
    return facts_of(check_scatter(device_, from.type, module_.chips, in, index_type, index, out, t.row_axis, at, t.keys));
  }
  Verdict check_tensors(const Transfer& t, const CommandFacts&, Where at) const {
    if (auto v = check_written(t.destination, at); !v) return v;
    for (TensorId r : uses_of(Command{t}).reads) {
      TensorId const root = module_.root_of(r);
      if (root == module_.root_of(t.destination) && share_places(module_, r, t.destination))
        return refuse("ir-transfer-overwrites-source", at)
            .what("a transfer writes elements of ", name(root), " that it reads as well")
            .why("the engine reads and writes at the same time, and nothing says which comes first")
            .help("move to another tensor first, or between parts that have no element in common");
    }
    if (t.kind != Transfer::Kind::move) return accept();
    auto const begins = module_.address_of(t.source), lands = module_.address_of(t.destination);
    if (!begins || !lands) return accept();
    return check_transfer_at(device_, module_.tensor(t.source).type, dma_tensor(module_, t.source), Bytes{*begins},
                             dma_tensor(module_, t.destination), Bytes{*lands}, at);
  }
  Verdict check_tensors(const HostTransfer& t, const CommandFacts&, Where at) const { return check_written(t.destination, at); }
  Verdict check_tensors(const Memset& m, const CommandFacts&, Where at) const { return check_written(m.destination, at); }
  Expected<CommandFacts> check(const HostTransfer& t, Where at) const {
    const Tensor &from = module_.tensor(t.source), &to = module_.tensor(t.destination);
    if (from.type != to.type) {
      Transfer move;
      move.source = t.source;
      move.destination = t.destination;
      return check(move, at);
    }
    return facts_of(
        check_transfer(device_, from.type, module_.chips, dma_tensor(module_, t.source), dma_tensor(module_, t.destination), at));
  }
  Expected<CommandFacts> check(const Memset& m, Where at) const {
    const Tensor& t = module_.tensor(m.destination);
    if (t.memory != Memory::Dm) return memset_refused(name_of(t.memory), at);
    Begin const begin = begin_of(m.destination);
    MemsetOf const what = begin.tile ? MemsetOf::tile : MemsetOf::tensor;
    auto const writes = check_memset(device_, Tu::Sub, t.type, module_.map(t.element), begin.at, what, at);
    if (!writes) return writes.refusal();
    if (!begin.tile)
      if (auto v = check_memset_word(module_.map(t.element), m.word, at); !v) return v.refusal();
    return CommandFacts(*writes);
  }
  /// Where a tensor begins, or a view; of a tensor that has no address yet, counted from its begin.
  struct Begin {
    Bytes at{};
    bool tile = false;
  };
  Begin begin_of(TensorId id) const {
    std::int64_t bits = 0;
    Begin found;
    for (; module_.tensor(id).view; id = module_.tensor(id).view->tensor) {
      const Tensor& t = module_.tensor(id);
      found.tile |= t.view->kind == ViewOf::Kind::tile;
      if (auto const view = seen_by(module_, t)) bits += view->offset * scalar_info(t.type).packet_bits;
    }
    found.at = Bytes{module_.tensor(id).address.value_or(0) + bits / 8};
    return found;
  }
  template <class Found>
  static Expected<CommandFacts> facts_of(Expected<Found> found) {
    if (!found) return found.refusal();
    return CommandFacts(*std::move(found));
  }

  std::string name(TensorId id) const { return name_of_tensor(module_, id); }

  bool bytes_overlap(TensorId a, TensorId b) const {
    a = roots_[a];
    b = roots_[b];
    if (a == b) return true;
    auto const x = extent_of(module_, device_, a), y = extent_of(module_, device_, b);
    return x && y && x->overlaps(*y);
  }

  /// Tensors of one memory that are alive at the same time lie in different bytes.
  Verdict check_overlaps() const {
    std::vector<Life> const lives = lives_of(module_, roots_);
    for (Memory memory : {Memory::Hbm, Memory::Dm, Memory::Spm, Memory::Trf, Memory::Vrf}) {
      auto const clash = clash_in(module_, device_, memory, lives);
      if (!clash) continue;
      return refuse("ir-tensors-overlap", module_.tensor(clash->later).at)
          .what(name(clash->later), " takes bytes ", clash->later_bytes.begin.value, " to ", clash->later_bytes.end.value - 1, " of ",
                memory, ", where ", name(clash->earlier), " is stored (", clash->earlier_bytes.begin.value, " to ",
                clash->earlier_bytes.end.value - 1, ") and still used")
          .why("one would overwrite the other")
          .help(way_out(memory, *clash).view());
    }
    return check_stash_room(lives);
  }
  /// Where the later of two tensors could be instead: after the earlier one, as far as the memory reaches.
  Text way_out(Memory memory, const Clash& clash) const {
    Text out;
    if (memory == Memory::Trf) return out << "give each a half of the TRF, or use the one for the last time before the other is loaded";
    std::int64_t const at = round_up(clash.earlier_bytes.end.value, 8);
    std::int64_t const end = memory == Memory::Hbm   ? device_.hbm.capacity.value
                             : memory == Memory::Dm  ? device_.dm.slice_capacity.value
                             : memory == Memory::Spm ? device_.spm.pe_capacity.value
                                                     : device_.vrf.slice_capacity.value;
    if (device_.checks.geometry && at + (clash.later_bytes.end - clash.later_bytes.begin).value > end)
      return out << "place it elsewhere, or leave its address out: it is then put where there is room";
    return out << "place it at " << at << " or elsewhere";
  }
  /// A pass with a stash keeps it in the VRF, beside whatever is alive then: there must be room for it in one piece.
  Verdict check_stash_room(const std::vector<Life>& lives) const {
    if (!device_.checks.geometry) return accept();
    std::vector<std::pair<Life, Interval>> placed;
    for (const Life& life : lives)
      if (module_.tensor(life.tensor).memory == Memory::Vrf)
        if (auto const bytes = extent_of(module_, device_, life.tensor)) placed.emplace_back(life, *bytes);
    std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.second.begin < b.second.begin; });
    for (CommandId id : module_.commands.ids()) {
      if (!stashes(module_.commands[id])) continue;
      Bytes end{0}, gap{0}, taken{0};
      for (const auto& [life, bytes] : placed) {
        if (id < life.first || life.last < id) continue;
        gap = std::max(gap, bytes.begin - end);
        end = std::max(end, bytes.end);
        taken += bytes.end - bytes.begin;
      }
      gap = std::max(gap, device_.vrf.slice_capacity - end);
      if (gap >= device_.vrf.stash) continue;
      return refuse("vector-stash-room", module_.commands[id].at)
          .what("a pass with vector_stash while operands take ", taken, " of VRF, and leave ", gap, " in a row; the stash needs ",
                device_.vrf.stash)
          .why("the stash is kept in the VRF, beside the operands that are alive")
          .help("load fewer of them or place them closer, or recompute the value instead of stashing it");
    }
    return accept();
  }

  const Module& module_;
  const Device& device_;
  Indexed<TensorId, TensorId> roots_;
};

}  // namespace

Expected<Verified> verify(Module module, const Device& device) {
  auto contents = std::make_shared<Verified::Contents>(Verified::Contents{std::move(module), device, {}});
  auto facts = Verifier(contents->module, device).run(contents->module);
  if (!facts) return facts.refusal();
  contents->facts = *std::move(facts);
  return Verified(std::move(contents));
}
Verdict verify_tensor(const Module& module, const Device& device, const Tensor& tensor) { return Verifier(module, device).tensor(tensor); }
Verdict verify_transfer(const Module& module, const Device& device, const Transfer& transfer, Where at) {
  return Verifier(module, device).command(transfer, at);
}
Verdict verify_memset(const Module& module, const Device& device, const Memset& memset, Where at) {
  return Verifier(module, device).command(memset, at);
}

// Words the error for a result that depends on an undefined value.

Refusal undefined_result(const Module& module, TensorId result, const std::vector<CoordinateOf>& element, std::string_view origin,
                         Where at) {
  const Tensor& t = module.tensor(result);
  Refusal r = refuse("exec-undefined-result", at.known() ? at : t.at);
  r.what("element ");
  for (std::size_t i = 0; i < element.size(); ++i)
    r.what(i == 0 ? "(" : ", ", element[i].axis, " = ", element[i].at, i + 1 == element.size() ? ") " : "");
  if (t.name.empty()) r.what("of the result at ", t.memory, " ", t.address.value_or(0));
  else r.what("of result ", name_of_tensor(module, result));
  return r.what(" depends on an undefined value: ", origin)
      .why("padding, and memory that nothing has written, hold whatever was there before")
      .help("write it first, or keep it out of what is computed; with the check off it counts as zero");
}

}  // namespace tcp::ir
