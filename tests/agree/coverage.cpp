#include "coverage.hpp"

#include <istream>
#include <ostream>

#include "tcp/rules/pairing.hpp"
#include "tcp/rules/view.hpp"

namespace tcp::agree {
namespace {

std::string name(ScalarType t) { return scalar_info(t).name; }

constexpr const char* memory_names[] = {"host", "HBM", "DM", "SPM", "TRF", "VRF"};
constexpr const char* transfer_names[] = {"move", "gather", "scatter", "chip_slice", "chip_shuffle", "cluster_shuffle"};
constexpr const char* branch_names[] = {"Unconditional", "AxisToggle", "ValidCount", "Comparison", "Vrf"};
constexpr const char* compare_names[] = {"Equal", "Less", "Greater", "LessUnsigned", "GreaterUnsigned", "True", "False"};
constexpr const char* operand_names[] = {"none", "constant", "VRF", "stash"};
constexpr const char* group_names[] = {"both", "group0", "group1", "zip", "neither"};
constexpr const char* binary_modes[] = {"Mode00", "Mode01", "Mode10", "Mode11"};
constexpr const char* ternary_modes[] = {"Mode012", "Mode002", "Mode102", "Mode112", "Mode020", "Mode021", "Mode120"};
constexpr const char* view_names[] = {"view whole", "view tile", "view reshape", "view relabel"};
constexpr const char* trf_names[] = {"Full", "FirstHalf", "SecondHalf"};

bool padded(const Mapping& m) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].slot > m.digit[k].size) return true;
  return m.tails > 0;
}

/// A tensor in the last cluster and no other: `E #< 1 = 2`.
bool last_cluster(const Mapping& cluster) {
  return cluster.digits == 1 && is_one_place(Levels{}.set(Level::cluster, cluster), static_cast<int>(Level::cluster), 0);
}

/// "FxpBinaryOp::AddFxp Mode01"
std::string operation_name(const VectorStep& s) {
  detail::vec::StepOp const op = detail::vec::step_op(s);
  std::string text = std::string(op.family) + "::" + op.info.name;
  if (s.family == OpFamily::FpTernary) return text + " " + ternary_modes[s.mode];
  if (s.family == OpFamily::FpUnary) return text;
  return text + " " + binary_modes[s.mode];
}

template <class Op>
void require_operations(std::vector<std::string>& all, OpFamily family, std::size_t modes) {
  VectorStep s;
  s.family = family;
  for (std::size_t op = 0; op < std::size(Op::table); ++op)
    for (std::size_t mode = 0; mode < modes; ++mode) {
      s.op = static_cast<std::uint8_t>(op);
      s.mode = static_cast<std::uint8_t>(mode);
      all.push_back("vector " + operation_name(s));
    }
}

