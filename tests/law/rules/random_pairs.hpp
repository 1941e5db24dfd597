// Random streams and buffers over the same few axes, often enough of a kind that a sequencer can walk from one to the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tcp/support/random.hpp"

// What streams and buffers hold, position by position, and whether some loop nest walks one in the order of the other.
//
// It shares nothing with the library but the notation. A mapping is kept as the items of its comma list, each with its text and its meaning: the steps of
// an axis that it counts, how many positions it takes, how many of them are live. What lies at a position is read off by dividing the position by the
// items' sizes, from the inside out; coordinates are summed over all mappings of a side, and a sum outside of its axis is padding.

namespace brute {

struct Axis {
  std::string name;
  std::int64_t extent;
};
constexpr int most_axes = 8;
using Axes = std::vector<Axis>;
using Sums = std::array<std::int64_t, most_axes>;

/// Steps of an axis, as an item counts them.
struct Counted {
  int axis;
  std::int64_t stride, size;
  std::int64_t cut;       // the size before `=` shortened it
  std::int64_t step = 1;  // in a window: positions that one step moves on
};

/// One item of a comma list: a digit (one Counted), a window (several), copies or mere padding (none), or a group of items that is padded as a whole.
struct Item {
  std::string text;
  std::int64_t slot = 1;  // positions
  std::int64_t live = 1;  // of them, not padding of the item's own
  std::vector<Counted> counts{};
  std::vector<Item> group{};
};

struct List {
  std::vector<Item> items;
  Sums start{};

  std::int64_t size() const {
    std::int64_t n = 1;
    for (const Item& i : items) n *= i.slot;
    return n;
  }
  std::string text() const {
    std::string t;
    for (const Item& i : items) t += (t.empty() ? "" : ", ") + i.text;
    return t.empty() ? "1" : t;
  }
};

inline void add_item(const Item& item, std::int64_t position, std::vector<Sums>& sums);

/// Adds what the items hold at a position; no sums are left where that is nothing.
inline void add_items(const std::vector<Item>& items, std::int64_t position, std::vector<Sums>& sums) {
  for (auto item = items.rbegin(); item != items.rend() && !sums.empty(); ++item) {
    add_item(*item, position % item->slot, sums);
    position /= item->slot;
  }
}

inline void add_item(const Item& item, std::int64_t position, std::vector<Sums>& sums) {
  if (position >= item.live) {
    sums.clear();
  } else if (!item.group.empty()) {
    add_items(item.group, position, sums);
  } else if (item.counts.size() == 1) {
    for (Sums& s : sums) s[static_cast<std::size_t>(item.counts[0].axis)] += position * item.counts[0].stride;
  } else if (item.counts.size() > 1) {
    // Every way to write the position as a sum of the members' steps.
    std::vector<std::pair<std::int64_t, Sums>> ways{{position, Sums{}}};
    for (const Counted& c : item.counts) {
      std::vector<std::pair<std::int64_t, Sums>> next;
      for (const auto& [left, sum] : ways)
        for (std::int64_t i = 0; i < c.size && i * c.step <= left; ++i) {
          Sums more = sum;
          more[static_cast<std::size_t>(c.axis)] += i * c.stride;
          next.emplace_back(left - i * c.step, more);
        }
      ways = next;
    }
    std::vector<Sums> all;
    for (const Sums& s : sums)
      for (const auto& [left, sum] : ways) {
        if (left != 0) continue;
        Sums more = s;
        for (std::size_t a = 0; a < most_axes; ++a) more[a] += sum[a];
        all.push_back(more);
      }
    sums = all;
  }
}

/// An element: its coordinates, one byte each.
using Element = std::uint64_t;

inline std::int64_t coordinate(Element e, int axis) { return static_cast<std::int64_t>(e >> (8 * axis) & 0xff); }
inline Element with_coordinate(Element e, int axis, std::int64_t at) {
  return (e & ~(Element{0xff} << (8 * axis))) | static_cast<Element>(at) << (8 * axis);
}

/// What lies at each position of several lists taken together, the first the outermost. `holds` is empty at padding.
struct Side {
  struct Position {
    std::int64_t address;
    std::vector<Element> holds;
  };
  std::vector<Position> positions;

