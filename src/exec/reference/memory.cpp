// What each tensor of a run holds. A view holds nothing: it reads and writes its tensor.
#include "exec/reference/memory.hpp"

#include <algorithm>

#include "tcp/exec/reference/operations.hpp"

namespace tcp::reference {
namespace {

/// Which indices some levels hold.
class LiveIndices {
 public:
  explicit LiveIndices(const Levels& levels) {
    for (const Value::Axis& a : axes_of(levels)) axes_.push_back({a.name, live_coordinates(levels, a.name)});
  }
  /// An axis that the levels do not count has coordinate 0 only.
  void only_zero_unless_counted(Name axis) {
    bool const counted = std::any_of(axes_.begin(), axes_.end(), [axis](const Coordinates& c) { return c.name == axis; });
    if (!counted) axes_.push_back({axis, {true}});
  }
  bool hold(const Index& index) const {
    for (const Coordinates& axis : axes_) {
      std::int64_t const c = index.get(axis.name);
      if (c < 0 || c >= static_cast<std::int64_t>(axis.live.size()) || !axis.live[static_cast<std::size_t>(c)]) return false;
    }
    return true;
  }

 private:
  struct Coordinates {
    Name name{};
    std::vector<bool> live;
  };
  std::vector<Coordinates> axes_;
};

}  // namespace

Origin Memory::note(std::string what) {
  notes_.push_back({std::move(what), at});
  return static_cast<Origin>(notes_.size());
}

Value Memory::read(ir::TensorId id) {
  const ir::Tensor& t = module_.tensor(id);
  if (t.view) return read_view(t);
  std::optional<Value>& held = held_[id];
  if (!held) {
    held = Value(t.type, axes_of(module_.levels(t)));
    held->undefine(note("nothing has written " + (t.name.empty() ? std::string("this tensor") : t.name)));
  }
  return restrict_to(module_.levels(t), *held);
}

Value Memory::read_view(const ir::Tensor& t) {
  Value const whole = read(t.view->tensor);
  if (t.view->renames()) {
    Levels const behind = module_.levels(module_.tensor(t.view->tensor)), seen = module_.levels(t);
    Value named = reread(whole, behind, seen, Level::chip, {});
    named.type = t.type;
    if (t.view->kind == ir::ViewOf::Kind::relabel) undefine_padding(named, behind, seen, note("a relabelling names what was padding"));
    return named;
  }
  View const seen = *seen_by(module_, t);
  Value out(t.type, axes_of(module_.levels(t)));
  for (std::int64_t i = 0; i < out.size(); ++i) {
    Index from = out.index_of(i);
    if (seen.rebase != 0) from.add(seen.axis, seen.rebase);
    if (whole.holds(from)) out[i] = whole.at(from);
  }
  return out;
}

Value Memory::read_to_change(ir::TensorId id) { return spread_over(module_.levels(module_.tensor(id)), read(id)); }

void Memory::write(ir::TensorId id, const Value& value) {
  const ir::Tensor& t = module_.tensor(id);
  Levels const levels = module_.levels(t);
  Value mine = restrict_to(levels, value);
  mine.type = t.type;
  if (!t.view) return set(id, std::move(mine));
  Value whole = read_to_change(t.view->tensor);
  if (t.view->renames()) {
    whole = reread(mine, levels, module_.levels(module_.tensor(t.view->tensor)), Level::chip, {});
  } else {
    View const seen = *seen_by(module_, t);
    LiveIndices within(levels);
    if (t.view->kind == ir::ViewOf::Kind::tile) within.only_zero_unless_counted(seen.axis);
    // The view may lack axes along which all elements are the same; the tensor behind it has them.
    for (std::int64_t i = 0; i < whole.size(); ++i) {
      Index inside = whole.index_of(i);
      if (seen.rebase != 0) inside.add(seen.axis, -seen.rebase);
      if (within.hold(inside)) whole[i] = mine.at(inside);
    }
  }
  write(t.view->tensor, whole);
}

}  // namespace tcp::reference
