// Operations on strided tensors: cutting, repeating, restricting to the coordinates that some levels hold, copying.
#include "exec/vector/tensor.hpp"

#include <algorithm>

#include "exec/vector/kernels/move.hpp"
#include "tcp/support/bug.hpp"

// Makes storages: fresh, of an image that is shared, or of one that is the tensor's own.

namespace tcp::vector {

std::shared_ptr<Storage> Storage::make(std::int64_t bytes) {
  std::shared_ptr<Storage> s(new Storage);
  s->own_ = Image::not_initialised(static_cast<std::size_t>(bytes));
  return s;
}

std::shared_ptr<Storage> Storage::of(std::shared_ptr<const Image> bytes) {
  std::shared_ptr<Storage> s(new Storage);
  s->theirs_ = std::move(bytes);
  return s;
}

std::shared_ptr<Storage> Storage::of(Image own) {
  std::shared_ptr<Storage> s(new Storage);
  s->own_ = std::move(own);
  s->is_image_ = true;
  return s;
}

namespace {

/// What the levels count of one axis.
struct Counted {
  std::int64_t extent = 0, start = 0;
  std::vector<Steps> digits;  // from the finest to the coarsest
  bool nested = true;         // each digit begins where all finer ones together end, or beyond
};

Counted counted(const Levels& levels, Name axis) {
  Counted c;
  for (const Mapping& m : levels.at) {
    int const a = find_axis(m, axis);
    if (a < 0) continue;
    c.extent = m.axis[a].extent;
    c.start += m.axis[a].start;
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == a && m.digit[k].size > 1) c.digits.push_back({m.digit[k].stride, m.digit[k].size});
  }
  std::sort(c.digits.begin(), c.digits.end(), [](const Steps& x, const Steps& y) { return x.stride < y.stride; });
  std::int64_t reach = 0;
  for (const Steps& d : c.digits) {
    c.nested &= d.stride > reach;
    reach += (d.size - 1) * d.stride;
  }
  return c;
}

std::vector<bool> marked(const Counted& c) {
  std::vector<bool> live(static_cast<std::size_t>(c.extent), false);
  std::vector<std::int64_t> sums{c.start};
  for (const Steps& d : c.digits) {
    std::size_t const before = sums.size();
    for (std::int64_t step = 1; step < d.size; ++step)
      for (std::size_t i = 0; i < before; ++i) sums.push_back(sums[i] + step * d.stride);
  }
  for (std::int64_t sum : sums)
    if (sum >= 0 && sum < c.extent) live[static_cast<std::size_t>(sum)] = true;
  return live;
}

/// The steps, with those that go on where others end joined into one.
std::vector<Steps> merged(const std::vector<Steps>& digits) {
  std::vector<Steps> all;
  for (const Steps& d : digits) {
    if (!all.empty() && all.back().stride * all.back().size == d.stride) all.back().size *= d.size;
    else all.push_back(d);
  }
  return all;
}

/// Whether `want` counts a coordinate that `have` does not.
bool counts_more(const Counted& want, const Counted& have) {
  std::vector<Steps> const a = merged(want.digits), b = merged(have.digits);
  auto const same = [](const Steps& x, const Steps& y) { return x.stride == y.stride && x.size == y.size; };
  if (want.start == have.start && std::equal(a.begin(), a.end(), b.begin(), b.end(), same)) return false;
  auto const wanted = marked(want), held = marked(have);
  for (std::size_t c = 0; c < wanted.size(); ++c)
    if (wanted[c] && !held[c]) return true;
  return false;
}

/// The coordinate with the same steps of those that are counted, all others taken to be 0.
std::int64_t of_counted(const Counted& counted, std::int64_t coordinate) {
  std::int64_t at = counted.start;
  for (const Steps& d : counted.digits) at += (coordinate - counted.start) / d.stride % d.size * d.stride;
  return at;
}

/// The last live coordinate, -1 if there is none.
std::int64_t last_live(const Counted& c) {
  if (!c.nested) {
    auto const live = marked(c);
    std::int64_t last = -1;
    for (std::size_t i = 0; i < live.size(); ++i)
      if (live[i]) last = static_cast<std::int64_t>(i);
    return last;
  }
  std::int64_t at = c.start;
  for (auto d = c.digits.rbegin(); d != c.digits.rend(); ++d)
    at += std::clamp((c.extent - 1 - at) / d->stride, std::int64_t{0}, d->size - 1) * d->stride;
  return at >= 0 && at < c.extent ? at : -1;
}

std::int64_t origin_count(const Tensor& t) {
  std::int64_t n = 1;
  for (const Axis& a : t.axes)
    if (a.origin_stride != 0) n *= a.size;
  return n;
}

}  // namespace

std::int64_t Tensor::size() const {
  std::int64_t n = 1;
  for (const Axis& a : axes) n *= a.size;
  return n;
}

