#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>

#include "places.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/zero_point.hpp"

namespace tcp::agree {
namespace {

struct Element {
  std::uint32_t bits = 0;
  bool defined = false;
};

/// The program stops with a refusal at run time.
struct Refuses {
  const char* code;
};

/// Elements over the full extents of some axes.
class Tensor {
 public:
  Tensor() = default;
  Tensor(AxisTable& axes, ScalarType of, const Levels& levels) : type(of) {
    for (const Mapping& m : levels.at)
      for (int k = 0; k < m.digits; ++k)
        if (m.digit[k].axis != no_axis) add_axis(axes.number(m.axis[m.digit[k].axis].name), m.axis[m.digit[k].axis].extent);
    finish();
  }
  Tensor(ScalarType of, const Tensor& like) : type(of), axes_(like.axes_), elements_(like.elements_.size()) {}

  ScalarType type = ScalarType::i32;

  void add_axis(int number, std::int64_t size) {
    for (const Axis& a : axes_)
      if (a.number == number) return;
    axes_.push_back({number, size, 1});
  }
  void finish() {
    std::int64_t n = 1;
    for (auto a = axes_.rbegin(); a != axes_.rend(); ++a) {
      a->stride = n;
      n *= a->size;
    }
    elements_.assign(static_cast<std::size_t>(n), {});
  }

  Element at(const Coordinates& c) const {
    std::int64_t const i = offset(c);
    return i < 0 ? Element{} : elements_[static_cast<std::size_t>(i)];
  }
  void set(const Coordinates& c, const Element& e) {
    std::int64_t const i = offset(c);
    TCP_BUG_UNLESS(i >= 0, "the oracle wrote outside of a tensor");
    elements_[static_cast<std::size_t>(i)] = e;
  }
  std::size_t size() const { return elements_.size(); }
  Element& operator[](std::size_t i) { return elements_[i]; }
  const Element& operator[](std::size_t i) const { return elements_[i]; }
  Coordinates coordinates(std::size_t i) const {
    Coordinates c{};
    for (const Axis& a : axes_)
      c[static_cast<std::size_t>(a.number)] = static_cast<std::int32_t>(static_cast<std::int64_t>(i) / a.stride % a.size);
    return c;
  }
  bool counts(int axis) const {
    return std::any_of(axes_.begin(), axes_.end(), [axis](const Axis& a) { return a.number == axis; });
  }

 private:
  struct Axis {
    int number;
    std::int64_t size, stride;
  };
  std::int64_t offset(const Coordinates& c) const {
    std::int64_t i = 0;
    for (const Axis& a : axes_) {
      std::int64_t const at = c[static_cast<std::size_t>(a.number)];
      if (at < 0 || at >= a.size) return -1;
      i += at * a.stride;
    }
    return i;
  }

  std::vector<Axis> axes_;
  std::vector<Element> elements_;
};

class Oracle {
 public:
  Oracle(const ir::Module& module, AxisTable& axes) : module_(module), axes_(axes), memory_(module.tensors.size()) {}

  Ran run(const std::vector<Numbers>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) take_argument(module_.arguments[i], arguments[i]);
    for (const ir::Command& c : module_.commands) std::visit([this](const auto& what) { command(what); }, c.what);
    Ran ran;
    for (ir::TensorId id : module_.results) ran.results.push_back(numbers(id));
    return ran;
  }

  Levels levels(ir::TensorId id) const { return module_.levels(module_.tensor(id)); }

 private:
  // Memory.

  void take_argument(ir::TensorId id, const Numbers& given) {
    Tensor t(axes_, given.type, levels(id));
    for (std::size_t i = 0; i < t.size(); ++i) {
      Coordinates const c = t.coordinates(i);
      Index index;
      for (const Numbers::Axis& a : given.axes) index.add(a.name, c[static_cast<std::size_t>(axes_.number(a.name))]);
      bool held = true;
      for (const Numbers::Axis& a : given.axes) held &= index.get(a.name) < a.size;
      if (held) t[i] = {given.bits[given.offset(index)], true};
    }
    memory_[id] = laid_out(t, levels(id));
  }
  Numbers numbers(ir::TensorId id) {
    Levels const l = levels(id);
    Numbers n;
    n.type = module_.tensor(id).type;
    std::int64_t size = 1;
    for (const Mapping& m : l.at)
      for (int a = 0; a < m.axes; ++a) {
        bool const known = std::any_of(n.axes.begin(), n.axes.end(), [&](const Numbers::Axis& x) { return x.name == m.axis[a].name; });
        if (known) continue;
        n.axes.push_back({m.axis[a].name, m.axis[a].extent});
        size *= m.axis[a].extent;
      }
    n.bits.assign(static_cast<std::size_t>(size), 0);
    n.undefined.assign(static_cast<std::size_t>(size), true);
    Tensor const value = read(id);
    Places(axes_, l).each_live([&](const Place&, const Coordinates& c) {
      Element const e = value.at(c);
      std::size_t const i = n.offset(index_of(n.axes, c));
      n.bits[i] = e.bits;
      n.undefined[i] = !e.defined;
    });
    return n;
  }
  Index index_of(const std::vector<Numbers::Axis>& of, const Coordinates& c) {
    Index index;
    for (const Numbers::Axis& a : of) index.add(a.name, c[static_cast<std::size_t>(axes_.number(a.name))]);
    return index;
  }

