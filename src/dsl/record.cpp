// One function per call that a kernel can make: each turns its plain arguments into a record of the IR and adds it to
// the recording of the session.
#include "tcp/dsl/record.hpp"

#include "dsl/parts.hpp"
#include "tcp/dsl/context.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::detail {

namespace {

template <class What>
End note(End end, What what, const Layout& out, Where at) {
  Recording& r = recording(end.session, at);
  return r.stage(end, {std::move(what), r.shape(out), at});
}
template <class Sink>
void finish(End end, Sink sink, const Layout& in, Where at) {
  Recording& r = recording(end.session, at);
  r.close(end, {std::move(sink), r.shape(in), at});
}

Handle moved(Session* session, ir::Transfer transfer, Node* from, Memory memory, const Layout& to, Address address, Where at) {
  Recording& r = recording(session, at);
  transfer.source = r.id_of(from, at);
  Handle made = r.add(r.tensor(memory, to, address, at));
  transfer.destination = made.get()->id;
  r.command(std::move(transfer), at);
  return made;
}

/// A view of a tensor, with the layout that it has seen from there, or with the tensor's own.
Handle viewed(Node* of, ir::ViewOf view, const Layout* layout, Where at) {
  Recording& r = recording(nullptr, at);  // of this thread: the tensor may be another device's, and then it is that which is refused
  view.tensor = r.id_of(of, at);
  ir::Tensor t = r.module.tensor(view.tensor);
  if (layout != nullptr) {
    t = r.tensor(of->memory, *layout, {}, at);
    t.name = r.module.tensor(view.tensor).name;
  }
  t.address.reset();
  t.role = ir::Role::temporary;
  t.at = at;
  t.view = view;
  throw_if_refused(verdict(seen_by(r.module, t)));
  return r.add(std::move(t));
}

}  // namespace

Handle tensor_at(Session* session, Memory memory, const Layout& layout, Address address, Where at) {
  Recording& r = recording(session, at);
  ir::Tensor t = r.tensor(memory, layout, address, at);
  if (session == nullptr) t.role = ir::Role::from_addr;
  return r.add(std::move(t));
}
Handle whole_view(Node* of, Where at) {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::whole;
  return viewed(of, view, nullptr, at);
}
Handle tile(Node* of, const Mapping& dimension, std::int64_t length, std::int64_t start, const Layout& layout, Where at) {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::tile;
  view.dimension = recording(nullptr, at).map(dimension);
  view.length = length;
  view.start = start;
  return viewed(of, view, &layout, at);
}
Handle reshape(Node* of, const Layout& layout, Where at) {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::reshape;
  return viewed(of, view, &layout, at);
}
Handle relabel(Node* of, const Layout& layout, Where at) {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::relabel;
  return viewed(of, view, &layout, at);
}
void name_tensor(Node* node, const char* name) {
  if (node == nullptr) return;
  node->name = name;
  if (!node->session->is_recording()) return;
  Recording& r = node->session->recording({});
  if (r.serial() == node->recording) r.module.tensors[node->id].name = name;
}

Handle transfer(Session* session, Node* from, Memory memory, const Layout& to, Address address, Where at) {
  return moved(session, {}, from, memory, to, address, at);
}
void transfer_into(Session* session, Node* from, Node* to, const Mapping* time, const Mapping* packet, Where at) {
  Recording& r = recording(session, at);
  ir::Transfer t;
  t.source = r.id_of(from, at);
  t.destination = r.id_of(to, at);
  if (time != nullptr) t.time = r.map(*time);
  if (packet != nullptr) t.packet = r.map(*packet);
  r.command(std::move(t), at);
}
namespace {

/// The axis that an index tensor counts, if it is one: of its first numbers alone may be meant.
Mapping only_axis(const ir::Module& module, ir::TensorId index, Where at) {
  Levels const levels = module.levels(module.tensor(index));
  Mapping found;
  int axes = 0;
  for (const Mapping& m : levels.at)
    for (int a = 0; a < m.axes; ++a)
      if (coarsest_digit(m, a) >= 0) found = axis_mapping(m.axis[a].name, m.axis[a].extent), ++axes;
  if (axes != 1)
    throw Refused(refuse("gather-count-axes", at)
                      .what("the first rows of an index tensor that counts ", axes, " axes: ", levels[Level::element])
                      .why("what comes first is the order of one axis")
                      .help("count the numbers of the index tensor by one axis"));
  return found;
}
ir::TensorId first_steps(Recording& r, ir::TensorId of, const Mapping& axis, std::int64_t count, Where at) {
  ir::Tensor t = r.module.tensor(of);
  t.element = r.module.intern(value_or_throw(tile(r.module.map(t.element), axis, count, 0, at)).mapping);
  t.address.reset();
  t.role = ir::Role::temporary;
  t.at = at;
  t.view = ir::ViewOf{of, ir::ViewOf::Kind::tile, r.module.intern(axis), count, 0};
  throw_if_refused(verdict(seen_by(r.module, t)));
  return r.add(std::move(t)).get()->id;
}

}  // namespace