/// What a corpus of full size must reach.
std::vector<std::string> required() {
  std::vector<std::string> all;
  for (const char* t : transfer_names) all.push_back(std::string("transfer ") + t);
  for (const char* from : {"HBM", "DM", "SPM"})
    for (const char* to : {"HBM", "DM", "SPM"}) all.push_back(std::string("move ") + from + " to " + to);
  for (const char* t : {"move broadcasts",
                        "move padded",
                        "move transposes",
                        "move crosses chips",
                        "move crosses clusters",
                        "host to HBM",
                        "HBM to host",
                        "memset",
                        "memset of a tile",
                        "CHIP-09 memset above 64 words",
                        "CHIP-09 memset of parts of words",
                        "CHIP-08 load ends in padding",
                        "CHIP-11 DM to DM across clusters",
                        "CHIP-15 move from the second cluster alone",
                        "CHIP-15 move into the second cluster alone",
                        "CHIP-15 pass in the second cluster alone",
                        "CHIP-10 fetch below 8 bytes",
                        "CHIP-26 lift into Slice",
                        "CHIP-26 lift into Cluster",
                        "CHIP-26 lift into Chip",
                        "CHIP-26 lift of a part of an axis",
                        "CHIP-27 read of a tile of Slice",
                        "CHIP-27 read of a tile of Cluster",
                        "CHIP-27 read of a tile of Chip",
                        "CHIP-27 write into a tile of Slice",
                        "CHIP-27 write into a tile of Cluster",
                        "CHIP-27 write into a tile of Chip",
                        "CHIP-14 contraction repeats in time",
                        "CHIP-01 Broadcast1 into the first of n",
                        "CHIP-01 Broadcast01 into the first of n",
                        "CHIP-01 CustomBroadcast into the first of n",
                        "CHIP-02 part of a new axis",
                        "CHIP-02 new axis in two digits",
                        "CHIP-13 ring of some slices",
                        "read of a view",
                        "write into a view",
                        "gather of a view",
                        "CHIP-24 gather by byte offsets",
                        "CHIP-24 scatter by byte offsets",
                        "scatter into a view",
                        "rows of a view",
                        "shuffle of a view",
                        "slice of a view",
                        "contraction with a view",
                        "fetch of a view",
                        "fetch interleaved views",
                        "vector operand view",
                        "branch view",
                        "vector writes a view",
                        "chips 1",
                        "chips 2",
                        "chips 4"})
    all.push_back(t);
  for (const char* memory : {"HBM", "DM", "SPM", "TRF", "VRF"}) all.push_back(std::string("view tile of ") + memory);
  for (const char* memory : {"HBM", "DM", "TRF"}) all.push_back(std::string("view whole of ") + memory);
  for (const char* memory : {"HBM", "DM", "TRF", "VRF"}) all.push_back(std::string("view reshape of ") + memory);
  for (const char* memory : {"HBM", "DM"}) all.push_back(std::string("view relabel of ") + memory);
  for (const char* t : {"CHIP-03 copies get names", "CHIP-03 elements are forgotten", "CHIP-03 padding gets names",
                        "result under other names", "CHIP-28 argument in DM", "CHIP-28 result in DM"})
    all.push_back(t);
  for (const char* memory : {"HBM", "DM", "VRF"}) all.push_back(std::string("view of other bits of ") + memory);
  for (const char* memory : {"HBM", "DM"}) all.push_back(std::string("view as a window of ") + memory);
  for (const char* t :
       {"fetch main", "fetch sub", "fetch dual", "fetch begins before the tensor", "fetch interleaved", "fetch table", "fetch 1 zero point",
        "fetch 2 zero points", "fetch mask ends", "fetch mask rounds", "fetch mask counts", "fetch broadcast"})
    all.push_back(t);
  for (const auto& c : detail::fetch_cast_table) all.push_back("fetch cast " + name(c.from) + " to " + name(c.to));
  for (const auto& c : detail::cast_engine_table) all.push_back("cast " + name(c.from) + " to " + name(c.to));
  for (int t = 0; t < 7; ++t) all.push_back(std::string("switch ") + name_of(static_cast<Topology>(t)));
  for (const char* t : {"switch drops", "switch new axis", "switch copies"}) all.push_back(t);
  for (ScalarType t :
       {ScalarType::i4, ScalarType::i5, ScalarType::i8, ScalarType::i9, ScalarType::f8e4m3, ScalarType::f8e5m2, ScalarType::bf16})
    for (const char* side : {"stream ", "weights "}) all.push_back(std::string("contraction ") + side + name(t));
  for (const char* t : trf_names) all.push_back(std::string("to_trf ") + t);
  for (const char* t :
       {"rows 1",         "rows 2",         "rows 4",         "rows 8",     "Add",        "Max",        "Interleaved", "Sequential",
        "adds over time", "columns left",   "zero padding",   "tiles",      "collects 1", "collects 2", "collects 3",  "shifts",
        "shift stride 1", "shift stride 2", "flit transpose", "then vector"})
    all.push_back(std::string("contraction ") + t);
  require_operations<LogicBinaryOpI32>(all, OpFamily::LogicI32, 4);
  require_operations<LogicBinaryOpF32>(all, OpFamily::LogicF32, 4);
  require_operations<FxpBinaryOp>(all, OpFamily::Fxp, 4);
  require_operations<FpUnaryOp>(all, OpFamily::FpUnary, 1);
  require_operations<FpBinaryOp>(all, OpFamily::FpBinary, 4);
  require_operations<FpTernaryOp>(all, OpFamily::FpTernary, 7);
  require_operations<FpDivBinaryOp>(all, OpFamily::FpDiv, 4);
  require_operations<ClipBinaryOpI32>(all, OpFamily::ClipI32, 4);
  require_operations<ClipBinaryOpF32>(all, OpFamily::ClipF32, 4);
  for (const char* method : {"logic", "fxp", "fp_binary", "clip"}) all.push_back(std::string("vector zip ") + method);
  for (const char* t :
       {"split", "trim_way4", "concat", "pad_way8", "unzip", "stash", "branch_log", "write_operand", "filter", "filter count"})
    all.push_back(std::string("vector ") + t);
  for (const char* t : {"operand constant", "operand VRF", "operand stash", "several slots", "guard", "groups both", "groups group0",
                        "groups group1", "groups zip", "read back in time"})
    all.push_back(std::string("vector ") + t);
  for (const char* t : branch_names) all.push_back(std::string("branch ") + t);
  for (const char* t : compare_names) all.push_back(std::string("compare ") + t);
  for (int w = 0; w < 32; ++w) {
    all.push_back("vector fxp_to_fp " + std::to_string(w));
    all.push_back("vector fp_to_fxp " + std::to_string(w));
  }
  for (const char* t : {"i32 AddSat", "i32 Max", "i32 Min", "f32 Add", "f32 Max", "f32 Min"})
    all.push_back(std::string("intra_slice_reduce ") + t);
  for (const char* t : {"tree", "over time", "padded"}) all.push_back(std::string("intra_slice_reduce ") + t);
  for (const char* t : {"i32 Add", "i32 AddSat", "i32 Max", "i32 Min", "f32 Add", "f32 Max", "f32 Min", "f32 Mul"})
    all.push_back(std::string("inter_slice_reduce ") + t);
  for (const char* t : {"first", "last", "dummy", "broadcast", "promotion"}) all.push_back(std::string("inter_slice_reduce ") + t);
  for (const char* t : {"transpose", "transpose 4 bits", "transpose 8 bits", "transpose 16 bits", "transpose 32 bits", "commit main",
                        "commit sub", "commit truncates", "commit chunks", "commit slice mask", "commit into a view"})
    all.push_back(t);
  // What chips do beyond the book, by the numbers of docs/claims/chip.md.
  for (const char* t :
       {"CHIP-04 operand constant in slices", "CHIP-05 coarse operand, one cell", "CHIP-05 coarse operand, neighbours",
        "CHIP-06 sub commits of Collect", "CHIP-06 sub commits of Vector", "CHIP-06 sub commits of Cast", "CHIP-07 to_vrf of Collect",
        "CHIP-07 to_vrf of Vector", "CHIP-12 single values into a tile", "CHIP-21 commit_cast of Collect", "CHIP-21 commit_cast of Vector",
        "CHIP-21 commit_cast of Transpose", "CHIP-21 commit_cast in sub", "CHIP-21 commit_cast_relu of i32",
        "CHIP-21 commit_cast_relu of f32", "CHIP-22 packed transpose of 8 bits", "CHIP-22 packed transpose of 16 bits",
        "CHIP-20 reinterpret as i32", "CHIP-20 reinterpret as f32"})
    all.push_back(t);
  for (const char* t : {"numeric rngd", "numeric ieee", "device rngd", "device rngd_s", "device logical", "tensors with addresses",
                        "tensors without addresses"})
    all.push_back(t);
  return all;
}

}  // namespace

