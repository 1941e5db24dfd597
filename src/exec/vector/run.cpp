// The interpreter that is used by default: one function per command and per stage. Stages that only move data change
// nothing, those that compute extend a chain, and the chain runs when a sink or a reduce needs its elements.
#include "tcp/exec/vector/run.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>

#include "exec/vector/contraction/contraction.hpp"
#include "exec/vector/filter.hpp"
#include "exec/vector/image.hpp"
#include "exec/vector/kernels/target.hpp"
#include "exec/vector/memory.hpp"
#include "exec/vector/places.hpp"
#include "exec/vector/reduce.hpp"
#include "exec/vector/transfer.hpp"
#include "exec/vector/write_operand.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/rules/commit.hpp"
#include "tcp/support/room.hpp"

namespace tcp::vector {
namespace {

/// What vector_stash kept: the chain as it was, and, while the stream is still the same chain, the register.
struct Stashed {
  Chain chain;
  int in = -1;
  std::int64_t sweep = -1;
};

class Interpreter {
 public:
  Interpreter(const ir::Verified& verified, const Options& options)
      : module_(verified.module()),
        facts_(verified.facts()),
        options_(options),
        how_{module_.numeric, std::max(options.threads, 1)},
        memory_(module_, how_) {}

  Expected<Images> run(const Images& arguments) {
    TCP_BUG_UNLESS(arguments.size() == module_.arguments.size(), "a module was run with another number of arguments than it has");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      ir::TensorId const id = module_.arguments[i];
      memory_.fill(id, from_image(arguments[i], module_.tensor(id).type, memory_.levels(id)));
    }
    for (std::size_t i = 0; i < module_.commands.size(); ++i) {
      found_ = &facts_.commands[i];
      memory_.at = module_.commands[i].at;
      number_ = i;
      Verdict const v = std::visit([this](const auto& what) { return execute(what); }, module_.commands[i].what);
      if (!v) return v.refusal();
      if (options_.on_progress) options_.on_progress(i + 1, module_.commands.size());
    }
    number_ = module_.commands.size();
    Images results;
    for (std::size_t i = 0; i < module_.results.size(); ++i) {
      ir::TensorId const id = module_.results[i];
      Tensor const t = memory_.read(id);
      if (t.has_undefined())
        if (auto const v = tell_undefined(i, t); !v) return v.refusal();
      auto unchanged = argument_image(t, memory_.levels(id));
      if (!unchanged) unchanged = image_for_later(t, memory_.levels(id));
      bool const lies = unchanged != nullptr || lies_as_image(t, memory_.levels(id));
      say(lies ? name(id) + " is stored as " + std::string(name_of(module_.tensor(id).memory)) + " holds it"
               : name(id) + " is moved into " + std::string(name_of(module_.tensor(id).memory)));
      results.push_back(unchanged ? std::move(unchanged) : std::make_shared<const Image>(to_image(t, memory_.levels(id))));
    }
    return results;
  }

 private:
  void say(const std::string& line) const {
    if (options_.on_plan) options_.on_plan(number_, line);
  }
  std::string name(ir::TensorId id) const {
    const std::string& given = module_.tensor(id).name;
    return given.empty() ? "tensor " + std::to_string(id.number) : given;
  }
  void say_written(ir::TensorId to, const Chain& chain) const {
    if (!options_.on_plan) return;
    if (!chain.is_tensor()) say(name(to) + " in one sweep: " + words_of(chain));
    else if (module_.tensor(to).view) say(name(to) + " is copied into the tensor that it shows");
    else say(name(to) + " shares the elements, nothing is copied");
  }