  /// What places with these mappings hold of a tensor.
  Tensor laid_out(const Tensor& source, const Levels& l) {
    Tensor out(axes_, source.type, l);
    Places(axes_, l).each_live([&](const Place&, const Coordinates& c) { out.set(c, source.at(c)); });
    return out;
  }

  /// A tile counts the steps of its dimension from its own begin.
  Coordinates rebased(const ir::ViewOf& view, Coordinates c) {
    if (view.kind != ir::ViewOf::Kind::tile || view.start == 0) return c;
    const Mapping& dimension = module_.map(view.dimension);
    std::size_t const axis = static_cast<std::size_t>(axes_.number(dimension.axis[dimension.digit[0].axis].name));
    c[axis] += static_cast<std::int32_t>(view.start * dimension.digit[0].stride);
    return c;
  }
  Tensor read(ir::TensorId id) {
    const ir::Tensor& t = module_.tensor(id);
    if (!t.view) {
      std::optional<Tensor>& held = memory_[id];
      if (!held) held = Tensor(axes_, t.type, levels(id));
      return *held;
    }
    Tensor const whole = read(t.view->tensor);
    if (t.view->renames()) return replaced(whole, levels(t.view->tensor), t.type, levels(id), [](Place p) { return p; });
    Tensor out(axes_, t.type, levels(id));
    Places(axes_, levels(id)).each_live([&](const Place&, const Coordinates& c) { out.set(c, whole.at(rebased(*t.view, c))); });
    return out;
  }
  void write(ir::TensorId id, const Tensor& value) {
    const ir::Tensor& t = module_.tensor(id);
    if (!t.view) {
      memory_[id] = laid_out(value, levels(id));
      return;
    }
    Tensor whole = read(t.view->tensor);
    if (t.view->renames()) {
      whole = replaced(laid_out(value, levels(id)), levels(id), whole.type, levels(t.view->tensor), [](Place p) { return p; });
    } else {
      Places(axes_, levels(id)).each_live([&](const Place&, const Coordinates& c) { whole.set(rebased(*t.view, c), value.at(c)); });
    }
    write(t.view->tensor, whole);
  }

  using PlaceKey = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  static PlaceKey key(const Place& p) { return {p.chip, p.cluster, p.slice, p.row, p.element}; }
  /// Elements by place: what lies at place p of `to` lay at place source_of(p) of `from`. Their bits stay, whatever the type.
  template <class SourceOf>
  Tensor replaced(const Tensor& in, const Levels& from, ScalarType type, const Levels& to, SourceOf source_of) {
    std::map<PlaceKey, Element> lies;
    Places const before(axes_, from);
    before.each_live([&](const Place& p, const Coordinates& c) { lies[key(p)] = in.at(c); }, true);
    Tensor out(axes_, type, to);
    Places(axes_, to).each_live([&](const Place& p, const Coordinates& c) {
      auto const found = lies.find(key(source_of(p)));
      if (found != lies.end()) out.set(c, found->second);
      else if (before.is_zero(source_of(p))) out.set(c, Element{0, true});
    });
    return out;
  }

  // Transfers.

