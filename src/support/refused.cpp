// What an exception of a refusal says.
#include "tcp/support/refused.hpp"

#include <algorithm>

#include "tcp/support/render.hpp"

namespace tcp {

Refused::Refused(const Refusal& r) : refusal_(r) {
  std::string const all = render(r);
  std::copy_n(all.begin(), std::min<std::size_t>(all.size(), room), what_);
}

}  // namespace tcp
