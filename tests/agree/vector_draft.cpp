// A way through the Vector Engine: the stages in their order, each with some of its operations, and whatever goes beside them.
#include <algorithm>

#include "pass_draft.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/rules/vector.hpp"

namespace tcp::agree {
namespace {

class VectorDraft {
 public:
  explicit VectorDraft(PassDraft& pass) : p(pass), d(pass.d) {}

  void run() {
    auto const begin = check_vector_init(p.device(), p.type, p.packet());
    if (!begin) return;
    state = *begin;
    p.stage(ir::VectorInit{});
    if (d.chance(15)) inter_slice_reduce();
    bool const two_groups = !(p.pass.turns == Name{}) && state.stage == VectorStage::Init && d.chance(75) && unzip();
    if (!two_groups) branch();
    beside();
    reinterpret();
    for (int n = some(3); n > 0; --n) logic();
    if (p.type == ScalarType::i32)
      for (int n = some(3); n > 0; --n) fxp();
    if (p.type == ScalarType::i32 && d.chance(45)) conversion(fxp_to_fp_step(static_cast<std::int64_t>(d.random.below(32))));
    if (d.chance(p.type == ScalarType::f32 ? 80 : 25)) narrow_stages();
    if (p.type == ScalarType::f32 && d.chance(30)) conversion(fp_to_fxp_step(static_cast<std::int64_t>(d.random.below(32))));
    reinterpret();
    for (int n = some(state.mode == VectorState::Mode::paired ? 2 : 4); n > 0; --n) clip();
    for (int n = 0; n < 20 && state.mode == VectorState::Mode::paired; ++n) zip(VectorMethod::clip);
    if (state.branch != BranchMode::Kind::Unconditional && d.chance(20)) filter();
    if (d.chance(15)) inter_slice_reduce();
    if (advance(step_of(VectorMethod::output))) p.stage(ir::VectorFinal{});
    p.stage_now = StreamStage::Vector;
    p.reduced = state.reduced;
  }

 private:
  int some(int most) { return static_cast<int>(d.random.below(static_cast<std::uint64_t>(most))); }
  bool advance(const VectorStep& step, const Operands& operands = Operands{}) {
    auto const next = advanced(state, step, operands);
    if (!next) return false;
    state = *next;
    p.type = state.type;
    return true;
  }

  // Entering.