  void command(const ir::HostTransfer& t) { write(t.destination, read(t.source)); }
  void command(const ir::Memset& m) {
    const ir::Tensor& t = module_.tensor(m.destination);
    Tensor value(axes_, t.type, levels(m.destination));
    std::int64_t const bits = scalar_info(t.type).packet_bits;
    Places(axes_, levels(m.destination)).each_live([&](const Place& p, const Coordinates& c) {
      value.set(c, {(m.word >> (p.element * bits % 32)) & scalar_mask(t.type), true});
    });
    write(m.destination, value);
  }
  void command(const ir::Transfer& t) {
    using Kind = ir::Transfer::Kind;
    Tensor const source = read(t.source);
    Levels const from = levels(t.source), to = levels(t.destination);
    std::size_t const row_axis = static_cast<std::size_t>(axes_.number(t.row_axis));
    switch (t.kind) {
      case Kind::move: return write(t.destination, source);
      case Kind::gather: {
        Tensor const rows = read(t.rows);
        Tensor out(axes_, source.type, to);
        Places(axes_, to).each_live([&](const Place&, const Coordinates& c) {
          Element const row = rows.at(c);
          if (!row.defined) return;
          Coordinates at = c;
          at[row_axis] = row_number(row, from, t.row_axis, bytes_of_row(t, t.source));
          out.set(c, source.at(at));
        });
        return write(t.destination, out);
      }
      case Kind::scatter: {
        Tensor const rows = read(t.rows);
        Tensor table = read(t.destination), taken(ScalarType::i32, table);
        Places(axes_, from).each_live([&](const Place&, const Coordinates& c) {
          Coordinates at = c;
          at[row_axis] = row_number(rows.at(c), to, t.row_axis, bytes_of_row(t, t.destination));
          if (taken.at(at).defined) throw Refuses{"exec-row-twice"};
          taken.set(at, {0, true});
          table.set(at, source.at(c));
        });
        return write(t.destination, table);
      }
      case Kind::chip_shuffle:
        return write(t.destination, replaced(source, from, source.type, to, [&](Place p) {
                       p.chip = t.permutation[static_cast<std::size_t>(p.chip)];
                       return p;
                     }));
      case Kind::cluster_shuffle:
        return write(t.destination, replaced(source, from, source.type, to, [&](Place p) {
                       p.cluster = t.permutation[static_cast<std::size_t>(p.cluster)];
                       return p;
                     }));
      case Kind::chip_slice: return chip_slice(t, source, from, to);
    }
  }
  /// How far row 1 of a table is from row 0, if the index counts bytes; 1: it counts rows.
  std::int32_t bytes_of_row(const ir::Transfer& t, ir::TensorId table) {
    if (t.keys == RowKeys::positions) return 1;
    std::size_t const axis = static_cast<std::size_t>(axes_.number(t.row_axis));
    std::int64_t first = -1, second = -1;
    Places(axes_, levels(table)).each_live([&](const Place& p, const Coordinates& c) {
      if (c[axis] == 0 && first < 0) first = p.element;
      if (c[axis] == 1 && second < 0) second = p.element;
    });
    std::int64_t const step = second < 0 ? 1 : second - first;
    return static_cast<std::int32_t>(step * scalar_info(module_.tensor(table).type).packet_bits / 8);
  }
  static std::int32_t row_number(const Element& row, const Levels& table, Name axis, std::int32_t step) {
    std::int64_t rows = 0;
    for (const Mapping& m : table.at)
      if (int const a = find_axis(m, axis); a >= 0) rows = m.axis[a].extent;
    std::int32_t const key = static_cast<std::int32_t>(row.bits);
    if (key < 0 || key % step != 0 || key / step >= rows) throw Refuses{"exec-no-such-row"};
    return key / step;
  }
  /// Position outer · length + step of the result is position outer · size + start[chip] + step of the source, all times what lies inside of a step.
  void chip_slice(const ir::Transfer& t, const Tensor& source, const Levels& from, const Levels& to) {
    const Mapping& dimension = module_.map(t.dimension);
    const Mapping& element = from[Level::element];
    Digit const& d = dimension.digit[0];
    std::int64_t inside = 1;
    for (int k = 0; k < element.digits; ++k) {
      Digit const& y = element.digit[k];
      if (y.axis == no_axis || !(element.axis[y.axis].name == dimension.axis[d.axis].name)) continue;
      if (d.stride % y.stride == 0 && d.stride < y.stride * y.size) inside = footprints(element).inside[k] * (d.stride / y.stride);
    }
    write(t.destination, replaced(source, from, source.type, to, [&](Place p) {
            std::int64_t const inner = p.element % inside, step = p.element / inside % t.length, outer = p.element / inside / t.length;
            std::int64_t const from_step = (t.permutation[static_cast<std::size_t>(p.chip)] + step) % d.size;
            p.element = (outer * d.size + from_step) * inside + inner;
            return p;
          }));
  }

  // Passes.

  void command(const ir::Pass& p) {
    pass_ = &p;
    stream_ = read(p.source[0]);
    stash_.reset();
    groups_.reset();
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
      stage_ = &p.stages[i];
      before_ = i == 0 ? levels(p.source[0]) : stream_levels(p.stages[i - 1].out);
      if (std::size_t const last = write_back(p, i); last < p.stages.size()) {
        run_in_time(p, i, last);
        i = last;
        continue;
      }
      std::visit([this](const auto& what) { stage(what); }, stage_->what);
    }
  }
  Levels stream_levels(const ir::Shape& shape) const {
    Levels l = module_.levels(shape);
    l.set(Level::row, Mapping{});  // only the contraction has rows, and takes them from the TRF
    return l;
  }

  void stage(const ir::Fetch& f) {
    Tensor first = adapted(f, read(pass_->source[0]), 0), second;
    if (pass_->source.size() == 2) second = adapted(f, read(pass_->source[1]), f.zero_points.size() - 1);
    Levels const l = stream_levels(stage_->out);
    Tensor out(axes_, stage_->out.type, l);
    std::size_t const turns = static_cast<std::size_t>(axes_.number(pass_->turns));
    Held const in(*this, levels(pass_->source[0]));
    Places(axes_, l).each_live([&](const Place&, const Coordinates& c) {
      bool const other = pass_->source.size() == 2 && c[turns] == 1;
      out.set(c, (other ? second : first).at(in.seen_at(c)));
    });
    stream_ = std::move(out);
  }
  Tensor adapted(const ir::Fetch& f, Tensor t, std::size_t zero_point_number) {
    ScalarType const to = stage_->out.type;
    for (std::size_t i = 0; i < t.size(); ++i) {
      std::uint32_t& bits = t[i].bits;
      ScalarType type = t.type;
      if (f.table != ir::none) {
        const ir::LookupTable& table = module_.tables[static_cast<std::size_t>(f.table)];
        bits = table.bits[bits & scalar_mask(type)];
        type = table.to;
      }
      if (f.zero_points.empty()) {
        bits = scalar_cast_bits(type, to, bits, module_.numeric);
        continue;
      }
      std::uint32_t const sign = 1u << (scalar_info(type).bits - 1);
      std::int64_t const stored = static_cast<std::int64_t>(bits ^ sign) - sign;
      bits = static_cast<std::uint32_t>(stored - f.zero_points[zero_point_number]) & scalar_mask(to);
    }
    t.type = to;
    return t;
  }
  void stage(const ir::Switch&) { stream_ = laid_out(stream_, stream_levels(stage_->out)); }
  void stage(const ir::Collect&) {}

