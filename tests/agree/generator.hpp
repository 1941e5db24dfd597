// Programs from seeds.
//
// A program is made by one of several families; each stands for a part of the machine and makes its choices at random: axes and their sizes, where their factors
// lie and in which order, padding and its kinds, types, operations and their modes, operands, numbers. Most programs are valid by construction; where a rule has
// a limit that is easier asked than foreseen, a family asks the rule and leaves the stage out. What the verifier refuses all the same is counted by its code.
#pragma once

#include "draft.hpp"

namespace tcp::agree {

/// A program for a seed; one seed gives one program, on every machine.
Program generate(std::uint64_t seed);

/// A program that was written down, on the device that the first line of its text names (`// rngd`), with arguments from a seed.
Expected<Program> from_text(const std::string& text, const std::string& name, std::uint64_t seed);

// The families.
void make_moves(Draft& d);        // layouts, broadcasts, transpositions, padding, HBM, DM, SPM, host; tiles and reshapes
void make_rows(Draft& d);         // gather and scatter
void make_chips(Draft& d);        // shuffles of chips and clusters, slices by chip
void make_views(Draft& d);        // passes from and into tiles, memset, slice masks, the sub context's copies
void make_vector(Draft& d);       // fetch, switch, collect, the vector engine, cast, transpose, commit
void make_contraction(Draft& d);  // to_trf, align, contract, accumulate, and what may follow
void make_convolution(Draft& d);  // windows that the stream adapter shifts through
void make_mapped(Draft& d);       // products as formulas, by a mapping of those that a search schedules

}  // namespace tcp::agree