void Coverage::note(const Program& program, const ir::Facts& facts) {
  const ir::Module& m = program.module;
  hit("chips " + std::to_string(m.chips));
  hit(std::string("numeric ") + numeric_model_name(m.numeric));
  hit(std::string("device ") + std::string(program.device->name.view()));
  bool placed = false;
  for (const ir::Tensor& t : m.tensors) {
    placed |= t.address.has_value();
    if (!t.view) continue;
    if (detail::has_window(m.map(t.element)) && !detail::has_window(m.map(m.tensor(t.view->tensor).element)))
      hit(std::string("view as a window of ") + memory_names[static_cast<int>(t.memory)]);
    if (t.view->kind == ir::ViewOf::Kind::relabel) note_names(m.levels(m.tensor(t.view->tensor)), m.levels(t));
    bool const other_bits = t.type != m.tensor(t.view->tensor).type;
    hit(std::string(other_bits ? "view of other bits" : view_names[static_cast<int>(t.view->kind)]) + " of " +
        memory_names[static_cast<int>(t.memory)]);
  }
  for (ir::TensorId id : m.results) {
    if (m.tensor(id).view) hit("result under other names");
    if (m.tensor(id).memory == Memory::Dm) hit("CHIP-28 result in DM");
  }
  for (ir::TensorId id : m.arguments)
    if (m.tensor(id).memory == Memory::Dm) hit("CHIP-28 argument in DM");
  hit(placed ? "tensors with addresses" : "tensors without addresses");
  for (std::size_t i = 0; i < m.commands.size(); ++i) {
    const auto& what = m.commands[i].what;
    if (const auto* p = std::get_if<ir::Pass>(&what)) note(m, *p, facts.commands[i].as<ir::PassFacts>());
    if (const auto* set = std::get_if<ir::Memset>(&what)) {
      hit(m.tensor(set->destination).view ? "memset of a tile" : "memset");
      const MemsetWrites& writes = facts.commands[i].as<MemsetWrites>();
      if (writes.count > 64) hit("CHIP-09 memset above 64 words");
      if (writes.bytes < 4) hit("CHIP-09 memset of parts of words");
    }
    if (const auto* h = std::get_if<ir::HostTransfer>(&what))
      hit(m.tensor(h->source).memory == Memory::Host ? "host to HBM" : "HBM to host");
    const auto* t = std::get_if<ir::Transfer>(&what);
    if (t == nullptr) continue;
    hit(std::string("transfer ") + transfer_names[static_cast<int>(t->kind)]);
    const ir::Tensor &from = m.tensor(t->source), &to = m.tensor(t->destination);
    if (from.view) hit("read of a view");
    if (to.view) hit("write into a view");
    Place const read = m.first_unit(t->source), written = m.first_unit(t->destination);
    for (Level level : {Level::chip, Level::cluster, Level::slice}) {
      if (read.on(static_cast<int>(level)) > 0) hit(std::string("CHIP-27 read of a tile of ") + name_of(level));
      if (written.on(static_cast<int>(level)) > 0) hit(std::string("CHIP-27 write into a tile of ") + name_of(level));
    }
    using Kind = ir::Transfer::Kind;
    if (t->keys == RowKeys::byte_offsets)
      hit(t->kind == Kind::gather ? "CHIP-24 gather by byte offsets" : "CHIP-24 scatter by byte offsets");
    if (from.view && t->kind == Kind::gather) hit("gather of a view");
    if (to.view && t->kind == Kind::scatter) hit("scatter into a view");
    if (t->rows != ir::none && m.tensor(t->rows).view) hit("rows of a view");
    if (from.view && (t->kind == Kind::chip_shuffle || t->kind == Kind::cluster_shuffle)) hit("shuffle of a view");
    if (from.view && t->kind == Kind::chip_slice) hit("slice of a view");
    if (t->kind != ir::Transfer::Kind::move) continue;
    hit(std::string("move ") + memory_names[static_cast<int>(from.memory)] + " to " + memory_names[static_cast<int>(to.memory)]);
    const DmaPlan& plan = facts.commands[i].as<DmaPlan>();
    if (plan.broadcasts) hit("move broadcasts");
    if (plan.crosses_chips) hit("move crosses chips");
    if (plan.crosses_clusters) hit("move crosses clusters");
    if (plan.crosses_clusters && from.memory == Memory::Dm && to.memory == Memory::Dm) hit("CHIP-11 DM to DM across clusters");
    if (last_cluster(m.map(from.cluster))) hit("CHIP-15 move from the second cluster alone");
    if (last_cluster(m.map(to.cluster))) hit("CHIP-15 move into the second cluster alone");
    std::int64_t const bits = scalar_info(from.type).packet_bits;
    if (from.memory == Memory::Hbm && to.memory == Memory::Dm && m.map(from.element).size * bits % 64 != 0 &&
        plan.run.value * 8 > m.map(from.element).size * bits)
      hit("CHIP-08 load ends in padding");
    if (padded(m.map(from.element)) || padded(m.map(to.element))) hit("move padded");
    bool moved = false;
    for (int k = 0; k + 1 < plan.moves.pairs; ++k) moved |= plan.moves.pair[k].from_stride < plan.moves.pair[k + 1].from_stride;
    if (moved) hit("move transposes");
  }
}

