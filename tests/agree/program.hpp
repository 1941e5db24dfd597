// What a corpus is made of: programs, and the numbers that go into them and come out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/ir/module.hpp"

namespace tcp::agree {

/// A tensor as the host sees it: bits by index, the last axis fastest. An axis that it lacks is one along which all elements are the same.
struct Numbers {
  struct Axis {
    Name name{};
    std::int64_t size = 1;
  };

  ScalarType type = ScalarType::i32;
  std::vector<Axis> axes;
  std::vector<std::uint32_t> bits;
  std::vector<bool> undefined;  // empty: all are defined

  std::size_t offset(const Index& index) const {
    std::int64_t at = 0;
    for (const Axis& a : axes) at = at * a.size + index.get(a.name);
    return static_cast<std::size_t>(at);
  }
  bool holds(const Index& index) const {
    for (const Axis& a : axes)
      if (index.get(a.name) < 0 || index.get(a.name) >= a.size) return false;
    return true;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(bits.size()); }
  Index index_of(std::int64_t i) const {
    Index index;
    for (auto a = axes.rbegin(); a != axes.rend(); ++a) {
      index.add(a->name, i % a->size);
      i /= a->size;
    }
    return index;
  }
  bool defined(std::size_t i) const { return undefined.empty() || !undefined[i]; }
};

/// One program of the corpus: all that follows from a seed.
struct Program {
  std::uint64_t seed = 0;
  std::string family;  // the part of the generator that made it
  const Device* device = nullptr;
  ir::Module module;
  std::vector<Numbers> arguments;  // in the order of Module::arguments
};

/// What became of a run: the results in the order of Module::results, or the code of the refusal at run time.
struct Ran {
  std::string refused;  // empty: it ran
  std::string says;     // the sentence of that refusal
  std::string limit;    // not empty: the code of the limit of the chip that keeps the program from being lowered; nothing was run
  std::vector<Numbers> results;
};

}  // namespace tcp::agree
