// A module as text: its axes, tables, tensors and regions, then its commands in program order.
//
// A stage says what its stream has that it did not have one stage before; only a fetch says Time and Packet always, for
// a tensor has neither. An axis is declared once, with the size that it has where it is first used; a mapping in which
// it has another size says so: [A / 2 where A = 8].
#include <charconv>
#include <cstring>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/stage_fields.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/rules/pass_state.hpp"

namespace tcp::ir {
namespace {

using namespace words;

std::string hex(std::uint64_t v) {
  char digits[20];
  char* const end = std::to_chars(digits, digits + sizeof digits, v, 16).ptr;
  return "0x" + std::string(digits, end);
}

std::string quoted(std::string_view v) {
  std::string out = "\"";
  for (char c : v) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      constexpr const char* digits = "0123456789abcdef";
      auto const byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out + "\"";
}

std::string written(const Name& name) {
  std::string bytes;
  for (int i = 0; i < Name::max_length; ++i) bytes += name[i];
  while (!bytes.empty() && bytes.back() == '\0') bytes.pop_back();
  return is_axis_name(bytes) ? bytes : quoted(bytes);
}

/// The shortest decimal that is this float again; what has none, and every NaN but the usual one, by its bits.
std::string written_float(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  if (bits == 0x7fc00000u) return "nan";
  if (value != value) return "f32 " + hex(bits);
  if ((bits & 0x7fffffffu) == 0x7f800000u) return value > 0 ? "inf" : "-inf";
  char digits[32];
  char* const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string out(digits, end);
  return out.find_first_of(".e") == out.npos ? out + ".0" : out;
}

std::string written_value(ScalarType type, std::uint32_t bits) {
  if (type == ScalarType::i32) return std::to_string(static_cast<std::int32_t>(bits));
  if (type == ScalarType::f32) return written_float(bits);
  return scalar_info(type).name + (" " + hex(bits));
}

/// {0..7, 12}: the numbers whose bit is set.
template <class Has>
std::string written_set(int count, Has has) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    if (!has(i)) continue;
    int last = i;
    while (last + 1 < count && has(last + 1)) ++last;
    out += (out.empty() ? "" : ", ") + std::to_string(i);
    if (last > i) out += ".." + std::to_string(last);
    i = last;
  }
  return "{" + out + "}";
}
std::string written(const OperandGuard& guard) {
  return written_set(16, [&guard](int id) { return guard.holds(id); });
}
std::string written(const SliceMask& mask) {
  return written_set(SliceMask::slices, [&mask](int slice) { return mask.contains(slice); });
}

std::string written(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (std::int64_t n : numbers) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return "(" + out + ")";
}

/// The name of each of a list: as it is, with %n if another has it too, %n alone if it has none.
template <class Named>
std::vector<std::string> labels_of(const std::vector<Named>& all) {
  std::unordered_set<std::string> taken;
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = all[i].name;
    std::string label = name.empty() ? "" : is_word(name) && !is_reserved(name) ? name : quoted(name);
    if (name.empty() || !taken.insert(name).second) label += "%" + std::to_string(i);
    labels.push_back(std::move(label));
  }
  return labels;
}

/// What tcp::print writes to.
struct Into {
  std::string& s;

  Into& operator<<(std::string_view v) { return s += v, *this; }
  Into& operator<<(const char* v) { return s += v, *this; }
  Into& operator<<(char c) { return s += c, *this; }
  template <std::integral Int>
  Into& operator<<(Int v) {
    return s += std::to_string(v), *this;
  }
};

/// The parts of (a, b: c, …): nothing at all if there are none.
class Arguments {
 public:
  Arguments& add(const std::string& part) {
    s_ += s_.empty() ? "(" : ", ";
    s_ += part;
    return *this;
  }
  Arguments& add(const char* name, const std::string& value) { return add(name + (": " + value)); }
  /// More of the last part.
  void extend(const std::string& more) { s_ += more; }
  std::string whole() const { return s_.empty() ? s_ : s_ + ")"; }

