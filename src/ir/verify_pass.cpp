#include "verify_pass.hpp"

#include <algorithm>
#include <optional>

namespace tcp::ir {

/// Where the stream is: what it looks like, which engine it came out of, and, inside the vector engine, how far it has got.
class PassVerifier {
 public:
  PassVerifier(const Module& module, const Device& device, const Pass& pass, Where at)
      : module_(module), device_(device), pass_(pass), at_(at) {}

  Expected<PassFacts> run() {
    if (auto v = check_sources(); !v) return v.refusal();
    if (pass_.stages.empty()) return without_fetch();
    PassFacts all;
    for (const Stage& stage : pass_.stages) {
      auto const facts = next(stage);
      if (!facts) return facts.refusal();
      all.stages.push_back(*facts);
    }
    if (!done_)
      return refuse("ir-pass-without-sink", at_)
          .what("the stream of a pass ends nowhere")
          .why("what no commit, to_trf or to_vrf takes up would be lost")
          .help("end the pass with a sink");
    if (auto v = check_registers(); !v) return v.refusal();
    return all;
  }

  Verdict check_sources() {
    if (pass_.source.empty() || pass_.source.size() > 2)
      return refuse("ir-pass-sources", at_)
          .what("a pass has ", pass_.source.size(), " sources")
          .why("a fetch reads one tensor, or two that take turns")
          .help("give one or two DM tensors");
    for (TensorId id : pass_.source)
      if (auto v = expect(id, Memory::Dm); !v) return v;
    const Tensor& first = tensor(pass_.source[0]);
    stream_ = module_.levels(first);
    type_ = first.type;
    if (pass_.source.size() == 2) {
      const Tensor& second = tensor(pass_.source[1]);
      return check_begin_interleaved(device_, pass_.turns, 2, first.type, stream_, second.type, module_.levels(second), at_);
    }
    return accept();
  }
  Expected<StageFacts> next(const Stage& stage) {
    if (!fetched_ && !std::holds_alternative<Fetch>(stage.what)) return without_fetch();
    at_ = stage.at.known() ? stage.at : at_;
    stage_ = &stage;
    if (done_)
      return refuse("ir-stage-after-sink", at_)
          .what("a stage follows the sink of its pass")
          .why("commit, to_trf and to_vrf take the stream up")
          .help("begin another pass");
    StageFacts facts;
    Verdict const v = std::visit([&](const auto& what) { return check(what, facts); }, stage.what);
    if (!v) return v.refusal();
    if (auto same = same_levels(); !done_ && !same) return same.refusal();
    facts.out = stream_;
    facts.type = type_;
    return facts;
  }

  const Levels& stream() const { return stream_; }
  ScalarType type() const { return type_; }
  bool paired() const { return inside_ && vector_.mode == VectorState::Mode::paired; }

 private:
  const Mapping& map(MapId id) const { return module_.map(id); }
  const Mapping& out_time() const { return map(stage_->out.time); }
  const Mapping& out_packet() const { return map(stage_->out.packet); }
  const Tensor& tensor(TensorId id) const { return module_.tensor(id); }

