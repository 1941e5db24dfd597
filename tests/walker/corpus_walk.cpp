// The walker over the random corpus: what the rules accept lowers, or is refused with a code of lowering; what lowers, the walker follows.
//
//   walker_corpus --seed 1 --count 5000            the seed of the first program, and how many
//   walker_corpus --seed 4711 --count 1 --print    one program again, after a disagreement
//   walker_corpus ... --report                     the outcomes, counted
//   walker_corpus ... --limits FILE                fails on a code of lowering that the page does not list
//   walker_corpus ... --mutate                     spoils each program in every way of mutations.hpp; fails if a way is seldom noticed
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

#include "../agree/generator.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/support/bug.hpp"
#include "tcp/support/render.hpp"
#include "walker.hpp"

namespace tcp::walker {
namespace {

struct Asked {
  std::uint64_t seed = 1, count = 100;
  bool report = false, print = false, all = false, mutate = false;
  std::string limits;
};

struct Outcomes {
  std::map<std::string, std::int64_t> count;
  std::int64_t places = 0, passes = 0;
};

/// Empty if all is well.
std::string followed(const agree::Program& program, Outcomes& outcomes, const std::string& limits, bool one) {
  auto const verified = ir::verify(program.module, *program.device);
  if (!verified) {
    ++outcomes.count["refused by the rules"];
    return {};
  }
  auto const placed = ir::placed(*verified);
  auto const lowered = placed ? lower::lower(*placed) : Expected<program::Program>(placed.refusal());
  if (!lowered) {
    std::string const code = lowered.refusal().code;
    ++outcomes.count["refused by lowering: " + code];
    if (one) std::cout << render(lowered.refusal()) << '\n';
    if (!limits.empty() && limits.find("`" + code + "`") == std::string::npos)
      return "refused with " + code + ", which docs/limits.md does not list";
    return {};
  }
  ++outcomes.count["lowered"];
  Walked const walked = walk(*placed, *lowered);
  outcomes.places += walked.places;
  outcomes.passes += walked.passes;
  return walked.says;
}

/// True if the program has one of the two outcomes, and the walker agrees.
bool tried(std::uint64_t seed, const Asked& asked, const std::string& limits, Outcomes& outcomes) {
  agree::Program const program = agree::generate(seed);
  if (asked.print) std::cout << ir::print(program.module);
  std::string says;
  try {
    says = followed(program, outcomes, limits, asked.count == 1);
  } catch (const std::exception& bug) {
    says = std::string("a Bug: ") + bug.what();
  }
  if (says.empty()) return true;
  std::cout << "seed " << seed << " (" << program.family << "): " << says << "\n  again: walker_corpus --seed " << seed
            << " --count 1 --print\n";
  return false;
}

int run(const Asked& asked) {
  Outcomes outcomes;
  std::string limits;
  if (!asked.limits.empty()) {
    std::ifstream in(asked.limits);
    std::ostringstream text;
    text << in.rdbuf();
    limits = text.str();
    if (limits.empty()) {
      std::cout << "cannot read " << asked.limits << '\n';
      return EXIT_FAILURE;
    }
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < asked.count && (asked.all || wrong < 10); ++i)
    wrong += tried(asked.seed + i, asked, limits, outcomes) ? 0 : 1;
  if (asked.report)
    for (const auto& [what, count] : outcomes.count) std::cout << count << ' ' << what << '\n';
  std::cout << asked.count << " programs from seed " << asked.seed << ": " << outcomes.passes << " passes, " << outcomes.places
            << " places, " << wrong << " disagree\n";
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

struct Lowered {
  ir::Verified placed;
  program::Program program;
};
std::optional<Lowered> lowered(const ir::Verified& verified) {
  auto placed = ir::placed(verified);
  if (!placed) return {};
  auto made = lower::lower(*placed);
  if (!made) return {};
  return Lowered{*std::move(placed), *std::move(made)};
}

/// Every way to spoil a program must be noticed in most of the places where it can be done; some places do not matter.
int spoil(const Asked& asked) {
  std::map<std::string, std::pair<int, int>> noticed;  // and how often it was done
  for (const Mutation& m : mutations()) noticed[m.name] = {0, 0};
  for (std::uint64_t i = 0; i < asked.count; ++i) {
    agree::Program const program = agree::generate(asked.seed + i);
    auto const verified = ir::verify(program.module, *program.device);
    if (!verified || work(*verified) > 100'000) continue;
    auto const made = lowered(*verified);
    for (const Mutation& m : mutations()) {
      if (!made) break;
      for (std::size_t c = 0; c < made->program.commands.size(); ++c) {
        program::Program spoiled = made->program;
        auto* exec = std::get_if<program::Exec>(&spoiled.commands[c].what);
        if (exec == nullptr || !m.apply(*exec)) continue;
        ++noticed[m.name].second;
        noticed[m.name].first += walk(made->placed, spoiled).says.empty() ? 0 : 1;
      }
    }
  }
  bool good = true;
  for (const auto& [name, counted] : noticed) {
    if (asked.report) std::cout << name << ": noticed " << counted.first << " of " << counted.second << '\n';
    if (counted.second > 0 && counted.first * 3 > counted.second) continue;  // in some programs a mistake does no harm
    std::cout << "seldom noticed: " << name << ", " << counted.first << " of " << counted.second << '\n';
    good = false;
  }
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

Asked asked_for(int count, char** words) {
  Asked a;
  for (int i = 1; i < count; ++i) {
    std::string_view const word = words[i];
    bool const more = i + 1 < count;
    if (word == "--seed" && more) a.seed = std::strtoull(words[++i], nullptr, 10);
    else if (word == "--count" && more) a.count = std::strtoull(words[++i], nullptr, 10);
    else if (word == "--limits" && more) a.limits = words[++i];
    else if (word == "--report") a.report = true;
    else if (word == "--print") a.print = true;
    else if (word == "--all") a.all = true;
    else if (word == "--mutate") a.mutate = true;
    else std::cout << "unknown: " << word << '\n';
  }
  return a;
}

}  // namespace
}  // namespace tcp::walker

int main(int count, char** words) {
  tcp::walker::Asked const asked = tcp::walker::asked_for(count, words);
  return asked.mutate ? tcp::walker::spoil(asked) : tcp::walker::run(asked);
}
