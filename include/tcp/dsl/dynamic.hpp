// Kernels whose sizes are known only when the program runs: the tensors, contexts and chains of the typed front end
// with mappings as values.
//
//   Mapping const A = dyn::axis("A", rows);                                // rows: from a file, a model, a compiler
//   dyn::Tensor add_one(Context& ctx, const dyn::Tensor& in) {
//     auto const dm = in.to_dm(ctx.tdma, dyn::map(dyn::one.pad(2)), dyn::map((A / 8).pad(256)), dyn::map(A % 8));
//     auto const sum = dyn::main(ctx).begin(dm)
//                          .fetch(ScalarType::i32, dyn::map(1), A % 8)
//                          .collect(dyn::map(1), A % 8)
//                          .vector_init()
//                          .vector_intra_slice_branch(BranchMode::Unconditional)
//                          .vector_fxp(FxpBinaryOp::AddFxp, 1)
//                          .vector_final()
//                          .commit(A % 8);
//     return sum.to_hbm(ctx.tdma, A);
//   }
//
// What the typed front end takes as template arguments are arguments here, before the others; names and meaning are the
// same. Both record into the same session, so a kernel is launched, run, timed and reported as any other, and one
// kernel may mix the two (`Tensor::of`). Rules are those of the IR's verifier, asked at every call: a mistake is thrown
// as tcp::Refused where it is made, with the code that the typed front end gives.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "tcp/dsl/context.hpp"
#include "tcp/ir/verify.hpp"

namespace tcp {
class Image;
}

namespace tcp::dyn {

/// An axis: a name of at most 16 characters, and a size.
Mapping axis(std::string_view name, std::int64_t size);

/// m![1], to be padded: one.pad(2).
inline constexpr Mapping one{};

namespace detail {
inline Mapping as_mapping(const Mapping& m) { return m; }
inline Mapping as_mapping(std::int64_t n) { return copies(n); }
inline Mapping as_mapping(int n) { return copies(n); }
}  // namespace detail

/// Factors, the leftmost the slowest. To operate on the result is to operate on the group: map(A, B) / 8 is m![[A, B] /
/// 8].
template <class... Factor>
Mapping map(const Factor&... factor) {
  Mapping all;
  ((all = pair(all, detail::as_mapping(factor))), ...);
  return all;
}

class HostTensor;
class Picks;

/// A tensor in one of the device's memories, or a view of one. Copying it copies nothing.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(tcp::detail::Handle handle) : handle_(std::move(handle)) {}
  /// A typed tensor or view as a dynamic one.
  template <class Typed>
  static Tensor of(const Typed& typed) {
    tcp::detail::Node* const node = tcp::detail::node_of(typed);
    if (node != nullptr) tcp::detail::retain(node);
    return Tensor(tcp::detail::Handle(node));
  }
  /// Whatever is at an address: undefined until it is written. Inside a kernel.
  static Tensor hbm_at(std::int64_t address, ScalarType type, const Mapping& chip, const Mapping& element,
                       Where at = std::source_location::current());
  /// A new tensor whose address is chosen when the kernel is placed.
  static Tensor hbm(Context& ctx, ScalarType type, const Mapping& chip, const Mapping& element, Where at = std::source_location::current());
  static Tensor dm(Context& ctx, ScalarType type, const Mapping& chip, const Mapping& cluster, const Mapping& slice, const Mapping& element,
                   Where at = std::source_location::current());
  /// A tensor in HBM between kernels that has a place and no values: an argument of a kernel that is recorded and not
  /// run (tcp/runtime/record.hpp).
  static Tensor declared(Context& ctx, ScalarType type, const Mapping& chip, const Mapping& element, Address address = {},
                         Where at = std::source_location::current());
  static Tensor dm_at(std::int64_t address, ScalarType type, const Mapping& chip, const Mapping& cluster, const Mapping& slice,
                      const Mapping& element, Where at = std::source_location::current());

  explicit operator bool() const { return static_cast<bool>(handle_); }
  tcp::detail::Node* node() const { return handle_.get(); }
  Memory memory() const;
  ScalarType type() const;
  /// All of its mappings.
  Levels levels() const;

  Tensor& named(const char* name);

