// Takes Chip out of tensors, views, streams and transfers. Coordinates of axes that Chip counts are counted from the
// begin of the chip's part, and the axis ends where the tensor's does.
#include "ranks/local_module.hpp"

#include <algorithm>

#include "tcp/mapping/cell.hpp"

namespace tcp::ranks {
namespace {

/// What Chip adds to the coordinates on one chip.
Index begin_of(const Mapping& chip_mapping, std::int64_t chip) {
  tcp::detail::Sum sum;
  if (chip < chip_mapping.size) tcp::detail::add_position(sum, chip_mapping, chip, 0);
  Index begin;
  for (int i = 0; i < sum.axes; ++i) begin.add(sum.axis[i].name, sum.axis[i].at);
  return begin;
}
bool is_skewed(const Mapping& m) {
  return std::any_of(m.digit, m.digit + m.digits, [](const Digit& d) { return d.skewed_by != no_axis || d.in_window(); });
}
bool counts(const Mapping& m, Name axis) {
  int const a = find_axis(m, axis);
  return a >= 0 && std::any_of(m.digit, m.digit + m.digits, [a](const Digit& d) { return d.axis == a; });
}

class Localiser {
 public:
  Localiser(const ir::Module& kernel, std::int64_t chip) : kernel_(kernel), chip_(chip), ends_(kernel.tensors.size(), false) {}