void Coverage::note(const ir::Module& m, const ir::Pass& pass, const ir::PassFacts& facts) {
  hit(pass.context == Tu::Main ? "fetch main" : "fetch sub");
  if (pass.dual) hit("fetch dual");
  if (pass.source.size() == 2) hit("fetch interleaved");
  if (last_cluster(m.map(m.tensor(pass.source[0]).cluster))) hit("CHIP-15 pass in the second cluster alone");
  bool const of_view = m.tensor(pass.source[0]).view.has_value();
  if (of_view) hit(pass.source.size() == 2 ? "fetch interleaved views" : "fetch of a view");
  ScalarType const from = m.tensor(pass.source[0]).type;
  ScalarType const to = pass.stages[0].out.type;
  const auto& fetch = std::get<ir::Fetch>(pass.stages[0].what);
  if (from != to && fetch.table == ir::none) hit("fetch cast " + name(from) + " to " + name(to));
  bool contracts = false, intra = false, inter = false;
  for (std::size_t i = 0; i < pass.stages.size(); ++i) {
    const ir::Stage& s = pass.stages[i];
    note(m, s, facts.stages[i]);
    if (std::holds_alternative<ir::Switch>(s.what) && i > 0)
      note_copies(m.map(pass.stages[i - 1].out.slice), m.map(pass.stages[i - 1].out.time), facts.stages[i].as<Switched>());
    if (std::holds_alternative<ir::Align>(s.what)) contracts = true;
    if (contracts && std::holds_alternative<ir::VectorInit>(s.what)) hit("contraction then vector");
    if (std::holds_alternative<ir::Branch>(s.what)) {
      intra = true;
      if (inter) hit("inter_slice_reduce first");
    }
    if (std::holds_alternative<ir::InterSliceReduce>(s.what)) {
      inter = true;
      if (intra) hit("inter_slice_reduce last");
    }
    if (const auto* a = std::get_if<ir::Align>(&s.what)) {
      hit("contraction stream " + name(pass.stages[i - 1].out.type));
      hit("contraction weights " + name(m.tensor(a->trf).type));
      hit("contraction rows " + std::to_string(m.map(m.tensor(a->trf).row).size));
      if (m.tensor(a->trf).view) hit("contraction with a view");
    }
    if (std::holds_alternative<ir::Cast>(s.what)) hit("cast " + name(pass.stages[i - 1].out.type) + " to " + name(s.out.type));
    if (std::holds_alternative<ir::Transpose>(s.what)) hit("transpose " + std::to_string(scalar_info(s.out.type).packet_bits) + " bits");
    if (i > 0) note_chip(m, pass, i, facts);
    const auto* w = std::get_if<ir::WriteOperand>(&s.what);
    for (std::size_t j = 0; w != nullptr && j < i; ++j)
      if (const auto* o = std::get_if<ir::VectorOperation>(&pass.stages[j].what))
        for (const ir::Operand& each : o->operands)
          if (each.shape.kind == OperandKind::vrf && each.vrf == w->vrf) hit("vector read back in time");
    if (const auto* c = std::get_if<ir::Commit>(&s.what)) {
      hit(pass.context == Tu::Main ? "commit main" : "commit sub");
      if (c->slices) hit("commit slice mask");
      if (m.tensor(c->destination).view) hit("commit into a view");
    }
  }
}

