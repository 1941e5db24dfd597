// The Vector Engine: branches, operations with their operands, reductions, in the names of all editions.
#include <algorithm>

#include "rust/bindings.hpp"

namespace tcp::rust {
namespace vector_calls {
namespace {

dyn::Stream vector_stream(Evaluator& e, const MethodCall& c) {
  StreamState& s = state_of(c);
  flush_fetch(e, s);
  if (!s.stream) refuse_form(c, "a pass begins with fetch");
  return *s.stream;
}
MappingPtr vector_mapping(const MethodCall& c, std::size_t i, Level l, const char* what) {
  MappingPtr m = mapping_at(c, i);
  if (!m && c.expected && c.expected->kind == TypeOf::Kind::stream) m = c.expected->level[static_cast<std::size_t>(l)];
  needed(m, c, what);
  return m;
}

// Guards and operands.

OperandGuard guard_of(Evaluator& e, const MethodCall& c, const RustValue& v) {
  const RustValue& p = e.plain(v);
  const Named* const n = p.as<Named>();
  if (n == nullptr) refuse_form(c, "a guard is TagGuard::..., and " + in_words(p) + " is given");
  const std::string& name = n->name();
  check_spelling(c, *n, {"TagGuard", "OperandGuard", "GroupId"});
  if (name == "all" || name == "always" || name == "All") return OperandGuard::always();
  if (name == "Zero") return OperandGuard::group(GroupId::Zero);
  if (name == "One") return OperandGuard::group(GroupId::One);
  if (name == "group" && n->arguments.size() == 1) {
    const RustValue& g = e.plain(n->arguments[0]);
    if (const bool* const b = g.as<bool>()) return OperandGuard::group(*b ? GroupId::One : GroupId::Zero);
    if (const Number* const k = g.as<Number>()) return OperandGuard::group(k->whole != 0 ? GroupId::One : GroupId::Zero);
    return guard_of(e, c, g);
  }
  if ((name == "matches" || name == "not_matches") && n->arguments.size() == 1) {
    const Aggregate* const bits = e.plain(n->arguments[0]).as<Aggregate>();
    if (bits == nullptr || bits->items.size() > 4) refuse_form(c, "a guard names up to four bits: [BitReq::One, BitReq::Ignore, ...]");
    OperandGuard out = OperandGuard::always();
    for (std::size_t i = 0; i < bits->items.size(); ++i) {
      const Named* const bit = e.plain(bits->items[i]).as<Named>();
      if (bit == nullptr) refuse_form(c, "a bit of a guard is One, Zero or Ignore");
      check_spelling(c, *bit, {"BitReq"});
      if (bit->name() == "Ignore" || bit->name() == "Any") continue;
      if (bit->name() != "One" && bit->name() != "Zero") refuse_form(c, "a bit of a guard is One, Zero or Ignore");
      out = out & OperandGuard::bit(static_cast<int>(i), bit->name() == "One");
    }
    return name == "matches" ? out : OperandGuard::always().without(out);
  }
  refuse_form(c, "there is no guard " + in_words(p));
}

class OperandReader {
 public:
  OperandReader(Evaluator& e, const MethodCall& c, const dyn::Stream& stream)
      : e_(e), c_(c), type_(stream.type()), stream_(stream.levels()) {}

  /// One argument of the call: an operand, a pair of them for a ternary operation, a list for several guards.
  void add(const RustValue& given, std::optional<OperandGuard> guard = {}) {
    const RustValue& v = e_.plain(given);
    if (v.as<Unit>() != nullptr) return push(dyn::Operand(skip), guard);
    if (const Number* const n = v.as<Number>()) {
      if (type_ == ScalarType::f32) {
        if (!n->floating())
          Evaluator::fail(Wrong::type_mismatch, c_.expr->name_span, "a whole number is an operand of a stream of f32",
                          "Rust converts nothing by itself", "write it with a fraction: 2.0");
        return push(dyn::Operand(f32::from_float(n->as_f32())), guard);
      }
      if (n->floating() && c_.name().starts_with("vector_fp"))
        Evaluator::fail(Wrong::type_mismatch, c_.expr->name_span,
                        "`" + std::string(c_.name()) + "` computes with f32, and the stream holds " + scalar_info(type_).name,
                        "the Vector Engine converts nothing by itself", "convert before with vector_fxp_to_fp, or load f32");
      if (n->floating())
        Evaluator::fail(Wrong::type_mismatch, c_.expr->name_span,
                        std::string("a floating number is an operand of a stream of ") + scalar_info(type_).name,
                        "Rust converts nothing by itself", "write a whole number");
      if (n->whole < -2147483648LL || n->whole > 4294967295LL)
        Evaluator::fail(Wrong::number, c_.expr->name_span, "the operand " + std::to_string(n->whole) + " is not an i32",
                        "operands have 32 bits", "give a number of 32 bits");
      return push(dyn::Operand(i32::from_bits(static_cast<std::uint32_t>(n->whole))), guard);
    }
    if (const TensorValue* const t = v.as<TensorValue>()) {
      if (t->tensor.memory() != Memory::Vrf)
        Evaluator::fail(Wrong::type_mismatch, c_.expr->name_span,
                        "an operand of `" + std::string(c_.name()) + "` is in VRF, and this is " + in_words(v),
                        "operands are read from the register file while the stream passes",
                        "load it: ctx.sub.begin(x.view()).fetch::<Time, Packet>().collect::<Time, Packet>().to_vrf()");
      check_units(t->tensor);
      return push(dyn::Operand(t->tensor), guard);
    }
    if (const Aggregate* const a = v.as<Aggregate>()) {
      for (const RustValue& each : a->items) add(each, guard);
      return;
    }
    if (const Named* const n = v.as<Named>()) return named(*n, guard);
    refuse_form(c_, "an operand is a number, a VRF tensor or Stash, and " + in_words(v) + " is given");
  }

