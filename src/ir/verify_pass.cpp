// The verifier's way through a pass: for every stage the request that its record stands for, and what only a module
// knows of it (which memory a tensor is in, where it is, what else uses it). The order of the stages and the engines'
// rules are in rules/pass.hpp.
#include "ir/verify_pass.hpp"

#include <algorithm>
#include <optional>

#include "ir/lives.hpp"

namespace tcp::ir {

namespace {

Verdict check_fetch_addresses(const Module& module, const Device& device, const Pass& pass, const Fetched& fetched, Where at) {
  ScalarType const stored = module.tensor(pass.source[0]).type;
  for (TensorId id : pass.source)
    if (auto const address = module.address_of(id))
      if (auto v = check_fetch_address(device, stored, fetched, Bytes{*address}, at); !v) return v;
  return accept();
}
Verdict check_commit_address_of(const Module& module, const Device& device, TensorId destination, const Committed& committed, Where at) {
  auto const begins = module.address_of(destination);
  if (!begins) return accept();
  const Tensor& to = module.tensor(destination);
  return to.view ? check_commit_address(device, committed, Bytes{*begins}, at)
                 : check_commit_address(device, to.type, module.map(to.element), Bytes{*begins}, at);
}

/// What a commit into a view touches beside it, by the tensor behind all views.
Verdict check_commit_beside(const Module& module, TensorId destination, const Mapping& time, const Committed& committed, Where at) {
  std::int64_t offset = 0;
  TensorId root = destination;
  for (; module.tensor(root).view; root = module.tensor(root).view->tensor) {
    auto const seen = seen_by(module, module.tensor(root));
    if (!seen) return seen.refusal();
    offset += seen->offset;
  }
  if (root == destination) return accept();
  return check_beside_view(committed, time, module.map(module.tensor(root).element), offset, at);
}

}  // namespace

/// Follows a stream from stage to stage: where it is (PassState), how it is laid out, and what each stage found out.
class PassVerifier {
 public:
  PassVerifier(const Module& module, const Device& device, const Pass& pass, Where at)
      : module_(module), device_(device), pass_(pass), at_(at) {}

  /// `module` is the one that was given: it takes the mappings that stages make.
  Expected<PassFacts> run(Module& module) {
    if (auto v = check_sources(); !v) return v.refusal();
    PassFacts all;
    all.stages.reserve(pass_.stages.size());
    for (const Stage& stage : pass_.stages) {
      if (auto v = next(stage); !v) return v.refusal();
      all.stages.push_back({shape_in(module), std::move(found_)});
    }
    if (state_.after != StreamStage::Sink)
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
    state_.context = pass_.context;
    state_.dual = pass_.dual;
    state_.type = first.type;
    if (pass_.source.size() == 2) {
      const Tensor& second = tensor(pass_.source[1]);
      return check_begin_interleaved(device_, pass_.turns, 2, first.type, stream_, second.type, module_.levels(second), at_);
    }
    return accept();
  }
  Verdict next(const Stage& stage) {
    at_ = stage.at.known() ? stage.at : at_;
    stage_ = &stage;
    found_ = {};
    return std::visit([&](const auto& what) { return check(what); }, stage.what);
  }

  const Levels& stream() const { return stream_; }
  ScalarType type() const { return state_.type; }
  bool paired() const { return state_.is_paired(); }

 private:
  Shape shape_in(Module& module) const {
    auto const level = [&](Level l) { return module.intern(stream_[l]); };
    return {state_.type,       level(Level::chip), level(Level::cluster), level(Level::slice),
            level(Level::row), level(Level::time), level(Level::packet)};
  }

  const Mapping& map(MapId id) const { return module_.map(id); }
  template <class Found>
  const Found& found() const {
    return *std::get<std::shared_ptr<const Found>>(found_);
  }
  const Mapping& out_time() const { return map(stage_->out.time); }
  const Mapping& out_packet() const { return map(stage_->out.packet); }
  const Tensor& tensor(TensorId id) const { return module_.tensor(id); }

