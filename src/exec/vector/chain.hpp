// A chain: operations on elements that were asked for and are not done yet.
//
// From fetch to commit a pass is mostly operations that make an element of an element: casts, tables, zero points, the
// steps of the vector engine, branches and guards. None of them is done when its stage comes; it is noted as an
// instruction over registers, and when the stream is needed (a sink, a reduce, a filter) all instructions run together
// over blocks of lanes that stay in the first-level cache. So no tensor is written between two stages, what is never
// read is not computed, and the result is laid out as its destination wants it.
//
// A register is one number a lane, in cells of its type; execution ids take one byte.
#pragma once

#include <string>

#include "exec/vector/tensor.hpp"
#include "tcp/rules/vector.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::vector {

struct Instruction {
  enum class Kind : std::uint8_t {
    load,         // a tensor's elements
    constant,     // `bits`
    parity,       // ids: bit 3 is the coordinate of `axis`, modulo 2
    look_up,      // `table` at a
    cast,         // a into `type`
    zero_point,   // a less zero_point[0], or, of two, that of the coordinate of `axis`, into `type`
    compute,      // `step` of a, b, c
    compare,      // ids of a by the comparisons of `mode`
    ids_of_log,   // ids that an earlier pass wrote: the low bits of a
    log_of_ids,   // ids as i32
    choose,       // where the guard holds the id of c: a, else b
    doubt_by_id,  // a; undefined where the id of b is
    retype,       // the bits of a as `type`
    relu,         // a, or 0 where it is negative
  };

  Kind kind = Kind::load;
  ScalarType type = ScalarType::i32;  // of what it makes
  bool ids = false;                   // it makes ids
  int a = -1, b = -1, c = -1;         // registers
  int tensor = -1;
  std::uint32_t bits = 0;
  Name axis{};
  std::int64_t first = 0;  // what coordinate 0 of `axis` was before the stream was cut
  const std::vector<std::uint32_t>* table = nullptr;
  ScalarType from = ScalarType::i32;
  std::int32_t zero_point[2]{};
  int zero_points = 0;
  VectorStep step{};
  BranchMode mode{};
  OperandGuard guard{};
};

/// The execution ids of a stream: a register, or one number for all lanes.
struct Ids {
  int in = -1;
  std::uint32_t all = 0;
};

/// One operand of an operation: a register, or none.
struct OperandRegister {
  int in = -1;
  OperandGuard guard{};
};

class Chain {
 public:
  Chain() = default;
  explicit Chain(Tensor t);

  std::vector<AxisSize> axes;  // of what comes out
  std::vector<Tensor> tensors;
  std::vector<Instruction> code;
  int result = -1;

  ScalarType type() const { return code[static_cast<std::size_t>(result)].type; }
  bool has_axis(Name name) const;
  /// Whether nothing is computed: the chain is a tensor.
  bool is_tensor() const { return code[static_cast<std::size_t>(result)].kind == Instruction::Kind::load; }
  /// Needs: is_tensor().
  Tensor tensor() const;
  bool has_undefined() const;

  /// As `restricted`, `spread`, `cut` and `fixed_at` of a tensor.
  void restrict_to(const std::vector<AxisSize>& to);
  void spread_over(const std::vector<AxisSize>& more);
  void fix_at(Name axis, std::int64_t coordinate);

  /// Takes another chain's instructions in, and says which register its result is now.
  int take_in(const Chain& other);
  int load(const Tensor& t);
  int constant(ScalarType type, std::uint32_t bits);
  int add(const Instruction& i);

  // The stages of a pass; all change `result`.
  void look_up(const std::vector<std::uint32_t>& table, ScalarType to);
  void cast(ScalarType to);
  /// Needs: i32 or f32.
  void relu();
  /// The bits stay.
  void retype(ScalarType to);
  void subtract(const std::vector<std::int64_t>& zero_points, Name turns, ScalarType to);
  /// Operands in the order of their slots, those of a ternary operation in pairs. A lane that no slot claims, or whose
  /// group is skipped, passes unchanged.
  void operate(const VectorStep& step, const std::vector<OperandRegister>& operands, const Ids& ids);
  /// The operation with group 0 and 1 in two registers.
  void zip(const VectorStep& step, int group0, int group1);

 private:
  int computed(const VectorStep& step, int stream, int operand0, int operand1);
};

/// The type of the stream after a step.
ScalarType type_after(const VectorStep& step, ScalarType type);

/// Runs a chain. `threads`: how many may take part; the bits do not depend on it.
struct How {
  NumericModel model = NumericModel::rngd;
  int threads = 1;
};
/// The result as a tensor; nothing is copied if it is one already. Axes along which it is the same have stride 0.
Tensor made(const Chain& chain, const How& how);
/// The result into a tensor that is all the caller's, at every coordinate of it.
void store(const Chain& chain, Tensor& to, const How& how);

/// What is done, one word per instruction: "load cast AddF commit".
std::string words_of(const Chain& chain);

}  // namespace tcp::vector