  std::vector<dyn::Operand> operands;

 private:
  /// Since 0.7, Chip, Cluster and Slice of an operand are those of the stream. Editions before compared the slices that
  /// are live, which is what the chip needs.
  void check_units(const dyn::Tensor& operand) const {
    constexpr int strict_since = 7;
    auto const edition = e_.edition();
    if (!edition || *edition < strict_since) return;
    for (Level level : {Level::chip, Level::cluster, Level::slice}) {
      Mapping const own = operand.levels()[level], wanted = stream_[level];
      if (without_kinds(own) == without_kinds(wanted)) continue;
      Evaluator::fail(
          Wrong::edition, c_.expr->name_span,
          std::string(name_of(level)) + " of the operand is " + text_of(own) + ", and " + text_of(wanted) + " of the stream",
          "edition " + edition_name(*edition) + " wants them to be the same; editions up to " + edition_name(strict_since - 1) +
              " compared the live ones only, and so does the chip",
          "give the tensor that is loaded the stream's " + std::string(name_of(level)) + " before to_vrf: unsafe { x.reshape() }");
    }
  }
  void named(const Named& n, std::optional<OperandGuard> guard) {
    const std::string& name = n.name();
    bool const of_april = n.path.front() == "VeBranchOperand", later = n.path.front() == "Branched";
    if (auto const edition = e_.edition(); edition && (*edition == april ? later : of_april))
      Evaluator::fail(Wrong::edition, c_.expr->name_span, "edition " + edition_name(*edition) + " has no `" + n.path.front() + "`",
                      "Cargo.toml asks for that edition, and names changed between editions",
                      of_april ? "`VeBranchOperand::when(value, guard)` is `Branched::imm(guard, value)` since 0.2"
                               : "`Branched::imm(guard, value)` is `VeBranchOperand::when(value, guard)` before 0.2");
    if (name == "Stash" || name == "stash") return push(dyn::Operand(Stash), guard);
    if (name == "chain") {
      for (const RustValue& each : n.arguments) add(each, guard);
      return;
    }
    if (n.path.front() == "Branched" && n.arguments.size() == 2) return add(n.arguments[1], guard_of(e_, c_, n.arguments[0]));
    if (n.path.front() == "VeBranchOperand") {
      if (name == "always" && n.arguments.size() == 1) return add(n.arguments[0], guard);
      if ((name == "group" || name == "when") && n.arguments.size() == 2) return add(n.arguments[0], guard_of(e_, c_, n.arguments[1]));
    }
    if (n.path.front() == "VeRhs" && n.arguments.size() == 1) return add(n.arguments[0], guard);
    if (n.path.front() == "TernaryOperand") {
      for (const RustValue& each : n.arguments) add(each, guard);
      for (std::string_view field : {"operand0", "operand1"})
        for (auto const& [fname, value] : n.fields)
          if (fname == field) add(value, guard);
      return;
    }
    RustValue const v{n};
    refuse_form(c_, "an operand is a number, a VRF tensor or Stash, and " + in_words(v) + " is given");
  }
  void push(const dyn::Operand& o, std::optional<OperandGuard> guard) {
    if (!guard) operands.push_back(o);
    else operands.emplace_back(tcp::detail::Guarded<dyn::Operand>{o, *guard});
    if (operands.size() > 4) refuse_form(c_, "more than four operands are given");
  }

