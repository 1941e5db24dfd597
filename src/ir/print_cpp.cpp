// A module as typed C++, one command after the other.
//
// A tensor is a C++ variable from the command on that writes all of it first. One that is also used outside of the
// region in which that happens is declared before; one that is only ever written in parts begins as ctx.empty.
#include <charconv>
#include <cstring>
#include <optional>

#include "ir/words.hpp"
#include "tcp/ir/cpp.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/print.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::ir {
namespace {

using namespace words;

constexpr std::string_view cpp_words[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char8_t",
    "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit", "const_cast", "continue",
    "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit",
    "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept",
    "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
    "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
    "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq", "main", "std", "tcp",
    // What the printed code itself says.
    "m", "one", "group", "slide", "index", "Expr", "Axis", "Map", "MapType", "Context", "ctx", "HbmTensor", "DmTensor", "SpmTensor",
    "TrfTensor", "VrfTensor", "HostTensor", "HbmTensorView", "DmTensorView", "HbmTensorViewMut", "DmTensorViewMut", "TrfAddress",
    "AccumulationKind", "SwitchConfig", "Extraction", "BranchMode", "InputCmp", "OperandGuard", "GroupId", "VeBranchOperand",
    "TernaryOperand", "Stash", "skip", "SliceMask", "LookupTable", "LogicBinaryOpI32", "LogicBinaryOpF32", "FxpBinaryOp", "FpUnaryOp",
    "FpBinaryOp", "FpTernaryOp", "FpDivBinaryOp", "ClipBinaryOpI32", "ClipBinaryOpF32", "FpMulAlu", "UnaryArgMode", "BinaryArgMode",
    "TernaryArgMode", "IntraSliceReduceOpI32", "IntraSliceReduceOpF32", "InterSliceReduceOpI32", "InterSliceReduceOpF32", "by_byte_offsets",
    "by_positions", "Scalar", "kernels", "launch", "TCP_AXES", "i4", "i5", "i8", "i9", "i16", "i32", "f32", "f16", "bf16", "u8", "f8e4m3",
    "f8e5m2", "f4e2m1"};

/// A text in the notation of mappings as C++ operators: `A / 8 # 256` is `(A / 8).pad(256)`.
class MappingSpeller {
 public:
  MappingSpeller(std::string_view text, const Mapping& m, CppAxes& axes) : rest_(text), mapping_(m), axes_(axes) {}

  std::string list(char end) {
    std::string out;
    while (true) {
      out += factor();
      if (!take(", ")) break;
      out += ", ";
    }
    if (end != '\0') rest_.remove_prefix(1);
    return out;
  }

 private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string number() {
    std::size_t n = 0;
    while (n < rest_.size() && is_digit(rest_[n])) ++n;
    std::string const out(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return out;
  }
  std::int64_t size_of(std::string_view name) const {
    for (int a = 0; a < mapping_.axes; ++a)
      if (mapping_.axis[a].name == Name(name)) return mapping_.axis[a].extent;
    return 1;
  }
  std::string word() {
    std::size_t n = 0;
    while (n < rest_.size() && (is_letter(rest_[n]) || is_digit(rest_[n]))) ++n;
    std::string_view const name = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return std::string(name);
  }
  std::string factor() {
    std::string out;
    bool binary = false;  // ends in an operator, so that a method needs parentheses
    bool counted = false;
    if (take("[")) out = "group(" + list(']') + ")";
    else if (take("$(")) out = "slide(" + list(')') + ")";
    else if (take("skew(")) {
      std::string const text = std::string(rest_.substr(0, rest_.find(')')));
      rest_.remove_prefix(text.size() + 1);
      std::size_t const comma = text.find(", ");
      std::string const a = text.substr(0, comma), b = text.substr(comma + 2);
      out = "Expr(\"skew(" + text + ")\", \"" + a + " = " + std::to_string(size_of(a)) + ", " + b + " = " + std::to_string(size_of(b)) +
            "\")";
    } else if (!rest_.empty() && is_digit(rest_[0])) {
      out = number();
      counted = true;
    } else {
      std::string const name = word();
      out = axes_.variable(name, size_of(name));
    }
    struct Sign {
      std::string_view text;
      const char* method;  // null: an operator of C++
    };
    constexpr Sign signs[] = {{" #z ", "pad_zero"}, {" #! ", "pad_bottom"}, {" #< ", "pad_left"},
                              {" # ", "pad"},       {" = ", "resize"},      {" @ ", "from"},
                              {":", "by"},          {" / ", nullptr},       {" % ", nullptr}};
    auto const bracketed = [](const char* before, const std::string& inner) { return before + inner + ")"; };
    for (bool more = true; more;) {
      more = false;
      for (const Sign& s : signs) {
        if (!take(s.text)) continue;
        more = true;
        if (counted) out = out == "1" ? "one" : bracketed("group(", out);
        counted = false;
        if (s.method == nullptr) {
          out += s.text;
          out += number();
          binary = true;
        } else {
          if (binary) out = bracketed("(", out);
          out += ".";
          out += s.method;
          out += bracketed("(", number());
          binary = false;
        }
      }
    }
    return out;
  }

  std::string_view rest_;
  const Mapping& mapping_;
  CppAxes& axes_;
};

std::string cpp_hex(std::uint64_t v) {
  char digits[20];
  char* const end = std::to_chars(digits, digits + sizeof digits, v, 16).ptr;
  return "0x" + std::string(digits, end) + "u";
}
std::string cpp_quoted(std::string_view v) {
  std::string out = "\"";
  for (char c : v)
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') out += c;
  return out + "\"";
}

struct CppText {
  std::string& s;

