// What streams and buffers hold, position by position, and whether some loop nest walks one in the order of the other.
//
// It shares nothing with the library but the notation. A mapping is kept as the items of its comma list, each with its text and its meaning: the steps of
// an axis that it counts, how many positions it takes, how many of them are live. What lies at a position is read off by dividing the position by the
// items' sizes, from the inside out; coordinates are summed over all mappings of a side, and a sum outside of its axis is padding.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <vector>

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

}  // namespace brute
