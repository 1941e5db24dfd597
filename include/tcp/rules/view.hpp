// Other looks at a tensor: which reshapes keep it what it is. (Tiles are mapping/view.hpp's: the algebra alone decides them.)
#pragma once

#include "tcp/rules/collect.hpp"
#include "tcp/rules/shuffle.hpp"

namespace tcp {

/// The same positions under other indices. Law: a position holds an element in `to` iff it holds one in `from`.
constexpr Verdict check_reshape(const Levels& from, const Levels& to, Where at = {}) {
  if (auto v = check_levels(to, at); !v) return v;
  for (int i = 0; i < level_count; ++i) {
    Mapping const &is = from.at[i], &becomes = to.at[i];
    if (is.size != becomes.size)
      return refuse("reshape-size", at)
          .what("a reshape of ", name_of(static_cast<Level>(i)), " ", is, " with ", is.size, " positions into ", becomes, " with ",
                becomes.size)
          .why("a reshape moves nothing: every position keeps its place and gets another name")
          .help("give ", name_of(static_cast<Level>(i)), " ", is.size, " positions");
    if ((detail::has_window(is) || detail::has_window(becomes)) && !equivalent(is, becomes))
      return refuse("reshape-window", at)
          .what("a reshape of ", name_of(static_cast<Level>(i)), " ", is, " into ", becomes, ", one of which slides a window")
          .why("a place of a window belongs to several elements, and a reshape gives each place one name")
          .help("declare the window on the tensor that comes from the host: it stays one through transfers, and passes read it");
    if (!detail::same_places(is, becomes))
      return refuse("reshape-padding", at)
          .what("a reshape of ", name_of(static_cast<Level>(i)), " ", is, " into ", becomes, ", which has its padding elsewhere")
          .why("what is padding holds nothing that could be named, and what holds something must not be forgotten")
          .help("pad both alike, or move the elements by a transfer");
  }
  return accept();
}

}  // namespace tcp