  Verdict expect(TensorId id, Memory memory) const {
    if (module_.tensors.has(id) && tensor(id).memory == memory) return accept();
    return refuse("ir-wrong-tensor", at_)
        .what("a stage names a tensor that is not in ", memory)
        .why("each stage reads and writes one kind of memory")
        .help("name a tensor of ", memory);
  }
  /// One stage by its rule, and the declared stream compared with what it makes.
  template <class Request>
  Verdict advance(const Request& request) {
    auto next = advanced(device_, state_, stream_, request, at_);
    if (!next) return next.refusal();
    state_ = next->state;
    using Found = decltype(next->found);
    if constexpr (!std::is_same_v<Found, NoFacts>) found_ = std::make_shared<const Found>(next->found);
    return state_.after == StreamStage::Sink ? accept() : check_declared(Request::kind);
  }
  /// What a stage declares, but for the kinds of padding, which are computed. The packet of an align is made as wide as
  /// the adapter has it.
  Verdict check_declared(StageKind kind) const {
    Shape const& s = stage_->out;
    for (MapId id : {s.chip, s.cluster, s.slice, s.row, s.time, s.packet})
      if (!map(id).ok()) return refusal_of(map(id), at_);
    if (!equivalent(map(s.chip), stream_[Level::chip]) || !equivalent(map(s.cluster), stream_[Level::cluster]) ||
        !equivalent(map(s.slice), stream_[Level::slice]))
      return refuse("ir-levels-changed", at_)
          .what("a stage declares Chip ", map(s.chip), ", Cluster ", map(s.cluster), ", Slice ", map(s.slice), "; the stream has ",
                stream_[Level::chip], ", ", stream_[Level::cluster], ", ", stream_[Level::slice])
          .why("only the Switch Engine and the inter-slice reduce move data between slices, and none between clusters and chips")
          .help("keep these levels");
    if (s.type != state_.type)
      return refuse("ir-wrong-type", at_)
          .what("a stage declares ", s.type, "; it makes ", state_.type)
          .why("fetch and cast alone change the type freely")
          .help("declare ", state_.type);
    bool const same = equivalent(out_time(), stream_[Level::time]) && equivalent(out_packet(), stream_[Level::packet]);
    if (kind != StageKind::Align && !same)
      return refuse("ir-stream-changed", at_)
          .what("a stage declares Time ", out_time(), ", Packet ", out_packet(), "; it makes Time ", stream_[Level::time], ", Packet ",
                stream_[Level::packet])
          .why("this stage moves nothing")
          .help("declare what it makes");
    return accept();
  }

  Verdict check(const Fetch& fetch) {
    FetchHow const how = fetch_how(module_, pass_, fetch);
    Shape const& out = stage_->out;
    if (auto v = advance(FetchRequest{how, out.type, out_time(), out_packet(), &map(out.chip), &map(out.cluster), &map(out.slice)}); !v)
      return v;
    return check_fetch_addresses(module_, device_, pass_, found<Fetched>(), at_);
  }
  Verdict check(const Switch& s) { return advance(SwitchRequest{s.config, map(stage_->out.slice), out_time()}); }
  Verdict check(const Collect&) { return advance(CollectRequest{out_time(), out_packet()}); }
  Verdict check(const Align& a) {
    if (auto v = follows(StageKind::Align); !v) return v;
    if (auto v = expect(a.trf, Memory::Trf); !v) return v;
    Levels const trf = module_.levels(tensor(a.trf));
    return advance(AlignRequest{tensor(a.trf).type, trf, out_time(), out_packet()});
  }
  Verdict check(const Contract& c) { return advance(ContractRequest{c.op, out_packet()}); }
  Verdict check(const Accumulate& a) { return advance(AccumulateRequest{a.kind, out_time(), out_packet()}); }

  // The Vector Engine.