  Refusal without_fetch() const {
    return refuse("ir-pass-without-fetch", at_)
        .what("a pass of ", pass_.stages.size(), " stages does not begin with a fetch")
        .why("every stream comes out of DM through the Fetch Engine")
        .help("let Fetch be the first stage");
  }
  Refusal out_of_order(const char* what) const {
    return refuse("ir-stage-order", at_)
        .what(what, " cannot follow stage ", inside_ ? "Vector" : name_of(stage_now_))
        .why("a stream passes the engines in their order, each at most once")
        .help("the order is Fetch, Switch, Collect, Contraction, Vector, Cast, Transpose, Commit");
  }
  Verdict expect(TensorId id, Memory memory) const {
    if (id >= 0 && static_cast<std::size_t>(id) < module_.tensors.size() && tensor(id).memory == memory) return accept();
    return refuse("ir-wrong-tensor", at_)
        .what("a stage names a tensor that is not in ", memory)
        .why("each stage reads and writes one kind of memory")
        .help("name a tensor of ", memory);
  }
  /// The declared stream must keep Chip, Cluster and Slice (and Row, unless a stage changes it).
  Verdict same_levels(bool slice_too = true) const {
    Shape const& s = stage_->out;
    bool const same = equivalent(map(s.chip), stream_[Level::chip]) && equivalent(map(s.cluster), stream_[Level::cluster]) &&
                      (!slice_too || equivalent(map(s.slice), stream_[Level::slice]));
    if (same) return accept();
    return refuse("ir-levels-changed", at_)
        .what("a stage declares Chip ", map(s.chip), ", Cluster ", map(s.cluster), ", Slice ", map(s.slice), "; the stream has ",
              stream_[Level::chip], ", ", stream_[Level::cluster], ", ", stream_[Level::slice])
        .why("only the Switch Engine and the inter-slice reduce move data between slices, and none between clusters and chips")
        .help("keep these levels");
  }
  Verdict same_type(ScalarType made) const {
    if (stage_->out.type == made) return accept();
    return refuse("ir-wrong-type", at_)
        .what("a stage declares ", stage_->out.type, "; it makes ", made)
        .why("fetch and cast alone change the type freely")
        .help("declare ", made);
  }
  Verdict same_stream(const Mapping& time, const Mapping& packet) const {
    if (equivalent(out_time(), time) && equivalent(out_packet(), packet)) return accept();
    return refuse("ir-stream-changed", at_)
        .what("a stage declares Time ", out_time(), ", Packet ", out_packet(), "; it makes Time ", time, ", Packet ", packet)
        .why("this stage moves nothing")
        .help("declare what it makes");
  }
  void take(const Mapping& time, const Mapping& packet, StreamStage stage) {
    stream_.set(Level::time, time).set(Level::packet, packet);
    stage_now_ = stage;
  }

  Verdict check(const Fetch& fetch, StageFacts& facts) {
    if (fetched_) return out_of_order("Fetch");
    fetched_ = true;
    if (auto v = same_levels(); !v) return v;
    auto const f = check_fetch(device_, fetch_how(module_, pass_, fetch), type_, stream_, stage_->out.type, out_time(), out_packet(), at_);
    if (!f) return f.refusal();
    for (TensorId id : pass_.source) {
      const Tensor& source = tensor(id);
      auto const address = module_.address_of(id);
      if (!address) continue;
      if (auto v = check_fetch_address(device_, source.type, *f, Bytes{*address}, at_); !v) return v;
    }
    stream_.set(Level::element, Mapping{});
    take(f->stream.time, f->stream.packet, StreamStage::Fetch);
    type_ = f->type;
    facts.found = *f;
    return accept();
  }
  Verdict check(const Switch& s, StageFacts& facts) {
    if (stage_now_ != StreamStage::Fetch) return out_of_order("Switch");
    if (auto v = same_levels(false); !v) return v;
    if (auto v = same_type(type_); !v) return v;
    auto const r = check_switch(device_, stream_, s.config, map(stage_->out.slice), out_time(), at_);
    if (!r) return r.refusal();
    if (auto v = same_stream(r->time, stream_[Level::packet]); !v) return v;
    stream_.set(Level::slice, r->slice);
    take(r->time, stream_[Level::packet], StreamStage::Switch);
    facts.found = *r;
    return accept();
  }
  Verdict check(const Collect&, StageFacts&) {
    if (stage_now_ != StreamStage::Fetch && stage_now_ != StreamStage::Switch) return out_of_order("Collect");
    if (auto v = same_levels(); !v) return v;
    if (auto v = same_type(type_); !v) return v;
    auto const r = check_collect(device_, type_, stream_[Level::time], stream_[Level::packet], out_time(), out_packet(), at_);
    if (!r) return r.refusal();
    take(r->time, r->packet, StreamStage::Collect);
    return accept();
  }
  Verdict check(const Align& a, StageFacts& facts) {
    if (stage_now_ != StreamStage::Collect || aligned_) return out_of_order("align");
    if (auto v = check_contraction_context(pass_.context, at_); !v) return v;
    if (auto v = expect(a.trf, Memory::Trf); !v) return v;
    const Tensor& trf = tensor(a.trf);
    auto const r = check_align(device_, type_, stream_, trf.type, module_.levels(trf), out_time(), out_packet(), Absent::refused, at_);
    if (!r) return r.refusal();
    stream_ = r->at;
    aligned_ = true;
    facts.found = *r;
    return accept();
  }
  Verdict check(const Contract& c, StageFacts& facts) {
    if (!aligned_ || contracted_) return out_of_order("contract");
    auto const r = check_contract(device_, c.op, type_, stream_, out_packet(), at_);
    if (!r) return r.refusal();
    if (auto v = same_type(r->type); !v) return v;
    op_ = c.op;
    stream_ = r->at;
    type_ = r->type;
    contracted_ = true;
    facts.found = *r;
    return accept();
  }
  Verdict check(const Accumulate& a, StageFacts& facts) {
    if (!contracted_ || stage_now_ == StreamStage::Contraction) return out_of_order("accumulate");
    auto const r = check_accumulate(device_, op_, a.kind, type_, stream_, out_time(), out_packet(), at_);
    if (!r) return r.refusal();
    stream_.set(Level::row, Mapping{});
    take(r->out.time, r->out.packet, StreamStage::Contraction);
    facts.found = *r;
    return accept();
  }

