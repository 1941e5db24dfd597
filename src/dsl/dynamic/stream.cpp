// Streams with mappings as values. The rules are the verifier's: a stage is what the typed front end would have written
// down, and is asked about on the spot.
#include <algorithm>
#include <vector>

#include "dsl/dynamic/recording.hpp"

namespace tcp::dyn {

using detail::interned;
using detail::Recording;

namespace {

Recording& recording(const tcp::detail::End& end, Where at) { return tcp::detail::recording(end.session, at); }

/// The stream after a stage, with the kinds of padding that it really has.
ir::Shape shape_of(Recording& r, const ir::OpenPass& pass) {
  auto const level = [&](Level l) { return r.module.intern(pass.stream()[l]); };
  return {pass.type(),       level(Level::chip), level(Level::cluster), level(Level::slice),
          level(Level::row), level(Level::time), level(Level::packet)};
}

}  // namespace

// Contexts.

Begin TuContext::begin(const Tensor& in, Where at) const {
  Recording& r = tcp::detail::recording(session_, at);
  ir::Pass pass;
  pass.context = context_;
  pass.dual = dual_;
  pass.source = {r.id_of(in.node(), at)};
  auto const open = value_or_throw(ir::OpenPass::begin(r.module, session_->device(), pass, at));
  return {r.open(std::move(pass), at), open};
}
Begin TuContext::begin_interleaved(std::string_view axis, const Tensor& first, const Tensor& second, Where at) const {
  Recording& r = tcp::detail::recording(session_, at);
  ir::Pass pass;
  pass.context = context_;
  pass.dual = dual_;
  pass.source = {r.id_of(first.node(), at), r.id_of(second.node(), at)};
  pass.turns = Name(axis);
  auto const open = value_or_throw(ir::OpenPass::begin(r.module, session_->device(), pass, at));
  return {r.open(std::move(pass), at), open};
}

// Every stage.

Stream::Declared Stream::same() const {
  const Levels& l = levels();
  return {type(), &l[Level::slice], &l[Level::time], &l[Level::packet]};
}

template <class What>
Stream Stream::next(What what, const Declared& out, Where at) && {
  Recording& r = recording(end_, at);
  ir::Shape const declared{out.type,
                           interned(r, out.chip != nullptr ? *out.chip : levels()[Level::chip], at),
                           interned(r, out.cluster != nullptr ? *out.cluster : levels()[Level::cluster], at),
                           interned(r, *out.slice, at),
                           interned(r, levels()[Level::row], at),
                           interned(r, *out.time, at),
                           interned(r, *out.packet, at)};
  ir::Stage stage{std::move(what), declared, at};
  ir::OpenPass pass = pass_;
  throw_if_refused(pass.next(stage));
  stage.out = shape_of(r, pass);
  return {r.stage(end_, std::move(stage)), pass};
}

template <class Sink>
void Stream::end(Sink sink, Where at) && {
  Recording& r = recording(end_, at);
  ir::Stage stage{std::move(sink), {}, at};
  ir::OpenPass pass = pass_;
  throw_if_refused(pass.next(stage));
  stage.out = shape_of(r, pass);
  r.close(end_, std::move(stage));
}

// Fetch to accumulate.

Begin Begin::lifted_to(Level level, const Mapping& becomes, Where at) && {
  lifted_.set(level, becomes);
  const Levels& l = lifted_;
  throw_if_refused(verdict(lifted(pass_.stream(), &l[Level::chip], &l[Level::cluster], &l[Level::slice], at)));
  return *this;
}
Begin Begin::fetch_slice_lift(const Mapping& slice, Where at) && { return std::move(*this).lifted_to(Level::slice, slice, at); }
Begin Begin::fetch_cluster_lift(const Mapping& cluster, Where at) && { return std::move(*this).lifted_to(Level::cluster, cluster, at); }
Begin Begin::fetch_chip_lift(const Mapping& chip, Where at) && { return std::move(*this).lifted_to(Level::chip, chip, at); }
Stream Begin::fetch(ScalarType type, const Mapping& time, const Mapping& packet, Where at) && {
  return std::move(*this).fetched(nullptr, {}, type, time, packet, at);
}
Stream Begin::fetch_with_zero_points(const std::vector<std::int64_t>& z, ScalarType type, const Mapping& time, const Mapping& packet,
                                     Where at) && {
  return std::move(*this).fetched(nullptr, z, type, time, packet, at);
}
Stream Begin::fetched(const ir::LookupTable* table, const std::vector<std::int64_t>& zero_points, ScalarType type, const Mapping& time,
                      const Mapping& packet, Where at) && {
  ir::Fetch f;
  if (table != nullptr) {
    ir::Module& module = recording(end_, at).module;
    f.table = static_cast<int>(module.tables.size());
    module.tables.push_back(*table);
  }
  f.zero_points = zero_points;
  Stream begun(end_, pass_);
  Levels const to = lifted_;
  return std::move(begun).next(std::move(f), {type, &to[Level::slice], &time, &packet, &to[Level::chip], &to[Level::cluster]}, at);
}

Stream Stream::switch_to(const SwitchConfig& config, const Mapping& slice, const Mapping& time, Where at) && {
  Declared out = same();
  out.slice = &slice;
  out.time = &time;
  return std::move(*this).next(ir::Switch{config}, out, at);
}
Stream Stream::collect(const Mapping& time, const Mapping& packet, Where at) && {
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::Collect{}, out, at);
}
Stream Stream::align(const Tensor& trf, const Mapping& time, const Mapping& packet, Where at) && {
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::Align{recording(end_, at).id_of(trf.node(), at)}, out, at);
}
Stream Stream::contract(const Mapping& packet, Where at) && {
  Declared const out{wide_type(type()), same().slice, same().time, &packet};
  return std::move(*this).next(ir::Contract{ContractOp::Add}, out, at);
}
Stream Stream::contract_max(const Mapping& packet, Where at) && {
  Declared const out{wide_type(type()), same().slice, same().time, &packet};
  return std::move(*this).next(ir::Contract{ContractOp::Max}, out, at);
}
Stream Stream::accumulate(AccumulationKind kind, const Mapping& time, const Mapping& packet, Where at) && {
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::Accumulate{kind}, out, at);
}
Stream Stream::cast(ScalarType to, const Mapping& packet, Where at) && {
  Declared const out{to, same().slice, same().time, &packet};
  return std::move(*this).next(ir::Cast{}, out, at);
}
Stream Stream::commit_cast(ScalarType to, Where at) && { return std::move(*this).cast_at_commit(ir::CommitCast{}, to, at); }
Stream Stream::commit_cast_relu(ScalarType to, Where at) && { return std::move(*this).cast_at_commit(ir::CommitCastRelu{}, to, at); }
template <class Record>
Stream Stream::cast_at_commit(Record record, ScalarType to, Where at) && {
  auto const made = cast_packet(recording(end_, at).session()->device(), type(), to, *same().packet, quietly);
  Declared const out{to, same().slice, same().time, made ? &*made : same().packet};  // what it cannot make is refused there
  return std::move(*this).next(record, out, at);
}
Stream Stream::transpose(const Mapping& time, const Mapping& packet, Where at) && {
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::Transpose{}, out, at);
}

