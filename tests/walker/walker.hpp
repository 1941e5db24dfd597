// A second opinion on lowering: the walker does literally what a program says and compares every place with the mappings.
//
// It shares no code with src/lower, sim or the rules' derivations. It knows two things: what each record of program.hpp means, as its comments say; and what
// each stage's stream holds, from the mappings in the module. Between two stages nothing is carried over but the kind of what lies at a place, so a wrong
// configuration is found at the stage that has it:
//
//     fetch, commit     every access of every slice: its address is the place of the element that the stream's mapping names there; masked elements are those
//                       of zero padding; all that is to be written is, once, and nothing else
//     switch            the route of every slice at every step, and the bitmap that lets it through
//     collect, cast,
//     transpose         where each element of each flit comes from
//     register files    rows, bytes, and the walks of those who read them
//     contraction       the adapter's element and the weight of every lane of every step, the lanes that are zero, the sum that each product goes to
//     vector            changes of width, groups, execution ids by axis, counts of every flit of every slice, what a reduce folds, within a slice and across
//
// Numbers are not computed: what operations do to values is the simulator's to show.
#pragma once

#include <string>
#include <vector>

#include "tcp/ir/verify.hpp"
#include "tcp/program/program.hpp"

namespace tcp::walker {

struct Walked {
  std::string says;         // empty: all places agree; else the first that does not
  std::int64_t places = 0;  // that were compared
  std::int64_t passes = 0;  // of the Tensor Unit; others are not looked at
};

/// `module`: with its tensors placed, as the program was made from.
Walked walk(const ir::Verified& placed, const program::Program& program);

/// The places of all streams of a module, roughly: how long a walk takes.
std::int64_t work(const ir::Verified& verified);

// Small mistakes in configurations, to see whether the walker notices them: a check that never fails is none.

struct Mutation {
  std::string name;
  bool (*apply)(program::Exec& e);  // false: there is nothing to spoil
};

const std::vector<Mutation>& mutations();

}  // namespace tcp::walker
