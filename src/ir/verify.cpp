#include "tcp/ir/verify.hpp"

#include <algorithm>
#include <map>

#include "verify_pass.hpp"

namespace tcp::ir {
namespace {

/// The tensor that a view, or a view of a view, looks at.
TensorId root_of(const Module& module, TensorId id) {
  while (module.tensor(id).view) id = module.tensor(id).view->tensor;
  return id;
}

/// What a command reads and writes.
struct Uses {
  std::vector<TensorId> reads, writes;
};

struct UsesOf {
  Uses operator()(const Pass& p) const {
    Uses u{p.source, {}};
    for (const Stage& s : p.stages) std::visit([&u](const auto& what) { note(u, what); }, s.what);
    return u;
  }
  Uses operator()(const Transfer& t) const {
    Uses u{{t.source}, {t.destination}};
    if (t.rows != none) u.reads.push_back(t.rows);
    return u;
  }
  Uses operator()(const HostTransfer& t) const { return {{t.source}, {t.destination}}; }
  Uses operator()(const Memset& m) const { return {{}, {m.destination}}; }

 private:
  static void read(Uses& u, TensorId id) {
    if (id != none) u.reads.push_back(id);
  }
  static void write(Uses& u, TensorId id) {
    if (id != none) u.writes.push_back(id);
  }
  template <class Other>
  static void note(Uses&, const Other&) {}
  static void note(Uses& u, const Align& s) { read(u, s.trf); }
  static void note(Uses& u, const Branch& s) { read(u, s.vrf); }
  static void note(Uses& u, const BranchLog& s) { write(u, s.vrf); }
  static void note(Uses& u, const WriteOperand& s) { write(u, s.vrf); }
  static void note(Uses& u, const Filter& s) { write(u, s.count); }
  static void note(Uses& u, const VectorOperation& s) {
    for (const Operand& o : s.operands) read(u, o.vrf);
  }
  static void note(Uses& u, const Commit& s) { write(u, s.destination); }
  static void note(Uses& u, const ToTrf& s) { write(u, s.destination); }
  static void note(Uses& u, const ToVrf& s) { write(u, s.destination); }
};

class Verifier {
 public:
  Verifier(const Module& module, const Device& device) : module_(module), device_(device) {}

  Expected<Facts> run() {
    if (auto v = check_references(); !v) return v.refusal();
    for (const Tensor& t : module_.tensors)
      if (auto v = check_tensor(t); !v) return v.refusal();
    Facts facts;
    for (const Command& c : module_.commands) {
      auto const found = std::visit([&](const auto& what) { return check(what, c.at); }, c.what);
      if (!found) return found.refusal();
      facts.commands.push_back(*found);
    }
    if (auto v = check_overlaps(); !v) return v.refusal();
    return facts;
  }

 private:
  bool known_map(MapId id) const { return id >= 0 && static_cast<std::size_t>(id) < module_.maps.size(); }
  bool known_tensor(TensorId id) const { return id >= 0 && static_cast<std::size_t>(id) < module_.tensors.size(); }

  /// Every number names something, and views end in a tensor: what a module built by hand may get wrong before any rule can be asked.
  Verdict check_references() const {
    auto const dangling = [](const char* what, std::int64_t id, Where at) {
      return refuse("ir-dangling-reference", at)
          .what("the module names ", what, " ", id, ", which it does not have")
          .why("maps, tensors and tables are named by their position in the module's lists")
          .help("intern mappings with Module::intern, and add tensors before they are used");
    };
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      const Tensor& t = module_.tensors[i];
      for (MapId id : {t.chip, t.cluster, t.slice, t.row, t.element})
        if (!known_map(id)) return dangling("mapping", id, t.at);
      if (t.view && (!known_tensor(t.view->tensor) || static_cast<std::size_t>(t.view->tensor) >= i))
        return dangling("viewed tensor", t.view->tensor, t.at);
    }
    for (const Command& c : module_.commands) {
      Uses const uses = std::visit(UsesOf{}, c.what);
      for (const auto* list : {&uses.reads, &uses.writes})
        for (TensorId id : *list)
          if (!known_tensor(id)) return dangling("tensor", id, c.at);
      const Pass* pass = std::get_if<Pass>(&c.what);
      if (pass == nullptr) continue;
      for (const Stage& s : pass->stages)
        for (MapId id : {s.out.chip, s.out.cluster, s.out.slice, s.out.row, s.out.time, s.out.packet})
          if (!known_map(id)) return dangling("mapping", id, s.at);
    }
    for (const auto* list : {&module_.arguments, &module_.results})
      for (TensorId id : *list)
        if (!known_tensor(id)) return dangling("tensor", id, {});
    return accept();
  }

