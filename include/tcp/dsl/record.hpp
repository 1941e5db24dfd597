// What typed tensors and streams do at run time: each call of a kernel becomes one plain function call here, which
// notes it down.
//
// Nothing in this header is a template over mappings, and nothing of the IR is visible: a kernel compiles against
// pointers to mappings and opaque handles only, so that a file of kernels stays small and quick to compile. The notes
// become an ir::Module (session.hpp).
#pragma once

#include <optional>
#include <source_location>

#include "tcp/mapping/map.hpp"
#include "tcp/rules/commit.hpp"
#include "tcp/rules/contraction.hpp"
#include "tcp/rules/dma.hpp"
#include "tcp/rules/pass_state.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/rules/switch.hpp"
#include "tcp/rules/vector.hpp"

namespace tcp {

/// An address in bytes. Left out: the tensor is placed by us, and the schedule says where.
struct Address {
  std::int64_t bytes = 0;
  bool given = false;

  constexpr Address() = default;
  constexpr Address(std::int64_t at) : bytes(at), given(true) {}
};

namespace detail {

class Session;  // what a Context holds: the device, and the kernel that is being recorded
struct Node;    // a tensor of a kernel, or one that is in the device's memory between kernels

void retain(Node* node) noexcept;
void release(Node* node) noexcept;
/// What a copy of a handle shares, retained: this tensor, or the one that HandleCopies gives instead.
Node* copied(Node* node) noexcept;

/// Shares a tensor. When the last one of a tensor goes, its memory is free again.
class Handle {
 public:
  constexpr Handle() = default;
  constexpr explicit Handle(Node* taken) : node_(taken) {}
  constexpr Handle(const Handle& o) : node_(o.node_ == nullptr ? nullptr : copied(o.node_)) {}
  constexpr Handle(Handle&& o) noexcept : node_(o.node_) { o.node_ = nullptr; }
  constexpr Handle& operator=(Handle o) noexcept {
    Node* const n = node_;
    node_ = o.node_;
    o.node_ = n;
    return *this;
  }
  constexpr ~Handle() {
    if (node_ != nullptr) release(node_);
  }

  constexpr Node* get() const { return node_; }
  constexpr explicit operator bool() const { return node_ != nullptr; }

 private:
  Node* node_ = nullptr;
};

/// m![1].
inline constexpr Mapping identity_mapping{};

/// The type of a tensor or a stream. Levels that it lacks are m![1]. The mappings belong to the caller: static ones of
/// m<…>, or values of the dynamic front end that live as long as the call.
struct Layout {
  ScalarType type = ScalarType::i32;
  const Mapping* level[level_count]{&identity_mapping, &identity_mapping, &identity_mapping, &identity_mapping,
                                    &identity_mapping, &identity_mapping, &identity_mapping};

  constexpr const Mapping& operator[](Level l) const { return *level[static_cast<int>(l)]; }

  template <MapType M>
  constexpr Layout with(Level l) const {
    Layout out = *this;
    out.level[static_cast<int>(l)] = &M::mapping;
    return out;
  }
};

/// The open end of a stream: the pass that is being recorded, and how far it had got when this end was the last.
struct End {
  Session* session = nullptr;
  int pass = 0, stages = 0;
};

/// One operand of a vector operation.
struct OperandArg {
  OperandShape shape{};
  Node* vrf = nullptr;
};

/// 16 or 256 entries, raw bits.
struct TableArg {
  const char* name = "";
  ScalarType from = ScalarType::i8, to = ScalarType::i8;
  const std::uint32_t* bits = nullptr;
  int count = 0;
};

// Tensors.

Handle tensor_at(Session* session, Memory memory, const Layout& layout, Address address, Where at);
Handle whole_view(Node* of, Where at);
Handle tile(Node* of, const Mapping& dimension, std::int64_t length, std::int64_t start, const Layout& layout, Where at);
Handle reshape(Node* of, const Layout& layout, Where at);
Handle relabel(Node* of, const Layout& layout, Where at);
void name_tensor(Node* node, const char* name);

// Transfers.

Handle transfer(Session* session, Node* from, Memory memory, const Layout& to, Address address, Where at);
void transfer_into(Session* session, Node* from, Node* to, const Mapping* time, const Mapping* packet, Where at);
/// Which rows a gather or scatter picks: by an index tensor, of which the first `count` numbers alone may be meant.
struct RowPicks {
  Node* index;
  Name axis{};
  RowKeys keys = RowKeys::positions;
  std::optional<std::int64_t> count{};
};
Handle gather(Session* session, Node* table, const RowPicks& rows, Memory memory, const Layout& to, Address address, Where at);
void scatter(Session* session, Node* from, const RowPicks& rows, Node* table, Where at);
Handle chip_shuffle(Session* session, Node* from, const std::int64_t* source, int count, const Layout& to, Address address, Where at);
Handle cluster_shuffle(Session* session, Node* from, const std::int64_t* source, int count, const Layout& to, Address address, Where at);
Handle chip_slice(Session* session, Node* from, const Mapping& dimension, std::int64_t length, const std::int64_t* start, int count,
                  const Layout& to, Address address, Where at);
void memset(Session* session, Node* to, std::uint32_t word, Where at);

// Passes. Each stage takes the stream's end and gives the new one.

End begin(Session* session, Tu context, bool dual, Node* first, Node* second, Name turns, Where at);
End fetch(End end, const Layout& out, const TableArg* table, const std::int64_t* zero_points, int zero_point_count, Where at);
/// A stage that is all said with its kind: collect, vector_init, vector_stash, vector_final, cast, transpose.
End stage(End end, const Layout& out, StageKind kind, Where at);
End switched(End end, const Layout& out, const SwitchConfig& config, Where at);
End align(End end, const Layout& out, Node* trf, Where at);
End contract(End end, const Layout& out, ContractOp op, Where at);
End accumulate(End end, const Layout& out, AccumulationKind kind, Where at);
End vector_branch(End end, const Layout& out, const BranchMode& mode, Node* log, Where at);
End vector_branch_log(End end, const Layout& out, Node* log, Where at);
End vector_write_operand(End end, const Layout& out, Node* vrf, OperandGuard guard, Where at);
End vector_step(End end, const Layout& out, const VectorStep& step, const OperandArg* operands, int count, Where at);
End vector_unzip(End end, const Layout& out, Name axis, const Mapping& tile_time, Where at);
End vector_filter(End end, const Layout& out, OperandGuard keep, Node* count, Where at);
End vector_intra_slice_reduce(End end, const Layout& out, Name axis, ReduceOp op, Where at);
End vector_inter_slice_reduce(End end, const Layout& out, ReduceOp op, Where at);

// Sinks.

Handle commit(End end, const Layout& in, const Layout& to, Address address, const SliceMask* slices, bool pack_valid, Where at);
void commit_view(End end, const Layout& in, Node* to, const SliceMask* slices, bool pack_valid, Where at);
Handle to_trf(End end, const Layout& in, const Layout& to, TrfAddress address, Where at);
Handle to_vrf(End end, const Layout& in, const Layout& to, Address address, Where at);
/// A VRF tensor that a pass will write on its way: a branch log, a count.
Handle vrf_tensor(Session* session, const Layout& layout, Address address, Where at);

}  // namespace detail
}  // namespace tcp
