// The stages of a pass: `.name(arguments)`, then what the stream has that it did not have before.
//
//   stage   = "." name [ "(" argument { "," argument } ")" ] { type | level mapping }
//   operand = ( "_" | "stash" | value | [ type ] "?" | [ type ] name ) [ "when" set ]
//   value   = integer | float | "inf" | "nan" | type bits
#include "ir/reader.hpp"
#include "ir/stage_fields.hpp"
#include "tcp/rules/pass_state.hpp"

namespace tcp::ir {
namespace {

using namespace words;

class StageReader {
 public:
  StageReader(Reader& in, Shape before) : in_(in), shape_(before) {}

  /// Needs: the token is the stage's `.`.
  Stage read() {
    Stage s;
    s.at = in_.here();
    in_.take_sign(".");
    what(s);
    if (in_.refused()) return s;
    s.out = shape_;
    s.out.type = usual_type(s.what, shape_.type);
    Reader::Given given(in_);
    while (stream_part(s.out, given)) {
    }
    return s;
  }

 private:
  bool stream_part(Shape& out, Reader::Given& given) {
    if (in_.at_scalar_type()) {
      given.once("the type");
      out.type = in_.scalar_type();
      return !in_.refused();
    }
    for (const auto& level : stream_levels) {
      if (!in_.take_word(level.name)) continue;
      given.once(level.name);
      out.*level.value = in_.mapping();
      return !in_.refused();
    }
    return false;
  }

  void what(Stage& s) {
    if (worded_stage(s.what)) return;
    VectorStep step;
    for (const Family& f : families)
      if (in_.at_word(info_of(f.method).name)) step.method = f.method;
    for (VectorMethod m : plain_methods)
      if (in_.at_word(info_of(m).name)) step.method = m;
    for (const auto& zip : zip_forms) {
      if (!in_.at_word(zip.name)) continue;
      step.method = zip.value;
      step.groups = Groups::zip;
    }
    if (step.method == VectorMethod::output) return not_a_stage();
    in_.word("a stage");
    s.what = operation(step);
  }
  void not_a_stage() {
    std::vector<std::string_view> candidates;
    for (int k = 0; k < stage_kind_count; ++k)
      if (auto const kind = static_cast<StageKind>(k); kind != StageKind::VectorOperation) candidates.emplace_back(info_of(kind).word);
    for (const Family& f : families) candidates.emplace_back(info_of(f.method).name);
    for (VectorMethod m : plain_methods) candidates.emplace_back(info_of(m).name);
    for (const auto& zip : zip_forms) candidates.emplace_back(zip.name);
    in_.unknown("a stage", candidates);
  }

  void no_more(int i) {
    if (i > 0) in_.unexpected("the stage has no further argument");
  }

  /// A stage that has a word of its own: all but operations, which go by their methods.
  template <class... Record>
  bool worded_stage(std::variant<Record...>& what) {
    return (is_stage<Record>(what) || ...);
  }
  template <class Record>
  bool is_stage(StageRecord& what) {
    if constexpr (!std::is_same_v<Record, VectorOperation>) {
      const char* const word = info_of(kind_of(Record{})).word;
      if (!in_.take_word(word)) return false;
      arguments_of(what.emplace<Record>(), word);
      return true;
    }
    return false;
  }

  template <class Record>
  void arguments_of(Record& record, const char* word) {
    auto const described = fields::of(record);
    if (described.needed != nullptr && !in_.has_arguments(described.needed)) return;
    Reader::Given given(in_);
    in_.arguments([&](int number) {
      Argument argument{number, given};
      std::vector<std::string_view> names;
      auto const each = [&](const auto& a) {
        if (a.name != nullptr) names.push_back(a.name);
        take(a, argument);
      };
      std::apply([&](const auto&... a) { (each(a), ...); }, described.all);
      if (argument.taken) return;
      if (names.empty()) in_.unexpected("the stage has no further argument");
      else in_.unknown((std::string("an argument of ") + word).c_str(), names);
    });
  }
  template <class Empty>
  requires std::is_empty_v<Empty> void arguments_of(Empty&, const char*) {}