  // The vector engine.

  Verdict advance(const VectorStep& step, const Operands& operands = Operands{}) {
    if (!inside_) return out_of_order(info_of(step.method).name);
    auto const next = advanced(vector_, step, operands, at_);
    if (!next) return next.refusal();
    vector_ = *next;
    type_ = vector_.type;
    return same_type(type_);
  }
  Verdict keep_stream() { return same_stream(stream_[Level::time], stream_[Level::packet]); }

  Verdict check(const VectorInit&, StageFacts&) {
    bool const possible = !inside_ && (stage_now_ == StreamStage::Contraction || (stage_now_ == StreamStage::Collect && !aligned_));
    if (!possible) return out_of_order("vector_init");
    auto const s = check_vector_init(device_, type_, stream_[Level::packet], at_);
    if (!s) return s.refusal();
    vector_ = *s;
    inside_ = true;
    return keep_stream();
  }
  Verdict check(const Branch& b, StageFacts& facts) {
    if (auto v = advance(step_of(b.mode)); !v) return v;
    std::optional<Levels> log;
    ScalarType log_type = ScalarType::i32;
    if (b.vrf != none) {
      if (auto v = expect(b.vrf, Memory::Vrf); !v) return v;
      log = module_.levels(tensor(b.vrf));
      log_type = tensor(b.vrf).type;
    }
    auto const plan = check_branch(device_, type_, stream_, b.mode, log ? &*log : nullptr, log_type, at_);
    if (!plan) return plan.refusal();
    facts.found = *plan;
    return keep_stream();
  }
  Verdict check(const BranchLog& b, StageFacts& facts) {
    if (auto v = advance(step_of(VectorMethod::branch_log)); !v) return v;
    if (auto v = expect(b.vrf, Memory::Vrf); !v) return v;
    auto const loops = check_branch_log(stream_, map(tensor(b.vrf).element), at_);
    if (!loops) return loops.refusal();
    facts.found = *loops;
    return keep_stream();
  }
  Verdict check(const WriteOperand& w, StageFacts& facts) {
    if (auto v = advance(step_of(VectorMethod::write_operand)); !v) return v;
    if (vector_.reduced && w.guard != OperandGuard::always())
      return detail::vec::ids_after_reduce(step_of(VectorMethod::write_operand), at_);
    if (auto v = expect(w.vrf, Memory::Vrf); !v) return v;
    auto const loops = check_write_operand(stream_, type_, module_.levels(tensor(w.vrf)), tensor(w.vrf).type, at_);
    if (!loops) return loops.refusal();
    facts.found = *loops;
    return keep_stream();
  }
  /// A VRF tensor that an operation reads may be written back, step by step of Time. Every other way to read and write one tensor in one pass has no order.
  Verdict check_registers() const {
    std::vector<TensorId> read, logged;
    TensorId back = none, by_name = none;
    for (const Stage& s : pass_.stages) {
      if (const auto* b = std::get_if<Branch>(&s.what); b && b->vrf != none) read.push_back(module_.root_of(b->vrf));
      if (const auto* b = std::get_if<BranchLog>(&s.what)) logged.push_back(module_.root_of(b->vrf));
      if (const auto* f = std::get_if<Filter>(&s.what); f && f->count != none) logged.push_back(module_.root_of(f->count));
      if (const auto* w = std::get_if<WriteOperand>(&s.what)) back = module_.root_of(by_name = w->vrf);
    }
    auto const is_back = [back](TensorId id) { return back != none && id == back; };
    bool clash = std::any_of(read.begin(), read.end(), is_back) || std::any_of(logged.begin(), logged.end(), is_back);
    for (const Stage& s : pass_.stages)
      if (const auto* o = std::get_if<VectorOperation>(&s.what))
        for (const Operand& each : o->operands) {
          if (each.shape.kind != OperandKind::vrf) continue;
          read.push_back(module_.root_of(each.vrf));
          clash |= is_back(read.back()) && each.vrf != by_name;  // by another view
        }
    for (std::size_t i = 0; i < logged.size(); ++i)
      clash |= std::count(read.begin(), read.end(), logged[i]) + std::count(logged.begin(), logged.end(), logged[i]) > 1;
    if (clash)
      return refuse("ir-pass-register-twice", at_)
          .what("a pass writes a VRF tensor, by vector_branch_log, vector_filter or vector_write_operand, that it also uses otherwise")
          .why("only of an operand that is written back is it said what an operation reads: what earlier steps have written")
          .help("write another VRF tensor, or read it in another pass");
    return check_written_back(back);
  }
  static bool repeats(const Mapping& time) {
    for (int k = 0; k < time.digits; ++k)
      if (time.digit[k].axis == no_axis && time.digit[k].size > 1) return true;
    return false;
  }
  /// Nothing between an operand's reading and its writing back may change the steps of Time, and each step is an element of its own.
  Verdict check_written_back(TensorId back) const {
    bool begun = false, changed = false;
    for (const Stage& s : pass_.stages) {
      bool uses = std::holds_alternative<WriteOperand>(s.what);
      if (const auto* o = std::get_if<VectorOperation>(&s.what))
        for (const Operand& each : o->operands) {
          bool const reads = back != none && each.shape.kind == OperandKind::vrf && module_.root_of(each.vrf) == back;
          if (reads && repeats(map(s.out.time)))
            return refuse("ir-write-operand-copies", s.at.known() ? s.at : at_)
                .what("an operation reads what vector_write_operand has written in earlier steps, over Time ", map(s.out.time),
                      ", which holds copies")
                .why("copies of a step are the same element, and each would read another number")
                .help("count the steps by an axis of their own");
          uses |= reads;
        }
      if (uses && changed)
        return refuse("ir-write-operand-reduce", s.at.known() ? s.at : at_)
            .what("vector_write_operand and an operation that reads the same VRF tensor lie on two sides of a reduce or filter")
            .why("what a step writes back is read in later steps of Time, and these change the steps")
            .help("read and write on one side of it");
      begun |= uses;
      changed |= begun && (std::holds_alternative<IntraSliceReduce>(s.what) || std::holds_alternative<Filter>(s.what));
    }
    return accept();
  }
  Verdict check(const Stash&, StageFacts&) {
    if (auto v = advance(step_of(VectorMethod::stash)); !v) return v;
    stashed_ = Stream{stream_[Level::time], stream_[Level::packet]};
    return keep_stream();
  }
  Verdict check(const VectorOperation& o, StageFacts& facts) {
    Operands operands;
    for (const Operand& each : o.operands) {
      operands.add(each.shape);
      if (each.shape.kind != OperandKind::vrf) continue;
      if (auto v = expect(each.vrf, Memory::Vrf); !v) return v;
    }
    if (auto v = advance(o.step, operands); !v) return v;
    for (const Operand& each : o.operands) {
      if (each.shape.kind == OperandKind::stash)
        if (auto v = check_stash_read(device_, stashed_, {stream_[Level::time], stream_[Level::packet]}, at_); !v) return v;
      if (each.shape.kind != OperandKind::vrf) continue;
      auto const loops = check_vrf_operand(stream_, module_.levels(tensor(each.vrf)), at_);
      if (!loops) return loops.refusal();
      facts.found = *loops;
    }
    Mapping const time = stream_[Level::time], packet = stream_[Level::packet];
    switch (o.step.method) {
      case VectorMethod::split: return change(check_split(device_, time, packet, out_time(), out_packet(), at_));
      case VectorMethod::concat: return change(check_concat(device_, time, packet, out_time(), out_packet(), at_));
      case VectorMethod::trim_way4: return change(check_trim_way4(device_, packet, out_packet(), at_));
      case VectorMethod::pad_way8: return change(check_pad_way8(device_, packet, out_packet(), at_));
      default: break;
    }
    Stream const after = padding_after_arithmetic(time, packet);
    stream_.set(Level::time, after.time).set(Level::packet, after.packet);
    return keep_stream();
  }
  Verdict change(const Expected<Stream>& made) {
    if (!made) return made.refusal();
    stream_.set(Level::time, made->time).set(Level::packet, made->packet);
    return accept();
  }
  Verdict change(const Expected<Mapping>& packet) {
    if (!packet) return packet.refusal();
    stream_.set(Level::packet, *packet);
    return keep_stream();
  }
  Verdict check(const Unzip& u, StageFacts&) {
    if (auto v = advance(step_of(VectorMethod::unzip)); !v) return v;
    auto const time = check_unzip(stream_[Level::time], u.axis, map(u.tile_time), out_time(), at_);
    if (!time) return time.refusal();
    stream_.set(Level::time, *time);
    return keep_stream();
  }
  Verdict check(const Filter& f, StageFacts&) {
    if (auto v = advance(step_of(VectorMethod::filter)); !v) return v;
    if (f.count != none)
      if (auto v = expect(f.count, Memory::Vrf); !v) return v;
    return change(check_filter(device_, f.keep, stream_[Level::time], stream_[Level::packet], out_time(), out_packet(), at_));
  }
  Verdict check(const IntraSliceReduce& r, StageFacts& facts) {
    if (auto v = advance(step_of(VectorMethod::intra_slice_reduce)); !v) return v;
    auto const made = check_intra_slice_reduce(device_, type_, r.op, r.axis, stream_, out_time(), out_packet(), at_);
    if (!made) return made.refusal();
    stream_.set(Level::time, made->time).set(Level::packet, made->packet);
    facts.found = *made;
    return accept();
  }
  Verdict check(const InterSliceReduce& r, StageFacts& facts) {
    if (auto v = advance(step_of(VectorMethod::inter_slice_reduce)); !v) return v;
    auto const made = check_inter_slice_reduce(device_, type_, r.op, stream_, map(stage_->out.slice), out_time(), at_);
    if (!made) return made.refusal();
    stream_.set(Level::slice, made->slice).set(Level::time, made->time).set(Level::packet, made->packet);
    facts.found = *made;
    return keep_stream();
  }
  Verdict check(const VectorFinal&, StageFacts&) {
    if (auto v = advance(step_of(VectorMethod::output)); !v) return v;
    inside_ = false;
    stage_now_ = StreamStage::Vector;
    return keep_stream();
  }