const Axis* Tensor::find(Name name) const {
  for (const Axis& a : axes)
    if (a.name == name) return &a;
  return nullptr;
}

std::vector<AxisSize> axes_of(const Levels& levels) {
  std::vector<AxisSize> axes;
  for (const Mapping& m : levels.at)
    for (int a = 0; a < m.axes; ++a) {
      Name const name = m.axis[a].name;
      if (std::any_of(axes.begin(), axes.end(), [name](const AxisSize& x) { return x.name == name; })) continue;
      axes.push_back({name, std::max<std::int64_t>(last_live(counted(levels, name)) + 1, 1)});
    }
  return axes;
}

std::vector<Stretch> live_runs(const Levels& levels, Name axis) {
  Counted const c = counted(levels, axis);
  std::int64_t whole = c.start;
  bool dense = c.nested && c.start >= 0;
  std::int64_t next = 1;
  for (const Steps& d : c.digits) {
    dense &= d.stride == next;
    next *= d.size;
    whole += (d.size - 1) * d.stride;
  }
  if (dense && c.start < c.extent) return {{c.start, std::min(whole, c.extent - 1) - c.start + 1}};
  std::vector<Stretch> runs;
  auto const live = marked(c);
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (!live[i]) continue;
    if (i > 0 && live[i - 1]) ++runs.back().size;
    else runs.push_back({static_cast<std::int64_t>(i), 1});
  }
  return runs;
}

Tensor fresh(ScalarType type, const std::vector<AxisSize>& axes) {
  Tensor t;
  t.type = type;
  for (const AxisSize& a : axes) t.axes.push_back({a.name, a.size, 0, 0});
  std::int64_t n = 1;
  for (auto a = t.axes.rbegin(); a != t.axes.rend(); ++a) {
    a->stride = n;
    n *= a->size;
  }
  t.storage = Storage::make(n * t.width());
  return t;
}

Tensor uniform(ScalarType type, const std::vector<AxisSize>& axes, std::uint32_t bits, Origin origin) {
  Tensor t = fresh(type, {});
  for (const AxisSize& a : axes) t.axes.push_back({a.name, a.size, 0, 0});
  store_bits(t.writable_data(), t.width(), bits);
  if (origin != 0) {
    t.origins = Storage::make(sizeof(Origin));
    *t.writable_origins() = origin;
  }
  return t;
}

Tensor restricted(const Tensor& t, const std::vector<AxisSize>& axes) {
  Tensor out = t;
  out.axes.clear();
  for (const AxisSize& a : axes)
    if (const Axis* mine = t.find(a.name)) {
      out.axes.push_back(*mine);
      out.axes.back().size = std::min(mine->size, a.size);
    }
  return out;
}

Tensor spread(Tensor t, const std::vector<AxisSize>& axes) {
  for (const AxisSize& a : axes)
    if (t.find(a.name) == nullptr) t.axes.push_back({a.name, a.size, 0, 0});
  return t;
}

Tensor without_repeats(Tensor t) {
  std::erase_if(t.axes, [&t](const Axis& a) { return a.stride == 0 && (!t.origins || a.origin_stride == 0); });
  return t;
}

Tensor repeated(const Tensor& t, const Levels& held, const Levels& shown) {
  std::vector<AxisSize> const reach = axes_of(shown);
  Tensor now = t;
  for (const Axis& along : t.axes) {
    Counted const have = counted(held, along.name), want = counted(shown, along.name);
    auto const size = std::find_if(reach.begin(), reach.end(), [&along](const AxisSize& a) { return a.name == along.name; });
    if (have.extent == 0 || size == reach.end() || !counts_more(want, have)) continue;
    std::vector<AxisSize> axes;
    for (const Axis& a : now.axes) axes.push_back({a.name, a.name == along.name ? size->size : a.size});
    Tensor out = fresh(t.type, axes);
    std::fill_n(out.writable_data(), out.size() * out.width(), std::byte{0});
    if (now.has_undefined()) track(out);
    std::vector<bool> const live = marked(want);
    for (std::int64_t c = 0; c < size->size; ++c) {
      std::int64_t const from = of_counted(have, c);
      if (!live[static_cast<std::size_t>(c)] || from < 0 || from >= along.size) continue;
      Tensor there = fixed_at(out, along.name, c);
      copy_into(there, fixed_at(now, along.name, from));
    }
    now = std::move(out);
  }
  return now;
}

Tensor cut(Tensor t, Name axis, std::int64_t begin, std::int64_t size) {
  for (Axis& a : t.axes) {
    if (!(a.name == axis)) continue;
    TCP_BUG_UNLESS(begin >= 0 && begin + size <= a.size, "a tensor was cut outside itself");
    t.offset += begin * a.stride;
    t.origin_offset += begin * a.origin_stride;
    a.size = size;
  }
  return t;
}

