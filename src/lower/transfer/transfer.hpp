// What the files transfer*.cpp share: a move as steps that both of its sides take together.
//
// A step is a loop of which it is not yet said how it is run: so many rounds, and what one round moves on in the
// source, in the destination and in the table of row numbers. Not all combinations of rounds are meant: blocks end
// inside one another, axes end inside blocks. Bounds say which (steps.cpp); where they bite, the rounds fall into
// several boxes (segments.cpp), and each box into packets, loops and engines (stream.cpp).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "lower/pass.hpp"

namespace tcp::lower::transfer {

enum Role : std::size_t { reading, writing, indexing };

/// A tensor that takes part.
struct Side {
  Memory memory = Memory::Hbm;
  Levels levels{};
  bool view = false;
  std::int64_t address = 0;
  std::int64_t bits = 8;        // of an element
  Place first{};                // the unit where a view begins
  bool from_its_begin = false;  // a view that begins where its tensor does: what is between and after its elements is there to be read

  DmaTensor dma() const { return {memory, levels, view}; }
  bool sram() const { return memory == Memory::Dm || memory == Memory::Spm; }
};
Side side_of(const ir::Module& module, ir::TensorId id);
/// The side that is written: in a view of plain digits, padding that the tensor itself has there (rows that are padded
/// to whole units of HBM, of which the view shows some) is its own, and the rest belongs to other tensors.
Side written_side_of(const ir::Module& module, ir::TensorId id);

/// What one round moves on in one tensor.
struct Stride {
  Level level = Level::element;
  int digit = -1;              // of the level's mapping; -1: none, the round stays where it is
  std::int64_t skip = 0;       // steps of the digit
  std::int64_t positions = 0;  // of the level
};

struct Step {
  Name axis{};
  std::int64_t weight = 0;  // coordinates along the axis; 0: not counted
  std::int64_t size = 1;
  std::int64_t reach = 1;  // with padding that both sides own
  bool exact = false;      // its padding is never touched: there are no row numbers for it
  std::array<Stride, 3> on{};
};

/// Rounds are meant if low <= sum of weight * round < high.
struct Bound {
  struct Term {
    std::size_t step;
    std::int64_t weight;
  };
  std::vector<Term> terms;
  std::int64_t low = 0, high = 0;
};

/// How much more than elements is moved.
enum class Latitude : std::uint8_t {
  elements,     // nothing, but zeros that are promised
  blocks,       // what fills up blocks that both sides own
  runs,         // and padding between runs, so that they join
  whole_runs,   // and padding after the last of them
  read_beyond,  // as blocks, and reading beyond the source
  runs_beyond,  // as whole_runs, likewise
};

struct Rows {
  std::int64_t stride = 0, count = 0;
  Level level = Level::element;
  std::int64_t key_step = 1;
};

/// A transfer, whichever its kind.
struct Move {
  std::array<Side, 3> side{};
  std::vector<Step> steps;    // in the destination's order, outermost first
  std::vector<Bound> bounds;  // besides those of digits and axes
  std::vector<bool> in_run;   // by step: part of the bytes that lie together on both sides
  std::size_t run_end = 0;    // the last of them
  bool bounded_axes = true;   // false: coordinates of the source are not those of the destination
  std::optional<Rows> rows;
  bool scatter = false;
  bool pcie = false;
  std::vector<Steps> time_steps;  // the author's stream, outermost first; empty: ours
  std::vector<Name> time_axes;
  std::int64_t packet_elements = 0;

  bool shaped() const { return packet_elements > 0; }
  /// The memory beside an engine: the source's, if it has one.
  std::optional<Role> near() const {
    if (side[reading].sram()) return reading;
    return side[writing].sram() ? std::optional(writing) : std::nullopt;
  }
};

// steps.cpp
Move move_of(const Pairing& moves, const Side& from, const Side& to);
Move rows_of(const Gathered& found, const Side& table, const Side& index, const Side& picked, Name rows, bool scatter);
/// Cuts the step after each `inner` rounds.
void cut(Move& move, std::size_t step, std::int64_t inner);
std::vector<Bound> bounds_of(const Move& move, Latitude latitude);

// segments.cpp
struct Span {
  std::int64_t begin = 0, size = 1;
};
using Box = std::vector<Span>;  // by step
/// Law: the boxes are disjoint, and hold just the rounds that are meant. None if there would be more than `limit`.
std::optional<std::vector<Box>> segments(const Move& move, const std::vector<Bound>& bounds, Latitude latitude, std::size_t limit);

// order.cpp
/// A loop of an engine; strides in bits.
struct Round {
  std::int64_t size = 1;
  std::array<std::int64_t, 3> stride{};
  std::int64_t units = 0;  // slices or DMNs of the engine that it steps over; 0: it stays in one
  int place = -1;          // in the author's stream

  bool operator==(const Round&) const = default;
};

/// What a descriptor does at first, and how many others there are beside it.
struct Begin {
  std::array<std::int64_t, 3> address{};
  std::int64_t unit = 0;
  std::int64_t packet = 0;
  std::int64_t engines = 1;
};
std::vector<Round> best_order(const Device& device, const Move& move, const Begin& begin, const std::vector<Round>& rounds);

// stream.cpp
Expected<program::Dma> descriptors_of(const Device& device, std::int64_t chips, Move move, Where at);

// ranges.cpp
void add_dma_ranges(const Device& device, std::int64_t chips, const program::Dma& dma, program::Command& command);

}  // namespace tcp::lower::transfer