/// How the copies of a switch are named, and how large its rings are.
void Coverage::note_names(const Levels& tensor, const Levels& relabelled) {
  for (int l = 0; l < level_count; ++l) {
    const Mapping &was = tensor.at[l], &is = relabelled.at[l];
    if (!detail::keeps_copies(is, was)) hit("CHIP-03 copies get names");
    for (std::int64_t p = 0; p < was.size; ++p) {
      bool const before = cell(was, p).live(), after = cell(is, p).live();
      if (before && !after) hit("CHIP-03 elements are forgotten");
      if (!before && after) hit("CHIP-03 padding gets names");
    }
  }
}

void Coverage::note_copies(const Mapping& slice, const Mapping& time, const Switched& found) {
  bool named = false;
  for (int k = 0; k < found.slice.digits; ++k) {
    Digit const& digit = found.slice.digit[k];
    if (digit.axis == no_axis) {
      named |= digit.size > 1;
      continue;
    }
    AxisUse const& axis = found.slice.axis[digit.axis];
    if (find_axis(slice, axis.name) >= 0) continue;
    named = true;
    bool more = false;
    for (int j = 0; j < k; ++j) more |= found.slice.digit[j].axis == digit.axis;
    if (more) hit("CHIP-02 new axis in two digits");
    else if (digit.size < axis.extent) hit("CHIP-02 part of a new axis");
  }
  if (found.time.size > time.size && !named) hit(std::string("CHIP-01 ") + name_of(found.topology) + " into the first of n");
  if (found.topology != Topology::CustomBroadcast || found.ring_size == 1 || found.ring_size == slice.size) return;
  bool const from_padded = slice.digits > 0 && slice.digit[0].slot > slice.digit[0].size;
  bool const to_padded = found.slice.digits > 0 && found.slice.digit[0].slot > found.slice.digit[0].size;
  if (from_padded && to_padded) hit("CHIP-13 ring of some slices");
}

