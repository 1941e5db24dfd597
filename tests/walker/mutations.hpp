// Small mistakes in configurations, to see whether the walker notices them: a check that never fails is none.
#pragma once

#include <string>
#include <vector>

#include "tcp/program/program.hpp"

namespace tcp::walker {

struct Mutation {
  std::string name;
  bool (*apply)(program::Exec& e);  // false: there is nothing to spoil
};

const std::vector<Mutation>& mutations();

}  // namespace tcp::walker