  InputCmp comparison() {
    InputCmp c;
    c.kind = static_cast<InputCmp::Kind>(d.random.below(7));
    c.type = p.type;
    c.boundary = d.number(p.type, d.chance(30) ? Fill::wild : Fill::small);
    return c;
  }
  void branch() {
    BranchMode mode;
    ir::Branch b;
    switch (d.random.below(6)) {
      case 0: mode = BranchMode::toggle(some_axis()); break;
      case 1: mode = BranchMode(BranchMode::Kind::ValidCount); break;
      case 2:
      case 3: mode = BranchMode::comparing(comparison(), comparison(), comparison(), comparison()); break;
      case 4:
        mode = BranchMode(BranchMode::Kind::Vrf);
        b.vrf = p.operand_tensor(ScalarType::i32, Fill::ids);
        break;
      default: break;
    }
    std::optional<Levels> log;
    if (b.vrf != ir::none) log = d.module.levels(d.module.tensor(b.vrf));
    if (!check_branch(p.device(), p.type, p.at, mode, log ? &*log : nullptr)) {
      mode = BranchMode();
      b.vrf = ir::none;
    }
    b.mode = mode;
    if (!advance(step_of(mode))) return;
    p.stage(b);
    if (mode.kind != BranchMode::Kind::Unconditional && d.chance(30)) branch_log();
  }
  /// An axis of Time or Packet, if there is one.
  Name some_axis() {
    std::vector<Name> names;
    for (const Mapping* m : {&p.time(), &p.packet()})
      for (int k = 0; k < m->digits; ++k)
        if (m->digit[k].axis != no_axis) names.push_back(m->axis[m->digit[k].axis].name);
    return names.empty() ? Name("Z") : d.one_of(names);
  }
  /// A VRF tensor for all of the stream, in a layout of its own: fresh, or a part of one that holds something already.
  ir::TensorId whole_tensor(ScalarType type) {
    std::vector<Mapping> steps = factors(without_kinds(p.time()));
    auto const padding = std::find_if(steps.begin(), steps.end(), [](const Mapping& f) { return !counts_axes(f); });
    bool const padded = padding != steps.end() && padding->size > 1;
    bool const part = p.time().size * 8 <= 256 && d.chance(padded ? 60 : 25);
    Mapping const several = d.axis(part && padded ? padding->size : 2);
    if (part && padded && d.chance(70)) {  // as many as the stream has steps of padding, at the same place
      *padding = several;
      std::erase_if(steps, [](const Mapping& f) { return !counts_axes(f); });
    } else {
      std::erase_if(steps, [](const Mapping& f) { return !counts_axes(f); });
      if (part) steps.push_back(several);
      d.shuffle(steps);
    }
    Levels l = p.at;
    l.set(Level::slice, without_kinds(p.slice())).set(Level::time, Mapping{}).set(Level::packet, Mapping{});
    l.set(Level::element, pair(joined(steps), without_kinds(p.packet())));
    if (!part) return d.add(Memory::Vrf, type, l);
    Box const box{l[Level::chip], without_kinds(l[Level::cluster]), l[Level::slice], steps, without_kinds(p.packet())};
    PassDraft load(d, d.chance(60) ? Tu::Sub : Tu::Main, d.upload(type, box, Fill::ids));
    load.fetch(type, joined(steps), box.core);
    load.collect();
    l = load.at;
    l.set(Level::element, pair(load.time(), without_kinds(load.packet()))).set(Level::time, Mapping{}).set(Level::packet, Mapping{});
    ir::TensorId const made = d.add(Memory::Vrf, type, l);
    load.stage(ir::ToVrf{made});
    d.command(std::move(load.pass));
    ir::TensorId const one = d.tile_of(made, several, 1, d.random.between(0, several.size - 1));
    return one == ir::none ? made : one;
  }
  void branch_log() {
    if (p.time().size * 8 > 1024) return;
    ir::TensorId const log = whole_tensor(ScalarType::i32);
    if (!check_branch_log(p.at, d.module.map(d.module.tensor(log).element)) || !advance(step_of(VectorMethod::branch_log))) return;
    p.stage(ir::BranchLog{log});
    p.logged = log;
  }
  bool unzip() {
    std::vector<Mapping> tile = factors(p.time()), split = tile;
    Name const turns = p.pass.turns;
    auto const is_turn = [turns](const Mapping& f) { return f.digits == 1 && f.digit[0].axis != no_axis && f.axis[0].name == turns; };
    std::replace_if(tile.begin(), tile.end(), is_turn, pad_to(Mapping{}, 2, Pad::top));
    std::erase_if(split, is_turn);
    if (!check_unzip(p.device(), p.time(), turns, joined(tile), joined(split)) || !advance(step_of(VectorMethod::unzip))) return false;
    p.at.set(Level::time, joined(split));
    ir::Unzip u;
    u.axis = turns;
    u.tile_time = d.id(joined(tile));
    p.stage(u);
    return true;
  }

  // What goes beside the operations.

