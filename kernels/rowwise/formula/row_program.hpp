// A row formula as nodes, each of which is computed once, and how nodes share passes through the Vector Engine.
#pragma once

#include <optional>
#include <vector>

#include "kernels/rowwise/spread/spread.hpp"
#include "tcp/formula/formula.hpp"

namespace tcp::kernels {

/// What a node has one number for.
enum class RowNodeKind : std::uint8_t { number, row, column, matrix };

struct RowNode {
  formula::Operation operation = formula::Operation::number;
  RowNodeKind kind = RowNodeKind::number;
  f32 number{};                // number
  int tensor = -1;             // read
  int a = -1, b = -1, c = -1;  // arguments; a reduction has one
  bool operator==(const RowNode& o) const {
    return operation == o.operation && kind == o.kind && number.bits == o.number.bits && tensor == o.tensor && a == o.a && b == o.b &&
           c == o.c;
  }

  bool reduces() const { return operation == formula::Operation::sum || operation == formula::Operation::max_over; }
};

/// The ALUs and stages of a pass that are taken. Each is there once; the divider comes after the float ALUs, and the
/// limits after the divider, eight lanes at a time.
namespace row_alu {
enum : unsigned {
  fma = 1,
  fpu = 2,
  exponent = 4,
  mul0 = 8,
  mul1 = 16,
  stash = 32,
  divider = 64,
  clip_min = 128,
  clip_max = 256,
  clip_add = 512
};
inline constexpr unsigned clips = clip_min | clip_max | clip_add;
}  // namespace row_alu

struct RowProgram {
  formula::Formula formula;
  std::int64_t rows = 0, columns = 0;
  std::vector<RowNode> nodes;  // arguments before what is made of them
  int result = -1;

  const RowNode& node(int n) const { return nodes[static_cast<std::size_t>(n)]; }
  /// The argument that streams through the engine, the other one, and what is added to their product; -1: none.
  int streamed(int n) const;
  int other(int n) const;
  int added(int n) const { return node(n).c; }
  /// Two matrices that take turns in one stream.
  bool zips(int n) const;
  /// The ALUs that a node takes in a pass which has used some; nothing if it cannot be in that pass.
  std::optional<unsigned> alus(int n, unsigned used, bool reducing) const;

  /// How a pass gets to a node: from the argument's tensor, from the node's own one made by an earlier pass, or on from
  /// the argument in the same pass.
  enum class From : std::uint8_t { own_tensor, argument_tensor, argument };
  struct Way {
    From from = From::argument;
    unsigned used = 0;
  };
  Way way(int n, bool reducing) const;

  /// What the passes of all nodes together need.
  struct Uses {
    RowNeeds needs;
    std::vector<int> columns;  // nodes: numbers of columns that meet a stream
    int reductions = 0;
  };
  Uses uses() const;
};

/// Refused: kernel-row-formula, and what formula::check_sizes refuses.
Expected<RowProgram> row_program(const formula::Formula& formula, Where at = {});

}  // namespace tcp::kernels
