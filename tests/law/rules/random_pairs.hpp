// Random streams and buffers over the same few axes, often enough of a kind that a sequencer can walk from one to the other.
#pragma once

#include "law/rules/brute_force.hpp"
#include "tcp/support/random.hpp"

namespace brute {

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
    std::stable_sort(items.begin(), items.end(), [&](const Item& x, const Item& y) { return rank(x) < rank(y); });
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
