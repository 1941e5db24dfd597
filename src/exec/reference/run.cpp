// The interpreter that defines the meaning of a kernel: one function per command and per stage, over whole tensors,
// without regard to speed. The other executors are compared with it.
#include "tcp/exec/reference/run.hpp"

#include <algorithm>
#include <optional>

#include "tcp/exec/reference/contraction.hpp"
#include "tcp/exec/reference/fetch.hpp"
#include "tcp/exec/reference/reduce.hpp"
#include "tcp/exec/reference/transfer.hpp"
#include "tcp/exec/reference/vector.hpp"
#include "tcp/ir/undefined.hpp"
#include "tcp/rules/commit.hpp"

namespace tcp::reference {
namespace {

/// Which indices some levels hold.
class LiveIndices {
 public:
  explicit LiveIndices(const Levels& levels) {
    for (const Value::Axis& a : axes_of(levels)) axes_.push_back({a.name, live_coordinates(levels, a.name)});
  }
  /// An axis that the levels do not count has coordinate 0 only.
  void only_zero_unless_counted(Name axis) {
    bool const counted = std::any_of(axes_.begin(), axes_.end(), [axis](const Coordinates& c) { return c.name == axis; });
    if (!counted) axes_.push_back({axis, {true}});
  }
  bool hold(const Index& index) const {
    for (const Coordinates& axis : axes_) {
      std::int64_t const c = index.get(axis.name);
      if (c < 0 || c >= static_cast<std::int64_t>(axis.live.size()) || !axis.live[static_cast<std::size_t>(c)]) return false;
    }
    return true;
  }

 private:
  struct Coordinates {
    Name name{};
    std::vector<bool> live;
  };
  std::vector<Coordinates> axes_;
};

class Run {
 public:
  Run(const ir::Verified& verified) : module_(verified.module()), facts_(verified.facts()), memory_(module_.tensors.size()) {}

  Expected<Outcome> run(std::vector<Value> arguments, const Options& options) {
    TCP_BUG_UNLESS(arguments.size() == module_.arguments.size(), "a module was run with another number of arguments than it has");
    for (std::size_t i = 0; i < arguments.size(); ++i) memory_[static_cast<std::size_t>(module_.arguments[i])] = std::move(arguments[i]);
    for (std::size_t i = 0; i < module_.commands.size(); ++i) {
      command_ = &module_.commands[i];
      found_ = &facts_.commands[i];
      at_ = command_->at;
      Verdict const v = std::visit([this](const auto& what) { return execute(what); }, command_->what);
      if (!v) return v.refusal();
      if (options.on_progress) options.on_progress(i + 1, module_.commands.size());
    }
    Outcome outcome;
    for (ir::TensorId id : module_.results) {
      Value const value = read(id);
      if (options.check)
        if (std::int64_t const i = first_undefined(id, value); i >= 0) return undefined_result(id, value, i);
      outcome.results.push_back(value);
    }
    outcome.notes = notes_;
    return outcome;
  }

 private:
  /// The first element of a result that is undefined, -1 if none is. An index between two steps of a tensor is no
  /// element of it.
  std::int64_t first_undefined(ir::TensorId id, const Value& value) const {
    Levels const levels = module_.levels(module_.tensor(id));
    std::vector<std::vector<bool>> live;
    for (const Value::Axis& a : value.axes()) live.push_back(live_coordinates(levels, a.name));
    for (std::int64_t i = 0; i < value.size(); ++i) {
      if (value[i].undefined == 0) continue;
      Index const index = value.index_of(i);
      bool held = true;
      for (std::size_t a = 0; a < live.size(); ++a) held &= live[a][static_cast<std::size_t>(index.get(value.axes()[a].name))];
      if (held) return i;
    }
    return -1;
  }
  Refusal undefined_result(ir::TensorId id, const Value& value, std::int64_t i) const {
    const Note& note = notes_[value[i].undefined - 1];
    Index const index = value.index_of(i);
    std::vector<ir::CoordinateOf> element;
    for (const Value::Axis& a : value.axes()) element.push_back({a.name, index.get(a.name)});
    return ir::undefined_result(module_, id, element, note.what, note.at);
  }

  Origin note(std::string what) {
    notes_.push_back({std::move(what), at_});
    return static_cast<Origin>(notes_.size());
  }