/// What chips do beyond the book: stage i of a pass, which has one before it.
void Coverage::note_chip(const ir::Module& m, const ir::Pass& pass, std::size_t i, const ir::PassFacts& facts) {
  const ir::Stage& s = pass.stages[i];
  Levels const in = m.levels(pass.stages[i - 1].out);
  auto const before = [&]() -> const char* {
    const auto& what = pass.stages[i - 1].what;
    if (std::holds_alternative<ir::VectorFinal>(what)) return "Vector";
    if (std::holds_alternative<ir::Collect>(what)) return "Collect";
    if (std::holds_alternative<ir::Transpose>(what)) return "Transpose";
    return std::holds_alternative<ir::Cast>(what) ? "Cast" : nullptr;
  };
  if (const auto* t = facts.stages[i].if_found<TransposeResult>()) {
    std::int64_t const bits = scalar_info(s.out.type).packet_bits;
    if (bits != 4 && t->elements_per_packet > 8) hit("CHIP-22 packed transpose of " + std::to_string(bits) + " bits");
  }
  bool const relu = std::holds_alternative<ir::CommitCastRelu>(s.what);
  if (relu) hit("CHIP-21 commit_cast_relu of " + name(pass.stages[i - 1].out.type));
  if (relu || std::holds_alternative<ir::CommitCast>(s.what)) {
    if (before() != nullptr) hit(std::string("CHIP-21 commit_cast of ") + before());
    if (pass.context == Tu::Sub) hit("CHIP-21 commit_cast in sub");
  }
  if (const auto* o = std::get_if<ir::VectorOperation>(&s.what))
    for (const ir::Operand& each : o->operands) {
      if (each.shape.kind != OperandKind::vrf) continue;
      Levels const held = m.levels(m.tensor(each.vrf));
      for (const Mapping& level : held.at)
        for (int a = 0; a < level.axes; ++a) {
          Name const axis = level.axis[a].name;
          const Mapping& element = held[Level::element];
          bool const stepped = detail::vec::counts(in[Level::time], axis) || detail::vec::counts(in[Level::packet], axis);
          if (detail::vec::counts(held, axis) && stepped && !detail::vec::counts(element, axis)) hit("CHIP-04 operand constant in slices");
          if (!detail::vec::steps_between(in, element, axis)) continue;
          bool const one = detail::vec::lanes_read(facts.stages[i].as<Loops>(), in[Level::packet]) == detail::vec::LanesRead::one_cell;
          hit(one ? "CHIP-05 coarse operand, one cell" : "CHIP-05 coarse operand, neighbours");
        }
    }
  if (std::holds_alternative<ir::ToVrf>(s.what) && pass.context == Tu::Main && before() != nullptr)
    hit(std::string("CHIP-07 to_vrf of ") + before());
  const auto* c = std::get_if<ir::Commit>(&s.what);
  if (c == nullptr) return;
  if (pass.context == Tu::Sub && before() != nullptr) hit(std::string("CHIP-06 sub commits of ") + before());
  if (m.tensor(c->destination).view && padded(facts.stages[i].as<Committed>().packet)) hit("CHIP-12 single values into a tile");
}