void pick_rows(Recording& r, ir::Transfer t, const RowPicks& rows, Where at) {
  t.rows = r.id_of(rows.index, at);
  t.row_axis = rows.axis;
  t.keys = rows.keys;
  if (rows.count) {
    Mapping const axis = only_axis(r.module, t.rows, at);
    if (*rows.count == 0) return;
    t.rows = first_steps(r, t.rows, axis, *rows.count, at);
    ir::TensorId& picked = t.kind == ir::Transfer::Kind::gather ? t.destination : t.source;
    picked = first_steps(r, picked, axis, *rows.count, at);
  }
  throw_if_refused(ir::verify_transfer(r.module, r.session()->device(), t, at));
  r.command(std::move(t), at);
}

Handle gather(Session* session, Node* table, const RowPicks& rows, Memory memory, const Layout& to, Address address, Where at) {
  Recording& r = recording(session, at);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::gather;
  t.source = r.id_of(table, at);
  Handle made = r.add(r.tensor(memory, to, address, at));
  t.destination = made.get()->id;
  pick_rows(r, std::move(t), rows, at);
  return made;
}
void scatter(Session* session, Node* from, const RowPicks& rows, Node* table, Where at) {
  Recording& r = recording(session, at);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::scatter;
  t.source = r.id_of(from, at);
  t.destination = r.id_of(table, at);
  pick_rows(r, std::move(t), rows, at);
}
Handle chip_shuffle(Session* session, Node* from, const std::int64_t* source, int count, const Layout& to, Address address, Where at) {
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::chip_shuffle;
  t.permutation.assign(source, source + count);
  return moved(session, std::move(t), from, Memory::Dm, to, address, at);
}
Handle cluster_shuffle(Session* session, Node* from, const std::int64_t* source, int count, const Layout& to, Address address, Where at) {
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::cluster_shuffle;
  t.permutation.assign(source, source + count);
  return moved(session, std::move(t), from, Memory::Dm, to, address, at);
}
Handle chip_slice(Session* session, Node* from, const Mapping& dimension, std::int64_t length, const std::int64_t* start, int count,
                  const Layout& to, Address address, Where at) {
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::chip_slice;
  t.permutation.assign(start, start + count);
  t.dimension = recording(session, at).map(dimension);
  t.length = length;
  return moved(session, std::move(t), from, Memory::Dm, to, address, at);
}
void memset(Session* session, Node* to, std::uint32_t word, Where at) {
  Recording& r = recording(session, at);
  r.command(ir::Memset{r.id_of(to, at), word}, at);
}