  // Contraction: align and contract are remembered, accumulate computes.

  void stage(const ir::Align& a) {
    weights_ = read(a.trf);
    data_in_.emplace(*this, before_);
    weights_in_.emplace(*this, levels(a.trf));
    pairing_ = stream_levels(stage_->out);
    pairing_.set(Level::row, module_.map(module_.tensor(a.trf).row));
  }
  void stage(const ir::Contract& c) {
    op_ = c.op;
    columns_ = module_.map(stage_->out.packet);
  }
  void stage(const ir::Accumulate&) {
    // One flit is half of what the multipliers take: the other half is zeros.
    Places const places(axes_, pairing_);
    std::vector<Spot> packet = places.on(Level::packet);
    std::size_t const lanes = static_cast<std::size_t>(64 * 8 / scalar_info(stream_.type).packet_bits);
    Spot zeros;
    zeros.padded = true;
    packet.resize(lanes, zeros);
    int const depth = tree_depth(packet);

    Levels const l = stream_levels(stage_->out);
    Tensor out(axes_, stage_->out.type, l);
    Places const result(axes_, l);
    std::vector<Kept> const kept = kept_steps(l);
    begin_ = begin_of(pairing_);
    result_begin_ = begin_of(l);
    for (const Spot& chip : places.on(Level::chip))
      for (const Spot& cluster : places.on(Level::cluster))
        for (const Spot& slice : places.on(Level::slice))
          for (const Spot& row : places.on(Level::row)) {
            Coordinates here{};
            bool idle = false;
            for (const Spot* s : {&chip, &cluster, &slice, &row}) {
              idle |= s->padded || s->copy;
              Places::add(here, s->at);
            }
            if (!idle) multiply(places, packet, depth, here, kept, result, out);
          }
    stream_ = std::move(out);
  }
  /// Packet / 2^depth are the columns: the deepest tree that leaves as many, or a shallower one of which columns of padding are cut off.
  int tree_depth(const std::vector<Spot>& packet) {
    std::vector<Spot> const columns = spots(axes_, columns_);
    std::size_t const deepest = [&] {
      std::size_t d = 0;
      while ((packet.size() >> d) > columns.size()) ++d;
      return d;
    }();
    for (std::size_t d = deepest + 1; d-- > 0;) {
      bool fits = true;
      for (std::size_t c = 0; fits && c < packet.size() >> d; ++c) {
        const Spot& first = packet[c << d];
        if (c >= columns.size()) fits = first.padded;
        else fits = first.padded == columns[c].padded && (first.padded || moved(packet[0], first) == moved(columns[0], columns[c]));
      }
      if (fits) return static_cast<int>(d);
    }
    TCP_BUG_UNLESS(false, "the oracle finds no tree that makes the declared columns");
    return 0;
  }

  /// How far one position lies from another: starts, which the tree leaves behind, do not matter.
  static Coordinates moved(const Spot& from, const Spot& to) {
    Coordinates by = to.at;
    for (std::size_t i = 0; i < by.size(); ++i) by[i] -= from.at[i];
    return by;
  }
  /// One factor of an axis that the result still counts.
  struct Kept {
    std::size_t axis;
    std::int32_t stride, size;
  };
  std::vector<Kept> kept_steps(const Levels& l) {
    std::vector<Kept> all;
    for (const Mapping& m : l.at)
      for (int k = 0; k < m.digits; ++k)
        if (m.digit[k].axis != no_axis)
          all.push_back({static_cast<std::size_t>(axes_.number(m.axis[m.digit[k].axis].name)), static_cast<std::int32_t>(m.digit[k].stride),
                         static_cast<std::int32_t>(m.digit[k].size)});
    return all;
  }
  /// Where all axes begin, over all levels.
  Coordinates begin_of(const Levels& l) {
    Coordinates begin{};
    for (const Mapping& m : l.at)
      for (int a = 0; a < m.axes; ++a)
        begin[static_cast<std::size_t>(axes_.number(m.axis[a].name))] += static_cast<std::int32_t>(m.axis[a].start);
    return begin;
  }
  /// The steps that the result counts, of coordinates that begin elsewhere.
  static Coordinates projected(const std::vector<Kept>& kept, const Coordinates& c, const Coordinates& begin,
                               const Coordinates& result_begin) {
    Coordinates to = result_begin;
    for (const Kept& k : kept) to[k.axis] += (c[k.axis] - begin[k.axis]) / k.stride % k.size * k.stride;
    return to;
  }
  /// What lies in a unit is the same for all steps that the levels do not count there: Slice[N / 128] has one element for all of N % 128.
  struct Held {
    Held(Oracle& oracle, const Levels& l) : steps(oracle.kept_steps(l)), begin(oracle.begin_of(l)) {}
    Coordinates seen_at(const Coordinates& c) const { return projected(steps, c, begin, begin); }