  // Behind it.

  Verdict check(const Cast&, StageFacts&) {
    if (inside_ || (aligned_ && stage_now_ == StreamStage::Collect)) return out_of_order("Cast");
    auto const packet = check_cast(device_, stage_now_, type_, stage_->out.type, stream_[Level::packet], out_packet(), at_);
    if (!packet) return packet.refusal();
    type_ = stage_->out.type;
    take(stream_[Level::time], *packet, StreamStage::Cast);
    return keep_stream();
  }
  Verdict check(const Transpose&, StageFacts& facts) {
    if (inside_ || (aligned_ && stage_now_ == StreamStage::Collect)) return out_of_order("Transpose");
    auto const r = check_transpose(device_, stage_now_, type_, stream_[Level::time], stream_[Level::packet], out_time(), out_packet(), at_);
    if (!r) return r.refusal();
    take(r->time, r->packet, StreamStage::Transpose);
    facts.found = *r;
    return same_type(type_);
  }
  Verdict check(const Commit& c, StageFacts& facts) {
    if (inside_ || (aligned_ && stage_now_ == StreamStage::Collect)) return out_of_order("Commit");
    if (auto v = expect(c.destination, Memory::Dm); !v) return v;
    const Tensor& to = tensor(c.destination);
    CommitHow how;
    how.context = pass_.context;
    how.after = stage_now_;
    how.into_view = to.view.has_value();
    how.valid_count = c.pack_valid;
    auto const r = check_commit(device_, how, type_, stream_, map(to.element), at_);
    if (!r) return r.refusal();
    if (auto v = sink(to); !v) return v;
    if (auto const begins = module_.address_of(c.destination)) {
      Bytes const address{*begins};
      Verdict const v =
          to.view ? check_commit_address(device_, *r, address, at_) : check_commit_address(device_, to.type, map(to.element), address, at_);
      if (!v) return v;
    }
    if (c.slices)
      if (auto mask = slice_bitmap(stream_[Level::slice], *c.slices, at_); !mask) return mask.refusal();
    facts.found = *r;
    return accept();
  }
  Verdict check(const ToTrf& t, StageFacts& facts) {
    if (stage_now_ != StreamStage::Collect || aligned_ || inside_) return out_of_order("to_trf");
    if (auto v = expect(t.destination, Memory::Trf); !v) return v;
    const Tensor& to = tensor(t.destination);
    if (auto v = whole_register_file(to); !v) return v;
    auto const r = check_to_trf(device_, type_, stream_[Level::time], stream_[Level::packet], map(to.row), map(to.element), to.trf, at_);
    if (!r) return r.refusal();
    facts.found = *r;
    return sink(to);
  }
  Verdict check(const ToVrf& t, StageFacts& facts) {
    if (stage_now_ != StreamStage::Collect || aligned_ || inside_) return out_of_order("to_vrf");
    if (auto v = expect(t.destination, Memory::Vrf); !v) return v;
    const Tensor& to = tensor(t.destination);
    if (auto v = whole_register_file(to); !v) return v;
    auto const r =
        check_to_vrf(device_, type_, stream_[Level::time], stream_[Level::packet], map(to.element), Bytes{to.address.value_or(0)}, at_);
    if (!r) return r.refusal();
    facts.found = *r;
    return sink(to);
  }
  /// Stores into register files have no sequencer: they fill a tensor from its begin to its end.
  Verdict whole_register_file(const Tensor& to) const {
    if (!to.view) return accept();
    return refuse("ir-register-view", at_)
        .what("a stream is stored into a view of a tensor in ", to.memory, ", Element ", map(to.element))
        .why("a store fills register files word by word, from a tensor's begin to its end; a view of one is there to be read")
        .help("store into the tensor, and look at its parts from the passes that read it");
  }
  /// A sink's tensor has the stream's type and lies in its slices.
  Verdict sink(const Tensor& to) {
    done_ = true;
    return check_sink(type_, stream_, to.type, module_.levels(to), at_);
  }