void Coverage::note(const ir::Module& m, const ir::Stage& s, const ir::StageFacts& facts) {
  if (const auto* f = std::get_if<ir::Fetch>(&s.what)) {
    if (f->table != ir::none) hit("fetch table");
    if (f->zero_points.size() == 1) hit("fetch 1 zero point");
    if (f->zero_points.size() == 2) hit("fetch 2 zero points");
    const Fetched& found = facts.as<Fetched>();
    for (int k = 0; k < found.sequence.loops.entries; ++k)
      if (found.sequence.loops.entry[k].stride == 0 && k != found.interleave_entry) {
        hit("fetch broadcast");
        break;
      }
    for (int k = 0; k < found.lifts.count; ++k) {
      const LiftStep& lift = found.lifts.step[k];
      hit(std::string("CHIP-26 lift into ") + name_of(lift.level));
      for (const Mapping* left : {&m.map(s.out.time), &m.map(s.out.packet)})
        for (Level level : {Level::chip, Level::cluster, Level::slice})
          for (int a = 0; a < left->axes && level == lift.level; ++a)
            if (find_axis(m.map(s.out.at(level)), left->axis[a].name) >= 0) hit("CHIP-26 lift of a part of an axis");
    }
    if (found.read_before.value > 0) hit("fetch begins before the tensor");
    if (found.fetch_size().value * found.fetches_per_packet() < 8) hit("CHIP-10 fetch below 8 bytes");
    if (found.mask.on) {
      bool const innermost =
          found.mask.last_dim == found.sequence.loops.entries - 1 || found.sequence.loops.entry[found.mask.last_dim].size == 1;
      hit(found.mask.valid_count_dim >= 0 ? "fetch mask counts" : innermost ? "fetch mask ends" : "fetch mask rounds");
    }
  }
  if (const auto* sw = std::get_if<ir::Switch>(&s.what)) {
    hit(std::string("switch ") + name_of(sw->config.topology));
    const Switched& found = facts.as<Switched>();
    if (found.drops_live) hit("switch drops");
    for (int k = 0; k < found.slice.digits; ++k)
      if (found.slice.digit[k].axis == no_axis && found.slice.digit[k].size > 1) hit("switch copies");
    for (int k = 0; k < found.of_slice.steps; ++k)
      if (found.of_slice.step[k].slice == 0 && found.of_slice.step[k].time == 0 && found.of_slice.step[k].held > 1) hit("switch new axis");
  }
  if (const auto* t = std::get_if<ir::ToTrf>(&s.what))
    hit(std::string("to_trf ") + trf_names[static_cast<int>(m.tensor(t->destination).trf)]);
  if (const auto* a = facts.if_found<Aligned>()) {
    hit("contraction collects " + std::to_string(a->adapter.collect_flits));
    if (a->adapter.shifts > 1) {
      hit("contraction shifts");
      hit("contraction shift stride " + std::to_string(a->adapter.shift_stride));
    }
    if (a->adapter.tiles > 1) hit("contraction tiles");
    if (const auto* align = std::get_if<ir::Align>(&s.what); align != nullptr && a->adapter.tiles > 1) {
      const Mapping& time = a->at[Level::time];
      Levels const weights = m.levels(m.tensor(align->trf));
      Digit const innermost = time.digits > 0 ? time.digit[time.digits - 1] : Digit{};
      if (innermost.axis != no_axis && find_axis(weights[Level::element], time.axis[innermost.axis].name) < 0)
        hit("CHIP-14 contraction repeats in time");
    }
    if (a->adapter.transpose.rows > 1) hit("contraction flit transpose");
    for (Level l : {Level::time, Level::packet})
      for (int k = 0; k < a->at[l].digits; ++k)
        if (a->at[l].digit[k].pad == Pad::zero) hit("contraction zero padding");
  }
  if (const auto* c = std::get_if<ir::Contract>(&s.what)) hit(c->op == ContractOp::Add ? "contraction Add" : "contraction Max");
  if (const auto* c = facts.if_found<Contracted>(); c != nullptr && c->at[Level::packet].size > 1) hit("contraction columns left");
  if (const auto* a = std::get_if<ir::Accumulate>(&s.what)) hit(std::string("contraction ") + name_of(a->kind));
  if (const auto* a = facts.if_found<Accumulated>())
    for (int k = 0; k < a->loops; ++k)
      if (a->loop[k].added) {
        hit("contraction adds over time");
        break;
      }
  if (const auto* b = std::get_if<ir::Branch>(&s.what)) {
    hit(std::string("branch ") + branch_names[static_cast<int>(b->mode.kind)]);
    for (const InputCmp& c : b->mode.compare)
      if (b->mode.kind == BranchMode::Kind::Comparison) hit(std::string("compare ") + compare_names[static_cast<int>(c.kind)]);
  }
  auto const is_view = [&m](ir::TensorId id) { return id != ir::none && m.tensor(id).view.has_value(); };
  if (const auto* b = std::get_if<ir::Branch>(&s.what); b != nullptr && is_view(b->vrf)) hit("branch view");
  if (const auto* o = std::get_if<ir::VectorOperation>(&s.what)) {
    note_operation(*o);
    for (const ir::Operand& each : o->operands)
      if (each.shape.kind == OperandKind::vrf && is_view(each.vrf)) hit("vector operand view");
  }
  if (const auto* l = std::get_if<ir::BranchLog>(&s.what)) {
    hit("vector branch_log");
    if (is_view(l->vrf)) hit("vector writes a view");
  }
  if (const auto* w = std::get_if<ir::WriteOperand>(&s.what)) {
    hit("vector write_operand");
    if (is_view(w->vrf)) hit("vector writes a view");
  }
  if (std::holds_alternative<ir::Stash>(s.what)) hit("vector stash");
  if (std::holds_alternative<ir::Unzip>(s.what)) hit("vector unzip");
  if (std::holds_alternative<ir::Transpose>(s.what)) hit("transpose");
  if (const auto* f = std::get_if<ir::Filter>(&s.what)) {
    hit("vector filter");
    if (f->count != ir::none) hit("vector filter count");
  }
  if (const auto* r = std::get_if<ir::IntraSliceReduce>(&s.what)) {
    hit("intra_slice_reduce " + name(s.out.type) + " " + name_of(r->op));
    const IntraSliceResult& found = facts.as<IntraSliceResult>();
    if (found.tree) hit("intra_slice_reduce tree");
    if (found.steps > 1) hit("intra_slice_reduce over time");
    if (found.folds_padding || padded(m.map(s.out.slice)) || padded(m.map(s.out.packet))) hit("intra_slice_reduce padded");
  }
  if (const auto* r = std::get_if<ir::InterSliceReduce>(&s.what)) {
    hit("inter_slice_reduce " + name(s.out.type) + " " + name_of(r->op));
    const InterSliceResult& found = facts.as<InterSliceResult>();
    if (found.broadcast == 1 && found.promoted == 1) hit("inter_slice_reduce dummy");
    if (found.broadcast > 1) hit("inter_slice_reduce broadcast");
    if (found.promoted > 1) hit("inter_slice_reduce promotion");
  }
  if (const auto* c = facts.if_found<Committed>()) {
    if (c->dropped.value > 0) hit("commit truncates");
    if (c->writes_per_step() > 1) hit("commit chunks");
  }
}