  CppText& operator<<(std::string_view v) { return s += v, *this; }
  CppText& operator<<(const char* v) { return s += v, *this; }
  CppText& operator<<(char c) { return s += c, *this; }
  template <std::integral Int>
  CppText& operator<<(Int v) {
    return s += std::to_string(v), *this;
  }
};

}  // namespace

CppNames::CppNames() {
  for (std::string_view w : cpp_words) taken_.emplace(w);
}
bool CppNames::is_taken_word(std::string_view name) {
  for (std::string_view w : cpp_words)
    if (w == name) return true;
  return false;
}
std::string CppNames::fresh(std::string_view wanted) {
  std::string name;
  for (char c : wanted) name += is_letter(c) || is_digit(c) ? c : '_';
  if (name.empty() || is_digit(name[0])) name = "t" + name;
  while (name.find("__") != name.npos) name.erase(name.find("__"), 1);  // such names belong to the compiler
  if (taken_.contains(name)) {
    name += name.back() == '_' ? "" : "_";
    int n = 2;
    while (taken_.contains(name + std::to_string(n))) ++n;
    name += std::to_string(n);
  }
  taken_.insert(name);
  return name;
}

const std::string& CppAxes::variable(std::string_view name, std::int64_t size) {
  for (const Declared& d : all_)
    if (d.name == name && d.size == size) return d.variable;
  bool second = false;
  for (const Declared& d : all_) second = second || d.name == name;
  std::string const wanted = second ? std::string(name) + "_" + std::to_string(size) : std::string(name);
  return all_.emplace_back(Declared{std::string(name), names_.fresh(wanted), size}).variable;
}
const std::string& CppAxes::variable(const Name& name) {
  std::string text;
  for (int i = 0; i < name.length(); ++i) text += name[i];
  for (const Declared& d : all_)
    if (d.name == text) return d.variable;
  return variable(text, 1);
}
std::string CppAxes::declarations() const {
  constexpr int at_once = 16;
  std::string out, renamed;
  int n = 0;
  for (const Declared& d : all_) {
    if (d.name != d.variable) {
      renamed += "constexpr Axis<\"" + d.name + "\"> " + d.variable + " = " + std::to_string(d.size) + ";\n";
      continue;
    }
    out += (n % at_once == 0 ? (n == 0 ? "TCP_AXES(" : ");\nTCP_AXES(") : ", ") + d.name + " = " + std::to_string(d.size);
    ++n;
  }
  return out + (n == 0 ? "" : ");\n") + renamed;
}

Expected<std::string> cpp_mapping(const Mapping& mapping, CppAxes& axes, Where at) {
  std::string text;
  CppText into{text};
  print(into, mapping);
  constexpr std::size_t most = Expr::room - 3;
  if (text.size() > most)
    return refuse("ir-not-in-cpp", at)
        .what("a mapping of ", text.size(), " characters has no place in typed C++, whose template arguments take ", most)
        .why("a mapping is a template argument there, kept in a fixed room")
        .help("stay with the text form (--emit text), or build it with tcp/dyn.hpp, where mappings are values");
  return "m<" + MappingSpeller(text, mapping, axes).list('\0') + ">";
}

std::string cpp_constant(ScalarType type, std::uint32_t bits) {
  std::string const name = scalar_info(type).name;
  if (type == ScalarType::i32) {
    auto const v = static_cast<std::int32_t>(bits);
    return v == std::numeric_limits<std::int32_t>::min() ? name + "::from_bits(" + cpp_hex(bits) + ")" : std::to_string(v);
  }
  if (type != ScalarType::f32 || (bits & 0x7f800000u) == 0x7f800000u) return name + "::from_bits(" + cpp_hex(bits) + ")";
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  char digits[32];
  std::string out(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  return (out.find_first_of(".e") == out.npos ? out + ".0" : out) + "f";
}
std::string cpp_mask(const SliceMask& mask) {
  if (mask == SliceMask::below(mask.count()))
    return mask == SliceMask::all() ? "SliceMask::all()" : "SliceMask::below(" + std::to_string(mask.count()) + ")";
  std::string out;
  for (std::uint64_t w : mask.word) out += (out.empty() ? "" : ", ") + cpp_hex(w) + "ll";
  return "SliceMask{{" + out + "}}";
}
std::string cpp_guard(const OperandGuard& guard) {
  if (guard == OperandGuard::always()) return "OperandGuard::always()";
  for (int i = 0; i < 4; ++i)
    for (bool set : {false, true})
      if (guard == OperandGuard::bit(i, set)) return "OperandGuard::bit(" + std::to_string(i) + (set ? ", true)" : ", false)");
  for (int i = 0; i < 16; ++i)
    if (guard == OperandGuard::id(i)) return "OperandGuard::id(" + std::to_string(i) + ")";
  return "OperandGuard{" + cpp_hex(guard.ids) + "}";
}

namespace {

class CppPrinter {
 public:
  explicit CppPrinter(const Module& module) : module_(module), axes_(names_), variables_(module.tensors.size()) {}

  std::string whole() {
    // Axes first: their names are part of types, and all other names make way.
    for (const Mapping& m : module_.maps)
      for (int a = 0; a < m.axes; ++a) {
        std::string name;
        for (int i = 0; i < m.axis[a].name.length(); ++i) name += m.axis[a].name[i];
        axes_.variable(name, m.axis[a].extent);
      }
    std::string const kernel = names_.fresh(module_.name.empty() ? "kernel" : module_.name);
    find_scopes();
    for (std::size_t i = 0; i < module_.tables.size(); ++i) tables_.push_back(names_.fresh(module_.tables[i].name));
    std::string const head = signature(kernel);
    declare_tables();
    declare_tensors();
    for (std::size_t i = 0; i < module_.commands.size(); ++i) {
      enter(module_.commands[i].region);
      at_ = module_.commands[i].at;
      command_ = i;
      std::visit([&](const auto& what) { print(what); }, module_.commands[i].what);
    }
    enter(none);
    give_back();
    std::string out = "#include <tcp/tcp.hpp>\n";
    if (returned().size() > 1) out += "#include <tuple>\n";
    out += "\nnamespace kernels {\n\nusing namespace tcp;\n\n";
    std::string const declared = axes_.declarations();
    out += declared + (declared.empty() ? "" : "\n");
    if (module_.chips != 1)
      out +=
          "// On " + std::to_string(module_.chips) + " chips: launch<" + std::to_string(module_.chips) + ">(" + kernel + ", ctx, ...).\n";
    if (module_.numeric != NumericModel::rngd) out += "// Its numbers are those of the model ieee: ContextOptions says so.\n";
    return out + head + " {\n" + body_ + "}\n\n}  // namespace kernels\n";
  }

 private:
  [[noreturn]] void cannot(const std::string& what) const {
    throw Refused(refuse("ir-not-in-cpp", at_)
                      .what(what)
                      .why("the typed front end has no words for it; every other command of a module can be written in C++")
                      .help("stay with the text form (--emit text), or record it with tcp/dyn.hpp"));
  }

  // Which tensor is a variable since when.

  TensorId root(TensorId id) const { return module_.root_of(id); }
  const Tensor& tensor(TensorId id) const { return module_.tensor(id); }
  struct TensorUse {
    std::optional<std::size_t> born;  // the command that writes all of it before anything else touches it
    int scope = 0;                    // in which that happens
    bool touched = false, outside = false, written = false;
  };

  /// True of commands that make the tensor they write.
  bool makes(const Command& c, TensorId id) const {
    if (const auto* x = std::get_if<Transfer>(&c.what); x != nullptr && picked_first(*x)) id = root(id);
    const Tensor& t = tensor(id);
    if (t.view || t.role == Role::argument || t.role == Role::from_addr) return false;
    if (const auto* p = std::get_if<Pass>(&c.what)) {
      for (const Stage& s : p->stages) {
        if (const auto* k = std::get_if<Commit>(&s.what); k != nullptr && k->destination == id)
          return s.out.chip == t.chip && s.out.cluster == t.cluster && s.out.slice == t.slice && s.out.type == t.type;
      }
      return true;
    }
    if (const auto* x = std::get_if<Transfer>(&c.what)) {
      if (x->kind != Transfer::Kind::move) return true;
      if (x->time || x->packet) return false;
      return t.memory == Memory::Hbm || tensor(x->source).chip == t.chip;
    }
    return std::holds_alternative<Memset>(c.what);
  }

  /// How many rows a gather takes, if those are the first of its index alone: it writes the first steps of its result.
  std::optional<std::int64_t> picked_first(const Transfer& x) const {
    if (x.kind != Transfer::Kind::gather) return {};
    const std::optional<ViewOf>&to = tensor(x.destination).view, &rows = tensor(x.rows).view;
    if (!to || !rows || to->kind != ViewOf::Kind::tile || rows->kind != ViewOf::Kind::tile || to->start != 0 || rows->start != 0) return {};
    if (to->length != rows->length || tensor(to->tensor).view) return {};
    return to->length;
  }

  void find_scopes() {
    uses_.assign(module_.tensors.size(), {});
    Scopes scopes(module_);
    for (std::size_t i = 0; i < module_.commands.size(); ++i) {
      const Command& c = module_.commands[i];
      scopes.enter(c.region);
      for (TensorId id : read_by(c)) touch(root(id), scopes);
      for (TensorId id : written_by(c)) {
        TensorUse& u = uses_[root(id)];
        if (!u.touched && makes(c, id)) u.born = i, u.scope = scopes.inner();
        touch(root(id), scopes);
        u.written = true;
      }
    }
    scopes.enter(none);
    for (TensorId id : module_.results) touch(root(id), scopes);
  }
  /// The regions that are open, each entry with a number of its own.
  class Scopes {
   public:
    explicit Scopes(const Module& m) : module_(m) {}
    void enter(int region) {
      std::vector<int> path;
      for (int r = region; r != none; r = module_.regions[static_cast<std::size_t>(r)].inside) path.insert(path.begin(), r);
      std::size_t same = 0;
      while (same < path.size() && same < open_.size() && open_[same].first == path[same]) ++same;
      open_.resize(same);
      for (std::size_t i = same; i < path.size(); ++i) open_.emplace_back(path[i], ++last_);
    }
    int inner() const { return open_.empty() ? 0 : open_.back().second; }
    bool is_open(int scope) const {
      for (auto const& [region, number] : open_)
        if (number == scope) return true;
      return scope == 0;
    }
    const std::vector<std::pair<int, int>>& open() const { return open_; }

   private:
    const Module& module_;
    std::vector<std::pair<int, int>> open_;
    int last_ = 0;
  };
  void touch(TensorId id, const Scopes& scopes) {
    TensorUse& u = uses_[id];
    if (u.touched && !scopes.is_open(u.scope)) u.outside = true;
    u.touched = true;
  }
  TensorUse& use(TensorId id) { return uses_[id]; }

  // Spellings.

  std::string map(MapId id) {
    auto m = cpp_mapping(module_.map(id), axes_, at_);
    if (!m) throw Refused(m.refusal());
    return *m;
  }
  static std::string scalar(ScalarType t) { return scalar_info(t).name; }
  std::string type_of(const Tensor& t) {
    std::string const first = "<" + scalar(t.type) + ", " + map(t.chip) + ", ";
    std::string const middle = first + map(t.cluster) + ", " + map(t.slice) + ", ";
    switch (t.memory) {
      case Memory::Hbm: return "HbmTensor" + first + map(t.element) + ">";
      case Memory::Dm: return "DmTensor" + middle + map(t.element) + ">";
      case Memory::Spm: return "SpmTensor" + middle + map(t.element) + ">";
      case Memory::Trf: return "TrfTensor" + middle + map(t.row) + ", " + map(t.element) + ">";
      case Memory::Vrf: return "VrfTensor" + middle + map(t.element) + ">";
      case Memory::Host: break;
    }
    cannot("a tensor of the host inside a kernel: " + t.name);
  }
  std::string& variable(TensorId id) {
    std::string& v = variables_[id];
    if (v.empty()) v = names_.fresh(tensor(id).name);
    return v;
  }

  /// What is looked at, from the tensor on: `.tile<m<A / 8>, 4>(8)`.
  std::string looks(TensorId id) {
    const Tensor& t = tensor(id);
    if (!t.view) return "";
    std::string out = looks(t.view->tensor);
    const Tensor& from = tensor(t.view->tensor);
    using Kind = ViewOf::Kind;
    switch (t.view->kind) {
      case Kind::whole: break;
      case Kind::tile: {
        Level const level = level_of_tile(module_.levels(from), module_.map(t.view->dimension));
        auto const plain = tcp::tile(module_.levels(from)[level], module_.map(t.view->dimension), t.view->length, 0);
        MapId const part = level == Level::chip      ? t.chip
                           : level == Level::cluster ? t.cluster
                           : level == Level::slice   ? t.slice
                                                     : t.element;
        out += ".tile<" + map(t.view->dimension) + ", " + std::to_string(t.view->length);
        if (!plain || !(plain->mapping == module_.map(part))) out += ", " + map(part);
        out += ">(" + std::to_string(t.view->start) + ")";
        break;
      }
      case Kind::reshape:
        if (t.element != from.element) out += ".reshape<" + map(t.element) + ">()";
        if (t.type != from.type) out += ".reinterpret<" + scalar(t.type) + ">()";
        break;
      case Kind::relabel:
        out += ".relabel<" + map(t.chip) + ", ";
        if (t.memory != Memory::Hbm) out += map(t.cluster) + ", " + map(t.slice) + ", ";
        out += map(t.element) + ">()";
        break;
    }
    return out;
  }
  std::string whole_of_registers(TensorId id) {
    if (tensor(id).view) cannot("a view of a register file: " + tensor(id).name + " in " + name_of(tensor(id).memory));
    return variable(id);
  }
  std::string read(TensorId id) {
    if (tensor(id).memory == Memory::Trf || tensor(id).memory == Memory::Vrf) return whole_of_registers(id);
    return variable(root(id)) + ".view()" + looks(id);
  }
  /// For calls that take tensors and views alike.
  std::string source(TensorId id) { return tensor(id).view ? read(id) : variable(id); }
  std::string written(TensorId id) { return variable(root(id)) + ".view_mut()" + looks(id); }
  std::string address(const Tensor& t) const { return t.address ? std::to_string(*t.address) : ""; }
  std::string tdma_and_address(const Tensor& t) const { return "ctx.tdma" + (t.address ? ", " + address(t) : std::string()); }

  // The function.

  std::vector<TensorId> returned() const {
    std::vector<TensorId> all;
    for (TensorId id : module_.results)
      if (tensor(root(id)).role != Role::argument) all.push_back(id);
    return all;
  }
  std::string signature(const std::string& kernel) {
    std::string out = "(Context& ctx";
    for (TensorId id : module_.arguments) {
      bool const mut = use(id).written;
      out += std::string(", ") + (use(id).touched ? "" : "[[maybe_unused]] ") + (mut ? "" : "const ") + type_of(tensor(id)) + "& " +
             variable(id);
    }
    std::string results;
    for (TensorId id : returned()) results += (results.empty() ? "" : ", ") + type_of(tensor(id));
    if (results.empty()) return "void " + kernel + out + ")";
    return "auto " + kernel + out + ") -> " + (returned().size() > 1 ? "std::tuple<" + results + ">" : results);
  }
  void give_back() {
    std::string out;
    for (TensorId id : returned()) {
      std::string all = variable(root(id));
      if (tensor(id).view) {
        const Tensor& t = tensor(id);
        all += ".relabel<" + map(t.chip) + ", " + (t.memory == Memory::Hbm ? "" : map(t.cluster) + ", " + map(t.slice) + ", ") +
               map(t.element) + ">()";
      }
      out += (out.empty() ? "" : ", ") + all;
    }
    if (out.empty()) return;
    line("return " + (returned().size() > 1 ? "{" + out + "}" : out) + ";");
  }
  void line(const std::string& text) { body_ += std::string(2 * (1 + scopes_.open().size()), ' ') + text + "\n"; }

  void declare_tables() {
    for (std::size_t i = 0; i < module_.tables.size(); ++i) {
      const LookupTable& t = module_.tables[i];
      std::string bits;
      for (std::size_t k = 0; k < t.bits.size(); ++k) bits += (k == 0 ? "" : k % 12 == 0 ? ",\n      " : ", ") + cpp_hex(t.bits[k]);
      line("LookupTable<" + scalar(t.from) + ", " + scalar(t.to) + "> " + tables_[i] + "(" + cpp_quoted(t.name) + ");");
      line("{");
      line("  constexpr unsigned entries[] = {" + bits + "};");
      line("  for (int i = 0; i < " + std::to_string(t.bits.size()) + "; ++i) " + tables_[i] + "[i] = " + scalar(t.to) +
           "::from_bits(entries[i]);");
      line("}");
    }
  }
  void declare_tensors() {
    for (TensorId id : module_.tensors.ids()) {
      const Tensor& t = module_.tensor(id);
      TensorUse const& u = use(id);
      if (t.view || t.role == Role::argument || !u.touched) continue;
      at_ = t.at;
      if (u.born && !u.outside) continue;
      if (u.born) {
        line(type_of(t) + " " + variable(id) + ";");
      } else if (t.memory == Memory::Trf || t.memory == Memory::Vrf) {
        cannot("register file tensor " + t.name + " is used in part, or before anything writes all of it");
      } else if (t.memory == Memory::Host) {
        cannot("host tensor " + t.name + ": a kernel does not move tensors of the host");
      } else if (t.address || t.role == Role::from_addr) {
        line("auto " + variable(id) + " = " + type_of(t) + "::from_addr(" + std::to_string(t.address.value_or(0)) + ");");
      } else {
        line("auto " + variable(id) + " = ctx.empty<" + type_of(t) + ">();");
      }
    }
  }
  /// `auto x = ` or `x = `.
  std::string made(TensorId id) { return std::string(use(id).outside || use(id).born != command_ ? "" : "auto ") + variable(id) + " = "; }
  bool is_born(TensorId id) { return !tensor(id).view && use(id).born == command_; }

  void enter(int region) {
    std::size_t const before = scopes_.open().size();
    auto const old = scopes_.open();
    scopes_.enter(region);
    std::size_t same = 0;
    while (same < before && same < scopes_.open().size() && old[same] == scopes_.open()[same]) ++same;
    for (std::size_t i = before; i > same; --i) body_ += std::string(2 * i, ' ') + "}\n";
    for (std::size_t i = same; i < scopes_.open().size(); ++i) {
      const Region& r = module_.regions[static_cast<std::size_t>(scopes_.open()[i].first)];
      body_ += std::string(2 * (i + 1), ' ') + "{\n" + std::string(2 * (i + 2), ' ') + "auto const mark = ctx." +
               (r.kept ? "round(" : "region(") + cpp_quoted(r.name) + ", " + std::to_string(r.index) + ");\n";
    }
  }

  // Commands.

  void print(const HostTransfer&) { cannot("a transfer between host and HBM over PCIe"); }

  void print(const Memset& s) {
    const Tensor& t = tensor(s.destination);
    std::uint32_t const bits = s.word & scalar_mask(t.type);
    if (word_full_of(t.type, bits) != s.word)
      cannot("a memset whose word " + cpp_hex(s.word) + " is not one value of " + scalar(t.type) + " repeated");
    std::string const value = t.type == ScalarType::i32 || t.type == ScalarType::f32
                                  ? cpp_constant(t.type, bits)
                                  : scalar(t.type) + "::from_bits(" + cpp_hex(bits) + ")";
    if (is_born(s.destination))
      line(made(s.destination) + "ctx.sub.memset<" + type_of(t) + ">(" + value + (t.address ? ", " + address(t) : "") + ");");
    else line("ctx.sub.memset(" + written(s.destination) + ", " + value + ");");
  }

  void print(const Transfer& x) {
    TensorId const made_id = picked_first(x) ? root(x.destination) : x.destination;
    const Tensor& to = tensor(made_id);
    std::string const how = tdma_and_address(to);
    using Kind = Transfer::Kind;
    if (x.kind == Kind::move) return print_move(x, to, how);
    std::string const source_text = source(x.source);
    if (x.kind == Kind::scatter) {
      line(source_text + ".scatter<" + axes_.variable(x.row_axis) + ">(ctx.tdma, " + rows(x) + ", " + written(x.destination) + ");");
      return;
    }
    if (!is_born(made_id)) cannot(std::string("a ") + name_in(transfers, x.kind) + " into " + to.name + ", which is there already");
    std::string numbers;
    for (std::int64_t n : x.permutation) numbers += (numbers.empty() ? "" : ", ") + std::to_string(n);
    std::string call;
    switch (x.kind) {
      case Kind::gather: {
        std::string const levels = to.memory == Memory::Hbm ? "gather_to_hbm<" : "gather_to_dm<";
        call = levels + axes_.variable(x.row_axis) + ", " +
               (to.memory == Memory::Hbm ? "" : map(to.cluster) + ", " + map(to.slice) + ", ") + map(to.element) + ">(ctx.tdma, " +
               rows(x) + (to.address ? ", " + address(to) : "") + ")";
        break;
      }
      case Kind::chip_shuffle:
        call = "chip_shuffle<" + map(to.chip) + ">(ctx.tdma, {" + numbers + "}" + (to.address ? ", " + address(to) : "") + ")";
        break;
      case Kind::cluster_shuffle:
        call = "cluster_shuffle<" + map(to.cluster) + ">(ctx.tdma, {" + numbers + "}" + (to.address ? ", " + address(to) : "") + ")";
        break;
      case Kind::chip_slice:
        call = "chip_slice<" + map(x.dimension) + ", " + std::to_string(x.length) + ", " + map(to.chip) + ", " + map(to.element) +
               ">(ctx.tdma, {" + numbers + "}" + (to.address ? ", " + address(to) : "") + ")";
        break;
      case Kind::move:
      case Kind::scatter: break;
    }
    if (x.kind != Kind::gather && tensor(x.source).view) cannot(std::string("a ") + name_in(transfers, x.kind) + " of a view");
    line(made(made_id) + source_text + "." + call + ";");
  }
  void print_move(const Transfer& x, const Tensor& to, const std::string& how) {
    if (!is_born(x.destination)) {
      std::string const stream = x.time && x.packet ? "<" + map(*x.time) + ", " + map(*x.packet) + ">" : "";
      if (x.time.has_value() != x.packet.has_value()) cannot("a transfer that says one of Time and Packet");
      line("ctx.tdma.dma" + stream + "(" + source(x.source) + ", " + written(x.destination) + ");");
      return;
    }
    std::string call;
    if (to.memory == Memory::Hbm)
      call = ".to_hbm<" + map(to.element) + (to.chip != tensor(x.source).chip ? ", " + map(to.chip) : "") + ">(" + how + ")";
    else
      call = (to.memory == Memory::Spm ? ".to_spm<" : ".to_dm<") + map(to.cluster) + ", " + map(to.slice) + ", " + map(to.element) + ">(" +
             how + ")";
    line(made(x.destination) + source(x.source) + call + ";");
  }
  std::string rows(const Transfer& x) {
    if (auto const count = picked_first(x))
      return std::string(x.keys == RowKeys::positions ? "by_positions(" : "by_byte_offsets(") + source(tensor(x.rows).view->tensor) +
             ").first(" + std::to_string(*count) + ")";
    std::string const index = source(x.rows);
    return x.keys == RowKeys::positions ? index : "by_byte_offsets(" + index + ")";
  }

  void print(const Pass& p) {
    // Tensors that a stage on the way makes are there before the pass.
    TensorId sink = none;
    for (const Stage& s : p.stages) {
      if (const auto* c = std::get_if<Commit>(&s.what)) sink = is_born(c->destination) ? c->destination : none;
      if (const auto* c = std::get_if<ToTrf>(&s.what)) sink = c->destination;
      if (const auto* c = std::get_if<ToVrf>(&s.what)) sink = c->destination;
      TensorId beside = none;
      if (const auto* l = std::get_if<BranchLog>(&s.what)) beside = l->vrf;
      if (const auto* f = std::get_if<Filter>(&s.what)) beside = f->count;
      if (beside != none && tensor(beside).view) cannot("a view of a register file: " + tensor(beside).name + " is written on the way");
      if (beside != none && use(beside).born == command_ && !use(beside).outside)
        line(type_of(tensor(beside)) + " " + variable(beside) + ";");
    }
    std::string head = sink == none ? "" : made(sink);
    if (sink != none && tensor(sink).view) cannot("a view of a register file: " + tensor(sink).name + " is written");
    head += std::string("ctx.") + name_in(contexts, p.context) + (p.dual ? ".dual()" : "");
    if (p.turns == Name{}) head += ".begin(" + read(p.source.front()) + ")";
    else head += ".begin_interleaved<" + axes_.variable(p.turns) + ">(" + read(p.source.at(0)) + ", " + read(p.source.at(1)) + ")";
    line(head);
    Shape before = shape_at_begin(module_, p);
    pairs_ = false;
    for (std::size_t i = 0; i < p.stages.size(); ++i) {
      const Stage& s = p.stages[i];
      if (s.at.known()) at_ = s.at;
      before_ = before;
      line("    ." + std::visit([&](const auto& what) { return call_of(what, s.out); }, s.what) + (i + 1 == p.stages.size() ? ";" : ""));
      before = s.out;
    }
  }

  // Stages.

  std::string time_and_packet(const Shape& out) { return "<" + map(out.time) + ", " + map(out.packet) + ">"; }
  std::string call_of(const Fetch& f, const Shape& out) {
    std::string lifts;
    if (out.chip != before_.chip) lifts += "fetch_chip_lift<" + map(out.chip) + ">().";
    if (out.cluster != before_.cluster) lifts += "fetch_cluster_lift<" + map(out.cluster) + ">().";
    if (out.slice != before_.slice) lifts += "fetch_slice_lift<" + map(out.slice) + ">().";
    std::string const types = "<" + scalar(out.type) + ", " + map(out.time) + ", " + map(out.packet) + ">";
    if (f.table != none) return lifts + "fetch_with_table" + types + "(" + tables_[static_cast<std::size_t>(f.table)] + ")";
    if (f.zero_points.size() == 1) return lifts + "fetch_with_zero_point" + types + "(" + std::to_string(f.zero_points[0]) + ")";
    if (f.zero_points.size() == 2)
      return lifts + "fetch_with_zero_points" + types + "({" + std::to_string(f.zero_points[0]) + ", " + std::to_string(f.zero_points[1]) +
             "})";
    return lifts + "fetch" + types + "()";
  }
  std::string call_of(const Switch& s, const Shape& out) {
    const SwitchConfig& c = s.config;
    std::string fields;
    auto const field = [&](const char* name, std::int64_t v) {
      fields += (fields.empty() ? "." : ", .") + std::string(name) + " = " + std::to_string(v);
    };
    bool const plain = c.topology == Topology::Forwarding, custom = c.topology == Topology::CustomBroadcast;
    if (!plain && !custom) field("slice1", c.slice1), field("slice0", c.slice0);
    if (c.topology == Topology::Broadcast01 || c.topology == Topology::InterTranspose) field("time0", c.time0);
    if (custom && c.ring_size != 0) field("ring_size", c.ring_size);
    if (custom && c.extraction != Extraction::AsWritten)
      fields += std::string(fields.empty() ? "" : ", ") + ".extraction = Extraction::" + name_in(extractions, c.extraction);
    return std::string("switch_to<SwitchConfig::") + name_in(topologies, c.topology) + "{" + fields + "}, " + map(out.slice) + ", " +
           map(out.time) + ">()";
  }
  std::string call_of(const Collect&, const Shape& out) { return "collect" + time_and_packet(out) + "()"; }
  std::string call_of(const Align& a, const Shape& out) { return "align" + time_and_packet(out) + "(" + whole_of_registers(a.trf) + ")"; }
  std::string call_of(const Contract& c, const Shape& out) {
    return std::string(c.op == ContractOp::Max ? "contract_max<" : "contract<") + map(out.packet) + ">()";
  }
  std::string call_of(const Accumulate& a, const Shape& out) {
    return "accumulate" + time_and_packet(out) + "(AccumulationKind::" + name_of(a.kind) + ")";
  }
  std::string call_of(const VectorInit&, const Shape&) { return "vector_init()"; }
  std::string call_of(const VectorFinal&, const Shape&) { return "vector_final()"; }
  std::string call_of(const Cast&, const Shape& out) { return "cast<" + scalar(out.type) + ", " + map(out.packet) + ">()"; }
  std::string call_of(const Transpose&, const Shape& out) { return "transpose" + time_and_packet(out) + "()"; }
  std::string call_of(const CommitCast&, const Shape& out) { return "commit_cast<" + scalar(out.type) + ">()"; }
  std::string call_of(const CommitCastRelu&, const Shape& out) { return "commit_cast_relu<" + scalar(out.type) + ">()"; }
  std::string call_of(const Commit& c, const Shape&) {
    if (c.pack_valid) cannot("a commit that packs by the valid count");
    const Tensor& t = tensor(c.destination);
    std::string const mask = c.slices ? cpp_mask(*c.slices) : "";
    if (is_born(c.destination)) {
      std::string const where = t.address ? address(t) : c.slices ? "{}" : "";
      return "commit<" + map(t.element) + ">(" + where + (c.slices ? ", " + mask : "") + ")";
    }
    return "commit_view(" + written(c.destination) + (c.slices ? ", " + mask : "") + ")";
  }
  std::string call_of(const ToTrf& s, const Shape&) {
    const Tensor& t = tensor(s.destination);
    return "to_trf<" + map(t.row) + ", " + map(t.element) + ">(TrfAddress::" + name_in(trf_addresses, t.trf) + ")";
  }
  std::string call_of(const ToVrf& s, const Shape&) {
    const Tensor& t = tensor(s.destination);
    return "to_vrf<" + map(t.element) + ">(" + address(t) + ")";
  }

  // The Vector Engine.

  std::string call_of(const Branch& b, const Shape&) {
    using Kind = BranchMode::Kind;
    std::string mode = std::string("BranchMode::") + name_in(branches, b.mode.kind);
    if (b.mode.kind == Kind::AxisToggle) mode += "{" + axes_.variable(b.mode.axis) + "}";
    if (b.mode.kind == Kind::Comparison) {
      int compared = BranchMode::comparisons;
      while (compared > 1 && b.mode.compare[compared - 1] == InputCmp{}) --compared;
      mode += "{";
      for (int i = 0; i < compared; ++i) mode += (i == 0 ? "" : ", ") + spelt(b.mode.compare[i]);
      mode += "}";
    }
    if (b.mode.kind == Kind::Vrf) mode += ", " + whole_of_registers(b.vrf);
    return "vector_intra_slice_branch(" + mode + ")";
  }
  std::string spelt(const InputCmp& c) const {
    std::string name = std::string("InputCmp::") + name_in(comparisons, c.kind);
    if (!c.has_boundary()) return name;
    std::string value = cpp_constant(c.type, c.boundary);
    if (value.find("from_bits") != value.npos) {
      if (c.type == ScalarType::i32) value = "-2147483647 - 1";
      else if ((c.boundary & 0x007fffffu) != 0) cannot("a comparison with NaN");
      else value = std::string((c.boundary >> 31) != 0 ? "-" : "") + "__builtin_huge_valf()";
    }
    return name + "(" + value + ")";
  }
  std::string call_of(const BranchLog& l, const Shape&) {
    const Tensor& t = tensor(l.vrf);
    return "vector_branch_log<" + map(t.element) + ">(" + (t.address ? address(t) : "Address{}") + ", " + whole_of_registers(l.vrf) + ")";
  }
  std::string call_of(const WriteOperand& w, const Shape&) {
    return "vector_write_operand(" + whole_of_registers(w.vrf) + (w.guard == OperandGuard::always() ? "" : ", " + cpp_guard(w.guard)) + ")";
  }
  std::string call_of(const Stash&, const Shape&) { return "vector_stash()"; }
  std::string call_of(const Unzip& u, const Shape& out) {
    pairs_ = true;
    return "vector_intra_slice_unzip<" + axes_.variable(u.axis) + ", " + map(u.tile_time) + ", " + map(out.time) + ">()";
  }
  std::string call_of(const Filter& f, const Shape& out) {
    std::string count;
    if (f.count != none) {
      const Tensor& t = tensor(f.count);
      count = ", " + (t.address ? address(t) : std::string("Address{}")) + ", " + whole_of_registers(f.count);
    }
    return "vector_filter" + time_and_packet(out) + "(" + cpp_guard(f.keep) + count + ")";
  }
  std::string call_of(const IntraSliceReduce& r, const Shape& out) {
    return "vector_intra_slice_reduce<" + axes_.variable(r.axis) + ", " + map(out.time) + ", " + map(out.packet) + ">(" +
           reduce_op("Intra", r.op) + ")";
  }
  std::string call_of(const InterSliceReduce& r, const Shape& out) {
    return "vector_inter_slice_reduce<" + map(out.slice) + ", " + map(out.time) + ">(" + reduce_op("Inter", r.op) + ")";
  }
  std::string reduce_op(const std::string& where, ReduceOp op) const {
    return where + "SliceReduceOp" + (before_.type == ScalarType::f32 ? "F32::" : "I32::") + name_in(reduce_ops, op);
  }

  std::string call_of(const VectorOperation& o, const Shape& out) {
    const VectorStep& s = o.step;
    if (!well_formed(s)) cannot("a step of the Vector Engine that is none");
    std::string const method = info_of(s.method).name;
    switch (s.method) {
      case VectorMethod::split:
      case VectorMethod::concat: return method + time_and_packet(out) + "()";
      case VectorMethod::trim_way4:
      case VectorMethod::pad_way8: return method + "<" + map(out.packet) + ">()";
      case VectorMethod::fxp_to_fp:
      case VectorMethod::fp_to_fxp: return method + "(" + std::to_string(s.int_width) + ")";
      case VectorMethod::reinterpret: return method + "<" + scalar(s.to) + ">()";
      default: break;
    }
    const Family& family = *find_family(s.family);
    std::string call = method;
    for (const auto& form : zip_forms)
      if (s.groups == Groups::zip && form.value == s.method) call = form.name;
    if (s.mode != family.usual_mode) call += "_with_mode";
    std::string arguments = std::string(family.name) + "::" + family.ops[s.op].name;
    if (s.mode != family.usual_mode) arguments += std::string(", ") + mode_type(family) + "::" + family.modes[s.mode].name;
    if (s.groups == Groups::zip) pairs_ = false;
    else if (pairs_) arguments += groups_of(o);
    else arguments += slots_of(o);
    return call + "(" + arguments + ")";
  }
  static const char* mode_type(const Family& f) {
    return f.modes == unary_modes ? "UnaryArgMode" : f.modes == binary_modes ? "BinaryArgMode" : "TernaryArgMode";
  }
  std::string spelt(const Operand& o) {
    switch (o.shape.kind) {
      case OperandKind::none: return "skip";
      case OperandKind::stash: return "Stash";
      case OperandKind::vrf: return whole_of_registers(o.vrf);
      case OperandKind::immediate: break;
    }
    if (!o.shape.known) cannot("a constant whose value is not known");
    return cpp_constant(o.shape.type, o.shape.bits);
  }
  /// One operand, or the two of a ternary operation.
  std::string spelt(const VectorOperation& o, std::size_t i) {
    if (o.step.method != VectorMethod::fp_ternary) return spelt(o.operands[i]);
    if (i + 1 >= o.operands.size()) cannot("a ternary operation with one operand");
    return "TernaryOperand(" + spelt(o.operands[i]) + ", " + spelt(o.operands[i + 1]) + ")";
  }
  static std::size_t operands_in_slot(const VectorOperation& o) { return o.step.method == VectorMethod::fp_ternary ? 2 : 1; }
  std::string slots_of(const VectorOperation& o) {
    std::string out;
    for (std::size_t i = 0; i < o.operands.size(); i += operands_in_slot(o)) {
      const OperandGuard& guard = o.operands[i].shape.guard;
      std::string const operand = spelt(o, i);
      out += ", " + (guard == OperandGuard::always() ? operand : "VeBranchOperand::when(" + operand + ", " + cpp_guard(guard) + ")");
    }
    return out;
  }
  std::string groups_of(const VectorOperation& o) {
    if (o.step.method == VectorMethod::fp_unary) {
      bool const first = o.step.groups == Groups::both || o.step.groups == Groups::group0;
      bool const second = o.step.groups == Groups::both || o.step.groups == Groups::group1;
      return std::string(first ? ", true" : ", false") + (second ? ", true" : ", false");
    }
    std::string zero = "skip", one = "skip";
    for (std::size_t i = 0; i < o.operands.size(); i += operands_in_slot(o)) {
      bool const first = o.operands[i].shape.guard == OperandGuard::group(GroupId::Zero);
      if (!first && !(o.operands[i].shape.guard == OperandGuard::group(GroupId::One)))
        cannot("an operand of two groups for some execution ids");
      (first ? zero : one) = spelt(o, i);
    }
    return ", " + zero + ", " + one;
  }

  const Module& module_;
  CppNames names_;
  CppAxes axes_;
  Indexed<std::string, TensorId> variables_;
  std::vector<std::string> tables_;
  Indexed<TensorUse, TensorId> uses_;
  Scopes scopes_{module_};
  std::string body_;
  std::size_t command_ = 0;
  Shape before_{};
  bool pairs_ = false;
  Where at_{};
};

}  // namespace

Expected<std::string> print_cpp(const Module& module) {
  try {
    return CppPrinter(module).whole();
  } catch (const Refused& refused) {
    return refused.refusal();
  }
}

}  // namespace tcp::ir
