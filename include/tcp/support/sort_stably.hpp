// Stable sorts: std::stable_sort asks for a buffer, by a function that libstdc++ calls deprecated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tcp {

/// Sorts a handful of things in their place, by insertion.
template <class List, class Before>
void sort_stably(List& list, Before before) {
  for (auto it = list.begin(); it != list.end(); ++it) std::rotate(std::upper_bound(list.begin(), it, *it, before), it, it + 1);
}

/// Sorts a list of any length by numbers of its elements.
template <class T, class Before>
void sort_many_stably(std::vector<T>& list, Before before) {
  std::vector<std::size_t> order(list.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return before(list[a], list[b]) || (a < b && !before(list[b], list[a])); });
  std::vector<T> sorted;
  sorted.reserve(list.size());
  for (std::size_t i : order) sorted.push_back(std::move(list[i]));
  list = std::move(sorted);
}

}  // namespace tcp