  Verdict check(const VectorInit&) { return advance(VectorInitRequest{}); }
  Verdict check(const Branch& b) {
    if (b.vrf == none) return advance(BranchRequest{b.mode});
    if (auto v = steps(step_of(b.mode)); !v) return v;
    if (auto v = expect(b.vrf, Memory::Vrf); !v) return v;
    Levels const log = module_.levels(tensor(b.vrf));
    return advance(BranchRequest{b.mode, &log, tensor(b.vrf).type});
  }
  Verdict check(const BranchLog& b) {
    if (auto v = steps(step_of(VectorMethod::branch_log)); !v) return v;
    if (auto v = expect(b.vrf, Memory::Vrf); !v) return v;
    return advance(BranchLogRequest{map(tensor(b.vrf).element)});
  }
  Verdict check(const WriteOperand& w) {
    if (auto v = steps(step_of(VectorMethod::write_operand)); !v) return v;
    if (auto v = expect(w.vrf, Memory::Vrf); !v) return v;
    Levels const vrf = module_.levels(tensor(w.vrf));
    return advance(WriteOperandRequest{vrf, tensor(w.vrf).type, w.guard});
  }
  /// A VRF tensor that an operation reads may be written back, step by step of Time. Every other way to read and write
  /// one tensor in one pass has no order.
  Verdict check_registers() const {
    struct Touch {
      TensorId tensor, root;
      StageKind by;
      bool writes;

      bool takes_back(const Touch& o) const {
        return by == StageKind::WriteOperand && o.by == StageKind::VectorOperation && tensor == o.tensor;
      }
    };
    std::vector<Touch> touched;
    TensorId back = none;
    for (const Stage& s : pass_.stages) {
      Uses const uses = uses_of(s.what);
      StageKind const kind = kind_of(s.what);
      for (TensorId id : uses.reads) touched.push_back({id, module_.root_of(id), kind, false});
      for (TensorId id : uses.writes) touched.push_back({id, module_.root_of(id), kind, true});
      if (kind == StageKind::WriteOperand) back = touched.back().root;
    }
    bool clash = false;
    for (const Touch& a : touched)
      for (const Touch& b : touched) clash |= &a != &b && a.writes && a.root == b.root && !a.takes_back(b);
    if (clash)
      return refuse("ir-pass-register-twice", at_)
          .what(
              "a pass writes a VRF tensor, by vector_branch_log, vector_filter, vector_write_operand or to_vrf, that it also uses "
              "otherwise")
          .why("only of an operand that is written back is it said what an operation reads: what earlier steps have written")
          .help("write another VRF tensor, or read it in another pass");
    return check_written_back(back);
  }
  static bool repeats(const Mapping& time) {
    for (int k = 0; k < time.digits; ++k)
      if (time.digit[k].axis == no_axis && time.digit[k].size > 1) return true;
    return false;
  }
  /// Nothing between an operand's reading and its writing back may change the steps of Time, and each step is an
  /// element of its own.
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
            .what("vector_write_operand and an operation that reads the same VRF tensor are on two sides of a reduce or filter")
            .why("what a step writes back is read in later steps of Time, and these change the steps")
            .help("read and write on one side of it");
      begun |= uses;
      changed |= begun && (std::holds_alternative<IntraSliceReduce>(s.what) || std::holds_alternative<Filter>(s.what));
    }
    return accept();
  }
  Verdict check(const Stash&) {
    stashed_ = Stream{stream_[Level::time], stream_[Level::packet]};
    return advance(StashRequest{});
  }
  Verdict check(const VectorOperation& o) {
    Operands operands;
    for (const Operand& each : o.operands) operands.add(each.shape);
    if (auto v = steps(o.step, operands); !v) return v;
    for (const Operand& each : o.operands)
      if (each.shape.kind == OperandKind::immediate && !each.shape.known)
        return refuse("vector-operand-unknown", at_)
            .what(o.step, " has a constant whose value is not known: ?")
            .why("what is run must be known to the last bit")
            .help("write the number in its place");
    std::vector<Levels> levels;
    levels.reserve(o.operands.size());
    const Levels* vrf[Operands::room]{};
    for (std::size_t i = 0; i < o.operands.size(); ++i) {
      if (o.operands[i].shape.kind != OperandKind::vrf) continue;
      if (auto v = expect(o.operands[i].vrf, Memory::Vrf); !v) return v;
      vrf[i] = &levels.emplace_back(module_.levels(tensor(o.operands[i].vrf)));
    }
    return advance(OperationRequest{o.step, operands, vrf, &stashed_, &out_time(), &out_packet()});
  }
  Verdict check(const Unzip& u) { return advance(UnzipRequest{u.axis, map(u.tile_time), out_time()}); }
  Verdict check(const Filter& f) {
    if (auto v = steps(step_of(VectorMethod::filter)); !v) return v;
    if (f.count != none)
      if (auto v = expect(f.count, Memory::Vrf); !v) return v;
    return advance(FilterRequest{f.keep, out_time(), out_packet()});
  }
  Verdict check(const IntraSliceReduce& r) { return advance(IntraSliceReduceRequest{r.axis, r.op, out_time(), out_packet()}); }
  Verdict check(const InterSliceReduce& r) { return advance(InterSliceReduceRequest{r.op, map(stage_->out.slice), out_time()}); }
  Verdict check(const VectorFinal&) { return advance(VectorFinalRequest{}); }

  // After it.

  Verdict check(const Cast&) { return advance(CastRequest{stage_->out.type, out_packet()}); }
  Verdict check(const Transpose&) { return advance(TransposeRequest{out_time(), out_packet()}); }
  Verdict check(const CommitCast&) { return advance(CommitCastRequest<StageKind::CommitCast>{stage_->out.type}); }
  Verdict check(const CommitCastRelu&) { return advance(CommitCastRequest<StageKind::CommitCastRelu>{stage_->out.type}); }
  Verdict check(const Commit& c) {
    if (auto v = follows(StageKind::Commit); !v) return v;
    if (auto v = expect(c.destination, Memory::Dm); !v) return v;
    const Tensor& to = tensor(c.destination);
    if (auto v = advance(CommitRequest{map(to.element), to.view.has_value(), c.pack_valid}); !v) return v;
    if (auto v = check_taken_up(to); !v) return v;
    if (auto v = check_commit_address_of(module_, device_, c.destination, found<Committed>(), at_); !v) return v;
    if (c.slices)
      if (auto mask = slice_bitmap(stream_[Level::slice], *c.slices, at_); !mask) return mask.refusal();
    return accept();
  }
  Verdict check(const ToTrf& t) {
    if (auto v = follows(StageKind::ToTrf); !v) return v;
    if (auto v = expect(t.destination, Memory::Trf); !v) return v;
    const Tensor& to = tensor(t.destination);
    if (auto v = whole_register_file(to); !v) return v;
    if (auto v = advance(ToTrfRequest{map(to.row), map(to.element), to.trf}); !v) return v;
    return check_taken_up(to);
  }
  Verdict check(const ToVrf& t) {
    if (auto v = follows(StageKind::ToVrf); !v) return v;
    if (auto v = expect(t.destination, Memory::Vrf); !v) return v;
    const Tensor& to = tensor(t.destination);
    if (auto v = whole_register_file(to); !v) return v;
    if (auto v = advance(ToVrfRequest{map(to.element), Bytes{to.address.value_or(0)}}); !v) return v;
    return check_taken_up(to);
  }
  /// Stores into register files have no sequencer: they fill a tensor from its begin to its end.
  Verdict whole_register_file(const Tensor& to) const {
    if (!to.view) return accept();
    return refuse("ir-register-view", at_)
        .what("a stream is stored into a view of a tensor in ", to.memory, ", Element ", map(to.element))
        .why("a store fills register files word by word, from a tensor's begin to its end; a view of one is there to be read")
        .help("store into the tensor, and look at its parts from the passes that read it");
  }
  /// The tensor of a sink has the stream's type, and its slices.
  Verdict check_taken_up(const Tensor& to) const { return check_sink(state_.type, stream_, to.type, module_.levels(to), at_); }

  // A stage out of order is refused before the tensors that it names are looked at.
  Verdict follows(StageKind kind) const { return check_follows(device_, state_, kind, nullptr, at_); }
  Verdict steps(const VectorStep& step, const Operands& operands = Operands{}) const {
    return verdict(advanced(device_, state_, step, operands, at_));
  }

  const Module& module_;
  const Device& device_;
  const Pass& pass_;
  Where at_;
  const Stage* stage_ = nullptr;
  PassState state_{};
  Levels stream_{};  // of the source, before the fetch
  Stream stashed_{};
  decltype(StageFacts::found) found_;  // by the last stage
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

