// A recorded kernel as plain data: tensors, and commands over them in program order.
//
// A Module is what a kernel has recorded when it ran once in the front end, and what a compiler author builds by
// hand. Loops are unrolled, streams live inside one Pass only, every mapping is kept once (`maps`) and named by its
// number. Nothing in it is checked by construction: verify.hpp applies the rules of include/tcp/rules to a module,
// however it came to be.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tcp/device/memory.hpp"
#include "tcp/ir/stage.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/scalar/numeric_model.hpp"
#include "tcp/support/source_names.hpp"
#include "tcp/support/where.hpp"

namespace tcp::ir {

/// Who else knows the tensor.
enum class Role : std::uint8_t {
  temporary,  // this module alone
  argument,   // filled before the module runs
  result,     // read after it has run
  from_addr,  // whatever is at the address: undefined until written
};

/// Another look at a tensor's elements. A tile takes some steps of one factor of a level and counts them from 0; a
/// reshape gives the same positions to other indices; a relabelling names the positions of all levels anew, padding
/// too. A view has no address of its own: it moves with its tensor.
struct ViewOf {
  enum class Kind : std::uint8_t { whole, tile, reshape, relabel };

  TensorId tensor{};
  Kind kind = Kind::whole;
  MapId dimension{};  // tile: the factor of which `length` steps are seen, from `start` on
  std::int64_t length = 0, start = 0;

  /// True of looks that give other names to positions, and leave them where they are.
  bool renames() const { return kind == Kind::reshape || kind == Kind::relabel; }
};

struct Tensor {
  std::string name;  // for people
  Memory memory = Memory::Hbm;
  ScalarType type = ScalarType::i32;
  MapId chip{}, cluster{}, slice{}, row{}, element{};  // SPM: slice is its Pe; levels a memory lacks are m![1]
  std::optional<std::int64_t> address;                 // bytes; none: placed by us
  TrfAddress trf = TrfAddress::Full;
  Role role = Role::temporary;
  std::optional<ViewOf> view;
  Where at{};
};

/// One way through the Tensor Unit: from DM through the engines into DM, TRF or VRF.
struct Pass {
  Tu context = Tu::Main;
  bool dual = false;             // main takes the sub context's switch channel as well
  std::vector<TensorId> source;  // one DM tensor, or two that take turns
  Name turns{};                  // the axis of size 2 that tells the two apart
  std::vector<Stage> stages;     // Fetch first; the last is a sink
};

/// Memory to memory by DMA.
struct Transfer {
  enum class Kind : std::uint8_t { move, gather, scatter, chip_slice, chip_shuffle, cluster_shuffle };

  Kind kind = Kind::move;
  TensorId source{}, destination{};
  TensorId rows{};                        // gather, scatter: the index tensor
  Name row_axis{};                        // gather, scatter: which axis of the table its numbers count
  RowKeys keys = RowKeys::positions;      // gather, scatter: what the numbers are
  std::vector<std::int64_t> permutation;  // shuffles: out[c] = in[permutation[c]]; chip_slice: the first step that chip c takes
  MapId dimension{};                      // chip_slice: the factor of Element that is sliced, and how many steps of it a chip takes
  std::int64_t length = 0;
  std::optional<MapId> time, packet;  // the stream's shape, where the author insists
};

/// Host to HBM or back, over PCIe.
struct HostTransfer {
  TensorId source{}, destination{};
};

/// One 32-bit word into all of a DM tensor.
struct Memset {
  TensorId destination{};
  std::uint32_t word = 0;
};

struct Command {
  std::variant<Pass, Transfer, HostTransfer, Memset> what;
  Where at{};
  int region = none;  // into Module::regions
};

/// An iteration that the author marked for reports.
struct Region {
  std::string name;
  std::int64_t index = 0;
  int inside = none;
  bool kept = false;  // a round of a loop that is not unrolled: the vendor's schedule moves nothing into it, out of it or past it
};

struct Module {
  std::string name;
  std::int64_t chips = 1;
  NumericModel numeric = NumericModel::rngd;
  Indexed<Mapping, MapId> maps{Mapping{}};  // 0 is m![1]
  Indexed<Tensor, TensorId> tensors;
  Indexed<Command, CommandId> commands;
  std::vector<TensorId> arguments, results;
  std::vector<Region> regions;
  std::vector<LookupTable> tables;
  std::vector<std::shared_ptr<const std::string>> files;  // what Where::file points to, if it was read from text; copies share it

  std::unordered_map<std::uint64_t, std::vector<MapId>> maps_by_hash;  // of intern()

  /// The number of a mapping, added if it is new.
  MapId intern(const Mapping& m);
  const Mapping& map(MapId id) const { return maps[id]; }
  const Tensor& tensor(TensorId id) const { return tensors[id]; }

  /// Chip, Cluster, Slice, Row and Element of a tensor.
  Levels levels(const Tensor& t) const;
  /// Chip, Cluster, Slice, Row, Time and Packet of a stream.
  Levels levels(const Shape& s) const;

  /// The tensor that a view, or a view of a view, looks at.
  TensorId root_of(TensorId id) const;
  /// True of a tensor, and of all of it under other names, where it is.
  bool is_whole(TensorId id) const;
  /// Where a tensor begins, a view where its first position is. None while it is not placed. Needs: a module whose
  /// views verify accepts.
  std::optional<std::int64_t> address_of(TensorId id) const;
  /// The chip, cluster and slice that are the first of a view, in the tensor it is of. Needs: the same.
  Place first_unit(TensorId id) const;
};

/// The tensors that a command writes.
std::vector<TensorId> written_by(const Command& command);
/// The tensors that a command reads: of a pass its sources, and operands of its stages.
std::vector<TensorId> read_by(const Command& command);
std::vector<TensorId> read_by(const Pass& pass);

/// What a view sees of its tensor: its mapping, how far in it begins, how coordinates shift. Refused: a view
/// that its tensor does not have.
Expected<View> seen_by(const Module& module, const Tensor& view);

/// True of modules that say the same of the same source lines, wherever their arguments are.
bool same_recording(const Module& a, const Module& b);

/// Law: same_recording(a, b) implies recording_hash(a) == recording_hash(b).
std::uint64_t recording_hash(const Module& module);

/// Names every tensor that is no view, has no name, and is an argument, a result, or the source or destination of a
/// command. A name that was given stays. Where the lines tell nothing, an argument is called `argument`, a result
/// `result`, with its number if there are several, and others stay without a name.
void name_tensors(Module& module, const LineReader& lines);

}  // namespace tcp::ir