  /// For writing into: commit_view, dma, memset, scatter.
  [[nodiscard]] Tensor view_mut(Where at = std::source_location::current()) const;
  /// `length` steps of a factor of Element, from `start` on.
  [[nodiscard]] Tensor tile(const Mapping& dimension, std::int64_t length, std::int64_t start,
                            Where at = std::source_location::current()) const;
  /// A tile whose mapping of that level is given instead of derived.
  [[nodiscard]] Tensor tile_as(const Mapping& dimension, std::int64_t length, std::int64_t start, const Mapping& part,
                               Where at = std::source_location::current()) const;
  /// A view of all positions under other indices.
  [[nodiscard]] Tensor reshape(const Mapping& element, Where at = std::source_location::current()) const;
  /// All positions under other names, those of padding as well: elements that get no name are forgotten, padding that
  /// gets one is undefined. The first for tensors in HBM.
  [[nodiscard]] Tensor relabel(const Mapping& chip, const Mapping& element, Where at = std::source_location::current()) const;
  [[nodiscard]] Tensor relabel(const Mapping& chip, const Mapping& cluster, const Mapping& slice, const Mapping& element,
                               Where at = std::source_location::current()) const;
  /// A view of the bits as another type of the same width (bf16 as i16, f32 as i32): nothing is converted, nothing
  /// moves. Another width is refused.
  [[nodiscard]] Tensor reinterpret(ScalarType type, Where at = std::source_location::current()) const;

  [[nodiscard]] Tensor to_dm(const Tdma& dma, const Mapping& cluster, const Mapping& slice, const Mapping& element, Address address = {},
                             Where at = std::source_location::current()) const;
  [[nodiscard]] Tensor to_spm(const Tdma& dma, const Mapping& cluster, const Mapping& pe, const Mapping& element, Address address = {},
                              Where at = std::source_location::current()) const;
  [[nodiscard]] Tensor to_hbm(const Tdma& dma, const Mapping& element, Address address = {},
                              Where at = std::source_location::current()) const;
  /// Under another order of chips, or another axis over them.
  [[nodiscard]] Tensor to_hbm_chips(const Tdma& dma, const Mapping& chip, const Mapping& element, Address address = {},
                                    Where at = std::source_location::current()) const;

  /// out[x] = this[x, with `rows` = index[x]].
  [[nodiscard]] Tensor gather_to_hbm(const Tdma& dma, std::string_view rows, const Picks& index, const Mapping& element,
                                     Address address = {}, Where at = std::source_location::current()) const;
  [[nodiscard]] Tensor gather_to_dm(const Tdma& dma, std::string_view rows, const Picks& index, const Mapping& cluster,
                                    const Mapping& slice, const Mapping& element, Address address = {},
                                    Where at = std::source_location::current()) const;
  /// table[x, with `rows` = index[x]] = this[x]; rows that are not named stay.
  void scatter(const Tdma& dma, std::string_view rows, const Picks& index, const Tensor& table,
               Where at = std::source_location::current()) const;

  /// Chip (cluster) c receives what chip (cluster) source[c] held.
  [[nodiscard]] Tensor chip_shuffle(const Tdma& dma, const std::vector<std::int64_t>& source, const Mapping& chip, Address address = {},
                                    Where at = std::source_location::current()) const;
  [[nodiscard]] Tensor cluster_shuffle(const Tdma& dma, const std::vector<std::int64_t>& source, const Mapping& cluster,
                                       Address address = {}, Where at = std::source_location::current()) const;
  /// Chip c keeps `length` steps of the dimension from start[c] on.
  [[nodiscard]] Tensor chip_slice(const Tdma& dma, const Mapping& dimension, std::int64_t length, const std::vector<std::int64_t>& start,
                                  const Mapping& chip, const Mapping& element, Address address = {},
                                  Where at = std::source_location::current()) const;

  /// Over PCIe, after all kernels launched so far.
  [[nodiscard]] HostTensor to_host(const Pdma& dma, const Mapping& element, Where at = std::source_location::current()) const;

 private:
  tcp::detail::Handle handle_;
};