  // Memory.

  Value read(ir::TensorId id) {
    const ir::Tensor& t = module_.tensor(id);
    if (t.view) return read_view(t);
    std::optional<Value>& held = memory_[static_cast<std::size_t>(id)];
    if (!held) {
      held = Value(t.type, axes_of(module_.levels(t)));
      held->undefine(note("nothing has written " + (t.name.empty() ? std::string("this tensor") : t.name)));
    }
    return restrict_to(module_.levels(t), *held);
  }
  Value read_view(const ir::Tensor& t) {
    Value const whole = read(t.view->tensor);
    if (t.view->kind == ir::ViewOf::Kind::reshape) {
      Value renamed = reread(whole, module_.levels(module_.tensor(t.view->tensor)), module_.levels(t), Level::chip, {});
      renamed.type = t.type;
      return renamed;
    }
    View const seen = *seen_by(module_, t);
    Value out(t.type, axes_of(module_.levels(t)));
    for (std::int64_t i = 0; i < out.size(); ++i) {
      Index from = out.index_of(i);
      if (seen.rebase != 0) from.add(seen.axis, seen.rebase);
      if (whole.holds(from)) out[i] = whole.at(from);
    }
    return out;
  }
  /// What is there, to be changed in part.
  Value read_to_change(ir::TensorId id) { return spread_over(module_.levels(module_.tensor(id)), read(id)); }
  void write(ir::TensorId id, const Value& value) {
    const ir::Tensor& t = module_.tensor(id);
    Levels const levels = module_.levels(t);
    Value mine = restrict_to(levels, value);
    mine.type = t.type;
    if (!t.view) {
      memory_[static_cast<std::size_t>(id)] = std::move(mine);
      return;
    }
    Value whole = read_to_change(t.view->tensor);
    if (t.view->kind == ir::ViewOf::Kind::reshape) {
      whole = reread(mine, levels, module_.levels(module_.tensor(t.view->tensor)), Level::chip, {});
    } else {
      View const seen = *seen_by(module_, t);
      LiveIndices within(levels);
      if (t.view->kind == ir::ViewOf::Kind::tile) within.only_zero_unless_counted(seen.axis);
      // The view may lack axes along which all elements are the same; the tensor behind it has them.
      for (std::int64_t i = 0; i < whole.size(); ++i) {
        Index inside = whole.index_of(i);
        if (seen.rebase != 0) inside.add(seen.axis, -seen.rebase);
        if (within.hold(inside)) whole[i] = mine.at(inside);
      }
    }
    write(t.view->tensor, whole);
  }
  // Commands.

  Verdict execute(const ir::Transfer& t) {
    Levels const from = module_.levels(module_.tensor(t.source)), to = module_.levels(module_.tensor(t.destination));
    Value const source = read(t.source);
    switch (t.kind) {
      case ir::Transfer::Kind::move: write(t.destination, source); break;
      case ir::Transfer::Kind::gather: {
        auto v = gather(source, read(t.rows), t.row_axis, found_->as<Gathered>().rows, to, at_);
        if (!v) return v.refusal();
        write(t.destination, *v);
        break;
      }
      case ir::Transfer::Kind::scatter: {
        auto v = scatter(read_to_change(t.destination), source, read(t.rows), t.row_axis, found_->as<Gathered>().rows, from, at_);
        if (!v) return v.refusal();
        write(t.destination, *v);
        break;
      }
      case ir::Transfer::Kind::chip_shuffle: write(t.destination, reread(source, from, to, Level::chip, t.permutation)); break;
      case ir::Transfer::Kind::cluster_shuffle: write(t.destination, reread(source, from, to, Level::cluster, t.permutation)); break;
      case ir::Transfer::Kind::chip_slice:
        write(t.destination,
              chip_slice(source, from, to, module_.map(t.dimension).size, found_->as<ChipSliced>().stride, t.length, t.permutation));
        break;
    }
    return accept();
  }
  Verdict execute(const ir::HostTransfer& t) {
    write(t.destination, read(t.source));
    return accept();
  }
  Verdict execute(const ir::Memset& m) {
    const ir::Tensor& t = module_.tensor(m.destination);
    Value value(t.type, axes_of(module_.levels(t)));
    // The word lies at every fourth byte: an element takes the part of it that stands at its own place.
    int const bits = scalar_info(t.type).packet_bits;
    Levels const levels = module_.levels(t);
    for (std::int64_t i = 0; i < value.size(); ++i) {
      Place found;
      if (!find_place(levels, value.index_of(i), found)) continue;
      int const shift = static_cast<int>(found.element * bits % 32);
      value[i].bits = (m.word >> shift) & scalar_mask(t.type);
    }
    write(m.destination, value);
    return accept();
  }