  /// `unit`: how far apart the positions of each list lie; none for a stream, which is walked in order.
  Side(const Axes& axes, const std::vector<List>& lists, const std::vector<std::int64_t>& unit = {}) {
    Sums start{};
    std::int64_t total = 1;
    for (const List& l : lists) {
      total *= l.size();
      for (std::size_t a = 0; a < most_axes; ++a) start[a] += l.start[a];
    }
    positions.reserve(static_cast<std::size_t>(total));
    for (std::int64_t i = 0; i < total; ++i) {
      std::vector<Sums> sums{start};
      std::int64_t rest = i, address = unit.empty() ? i : 0;
      for (std::size_t l = lists.size(); l-- > 0;) {
        std::int64_t const size = lists[l].size();
        add_items(lists[l].items, rest % size, sums);
        if (!unit.empty()) address += rest % size * unit[l];
        rest /= size;
      }
      Position p{address, {}};
      for (const Sums& s : sums) {
        Element e = 0;
        bool inside = true;
        for (std::size_t a = 0; a < axes.size(); ++a) {
          inside &= s[a] >= 0 && s[a] < axes[a].extent;
          e |= static_cast<Element>(s[a] & 0xff) << (8 * a);
        }
        if (inside) p.holds.push_back(e);
      }
      positions.push_back(std::move(p));
    }
  }
};

constexpr std::int64_t any = INT64_MIN;          // padding: every address will do
constexpr std::int64_t nowhere = INT64_MIN + 1;  // a live position whose element the buffers do not hold

/// The primes of n, ascending.
inline std::vector<std::int64_t> primes(std::int64_t n) {
  std::vector<std::int64_t> out;
  for (std::int64_t p = 2; n > 1; ++p)
    for (; n % p == 0; n /= p) out.push_back(p);
  return out;
}

/// One factor of a stream as a loop nest sees it: no loop reaches over its border. Some factors may be but one loop.
struct Border {
  std::int64_t size;
  bool one_loop = false;
};

/// The linear equations that a loop nest of given rounds must fulfil, modulo a large prime: base + sum of round · stride = address.
class Equations {
 public:
  static constexpr std::int64_t modulus = 1'000'000'007;

  explicit Equations(std::size_t unknowns) : unknowns_(unknowns) {}

  /// False if it contradicts those before it.
  bool add(std::vector<std::int64_t> row) {
    for (std::int64_t& x : row) x = (x % modulus + modulus) % modulus;
    for (const auto& [pivot, r] : rows_) {
      std::int64_t const times = row[pivot];
      if (times == 0) continue;
      for (std::size_t k = 0; k <= unknowns_; ++k) row[k] = ((row[k] - times * r[k]) % modulus + modulus) % modulus;
    }
    std::size_t pivot = 0;
    while (pivot < unknowns_ && row[pivot] == 0) ++pivot;
    if (pivot == unknowns_) return row[unknowns_] == 0;
    std::int64_t const inverse = power(row[pivot], modulus - 2);
    for (std::int64_t& x : row) x = x * inverse % modulus;
    for (auto& [other, r] : rows_) {
      std::int64_t const times = r[pivot];
      for (std::size_t k = 0; k <= unknowns_ && times != 0; ++k) r[k] = ((r[k] - times * row[k]) % modulus + modulus) % modulus;
    }
    rows_.emplace(pivot, std::move(row));
    return true;
  }
  std::vector<std::size_t> free_unknowns() const {
    std::vector<std::size_t> f;
    for (std::size_t k = 0; k < unknowns_; ++k)
      if (!rows_.contains(k)) f.push_back(k);
    return f;
  }
  /// The solution for given values of the free unknowns; empty if it is not in whole numbers of a moderate size.
  std::vector<std::int64_t> solve(const std::map<std::size_t, std::int64_t>& given) const {
    std::vector<std::int64_t> x(unknowns_, 0);
    for (const auto& [k, value] : given) x[k] = value;
    for (const auto& [pivot, r] : rows_) {
      std::int64_t v = r[unknowns_];
      for (const auto& [k, value] : given) v = ((v - r[k] * (value % modulus)) % modulus + modulus) % modulus;
      if (v > modulus / 2) v -= modulus;
      if (v > 1'000'000 || v < -1'000'000) return {};
      x[pivot] = v;
    }
    return x;
  }