 private:
  std::string s_;
};

class Printer {
 public:
  Printer(const Module& module, const PrintStyle& style)
      : module_(module),
        style_(style),
        tensors_(labels_of(module.tensors)),
        tables_(labels_of(module.tables)),
        regions_(labels_of(module.regions)),
        maps_(module.maps.size()) {}

  std::string whole() {
    for (const LookupTable& t : module_.tables) print(t);
    for (TensorId id : module_.tensors.ids()) print(module_.tensor(id), tensors_[id]);
    print_list("arguments", module_.arguments, Role::argument);
    print_list("results", module_.results, Role::result);
    if (!module_.regions.empty()) body_ += "\n";
    for (std::size_t i = 0; i < module_.regions.size(); ++i) print(module_.regions[i], regions_[i]);
    if (!module_.commands.empty()) body_ += "\n";
    for (const Command& c : module_.commands) print(c);
    return head() + body_;
  }

 private:
  std::string head() const {
    std::string out = "module " + (is_word(module_.name) ? module_.name : quoted(module_.name));
    Arguments how;
    if (module_.chips != 1) how.add("chips", std::to_string(module_.chips));
    if (module_.numeric != NumericModel::rngd) how.add("numeric", name_in(numeric_models, module_.numeric));
    out += how.whole() + "\n";
    for (std::size_t i = 0; i < axes_.size(); ++i)
      out += (i == 0 ? "axes " : ", ") + axes_[i] + " = " + std::to_string(sizes_.at(axes_[i]));
    return out + (axes_.empty() ? "\n" : "\n\n");
  }

  void end_line(const Where& at) {
    if (style_.locations && at.known()) {
      body_ += "  // ";
      for (const char* c = at.file; *c != '\0'; ++c) body_ += *c >= ' ' && *c <= '~' ? *c : '?';
      body_ += ":" + std::to_string(at.line);
      if (at.column != 0) body_ += ":" + std::to_string(at.column);
    }
    body_ += "\n";
  }

  std::string tensor(TensorId id) const { return label(tensors_, id.number); }
  static std::string label(const std::vector<std::string>& of, int id) {
    if (id == none) return "none";
    return id >= 0 && static_cast<std::size_t>(id) < of.size() ? of[static_cast<std::size_t>(id)] : "?" + std::to_string(id);
  }
  std::string list(const std::vector<TensorId>& ids) const {
    std::string out;
    for (TensorId id : ids) out += (out.empty() ? "" : ", ") + tensor(id);
    return out;
  }

  /// [A / 8 where A = 16]
  const std::string& map(MapId id) {
    static const std::string dangling = "[?]";
    if (!maps_.has(id)) return dangling;
    std::string& text = maps_[id];
    if (!text.empty()) return text;
    const Mapping& m = module_.map(id);
    text = "[";
    Into into{text};
    tcp::print(into, m);
    const char* separator = " where ";
    for (int a = 0; a < m.axes; ++a) {
      std::string const name = written(m.axis[a].name);
      auto const [known, fresh] = sizes_.try_emplace(name, m.axis[a].extent);
      if (fresh) axes_.push_back(name);
      if (known->second == m.axis[a].extent) continue;
      into << separator << name << " = " << m.axis[a].extent;
      separator = ", ";
    }
    return text += "]";
  }

  void print(const LookupTable& t) {
    body_ += "table " + tables_[static_cast<std::size_t>(&t - module_.tables.data())] + ": " + scalar_info(t.from).name + " -> " +
             scalar_info(t.to).name + " (";
    constexpr std::size_t a_line = 16;
    for (std::size_t i = 0; i < t.bits.size(); ++i) body_ += (i == 0 ? "" : i % a_line == 0 ? ",\n  " : ", ") + hex(t.bits[i]);
    body_ += ")\n";
  }