  const Module& module_;
  const Device& device_;
  const Pass& pass_;
  Where at_;
  const Stage* stage_ = nullptr;
  Levels stream_{};
  ScalarType type_ = ScalarType::i32;
  StreamStage stage_now_ = StreamStage::Begin;
  VectorState vector_{};
  Stream stashed_{};
  ContractOp op_ = ContractOp::Add;
  bool fetched_ = false, aligned_ = false, contracted_ = false, inside_ = false, done_ = false;
};

FetchHow fetch_how(const Module& module, const Pass& pass, const Fetch& fetch) {
  FetchHow how;
  how.context = pass.context;
  how.dual = pass.dual;
  how.interleaved = pass.source.size() == 2 ? pass.turns : Name{};
  if (fetch.table != none) {
    const LookupTable& t = module.tables[static_cast<std::size_t>(fetch.table)];
    how.with_table = true;
    how.table = {t.from, t.to};
    for (std::size_t i = 0; i < t.bits.size() && how.table.zero_at < 0; ++i)
      if (t.bits[i] == 0) how.table.zero_at = static_cast<int>(i);
  }
  how.zero_points = static_cast<int>(fetch.zero_points.size());
  for (std::size_t i = 0; i < fetch.zero_points.size() && i < 2; ++i) how.zero_point[i] = fetch.zero_points[i];
  return how;
}

Expected<PassFacts> verify_pass(const Module& module, const Device& device, const Pass& pass, Where at) {
  return PassVerifier(module, device, pass, at).run();
}

DmaTensor dma_tensor(const Module& module, TensorId id) {
  const Tensor& t = module.tensor(id);
  return {t.memory, module.levels(t), t.view.has_value()};
}

OpenPass::OpenPass(std::shared_ptr<const Pass> pass, std::shared_ptr<const PassVerifier> at) : pass_(std::move(pass)), at_(std::move(at)) {}
Expected<OpenPass> OpenPass::begin(const Module& module, const Device& device, Pass pass, Where at) {
  auto kept = std::make_shared<const Pass>(std::move(pass));
  auto verifier = std::make_shared<PassVerifier>(module, device, *kept, at);
  if (auto v = verifier->check_sources(); !v) return v.refusal();
  return OpenPass(std::move(kept), std::move(verifier));
}
Expected<StageFacts> OpenPass::next(const Stage& stage) {
  auto after = std::make_shared<PassVerifier>(*at_);
  auto facts = after->next(stage);
  if (facts) at_ = std::move(after);
  return facts;
}
const Levels& OpenPass::stream() const { return at_->stream(); }
ScalarType OpenPass::type() const { return at_->type(); }
bool OpenPass::paired() const { return at_->paired(); }

}  // namespace tcp::ir