// Sinks.

Tensor Stream::made(Memory memory, ScalarType made_of, const Mapping* row, const Mapping& element, Address address, TrfAddress trf,
                    Where at) const {
  const Levels& l = levels();
  detail::Wanted w{memory, made_of, {}, address, trf};
  w.levels.set(Level::chip, l[Level::chip]).set(Level::cluster, l[Level::cluster]).set(Level::slice, l[Level::slice]);
  w.levels.set(Level::element, element);
  if (row != nullptr) w.levels.set(Level::row, *row);
  return detail::made(recording(end_, at), w, at);
}
Tensor Stream::committed(const Mapping& element, Address address, const SliceMask* slices, bool packed, Where at) && {
  Tensor to = made(Memory::Dm, type(), nullptr, element, address, {}, at);
  std::optional<SliceMask> const mask = slices == nullptr ? std::nullopt : std::optional(*slices);
  std::move(*this).end(ir::Commit{recording(end_, at).id_of(to.node(), at), mask, packed}, at);
  return to;
}
Tensor Stream::commit(const Mapping& element, Address address, Where at) && {
  return std::move(*this).committed(element, address, nullptr, false, at);
}
Tensor Stream::commit(const Mapping& element, Address address, const SliceMask& slices, Where at) && {
  return std::move(*this).committed(element, address, &slices, false, at);
}
Tensor Stream::commit_packed(const Mapping& element, Address address, Where at) && {
  return std::move(*this).committed(element, address, nullptr, true, at);
}
void Stream::commit_view(const Tensor& to, Where at) && {
  std::move(*this).end(ir::Commit{detail::written(recording(end_, at), to, at), std::nullopt, false}, at);
}
void Stream::commit_view(const Tensor& to, const SliceMask& slices, Where at) && {
  std::move(*this).end(ir::Commit{detail::written(recording(end_, at), to, at), slices, false}, at);
}
Tensor Stream::to_trf(const Mapping& row, const Mapping& element, TrfAddress address, Where at) && {
  Tensor to = made(Memory::Trf, type(), &row, element, {}, address, at);
  std::move(*this).end(ir::ToTrf{recording(end_, at).id_of(to.node(), at)}, at);
  return to;
}
Tensor Stream::to_vrf(const Mapping& element, Address address, Where at) && {
  Tensor to = made(Memory::Vrf, type(), nullptr, element, address, {}, at);
  std::move(*this).end(ir::ToVrf{recording(end_, at).id_of(to.node(), at)}, at);
  return to;
}