  void print(const Tensor& t, const std::string& name) {
    if (t.role != Role::temporary) body_ += std::string(name_in(roles, t.role)) + " ";
    body_ += std::string(name_in(memories, t.memory)) + " " + name + ": " + scalar_info(t.type).name;
    for (const auto& level : tensor_levels) {
      MapId const id = t.*level.value;
      bool const pe = t.memory == Memory::Spm && level.value == &Tensor::slice;
      if (id != MapId{} || level.value == &Tensor::element) body_ += std::string(" ") + (pe ? "Pe" : level.name) + map(id);
    }
    if (t.trf != TrfAddress::Full) body_ += std::string(" ") + name_in(trf_addresses, t.trf);
    if (t.address) body_ += " at " + std::to_string(*t.address);
    if (t.view) print(*t.view);
    end_line(t.at);
  }
  void print(const ViewOf& v) {
    Arguments how;
    if (v.kind == ViewOf::Kind::tile || v.dimension != MapId{}) how.add(map(v.dimension));
    if (v.length != 0) how.add("length", std::to_string(v.length));
    if (v.start != 0) how.add("start", std::to_string(v.start));
    body_ += " = " + tensor(v.tensor) + "." + name_in(views, v.kind) + how.whole();
  }

  /// Said only where it is not what the roles say.
  void print_list(const char* what, const std::vector<TensorId>& ids, Role role) {
    std::vector<TensorId> usual;
    for (TensorId id : module_.tensors.ids())
      if (module_.tensor(id).role == role) usual.push_back(id);
    if (ids != usual) body_ += std::string(what) + " (" + list(ids) + ")\n";
  }

  void print(const Region& r, const std::string& name) {
    body_ += "region " + name;
    if (r.index != 0) body_ += " index " + std::to_string(r.index);
    if (r.inside != none) body_ += " inside " + label(regions_, r.inside);
    if (r.kept) body_ += " kept";
    body_ += "\n";
  }

  void print(const Command& c) {
    if (c.region != region_) body_ += "in " + label(regions_, c.region) + ":\n";
    region_ = c.region;
    std::visit([&](const auto& what) { print(what, c.at); }, c.what);
  }

  void print(const Transfer& t, const Where& at) {
    body_ += std::string(name_in(transfers, t.kind)) + " " + tensor(t.source) + " -> " + tensor(t.destination);
    Arguments how;
    if (t.rows != none) how.add("rows", tensor(t.rows));
    if (!(t.row_axis == Name{})) how.add("axis", written(t.row_axis));
    if (t.keys != RowKeys::positions) how.add("keys", std::string(name_in(row_keys, t.keys)));
    if (!t.permutation.empty()) how.add("permutation", written(t.permutation));
    if (t.dimension != MapId{}) how.add("dimension", map(t.dimension));
    if (t.length != 0) how.add("length", std::to_string(t.length));
    std::string const arguments = how.whole();
    if (!arguments.empty()) body_ += " " + arguments;
    if (t.time) body_ += " Time" + map(*t.time);
    if (t.packet) body_ += " Packet" + map(*t.packet);
    end_line(at);
  }
  void print(const HostTransfer& t, const Where& at) {
    body_ += "host_move " + tensor(t.source) + " -> " + tensor(t.destination);
    end_line(at);
  }
  void print(const Memset& m, const Where& at) {
    body_ += "memset " + tensor(m.destination) + " = " + hex(m.word);
    end_line(at);
  }

  void print(const Pass& p, const Where& at) {
    body_ += name_in(contexts, p.context);
    if (p.dual) body_ += ".dual";
    bool const interleaved = !(p.turns == Name{});
    body_ += interleaved ? ".begin_interleaved(" + written(p.turns) + (p.source.empty() ? "" : ", ") : ".begin(";
    body_ += list(p.source) + ")";
    end_line(at);
    Shape before = shape_at_begin(module_, p);
    for (const Stage& s : p.stages) {
      print(s, before);
      before = s.out;
    }
  }