  Evaluator& e_;
  const MethodCall& c_;
  ScalarType type_;
  Levels stream_;
};

// Operations by name.

std::string op_text(Evaluator& e, const MethodCall& c, const Named& n) {
  std::string out = n.name();
  if (n.arguments.size() == 1)
    if (const Named* const alu = e.plain(n.arguments[0]).as<Named>()) {
      check_spelling(c, *alu, {"FpMulAlu"});
      out += "(FpMulAlu::" + alu->name() + ")";
    }
  return out;
}

constexpr std::string_view families[] = {"FxpBinaryOp",           "FpBinaryOp",
                                         "FpTernaryOp",           "FpUnaryOp",
                                         "FpDivBinaryOp",         "LogicBinaryOpI32",
                                         "LogicBinaryOpF32",      "ClipBinaryOpI32",
                                         "ClipBinaryOpF32",       "IntraSliceReduceOpI32",
                                         "IntraSliceReduceOpF32", "InterSliceReduceOpI32",
                                         "InterSliceReduceOpF32"};

/// An operation of another family may have the name of one of this: ClipBinaryOpI32::Max on a stream of f32.
void check_family(const MethodCall& c, const Named& n, std::string_view wanted, ScalarType type, const std::string& otherwise = {}) {
  std::string_view const said = family_of(n);
  if (said == wanted) return;
  if (std::find(std::begin(families), std::end(families), said) == std::end(families)) return check_spelling(c, n, {wanted});
  std::string const name(n.name());
  Evaluator::fail(Wrong::type_mismatch, c.expr->name_span,
                  "`" + std::string(c.name()) + "` of a stream of " + scalar_info(type).name + " takes an operation of " +
                      std::string(wanted) + ", and `" + std::string(said) + "::" + name + "` is given",
                  "operations of whole numbers and of floats are different ones",
                  otherwise.empty() ? "write " + std::string(wanted) + "::" + name : otherwise);
}

template <class Op>
Op op_of(Evaluator& e, const MethodCall& c, const RustValue& v) {
  const Named* const n = e.plain(v).as<Named>();
  std::string known;
  for (auto const& row : Op::table) known += (known.empty() ? "" : ", ") + std::string(row.name);
  if (n != nullptr) {
    std::string const wanted = op_text(e, c, *n);
    if (wanted == n->name() && !n->arguments.empty())
      Evaluator::fail(Wrong::arguments, c.expr->name_span,
                      "`" + std::string(family_of(*n)) + "::" + n->name() + "` is given " + in_words(e.plain(n->arguments[0])),
                      "operands come after the operation",
                      "write ." + std::string(c.name()) + "(" + std::string(Op::family) + "::" + n->name() + ", operand)");
    std::size_t at = 0, of_name = std::size(Op::table);  // the first that has the name, with a multiplier or without
    for (at = 0; at < std::size(Op::table) && wanted != Op::table[at].name; ++at)
      if (std::string_view(Op::table[at].name).starts_with(n->name() + "(") && of_name == std::size(Op::table)) of_name = at;
    bool const has = at < std::size(Op::table);
    check_family(c, *n, Op::family, state_of(c).stream ? state_of(c).stream->type() : ScalarType::i32,
                 has ? std::string() : "write " + std::string(Op::family) + ":: and one of " + known);
    if (has) return Op(static_cast<typename Op::Code>(at));
    if (of_name < std::size(Op::table) && n->arguments.empty())
      Evaluator::fail(
          Wrong::arguments, c.expr->name_span,
          "`" + std::string(Op::family) + "::" + n->name() + "` of `" + std::string(c.name()) + "` does not say which multiplier it uses",
          "the Vector Engine has several, each of them once in a pass",
          "write " + std::string(Op::family) + "::" + Op::table[of_name].name);
  }
  std::string said = in_words(v);
  if (n != nullptr && !n->arguments.empty()) said = "`" + std::string(family_of(*n)) + "::" + op_text(e, c, *n).substr(0, 60) + "`";
  Evaluator::fail(Wrong::arguments, c.expr->name_span, "`" + std::string(c.name()) + "` has no operation " + said,
                  std::string("operations of ") + Op::family + " are meant", "write one of " + known);
}

template <class Mode>
Mode mode_of(Evaluator& e, const MethodCall& c, const RustValue& v, std::span<const std::string_view> digits) {
  const Named* const n = e.plain(v).as<Named>();
  if (n != nullptr) check_spelling(c, *n, {"BinaryArgMode", "TernaryArgMode", "UnaryArgMode"});
  if (n != nullptr)
    for (std::size_t i = 0; i < digits.size(); ++i)
      if (n->name() == "Mode" + std::string(digits[i])) return Mode(static_cast<typename Mode::Code>(i));
  refuse_form(c, "there is no mode " + in_words(v) + " for it");
}
constexpr std::string_view binary_modes[] = {"00", "01", "10", "11"};
constexpr std::string_view ternary_modes[] = {"012", "002", "102", "112", "020", "021", "120"};
constexpr std::string_view unary_modes[] = {"0", "1"};

bool has_mode(const MethodCall& c) { return c.name().ends_with("_with_mode"); }

/// The operands behind the operation and the mode.
std::vector<dyn::Operand> operands_of(Evaluator& e, const MethodCall& c, const dyn::Stream& s, std::size_t first) {
  OperandReader reader(e, c, s);
  for (std::size_t i = first; i < c.arguments.size(); ++i) reader.add(c.arguments[i]);
  reader.operands.resize(4);
  return std::move(reader.operands);
}
void need_arguments(const MethodCall& c, std::size_t n, const char* what) {
  if (c.arguments.size() < n) refuse_form(c, std::string(what) + " is not given");
}

RustValue fxp(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, has_mode(c) ? 2 : 1, "the operation");
  auto const op = op_of<FxpBinaryOp>(e, c, c.arguments[0]);
  auto const o = operands_of(e, c, s, has_mode(c) ? 2 : 1);
  if (!has_mode(c)) return next_stream(c, std::move(s).vector_fxp(op, o[0], o[1], o[2], o[3], c.at));
  auto const mode = mode_of<BinaryArgMode>(e, c, c.arguments[1], binary_modes);
  return next_stream(c, std::move(s).vector_fxp_with_mode(op, mode, o[0], o[1], o[2], o[3], c.at));
}

RustValue fp_binary(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, has_mode(c) ? 2 : 1, "the operation");
  auto const op = op_of<FpBinaryOp>(e, c, c.arguments[0]);
  auto const o = operands_of(e, c, s, has_mode(c) ? 2 : 1);
  if (!has_mode(c)) return next_stream(c, std::move(s).vector_fp_binary(op, o[0], o[1], o[2], o[3], c.at));
  auto const mode = mode_of<BinaryArgMode>(e, c, c.arguments[1], binary_modes);
  return next_stream(c, std::move(s).vector_fp_binary_with_mode(op, mode, o[0], o[1], o[2], o[3], c.at));
}

RustValue fp_ternary(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, has_mode(c) ? 2 : 1, "the operation");
  auto const op = op_of<FpTernaryOp>(e, c, c.arguments[0]);
  auto const o = operands_of(e, c, s, has_mode(c) ? 2 : 1);
  if (!has_mode(c)) return next_stream(c, std::move(s).vector_fp_ternary(op, o[0], o[1], o[2], o[3], c.at));
  auto const mode = mode_of<TernaryArgMode>(e, c, c.arguments[1], ternary_modes);
  return next_stream(c, std::move(s).vector_fp_ternary_with_mode(op, mode, o[0], o[1], o[2], o[3], c.at));
}