  Verdict execute(const ir::Pass& p) {
    pass_ = &p;
    const ir::PassFacts& facts = found_->as<ir::PassFacts>();
    stream_ = read(p.source[0]);
    if (p.source.size() == 2) stream_ = interleave(stream_, read(p.source[1]), p.turns);
    levels_ = module_.levels(module_.tensor(p.source[0]));
    stash_.reset();
    groups_.reset();
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
      stage_ = &p.stages[i];
      stage_facts_ = &facts.stages[i];
      out_ = module_.levels(stage_facts_->out);
      if (stage_->at.known()) at_ = stage_->at;
      if (std::size_t const last = last_in_time(p, i); last != none_in_time) {
        run_in_time(p, i, last);
        i = last;
        levels_ = module_.levels(facts.stages[i].out);
        continue;
      }
      Verdict const v = std::visit([this](const auto& what) { return apply(what); }, stage_->what);
      if (!v) return v;
      levels_ = out_;
    }
    return accept();
  }

  // Stages.

  Verdict apply(const ir::Fetch& f) {
    Adapter adapter;
    if (f.table != ir::none) {
      adapter.table = &module_.tables[static_cast<std::size_t>(f.table)].bits;
      adapter.table_type = module_.tables[static_cast<std::size_t>(f.table)].to;
    }
    adapter.zero_points = f.zero_points;
    adapter.turns = pass_->turns;
    adapter.to = stage_->out.type;
    stream_ = restrict_to(out_, fetch(repeated(levels_, out_, stream_), adapter, module_.numeric));
    return accept();
  }
  Verdict moved() {
    stream_ = restrict_to(out_, stream_);
    return accept();
  }
  Verdict apply(const ir::Switch&) { return moved(); }
  Verdict apply(const ir::Collect&) { return moved(); }
  Verdict apply(const ir::Align& a) {
    aligned_ = &stage_facts_->as<Aligned>();
    stream_ = repeated(levels_, aligned_->at, stream_);
    weights_ = repeated(module_.levels(module_.tensor(a.trf)), aligned_->at, read(a.trf));
    return accept();
  }
  Verdict apply(const ir::Contract& c) {
    op_ = c.op;
    contracted_ = &stage_facts_->as<Contracted>();
    return accept();
  }
  Verdict apply(const ir::Accumulate&) {
    stream_ = contract(stream_, weights_, op_, *aligned_, *contracted_, stage_facts_->as<Accumulated>(), out_, module_.numeric);
    return accept();
  }
  Verdict apply(const ir::VectorInit&) {
    ids_ = execution_ids(BranchMode::Unconditional, stream_, nullptr, module_.numeric);
    return accept();
  }
  Verdict apply(const ir::Branch& b) {
    std::optional<Value> log;
    if (b.vrf != ir::none) {
      log = read(b.vrf);
      tell_copies_apart(*log);
    }
    if (b.mode.kind == BranchMode::Kind::AxisToggle) tell_copies_apart(Value(ScalarType::i32, {{b.mode.axis, 1}}));
    ids_ = execution_ids(b.mode, stream_, log ? &*log : nullptr, module_.numeric);
    return accept();
  }
  Verdict apply(const ir::BranchLog& b) {
    write(b.vrf, ids_);
    return accept();
  }
  /// The stream may lack axes along which all its elements are the same: copies in other slices, packets that were
  /// fetched again. An operand that has such an axis tells the copies apart.
  void tell_copies_apart(const Value& operand) {
    Value& one = groups_ ? groups_->group[0] : stream_;
    auto const lacks = [&one](const Value::Axis& a) {
      return std::none_of(one.axes().begin(), one.axes().end(), [&a](const Value::Axis& b) { return a.name == b.name; });
    };
    if (std::none_of(operand.axes().begin(), operand.axes().end(), lacks)) return;
    one = spread_over(levels_, one);
    if (groups_) groups_->group[1] = spread_over(levels_, groups_->group[1]);
  }
  static constexpr std::size_t none_in_time = static_cast<std::size_t>(-1);