  void print(const Stage& s, const Shape& before) {
    body_ += "  .";
    stream_ = before.type;
    body_ += word_of(s.what) + std::visit([&](const auto& what) { return arguments_of(what); }, s.what);
    bool const fetch = std::holds_alternative<Fetch>(s.what);
    if (fetch || s.out.type != usual_type(s.what, before.type)) body_ += std::string(" ") + scalar_info(s.out.type).name;
    for (const auto& level : stream_levels) {
      bool const always = fetch && (level.value == &Shape::time || level.value == &Shape::packet);
      if (always || s.out.*level.value != before.*level.value) body_ += std::string(" ") + level.name + map(s.out.*level.value);
    }
    end_line(s.at);
  }

  static std::string word_of(const StageRecord& what) {
    const auto* const operation = std::get_if<VectorOperation>(&what);
    return operation == nullptr ? info_of(kind_of(what)).word : word_of(operation->step);
  }
  template <class Record>
  std::string arguments_of(const Record& record) {
    Arguments how;
    each_argument_pair(record, Record{}, [&](const auto& argument, const auto& usual) {
      if (!argument.optional || !(argument.field.value == usual.field.value)) add(how, argument);
    });
    return how.whole();
  }
  template <class Field>
  void add(Arguments& how, const StageArgument<Field>& a) {
    if (a.name == nullptr) how.add(spelt(a.field));
    else how.add(a.name, spelt(a.field));
  }
  template <class Bool>
  void add(Arguments& how, const StageArgument<FlagField<Bool>>& a) {
    how.add(a.name);
  }
  template <class Guard>
  void add(Arguments& how, const StageArgument<WhenField<Guard>>& a) {
    how.extend(spelt_guard(a.field.value));
  }
  std::string spelt(const TensorField<const TensorId>& f) const { return tensor(f.value); }
  std::string spelt(const MappingField<const MapId>& f) { return map(f.value); }
  std::string spelt(const TableField<const int>& f) const { return label(tables_, f.value); }
  std::string spelt(const NumberField<const std::int64_t>& f) const { return std::to_string(f.value); }
  std::string spelt(const PlainField<const std::optional<SliceMask>>& f) const { return written(*f.value); }
  template <class T>
  std::string spelt(const PlainField<T>& f) const {
    return written(f.value);
  }
  template <class E, std::size_t N>
  std::string spelt(const WordField<E, N>& f) const {
    return name_in(f.table, f.value);
  }

  /// AxisToggle(I), Comparison(Less(0), Greater(9)), Vrf(log); what does not belong to the mode is named.
  std::string arguments_of(const Branch& b) {
    using Kind = BranchMode::Kind;
    int compared = BranchMode::comparisons;
    while (compared > 0 && b.mode.compare[compared - 1] == InputCmp{}) --compared;
    Arguments compare;
    for (int i = 0; i < compared; ++i) compare.add(spelt(b.mode.compare[i]));
    std::string mode = name_in(branches, b.mode.kind);
    if (b.mode.kind == Kind::AxisToggle) mode += "(" + written(b.mode.axis) + ")";
    if (b.mode.kind == Kind::Comparison) mode += compare.whole();
    if (b.mode.kind == Kind::Vrf) mode += "(" + tensor(b.vrf) + ")";
    Arguments how;
    how.add(mode);
    if (b.mode.kind != Kind::AxisToggle && !(b.mode.axis == Name{})) how.add("axis", written(b.mode.axis));
    if (b.mode.kind != Kind::Comparison && compared > 0) how.add("compare", compare.whole());
    if (b.mode.kind != Kind::Vrf && b.vrf != none) how.add("vrf", tensor(b.vrf));
    return how.whole();
  }
  static std::string spelt(const InputCmp& c) {
    std::string const name = name_in(comparisons, c.kind);
    bool const usual = c.type == ScalarType::i32 && c.boundary == 0;
    return usual && !c.has_boundary() ? name : name + "(" + written_value(c.type, c.boundary) + ")";
  }

