// The stages of a pass: `.name(arguments)`, then what the stream has that it did not have before.
//
//   stage   = "." name [ "(" argument { "," argument } ")" ] { type | level mapping }
//   operand = ( "_" | "stash" | value | [ type ] "?" | [ type ] name ) [ "when" set ]
//   value   = integer | float | "inf" | "nan" | type bits
#include <span>

#include "reader.hpp"

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

  using Read = decltype(Stage::what) (StageReader::*)();
  static std::span<const Word<Read>> plain_stages() {
    static constexpr Word<Read> all[] = {
        {"fetch", &StageReader::fetch},
        {"switch", &StageReader::switching},
        {"collect", &StageReader::bare<Collect>},
        {"align", &StageReader::align},
        {"contract", &StageReader::contract},
        {"accumulate", &StageReader::accumulate},
        {"vector_init", &StageReader::bare<VectorInit>},
        {"vector_intra_slice_branch", &StageReader::branch},
        {"vector_branch_log", &StageReader::branch_log},
        {"vector_write_operand", &StageReader::write_operand},
        {"vector_stash", &StageReader::bare<Stash>},
        {"vector_intra_slice_unzip", &StageReader::unzip},
        {"vector_filter", &StageReader::filter},
        {"vector_intra_slice_reduce", &StageReader::intra_slice_reduce},
        {"vector_inter_slice_reduce", &StageReader::inter_slice_reduce},
        {"vector_final", &StageReader::bare<VectorFinal>},
        {"cast", &StageReader::bare<Cast>},
        {"transpose", &StageReader::bare<Transpose>},
        {"commit", &StageReader::commit},
        {"to_trf", &StageReader::to_trf},
        {"to_vrf", &StageReader::to_vrf},
    };
    return all;
  }

  void what(Stage& s) {
    for (const auto& stage : plain_stages()) {
      if (!in_.take_word(stage.name)) continue;
      s.what = (this->*stage.value)();
      return;
    }
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
    for (const auto& stage : plain_stages()) candidates.push_back(stage.name);
    for (const Family& f : families) candidates.push_back(info_of(f.method).name);
    for (VectorMethod m : plain_methods) candidates.push_back(info_of(m).name);
    for (const auto& zip : zip_forms) candidates.push_back(zip.name);
    in_.unknown("a stage", candidates);
  }

  void no_more(int i) {
    if (i > 0) in_.unexpected("the stage has no further argument");
  }

  template <class What>
  decltype(Stage::what) bare() {
    return What{};
  }
  decltype(Stage::what) fetch() {
    Fetch f;
    Reader::Given given(in_);
    in_.arguments([&](int) {
      if (in_.take_named("table")) {
        given.once("table");
        f.table = in_.reference(in_.tables);
      } else if (in_.take_named("zero_points")) {
        given.once("zero_points");
        f.zero_points = in_.integers();
      } else {
        in_.unknown("an argument of fetch", {"table", "zero_points"});
      }
    });
    return f;
  }
  decltype(Stage::what) switching() {
    SwitchConfig c;
    constexpr Word<std::int64_t SwitchConfig::*> numbers[] = {{"slice1", &SwitchConfig::slice1},
                                                              {"slice0", &SwitchConfig::slice0},
                                                              {"time0", &SwitchConfig::time0},
                                                              {"ring_size", &SwitchConfig::ring_size}};
    Reader::Given given(in_);
    in_.needed_arguments("a switch says its topology: switch(Forwarding)", [&](int i) {
      if (i == 0) {
        c.topology = in_.one_of(topologies, "a topology of the switch");
        return;
      }
      for (const auto& n : numbers) {
        if (!in_.take_named(n.name)) continue;
        given.once(n.name);
        c.*n.value = in_.integer("a number of positions is needed");
        return;
      }
      if (in_.take_named("extraction")) {
        given.once("extraction");
        c.extraction = in_.one_of(extractions, "how a custom switch extracts");
        return;
      }
      in_.unknown("an argument of switch", {"slice1", "slice0", "time0", "ring_size", "extraction"});
    });
    return Switch{c};
  }
  /// (x): the tensor that is all a stage takes.
  TensorId only_tensor() {
    TensorId id = none;
    in_.needed_arguments("the tensor of the stage is needed, in parentheses", [&](int i) {
      no_more(i);
      id = in_.tensor();
    });
    return id;
  }
  decltype(Stage::what) align() { return Align{only_tensor()}; }
  decltype(Stage::what) branch_log() { return BranchLog{only_tensor()}; }
  decltype(Stage::what) write_operand() {
    WriteOperand w;
    in_.needed_arguments("the VRF tensor is needed: vector_write_operand(v)", [&](int i) {
      no_more(i);
      w.vrf = in_.tensor();
      if (in_.take_word("when")) w.guard = guard();
    });
    return w;
  }
  decltype(Stage::what) to_trf() { return ToTrf{only_tensor()}; }
  decltype(Stage::what) to_vrf() { return ToVrf{only_tensor()}; }
  decltype(Stage::what) contract() {
    Contract c;
    in_.arguments([&](int i) {
      no_more(i);
      c.op = in_.one_of(contract_ops, "an operation of the contraction");
    });
    return c;
  }
  decltype(Stage::what) accumulate() {
    Accumulate a;
    in_.needed_arguments("an accumulation says where Row goes: accumulate(Interleaved)", [&](int i) {
      no_more(i);
      a.kind = in_.one_of(accumulations, "a kind of accumulation");
    });
    return a;
  }
  decltype(Stage::what) unzip() {
    Unzip u;
    in_.needed_arguments("the axis that tells the groups apart is needed: (I, tile_time: [1 # 2])", [&](int i) {
      if (i == 0) u.axis = in_.axis();
      else if (i == 1 && in_.take_named("tile_time")) u.tile_time = in_.mapping();
      else in_.unknown("an argument of unzip", {"tile_time"});
    });
    return u;
  }
  decltype(Stage::what) filter() {
    Filter f;
    in_.needed_arguments("a filter says which execution ids it keeps: ({1, 3})", [&](int i) {
      if (i == 0) f.keep = guard();
      else if (i == 1 && in_.take_named("count")) f.count = in_.tensor();
      else in_.unknown("an argument of filter", {"count"});
    });
    return f;
  }
  decltype(Stage::what) intra_slice_reduce() {
    IntraSliceReduce r;
    in_.needed_arguments("a reduce says its axis and operation: (A, Add)", [&](int i) {
      no_more(i - 1);
      if (i == 0) r.axis = in_.axis();
      else r.op = in_.one_of(reduce_ops, "an operation of the reduce");
    });
    return r;
  }
  decltype(Stage::what) inter_slice_reduce() {
    InterSliceReduce r;
    in_.needed_arguments("a reduce says its operation: (Add)", [&](int i) {
      no_more(i);
      r.op = in_.one_of(reduce_ops, "an operation of the reduce");
    });
    return r;
  }
  decltype(Stage::what) commit() {
    Commit c;
    Reader::Given given(in_);
    in_.needed_arguments("the tensor of the commit is needed: commit(x)", [&](int i) {
      if (i == 0) {
        c.destination = in_.tensor();
      } else if (in_.take_named("slices")) {
        given.once("slices");
        SliceMask mask;
        in_.set(SliceMask::slices, [&mask](int slice) { mask = mask.with(slice); });
        c.slices = mask;
      } else if (in_.take_word("pack_valid")) {
        given.once("pack_valid");
        c.pack_valid = true;
      } else {
        in_.unknown("an argument of commit", {"slices", "pack_valid"});
      }
    });
    return c;
  }

  OperandGuard guard() {
    OperandGuard g{0};
    in_.set(16, [&g](int id) { g = g | OperandGuard::id(id); });
    return g;
  }

  decltype(Stage::what) branch() {
    Branch b;
    Reader::Given given(in_);
    in_.needed_arguments("a branch says its mode: (Unconditional)", [&](int i) {
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
    return b;
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

  decltype(Stage::what) operation(VectorStep step) {
    VectorOperation o;
    const Family* family = usual_family(step.method, shape_.type);
    if (family != nullptr && !in_.has_arguments("the operation is needed: vector_fxp(AddFxp, 1)")) return o;
    if (converts(step.method) && !in_.has_arguments("the width of the integer part is needed: vector_fxp_to_fp(31)")) return o;
    Reader::Given given(in_);
    in_.arguments([&](int i) {
      if (i == 0 && family != nullptr) {
        family = op(step, family);
        step.mode = family->usual_mode;
      } else if (i == 0 && converts(step.method)) {
        step.int_width = in_.integer("the width of the integer part is needed");
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
      in_.need_sign("::", "the operation is needed behind its family");
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
      candidates.push_back(family.modes[code].name);
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