/// The operation may be left out: there is one.
RustValue fp_div(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  std::size_t first = 0;
  if (!c.arguments.empty())
    if (const Named* const n = e.plain(c.arguments[0]).as<Named>(); n != nullptr && n->name() == "DivF") first = 1;
  FpDivBinaryOp const op = FpDivBinaryOp::DivF;
  if (!has_mode(c)) {
    auto const o = operands_of(e, c, s, first);
    return next_stream(c, std::move(s).vector_fp_div(op, o[0], o[1], o[2], o[3], c.at));
  }
  need_arguments(c, first + 1, "the mode");
  auto const mode = mode_of<BinaryArgMode>(e, c, c.arguments[first], binary_modes);
  auto const o = operands_of(e, c, s, first + 1);
  return next_stream(c, std::move(s).vector_fp_div_with_mode(op, mode, o[0], o[1], o[2], o[3], c.at));
}

template <class OpI32, class OpF32>
RustValue by_type(Evaluator& e, MethodCall& c, auto apply) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, 1, "the operation");
  if (s.type() == ScalarType::f32) return apply(std::move(s), op_of<OpF32>(e, c, c.arguments[0]));
  return apply(std::move(s), op_of<OpI32>(e, c, c.arguments[0]));
}
RustValue logic(Evaluator& e, MethodCall& c) {
  return by_type<LogicBinaryOpI32, LogicBinaryOpF32>(e, c, [&](dyn::Stream s, auto op) -> RustValue {
    need_arguments(c, has_mode(c) ? 2 : 1, "the mode");
    auto const o = operands_of(e, c, s, has_mode(c) ? 2 : 1);
    if (!has_mode(c)) return next_stream(c, std::move(s).vector_logic(op, o[0], o[1], o[2], o[3], c.at));
    return next_stream(c, std::move(s).vector_logic_with_mode(op, mode_of<BinaryArgMode>(e, c, c.arguments[1], binary_modes), o[0], o[1],
                                                              o[2], o[3], c.at));
  });
}
RustValue clip(Evaluator& e, MethodCall& c) {
  return by_type<ClipBinaryOpI32, ClipBinaryOpF32>(e, c, [&](dyn::Stream s, auto op) -> RustValue {
    need_arguments(c, has_mode(c) ? 2 : 1, "the mode");
    auto const o = operands_of(e, c, s, has_mode(c) ? 2 : 1);
    if (!has_mode(c)) return next_stream(c, std::move(s).vector_clip(op, o[0], o[1], o[2], o[3], c.at));
    return next_stream(c, std::move(s).vector_clip_with_mode(op, mode_of<BinaryArgMode>(e, c, c.arguments[1], binary_modes), o[0], o[1],
                                                             o[2], o[3], c.at));
  });
}

BinaryArgMode zip_mode(Evaluator& e, const MethodCall& c) {
  if (!has_mode(c)) return {};
  need_arguments(c, 2, "the mode");
  return mode_of<BinaryArgMode>(e, c, c.arguments[1], binary_modes);
}
RustValue logic_zip(Evaluator& e, MethodCall& c) {
  return by_type<LogicBinaryOpI32, LogicBinaryOpF32>(e, c, [&](dyn::Stream s, auto op) -> RustValue {
    return next_stream(c, std::move(s).vector_logic_zip_with_mode(op, zip_mode(e, c), c.at));
  });
}
RustValue clip_zip(Evaluator& e, MethodCall& c) {
  return by_type<ClipBinaryOpI32, ClipBinaryOpF32>(e, c, [&](dyn::Stream s, auto op) -> RustValue {
    return next_stream(c, std::move(s).vector_clip_zip_with_mode(op, zip_mode(e, c), c.at));
  });
}
RustValue fxp_zip(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, 1, "the operation");
  return next_stream(c, std::move(s).vector_fxp_zip_with_mode(op_of<FxpBinaryOp>(e, c, c.arguments[0]), zip_mode(e, c), c.at));
}
RustValue fp_zip(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, 1, "the operation");
  return next_stream(c, std::move(s).vector_fp_zip_with_mode(op_of<FpBinaryOp>(e, c, c.arguments[0]), zip_mode(e, c), c.at));
}