  void beside() {
    if (state.stash == VectorState::Stash::none && d.chance(25) && advance(step_of(VectorMethod::stash))) {
      stashed = Stream{p.time(), p.packet()};
      p.stage(ir::Stash{});
    }
  }
  bool stash_readable() const {
    return state.stash == VectorState::Stash::kept && !state.reduced && state.stash_type == p.type &&
           verdict(check_stash_read(p.device(), stashed, {p.time(), p.packet()})).ok();
  }
  OperandGuard guard() {
    if (state.reduced || d.chance(45)) return OperandGuard::always();
    if (d.chance(30)) return OperandGuard::bit(static_cast<int>(d.random.below(4)), d.chance(50));
    if (d.chance(30)) return OperandGuard::group(d.chance(50) ? GroupId::Zero : GroupId::One);
    return OperandGuard{static_cast<std::uint16_t>(d.random.next() | 1)};
  }
  /// A guard with an id of `among`, those that lanes can still have.
  OperandGuard guard(OperandGuard among) {
    OperandGuard const g = guard();
    return (g & among).ids != 0 ? g : OperandGuard::always();
  }
  /// A guard with some of `among` and not all of them, if it finds one.
  OperandGuard part(OperandGuard among) {
    for (int tries = 0; tries < 8; ++tries)
      if (OperandGuard const g = guard(); (g & among).ids != 0 && among.without(g).ids != 0) return g;
    return guard(among);
  }
  ir::Operand constant(const VectorStep& step, OperandGuard g) {
    ir::Operand o;
    bool const shift = detail::vec::is_shift(step);
    o.shape = {OperandKind::immediate, p.type, g, true,
               shift ? static_cast<std::uint32_t>(d.random.below(32)) : d.number(p.type, d.chance(25) ? Fill::wild : Fill::small)};
    return o;
  }
  ir::Operand in_register(OperandGuard g) {
    ir::Operand o;
    o.shape.type = p.type;
    o.shape.guard = g;
    if (stash_readable() && d.chance(60)) {
      o.shape.kind = OperandKind::stash;
    } else {
      o.shape.kind = OperandKind::vrf;
      o.vrf = vrf_operand();
    }
    return o;
  }
  ir::TensorId vrf_operand() { return p.operand_tensor(p.type, d.chance(30) ? Fill::wild : Fill::small); }

  std::vector<ir::Operand> operands_of(const VectorStep& step) {
    Arguments const arguments = arguments_of(step);
    std::vector<ir::Operand> all;
    if (arguments.count < 2 || step.groups == Groups::zip) return all;
    int const each = arguments.count - 1;
    bool const reads[2] = {arguments.reads(Argument::operand0), arguments.reads(Argument::operand1)};
    if (!reads[0] && !reads[1] && d.chance(60)) return all;
    bool const last_in_register = (reads[0] || reads[1]) && d.chance(35) && registers < 3;
    std::int64_t const slots = d.pick({1, 1, 1, 2, 3});
    OperandGuard left = state.ids;
    if (step.groups == Groups::group0) left = left & OperandGuard::group(GroupId::Zero);
    if (step.groups == Groups::group1) left = left & OperandGuard::group(GroupId::One);
    for (std::int64_t s = 0; s < slots && left.ids != 0; ++s) {
      bool const last = s + 1 == slots;
      OperandGuard const g = last && d.chance(50) ? OperandGuard::always() : last ? guard(left) : part(left);
      left = left.without(g);
      bool const from_register = last_in_register && (last || left.ids == 0);
      int const port = each == 2 && reads[0] && reads[1] ? static_cast<int>(d.random.below(2)) : reads[0] ? 0 : 1;
      for (int i = 0; i < each; ++i) {
        if (from_register && i == port) {
          all.push_back(in_register(g));
          ++registers;
        } else if (reads[i] || d.chance(30)) {
          all.push_back(constant(step, g));
        } else {
          ir::Operand none;
          none.shape.guard = g;
          all.push_back(none);
        }
      }
    }
    return all;
  }