  /// Calls visit(element, note) for each that is undefined and live, until it says false. An index between two steps of
  /// a tensor is no element of it.
  template <class Visit>
  void each_undefined(ir::TensorId id, const Tensor& t, Visit&& visit) {
    std::vector<std::vector<bool>> live;
    for (const Axis& a : t.axes) {
      live.emplace_back(static_cast<std::size_t>(a.size), false);
      for (const Stretch& r : live_runs(memory_.levels(id), a.name))
        for (std::int64_t c = r.begin; c < r.begin + r.size && c < a.size; ++c) live.back()[static_cast<std::size_t>(c)] = true;
    }
    for (std::int64_t i = 0; i < t.size(); ++i) {
      Index index;
      std::int64_t rest = i, at = 0;
      bool held = true;
      for (std::size_t k = t.axes.size(); k-- > 0;) {
        std::int64_t const c = rest % t.axes[k].size;
        rest /= t.axes[k].size;
        at += c * t.axes[k].origin_stride;
        held &= live[k][static_cast<std::size_t>(c)];
        index.add(t.axes[k].name, c);
      }
      Origin const origin = t.origin_data()[at];
      if (held && origin != 0 && !visit(index, memory_.notes[origin - 1])) return;
    }
  }
  Verdict tell_undefined(std::size_t result, const Tensor& t) {
    ir::TensorId const id = module_.results[result];
    Verdict told = accept();
    if (options_.check)
      each_undefined(id, t, [&](const Index& index, const Note& note) {
        std::vector<ir::CoordinateOf> element;
        for (const Axis& a : t.axes) element.push_back({a.name, index.get(a.name)});
        told = ir::undefined_result(module_, id, element, note.what, note.at);
        return false;
      });
    else if (options_.on_undefined)
      each_undefined(id, t, [&](const Index& index, const Note& note) {
        options_.on_undefined({result, index, note.what, note.at});
        return true;
      });
    return told;
  }

  // Commands.

  Verdict execute(const ir::Transfer& t) {
    const Levels &from = memory_.levels(t.source), &to = memory_.levels(t.destination);
    Tensor const source = memory_.read(t.source);
    switch (t.kind) {
      case ir::Transfer::Kind::move:
        say_written(t.destination, Chain(source));
        memory_.write(t.destination, source);
        break;
      case ir::Transfer::Kind::gather: {
        say("rows gathered into " + name(t.destination));
        auto const v = gather(source, memory_.read(t.rows), t.row_axis, RowNumbers::of(found_->as<Gathered>()), memory_.axes(t.destination),
                              memory_.at);
        if (!v) return v.refusal();
        memory_.write(t.destination, *v);
        break;
      }
      case ir::Transfer::Kind::scatter: {
        say("rows scattered into " + name(t.destination));
        Tensor table = memory_.read_to_change(t.destination);
        if (auto const v = scatter(table, source, memory_.read(t.rows), t.row_axis, RowNumbers::of(found_->as<Gathered>()), memory_.at); !v)
          return v;
        memory_.write(t.destination, table);
        break;
      }
      case ir::Transfer::Kind::chip_shuffle:
        say(name(t.destination) + " by a shuffle of chips");
        memory_.write(t.destination, reread(source, from, to, Level::chip, t.permutation));
        break;
      case ir::Transfer::Kind::cluster_shuffle:
        say(name(t.destination) + " by a shuffle of clusters");
        memory_.write(t.destination, reread(source, from, to, Level::cluster, t.permutation));
        break;
      case ir::Transfer::Kind::chip_slice:
        say(name(t.destination) + " by slices of each chip");
        memory_.write(t.destination, chip_slice(source, from, to, module_.map(t.dimension).size, found_->as<ChipSliced>().stride, t.length,
                                                t.permutation));
        break;
    }
    return accept();
  }
  Verdict execute(const ir::HostTransfer& t) {
    Tensor const source = memory_.read(t.source);
    say_written(t.destination, Chain(source));
    memory_.write(t.destination, source);
    return accept();
  }
  /// The word lies at every fourth byte: an element takes the part of it that stands at its own place.
  Verdict execute(const ir::Memset& m) {
    say(name(m.destination) + " is set");
    const ir::Tensor& t = module_.tensor(m.destination);
    int const bits = scalar_info(t.type).packet_bits;
    std::uint32_t const first = m.word & scalar_mask(t.type);
    bool same = true;
    for (int shift = 0; shift < 32; shift += bits) same &= ((m.word >> shift) & scalar_mask(t.type)) == first;
    if (same) {
      memory_.write(m.destination, uniform(t.type, memory_.axes(m.destination), first));
      return accept();
    }
    Tensor value = fresh(t.type, memory_.axes(m.destination));
    std::fill_n(value.writable_data(), value.size() * value.width(), std::byte{0});
    const Levels& levels = memory_.levels(m.destination);
    PlaceMap const places(levels, value, Copies::first);
    each_place(levels, [&](const Place& place) {
      Spot spot;
      if (!places.find(place, spot)) return;
      store_bits(value.writable_data() + spot.bits * value.width(), value.width(),
                 (m.word >> (place.element * bits % 32)) & scalar_mask(t.type));
    });
    memory_.write(m.destination, value);
    return accept();
  }

