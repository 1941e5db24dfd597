// A stable sort of a handful of things: std::stable_sort asks for a buffer, by a function that libstdc++ calls
// deprecated.
#pragma once

#include <algorithm>

namespace tcp {

template <class List, class Before>
void sort_stably(List& list, Before before) {
  for (auto it = list.begin(); it != list.end(); ++it) std::rotate(std::upper_bound(list.begin(), it, *it, before), it, it + 1);
}

}  // namespace tcp