void Coverage::note_operation(const ir::VectorOperation& o) {
  const VectorStep& s = o.step;
  std::string const method = std::string(info_of(s.method).name).substr(7);
  if (s.family == OpFamily::none) {
    if (s.method == VectorMethod::reinterpret) return hit("CHIP-20 reinterpret as " + name(s.to));
    bool const width = s.method == VectorMethod::fxp_to_fp || s.method == VectorMethod::fp_to_fxp;
    return hit("vector " + method + (width ? " " + std::to_string(s.int_width) : ""));
  }
  hit("vector " + operation_name(s));
  hit(std::string("vector groups ") + group_names[static_cast<int>(s.groups)]);
  if (s.groups == Groups::zip) hit("vector zip " + method);
  std::size_t const each = s.family == OpFamily::FpTernary ? 2 : 1;
  if (o.operands.size() > each) hit("vector several slots");
  bool guarded = false;
  for (const ir::Operand& operand : o.operands) {
    hit(std::string("vector operand ") + operand_names[static_cast<int>(operand.shape.kind)]);
    guarded |= operand.shape.guard != OperandGuard::always();
  }
  if (guarded) hit("vector guard");
}

void Coverage::refused(const std::string& family, const char* code) {
  hit("refused " + family);
  hit(std::string("refusal ") + code);
}
void Coverage::ran(const std::string& family) { hit("accepted " + family); }
void Coverage::size(std::int64_t live) { hit(live <= 4096 ? "live elements at most 4096" : "live elements above 4096"); }

void Coverage::add(const Coverage& other) {
  for (const auto& [what, n] : other.count_) count_[what] += n;
}
std::vector<std::string> Coverage::missing() const {
  std::vector<std::string> all;
  for (const std::string& what : required())
    if (of(what) == 0) all.push_back(what);
  return all;
}
std::int64_t Coverage::of(const std::string& what) const {
  auto const found = count_.find(what);
  return found == count_.end() ? 0 : found->second;
}
void Coverage::write(std::ostream& out) const {
  for (const auto& [what, n] : count_) out << n << '\t' << what << '\n';
}
void Coverage::read(std::istream& in) {
  std::int64_t n = 0;
  std::string what;
  while (in >> n && in.get() == '\t' && std::getline(in, what)) count_[what] += n;
}

}  // namespace tcp::agree