 private:
  static std::int64_t power(std::int64_t base, std::int64_t exponent) {
    std::int64_t r = 1;
    for (; exponent > 0; exponent >>= 1, base = base * base % modulus)
      if (exponent & 1) r = r * base % modulus;
    return r;
  }

  std::size_t unknowns_;
  std::map<std::size_t, std::vector<std::int64_t>> rows_;
};

/// Whether some loop nest within the borders visits the wanted addresses in order, and puts padding only where `may` allows it.
///
/// A nest of loops of composite size is a nest of loops of prime size too, so that only the orders of the primes inside each border must be tried. What
/// remains is linear: a base and a stride for each loop.
class NestSearch {
 public:
  enum class Answer { exists, none, unsure };

  template <class May>
  static Answer search(const std::vector<Border>& borders, const std::vector<std::int64_t>& wanted, std::int64_t reach,
                       bool padding_anywhere, May may) {
    std::vector<std::vector<std::int64_t>> loops(borders.size());
    for (std::size_t b = 0; b < borders.size(); ++b)
      loops[b] = borders[b].one_loop ? std::vector<std::int64_t>{borders[b].size} : primes(borders[b].size);
    Answer answer = Answer::none;
    for (int tries = 0; tries < 500; ++tries) {
      std::vector<std::int64_t> flat;
      for (const auto& l : loops) flat.insert(flat.end(), l.begin(), l.end());
      Answer const one = try_order(flat, wanted, reach, padding_anywhere, may);
      if (one == Answer::exists) return one;
      if (one == Answer::unsure) answer = one;
      std::size_t b = 0;
      while (b < loops.size() && !std::next_permutation(loops[b].begin(), loops[b].end())) ++b;
      if (b == loops.size()) return answer;
    }
    return Answer::unsure;
  }

 private:
  template <class May>
  static Answer try_order(const std::vector<std::int64_t>& loops, const std::vector<std::int64_t>& wanted, std::int64_t reach,
                          bool padding_anywhere, May may) {
    std::size_t const n = loops.size();
    Equations equations(n + 1);
    std::vector<std::int64_t> row(n + 2);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == any) continue;
      rounds(loops, static_cast<std::int64_t>(i), row);
      row[n + 1] = wanted[i];
      if (!equations.add(row)) return Answer::none;
    }
    auto const open = equations.free_unknowns();
    if (padding_anywhere) {
      std::map<std::size_t, std::int64_t> zeros;
      for (std::size_t k : open) zeros[k] = 0;
      if (!equations.solve(zeros).empty()) return Answer::exists;
      return open.empty() ? Answer::none : Answer::unsure;
    }
    // Padding must be written somewhere: try every value of the unknowns that the live positions leave open.
    std::int64_t const most = open.empty() ? 0 : open.size() == 1 ? reach : open.size() == 2 ? 24 : -1;
    if (most < 0) return Answer::unsure;
    std::map<std::size_t, std::int64_t> given;
    for (std::size_t k : open) given[k] = -most;
    while (true) {
      auto const x = equations.solve(given);
      bool good = !x.empty();
      for (std::size_t i = 0; good && i < wanted.size(); ++i) {
        if (wanted[i] != any) continue;
        rounds(loops, static_cast<std::int64_t>(i), row);
        std::int64_t address = 0;
        for (std::size_t k = 0; k <= n; ++k) address += row[k] * x[k];
        good = may(address);
      }
      if (good) return Answer::exists;
      auto k = given.begin();
      while (k != given.end() && ++k->second > most) (k++)->second = -most;
      if (k == given.end()) break;
    }
    return open.size() == 2 && reach > most ? Answer::unsure : Answer::none;
  }

  /// row = the round of each loop at position i, then 1 for the base.
  static void rounds(const std::vector<std::int64_t>& loops, std::int64_t i, std::vector<std::int64_t>& row) {
    for (std::size_t k = loops.size(); k-- > 0;) {
      row[k] = i % loops[k];
      i /= loops[k];
    }
    row[loops.size()] = 1;
  }
};