Tensor fixed_at(Tensor t, Name axis, std::int64_t coordinate) {
  t = cut(std::move(t), axis, coordinate, 1);
  std::erase_if(t.axes, [axis](const Axis& a) { return a.name == axis; });
  return t;
}

Tensor without_idle_origins(Tensor t) {
  if (!t.origins) return t;
  std::vector<const Axis*> loops;
  for (const Axis& a : t.axes)
    if (a.origin_stride != 0 && a.size > 1) loops.push_back(&a);
  std::vector<std::int64_t> at(loops.size(), 0);
  const Origin* here = t.origin_data();
  for (std::int64_t left = origin_count(t); left > 0; --left) {
    if (*here != 0) return t;
    for (std::size_t k = loops.size(); k-- > 0;) {
      here += loops[k]->origin_stride;
      if (++at[k] < loops[k]->size) break;
      here -= loops[k]->origin_stride * loops[k]->size;
      at[k] = 0;
    }
  }
  t.origins.reset();
  return t;
}

Tensor own_copy(const Tensor& t) {
  std::vector<AxisSize> axes;
  for (const Axis& a : t.axes) axes.push_back({a.name, a.size});
  Tensor out = fresh(t.type, axes);
  copy_into(out, t);
  return out;
}

void track(Tensor& t) {
  if (t.origins) return;
  std::int64_t last = t.offset;
  for (Axis& a : t.axes) {
    a.origin_stride = a.stride;
    last += (a.size - 1) * a.stride;
  }
  t.origin_offset = t.offset;
  t.origins = Storage::make((last + 1) * static_cast<std::int64_t>(sizeof(Origin)));
  std::fill_n(reinterpret_cast<Origin*>(t.origins->writable_data()), last + 1, Origin{0});
}

void copy_into(Tensor& to, const Tensor& from) {
  std::vector<std::vector<Stretch>> all;
  for (const Axis& a : to.axes) all.push_back({{0, a.size}});
  copy_into(to, from, all);
}

namespace {

/// One element that says "defined" for all.
constexpr Origin defined = 0;

struct Planes {
  std::vector<kernels::MoveLoop> bits, origins;
  std::int64_t from = 0, to = 0, origins_from = 0, origins_to = 0;
};

/// Runs of one size, equally far apart: two loops.
bool even(const std::vector<Stretch>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].size != runs[0].size || runs[i].begin - runs[i - 1].begin != runs[1].begin - runs[0].begin) return false;
  return true;
}

void copy_runs(Tensor& to, const Tensor& from, const std::vector<std::vector<Stretch>>& at, std::size_t axis, const Planes& so_far) {
  if (axis == to.axes.size()) {
    int const width = to.width();
    kernels::move(so_far.bits, width, from.data() + so_far.from * width, to.writable_data() + so_far.to * width);
    if (!to.origins) return;
    const auto* source = reinterpret_cast<const std::byte*>(from.origins ? from.origin_data() + so_far.origins_from : &defined);
    kernels::move(so_far.origins, sizeof(Origin), source, reinterpret_cast<std::byte*>(to.writable_origins() + so_far.origins_to));
    return;
  }
  const Axis& a = to.axes[axis];
  const Axis* const theirs = from.find(a.name);
  std::int64_t const stride = theirs == nullptr ? 0 : theirs->stride;
  std::int64_t const origin_stride = theirs == nullptr || !from.origins ? 0 : theirs->origin_stride;
  bool const together = even(at[axis]);
  for (std::size_t i = 0; i < at[axis].size(); ++i) {
    Stretch const run = at[axis][i];
    TCP_BUG_UNLESS(theirs == nullptr || run.begin + run.size <= theirs->size, "a copy reads outside its source");
    Planes p = so_far;
    p.from += run.begin * stride;
    p.to += run.begin * a.stride;
    p.origins_from += run.begin * origin_stride;
    p.origins_to += run.begin * a.origin_stride;
    if (together && at[axis].size() > 1) {
      auto const rounds = static_cast<std::int64_t>(at[axis].size());
      std::int64_t const apart = at[axis][1].begin - at[axis][0].begin;
      p.bits.push_back({rounds, apart * stride, apart * a.stride});
      p.origins.push_back({rounds, apart * origin_stride, apart * a.origin_stride});
    }
    p.bits.push_back({run.size, stride, a.stride});
    p.origins.push_back({run.size, origin_stride, a.origin_stride});
    copy_runs(to, from, at, axis + 1, p);
    if (together) break;
  }
}

}  // namespace

void copy_into(Tensor& to, const Tensor& from, const std::vector<std::vector<Stretch>>& at) {
  if (from.origins) track(to);
  for (const auto& runs : at)
    if (runs.empty()) return;
  copy_runs(to, from, at, 0, {});
}

}  // namespace tcp::vector