Expected<PassFacts> verify_pass(Module& module, const Device& device, const Pass& pass, Where at) {
  return PassVerifier(module, device, pass, at).run(module);
}
Verdict check_pass_addresses(const Module& module, const Device& device, const Pass& pass, const PassFacts& facts, Where at) {
  for (std::size_t i = 0; i < pass.stages.size(); ++i) {
    Where const here = pass.stages[i].at.known() ? pass.stages[i].at : at;
    if (const auto* fetched = facts.stages[i].if_found<Fetched>())
      if (auto v = check_fetch_addresses(module, device, pass, *fetched, here); !v) return v;
    if (const auto* committed = facts.stages[i].if_found<Committed>()) {
      TensorId const to = std::get<Commit>(pass.stages[i].what).destination;
      if (auto v = check_commit_address_of(module, device, to, *committed, here); !v) return v;
      const Mapping& time = module.map(facts.stages[i].out.at(Level::time));
      if (auto v = check_commit_beside(module, to, time, *committed, here); !v) return v;
    }
  }
  return accept();
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
Verdict OpenPass::next(const Stage& stage) {
  auto after = std::make_shared<PassVerifier>(*at_);
  auto v = after->next(stage);
  if (v) at_ = std::move(after);
  return v;
}
const Levels& OpenPass::stream() const { return at_->stream(); }
ScalarType OpenPass::type() const { return at_->type(); }
bool OpenPass::paired() const { return at_->paired(); }

}  // namespace tcp::ir