  std::optional<ir::Module> run(const LocalCommands& of, std::string& why) {
    out_.name = kernel_.name;
    out_.chips = 1;
    out_.numeric = kernel_.numeric;
    out_.tables = kernel_.tables;
    out_.regions = kernel_.regions;
    out_.files = kernel_.files;
    out_.tensors.resize(kernel_.tensors.size());
    for (ir::Tensor& t : out_.tensors) t.memory = Memory::Host;
    for (std::size_t i : of.commands) {
      const ir::Command& c = kernel_.commands[i];
      for (ir::TensorId id : ir::read_by(c)) use(id);
      for (ir::TensorId id : ir::written_by(c)) use(id);
    }
    for (const auto* list : {&of.arguments, &of.results})
      for (ir::TensorId id : *list) use(id);
    for (std::size_t i : of.commands) {
      ir::Command c = kernel_.commands[i];
      std::visit([this](auto& what) { localise(what); }, c.what);
      out_.commands.push_back(std::move(c));
    }
    for (ir::TensorId id : of.results) at(id).role = ir::Role::result;
    for (ir::TensorId id : of.arguments) at(id).role = ir::Role::argument;
    out_.arguments = of.arguments;
    out_.results = of.results;
    why = why_;
    if (!why_.empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  ir::Tensor& at(ir::TensorId id) { return out_.tensors[id]; }

  /// A mapping beside Chip. `ends`: its axes end as much earlier as they begin later.
  ir::MapId cut(ir::MapId id, const Index& begin, bool ends) {
    Mapping m = kernel_.map(id);
    if (!ends) return out_.intern(m);
    for (int a = 0; a < m.axes; ++a) m.axis[a].extent = std::max<std::int64_t>(m.axis[a].extent - begin.get(m.axis[a].name), 1);
    return out_.intern(tcp::detail::normalise(m));
  }
  /// All levels of a tensor or stream are cut, or none is: an axis has one size.
  template <class Of>
  void cut_levels(Of& of, const Index& begin, bool ends) {
    for (ir::MapId* id : levels_of(of)) *id = cut(*id, begin, ends);
    of.chip = {};
  }
  template <class Of>
  bool ends_inside(Of& of, const Index& begin) const {
    std::vector<ir::MapId*> const levels = levels_of(of);
    return std::any_of(levels.begin(), levels.end(), [&](const ir::MapId* id) { return reaches_end(*id, begin, levels); });
  }
  static std::vector<ir::MapId*> levels_of(ir::Tensor& t) { return {&t.cluster, &t.slice, &t.row, &t.element}; }
  static std::vector<ir::MapId*> levels_of(ir::Shape& s) { return {&s.cluster, &s.slice, &s.row, &s.time, &s.packet}; }
  /// Whether an axis that a level counts may end inside the chip's part.
  bool reaches_end(ir::MapId id, const Index& begin, const std::vector<ir::MapId*>& levels) const {
    const Mapping& m = kernel_.map(id);
    for (int a = 0; a < m.axes; ++a) {
      std::int64_t const first = begin.get(m.axis[a].name);
      if (first == 0) continue;
      std::int64_t reach = 0;
      for (const ir::MapId* other : levels) {
        const Mapping& o = kernel_.map(*other);
        int const b = find_axis(o, m.axis[a].name);
        if (b < 0) continue;
        reach += o.axis[b].start;
        for (int k = 0; k < o.digits; ++k)
          if (o.digit[k].axis == b) reach += (o.digit[k].size - 1) * o.digit[k].stride;
      }
      if (first + reach >= m.axis[a].extent) return true;
    }
    return false;
  }
  bool ends(ir::TensorId id) const { return ends_[id]; }

  void refuse_if(bool wrong, const char* why) {
    if (wrong && why_.empty()) why_ = why;
  }
  void check_chip(ir::MapId chip) {
    const Mapping& m = kernel_.map(chip);
    refuse_if(m.size != kernel_.chips, "a tensor that is not on all chips of its kernel");
    refuse_if(is_skewed(m), "chips by a window or a skewed factor");
  }
  /// What works on two of these at once takes equal coordinates for the same element: what Chip adds is the same.
  /// (Elsewhere each chip picks its own part of what it has, as a fetch may do.)
  void check_same_begin(const Levels& a, const Levels& b) {
    Index const one = begin_of(a[Level::chip], chip_), two = begin_of(b[Level::chip], chip_);
    for (const Levels* levels : {&a, &b})
      for (const Mapping& m : levels->at)
        for (int i = 0; i < m.axes; ++i)
          refuse_if(one.get(m.axis[i].name) != two.get(m.axis[i].name), "a chip that takes its own part of what it has");
  }

  void use(ir::TensorId id) {
    ir::Tensor& t = at(id);
    if (t.memory != Memory::Host) return;  // it was seen before
    t = kernel_.tensor(id);
    refuse_if(t.memory == Memory::Host, "a tensor of the host in the middle of a kernel");
    check_chip(t.chip);
    for (ir::MapId level : {t.cluster, t.slice, t.row, t.element})
      for (int k = 0; k < kernel_.map(level).digits; ++k) {
        Digit const& d = kernel_.map(level).digit[k];
        if (d.skewed_by == no_axis) continue;
        refuse_if(counts(kernel_.map(t.chip), kernel_.map(level).axis[d.skewed_by].name), "a factor that is skewed by the chip");
      }
    Index const begin = begin_of(kernel_.map(t.chip), chip_);
    if (t.view) {
      const ir::Tensor& behind = kernel_.tensor(t.view->tensor);
      refuse_if(kernel_.first_unit(id).chip != 0 || kernel_.map(behind.chip).size != kernel_.map(t.chip).size,
                "a view of some of the chips");
      use(t.view->tensor);
      bool const same_axes = !t.view->renames();
      at(id).view->dimension = cut(t.view->dimension, begin_of(kernel_.map(behind.chip), chip_), ends(t.view->tensor));
      if (same_axes) ends_[id] = ends(t.view->tensor);
      else ends_[id] = ends_inside(at(id), begin);
    } else {
      ends_[id] = ends_inside(at(id), begin);
    }
    ir::Tensor& mine = at(id);
    cut_levels(mine, begin, ends(id));
    mine.role = ir::Role::temporary;
    mine.address.reset();  // what is alive together is another matter now
  }

  void localise(ir::Pass& p) {
    std::vector<Levels> tensors;
    for (ir::TensorId id : ir::read_by(p)) tensors.push_back(kernel_.levels(kernel_.tensor(id)));
    for (ir::TensorId id : ir::written_by(ir::Command{p})) tensors.push_back(kernel_.levels(kernel_.tensor(id)));
    for (ir::Stage& s : p.stages) {
      for (const Levels& of : tensors) check_same_begin(of, kernel_.levels(s.out));
      Index const begin = begin_of(kernel_.map(s.out.chip), chip_);
      check_chip(s.out.chip);
      if (const auto* branch = std::get_if<ir::Branch>(&s.what); branch != nullptr && branch->mode.kind == BranchMode::Kind::AxisToggle)
        refuse_if(begin.get(branch->mode.axis) % 2 != 0, "a toggle by an axis of which the chip's part begins at an odd element");
      if (auto* unzip = std::get_if<ir::Unzip>(&s.what)) unzip->tile_time = cut(unzip->tile_time, begin, ends_inside(s.out, begin));
      cut_levels(s.out, begin, ends_inside(s.out, begin));
    }
  }
  void localise(ir::Transfer& t) {
    Index const begin = begin_of(kernel_.map(kernel_.tensor(t.source).chip), chip_);
    if (t.kind != ir::Transfer::Kind::chip_slice)
      for (ir::TensorId id : {t.destination, t.rows})
        if (id != ir::none) check_same_begin(kernel_.levels(kernel_.tensor(t.source)), kernel_.levels(kernel_.tensor(id)));
    if (t.kind == ir::Transfer::Kind::chip_slice) t.permutation = {t.permutation[static_cast<std::size_t>(chip_)]};
    t.dimension = cut(t.dimension, begin, ends(t.source));
    if (t.time) t.time = cut(*t.time, begin, ends(t.source));
    if (t.packet) t.packet = cut(*t.packet, begin, ends(t.source));
  }
  void localise(ir::HostTransfer&) { refuse_if(true, "a transfer of the host in the middle of a kernel"); }
  void localise(ir::Memset&) {}

  const ir::Module& kernel_;
  std::int64_t chip_;
  ir::Module out_;
  Indexed<bool, ir::TensorId> ends_;  // by tensor: whether an axis that Chip counts ends inside the chip's part
  std::string why_;
};

}  // namespace

std::optional<ir::Module> local_module(const ir::Verified& kernel, std::int64_t chip, const LocalCommands& of, std::string& why) {
  return Localiser(kernel.module(), chip).run(of, why);
}

}  // namespace tcp::ranks
