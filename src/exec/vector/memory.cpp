// Reads and writes the tensors of a module, through views: a read is a view of what is stored; a write runs the chain
// straight into the storage that the view names, if the view has even strides.
#include "exec/vector/memory.hpp"

#include <algorithm>

#include "exec/vector/image.hpp"
#include "exec/vector/renamed.hpp"
#include "exec/vector/transfer.hpp"

namespace tcp::vector {

Memory::Memory(const ir::Module& module, const How& how)
    : module_(module), how_(how), held_(module.tensors.size()), known_(module.tensors.size()) {}

Origin Memory::note(std::string what) {
  notes.push_back({std::move(what), at});
  return static_cast<Origin>(notes.size());
}

const Memory::Known& Memory::known(ir::TensorId id) {
  std::unique_ptr<Known>& k = known_[id];
  if (!k) {
    k = std::make_unique<Known>();
    k->levels = module_.levels(module_.tensor(id));
    k->axes = axes_of(k->levels);
    const auto& view_of = module_.tensor(id).view;
    if (view_of && !view_of->renames()) k->view = *ir::seen_by(module_, module_.tensor(id));
  }
  return *k;
}
const std::vector<AxisSize>& Memory::axes(ir::TensorId id) { return known(id).axes; }
const Levels& Memory::levels(ir::TensorId id) { return known(id).levels; }

void Memory::fill(ir::TensorId id, Tensor t) { held_[id] = {std::move(t), false}; }

Tensor& Memory::held(ir::TensorId id) {
  Held& h = held_[id];
  const ir::Tensor& t = module_.tensor(id);
  if (!h.tensor)
    h = {uniform(t.type, axes(id), 0, note("nothing has written " + (t.name.empty() ? std::string("this tensor") : t.name))), false};
  return *h.tensor;
}

/// Coordinates that count from where a tile begins.
static Tensor without_start(const Tensor& t, const View& seen) {
  const Axis* const a = t.find(seen.axis);
  return seen.rebase != 0 && a != nullptr && seen.rebase < a->size ? cut(t, seen.axis, seen.rebase, a->size - seen.rebase) : t;
}

/// A tile or a whole view of a tensor: other coordinates of the same elements.
Tensor Memory::shown(ir::TensorId id, const Tensor& behind) { return restricted(without_start(behind, *known(id).view), axes(id)); }

Tensor Memory::read(ir::TensorId id) {
  const ir::Tensor& t = module_.tensor(id);
  if (!t.view) return without_idle_origins(restricted(held(id), axes(id)));
  if (t.view->renames()) {
    const Levels &behind = levels(t.view->tensor), &names = levels(id);
    Tensor seen = t.view->kind == ir::ViewOf::Kind::relabel
                      ? relabelled(read(t.view->tensor), behind, names, [this] { return note("a relabelling names what was padding"); })
                      : reread(read(t.view->tensor), behind, names, Level::chip, {});
    seen.type = t.type;
    return seen;
  }
  return without_idle_origins(shown(id, read(t.view->tensor)));
}

Tensor Memory::read_to_change(ir::TensorId id) { return own_copy(spread(read(id), axes(id))); }

/// The tensor itself, all its own: others that share its elements keep what they see.
Tensor& Memory::held_to_change(ir::TensorId id) {
  Tensor& t = held(id);
  Held& h = held_[id];
  bool const alone = h.own && t.storage.use_count() == 1 && t.storage->writable() && (!t.origins || t.origins.use_count() == 1);
  if (alone) return t;
  Tensor const old = spread(restricted(t, axes(id)), axes(id));
  const ir::Tensor& what = module_.tensor(id);
  std::shared_ptr<Tensor> const image =
      what.role == ir::Role::result && what.memory == tcp::Memory::Hbm ? image_tensor(what.type, levels(id)) : nullptr;
  if (image) {
    if (old.has_undefined()) track(*image);
    copy_into(*image, old);
    h.tensor = *image;
  } else {
    h.tensor = own_copy(old);
  }
  h.own = true;
  return *h.tensor;
}

/// The elements of the tensor at the root, to be written through all the views up to this one; none: a reshape in
/// between has other strides.
std::optional<Tensor> Memory::place_of(ir::TensorId id) {
  const ir::Tensor& t = module_.tensor(id);
  if (!t.view) return held_to_change(id);
  auto const behind = place_of(t.view->tensor);
  if (!behind) return {};
  if (!t.view->renames()) return without_start(*behind, *known(id).view);
  return renamed(restricted(*behind, axes(t.view->tensor)), levels(t.view->tensor), levels(id));
}

/// Which coordinates of `to`, the tensor as the view shows it, the view holds live.
std::vector<std::vector<Stretch>> Memory::places_of(ir::TensorId id, const Tensor& to, const Chain& from) {
  // Axes of which a tile, of this view or of one behind it, has left one step; a reshape gives all axes new names.
  std::vector<Name> single;
  for (ir::TensorId each = id; module_.tensor(each).view && !module_.tensor(each).view->renames(); each = module_.tensor(each).view->tensor)
    single.push_back(known(each).view->axis);
  std::vector<std::vector<Stretch>> all;
  for (const Axis& a : to.axes) {
    bool const counted = std::any_of(axes(id).begin(), axes(id).end(), [&a](const AxisSize& x) { return x.name == a.name; });
    bool const one_step = std::find(single.begin(), single.end(), a.name) != single.end();
    std::vector<Stretch> runs = counted    ? live_runs(levels(id), a.name)
                                : one_step ? std::vector<Stretch>{{0, 1}}
                                           : std::vector<Stretch>{{0, a.size}};
    std::int64_t end = a.size;
    for (const AxisSize& x : from.axes)
      if (x.name == a.name) end = std::min(end, x.size);
    for (Stretch& r : runs) r.size = std::min(r.size, end - r.begin);
    std::erase_if(runs, [](const Stretch& r) { return r.size <= 0; });
    all.push_back(std::move(runs));
  }
  return all;
}

/// `to`: the tensor behind the view, all of it, with the view's coordinates.
void Memory::write_shown(ir::TensorId id, Tensor to, const Chain& chain) {
  auto const at_runs = places_of(id, to, chain);
  bool const one_block =
      std::all_of(at_runs.begin(), at_runs.end(), [](const std::vector<Stretch>& r) { return r.size() == 1 && r[0].begin == 0; });
  if (!one_block) {
    copy_into(to, made(chain, how_), at_runs);
    return;
  }
  for (std::size_t i = 0; i < at_runs.size(); ++i) to.axes[i].size = at_runs[i][0].size;
  store(chain, to, how_);
}

void Memory::write(ir::TensorId id, Chain chain) {
  const ir::Tensor& t = module_.tensor(id);
  chain.restrict_to(axes(id));
  if (!t.view) {
    Tensor whole = made(chain, how_);
    whole.type = t.type;
    held_[id] = {std::move(whole), false};
    return;
  }
  ir::TensorId const behind = t.view->tensor;
  if (t.view->renames()) {
    Tensor whole = reread(made(chain, how_), levels(id), levels(behind), Level::chip, {});
    whole.type = module_.tensor(behind).type;
    write(behind, whole);
    return;
  }
  if (chain.has_undefined()) track(held_to_change(module_.root_of(id)));
  if (auto to = place_of(id)) {
    write_shown(id, std::move(*to), chain);
    return;
  }
  Tensor whole = read_to_change(behind);  // what is behind a reshape that cannot be written through
  if (chain.has_undefined()) track(whole);
  write_shown(id, without_start(whole, *known(id).view), chain);
  write(behind, whole);
}

}  // namespace tcp::vector
