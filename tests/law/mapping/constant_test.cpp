// The laws as the compiler checks them, on the book's examples.
#include <gtest/gtest.h>

#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/mapping/walk.hpp"

namespace {

using namespace tcp;

TCP_AXES(A = 8, B = 512, C = 13, D = 61, H = 6, W = 8, X = 2, Y = 3, Z = 5);

constexpr bool same(const Cell& x, const Cell& y) { return x.kind == y.kind && x.pad == y.pad && x.index == y.index; }
constexpr bool same_cells(const Mapping& x, const Mapping& y) {
  if (x.size != y.size) return false;
  for (std::int64_t i = 0; i < x.size; ++i)
    if (!same(cell(x, i), cell(y, i))) return false;
  return true;
}

/// parse(print(m)) is m.
constexpr bool reads_back(const Mapping& m) {
  Text written, axes;
  print(written, m);
  print_axes(axes, m);
  return *parse(written, m.axes == 0 ? Axes{} : *parse_axes(axes)) == m;
}
/// E / n holds E(i·n), E % n holds E(i), and the two together are E.
constexpr bool splits(const Mapping& e, std::int64_t n) {
  Halves const h = split_at(e, n);
  if (h.outer.size != e.size / n || h.inner.size != n) return false;
  for (std::int64_t i = 0; i < h.outer.size; ++i)
    if (!same(cell(h.outer, i), cell(e, i * n))) return false;
  for (std::int64_t i = 0; i < n; ++i)
    if (!same(cell(h.inner, i), cell(e, i))) return false;
  return pair(h.outer, h.inner) == e;
}
/// E # n holds E(i), then padding; E = k holds the first of E.
constexpr bool pads_and_resizes(const Mapping& e, std::int64_t more, std::int64_t less) {
  Mapping const padded = e.pad(e.size + more), resized = e.resize(less);
  for (std::int64_t i = 0; i < e.size; ++i)
    if (!same(cell(padded, i), cell(e, i))) return false;
  for (std::int64_t i = e.size; i < padded.size; ++i)
    if (cell(padded, i).pad != Pad::top) return false;
  for (std::int64_t i = 0; i < less; ++i)
    if (!same(cell(resized, i), cell(e, i))) return false;
  return padded.size == e.size + more && resized.size == less && padded.resize(e.size) == e;
}
/// place is the inverse of cell.
constexpr bool finds_all(const Mapping& e) {
  for (std::int64_t i = 0; i < e.size; ++i) {
    Cell const c = cell(e, i);
    if (c.live() && !(cell(e, place(e, c.index)).index == c.index)) return false;
  }
  return true;
}
constexpr bool walks(const Mapping& e) {
  Walk w(e);
  for (std::int64_t i = 0; i < e.size; ++i, w.next()) {
    Cell const c = cell(e, i);
    if (w.done() || w.live() != c.live()) return false;
    for (int a = 0; a < e.axes && c.live(); ++a)
      if (w.coordinate(a) != c.index.get(e.axis[a].name)) return false;
  }
  return w.done();
}
constexpr bool tiles(const Mapping& source, const Mapping& dimension, std::int64_t length, std::int64_t start) {
  View const v = *tile(source, dimension, length, start);
  for (std::int64_t i = 0; i < v.mapping.size; ++i) {
    Cell const c = cell(v.mapping, i);
    if (!c.live()) continue;
    Index x = c.index;
    x.add(v.axis, v.rebase);
    Cell const s = cell(source, v.offset + i);
    if (!s.live() || !(s.index == x)) return false;
  }
  return true;
}

constexpr Mapping tiled = m<H / 2, W / 2, H % 2, W % 2>::mapping, rows = m<C, D.pad(64)>::mapping,
                  bits = m<B / 64, B % 32, B / 32 % 2>::mapping, tail = m<group(X, Y, Z).pad(32)>::mapping,
                  front = m<D.pad_left(2).pad_zero(64)>::mapping, copied = m<2, D.pad(64) / 16, 3>::mapping;

static_assert(reads_back(tiled) && reads_back(rows) && reads_back(bits) && reads_back(tail) && reads_back(front) && reads_back(copied));
static_assert(reads_back(m<slide(W.by(2), Y).pad(32)>::mapping) && reads_back(m<1>::mapping) &&
              reads_back(m<B.from(5).resize(1), A>::mapping));
static_assert(splits(tiled, 4));
static_assert(splits(tiled, 16));
static_assert(splits(tiled, 48));
static_assert(splits(tiled, 1));
static_assert(splits(rows, 64));
static_assert(splits(rows, 16));
static_assert(splits(bits, 64));
static_assert(splits(bits, 8));
static_assert(splits(copied, 3));
static_assert(pair(front / 16, front % 16) == front && pair(tail / 32, tail % 32) == tail);
static_assert(pads_and_resizes(tiled, 7, 16));
static_assert(pads_and_resizes(bits, 1, 64));
static_assert(pads_and_resizes(m<X, Y, Z>::mapping, 2, 15));
static_assert(finds_all(tiled));
static_assert(finds_all(rows));
static_assert(finds_all(bits));
static_assert(finds_all(tail));
static_assert(finds_all(front));
static_assert(finds_all(copied));
static_assert(walks(tiled));
static_assert(walks(rows));
static_assert(walks(bits));
static_assert(walks(tail));
static_assert(walks(front));
static_assert(walks(copied));
static_assert(tiles(tiled, H / 2, 2, 1));
static_assert(tiles(bits, B / 64, 3, 2));
static_assert(tiles(rows, C, 1, 12));
static_assert(same_cells(m<D.pad(64) / 16, D.pad(64) % 16>::mapping, m<D.pad(64)>::mapping));
static_assert(without_kinds(front) == without_kinds(m<D.pad_left(2).pad_bottom(64)>::mapping) && !(front == without_kinds(front)));

TEST(Laws, HoldAtRunTimeByTheSameCode) {
  for (Mapping const& e : {tiled, rows, bits, copied}) {
    int cuts = 0;
    for (std::int64_t n = 1; n <= e.size; ++n) {
      if (!split_at(e, n).outer.ok()) continue;
      EXPECT_TRUE(splits(e, n)) << n;
      ++cuts;
    }
    EXPECT_GE(cuts, 4);
    EXPECT_TRUE(reads_back(e) && finds_all(e) && walks(e));
  }
}

}  // namespace