RustValue fp_unary(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, 1, "the operation");
  auto const op = op_of<FpUnaryOp>(e, c, c.arguments[0]);
  std::size_t const first = has_mode(c) ? 2 : 1;
  Groups groups = Groups::both;
  if (c.arguments.size() != first && c.arguments.size() != first + 2)
    refuse_form(c, std::to_string(c.arguments.size()) + " arguments are given; it takes " + std::to_string(first) +
                       ", and of two groups which ones");
  if (c.arguments.size() == first + 2) {  // of two groups, which ones
    const bool *const zero = e.plain(c.arguments[first]).as<bool>(), *const one = e.plain(c.arguments[first + 1]).as<bool>();
    if (zero == nullptr || one == nullptr) refuse_form(c, "which of two groups is said by two bools");
    groups = *zero ? (*one ? Groups::both : Groups::group0) : *one ? Groups::group1 : Groups::neither;
  }
  if (!has_mode(c)) return next_stream(c, std::move(s).vector_fp_unary(op, groups, c.at));
  need_arguments(c, 2, "the mode");
  return next_stream(c, std::move(s).vector_fp_unary_with_mode(op, mode_of<UnaryArgMode>(e, c, c.arguments[1], unary_modes), groups, c.at));
}

// Branches.

InputCmp comparison(Evaluator& e, const MethodCall& c, const RustValue& v, ScalarType type) {
  const Named* const n = e.plain(v).as<Named>();
  if (n == nullptr) refuse_form(c, "a comparison is InputCmp::..., and " + in_words(v) + " is given");
  check_spelling(c, *n, {"Cmp", "InputCmp"});
  constexpr std::pair<std::string_view, InputCmp::Kind> kinds[] = {{"Equal", InputCmp::Kind::Equal},
                                                                   {"Less", InputCmp::Kind::Less},
                                                                   {"Greater", InputCmp::Kind::Greater},
                                                                   {"LessUnsigned", InputCmp::Kind::LessUnsigned},
                                                                   {"GreaterUnsigned", InputCmp::Kind::GreaterUnsigned},
                                                                   {"True", InputCmp::Kind::True},
                                                                   {"False", InputCmp::Kind::False}};
  for (auto const& [name, kind] : kinds) {
    if (n->name() != name) continue;
    InputCmp out;
    out.kind = kind;
    out.type = type;
    if (!out.has_boundary()) return out;
    if (n->arguments.size() != 1) refuse_form(c, "a comparison has one boundary");
    const Number& b = e.number(n->arguments[0], c.expr->name_span, "a boundary");
    if (b.floating() != (type == ScalarType::f32))
      Evaluator::fail(
          Wrong::type_mismatch, c.expr->name_span,
          std::string("a ") + (b.floating() ? "floating" : "whole") + " number is compared with a stream of " + scalar_info(type).name,
          "Rust converts nothing by itself", b.floating() ? "write a whole number" : "write it with a fraction: 2.0");
    if (b.floating()) out.type = ScalarType::f32;
    out.boundary = b.floating() ? f32::from_float(b.as_f32()).bits : static_cast<std::uint32_t>(b.whole);
    return out;
  }
  refuse_form(c, "there is no comparison " + in_words(v));
}

