// The words of the text form that stand for enumerators: one table for the printer, the parser and, of vector
// operations, the verifier.
#pragma once

#include <string_view>

#include "tcp/ir/module.hpp"
#include "tcp/rules/contraction.hpp"

namespace tcp::ir::words {

template <class E>
struct Word {
  const char* name;
  E value;
};

inline constexpr Word<Memory> memories[] = {{"host", Memory::Host}, {"hbm", Memory::Hbm}, {"dm", Memory::Dm},
                                            {"spm", Memory::Spm},   {"trf", Memory::Trf}, {"vrf", Memory::Vrf}};
inline constexpr Word<Role> roles[] = {{"argument", Role::argument}, {"result", Role::result}, {"from_addr", Role::from_addr}};
inline constexpr Word<TrfAddress> trf_addresses[] = {
    {"Full", TrfAddress::Full}, {"FirstHalf", TrfAddress::FirstHalf}, {"SecondHalf", TrfAddress::SecondHalf}};
inline constexpr Word<NumericModel> numeric_models[] = {{"rngd", NumericModel::rngd}, {"ieee", NumericModel::ieee}};
inline constexpr Word<RowKeys> row_keys[] = {{"positions", RowKeys::positions}, {"byte_offsets", RowKeys::byte_offsets}};
inline constexpr Word<ViewOf::Kind> views[] = {
    {"whole", ViewOf::Kind::whole}, {"tile", ViewOf::Kind::tile}, {"reshape", ViewOf::Kind::reshape}, {"relabel", ViewOf::Kind::relabel}};
inline constexpr Word<Transfer::Kind> transfers[] = {{"move", Transfer::Kind::move},
                                                     {"gather", Transfer::Kind::gather},
                                                     {"scatter", Transfer::Kind::scatter},
                                                     {"chip_slice", Transfer::Kind::chip_slice},
                                                     {"chip_shuffle", Transfer::Kind::chip_shuffle},
                                                     {"cluster_shuffle", Transfer::Kind::cluster_shuffle}};
inline constexpr Word<Tu> contexts[] = {{"main", Tu::Main}, {"sub", Tu::Sub}};
inline constexpr Word<Topology> topologies[] = {
    {"Forwarding", Topology::Forwarding},          {"Broadcast01", Topology::Broadcast01},
    {"Broadcast1", Topology::Broadcast1},          {"Transpose", Topology::Transpose},
    {"InterTranspose", Topology::InterTranspose},  {"TransposedBroadcast1", Topology::TransposedBroadcast1},
    {"CustomBroadcast", Topology::CustomBroadcast}};
inline constexpr Word<Extraction> extractions[] = {
    {"AsWritten", Extraction::AsWritten}, {"Whole", Extraction::Whole}, {"Partial", Extraction::Partial}};
inline constexpr Word<ContractOp> contract_ops[] = {{"Add", ContractOp::Add}, {"Max", ContractOp::Max}};
inline constexpr Word<AccumulationKind> accumulations[] = {{"Interleaved", AccumulationKind::Interleaved},
                                                           {"Sequential", AccumulationKind::Sequential}};
inline constexpr Word<ReduceOp> reduce_ops[] = {
    {"Add", ReduceOp::Add}, {"AddSat", ReduceOp::AddSat}, {"Max", ReduceOp::Max}, {"Min", ReduceOp::Min}, {"Mul", ReduceOp::Mul}};
inline constexpr Word<BranchMode::Kind> branches[] = {{"Unconditional", BranchMode::Kind::Unconditional},
                                                      {"AxisToggle", BranchMode::Kind::AxisToggle},
                                                      {"ValidCount", BranchMode::Kind::ValidCount},
                                                      {"Comparison", BranchMode::Kind::Comparison},
                                                      {"Vrf", BranchMode::Kind::Vrf}};
inline constexpr Word<InputCmp::Kind> comparisons[] = {{"Equal", InputCmp::Kind::Equal},
                                                       {"Less", InputCmp::Kind::Less},
                                                       {"Greater", InputCmp::Kind::Greater},
                                                       {"LessUnsigned", InputCmp::Kind::LessUnsigned},
                                                       {"GreaterUnsigned", InputCmp::Kind::GreaterUnsigned},
                                                       {"True", InputCmp::Kind::True},
                                                       {"False", InputCmp::Kind::False}};
inline constexpr Word<OperandKind> operand_kinds[] = {
    {"none", OperandKind::none}, {"immediate", OperandKind::immediate}, {"vrf", OperandKind::vrf}, {"stash", OperandKind::stash}};
inline constexpr Word<Groups> groups[] = {
    {"both", Groups::both}, {"group0", Groups::group0}, {"group1", Groups::group1}, {"zip", Groups::zip}, {"neither", Groups::neither}};
inline constexpr Word<bool> knowledge[] = {{"known", true}, {"unknown", false}};

/// Argument modes, by arity and in the order of their codes.
inline constexpr Word<std::uint8_t> unary_modes[] = {{"Mode0", 0}, {"Mode1", 1}};
inline constexpr Word<std::uint8_t> binary_modes[] = {{"Mode00", 0}, {"Mode01", 1}, {"Mode10", 2}, {"Mode11", 3}};
inline constexpr Word<std::uint8_t> ternary_modes[] = {{"Mode012", 0}, {"Mode002", 1}, {"Mode102", 2}, {"Mode112", 3},
                                                       {"Mode020", 4}, {"Mode021", 5}, {"Mode120", 6}};

/// Levels of a tensor and of a stream, in the order in which they are written.
inline constexpr Word<MapId Tensor::*> tensor_levels[] = {{"Chip", &Tensor::chip},
                                                          {"Cluster", &Tensor::cluster},
                                                          {"Slice", &Tensor::slice},
                                                          {"Row", &Tensor::row},
                                                          {"Element", &Tensor::element}};
inline constexpr Word<MapId Shape::*> stream_levels[] = {{"Chip", &Shape::chip}, {"Cluster", &Shape::cluster}, {"Slice", &Shape::slice},
                                                         {"Row", &Shape::row},   {"Time", &Shape::time},       {"Packet", &Shape::packet}};

/// The name of a value; "?" of one that is no enumerator.
template <class E, std::size_t N>
constexpr const char* name_in(const Word<E> (&table)[N], E value) {
  for (const Word<E>& w : table)
    if (w.value == value) return w.name;
  return "?";
}

template <class E, std::size_t N>
constexpr const Word<E>* find_in(const Word<E> (&table)[N], std::string_view name) {
  for (const Word<E>& w : table)
    if (name == w.name) return &w;
  return nullptr;
}

/// The operations of one family.
struct Family {
  OpFamily family;
  VectorMethod method;
  ScalarType stream;  // whose operations these are, where two families share a method
  const char* name;
  const VectorOpInfo* ops;
  int count;
  const Word<std::uint8_t>* modes;
  int mode_count;
  std::uint8_t usual_mode;
};

template <class Op, std::size_t N>
constexpr Family family_of(OpFamily f, VectorMethod m, ScalarType stream, const Word<std::uint8_t> (&modes)[N], std::uint8_t usual) {
  return {f, m, stream, Op::family, Op::table, static_cast<int>(std::size(Op::table)), modes, static_cast<int>(N), usual};
}

inline constexpr Family families[] = {
    family_of<LogicBinaryOpI32>(OpFamily::LogicI32, VectorMethod::logic, ScalarType::i32, binary_modes, 1),
    family_of<LogicBinaryOpF32>(OpFamily::LogicF32, VectorMethod::logic, ScalarType::f32, binary_modes, 1),
    family_of<FxpBinaryOp>(OpFamily::Fxp, VectorMethod::fxp, ScalarType::i32, binary_modes, 1),
    family_of<FpUnaryOp>(OpFamily::FpUnary, VectorMethod::fp_unary, ScalarType::f32, unary_modes, 0),
    family_of<FpBinaryOp>(OpFamily::FpBinary, VectorMethod::fp_binary, ScalarType::f32, binary_modes, 1),
    family_of<FpTernaryOp>(OpFamily::FpTernary, VectorMethod::fp_ternary, ScalarType::f32, ternary_modes, 0),
    family_of<FpDivBinaryOp>(OpFamily::FpDiv, VectorMethod::fp_div, ScalarType::f32, binary_modes, 1),
    family_of<ClipBinaryOpI32>(OpFamily::ClipI32, VectorMethod::clip, ScalarType::i32, binary_modes, 1),
    family_of<ClipBinaryOpF32>(OpFamily::ClipF32, VectorMethod::clip, ScalarType::f32, binary_modes, 1),
};

/// The family that a bare operation's name belongs to, in a stream of a type.
constexpr const Family* usual_family(VectorMethod method, ScalarType stream) {
  const Family* found = nullptr;
  for (const Family& f : families) {
    if (f.method != method) continue;
    if (found == nullptr || f.stream == stream) found = &f;
  }
  return found;
}
constexpr const Family* find_family(OpFamily family) {
  for (const Family& f : families)
    if (f.family == family) return &f;
  return nullptr;
}

/// Steps that a VectorOperation may be and that have no operation: they change type or width.
inline constexpr VectorMethod plain_methods[] = {VectorMethod::fxp_to_fp,  VectorMethod::split,    VectorMethod::trim_way4,
                                                 VectorMethod::concat,     VectorMethod::pad_way8, VectorMethod::fp_to_fxp,
                                                 VectorMethod::reinterpret};

constexpr bool converts(VectorMethod m) { return m == VectorMethod::fxp_to_fp || m == VectorMethod::fp_to_fxp; }

/// Whether the numbers of a step are codes that exist and go together. Modules that were built by hand may hold others.
constexpr bool well_formed(const VectorStep& s) {
  if (s.groups > Groups::neither) return false;
  if (const Family* f = find_family(s.family)) return s.method == f->method && s.op < f->count && s.mode < f->mode_count;
  for (VectorMethod m : plain_methods)
    if (s.method == m) return s.family == OpFamily::none && s.op == 0 && s.mode == 0;
  return false;
}

/// `_zip` forms have names of their own.
inline constexpr Word<VectorMethod> zip_forms[] = {{"vector_logic_zip", VectorMethod::logic},
                                                   {"vector_fxp_zip", VectorMethod::fxp},
                                                   {"vector_fp_zip", VectorMethod::fp_binary},
                                                   {"vector_clip_zip", VectorMethod::clip}};

/// The type that a stage makes without being told.
constexpr ScalarType usual_type(const decltype(Stage::what)& what, ScalarType in) {
  if (std::holds_alternative<Contract>(what)) return wide_type(in);
  if (const auto* o = std::get_if<VectorOperation>(&what)) {
    if (o->step.method == VectorMethod::fxp_to_fp) return ScalarType::f32;
    if (o->step.method == VectorMethod::fp_to_fxp) return ScalarType::i32;
    if (o->step.method == VectorMethod::reinterpret) return o->step.to;
  }
  return in;
}

/// What a stream is taken to be before the first stage: the source, its Element as Packet.
inline Shape shape_at_begin(const Module& module, const Pass& pass) {
  if (pass.source.empty()) return {};
  TensorId const id = pass.source.front();
  if (!module.tensors.has(id)) return {};
  const Tensor& t = module.tensor(id);
  return {t.type, t.chip, t.cluster, t.slice, t.row, {}, t.element};
}

constexpr bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_word(std::string_view name) {
  if (name.empty() || !is_letter(name[0])) return false;
  for (char c : name)
    if (!is_letter(c) && !is_digit(c)) return false;
  return true;
}

/// Words that mean something where a tensor's name may stand: such names are quoted.
constexpr bool is_reserved(std::string_view name) {
  for (std::string_view word : {"none", "stash", "_", "inf", "nan"})
    if (name == word) return true;
  for (ScalarType t : scalar_types)
    if (name == scalar_info(t).name) return true;
  return false;
}

constexpr bool is_axis_name(std::string_view name) {
  return is_word(name) && name[0] >= 'A' && name[0] <= 'Z' && name.size() <= Name::max_length;
}

}  // namespace tcp::ir::words