  /// False, and nothing done, if the engine cannot do it now.
  bool operation(VectorStep step) {
    if (state.mode == VectorState::Mode::paired && step.groups == Groups::both && d.chance(60))
      step.groups = d.chance(50) ? Groups::group0 : Groups::group1;
    if (!check_step(state, step_without_operands(step)).ok() && !could(step)) return false;
    ir::VectorOperation o{step, operands_of(step)};
    Operands shapes;
    for (const ir::Operand& each : o.operands) shapes.add(each.shape);
    if (!advance(step, shapes)) return false;
    Stream const after = padding_after_arithmetic(p.time(), p.packet());
    p.at.set(Level::time, after.time).set(Level::packet, after.packet);
    p.stage(std::move(o));
    if (d.chance(12)) beside();
    return true;
  }
  static VectorStep step_without_operands(VectorStep s) {
    s.mode = 0;
    return s;
  }
  /// Whether only the operands are missing.
  bool could(const VectorStep& step) const {
    auto const v = check_step(state, step);
    return v.ok() || std::string_view(v.refusal().code) == "vector-operand-missing";
  }
  template <class Op>
  Op any() {
    return static_cast<typename Op::Code>(d.random.below(std::size(Op::table)));
  }
  BinaryArgMode binary_mode() {
    if (d.chance(40)) return {};
    return static_cast<BinaryArgMode::Code>(d.random.below(4));
  }

  /// Half of the operations are those whose turn it is by the seed, so that some hundred seeds have them all in all modes.
  template <class Op>
  VectorStep binary() {
    if (d.chance(50)) return step_of(any<Op>(), binary_mode());
    std::uint64_t const turn = (d.program.seed * 7 + operations++) % (4 * std::size(Op::table));
    return step_of(Op(static_cast<typename Op::Code>(turn / 4)), BinaryArgMode(static_cast<BinaryArgMode::Code>(turn % 4)));
  }

  void logic() {
    if (zip_now(VectorMethod::logic)) return;
    if (p.type == ScalarType::i32) operation(binary<LogicBinaryOpI32>());
    else operation(binary<LogicBinaryOpF32>());
  }
  void fxp() {
    if (zip_now(VectorMethod::fxp)) return;
    if (d.chance(8)) return running(FxpBinaryOp::AddFxp);
    operation(binary<FxpBinaryOp>());
  }
  void clip() {
    if (zip_now(VectorMethod::clip)) return;
    if (p.type == ScalarType::i32) operation(binary<ClipBinaryOpI32>());
    else operation(binary<ClipBinaryOpF32>());
  }
  void floating() {
    if (zip_now(VectorMethod::fp_binary)) return;
    switch (d.random.below(4)) {
      case 0: operation(step_of(any<FpUnaryOp>())); break;
      case 1: operation(step_of(any<FpTernaryOp>(), TernaryArgMode(static_cast<TernaryArgMode::Code>(d.random.below(7))))); break;
      default: operation(binary<FpBinaryOp>());
    }
  }
  /// An operation that reads what earlier time steps have written.
  void running(FxpBinaryOp op) {
    if (state.mode != VectorState::Mode::single || state.wrote) return;
    ir::TensorId const vrf = p.operand_tensor(p.type, Fill::small, true);
    Levels const l = d.module.levels(d.module.tensor(vrf));
    if (!check_vrf_operand(p.at, l) || !check_write_operand(p.at, p.type, l, p.type)) return;
    ir::VectorOperation o{step_of(op), {}};
    ir::Operand from;
    from.shape = {OperandKind::vrf, p.type, guard(state.ids), false, 0};
    from.vrf = vrf;
    Operands shapes;
    shapes.add(from.shape);
    o.operands.push_back(from);
    bool const reads = d.chance(75);
    if (reads) {
      if (!advance(o.step, shapes)) return;
      p.stage(o);
      if (d.chance(30)) clip_or_fxp_between();
    }
    if (!advance(step_of(VectorMethod::write_operand))) return;
    ir::WriteOperand w;
    w.vrf = vrf;
    w.guard = d.chance(60) ? OperandGuard::always() : guard(state.ids);
    p.stage(w);
    p.written = vrf;
  }
  void clip_or_fxp_between() {
    if (d.chance(50)) beside();
    else operation(step_of(any<FxpBinaryOp>()));
  }
  bool zip_now(VectorMethod method) { return state.mode == VectorState::Mode::paired && d.chance(25) && zip(method); }
  bool zip(VectorMethod method) {
    VectorStep step;
    BinaryArgMode const mode = binary_mode();
    bool const integer = p.type == ScalarType::i32;
    switch (method) {
      case VectorMethod::logic:
        step = integer ? step_of(any<LogicBinaryOpI32>(), mode, Groups::zip) : step_of(any<LogicBinaryOpF32>(), mode, Groups::zip);
        break;
      case VectorMethod::fxp: step = step_of(any<FxpBinaryOp>(), mode, Groups::zip); break;
      case VectorMethod::fp_binary: step = step_of(any<FpBinaryOp>(), mode, Groups::zip); break;
      default: step = integer ? step_of(any<ClipBinaryOpI32>(), mode, Groups::zip) : step_of(any<ClipBinaryOpF32>(), mode, Groups::zip);
    }
    return operation(step);
  }
  void conversion(const VectorStep& step) {
    if (advance(step)) p.stage(ir::VectorOperation{step, {}});
  }