/// An index tensor with what its numbers are, and how many of them are meant: index, by_positions(index),
/// by_byte_offsets(index), each with .first(n).
class Picks {
 public:
  Picks(Tensor index, RowKeys keys = RowKeys::positions) : index_(std::move(index)), keys_(keys) {}
  /// The first n alone: a number that a launch may bring along. The other rows of a gather are undefined.
  [[nodiscard]] Picks first(std::int64_t n) const {
    Picks p = *this;
    p.count_ = n;
    return p;
  }
  /// For the front end itself.
  tcp::detail::RowPicks along(std::string_view axis) const { return {index_.node(), Name(axis), keys_, count_}; }

 private:
  Tensor index_;
  RowKeys keys_;
  std::optional<std::int64_t> count_;
};
inline Picks by_positions(const Tensor& index) { return {index}; }
inline Picks by_byte_offsets(const Tensor& index) { return {index, RowKeys::byte_offsets}; }

/// From one tensor into another that is there; with the stream's shape if the author insists on one.
void dma(const Tdma& tdma, const Tensor& from, const Tensor& to, Where at = std::source_location::current());
void dma(const Tdma& tdma, const Tensor& from, const Tensor& to, const Mapping& time, const Mapping& packet,
         Where at = std::source_location::current());

/// A tensor in the host's memory: plain elements, one after the other in the order of Element, padding included.
class [[nodiscard]] HostTensor {
 public:
  /// Zeros.
  HostTensor(ScalarType type, const Mapping& element, Where at = std::source_location::current());

  ScalarType type() const { return type_; }
  const Mapping& element() const { return element_; }
  std::size_t size() const { return static_cast<std::size_t>(element_.size); }

  /// The elements. Refused: D is of another type.
  template <Scalar D>
  D* data(Where at = std::source_location::current()) {
    check_type(D::type, at);
    return reinterpret_cast<D*>(bytes_.data());
  }
  template <Scalar D>
  const D* data(Where at = std::source_location::current()) const {
    check_type(D::type, at);
    return reinterpret_cast<const D*>(bytes_.data());
  }

  /// Over PCIe; the layout may change on the way.
  [[nodiscard]] Tensor to_hbm(const Pdma& dma, const Mapping& chip, const Mapping& element, Address address = {},
                              Where at = std::source_location::current()) const;

 private:
  friend class Tensor;
  void check_type(ScalarType asked, Where at) const;

  ScalarType type_;
  Mapping element_;
  std::vector<std::uint32_t> bytes_;  // words, for the alignment of the widest type
};

/// Uploads the elements of a host tensor from bytes that are there already and do not change, a mapped file's for
/// example: they are not copied before they are in another order. Refused: another number of bytes.
[[nodiscard]] Tensor to_hbm(const Pdma& dma, std::shared_ptr<const Image> elements, ScalarType type, const Mapping& host,
                            const Mapping& chip, const Mapping& element, Address address = {}, Where at = std::source_location::current());

/// An argument of a vector operation beside the stream: a number, a VRF tensor, `Stash`, `skip`; for some execution ids
/// only by VeBranchOperand.
class Operand {
 public:
  Operand() = default;  // not given
  Operand(int v) : shape_(immediate(ScalarType::i32, static_cast<std::uint32_t>(v))) {}
  Operand(float v) : shape_(immediate(ScalarType::f32, f32::from_float(v).bits)) {}
  Operand(double v) : shape_(immediate(ScalarType::f32, f32::from_double(v).bits)) {}
  template <class Number>
  requires std::is_integral_v<Number> Operand(Number) {
    static_assert(std::is_same_v<Number, int>,
                  "a constant operand is int, float, i32 or f32: write static_cast<int>(x) for the value, "
                  "i32::from_bits(0x80000000u) for the bits");
  }
  Operand(i32 v) : shape_(immediate(ScalarType::i32, v.bits)) {}
  Operand(f32 v) : shape_(immediate(ScalarType::f32, v.bits)) {}
  Operand(StashOperand) : shape_{OperandKind::stash, ScalarType::i32, {}, false, 0} {}
  Operand(Skip) : skip_(true) {}
  Operand(const Tensor& vrf) : shape_{OperandKind::vrf, ScalarType::i32, {}, false, 0}, vrf_(vrf) {}
  template <class Of>
  Operand(const tcp::detail::Guarded<Of>& guarded) : Operand(guarded.operand) {
    shape_.guard = guarded.guard;
  }