RustValue branch(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  need_arguments(c, 1, "the mode");
  const RustValue& given = e.plain(c.arguments[0]);
  const Named* const mode = given.as<Named>();
  if (mode == nullptr) refuse_form(c, "the mode is BranchMode::... or TagMode::..., and " + in_words(given) + " is given");
  check_spelling(c, *mode, {"TagMode", "BranchMode"});
  const std::string& name = mode->name();
  bool const tag = mode->path.size() > 1 && mode->path[mode->path.size() - 2] == "TagMode";
  if (mode->path.size() > 1 &&
      (tag ? c.name() != "vector_intra_slice_tag" : c.name() == "vector_intra_slice_tag" && family_of(*mode) == "BranchMode"))
    refuse_form(c,
                std::string("its mode is of ") + (tag ? "BranchMode, and one of TagMode" : "TagMode, and one of BranchMode") + " is given");
  if (mode->path.size() > 1 && name == (tag ? "Unconditional" : "Zero"))
    refuse_form(c, std::string("there is no ") +
                       (tag ? "TagMode::Unconditional; that is TagMode::Zero" : "BranchMode::Zero; that is BranchMode::Unconditional"));
  if (name == "Unconditional" || name == "Zero")
    return next_stream(c, std::move(s).vector_intra_slice_branch(BranchMode(BranchMode::Kind::Unconditional), c.at));
  if (name == "ValidCount") return next_stream(c, std::move(s).vector_intra_slice_branch(BranchMode(BranchMode::Kind::ValidCount), c.at));
  if (name == "AxisToggle") {
    const RustValue* axis = nullptr;
    for (const RustValue& v : mode->arguments) axis = &v;
    for (auto const& [field, v] : mode->fields) axis = &v;
    const Ty* const t = axis == nullptr ? nullptr : e.plain(*axis).as<Ty>();
    if (t == nullptr || (*t)->kind != TypeOf::Kind::mapping || (*t)->mapping->axes == 0)
      refuse_form(c, "the axis of AxisToggle is not said");
    return next_stream(c, std::move(s).vector_intra_slice_branch(BranchMode::toggle((*t)->mapping->axis[0].name), c.at));
  }
  if (name == "Comparison") {
    std::vector<RustValue> all = mode->arguments;
    if (all.size() == 1)
      if (const Aggregate* const list = e.plain(all[0]).as<Aggregate>()) all = list->items;
    if (all.empty() || all.size() > 4) refuse_form(c, "a branch has one to four comparisons");
    InputCmp compare[4] = {InputCmp::False, InputCmp::False, InputCmp::False, InputCmp::False};
    for (std::size_t i = 0; i < all.size(); ++i) compare[i] = comparison(e, c, all[i], s.type());
    return next_stream(c,
                       std::move(s).vector_intra_slice_branch(BranchMode::comparing(compare[0], compare[1], compare[2], compare[3]), c.at));
  }
  if (name == "Vrf") {
    const RustValue* const log = first_tensor(e, c);
    const TensorValue* inside = nullptr;
    for (const RustValue& v : mode->arguments) inside = e.plain(v).as<TensorValue>();
    if (log == nullptr && inside == nullptr) refuse_form(c, "the VRF tensor with the ids is not given");
    return next_stream(
        c, std::move(s).vector_intra_slice_branch(BranchMode(BranchMode::Kind::Vrf),
                                                  inside != nullptr ? inside->tensor : e.tensor(*log, c.expr->name_span, "the ids"), c.at));
  }
  refuse_form(c, "there is no mode " + in_words(given));
}

// The rest.

RustValue init(Evaluator& e, MethodCall& c) { return next_stream(c, vector_stream(e, c).vector_init(c.at)); }
RustValue final_stage(Evaluator& e, MethodCall& c) { return next_stream(c, vector_stream(e, c).vector_final(c.at)); }
RustValue stash(Evaluator& e, MethodCall& c) { return next_stream(c, vector_stream(e, c).vector_stash(c.at)); }

RustValue split(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  MappingPtr const time = vector_mapping(c, 0, Level::time, "Time"), packet = vector_mapping(c, 1, Level::packet, "Packet");
  return next_stream(c, std::move(s).vector_split(*time, *packet, c.at));
}
RustValue concat(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  MappingPtr const time = vector_mapping(c, 0, Level::time, "Time"), packet = vector_mapping(c, 1, Level::packet, "Packet");
  return next_stream(c, std::move(s).vector_concat(*time, *packet, c.at));
}
RustValue trim(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  return next_stream(c, std::move(s).vector_trim_way4(*vector_mapping(c, 0, Level::packet, "Packet"), c.at));
}
RustValue pad(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  return next_stream(c, std::move(s).vector_pad_way8(*vector_mapping(c, 0, Level::packet, "Packet"), c.at));
}

/// Time with the axis's two steps as one and its padding: the group that the unzip takes first.
Mapping derived_tile(const Mapping& time, const Name& axis) {
  int const a = find_axis(time, axis);
  int const k = a < 0 ? -1 : coarsest_digit(time, a);
  if (k < 0) return time;  // refused by the rule
  std::int64_t const inside = footprints(time).inside[k], slot = time.digit[k].slot;
  Halves const above = split_at(time, inside * slot), below = split_at(above.inner, inside);
  return pair(pair(above.outer, dyn::one.pad(slot)), below.inner);
}

RustValue unzip(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  MappingPtr const axis = mapping_at(c, 0);
  if (!axis || axis->axes == 0) refuse_form(c, "the axis of the two groups is not said");
  bool const with_tile = c.types.size() >= 3;
  MappingPtr const time = vector_mapping(c, with_tile ? 2 : 1, Level::time, "Time");
  Mapping const tile = with_tile && mapping_at(c, 1) ? *mapping_at(c, 1) : derived_tile(s.levels()[Level::time], axis->axis[0].name);
  return next_stream(c, std::move(s).vector_intra_slice_unzip(text(axis->axis[0].name).view(), tile, *time, c.at));
}