  static const Word<VectorMethod>* zip_form(const VectorStep& s) {
    for (const auto& form : zip_forms)
      if (s.groups == Groups::zip && form.value == s.method) return &form;
    return nullptr;
  }
  static const char* word_of(const VectorStep& s) {
    if (!well_formed(s)) return "vector_step";
    const auto* const zip = zip_form(s);
    return zip == nullptr ? info_of(s.method).name : zip->name;
  }
  std::string arguments_of(const VectorOperation& o) {
    const VectorStep& s = o.step;
    if (!well_formed(s)) return "(?)";
    Arguments how;
    const Family* const family = find_family(s.family);
    if (family != nullptr) how.add(spelt_op(*family, s.op));
    if (converts(s.method)) how.add(std::to_string(s.int_width));
    if (s.method == VectorMethod::reinterpret) how.add(scalar_info(s.to).name);
    if (family != nullptr && s.mode != family->usual_mode) how.add("mode", family->modes[s.mode].name);
    if (zip_form(s) == nullptr && s.groups != Groups::both) how.add("groups", name_in(groups, s.groups));
    if (!converts(s.method) && s.int_width != VectorStep{}.int_width) how.add("int_width", std::to_string(s.int_width));
    for (const Operand& each : o.operands) how.add(spelt(each));
    return how.whole();
  }
  /// MulF(Mul0), or ClipBinaryOpF32::Max where the stream's type does not say whose Max it is.
  std::string spelt_op(const Family& family, std::uint8_t op) const {
    std::string name = family.ops[op].name;
    constexpr std::string_view alu = "FpMulAlu::";
    if (auto const at = name.find(alu); at != name.npos) name.erase(at, alu.size());
    return usual_family(family.method, stream_) == &family ? name : std::string(family.name) + "::" + name;
  }

  static std::string spelt_guard(const OperandGuard& guard) { return guard == OperandGuard::always() ? "" : " when " + written(guard); }
  std::string spelt(const Operand& o) const { return spelt_source(o) + spelt_guard(o.shape.guard); }
  std::string spelt_source(const Operand& o) const {
    const OperandShape& s = o.shape;
    std::string const type = scalar_info(s.type).name;
    bool const bare = !s.known && s.bits == 0;
    std::string const prefix = s.type == ScalarType::i32 ? "" : type + " ";
    if (s.kind == OperandKind::none && bare && o.vrf == none) return prefix + "_";
    if (s.kind == OperandKind::stash && bare && o.vrf == none) return prefix + "stash";
    if (s.kind == OperandKind::immediate && bare && o.vrf == none) return prefix + "?";
    if (s.kind == OperandKind::immediate && s.known && o.vrf == none) return written_value(s.type, s.bits);
    if (s.kind == OperandKind::vrf && bare) {
      bool const known = module_.tensors.has(o.vrf);
      ScalarType const usual = known ? module_.tensor(o.vrf).type : ScalarType::i32;
      return s.type == usual ? tensor(o.vrf) : type + " " + tensor(o.vrf);
    }
    Arguments all;
    all.add(name_in(operand_kinds, s.kind)).add(type).add(name_in(knowledge, s.known)).add(hex(s.bits)).add(tensor(o.vrf));
    return "operand" + all.whole();
  }

  const Module& module_;
  PrintStyle style_;
  Indexed<std::string, TensorId> tensors_;  // labels
  std::vector<std::string> tables_, regions_;
  Indexed<std::string, MapId> maps_;  // texts, as far as they were needed
  std::vector<std::string> axes_;     // in the order of first use
  std::unordered_map<std::string, std::int64_t> sizes_;
  std::string body_;
  int region_ = none;
  ScalarType stream_ = ScalarType::i32;  // before the stage that is being printed
};

}  // namespace

std::string print(const Module& module, const PrintStyle& style) { return Printer(module, style).whole(); }

}  // namespace tcp::ir