  const OperandShape& shape() const { return shape_; }
  const Tensor& vrf() const { return vrf_; }
  bool given() const { return skip_ || shape_.kind != OperandKind::none; }
  bool is_skip() const { return skip_; }

 private:
  static OperandShape immediate(ScalarType type, std::uint32_t bits) { return {OperandKind::immediate, type, {}, true, bits}; }

  OperandShape shape_{};
  Tensor vrf_;
  bool skip_ = false;
};

/// A stream on its way from the Fetch Engine to its sink. Each call consumes it and gives what comes out of the next
/// engine.
class [[nodiscard]] Stream {
  friend class Begin;

 public:
  Stream(tcp::detail::End end, const ir::OpenPass& pass) : end_(end), pass_(pass) {}

  ScalarType type() const { return pass_.type(); }
  /// Chip, Cluster, Slice, Row, Time and Packet, with the kinds that the padding really has.
  const Levels& levels() const { return pass_.stream(); }

  Stream switch_to(const SwitchConfig& config, const Mapping& slice, const Mapping& time, Where at = std::source_location::current()) &&;
  Stream collect(const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream align(const Tensor& trf, const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream contract(const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream contract_max(const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream accumulate(AccumulationKind kind, const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream cast(ScalarType type, const Mapping& packet, Where at = std::source_location::current()) &&;
  /// Casts on the way into DM: a commit follows.
  Stream commit_cast(ScalarType to, Where at = std::source_location::current()) &&;
  /// Makes 0 of what is negative, then casts.
  Stream commit_cast_relu(ScalarType to, Where at = std::source_location::current()) &&;
  Stream transpose(const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;

  // Sinks.

  [[nodiscard]] Tensor commit(const Mapping& element, Address address = {}, Where at = std::source_location::current()) &&;
  [[nodiscard]] Tensor commit(const Mapping& element, Address address, const SliceMask& slices,
                              Where at = std::source_location::current()) &&;
  [[nodiscard]] Tensor commit_packed(const Mapping& element, Address address = {}, Where at = std::source_location::current()) &&;
  void commit_view(const Tensor& to, Where at = std::source_location::current()) &&;
  void commit_view(const Tensor& to, const SliceMask& slices, Where at = std::source_location::current()) &&;
  [[nodiscard]] Tensor to_trf(const Mapping& row, const Mapping& element, TrfAddress address,
                              Where at = std::source_location::current()) &&;
  [[nodiscard]] Tensor to_vrf(const Mapping& element, Address address = {}, Where at = std::source_location::current()) &&;

  // The Vector Engine.

  Stream vector_init(Where at = std::source_location::current()) &&;
  Stream vector_final(Where at = std::source_location::current()) &&;
  Stream vector_intra_slice_branch(const BranchMode& mode, Where at = std::source_location::current()) &&;
  /// BranchMode::Vrf: the ids that a branch log wrote in an earlier pass.
  Stream vector_intra_slice_branch(const BranchMode& mode, const Tensor& log, Where at = std::source_location::current()) &&;
  /// Writes the execution ids, i32 each.
  Stream vector_branch_log(const Mapping& element, Address address, Tensor& log, Where at = std::source_location::current()) &&;
  Stream vector_intra_slice_unzip(std::string_view axis, const Mapping& tile_time, const Mapping& split_time,
                                  Where at = std::source_location::current()) &&;

  // An operation takes up to four slots of one operand each; a ternary one takes two of two. Between unzip and zip
  // there is one slot for each group, `skip` for none.

#define TCP_DETAIL_OPERATION(METHOD, OP, MODE)                                                                                            \
  Stream METHOD(OP op, const Operand& a, const Operand& b = {}, const Operand& c = {}, const Operand& d = {},                             \
                Where at = std::source_location::current())&& {                                                                           \
    return std::move(*this).operation(step_of(op), {a, b, c, d}, at);                                                                     \
  }                                                                                                                                       \
  Stream METHOD##_with_mode(OP op, MODE mode, const Operand& a = {}, const Operand& b = {}, const Operand& c = {}, const Operand& d = {}, \
                            Where at = std::source_location::current())&& {                                                               \
    return std::move(*this).operation(step_of(op, mode), {a, b, c, d}, at);                                                               \
  }
#define TCP_DETAIL_ZIP(METHOD, OP)                                                                     \
  Stream METHOD(OP op, Where at = std::source_location::current())&& {                                 \
    return std::move(*this).operation(step_of(op, {}, Groups::zip), {}, at);                           \
  }                                                                                                    \
  Stream METHOD##_with_mode(OP op, BinaryArgMode mode, Where at = std::source_location::current())&& { \
    return std::move(*this).operation(step_of(op, mode, Groups::zip), {}, at);                         \
  }
  TCP_DETAIL_OPERATION(vector_logic, LogicBinaryOpI32, BinaryArgMode)
  TCP_DETAIL_OPERATION(vector_logic, LogicBinaryOpF32, BinaryArgMode)
  TCP_DETAIL_OPERATION(vector_fxp, FxpBinaryOp, BinaryArgMode)
  TCP_DETAIL_OPERATION(vector_fp_binary, FpBinaryOp, BinaryArgMode)
  TCP_DETAIL_OPERATION(vector_fp_ternary, FpTernaryOp, TernaryArgMode)
  TCP_DETAIL_OPERATION(vector_fp_div, FpDivBinaryOp, BinaryArgMode)
  TCP_DETAIL_OPERATION(vector_clip, ClipBinaryOpI32, BinaryArgMode)
  TCP_DETAIL_OPERATION(vector_clip, ClipBinaryOpF32, BinaryArgMode)
  TCP_DETAIL_ZIP(vector_logic_zip, LogicBinaryOpI32)
  TCP_DETAIL_ZIP(vector_logic_zip, LogicBinaryOpF32)
  TCP_DETAIL_ZIP(vector_fxp_zip, FxpBinaryOp)
  TCP_DETAIL_ZIP(vector_fp_zip, FpBinaryOp)
  TCP_DETAIL_ZIP(vector_clip_zip, ClipBinaryOpI32)
  TCP_DETAIL_ZIP(vector_clip_zip, ClipBinaryOpF32)
#undef TCP_DETAIL_OPERATION
#undef TCP_DETAIL_ZIP

  Stream vector_fp_unary(FpUnaryOp op, Groups groups = Groups::both, Where at = std::source_location::current()) && {
    return std::move(*this).operation(step_of(op, {}, groups), {}, at);
  }
  Stream vector_fp_unary_with_mode(FpUnaryOp op, UnaryArgMode mode, Groups groups = Groups::both,
                                   Where at = std::source_location::current()) && {
    return std::move(*this).operation(step_of(op, mode, groups), {}, at);
  }
  Stream vector_fxp_to_fp(int int_width, Where at = std::source_location::current()) &&;
  Stream vector_fp_to_fxp(int int_width, Where at = std::source_location::current()) &&;
  /// Takes the bits for the other type of i32 and f32. It costs nothing.
  Stream vector_reinterpret(ScalarType to, Where at = std::source_location::current()) &&;
  Stream vector_split(const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream vector_concat(const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream vector_trim_way4(const Mapping& packet, Where at = std::source_location::current()) &&;
  Stream vector_pad_way8(const Mapping& packet, Where at = std::source_location::current()) &&;
  /// Folds an axis as far as it is in Time and Packet.
  Stream vector_intra_slice_reduce(std::string_view axis, ReduceOp op, const Mapping& time, const Mapping& packet,
                                   Where at = std::source_location::current()) &&;
  Stream vector_inter_slice_reduce(ReduceOp op, const Mapping& slice, const Mapping& time, Where at = std::source_location::current()) &&;
  Stream vector_stash(Where at = std::source_location::current()) &&;
  Stream vector_write_operand(const Tensor& vrf, OperandGuard guard = {}, Where at = std::source_location::current()) &&;
  /// Drops the lanes of all other execution ids and closes up: `time` is an upper bound.
  Stream vector_filter(OperandGuard keep, const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;
  /// Also writes how many lanes were kept, an i32 in VRF.
  Stream vector_filter(OperandGuard keep, Address count_address, Tensor& count, const Mapping& time, const Mapping& packet,
                       Where at = std::source_location::current()) &&;

 private:
  /// What a stage declares; what it leaves out stays as it is.
  struct Declared {
    ScalarType type;
    const Mapping *slice, *time, *packet;
    const Mapping *chip = nullptr, *cluster = nullptr;  // null: as it has them
  };
  Declared same() const;
  template <class What>
  Stream next(What what, const Declared& out, Where at) &&;
  template <class Sink>
  void end(Sink sink, Where at) &&;
  Stream operation(VectorStep step, std::initializer_list<Operand> operands, Where at) &&;
  template <class Record>
  Stream cast_at_commit(Record record, ScalarType to, Where at) &&;
  Stream reshaped(VectorMethod method, const Mapping& time, const Mapping& packet, Where at) &&;
  Tensor committed(const Mapping& element, Address address, const SliceMask* slices, bool packed, Where at) &&;
  Tensor made(Memory memory, ScalarType type, const Mapping* row, const Mapping& element, Address address, TrfAddress trf, Where at) const;

  tcp::detail::End end_;
  ir::OpenPass pass_;
};

/// The begin of a pass: one DM tensor, or two that take turns.
class [[nodiscard]] Begin {
 public:
  Begin(tcp::detail::End end, const ir::OpenPass& pass) : end_(end), pass_(pass), lifted_(pass.stream()) {}

  /// Copies in Slice read parts of their own: 4, P becomes A, P, and the fetch walks what is left of Element.
  Begin fetch_slice_lift(const Mapping& slice, Where at = std::source_location::current()) &&;
  Begin fetch_cluster_lift(const Mapping& cluster, Where at = std::source_location::current()) &&;
  Begin fetch_chip_lift(const Mapping& chip, Where at = std::source_location::current()) &&;
  Stream fetch(ScalarType type, const Mapping& time, const Mapping& packet, Where at = std::source_location::current()) &&;
  /// Every element is the index of its value in the table.
  template <Scalar In, Scalar Out>
  Stream fetch_with_table(const LookupTable<In, Out>& table, ScalarType type, const Mapping& time, const Mapping& packet,
                          Where at = std::source_location::current()) && {
    ir::LookupTable t{table.name(), In::type, Out::type, {}};
    for (int i = 0; i < LookupTable<In, Out>::entries; ++i) t.bits.push_back(table[i].bits);
    return std::move(*this).fetched(&t, {}, type, time, packet, at);
  }
  /// Subtracts z while fetching: i4 becomes i5, i8 becomes i9. Two: one for each of two interleaved tensors.
  Stream fetch_with_zero_points(const std::vector<std::int64_t>& z, ScalarType type, const Mapping& time, const Mapping& packet,
                                Where at = std::source_location::current()) &&;

 private:
  Stream fetched(const ir::LookupTable* table, const std::vector<std::int64_t>& zero_points, ScalarType type, const Mapping& time,
                 const Mapping& packet, Where at) &&;
  Begin lifted_to(Level level, const Mapping& becomes, Where at) &&;

  tcp::detail::End end_;
  ir::OpenPass pass_;
  Levels lifted_;  // Chip, Cluster and Slice that the fetch makes
};

/// A context of the Tensor Unit: passes begin here.
class TuContext {
 public:
  TuContext(tcp::detail::Session* session, Tu context, bool dual) : session_(session), context_(context), dual_(dual) {}

  Begin begin(const Tensor& in, Where at = std::source_location::current()) const;
  /// Two tensors that take turns, told apart by an axis of size 2 in Time.
  Begin begin_interleaved(std::string_view axis, const Tensor& first, const Tensor& second,
                          Where at = std::source_location::current()) const;

 private:
  tcp::detail::Session* session_;
  Tu context_;
  bool dual_;
};

inline TuContext main(Context& ctx) { return {ctx.session(), Tu::Main, false}; }
/// Main with both channels of the switch; the sub context is then occupied.
inline TuContext main_dual(Context& ctx) { return {ctx.session(), Tu::Main, true}; }
inline TuContext sub(Context& ctx) { return {ctx.session(), Tu::Sub, false}; }

/// One value into all elements of a DM tensor, by the sub context. Whole numbers must be values of the tensor's type;
/// floating-point numbers are rounded to it.
void memset(Context& ctx, const Tensor& to, double value, Where at = std::source_location::current());

}  // namespace tcp::dyn