  /// The bits of one type as the other, now and then (CHIP-20).
  void reinterpret() {
    if (d.chance(6)) conversion(reinterpret_step(p.type == ScalarType::i32 ? ScalarType::f32 : ScalarType::i32));
  }

  // Four lanes wide.

  void narrow_stages() {
    Halves const halves = split_at(p.packet(), 4);
    if (!halves.outer.ok()) return;
    bool const trims =
        state.mode != VectorState::Mode::paired && check_trim_way4(p.device(), p.packet(), halves.inner).ok() && d.chance(70);
    Mapping const time = p.time();
    VectorMethod const narrow = trims ? VectorMethod::trim_way4 : VectorMethod::split;
    Mapping const longer = trims ? time : pair(time, halves.outer);
    if (!longer.ok() || !advance(step_of(narrow))) return;
    p.at.set(Level::time, longer).set(Level::packet, halves.inner);
    p.stage(ir::VectorOperation{step_of(narrow), {}});
    if (d.chance(15)) beside();
    reinterpret();
    if (p.type == ScalarType::f32)
      for (int n = some(5); n > 0; --n) floating();
    if (state.mode != VectorState::Mode::paired && d.chance(40)) intra_slice_reduce();
    if (p.type == ScalarType::f32 && d.chance(25)) operation(step_of(FpDivBinaryOp(FpDivBinaryOp::Code::DivF), binary_mode()));
    widen();
  }
  void widen() {
    Halves const steps = split_at(p.time(), 2);
    Mapping const wide = p.time().size % 2 == 0 && steps.inner.ok() ? pair(steps.inner, p.packet()) : Mapping{};
    bool const joins = wide.ok() && wide.size == 8 && check_concat(p.device(), p.time(), p.packet(), steps.outer, wide).ok();
    std::vector<Mapping> const all = factors(p.time());
    bool const mere_padding = !all.empty() && !counts_axes(all.back());
    bool const pads = state.mode != VectorState::Mode::paired && (!joins || (!mere_padding && d.chance(40)));
    if (pads) {
      Mapping const made = pad_to(p.packet(), 8, Pad::top);
      if (!advance(step_of(VectorMethod::pad_way8))) return;
      p.at.set(Level::packet, made);
      p.stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}});
      return;
    }
    if (!advance(step_of(VectorMethod::concat))) return;
    p.at.set(Level::time, steps.outer).set(Level::packet, wide);
    p.stage(ir::VectorOperation{step_of(VectorMethod::concat), {}});
  }

  // Reduces.

  void intra_slice_reduce() {
    Name const axis = some_axis();
    bool const integer = p.type == ScalarType::i32;
    ReduceOp const op = d.chance(50) ? (integer ? ReduceOp::AddSat : ReduceOp::Add) : d.chance(50) ? ReduceOp::Max : ReduceOp::Min;
    auto const left = detail::fold::remove_axis(p.time(), axis, d.chance(30));
    bool const tree = detail::vec::counts(p.packet(), axis);
    Mapping const packet = tree ? pad_to(Mapping{}, 4, Pad::top) : p.packet();
    if (!left.possible || !check_intra_slice_reduce(p.device(), p.type, op, axis, p.at, left.mapping, packet)) return;
    if (!advance(step_of(VectorMethod::intra_slice_reduce))) return;
    p.at.set(Level::time, left.mapping).set(Level::packet, packet);
    ir::IntraSliceReduce r;
    r.axis = axis;
    r.op = op;
    p.stage(r);
  }
  void inter_slice_reduce() {
    std::vector<Mapping> parts = factors(p.slice());
    if (p.slice().tails > 0 || parts.empty() || state.stage == VectorStage::Filter) return;
    std::int64_t group = 1;
    for (std::int64_t n = d.pick({1, 1, 2}); n > 0 && !parts.empty(); --n) {
      group *= parts.back().size;
      parts.pop_back();
    }
    Mapping time = p.time();
    Mapping fill = pad_to(Mapping{}, group, Pad::top);
    std::vector<Mapping> steps = factors(time);
    std::uint64_t const how = d.random.below(4);
    if (how == 1 && group <= 16) fill = d.chance(50) ? d.axis(group) : copies(group);
    if (how == 2 && !steps.empty() && time.tails == 0) {
      std::size_t const which = d.random.below(steps.size());
      if (counts_axes(steps[which]) && steps[which].size <= group) {
        fill = pad_to(steps[which], group, Pad::top);
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(which));
        time = joined(steps);
      }
    }
    constexpr ReduceOp integer_ops[] = {ReduceOp::Add, ReduceOp::AddSat, ReduceOp::Max, ReduceOp::Min};
    constexpr ReduceOp floating_ops[] = {ReduceOp::Add, ReduceOp::Max, ReduceOp::Min, ReduceOp::Mul};
    ReduceOp const op = (p.type == ScalarType::i32 ? integer_ops : floating_ops)[d.random.below(4)];
    Mapping const slice = pair(joined(parts), fill);
    if (!slice.ok() || !check_inter_slice_reduce(p.device(), p.type, op, p.at, slice, time)) return;
    if (!advance(step_of(VectorMethod::inter_slice_reduce))) return;
    p.at.set(Level::slice, slice).set(Level::time, time);
    ir::InterSliceReduce r;
    r.op = op;
    p.stage(r);
  }

  void filter() {
    ir::Filter f;
    f.keep = OperandGuard{static_cast<std::uint16_t>(d.random.next() | (d.chance(50) ? 0x0103 : 1))};
    if ((f.keep & state.ids).ids == 0) f.keep = OperandGuard::always();
    std::int64_t const steps = d.chance(85) ? p.time().size : d.random.between(1, p.time().size);
    Mapping const kept = d.axis(steps * 8);
    Mapping const time = divide_by(kept, 8), packet = modulo(kept, 8);
    if (!check_filter(p.device(), f.keep, p.time(), p.packet(), time, packet) || !advance(step_of(VectorMethod::filter))) return;
    if (d.chance(50)) {
      Levels l = p.at;
      l.set(Level::slice, without_kinds(p.slice())).set(Level::time, Mapping{}).set(Level::packet, Mapping{});
      f.count = p.counted = d.add(Memory::Vrf, ScalarType::i32, l);
    }
    p.at.set(Level::time, time).set(Level::packet, packet);
    p.stage(f);
  }

  PassDraft& p;
  Draft& d;
  VectorState state{};
  Stream stashed{};
  int registers = 0;
  std::uint64_t operations = 0;
};

}  // namespace

void PassDraft::vector() { VectorDraft(*this).run(); }

}  // namespace tcp::agree