  /// If the stage at `first` reads or writes the operand that this pass writes back: the last stage that does so.
  /// Between the two, time steps matter.
  std::size_t last_in_time(const ir::Pass& p, std::size_t first) const {
    ir::TensorId back = ir::none;
    for (const ir::Stage& s : p.stages)
      if (const auto* w = std::get_if<ir::WriteOperand>(&s.what)) back = module_.root_of(w->vrf);
    auto const uses = [&](const ir::Stage& s) {
      if (std::holds_alternative<ir::WriteOperand>(s.what)) return true;
      const auto* operation = std::get_if<ir::VectorOperation>(&s.what);
      if (operation == nullptr || back == ir::none) return false;
      for (const ir::Operand& o : operation->operands)
        if (o.shape.kind == OperandKind::vrf && module_.root_of(o.vrf) == back) return true;
      return false;
    };
    if (!uses(p.stages[first])) return none_in_time;
    std::size_t last = first;
    for (std::size_t i = first; i < p.stages.size(); ++i)
      if (uses(p.stages[i])) last = i;
    return last;
  }
  /// The stages from `first` to `last`, step by step of Time: each step reads what those before it have written.
  void run_in_time(const ir::Pass& p, std::size_t first, std::size_t last) {
    const ir::WriteOperand* write_back = nullptr;
    for (std::size_t i = first; i <= last; ++i)
      if (const auto* w = std::get_if<ir::WriteOperand>(&p.stages[i].what)) write_back = w;
    Value written = read_to_change(write_back->vrf);
    stream_ = spread_over(levels_, stream_);
    Value stash = stash_ ? *stash_ : Value(stream_.type, stream_.axes());
    std::vector<Value> others;
    others.reserve(16 * (last - first + 1));
    std::vector<VectorOp> ops;
    ScalarType type = stream_.type;
    for (std::size_t i = first; i <= last; ++i) {
      if (const auto* log = std::get_if<ir::BranchLog>(&p.stages[i].what)) write(log->vrf, ids_);
      if (std::holds_alternative<ir::WriteOperand>(p.stages[i].what)) ops.push_back({step_of(VectorMethod::write_operand), {}});
      if (std::holds_alternative<ir::Stash>(p.stages[i].what)) {
        ops.push_back({step_of(VectorMethod::stash), {}});
        stash = Value(type, stream_.axes());
      }
      const auto* operation = std::get_if<ir::VectorOperation>(&p.stages[i].what);
      if (operation == nullptr) continue;
      VectorOp op{operation->step, {}};
      for (const ir::Operand& each : operation->operands) {
        OperandValue value{each.shape, nullptr};
        if (each.shape.kind == OperandKind::stash) value.value = &stash;
        if (each.shape.kind == OperandKind::vrf)
          value.value = each.vrf == write_back->vrf ? &written : &others.emplace_back(read(each.vrf));
        op.operands.push_back(value);
      }
      type = type_after(op.step, type);
      ops.push_back(std::move(op));
    }
    stream_ = operate_in_time(ops, stream_, ids_, write_back->guard, written, stash, levels_, module_.numeric);
    stash_ = std::move(stash);
    write(write_back->vrf, written);
  }
  /// Never asked: run_in_time has done it.
  Verdict apply(const ir::WriteOperand&) { return accept(); }
  Verdict apply(const ir::Stash&) {
    stash_ = stream_;
    return accept();
  }
  Verdict apply(const ir::VectorOperation& o) {
    std::vector<Value> tensors;
    tensors.reserve(o.operands.size());
    VectorOp op{o.step, {}};
    for (const ir::Operand& each : o.operands) {
      OperandValue value{each.shape, nullptr};
      if (each.shape.kind == OperandKind::vrf) {
        value.value = &tensors.emplace_back(read(each.vrf));
        tell_copies_apart(*value.value);
      }
      if (each.shape.kind == OperandKind::stash) value.value = &*stash_;
      op.operands.push_back(value);
    }
    bool const computes =
        o.step.family != OpFamily::none || o.step.method == VectorMethod::fxp_to_fp || o.step.method == VectorMethod::fp_to_fxp;
    if (groups_ && o.step.groups == Groups::zip) {
      stream_ = zip(o.step, *groups_, module_.numeric);
      groups_.reset();
      ids_ = execution_ids(BranchMode::Unconditional, stream_, nullptr, module_.numeric);
      return accept();
    }
    if (groups_) {
      for (GroupId g : {GroupId::Zero, GroupId::One}) {
        Value& group = groups_->group[g == GroupId::One];
        if (computes) group = operate(op, group, group_ids(group, g), module_.numeric);
        else group = restrict_to(out_, group);
      }
      return accept();
    }
    if (!computes) return moved();
    stream_ = operate(op, stream_, ids_, module_.numeric);
    return accept();
  }
  Verdict apply(const ir::Unzip& u) {
    groups_ = unzip(stream_, u.axis);
    return accept();
  }
  Verdict apply(const ir::Filter& f) {
    auto const filtered = filter(stream_, ids_, f.keep, levels_, out_, note("a place that the filter did not fill"), at_);
    if (!filtered) return filtered.refusal();
    stream_ = filtered->kept;
    if (f.count != ir::none) write(f.count, filtered->count);
    return accept();
  }
  Verdict apply(const ir::IntraSliceReduce& r) {
    stream_ = intra_slice_reduce(stream_, r.axis, r.op, levels_, out_, module_.numeric);
    ids_ = execution_ids(BranchMode::Unconditional, stream_, nullptr, module_.numeric);
    return accept();
  }
  Verdict apply(const ir::InterSliceReduce& r) {
    stream_ = inter_slice_reduce(stream_, stage_facts_->as<InterSliceResult>().reduced, r.op, levels_, out_, module_.numeric);
    ids_ = execution_ids(BranchMode::Unconditional, stream_, nullptr, module_.numeric);
    return accept();
  }
  Verdict apply(const ir::VectorFinal&) { return accept(); }
  Verdict apply(const ir::Cast&) {
    stream_ = cast(stream_, stage_->out.type, module_.numeric);
    return accept();
  }
  Verdict apply(const ir::Transpose&) { return moved(); }
  Verdict apply(const ir::Commit& c) {
    if (!c.slices) {
      write(c.destination, stream_);
      return accept();
    }
    // Slices that are left out keep what their part of the tensor held.
    Value merged = read_to_change(c.destination);
    Levels const to = module_.levels(module_.tensor(c.destination));
    Value const mine = restrict_to(to, stream_);
    for (std::int64_t i = 0; i < merged.size(); ++i) {
      Index const index = merged.index_of(i);
      if (!mine.holds(index)) continue;
      Place found;
      if (find_place(to, index, found) && c.slices->contains(static_cast<int>(found.slice))) merged[i] = mine.at(index);
    }
    write(c.destination, merged);
    return accept();
  }
  Verdict apply(const ir::ToTrf& t) {
    write(t.destination, stream_);
    return accept();
  }
  Verdict apply(const ir::ToVrf& t) {
    write(t.destination, stream_);
    return accept();
  }

  const ir::Module& module_;
  const ir::Facts& facts_;
  std::vector<std::optional<Value>> memory_;  // by tensor; views hold nothing
  std::vector<Note> notes_;
  Where at_{};
  const ir::Command* command_ = nullptr;
  const ir::CommandFacts* found_ = nullptr;
  const ir::Pass* pass_ = nullptr;
  const ir::Stage* stage_ = nullptr;
  const ir::StageFacts* stage_facts_ = nullptr;

  // The stream of the pass at hand.
  Value stream_, ids_, weights_;
  Levels levels_{}, out_{};  // before and after the stage at hand
  std::optional<Value> stash_;
  std::optional<TwoGroups> groups_;
  ContractOp op_ = ContractOp::Add;
  const Aligned* aligned_ = nullptr;
  const Contracted* contracted_ = nullptr;
};

}  // namespace

Expected<Outcome> run(const ir::Verified& verified, std::vector<Value> arguments, const Options& options) {
  return Run(verified).run(std::move(arguments), options);
}

}  // namespace tcp::reference
