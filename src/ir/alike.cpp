// How commands are told apart: a hash of what mostly differs, then a comparison field by field in which each tensor of
// one command stands for a tensor of the other.
#include "ir/verify_pass.hpp"

#include "ir/lives.hpp"
#include "ir/stage_fields.hpp"

namespace tcp::ir {
namespace {

/// The numbers that tell most commands apart.
class Hash {
 public:
  explicit Hash(const Module& module) : module_(module) {}

  std::uint64_t of(const Command& c) {
    add(c.what.index());
    std::visit([this](const auto& what) { add(what); }, c.what);
    return h_;
  }

 private:
  void add(std::uint64_t v) { h_ = (h_ ^ v) * 0x100000001b3u; }
  void add_tensor(TensorId id) {
    if (id == none) return add(0);
    const Tensor& t = module_.tensor(id);
    for (MapId m : {t.chip, t.cluster, t.slice, t.row, t.element}) add(m.index());
    add(static_cast<std::uint64_t>(t.memory) << 16 | static_cast<std::uint64_t>(t.type) << 8 | static_cast<std::uint64_t>(t.trf));
  }
  void add(const Pass& p) {
    for (TensorId id : p.source) add_tensor(id);
    for (const Stage& s : p.stages) {
      add(s.what.index());
      for (MapId m : {s.out.slice, s.out.time, s.out.packet}) add(m.index());
      each_field(s.what, [this](const auto& field) { note(field); });
    }
  }
  template <class Other>
  void note(const Other&) {}
  void note(const TensorField<const TensorId>& f) { add_tensor(f.value); }
  void add(const Transfer& t) {
    add(static_cast<std::uint64_t>(t.kind));
    for (TensorId id : {t.source, t.destination, t.rows}) add_tensor(id);
  }
  void add(const HostTransfer& t) {
    for (TensorId id : {t.source, t.destination}) add_tensor(id);
  }
  void add(const Memset& m) { add_tensor(m.destination); }

  const Module& module_;
  std::uint64_t h_ = 0xcbf29ce484222325u;
};

/// Whether one command is another with other tensors: each tensor of the first stands for one of the second, laid out
/// in the same way.
class Comparison {
 public:
  Comparison(const Module& module, const Indexed<TensorId, TensorId>& roots) : module_(module), roots_(roots) {}

  bool alike(const Command& x, const Command& y) {
    if (x.what.index() != y.what.index()) return false;
    return std::visit([&](const auto& of_x) { return same(of_x, *std::get_if<std::decay_t<decltype(of_x)>>(&y.what)); }, x.what);
  }

 private:
  struct Stands {
    TensorId for_x, for_y;
  };

  TensorId root(TensorId id) const { return roots_[id]; }

  bool same(TensorId x, TensorId y) {
    if (x == none || y == none) return x == y;
    for (const Stands& other : stands_) {
      if ((other.for_x == x) != (other.for_y == y)) return false;
      if ((root(other.for_x) == root(x)) != (root(other.for_y) == root(y))) return false;
    }
    const Tensor &a = module_.tensor(x), &b = module_.tensor(y);
    bool const laid_out_alike = a.memory == b.memory && a.type == b.type && a.chip == b.chip && a.cluster == b.cluster &&
                                a.slice == b.slice && a.row == b.row && a.element == b.element && a.trf == b.trf &&
                                a.view.has_value() == b.view.has_value();
    if (!laid_out_alike || (a.memory == Memory::Vrf && a.address != b.address)) return false;
    stands_.push_back({x, y});
    return true;
  }
  bool same(const Pass& x, const Pass& y) {
    auto const& [context, dual, source, turns, stages] = x;
    if (context != y.context || dual != y.dual || !(turns == y.turns) || source.size() != y.source.size() ||
        stages.size() != y.stages.size())
      return false;
    for (std::size_t i = 0; i < source.size(); ++i)
      if (!same(source[i], y.source[i])) return false;
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (!same(stages[i], y.stages[i])) return false;
    return true;
  }
  bool same(const Stage& x, const Stage& y) {
    if (x.what.index() != y.what.index() || !(x.out == y.out)) return false;
    bool all = true;
    std::visit(
        [&](const auto& of_x) {
          each_argument_pair(of_x, *std::get_if<std::decay_t<decltype(of_x)>>(&y.what),
                             [&](const auto& a, const auto& b) { all = all && same_field(a.field, b.field); });
        },
        x.what);
    return all;
  }
  template <class Field>
  bool same_field(const Field& x, const Field& y) {
    return x.value == y.value;
  }
  bool same_field(const TensorField<const TensorId>& x, const TensorField<const TensorId>& y) { return same(x.value, y.value); }
  bool same_field(const PlainField<const std::vector<Operand>>& x, const PlainField<const std::vector<Operand>>& y) {
    if (x.value.size() != y.value.size()) return false;
    for (std::size_t i = 0; i < x.value.size(); ++i)
      if (!(x.value[i].shape == y.value[i].shape) || !same(x.value[i].vrf, y.value[i].vrf)) return false;
    return true;
  }
  bool same(const Transfer& x, const Transfer& y) {
    auto const& [kind, source, destination, rows, row_axis, keys, permutation, dimension, length, time, packet] = x;
    return kind == y.kind && row_axis == y.row_axis && keys == y.keys && permutation == y.permutation && dimension == y.dimension &&
           length == y.length && time == y.time && packet == y.packet && same(source, y.source) && same(destination, y.destination) &&
           same(rows, y.rows);
  }
  bool same(const HostTransfer& x, const HostTransfer& y) { return same(x.source, y.source) && same(x.destination, y.destination); }
  /// How many words a memset writes depends on where its tensor begins.
  bool same(const Memset&, const Memset&) { return false; }

  const Module& module_;
  const Indexed<TensorId, TensorId>& roots_;
  std::vector<Stands> stands_;
};

}  // namespace

std::optional<CommandId> AlikeCommands::earlier(CommandId command) {
  const Command& c = module_.commands[command];
  std::vector<CommandId>& candidates = by_hash_[Hash(module_).of(c)];
  for (CommandId other : candidates)
    if (Comparison(module_, roots_).alike(module_.commands[other], c)) return other;
  candidates.push_back(command);
  return {};
}

}  // namespace tcp::ir