  /// One argument of the text, while it is held against those of the description.
  struct Argument {
    int number;
    Reader::Given& given;
    int place = 0;       // of the next that has one
    bool taken = false;  // by one of them
    bool last = false;   // by the one before
  };
  template <class Field>
  void take(const StageArgument<Field>& a, Argument& argument) {
    argument.last = !argument.taken && is_next(a, argument);
    if (!argument.last) return;
    argument.taken = true;
    fill(a.field);
  }
  template <class Guard>
  void take(const StageArgument<WhenField<Guard>>& a, Argument& argument) {
    if (argument.last && in_.take_word("when")) a.field.value = guard();
  }
  template <class Field>
  bool is_next(const StageArgument<Field>& a, Argument& argument) {
    if (a.name == nullptr) return argument.place++ == argument.number;
    bool const flag = std::is_same_v<Field, FlagField<bool>>;
    if (!(flag ? in_.take_word(a.name) : in_.take_named(a.name))) return false;
    argument.given.once(a.name);
    return true;
  }
  void fill(const TensorField<TensorId>& f) { f.value = in_.tensor(); }
  void fill(const MappingField<MapId>& f) { f.value = in_.mapping(); }
  void fill(const TableField<int>& f) { f.value = in_.reference(in_.tables); }
  void fill(const NumberField<std::int64_t>& f) { f.value = in_.integer(f.wanted); }
  void fill(const FlagField<bool>& f) { f.value = true; }
  void fill(const PlainField<Name>& f) { f.value = in_.axis(); }
  void fill(const PlainField<OperandGuard>& f) { f.value = guard(); }
  void fill(const PlainField<std::vector<std::int64_t>>& f) { f.value = in_.integers(); }
  void fill(const PlainField<std::optional<SliceMask>>& f) {
    SliceMask mask;
    in_.set(SliceMask::slices, [&mask](int slice) { mask = mask.with(slice); });
    f.value = mask;
  }
  template <class E, std::size_t N>
  void fill(const WordField<E, N>& f) {
    f.value = in_.one_of(f.table, f.kind);
  }

  OperandGuard guard() {
    OperandGuard g{0};
    in_.set(16, [&g](int id) { g = g | OperandGuard::id(id); });
    return g;
  }

  void arguments_of(Branch& b, const char*) {
    Reader::Given given(in_);
    in_.needed_arguments(fields::of(b).needed, [&](int i) {
      if (i == 0) {
        branch_mode(b);
      } else if (in_.take_named("axis")) {
        given.once("axis");
        b.mode.axis = in_.axis();
      } else if (in_.take_named("compare")) {
        given.once("compare");
        compare(b.mode);
      } else if (in_.take_named("vrf")) {
        given.once("vrf");
        b.vrf = in_.tensor();
      } else {
        in_.unknown("an argument of the branch", {"axis", "compare", "vrf"});
      }
    });
  }
  void branch_mode(Branch& b) {
    b.mode.kind = in_.one_of(branches, "a branch mode");
    if (b.mode.kind == BranchMode::Kind::Comparison) return compare(b.mode);
    if (b.mode.kind != BranchMode::Kind::AxisToggle && b.mode.kind != BranchMode::Kind::Vrf) return;
    if (!in_.has_arguments(b.mode.kind == BranchMode::Kind::Vrf ? "the tensor of execution ids is needed: Vrf(log)"
                                                                : "the axis is needed: AxisToggle(I)"))
      return;
    in_.arguments([&](int i) {
      no_more(i);
      if (b.mode.kind == BranchMode::Kind::Vrf) b.vrf = in_.tensor();
      else b.mode.axis = in_.axis();
    });
  }
  void compare(BranchMode& mode) {
    in_.arguments([&](int i) {
      if (i >= BranchMode::comparisons) return in_.unexpected("a branch has at most four comparisons");
      InputCmp& c = mode.compare[i];
      c = InputCmp{};
      c.kind = in_.one_of(comparisons, "a comparison");
      if (c.has_boundary() && !in_.has_arguments("a comparison says its boundary: Less(0)")) return;
      in_.arguments([&](int k) {
        no_more(k);
        Reader::Value const v = in_.value();
        c.type = v.type;
        c.boundary = v.bits;
      });
    });
  }