// The Vector Engine.

Stream Stream::vector_init(Where at) && { return std::move(*this).next(ir::VectorInit{}, same(), at); }
Stream Stream::vector_final(Where at) && { return std::move(*this).next(ir::VectorFinal{}, same(), at); }
Stream Stream::vector_intra_slice_branch(const BranchMode& mode, Where at) && {
  return std::move(*this).next(ir::Branch{mode, ir::none}, same(), at);
}
Stream Stream::vector_intra_slice_branch(const BranchMode& mode, const Tensor& log, Where at) && {
  return std::move(*this).next(ir::Branch{mode, recording(end_, at).id_of(log.node(), at)}, same(), at);
}
Stream Stream::vector_branch_log(const Mapping& element, Address address, Tensor& log, Where at) && {
  log = made(Memory::Vrf, ScalarType::i32, nullptr, element, address, {}, at);
  return std::move(*this).next(ir::BranchLog{recording(end_, at).id_of(log.node(), at)}, same(), at);
}
Stream Stream::vector_intra_slice_unzip(std::string_view axis, const Mapping& tile_time, const Mapping& split_time, Where at) && {
  Declared out = same();
  out.time = &split_time;
  return std::move(*this).next(ir::Unzip{Name(axis), interned(recording(end_, at), tile_time, at)}, out, at);
}