  Verdict execute(const ir::Pass& p) {
    pass_ = &p;
    const ir::PassFacts& facts = found_->as<ir::PassFacts>();
    Tensor source = memory_.read(p.source[0]);
    if (p.source.size() == 2) source = interleaved(source, memory_.read(p.source[1]), p.turns);
    begin(std::move(source));
    levels_ = memory_.levels(p.source[0]);
    stash_.reset();
    groups_.clear();
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
      stage_ = &p.stages[i];
      stage_facts_ = &facts.stages[i];
      out_ = module_.levels(stage_facts_->out);
      if (stage_->at.known()) memory_.at = stage_->at;
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

  // The stream: a chain that grows until something needs its elements.

  void begin(Tensor t) {
    stream_ = Chain(std::move(t));
    ids_ = {};
    ++sweep_;
  }
  Tensor finished(const Chain& chain) {
    if (options_.on_plan && !chain.is_tensor()) say("the stream in one sweep: " + words_of(chain));
    return made(chain, how_);
  }
  Verdict moved() {
    stream_.restrict_to(axes_of(out_));
    return accept();
  }

  // Stages.

  Verdict apply(const ir::Fetch& f) {
    stream_ = Chain(repeated(stream_.tensor(), levels_, out_));
    if (f.table != ir::none) {
      const ir::LookupTable& table = module_.tables[static_cast<std::size_t>(f.table)];
      stream_.look_up(table.bits, table.to);
    }
    if (f.zero_points.empty()) stream_.cast(stage_->out.type);
    else stream_.subtract(f.zero_points, pass_->turns, stage_->out.type);
    return moved();
  }
  Verdict apply(const ir::Switch&) { return moved(); }
  Verdict apply(const ir::Collect&) { return moved(); }
  Verdict apply(const ir::Transpose&) { return moved(); }
  Verdict apply(const ir::Align& a) {
    weights_ = memory_.read(a.trf);
    contraction_.stream = levels_;
    contraction_.weights_element = module_.map(module_.tensor(a.trf).element);
    contraction_.pair = &stage_facts_->as<Aligned>();
    return accept();
  }
  Verdict apply(const ir::Contract& c) {
    contraction_.op = c.op;
    contraction_.contracted = &stage_facts_->as<Contracted>();
    return accept();
  }
  Verdict apply(const ir::Accumulate&) {
    contraction_.accumulated = &stage_facts_->as<Accumulated>();
    Tensor const data = repeated(finished(stream_), contraction_.stream, contraction_.pair->at);
    if (options_.on_plan) say(words_of_contraction(data, weights_, contraction_, out_));
    begin(contract(data, weights_, contraction_, out_, how_));
    return accept();
  }
  Verdict apply(const ir::VectorInit&) {
    ids_ = {};
    return accept();
  }
  Verdict apply(const ir::Branch& b) {
    Instruction i;
    i.ids = true;
    i.a = stream_.result;
    ids_ = {};
    switch (b.mode.kind) {
      case BranchMode::Kind::Unconditional: break;
      case BranchMode::Kind::ValidCount: ids_.all = 1; break;  // every element there is lies below the count
      case BranchMode::Kind::AxisToggle:
        if (!stream_.has_axis(b.mode.axis)) stream_.spread_over(axes_of(levels_));
        if (!stream_.has_axis(b.mode.axis)) break;
        i.kind = Instruction::Kind::parity;
        i.a = -1;
        i.axis = b.mode.axis;
        ids_.in = stream_.add(i);
        break;
      case BranchMode::Kind::Comparison:
        i.kind = Instruction::Kind::compare;
        i.mode = b.mode;
        ids_.in = stream_.add(i);
        break;
      case BranchMode::Kind::Vrf:
        i.kind = Instruction::Kind::ids_of_log;
        i.a = load(stream_, operand(b.vrf));
        ids_.in = stream_.add(i);
        break;
    }
    return accept();
  }
  /// The ids as a stream of i32.
  Chain ids_chain() const {
    Chain ids = stream_;
    Instruction i;
    i.kind = Instruction::Kind::log_of_ids;
    i.a = ids_.in;
    ids.result = ids_.in < 0 ? ids.constant(ScalarType::i32, ids_.all) : ids.add(i);
    return ids;
  }
  Verdict apply(const ir::BranchLog& b) {
    say(name(b.vrf) + " takes the branch log");
    memory_.write(b.vrf, ids_chain());
    return accept();
  }
  Verdict apply(const ir::Stash&) {
    stash_ = Stashed{stream_, stream_.result, sweep_};
    return accept();
  }

  /// A VRF tensor as the stream sees it: where it counts fewer steps of an axis, each serves several.
  Tensor operand(ir::TensorId vrf) { return repeated(memory_.read(vrf), memory_.levels(vrf), levels_); }
  /// The stream may lack axes along which all its elements are the same: copies in other slices, packets that were
  /// fetched again. An operand that has such an axis tells the copies apart.
  int load(Chain& chain, const Tensor& t) {
    bool const apart = std::any_of(t.axes.begin(), t.axes.end(), [&chain](const Axis& a) { return !chain.has_axis(a.name); });
    if (apart) chain.spread_over(axes_of(levels_));
    return chain.load(t);
  }
  std::vector<OperandRegister> registers(Chain& chain, const ir::VectorOperation& o, const std::vector<Tensor>& tensors) {
    std::vector<OperandRegister> all;
    for (std::size_t i = 0; i < o.operands.size(); ++i) {
      const OperandShape& shape = o.operands[i].shape;
      OperandRegister r{-1, shape.guard};
      switch (shape.kind) {
        case OperandKind::none: r.in = chain.constant(ScalarType::i32, 0); break;
        case OperandKind::immediate: r.in = chain.constant(shape.type, shape.bits); break;
        case OperandKind::vrf: r.in = load(chain, tensors[i]); break;
        case OperandKind::stash: r.in = &chain == &stream_ && stash_->sweep == sweep_ ? stash_->in : chain.load(tensors[i]); break;
      }
      all.push_back(r);
    }
    return all;
  }
  std::vector<Tensor> tensors_of(const ir::VectorOperation& o) {
    std::vector<Tensor> all(o.operands.size());
    for (std::size_t i = 0; i < o.operands.size(); ++i) {
      const OperandShape& shape = o.operands[i].shape;
      if (shape.kind == OperandKind::vrf) all[i] = operand(o.operands[i].vrf);
      if (shape.kind == OperandKind::stash && (!groups_.empty() || stash_->sweep != sweep_)) all[i] = made(stash_->chain, how_);
    }
    return all;
  }
  Verdict apply(const ir::VectorOperation& o) {
    if (o.step.method == VectorMethod::reinterpret) {
      if (groups_.empty()) stream_.retype(o.step.to);
      for (Chain& group : groups_) group.retype(o.step.to);
      return accept();
    }
    bool const computes =
        o.step.family != OpFamily::none || o.step.method == VectorMethod::fxp_to_fp || o.step.method == VectorMethod::fp_to_fxp;
    if (!groups_.empty() && o.step.groups == Groups::zip) {
      stream_ = std::move(groups_[0]);
      int const first = stream_.result, second = stream_.take_in(groups_[1]);
      stream_.zip(o.step, first, second);
      groups_.clear();
      ids_ = {};
      ++sweep_;
      return accept();
    }
    auto const tensors = computes ? tensors_of(o) : std::vector<Tensor>{};
    if (!groups_.empty()) {
      for (std::size_t g = 0; g < 2; ++g) {
        if (computes) groups_[g].operate(o.step, registers(groups_[g], o, tensors), Ids{-1, g == 1 ? 1u << OperandGuard::group_bit : 0});
        else groups_[g].restrict_to(axes_of(out_));
      }
      return accept();
    }
    if (!computes) return moved();
    auto const operands = registers(stream_, o, tensors);
    stream_.operate(o.step, operands, ids_);
    return accept();
  }
  Verdict apply(const ir::Unzip& u) {
    groups_.assign(2, stream_);
    for (std::size_t g = 0; g < 2; ++g) groups_[g].fix_at(u.axis, static_cast<std::int64_t>(g));
    return accept();
  }
  Verdict apply(const ir::Filter& f) {
    Tensor const stream = finished(stream_), ids = made(ids_chain(), how_);
    say("filter");
    Origin const unfilled = memory_.note("a place that the filter did not fill");
    auto const filtered = filter(stream, ids, f.keep, levels_, out_, unfilled, memory_.at);
    if (!filtered) return filtered.refusal();
    begin(filtered->kept);
    if (f.count != ir::none) memory_.write(f.count, filtered->count);
    return accept();
  }
  Verdict apply(const ir::IntraSliceReduce& r) {
    Tensor const stream = finished(stream_);
    say("reduce within slices");
    begin(intra_slice_reduce(stream, r.axis, r.op, levels_, out_, how_));
    return accept();
  }
  Verdict apply(const ir::InterSliceReduce& r) {
    Tensor const stream = finished(stream_);
    say("reduce over slices");
    begin(inter_slice_reduce(stream, stage_facts_->as<InterSliceResult>().reduced, r.op, levels_, out_, how_));
    return accept();
  }
  Verdict apply(const ir::VectorFinal&) { return accept(); }
  Verdict apply(const ir::Cast&) {
    stream_.cast(stage_->out.type);
    return accept();
  }
  Verdict apply(const ir::CommitCast&) { return apply(ir::Cast{}); }
  Verdict apply(const ir::CommitCastRelu&) {
    stream_.relu();
    return apply(ir::Cast{});
  }
  Verdict apply(const ir::Commit& c) {
    if (c.slices) return commit_some(c);
    return sink(c.destination);
  }
  Verdict apply(const ir::ToTrf& t) { return sink(t.destination); }
  Verdict apply(const ir::ToVrf& t) { return sink(t.destination); }
  Verdict sink(ir::TensorId to) {
    say_written(to, stream_);
    memory_.write(to, std::move(stream_));
    return accept();
  }
  /// Slices that are left out keep what their part of the tensor held.
  Verdict commit_some(const ir::Commit& c) {
    Tensor merged = memory_.read_to_change(c.destination);
    stream_.restrict_to(memory_.axes(c.destination));
    Tensor const mine = finished(stream_);
    if (mine.has_undefined()) track(merged);
    const Levels& levels = memory_.levels(c.destination);
    PlaceMap const from(levels, mine), to(levels, merged, Copies::first);
    int const width = merged.width();
    std::byte* const out = merged.writable_data();
    const std::byte* const in = mine.data();
    Origin* const origins = merged.origins ? merged.writable_origins() : nullptr;
    auto const is_written = [&c](std::int64_t slice) { return c.slices->contains(static_cast<int>(slice)); };
    each_pair(levels, to, from, is_written, [&](const Spot& here, const Spot& there) {
      store_bits(out + here.bits * width, width, load_bits(in + there.bits * width, width));
      if (origins != nullptr) origins[here.origin] = mine.origins ? mine.origin_data()[there.origin] : 0;
    });
    memory_.write(c.destination, merged);
    return accept();
  }

  // Operands that are written back.

  static constexpr std::size_t none_in_time = static_cast<std::size_t>(-1);

  /// If the stage at `first` reads or writes the operand that this pass writes back: the last stage that does so.
  /// Between the two, time steps matter.
  std::size_t last_in_time(const ir::Pass& p, std::size_t first) const {
    ir::TensorId back = ir::none;
    for (const ir::Stage& s : p.stages)
      if (const auto* w = std::get_if<ir::WriteOperand>(&s.what)) back = module_.root_of(w->vrf);
    if (back == ir::none) return none_in_time;
    auto const uses = [&](const ir::Stage& s) {
      if (std::holds_alternative<ir::WriteOperand>(s.what)) return true;
      const auto* operation = std::get_if<ir::VectorOperation>(&s.what);
      return operation != nullptr && std::any_of(operation->operands.begin(), operation->operands.end(), [&](const ir::Operand& o) {
               return o.shape.kind == OperandKind::vrf && module_.root_of(o.vrf) == back;
             });
    };
    if (!uses(p.stages[first])) return none_in_time;
    std::size_t last = first;
    for (std::size_t i = first; i < p.stages.size(); ++i)
      if (uses(p.stages[i])) last = i;
    return last;
  }
  /// A tensor of the caller's own, with room for origins.
  static Tensor tracked(Tensor t) {
    track(t);
    return t;
  }
  static Tensor empty_like(const Tensor& t, ScalarType type) {
    std::vector<AxisSize> axes;
    for (const Axis& a : t.axes) axes.push_back({a.name, a.size});
    Tensor out = fresh(type, axes);
    std::fill_n(out.writable_data(), out.size() * out.width(), std::byte{0});
    return tracked(std::move(out));
  }
  /// The stages from `first` to `last`, step by step of Time: each step reads what those before it have written.
  void run_in_time(const ir::Pass& p, std::size_t first, std::size_t last) {
    say("operations that read what they wrote, step by step");
    const ir::WriteOperand* write_back = nullptr;
    for (std::size_t i = first; i <= last; ++i)
      if (const auto* w = std::get_if<ir::WriteOperand>(&p.stages[i].what)) write_back = w;
    Tensor written = tracked(memory_.read_to_change(write_back->vrf));
    stream_.spread_over(axes_of(levels_));
    Tensor const stream = finished(stream_), ids = made(ids_chain(), how_);
    Tensor stash = stash_ ? tracked(own_copy(made(stash_->chain, how_))) : empty_like(stream, stream.type);
    bool stashes = stash_.has_value();
    std::vector<Tensor> others;
    others.reserve(16 * (last - first + 1));
    std::vector<TimedOp> ops;
    ScalarType type = stream.type;
    for (std::size_t i = first; i <= last; ++i) {
      if (const auto* log = std::get_if<ir::BranchLog>(&p.stages[i].what)) memory_.write(log->vrf, ids);
      if (std::holds_alternative<ir::WriteOperand>(p.stages[i].what)) ops.push_back({step_of(VectorMethod::write_operand), {}});
      if (std::holds_alternative<ir::Stash>(p.stages[i].what)) {
        ops.push_back({step_of(VectorMethod::stash), {}});
        stash = empty_like(stream, type);
        stashes = true;
      }
      const auto* operation = std::get_if<ir::VectorOperation>(&p.stages[i].what);
      if (operation == nullptr) continue;
      TimedOp op{operation->step, {}};
      for (const ir::Operand& each : operation->operands) {
        TimedOperand o{each.shape, nullptr};
        if (each.shape.kind == OperandKind::stash) o.tensor = &stash;
        if (each.shape.kind == OperandKind::vrf)
          o.tensor = each.vrf == write_back->vrf ? &written : &others.emplace_back(operand(each.vrf));
        op.operands.push_back(o);
      }
      type = type_after(op.step, type);
      ops.push_back(std::move(op));
    }
    Tensor const out = operate_in_time(ops, stream, ids, write_back->guard, written, stash, levels_, module_.numeric);
    // The ids are those of the elements still.
    begin(out);
    Instruction i;
    i.kind = Instruction::Kind::ids_of_log;
    i.ids = true;
    i.a = stream_.load(ids);
    ids_.in = stream_.add(i);
    if (stashes) stash_ = Stashed{Chain(without_idle_origins(stash)), -1, -1};
    memory_.write(write_back->vrf, without_idle_origins(written));
  }
  /// Never asked: run_in_time has done it.
  Verdict apply(const ir::WriteOperand&) { return accept(); }

  const ir::Module& module_;
  const ir::Facts& facts_;
  const Options& options_;
  How how_;
  Memory memory_;
  std::size_t number_ = 0;
  const ir::CommandFacts* found_ = nullptr;
  const ir::Pass* pass_ = nullptr;
  const ir::Stage* stage_ = nullptr;
  const ir::StageFacts* stage_facts_ = nullptr;

  // The stream of the pass at hand.
  Chain stream_;
  Ids ids_;
  std::int64_t sweep_ = 0;   // counts the chains that the stream has been
  Levels levels_{}, out_{};  // before and after the stage at hand
  Tensor weights_;
  std::optional<Stashed> stash_;
  std::vector<Chain> groups_;  // none, or two
  ContractionFacts contraction_;
};

}  // namespace

Expected<Images> run(const ir::Verified& verified, const Images& arguments, const Options& options) {
  kernels::use(options.portable ? kernels::targets().back() : kernels::Target{});
  return within_memory([&] {
    if (options.threads <= 1) return Interpreter(verified, options).run(arguments);
    tbb::task_arena arena(options.threads);
    return arena.execute([&] { return Interpreter(verified, options).run(arguments); });
  });
}

}  // namespace tcp::vector
