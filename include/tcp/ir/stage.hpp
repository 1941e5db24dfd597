// The stages of a pass: what each engine was asked to do, and the stream that the author declared to come out of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tcp/device/tensor_unit.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/rules/stage_kind.hpp"
#include "tcp/rules/switch_config.hpp"
#include "tcp/rules/vector_state.hpp"
#include "tcp/support/id.hpp"

namespace tcp::ir {

struct Tensor;
struct Command;
using MapId = Id<Mapping, 0>;  // 0 is m![1]
using TensorId = Id<Tensor>;
using CommandId = Id<Command>;
inline constexpr None none{};

/// A stream between two stages.
struct Shape {
  ScalarType type = ScalarType::i32;
  MapId chip{}, cluster{}, slice{}, row{}, time{}, packet{};

  /// The mapping of a level; m![1] for Element, which no stream has.
  constexpr MapId at(Level level) const {
    switch (level) {
      case Level::chip: return chip;
      case Level::cluster: return cluster;
      case Level::slice: return slice;
      case Level::row: return row;
      case Level::time: return time;
      case Level::packet: return packet;
      default: return {};
    }
  }
  bool operator==(const Shape&) const = default;
};

/// 16 or 256 entries of the output type, by the unsigned value of the index.
struct LookupTable {
  std::string name;
  ScalarType from = ScalarType::i8, to = ScalarType::i8;
  std::vector<std::uint32_t> bits;
};

struct Fetch {
  int table = none;  // into Module::tables
  std::vector<std::int64_t> zero_points;
};
struct Switch {
  SwitchConfig config{};
};
struct Collect {};
struct Align {
  TensorId trf{};
};
struct Contract {
  ContractOp op = ContractOp::Add;
};
struct Accumulate {
  AccumulationKind kind = AccumulationKind::Interleaved;
};
struct VectorInit {};
struct VectorFinal {};
struct Cast {};
struct Transpose {};
struct CommitCast {};
struct CommitCastRelu {};  // what is negative becomes 0 before the cast

/// Where an argument of an operation comes from, beside the stream.
struct Operand {
  OperandShape shape{};  // an immediate's value is in its bits
  TensorId vrf{};

  bool operator==(const Operand&) const = default;
};

/// One step of the vector engine: an operation with its operands, or a change of type or width.
struct VectorOperation {
  VectorStep step{};
  std::vector<Operand> operands;
};
struct Branch {
  BranchMode mode{};
  TensorId vrf{};  // BranchMode::Vrf: the log to read
};
struct BranchLog {
  TensorId vrf{};  // where the execution ids go
};
struct WriteOperand {
  TensorId vrf{};        // where the stream's elements go, to be read again at a later time step
  OperandGuard guard{};  // execution ids that write
};
struct Stash {};
struct Unzip {
  Name axis{};
  MapId tile_time{};
};
struct Filter {
  OperandGuard keep{};  // execution ids that pass
  TensorId count{};     // VRF word that takes the number of lanes kept, if asked for
};
struct IntraSliceReduce {
  Name axis{};
  ReduceOp op = ReduceOp::Add;
};
struct InterSliceReduce {
  ReduceOp op = ReduceOp::Add;
};

// Sinks: a pass ends in one of them.
struct Commit {
  TensorId destination{};
  std::optional<SliceMask> slices;  // narrows the slices that write
  bool pack_valid = false;          // valid-count packing
};
struct ToTrf {
  TensorId destination{};
};
struct ToVrf {
  TensorId destination{};
};

template <class None, class... Record>
struct StageRecords {
  using type = std::variant<Record...>;
};

/// What a stage does: one of the records of rules/stages.def, in its order.
using StageRecord = StageRecords<void
#define TCP_STAGE(RECORD, ...) , RECORD
#include "tcp/rules/stages.def"
                                 >::type;

constexpr StageKind kind_of(const StageRecord& record) { return static_cast<StageKind>(record.index()); }

/// The record of a stage that has no fields.
StageRecord plain_stage(StageKind kind);

struct Stage {
  StageRecord what;
  Shape out{};  // declared; of a sink, what went in
  Where at{};
};

}  // namespace tcp::ir
