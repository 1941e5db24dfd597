// Whether an executor may run a program: what it can rely on, beyond a form that is right.
//
// Programs from files are checked before anything walks them; those that lowering makes pass. Held to: numbers that
// name something (tables, texts, loops, slices, operations), sizes that hardware has, walks that stay inside their
// memories, and counts that agree with each other. Not held to: that it does what its author meant.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::program {

/// Takes time in proportion to the program's records, never to what they walk through.
Verdict check(const Program& program, const Device& device);

}  // namespace tcp::program
