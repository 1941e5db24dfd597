// A pass that has begun, with the mappings of the tensor that it reads: a text may name their axes.
#pragma once

#include "tcp/dsl/dynamic.hpp"

namespace tcp::python {

struct Begun {
  dyn::Begin begin;
  Levels levels;
};

}  // namespace tcp::python
