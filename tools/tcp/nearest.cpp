// Orders names by how many letters they differ from the one that was asked for.
#include "nearest.hpp"

#include <algorithm>

namespace tcp::tool {
namespace {

constexpr std::size_t longest_name = 200;  // the comparison takes the product of both lengths
constexpr std::size_t most = 4;

/// How many letters must be added, removed or changed.
std::size_t letters_apart(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const kept = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, kept});
    }
  }
  return row[b.size()];
}

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
    std::size_t const distance = letters_apart(asked, name);
    if (holds || distance <= name.size() / 3) candidates.push_back({holds ? 0 : distance, name});
  }
  std::sort(candidates.begin(), candidates.end());
  std::vector<std::string> out;
  for (Candidate const& c : candidates)
    if (out.size() < most) out.push_back(c.name);
  return out;
}

}  // namespace tcp::tool