  VectorOperation operation(VectorStep step) {
    VectorOperation o;
    const Family* family = usual_family(step.method, shape_.type);
    if (family != nullptr && !in_.has_arguments("the operation is needed: vector_fxp(AddFxp, 1)")) return o;
    if (converts(step.method) && !in_.has_arguments("the width of the integer part is needed: vector_fxp_to_fp(31)")) return o;
    bool const reinterprets = step.method == VectorMethod::reinterpret;
    if (reinterprets && !in_.has_arguments("the type is needed: vector_reinterpret(f32)")) return o;
    Reader::Given given(in_);
    in_.arguments([&](int i) {
      if (i == 0 && family != nullptr) {
        family = op(step, family);
        step.mode = family->usual_mode;
      } else if (i == 0 && converts(step.method)) {
        step.int_width = in_.integer("the width of the integer part is needed");
      } else if (i == 0 && reinterprets) {
        step.to = in_.scalar_type();
      } else if (!step_argument(step, family, given)) {
        o.operands.push_back(operand());
      }
    });
    o.step = step;
    return o;
  }
  /// AddFxp, MulF(Mul0), ClipBinaryOpF32::Max. Gives the family that it turned out to be of.
  const Family* op(VectorStep& step, const Family* family) {
    for (const Family& f : families) {
      if (f.method != step.method || !in_.take_word(f.name)) continue;
      family = &f;
      in_.need_sign("::", "the operation is needed after its family");
    }
    step.family = family->family;
    std::vector<std::string_view> candidates;
    for (int code = 0; code < family->count; ++code) {
      std::string_view const name = family->ops[code].name;
      std::size_t const alu = name.find('(');
      candidates.push_back(name.substr(0, alu));
      if (!in_.at_word(candidates.back())) continue;
      step.op = static_cast<std::uint8_t>(code);
      in_.word("an operation");
      if (alu != name.npos) step.op = static_cast<std::uint8_t>(code + multiplier());
      return family;
    }
    in_.unknown("an operation", candidates);
    return family;
  }
  /// The codes of MulF and MaskMulF follow each other in the order of their multipliers.
  int multiplier() {
    constexpr Word<int> alus[] = {{"Mul0", 0}, {"Mul1", 1}, {"Fma", 2}};
    in_.need_sign("(", "a multiplication says its multiplier: MulF(Mul0)");
    if (in_.take_word("FpMulAlu")) in_.need_sign("::", "the multiplier is needed: FpMulAlu::Mul0");
    int const alu = in_.one_of(alus, "a multiplier");
    in_.need_sign(")", "the multiplier ends with )");
    return alu;
  }
  bool step_argument(VectorStep& step, const Family* family, Reader::Given& given) {
    if (!in_.at_named()) return false;
    if (family != nullptr && in_.take_named("mode")) {
      given.once("mode");
      step.mode = mode(*family);
    } else if (in_.take_named("groups")) {
      given.once("groups");
      step.groups = in_.one_of(groups, "a choice of groups");
    } else if (in_.take_named("int_width")) {
      given.once("int_width");
      step.int_width = in_.integer("a number of bits is needed");
    } else {
      in_.unknown("an argument of the operation", {"mode", "groups", "int_width"});
    }
    return true;
  }
  std::uint8_t mode(const Family& family) {
    std::vector<std::string_view> candidates;
    for (int code = 0; code < family.mode_count; ++code) {
      if (in_.take_word(family.modes[code].name)) return family.modes[code].value;
      candidates.emplace_back(family.modes[code].name);
    }
    in_.unknown("an argument mode", candidates);
    return 0;
  }

  Operand operand() {
    Operand o = operand_source();
    if (in_.take_word("when")) o.shape.guard = guard();
    return o;
  }
  Operand operand_source() {
    Operand o;
    if (in_.at_call("operand")) return raw_operand();
    bool const typed = in_.at_scalar_type();
    if (typed) o.shape.type = in_.scalar_type();
    if (in_.take_word("_")) return o;
    if (in_.take_word("stash")) return o.shape.kind = OperandKind::stash, o;
    if (in_.take_sign("?")) return o.shape.kind = OperandKind::immediate, o;
    if (in_.at_value()) {
      Reader::Value const v = typed ? in_.value_of(o.shape.type) : in_.value();
      o.shape = {OperandKind::immediate, v.type, {}, true, v.bits};
      return o;
    }
    o.shape.kind = OperandKind::vrf;
    o.vrf = in_.tensor();
    if (!typed && o.vrf != none) o.shape.type = in_.module.tensor(o.vrf).type;
    return o;
  }
  /// operand(kind, type, known, bits, tensor): what no shorter form says.
  Operand raw_operand() {
    Operand o;
    in_.word("operand");
    in_.arguments([&](int i) {
      if (i == 0) o.shape.kind = in_.one_of(operand_kinds, "a kind of operand");
      else if (i == 1) o.shape.type = in_.scalar_type();
      else if (i == 2) o.shape.known = in_.one_of(knowledge, "known or unknown");
      else if (i == 3) o.shape.bits = in_.bits();
      else if (i == 4) o.vrf = in_.tensor();
      else no_more(i);
    });
    return o;
  }

  Reader& in_;
  Shape shape_;  // before the stage
};

}  // namespace

void read_stages(Reader& in, Pass& pass) {
  Shape before = shape_at_begin(in.module, pass);
  while (in.at_sign(".")) {
    pass.stages.push_back(StageReader(in, before).read());
    before = pass.stages.back().out;
  }
}

}  // namespace tcp::ir