Stream Stream::operation(VectorStep step, std::initializer_list<Operand> operands, Where at) && {
  Recording& r = recording(end_, at);
  ir::VectorOperation o;
  bool const by_group = pass_.paired() && step.groups == Groups::both && operands.size() > 0;
  std::size_t const in_slot = step.method == VectorMethod::fp_ternary ? 2 : 1;
  std::vector<const Operand*> given;
  for (const Operand& each : operands)
    if (each.given()) given.push_back(&each);
  bool skips[2] = {false, false};
  for (std::size_t first = 0; first < given.size(); first += in_slot) {
    std::size_t const slot = first / in_slot, end = std::min(first + in_slot, given.size());
    bool const for_group = by_group && slot < 2;
    bool all_skip = true;
    for (std::size_t i = first; i < end; ++i) all_skip &= given[i]->is_skip();
    if (for_group && all_skip) {
      skips[slot] = true;
      continue;
    }
    for (std::size_t i = first; i < end; ++i) {  // `skip` beside another operand is one that the mode does not read
      ir::Operand operand{given[i]->shape(), ir::none};
      if (for_group) operand.shape.guard = OperandGuard::group(slot == 0 ? GroupId::Zero : GroupId::One);
      if (operand.shape.kind == OperandKind::vrf) {
        operand.vrf = r.id_of(given[i]->vrf().node(), at);
        operand.shape.type = r.module.tensor(operand.vrf).type;
      }
      o.operands.push_back(operand);
    }
  }
  if (by_group) step.groups = skips[0] ? (skips[1] ? Groups::neither : Groups::group1) : skips[1] ? Groups::group0 : Groups::both;
  o.step = step;
  return std::move(*this).next(std::move(o), same(), at);
}
Stream Stream::vector_fxp_to_fp(int int_width, Where at) && {
  Declared out = same();
  out.type = ScalarType::f32;
  return std::move(*this).next(ir::VectorOperation{fxp_to_fp_step(int_width), {}}, out, at);
}
Stream Stream::vector_fp_to_fxp(int int_width, Where at) && {
  Declared out = same();
  out.type = ScalarType::i32;
  return std::move(*this).next(ir::VectorOperation{fp_to_fxp_step(int_width), {}}, out, at);
}
Stream Stream::vector_reinterpret(ScalarType to, Where at) && {
  Declared out = same();
  out.type = to;
  return std::move(*this).next(ir::VectorOperation{reinterpret_step(to), {}}, out, at);
}
Stream Stream::reshaped(VectorMethod method, const Mapping& time, const Mapping& packet, Where at) && {
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::VectorOperation{step_of(method), {}}, out, at);
}
Stream Stream::vector_split(const Mapping& time, const Mapping& packet, Where at) && {
  return std::move(*this).reshaped(VectorMethod::split, time, packet, at);
}
Stream Stream::vector_concat(const Mapping& time, const Mapping& packet, Where at) && {
  return std::move(*this).reshaped(VectorMethod::concat, time, packet, at);
}
Stream Stream::vector_trim_way4(const Mapping& packet, Where at) && {
  return std::move(*this).reshaped(VectorMethod::trim_way4, *same().time, packet, at);
}
Stream Stream::vector_pad_way8(const Mapping& packet, Where at) && {
  return std::move(*this).reshaped(VectorMethod::pad_way8, *same().time, packet, at);
}
Stream Stream::vector_intra_slice_reduce(std::string_view axis, ReduceOp op, const Mapping& time, const Mapping& packet, Where at) && {
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::IntraSliceReduce{Name(axis), op}, out, at);
}
Stream Stream::vector_inter_slice_reduce(ReduceOp op, const Mapping& slice, const Mapping& time, Where at) && {
  Declared const out{type(), &slice, &time, same().packet};
  return std::move(*this).next(ir::InterSliceReduce{op}, out, at);
}
Stream Stream::vector_stash(Where at) && { return std::move(*this).next(ir::Stash{}, same(), at); }
Stream Stream::vector_write_operand(const Tensor& vrf, OperandGuard guard, Where at) && {
  return std::move(*this).next(ir::WriteOperand{recording(end_, at).id_of(vrf.node(), at), guard}, same(), at);
}
Stream Stream::vector_filter(OperandGuard keep, const Mapping& time, const Mapping& packet, Where at) && {
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::Filter{keep, ir::none}, out, at);
}
Stream Stream::vector_filter(OperandGuard keep, Address count_address, Tensor& count, const Mapping& time, const Mapping& packet,
                             Where at) && {
  count = made(Memory::Vrf, ScalarType::i32, nullptr, Mapping{}, count_address, {}, at);
  Declared const out{type(), same().slice, &time, &packet};
  return std::move(*this).next(ir::Filter{keep, recording(end_, at).id_of(count.node(), at)}, out, at);
}

}  // namespace tcp::dyn