  Verdict check_tensor(const Tensor& t) const {
    Levels const levels = module_.levels(t);
    const Mapping& element = levels[Level::element];
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

  Expected<CommandFacts> check(const Pass& p, Where at) const {
    auto const facts = verify_pass(module_, device_, p, at);
    if (!facts) return facts.refusal();
    Uses const uses = UsesOf{}(p);
    for (TensorId r : uses.reads)
      for (TensorId w : uses.writes)
        if (module_.tensor(r).memory == Memory::Dm && module_.tensor(w).memory == Memory::Dm && bytes_overlap(r, w))
          return refuse("ir-pass-overwrites-source", at)
              .what("a pass commits into bytes of ", name(w), " that it reads from ", name(r))
              .why("fetch and commit run at the same time, and nothing says which comes first")
              .help("commit to another address, and copy back in a second pass if you must");
    return CommandFacts(*facts);
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
        if (from.address && to.address)
          if (auto v = check_transfer_at(device_, from.type, in, Bytes{*from.address}, out, Bytes{*to.address}, at); !v) return v.refusal();
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
      return facts_of(check_gather(device_, from.type, module_.chips, in, t.row_axis, index_type, index, out, at));
    return facts_of(check_scatter(device_, from.type, module_.chips, in, index_type, index, out, t.row_axis, at));
  }
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
    auto const words = check_memset(device_, Tu::Sub, t.type, module_.map(t.element), Bytes{t.address.value_or(0)}, at);
    if (!words) return words.refusal();
    return CommandFacts(Words{*words});
  }
  template <class Found>
  static Expected<CommandFacts> facts_of(const Expected<Found>& found) {
    if (!found) return found.refusal();
    return CommandFacts(*found);
  }

  std::string_view name(TensorId id) const {
    return module_.tensor(id).name.empty() ? "an unnamed tensor" : std::string_view(module_.tensor(id).name);
  }

  /// The bytes of one slice or chip, or the half of a TRF, that a whole tensor takes. None while its place is not known.
  std::optional<Extent> extent_of(TensorId id) const {
    const Tensor& t = module_.tensor(id);
    if (t.memory == Memory::Host) return {};
    if (t.memory == Memory::Trf) {
      std::int64_t const half = trf_half_capacity(device_).value;
      if (t.trf == TrfAddress::Full) return Extent{Bytes{0}, Bytes{2 * half}};
      return t.trf == TrfAddress::FirstHalf ? Extent{Bytes{0}, Bytes{half}} : Extent{Bytes{half}, Bytes{2 * half}};
    }
    if (!t.address) return {};
    auto const e = extent_at(t.type, module_.map(t.element), Bytes{*t.address}, t.at);
    return e ? std::optional(*e) : std::nullopt;
  }
  bool bytes_overlap(TensorId a, TensorId b) const {
    a = root_of(module_, a);
    b = root_of(module_, b);
    if (a == b) return true;
    auto const x = extent_of(a), y = extent_of(b);
    return x && y && x->overlaps(*y);
  }

  /// Tensors of one memory that are alive at the same time lie in different bytes. A tensor lives from its first write to its last use, of it or of a view;
  /// arguments, results and tensors at raw addresses live all the time.
  Verdict check_overlaps() const {
    struct Life {
      TensorId tensor = none;
      std::size_t first = 0, last = 0;
      Extent bytes{};
    };
    std::map<TensorId, Life> lives;
    std::size_t const end = module_.commands.size();
    auto const use = [&](TensorId id, std::size_t when) {
      TensorId const root = root_of(module_, id);
      auto const [life, fresh] = lives.try_emplace(root, Life{root, when, when, {}});
      life->second.last = when;
      if (fresh && module_.tensor(root).role != Role::temporary) life->second.first = 0;
      if (module_.tensor(root).role != Role::temporary) life->second.last = end;
    };
    for (std::size_t i = 0; i < end; ++i) {
      Uses const uses = std::visit(UsesOf{}, module_.commands[i].what);
      for (const auto* list : {&uses.reads, &uses.writes})
        for (TensorId id : *list) use(id, i);
    }
    for (Memory memory : {Memory::Hbm, Memory::Dm, Memory::Spm, Memory::Trf, Memory::Vrf}) {
      std::vector<Life> all;
      for (auto& [id, life] : lives) {
        auto const bytes = extent_of(id);
        if (module_.tensor(id).memory != memory || !bytes) continue;
        life.bytes = *bytes;
        all.push_back(life);
      }
      std::sort(all.begin(), all.end(),
                [](const Life& a, const Life& b) { return a.first != b.first ? a.first < b.first : a.tensor < b.tensor; });
      std::vector<Life> alive;
      for (const Life& life : all) {
        std::erase_if(alive, [&life](const Life& other) { return other.last < life.first; });
        for (const Life& other : alive)
          if (life.bytes.overlaps(other.bytes))
            return refuse("ir-tensors-overlap", module_.tensor(life.tensor).at)
                .what(name(life.tensor), " takes bytes ", life.bytes.begin.value, " to ", life.bytes.end.value - 1, " of ", memory,
                      ", where ", name(other.tensor), " lies (", other.bytes.begin.value, " to ", other.bytes.end.value - 1,
                      ") and is still used")
                .why("one would overwrite the other")
                .help("place it at ", detail::next_multiple(other.bytes.end.value, 8), " or elsewhere");
        alive.push_back(life);
      }
    }
    return accept();
  }

  const Module& module_;
  const Device& device_;
};

}  // namespace

Expected<Facts> verify(const Module& module, const Device& device) { return Verifier(module, device).run(); }

}  // namespace tcp::ir