End begin(Session* session, Tu context, bool dual, Node* first, Node* second, Name turns, Where at) {
  Recording& r = recording(session, at);
  ir::Pass pass;
  pass.context = context;
  pass.dual = dual;
  pass.source.push_back(r.id_of(first, at));
  if (second != nullptr) pass.source.push_back(r.id_of(second, at));
  pass.turns = turns;
  return r.open(std::move(pass), at);
}
End fetch(End end, const Layout& out, const TableArg* table, const std::int64_t* zero_points, int zero_point_count, Where at) {
  ir::Fetch f;
  if (table != nullptr) {
    ir::Module& module = recording(end.session, at).module;
    f.table = static_cast<int>(module.tables.size());
    module.tables.push_back({table->name, table->from, table->to, {table->bits, table->bits + table->count}});
  }
  f.zero_points.assign(zero_points, zero_points + zero_point_count);
  return note(end, std::move(f), out, at);
}
End stage(End end, const Layout& out, StageKind kind, Where at) {
  Recording& r = recording(end.session, at);
  return r.stage(end, {ir::plain_stage(kind), r.shape(out), at});
}
End switched(End end, const Layout& out, const SwitchConfig& config, Where at) { return note(end, ir::Switch{config}, out, at); }
End align(End end, const Layout& out, Node* trf, Where at) {
  return note(end, ir::Align{recording(end.session, at).id_of(trf, at)}, out, at);
}
End contract(End end, const Layout& out, ContractOp op, Where at) { return note(end, ir::Contract{op}, out, at); }
End accumulate(End end, const Layout& out, AccumulationKind kind, Where at) { return note(end, ir::Accumulate{kind}, out, at); }
End vector_branch(End end, const Layout& out, const BranchMode& mode, Node* log, Where at) {
  return note(end, ir::Branch{mode, log == nullptr ? ir::TensorId() : recording(end.session, at).id_of(log, at)}, out, at);
}
End vector_branch_log(End end, const Layout& out, Node* log, Where at) {
  return note(end, ir::BranchLog{recording(end.session, at).id_of(log, at)}, out, at);
}
End vector_write_operand(End end, const Layout& out, Node* vrf, OperandGuard guard, Where at) {
  return note(end, ir::WriteOperand{recording(end.session, at).id_of(vrf, at), guard}, out, at);
}
End vector_step(End end, const Layout& out, const VectorStep& step, const OperandArg* operands, int count, Where at) {
  ir::VectorOperation o;
  o.step = step;
  for (int i = 0; i < count; ++i)
    o.operands.push_back({operands[i].shape, operands[i].shape.kind == OperandKind::vrf
                                                 ? recording(end.session, at).id_of(operands[i].vrf, at)
                                                 : ir::TensorId()});
  return note(end, std::move(o), out, at);
}
End vector_unzip(End end, const Layout& out, Name axis, const Mapping& tile_time, Where at) {
  return note(end, ir::Unzip{axis, recording(end.session, at).map(tile_time)}, out, at);
}
End vector_filter(End end, const Layout& out, OperandGuard keep, Node* count, Where at) {
  return note(end, ir::Filter{keep, count == nullptr ? ir::TensorId() : recording(end.session, at).id_of(count, at)}, out, at);
}
End vector_intra_slice_reduce(End end, const Layout& out, Name axis, ReduceOp op, Where at) {
  return note(end, ir::IntraSliceReduce{axis, op}, out, at);
}
End vector_inter_slice_reduce(End end, const Layout& out, ReduceOp op, Where at) { return note(end, ir::InterSliceReduce{op}, out, at); }

Handle commit(End end, const Layout& in, const Layout& to, Address address, const SliceMask* slices, bool pack_valid, Where at) {
  Recording& r = recording(end.session, at);
  Handle made = r.add(r.tensor(Memory::Dm, to, address, at));
  finish(end, ir::Commit{made.get()->id, slices == nullptr ? std::nullopt : std::optional(*slices), pack_valid}, in, at);
  return made;
}
void commit_view(End end, const Layout& in, Node* to, const SliceMask* slices, bool pack_valid, Where at) {
  ir::TensorId const id = recording(end.session, at).id_of(to, at);
  finish(end, ir::Commit{id, slices == nullptr ? std::nullopt : std::optional(*slices), pack_valid}, in, at);
}
Handle to_trf(End end, const Layout& in, const Layout& to, TrfAddress address, Where at) {
  Recording& r = recording(end.session, at);
  ir::Tensor t = r.tensor(Memory::Trf, to, {}, at);
  t.trf = address;
  Handle made = r.add(std::move(t));
  finish(end, ir::ToTrf{made.get()->id}, in, at);
  return made;
}
Handle to_vrf(End end, const Layout& in, const Layout& to, Address address, Where at) {
  Handle made = vrf_tensor(end.session, to, address, at);
  finish(end, ir::ToVrf{made.get()->id}, in, at);
  return made;
}
Handle vrf_tensor(Session* session, const Layout& layout, Address address, Where at) {
  Recording& r = recording(session, at);
  return r.add(r.tensor(Memory::Vrf, layout, address, at));
}

}  // namespace tcp::detail

namespace tcp {

RegionMark::RegionMark(detail::Session* session, const char* name, std::int64_t index, Where at, bool kept) : session_(session) {
  session_->recording(at).enter_region(name, index, kept);
}
RegionMark::~RegionMark() {
  if (session_->is_recording()) session_->recording({}).leave_region();
}

Context::Context(detail::Session* session) : session_(session), main(session), sub(session), tdma(session), pdma(session) {}
Context::~Context() {
  session_->close();
  session_->release();
}

}  // namespace tcp
