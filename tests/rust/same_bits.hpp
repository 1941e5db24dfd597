// A kernel in C++ and the same one in Rust or as text: the same arguments give the same bits.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "running.hpp"

namespace tcp::emitted {

using Bits = std::vector<std::uint32_t>;

/// The bits of each result, in an order that does not depend on that of the results.
inline std::vector<Bits> results_of(const ir::Module& module, std::vector<reference::Value> arguments) {
  auto const verified = rust::verified(module);
  if (!verified) {
    ADD_FAILURE() << render(verified.refusal());
    return {};
  }
  tool::RunHow how;
  how.backend = BackendKind::vector;
  auto const outcome = tool::run_module(*verified, std::move(arguments), how);
  if (!outcome) {
    ADD_FAILURE() << render(outcome.refusal());
    return {};
  }
  std::vector<Bits> results;
  for (const reference::Value& v : outcome->results) {
    Bits bits;
    for (std::int64_t i = 0; i < v.size(); ++i) bits.push_back(v[i].bits);
    results.push_back(std::move(bits));
  }
  std::sort(results.begin(), results.end());
  return results;
}

/// A value's numbers in their order, under the names that an argument has for its axes.
inline reference::Value named_as(const tool::Wanted& wanted, const reference::Value& value) {
  reference::Value out(wanted.type, wanted.axes);
  EXPECT_EQ(out.size(), value.size());
  for (std::int64_t i = 0; i < std::min(out.size(), value.size()); ++i) out[i] = value[i];
  return out;
}

/// `in_cpp` names its arguments by their number, as ArgumentMaker does; they stand in the order of their use.
inline std::vector<reference::Value> arguments_of(const ir::Module& in_cpp, const std::vector<reference::Value>& given) {
  std::vector<reference::Value> arguments;
  for (ir::TensorId id : in_cpp.arguments) {
    auto const number = static_cast<std::size_t>(std::stoi(in_cpp.tensor(id).name.substr(std::string("argument ").size())));
    if (number < given.size()) arguments.push_back(named_as(tool::wanted_for(in_cpp, id), given[number]));
    else ADD_FAILURE() << "no argument " << number;
  }
  return arguments;
}

/// Expects equal results of two modules, each given the arguments in the order of its parameters.
inline void expect_same_results(const ir::Module& original, const std::vector<reference::Value>& given, const ir::Module& in_cpp,
                                const std::vector<reference::Value>& given_in_cpp) {
  auto const wanted = results_of(original, given);
  EXPECT_FALSE(wanted.empty());
  EXPECT_TRUE(results_of(in_cpp, arguments_of(in_cpp, given_in_cpp)) == wanted);
}

/// The original may have some commands more; none: it does the same in other commands.
inline void expect_same_bits(const ir::Module& original, const ir::Module& in_cpp, std::optional<std::size_t> more_commands = 0) {
  auto const given = rust::random_arguments(original, 23);
  expect_same_results(original, given, in_cpp, given);
  if (more_commands) {
    EXPECT_EQ(in_cpp.commands.size() + *more_commands, original.commands.size());
  }
}

}  // namespace tcp::emitted
