// Orders names by how many letters they differ from the one that was asked for.
#include "nearest.hpp"

#include <algorithm>

#include "tcp/support/edit_distance.hpp"

namespace tcp::tool {
namespace {

constexpr std::size_t longest_name = 200;  // the comparison takes the product of both lengths
constexpr std::size_t most = 4;

struct Candidate {
  std::size_t distance;
  std::string name;
  bool operator<(const Candidate& o) const { return distance != o.distance ? distance < o.distance : name < o.name; }
};

}  // namespace

std::vector<std::string> nearest(const std::string& asked, const std::vector<std::string>& names) {
  if (asked.size() > longest_name) return {};
  std::vector<Candidate> candidates;
  for (std::string const& name : names) {
    bool const holds = asked.size() >= 3 && name.find(asked) != name.npos;
    std::size_t const distance = edit_distance(asked, name);
    if (holds || distance <= name.size() / 3) candidates.push_back({holds ? 0 : distance, name});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> out;
  for (Candidate const& c : candidates)
    if (out.size() < most) out.push_back(c.name);
  return out;
}

}  // namespace tcp::tool