struct Pair {
  std::vector<List> buffers;
  std::vector<std::int64_t> unit;
  std::vector<List> terms;
  std::size_t packet_from = 0;
};

class Pairs {
 public:
  enum AxisId : int { a_of_12, b_of_8, ragged_13, q_of_3, repeated_2, window_5, filter_3, axis_count };
  static inline const Axes axes = {{"A", 12}, {"B", 8}, {"R", 13}, {"Q", 3}, {"T", 2}, {"H", 5}, {"F", 3}};

  /// What may occur besides axes, their blocks, padding and repetition.
  struct Extras {
    bool starts = true, windows = true, groups = true;
  };

  explicit Pairs(std::uint64_t seed) : random_(seed) {}
  Pairs(std::uint64_t seed, Extras extras) : random_(seed), extras_(extras) {}

  Pair next() {
    bool const tidy = one_in(2);  // nothing is dropped, shortened or repeated: the pairs that writes accept
    Pair p;
    List held, streamed;
    bool const few = !one_in(3);  // axes, that is: what goes wrong is then easier to read, and more of it fits
    for (int axis : {a_of_12, b_of_8, ragged_13, q_of_3}) {
      if (few ? !one_in(3) : one_in(3)) continue;
      Scheme const scheme = choose_scheme(axis, tidy);
      if (tidy || !one_in(10)) add_axis(held, axis, scheme, tidy, false);
      if (tidy || !one_in(12))
        add_axis(streamed, axis, one_in(4) ? choose_scheme(axis, tidy) : one_in(3) ? plain(axis) : scheme, tidy, true);
    }
    if (one_in(12) && extras_.windows) add_window(held, streamed);
    if (!tidy && one_in(12)) held.items.push_back(copies(2));
    if (!tidy && one_in(8)) add_axis(streamed, repeated_2, plain(repeated_2), true, true);
    if (!tidy && one_in(10)) streamed.items.push_back(copies(2));
    if (one_in(8)) streamed.items.push_back(mere_padding());
    if (one_in(8)) held.items.push_back(mere_padding());
    shuffle(held.items);
    if (one_in(3)) streamed.items = like(held.items, streamed.items);
    else shuffle(streamed.items);
    for (int n = extras_.groups && one_in(10) ? 1 + one_in(4) : 0; n > 0; --n) group(streamed);
    for (int n = extras_.groups && one_in(14) ? 1 + one_in(4) : 0; n > 0; --n) group(held);

    split_buffers(p, held);
    split_terms(p, streamed);
    return p;
  }

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(n))); }

 private:
  /// An axis before it is cut: its text, positions and start.
  struct Scheme {
    std::string text;
    std::int64_t total, live, start = 0;
  };

  static Scheme plain(int axis) {
    Axis const& a = axes[static_cast<std::size_t>(axis)];
    return {a.name, a.extent, a.extent};
  }
  Scheme choose_scheme(int axis, bool tidy) {
    Scheme s = plain(axis);
    std::int64_t const extent = s.total;
    switch (below(tidy || !extras_.starts ? 8 : 16)) {
      case 0:
      case 1: pad(s); break;
      case 2:
        if (axis == ragged_13) s.total = 16, s.text += " # 16";
        break;
      case 9: {
        std::int64_t const n = 1 + below(3);
        s.text += " #< " + std::to_string(n);
        s.total += n, s.live += n;
        s.start = -n;
        if (one_in(2)) pad(s);
        break;
      }
      case 10:
      case 11: {
        std::int64_t const k = 1 + below(extent - 1);
        s.text += " @ " + std::to_string(k);
        s.start = k;
        break;
      }
      case 12: {
        s.total = s.live = 1 + below(extent);
        s.text += " = " + std::to_string(s.total);
        break;
      }
      default: break;
    }
    return s;
  }
  void pad(Scheme& s) {
    std::int64_t const to[] = {s.total + 1, s.total + 2, (s.total + 3) / 4 * 4, (s.total + 7) / 8 * 8};
    s.total = to[below(4)];
    s.text += " # " + std::to_string(s.total);
  }

  /// Cuts an axis into up to three items: e / d, e % d / c, e % d % c.
  void add_axis(List& list, int axis, const Scheme& s, bool tidy, bool stream) {
    std::vector<Item> parts;
    std::int64_t outer_block = divisor(s.total), inner_block = divisor(outer_block);
    // A start stands on the outer part. Where there is none, because the block takes in the whole axis, it would stand on the inner one: not cut here.
    if (s.start > 0 && outer_block == s.total) outer_block = inner_block = 1;
    if (s.start < 0 && outer_block >= s.live) outer_block = inner_block = 1;
    auto const part = [&](const std::string& text, std::int64_t stride, std::int64_t size) {
      if (size > 1 || (parts.empty() && s.start != 0)) parts.push_back({text, size, size, {{axis, stride, size, size}}});
    };
    std::string const d = std::to_string(outer_block), c = std::to_string(inner_block);
    part(outer_block == 1 ? s.text : s.text + " / " + d, outer_block, s.total / outer_block);
    if (s.live < s.total && outer_block == 1 && !parts.empty()) parts[0].live = parts[0].counts[0].size = s.live;
    part(s.text + " % " + d + " / " + c, inner_block, outer_block / inner_block);
    part(s.text + " % " + d + " % " + c, 1, inner_block);
    list.start[static_cast<std::size_t>(axis)] += s.start;
    for (Item& i : parts) {
      bool const holds_start = &i == &parts[0] && s.start != 0;
      if (!tidy && !holds_start && one_in(16)) continue;
      if (!tidy && one_in(14) && i.slot > 1) shorten(i);
      if (!tidy && stream && extras_.starts && s.start >= 0 && one_in(40) && &i != &parts[0]) begin_later(list, i);
      if (one_in(14)) lengthen(i);
      list.items.push_back(i);
    }
  }
  void shorten(Item& i) {
    i.slot = 1 + below(i.slot);
    i.text += " = " + std::to_string(i.slot);
    i.live = i.counts[0].size = std::min(i.live, i.slot);
  }
  void lengthen(Item& i) {
    i.slot += 1 + below(3);
    i.text += " # " + std::to_string(i.slot);
  }
  void begin_later(List& list, Item& i) {
    if (i.slot < 2) return;
    std::int64_t const k = 1 + below(i.slot);
    i.text += " @ " + std::to_string(k);
    list.start[static_cast<std::size_t>(i.counts[0].axis)] += k * i.counts[0].stride;
  }
  std::int64_t divisor(std::int64_t n) {
    std::vector<std::int64_t> all;
    for (std::int64_t d = 1; d <= n; ++d)
      if (n % d == 0) all.push_back(d);
    return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
  }

  /// A window in the buffer; in the stream the same window, or its members one by one, or what is left of it when a part of the filter stands outside.
  void add_window(List& held, List& streamed) {
    std::int64_t const step = 1 + below(2);
    held.items.push_back(window(step, 3, filter_3));
    switch (below(4)) {
      case 0: streamed.items.push_back(window(step, 3, filter_3)); break;
      case 1: streamed.items.push_back(window(3 - step, 3, filter_3)); break;
      case 2: streamed.items.push_back({"F", 3, 3, {{filter_3, 1, 3, 3}}}); [[fallthrough]];
      default: streamed.items.push_back({"H", 5, 5, {{window_5, 1, 5, 5}}}); break;
    }
    if (one_in(4)) lengthen(streamed.items.back());
  }
  static Item window(std::int64_t step, std::int64_t size, int filter) {
    std::int64_t const span = 1 + 4 * step + (size - 1);
    std::string const text = "$(H:" + std::to_string(step) + ", F)";
    return {text, span, span, {{window_5, 1, 5, 5, step}, {filter, 1, size, size, 1}}};
  }

  static Item copies(std::int64_t n) { return {std::to_string(n), n, n}; }
  Item mere_padding() {
    std::int64_t const n = 2 + below(3);
    return {"1 # " + std::to_string(n), n, 1};
  }

  /// Two or three neighbours, padded as a whole.
  void group(List& list) {
    if (list.items.size() < 2) return;
    std::size_t const n = list.items.size() > 2 && one_in(2) ? 3 : 2;
    std::size_t const at = static_cast<std::size_t>(below(static_cast<std::int64_t>(list.items.size() - n + 1)));
    Item g{"[", 1, 1};
    for (std::size_t i = at; i < at + n; ++i) {
      g.text += (i > at ? ", " : "") + list.items[i].text;
      g.live *= list.items[i].slot;
      g.group.push_back(list.items[i]);
    }
    g.slot = g.live + 1 + below(4);
    g.text += "] # " + std::to_string(g.slot);
    list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(at), list.items.begin() + static_cast<std::ptrdiff_t>(at + n));
    list.items.insert(list.items.begin() + static_cast<std::ptrdiff_t>(at), g);
  }

  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  }
  /// The items in the order in which the buffer has their axes, as far as it has them.
  static std::vector<Item> like(const std::vector<Item>& order, std::vector<Item> items) {
    auto const rank = [&](const Item& i) {
      if (i.counts.empty()) return order.size();
      for (std::size_t k = 0; k < order.size(); ++k)
        if (!order[k].counts.empty() && order[k].counts[0].axis == i.counts[0].axis) return k;
      return order.size();
    };
    auto const before = [&](const Item& x, const Item& y) { return rank(x) < rank(y); };
    for (auto it = items.begin(); it != items.end(); ++it) std::rotate(std::upper_bound(items.begin(), it, *it, before), it, it + 1);
    return items;
  }

  static List part_of(const List& whole, std::size_t begin, std::size_t end) {
    List l;
    l.items.assign(whole.items.begin() + static_cast<std::ptrdiff_t>(begin), whole.items.begin() + static_cast<std::ptrdiff_t>(end));
    return l;
  }
  void split_buffers(Pair& p, const List& held) {
    std::size_t cuts = one_in(4) ? 1 + static_cast<std::size_t>(below(2)) : 0;
    std::size_t begin = 0;
    for (; cuts > 0 && begin < held.items.size(); --cuts) {
      std::size_t const end = begin + static_cast<std::size_t>(below(static_cast<std::int64_t>(held.items.size() - begin + 1)));
      p.buffers.push_back(part_of(held, begin, end));
      begin = end;
    }
    p.buffers.push_back(part_of(held, begin, held.items.size()));
    p.buffers.back().start = held.start;  // sums do not ask in which mapping a start stands
    p.unit.resize(p.buffers.size(), 1);
    for (std::size_t b = p.buffers.size() - 1; b-- > 0;) p.unit[b] = p.unit[b + 1] * p.buffers[b + 1].size() + (one_in(2) ? below(4) : 0);
  }
  void split_terms(Pair& p, const List& streamed) {
    std::size_t const n = streamed.items.size();
    std::size_t const border = static_cast<std::size_t>(below(static_cast<std::int64_t>(n + 1)));
    if (one_in(3)) {
      for (std::size_t i = 0; i < n; ++i) p.terms.push_back(part_of(streamed, i, i + 1));
      if (n == 0) p.terms.emplace_back();
      p.packet_from = border;
    } else {
      p.terms = {part_of(streamed, 0, border), part_of(streamed, border, n)};
      p.packet_from = 1;
    }
    p.terms.back().start = streamed.start;
  }

  tcp::Random random_;
  Extras extras_{};
};

}  // namespace brute