    std::vector<Kept> steps;
    Coordinates begin;
  };
  /// Whether a step lies in padding of a factor that the result counts too: then so does what it would be added to.
  bool in_kept_padding(const Spot& step, const std::vector<Kept>& kept) {
    const Mapping& time = pairing_[Level::time];
    for (int k = 0; k < time.digits; ++k) {
      if ((step.beyond >> k & 1) == 0 || time.digit[k].axis == no_axis) continue;
      std::size_t const axis = static_cast<std::size_t>(axes_.number(time.axis[time.digit[k].axis].name));
      for (const Kept& each : kept)
        if (each.axis == axis && each.stride >= time.digit[k].stride) return true;
    }
    return false;
  }
  /// All products of one row of one slice: up the tree, then step after step.
  void multiply(const Places& places, const std::vector<Spot>& packet, int depth, const Coordinates& here, const std::vector<Kept>& kept,
                const Places& result, Tensor& out) {
    std::size_t const leaves = std::size_t{1} << depth;
    std::vector<std::optional<Element>> tree(leaves);
    for (const Spot& step : places.on(Level::time)) {
      if (in_kept_padding(step, kept)) continue;
      for (std::size_t first = 0; first + leaves <= packet.size(); first += leaves) {
        if (packet[first].padded) continue;
        Coordinates to = here;
        Places::add(to, step.at);
        Places::add(to, packet[first].at);
        to = projected(kept, to, begin_, result_begin_);
        if (!result.inside(to)) continue;
        for (std::size_t i = 0; i < leaves; ++i) {
          Coordinates c = here;
          Places::add(c, step.at);
          Places::add(c, packet[first + i].at);
          bool const live = !step.padded && !packet[first + i].padded && places.inside(c);
          tree[i] = live ? multiplied(stream_.at(data_in_->seen_at(c)), weights_.at(weights_in_->seen_at(c))) : Element{0, true};
        }
        for (std::size_t width = leaves / 2; width > 0; width /= 2)
          for (std::size_t i = 0; i < width; ++i) tree[i] = joined(*tree[2 * i], *tree[2 * i + 1]);
        Element const so_far = out.at(to);
        bool const begun = begun_[to]++ > 0;
        out.set(to, begun ? joined(so_far, *tree[0]) : *tree[0]);
      }
    }
    begun_.clear();
  }
  Element multiplied(const Element& a, const Element& b) const {
    return {product(stream_.type, a.bits, weights_.type, b.bits, module_.numeric), a.defined && b.defined};
  }
  Element joined(const Element& a, const Element& b) const {
    return {agree::joined(op_, stage_->out.type, a.bits, b.bits, module_.numeric), a.defined && b.defined};
  }

  // Vector engine.