ReduceOp reduce_op(Evaluator& e, const MethodCall& c) {
  ScalarType const type = state_of(c).stream ? state_of(c).stream->type() : ScalarType::i32;
  std::string const family = std::string(c.name() == "vector_inter_slice_reduce" ? "Inter" : "Intra") + "SliceReduceOp" +
                             (type == ScalarType::f32 ? "F32" : "I32");
  for (const RustValue& v : c.arguments)
    if (const Named* const n = e.plain(v).as<Named>(); n != nullptr && (check_family(c, *n, family, type), true))
      for (ReduceOp op : {ReduceOp::Add, ReduceOp::AddSat, ReduceOp::Max, ReduceOp::Min, ReduceOp::Mul})
        if (n->name() == name_of(op)) return op;
  refuse_form(c, "the operation is Add, AddSat, Max or Min");
}
RustValue intra_reduce(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  MappingPtr const axis = mapping_at(c, 0);
  if (!axis || axis->axes == 0) refuse_form(c, "the axis that is folded is not said");
  MappingPtr const time = vector_mapping(c, 1, Level::time, "Time"), packet = vector_mapping(c, 2, Level::packet, "Packet");
  return next_stream(c, std::move(s).vector_intra_slice_reduce(text(axis->axis[0].name).view(), reduce_op(e, c), *time, *packet, c.at));
}
RustValue inter_reduce(Evaluator& e, MethodCall& c) {
  dyn::Stream s = vector_stream(e, c);
  MappingPtr const slice = vector_mapping(c, 0, Level::slice, "Slice"), time = vector_mapping(c, 1, Level::time, "Time");
  return next_stream(c, std::move(s).vector_inter_slice_reduce(reduce_op(e, c), *slice, *time, c.at));
}

int width_of(Evaluator& e, const MethodCall& c) {
  need_arguments(c, 1, "the width of the whole part");
  std::int64_t const w = e.integer(c.arguments[0], c.expr->name_span, "the width of the whole part");
  return static_cast<int>(std::clamp<std::int64_t>(w, -1000, 1000));
}
RustValue fxp_to_fp(Evaluator& e, MethodCall& c) { return next_stream(c, vector_stream(e, c).vector_fxp_to_fp(width_of(e, c), c.at)); }
RustValue fp_to_fxp(Evaluator& e, MethodCall& c) { return next_stream(c, vector_stream(e, c).vector_fp_to_fxp(width_of(e, c), c.at)); }
RustValue reinterpret(Evaluator& e, MethodCall& c) { return next_stream(c, vector_stream(e, c).vector_reinterpret(scalar_at(c, 0), c.at)); }

constexpr Binding rows[] = {
    {Receiver::stream, "vector_init", april, latest, "", "vector_init()", init},
    {Receiver::stream, "vector_final", april, latest, "", "vector_final()", final_stage},
    {Receiver::stream, "vector_stash", april, latest, "", "vector_stash()", stash},
    {Receiver::stream, "vector_intra_slice_branch", april, april, "vector_intra_slice_tag",
     "vector_intra_slice_branch(BranchMode::Unconditional)", branch},
    {Receiver::stream, "vector_intra_slice_tag", 2, latest, "vector_intra_slice_branch", "vector_intra_slice_tag(TagMode::Zero)", branch},
    {Receiver::stream, "vector_intra_slice_unzip", april, latest, "", "vector_intra_slice_unzip::<Axis, Tile, Time>()", unzip},
    {Receiver::stream, "vector_fxp", april, latest, "", "vector_fxp(FxpBinaryOp::AddFxp, operand)", fxp},
    {Receiver::stream, "vector_fxp_with_mode", april, latest, "", "vector_fxp_with_mode(op, BinaryArgMode::Mode10, operand)", fxp},
    {Receiver::stream, "vector_fxp_zip", april, latest, "", "vector_fxp_zip(op)", fxp_zip},
    {Receiver::stream, "vector_fxp_zip_with_mode", april, latest, "", "vector_fxp_zip_with_mode(op, mode)", fxp_zip},
    {Receiver::stream, "vector_logic", april, latest, "", "vector_logic(LogicBinaryOpI32::BitAnd, operand)", logic},
    {Receiver::stream, "vector_logic_with_mode", april, latest, "", "vector_logic_with_mode(op, mode, operand)", logic},
    {Receiver::stream, "vector_logic_zip", april, latest, "", "vector_logic_zip(op)", logic_zip},
    {Receiver::stream, "vector_logic_zip_with_mode", april, latest, "", "vector_logic_zip_with_mode(op, mode)", logic_zip},
    {Receiver::stream, "vector_fp_unary", april, latest, "", "vector_fp_unary(FpUnaryOp::Exp)", fp_unary},
    {Receiver::stream, "vector_fp_unary_with_mode", april, latest, "", "vector_fp_unary_with_mode(op, mode)", fp_unary},
    {Receiver::stream, "vector_fp_binary", april, latest, "", "vector_fp_binary(FpBinaryOp::AddF, operand)", fp_binary},
    {Receiver::stream, "vector_fp_binary_with_mode", april, latest, "", "vector_fp_binary_with_mode(op, mode, operand)", fp_binary},
    {Receiver::stream, "vector_fp_zip", april, latest, "", "vector_fp_zip(op)", fp_zip},
    {Receiver::stream, "vector_fp_zip_with_mode", april, latest, "", "vector_fp_zip_with_mode(op, mode)", fp_zip},
    {Receiver::stream, "vector_fp_ternary", april, latest, "", "vector_fp_ternary(FpTernaryOp::FmaF, (a, b))", fp_ternary},
    {Receiver::stream, "vector_fp_ternary_with_mode", april, latest, "", "vector_fp_ternary_with_mode(op, mode, (a, b))", fp_ternary},
    {Receiver::stream, "vector_fp_div", april, latest, "", "vector_fp_div(FpDivBinaryOp::DivF, operand)", fp_div},
    {Receiver::stream, "vector_fp_div_with_mode", april, latest, "", "vector_fp_div_with_mode(op, mode, operand)", fp_div},
    {Receiver::stream, "vector_clip", april, latest, "", "vector_clip(ClipBinaryOpF32::Max, operand)", clip},
    {Receiver::stream, "vector_clip_with_mode", april, latest, "", "vector_clip_with_mode(op, mode, operand)", clip},
    {Receiver::stream, "vector_clip_zip", april, latest, "", "vector_clip_zip(op)", clip_zip},
    {Receiver::stream, "vector_clip_zip_with_mode", april, latest, "", "vector_clip_zip_with_mode(op, mode)", clip_zip},
    {Receiver::stream, "vector_fxp_to_fp", april, latest, "", "vector_fxp_to_fp(int_width)", fxp_to_fp},
    {Receiver::stream, "vector_fp_to_fxp", april, latest, "", "vector_fp_to_fxp(int_width)", fp_to_fxp},
    {Receiver::stream, "vector_reinterpret", april, latest, "", "vector_reinterpret::<D>()", reinterpret},
    {Receiver::stream, "vector_split", april, april, "vector_narrow_split", "vector_split::<Time, Packet>()", split},
    {Receiver::stream, "vector_narrow_split", 2, latest, "vector_split", "vector_narrow_split::<Time, Packet>()", split},
    {Receiver::stream, "vector_trim_way4", april, april, "vector_narrow_trim", "vector_trim_way4::<Packet>()", trim},
    {Receiver::stream, "vector_narrow_trim", 2, latest, "vector_trim_way4", "vector_narrow_trim::<Packet>()", trim},
    {Receiver::stream, "vector_concat", april, april, "vector_widen_concat", "vector_concat::<Time, Packet>()", concat},
    {Receiver::stream, "vector_widen_concat", 2, latest, "vector_concat", "vector_widen_concat::<Time, Packet>()", concat},
    {Receiver::stream, "vector_pad_way8", april, april, "vector_widen_pad", "vector_pad_way8::<Packet>()", pad},
    {Receiver::stream, "vector_widen_pad", 2, latest, "vector_pad_way8", "vector_widen_pad::<Packet>()", pad},
    {Receiver::stream, "vector_intra_slice_reduce", april, latest, "", "vector_intra_slice_reduce::<Axis, Time, Packet>(op)", intra_reduce},
    {Receiver::stream, "vector_inter_slice_reduce", april, latest, "", "vector_inter_slice_reduce::<Slice, Time>(op)", inter_reduce},
};

// Built-in tables.

template <class In, class Out>
dyn::Stream with_table(dyn::Begin begin, const char* name, const Mapping& time, const Mapping& packet, Where at) {
  auto const table = LookupTable<In, Out>::made([](In x) { return Out::from_double(x.to_double()); }, name);
  return std::move(begin).fetch_with_table(table, Out::type, time, packet, at);
}

}  // namespace
}  // namespace vector_calls

std::span<const Binding> vector_bindings() { return vector_calls::rows; }

dyn::Stream fetch_with_builtin_table(dyn::Begin begin, ScalarType from, ScalarType to, const Mapping& time, const Mapping& packet, Where at,
                                     const Span& span) {
  if (from == ScalarType::f4e2m1 && to == ScalarType::f8e4m3)
    return vector_calls::with_table<f4e2m1, f8e4m3>(std::move(begin), "f4e2m1_to_f8e4m3", time, packet, at);
  if (from == ScalarType::f4e2m1 && to == ScalarType::f8e5m2)
    return vector_calls::with_table<f4e2m1, f8e5m2>(std::move(begin), "f4e2m1_to_f8e5m2", time, packet, at);
  if (from == ScalarType::f4e2m1 && to == ScalarType::bf16)
    return vector_calls::with_table<f4e2m1, bf16>(std::move(begin), "f4e2m1_to_bf16", time, packet, at);
  if (from == ScalarType::f8e4m3 && to == ScalarType::bf16)
    return vector_calls::with_table<f8e4m3, bf16>(std::move(begin), "f8e4m3_to_bf16", time, packet, at);
  if (from == ScalarType::f8e5m2 && to == ScalarType::bf16)
    return vector_calls::with_table<f8e5m2, bf16>(std::move(begin), "f8e5m2_to_bf16", time, packet, at);
  if (from == ScalarType::f8e5m2 && to == ScalarType::f32)
    return vector_calls::with_table<f8e5m2, f32>(std::move(begin), "f8e5m2_to_f32", time, packet, at);
  Evaluator::fail(Wrong::unsupported, span,
                  std::string("there is no built-in table from ") + scalar_info(from).name + " to " + scalar_info(to).name,
                  "the built-in tables widen floating numbers of 4 and 8 bits", "fetch_cast::<...>() converts what needs no table");
}

}  // namespace tcp::rust