  Tensor ids_of(const Tensor& like, std::uint32_t id) {
    Tensor ids(ScalarType::i32, like);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = {id, true};
    return ids;
  }
  void stage(const ir::VectorInit&) { ids_ = ids_of(stream_, 0); }
  void stage(const ir::Branch& b) {
    std::optional<Tensor> log;
    std::optional<Held> held;
    if (b.vrf != ir::none) {
      log = read(b.vrf);
      held.emplace(*this, levels(b.vrf));
    }
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      Coordinates const c = stream_.coordinates(i);
      switch (b.mode.kind) {
        case BranchMode::Kind::Unconditional: break;
        case BranchMode::Kind::AxisToggle: ids_[i].bits = c[static_cast<std::size_t>(axes_.number(b.mode.axis))] % 2 == 1 ? 8 : 0; break;
        case BranchMode::Kind::ValidCount: ids_[i].bits = 1; break;  // what exists lies below the count
        case BranchMode::Kind::Comparison: ids_[i] = {compared(b.mode, stream_[i].bits), stream_[i].defined}; break;
        case BranchMode::Kind::Vrf:
          ids_[i] = log->at(held->seen_at(c));
          ids_[i].bits &= 15;
          break;
      }
    }
  }
  std::uint32_t compared(const BranchMode& mode, std::uint32_t bits) const {
    std::uint32_t id = 0;
    for (int i = 0; i < BranchMode::comparisons; ++i) id |= (holds(mode.compare[i], bits) ? 1u : 0u) << i;
    return id;
  }
  bool holds(const InputCmp& c, std::uint32_t bits) const {
    using Kind = InputCmp::Kind;
    bool const floating = c.type == ScalarType::f32;
    f32 const x = f32::from_bits(bits), y = f32::from_bits(c.boundary);
    std::int32_t const m = static_cast<std::int32_t>(bits), n = static_cast<std::int32_t>(c.boundary);
    switch (c.kind) {
      case Kind::Equal: return floating ? arithmetic::equal(x, y, module_.numeric) : m == n;
      case Kind::Less: return floating ? arithmetic::less(x, y, module_.numeric) : m < n;
      case Kind::Greater: return floating ? arithmetic::less(y, x, module_.numeric) : m > n;
      case Kind::LessUnsigned: return bits < c.boundary;
      case Kind::GreaterUnsigned: return bits > c.boundary;
      case Kind::True: return true;
      case Kind::False: break;
    }
    return false;
  }
  void stage(const ir::BranchLog& b) { write(b.vrf, ids_); }
  void stage(const ir::Stash&) { stash_ = stream_; }

  Element operand(const ir::Operand& o, const Coordinates& c) {
    switch (o.shape.kind) {
      case OperandKind::immediate: return {o.shape.bits, true};
      case OperandKind::vrf: return operands_.at(o.vrf).at(operands_in_.at(o.vrf).seen_at(c));
      case OperandKind::stash: return stash_->at(c);
      default: return {};
    }
  }
  void read_operands(const ir::VectorOperation& o) {
    for (const ir::Operand& each : o.operands)
      if (each.shape.kind == OperandKind::vrf) {
        operands_[each.vrf] = read(each.vrf);
        operands_in_.insert_or_assign(each.vrf, Held(*this, levels(each.vrf)));
      }
  }
  /// One lane: the first slot whose guard holds has its operands; a lane that none claims passes.
  Element operated(const ir::VectorOperation& o, const Element& x, const Element& id, const Coordinates& c) {
    std::size_t const each = o.step.family == OpFamily::FpTernary ? 2 : 1;
    bool const asks = o.step.groups != Groups::both || (!o.operands.empty() && o.operands[0].shape.guard != OperandGuard::always());
    if (asks && !id.defined) return {};
    if (o.step.groups == Groups::group0 && id.bits >= 8) return x;
    if (o.step.groups == Groups::group1 && id.bits < 8) return x;
    Element source[3] = {x, {}, {}};
    if (!o.operands.empty()) {
      std::size_t slot = 0;
      while (slot < o.operands.size() && !o.operands[slot].shape.guard.holds(static_cast<int>(id.bits))) slot += each;
      if (slot >= o.operands.size()) return x;
      for (std::size_t i = 0; i < each; ++i) source[1 + i] = operand(o.operands[slot + i], c);
    }
    return applied(o.step, source);
  }
  Element applied(const VectorStep& step, const Element (&source)[3]) const {
    Arguments const arguments = arguments_of(step);
    Element a[3] = {source[0], {0, true}, {0, true}};
    bool defined = true;
    for (int i = 0; i < arguments.count; ++i) {
      a[i] = source[static_cast<int>(arguments.of[i])];
      defined &= a[i].defined;
    }
    if (arguments.count == 0) defined = a[0].defined;
    return {computed(step, a[0].bits, a[1].bits, a[2].bits, module_.numeric), defined};
  }
  static bool computes(const VectorStep& s) {
    return s.family != OpFamily::none || s.method == VectorMethod::fxp_to_fp || s.method == VectorMethod::fp_to_fxp ||
           s.method == VectorMethod::reinterpret;
  }
  void stage(const ir::VectorOperation& o) {
    if (!computes(o.step)) return;
    read_operands(o);
    if (groups_ && o.step.groups == Groups::zip) {
      Tensor merged(stage_->out.type, (*groups_)[0]);
      for (std::size_t i = 0; i < merged.size(); ++i) merged[i] = applied(o.step, {(*groups_)[0][i], (*groups_)[1][i], {}});
      stream_ = std::move(merged);
      ids_ = ids_of(stream_, 0);
      groups_.reset();
      return;
    }
    if (groups_) {
      for (std::size_t g = 0; g < 2; ++g) {
        Tensor& group = (*groups_)[g];
        for (std::size_t i = 0; i < group.size(); ++i) group[i] = operated(o, group[i], {g == 1 ? 8u : 0u, true}, group.coordinates(i));
        group.type = stage_->out.type;
      }
      return;
    }
    for (std::size_t i = 0; i < stream_.size(); ++i)
      stream_[i] = operated(o, stream_[i], ids_.at(stream_.coordinates(i)), stream_.coordinates(i));
    stream_.type = stage_->out.type;
  }

  /// The tensor that a pass writes back, if it does.
  ir::TensorId written_by(const ir::Pass& p) const {
    for (const ir::Stage& s : p.stages)
      if (const auto* w = std::get_if<ir::WriteOperand>(&s.what)) return w->vrf;
    return ir::none;
  }
  /// If a stage reads or writes what the pass writes back: the last stage that does. From the one to the other it goes step by step of Time.
  std::size_t write_back(const ir::Pass& p, std::size_t first) const {
    ir::TensorId const back = written_by(p);
    auto const uses = [&](const ir::Stage& s) {
      if (std::holds_alternative<ir::WriteOperand>(s.what)) return true;
      const auto* o = std::get_if<ir::VectorOperation>(&s.what);
      return o != nullptr && back != ir::none && std::any_of(o->operands.begin(), o->operands.end(), [back](const ir::Operand& each) {
               return each.shape.kind == OperandKind::vrf && each.vrf == back;
             });
    };
    if (back == ir::none || !uses(p.stages[first])) return p.stages.size();
    std::size_t last = first;
    for (std::size_t i = first; i < p.stages.size(); ++i)
      if (uses(p.stages[i])) last = i;
    return last;
  }
  /// In each step all lanes read and compute, then all lanes store.
  void run_in_time(const ir::Pass& p, std::size_t first, std::size_t last) {
    ir::TensorId const back = written_by(p);
    for (std::size_t i = first; i <= last; ++i)
      if (const auto* o = std::get_if<ir::VectorOperation>(&p.stages[i].what)) read_operands(*o);
    operands_[back] = read(back);
    Tensor out(p.stages[last].out.type, stream_);
    std::map<std::int64_t, std::vector<Coordinates>> by_step;
    Places(axes_, before_).each_live([&](const Place& place, const Coordinates& c) { by_step[place.time].push_back(c); });
    if (!stash_) stash_ = Tensor(stream_.type, stream_);
    for (const auto& [step, lanes] : by_step) {
      std::vector<std::pair<Coordinates, Element>> stored;
      for (const Coordinates& c : lanes) {
        Element x = stream_.at(c);
        Element const id = ids_.at(c);
        for (std::size_t i = first; i <= last; ++i) {
          const ir::Stage& s = p.stages[i];
          if (const auto* o = std::get_if<ir::VectorOperation>(&s.what); o != nullptr && computes(o->step)) x = operated(*o, x, id, c);
          if (std::holds_alternative<ir::Stash>(s.what)) stash_->set(c, x);
          if (const auto* w = std::get_if<ir::WriteOperand>(&s.what)) {
            if (w->guard != OperandGuard::always() && !id.defined) stored.emplace_back(c, Element{});
            else if (w->guard.holds(static_cast<int>(id.bits))) stored.emplace_back(c, x);
          }
        }
        out.set(c, x);
      }
      for (const auto& [c, e] : stored) operands_[back].set(c, e);
    }
    write(back, operands_[back]);
    stream_ = std::move(out);
  }
  void stage(const ir::WriteOperand&) {}  // run_in_time has done it

  void stage(const ir::Unzip& u) {
    std::size_t const axis = static_cast<std::size_t>(axes_.number(u.axis));
    Levels const l = stream_levels(stage_->out);
    groups_.emplace();
    for (std::size_t g = 0; g < 2; ++g) {
      Tensor group(axes_, stream_.type, l);
      Places(axes_, l).each_live([&](const Place&, const Coordinates& c) {
        Coordinates from = c;
        from[axis] = static_cast<std::int32_t>(g);
        group.set(c, stream_.at(from));
      });
      (*groups_)[g] = std::move(group);
    }
  }
  void stage(const ir::Filter& f) {
    Levels const l = stream_levels(stage_->out);
    std::map<std::int64_t, Coordinates> places;  // where the n-th lane that is kept goes
    Levels slots = l;
    for (Level each : {Level::chip, Level::cluster, Level::slice}) slots.set(each, Mapping{});
    Places(axes_, slots).each_live([&](const Place& p, const Coordinates& c) { places[p.time * l[Level::packet].size + p.packet] = c; });
    std::int64_t const room = l[Level::time].size * l[Level::packet].size;

    Levels units = before_;
    units.set(Level::time, Mapping{}).set(Level::packet, Mapping{});
    Levels lanes = before_;
    for (Level each : {Level::chip, Level::cluster, Level::slice}) lanes.set(each, Mapping{});
    Tensor out(axes_, stream_.type, l), count(axes_, ScalarType::i32, units);
    Places const all_lanes(axes_, lanes), before(axes_, before_);
    Places(axes_, units).each_live([&](const Place&, const Coordinates& unit) {
      std::int64_t n = 0;
      bool sure = true;
      for (const Spot& step : all_lanes.on(Level::time))
        for (const Spot& lane : all_lanes.on(Level::packet)) {
          Coordinates c = unit;
          Places::add(c, step.at);
          Places::add(c, lane.at);
          if (step.padded || lane.padded || !before.inside(c)) continue;
          Element const id = ids_.at(c);
          sure &= id.defined;
          if (!sure || !f.keep.holds(static_cast<int>(id.bits))) continue;
          if (n == room) throw Refuses{"vector-filter-overflow"};
          auto const to = places.find(n++);
          if (to == places.end()) continue;
          Coordinates at = unit;
          Places::add(at, to->second);
          out.set(at, stream_.at(c));
        }
      count.set(unit, {static_cast<std::uint32_t>(n), sure});
    });
    stream_ = std::move(out);
    if (f.count != ir::none) write(f.count, count);
  }

  Element folded(ReduceOp op, const Element& a, const Element& b) const {
    return {agree::folded(op, stream_.type, a.bits, b.bits, module_.numeric), a.defined && b.defined};
  }
  std::optional<Element> folded(ReduceOp op, const std::optional<Element>& a, const std::optional<Element>& b) const {
    if (a && b) return folded(op, *a, *b);
    return a ? a : b;
  }
  /// Folds one more element into a result.
  void take(ReduceOp op, Tensor& out, Tensor& begun, const Coordinates& to, const Element& e) {
    Element const alone{folded_alone(stream_.type, e.bits, module_.numeric), e.defined};
    out.set(to, begun.at(to).defined ? folded(op, out.at(to), e) : alone);
    begun.set(to, {0, true});
  }
  void stage(const ir::IntraSliceReduce& r) {
    std::size_t const axis = static_cast<std::size_t>(axes_.number(r.axis));
    Tensor out(axes_, stream_.type, stream_levels(stage_->out)), begun(ScalarType::i32, out);
    Places const places(axes_, before_), result(axes_, stream_levels(stage_->out));
    const Mapping& packet = before_[Level::packet];
    bool tree = false;
    for (int k = 0; k < packet.digits; ++k) tree |= packet.digit[k].axis != no_axis && packet.axis[packet.digit[k].axis].name == r.axis;
    // Whether a unit holds anything shows only together with Time and Packet, so its own padding alone is left out here.
    for (const Spot& chip : places.on(Level::chip))
      for (const Spot& cluster : places.on(Level::cluster))
        for (const Spot& slice : places.on(Level::slice)) {
          if (chip.padded || chip.copy || cluster.padded || cluster.copy || slice.padded || slice.copy) continue;
          Coordinates unit{};
          for (const Spot* s : {&chip, &cluster, &slice}) Places::add(unit, s->at);
          for (const Spot& step : places.on(Level::time)) {
            if (step.padded || step.copy) continue;
            std::array<std::optional<Element>, 4> lane;
            std::array<Coordinates, 4> to{};
            std::size_t p = 0;
            for (const Spot& each : places.on(Level::packet)) {
              Coordinates c = unit;
              Places::add(c, step.at);
              Places::add(c, each.at);
              if (!each.padded && !each.copy && places.inside(c)) {
                lane[p] = stream_.at(c);
                to[p] = c;
                to[p][axis] = unit[axis];
              }
              ++p;
            }
            std::optional<Element> const all =
                tree ? folded(r.op, folded(r.op, lane[0], lane[1]), folded(r.op, lane[2], lane[3])) : std::nullopt;
            for (p = 0; p < 4; ++p) {
              if (!lane[p] || !result.inside(to[p])) continue;  // a result outside of its axis is padding
              take(r.op, out, begun, to[p], tree ? *all : *lane[p]);
              if (tree) break;
            }
          }
        }
    stream_ = std::move(out);
    ids_ = ids_of(stream_, 0);
  }
  void stage(const ir::InterSliceReduce& r) {
    Levels const l = stream_levels(stage_->out);
    // What was folded counts no axis of the new Slice: a result is found by its other coordinates, and every receiver gets the same.
    std::vector<Kept> const kept = kept_steps(l);
    Coordinates const begin = begin_of(before_), end = begin_of(l);
    Tensor sums(axes_, stream_.type, before_), begun(ScalarType::i32, sums);
    Places(axes_, before_).each_live([&](const Place&, const Coordinates& c) {
      take(r.op, sums, begun, projected(kept, c, begin, end), stream_.at(c));
    });
    Tensor out(axes_, stream_.type, l);
    Places(axes_, l).each_live([&](const Place&, const Coordinates& c) { out.set(c, sums.at(c)); });
    stream_ = std::move(out);
    ids_ = ids_of(stream_, 0);
  }
  void stage(const ir::VectorFinal&) {}

  // Behind it.

  void stage(const ir::Cast&) {
    for (std::size_t i = 0; i < stream_.size(); ++i)
      stream_[i].bits = scalar_cast_bits(stream_.type, stage_->out.type, stream_[i].bits, module_.numeric);
    stream_.type = stage_->out.type;
  }
  void stage(const ir::Transpose&) {}
  void stage(const ir::CommitCast&) { stage(ir::Cast{}); }
  void stage(const ir::CommitCastRelu&) {
    for (std::size_t i = 0; i < stream_.size(); ++i) {
      std::uint32_t& bits = stream_[i].bits;
      float number = 0;
      std::memcpy(&number, &bits, sizeof number);
      bool const negative =
          stream_.type == ScalarType::i32 ? static_cast<std::int32_t>(bits) < 0 : !std::isnan(number) && std::signbit(number);
      if (negative) bits = 0;
    }
    stage(ir::Cast{});
  }
  void stage(const ir::Commit& c) {
    if (!c.slices) return write(c.destination, stream_);
    Tensor merged = read(c.destination);
    Places(axes_, levels(c.destination)).each_live([&](const Place& p, const Coordinates& at) {
      if (c.slices->contains(static_cast<int>(p.slice))) merged.set(at, stream_.at(at));
    });
    write(c.destination, merged);
  }
  void stage(const ir::ToTrf& t) { write(t.destination, stream_); }
  void stage(const ir::ToVrf& t) { write(t.destination, stream_); }

  const ir::Module& module_;
  AxisTable& axes_;
  Indexed<std::optional<Tensor>, ir::TensorId> memory_;  // by tensor; views hold nothing

  // The pass at hand.
  const ir::Pass* pass_ = nullptr;
  const ir::Stage* stage_ = nullptr;
  Levels before_{};  // of the stream that comes into the stage
  Tensor stream_, ids_, weights_;
  std::optional<Held> data_in_, weights_in_;
  Levels pairing_{};
  Mapping columns_{};
  Coordinates begin_{}, result_begin_{};
  std::map<Coordinates, int> begun_;  // sums of one row that have a value
  ContractOp op_ = ContractOp::Add;
  std::optional<Tensor> stash_;
  std::optional<std::array<Tensor, 2>> groups_;
  std::map<ir::TensorId, Tensor> operands_;
  std::map<ir::TensorId, Held> operands_in_;
};

}  // namespace

Ran expected(const ir::Module& module, const std::vector<Numbers>& arguments) {
  AxisTable axes;
  try {
    return Oracle(module, axes).run(arguments);
  } catch (const Refuses& r) {
    Ran ran;
    ran.refused = r.code;
    return ran;
  }
}

LiveIndices::LiveIndices(const ir::Module& module, ir::TensorId tensor) {
  Places const places(axes_, module.levels(module.tensor(tensor)));
  places.each_live([this](const Place&, const Coordinates& c) { at_.push_back(c); });
}

Index LiveIndices::operator[](std::size_t i) const {
  Index index;
  for (int a = 0; a < axes_.count(); ++a) index.add(axes_.name(a), at_[i][static_cast<std::size_t>(a)]);
  return index;
}

std::int64_t live_elements(const ir::Module& module, ir::TensorId tensor) {
  return static_cast<std::int64_t>(LiveIndices(module, tensor).size());
}

}  // namespace tcp::agree
