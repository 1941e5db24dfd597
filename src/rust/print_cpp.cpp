// A kernel in typed C++, as it was written: the syntax tree is printed with C++ in place of Rust, and what Rust infers
// and C++ does not is taken from the reading (facts.cpp).
//
// Items are printed when they are first needed, before what needs them; items inside of functions move out, as they
// know nothing of the function. The typed front end infers what rustc does: mappings flow through chains, a sink takes
// its mapping from the type on the left, templates are bound by their arguments. Where nothing in C++ says a mapping,
// it is written out as the reading had it; if that was not the same each time, or C++ has no word for a piece, the
// whole kernel is printed straight, and a comment says why.
#include <algorithm>
#include <set>
#include <string>

#include "rust/bindings.hpp"
#include "rust/evaluator.hpp"
#include "rust/parser.hpp"
#include "tcp/ir/cpp.hpp"

namespace tcp::rust {
namespace {

/// What the typed front end cannot keep.
struct Unkept {
  std::string why;
  Span span;
};
[[noreturn]] void unkept(const Span& span, const std::string& why) { throw Unkept{why, span}; }

std::vector<std::string_view> path_words(const Path& path) {
  std::vector<std::string_view> words;
  for (const Segment& s : path.segments) words.push_back(s.name);
  return words;
}
bool one_of(std::string_view name, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// The type of a number in C++, as far as it matters: operands of the Vector Engine are int and float.
enum class CppNumber : std::uint8_t { none, literal, narrow, wide, single, twice, truth };
const char* cpp_name(CppNumber n) {
  switch (n) {
    case CppNumber::narrow: return "int";
    case CppNumber::single: return "float";
    case CppNumber::twice: return "double";
    case CppNumber::truth: return "bool";
    default: return "std::int64_t";
  }
}
CppNumber number_named(std::string_view name) {
  if (name == "i32" || name == "i16" || name == "i8" || name == "u8" || name == "u16") return CppNumber::narrow;
  if (one_of(name, {"usize", "isize", "i64", "u64", "u32", "i128", "u128"})) return CppNumber::wide;
  if (name == "f32") return CppNumber::single;
  if (name == "f64") return CppNumber::twice;
  if (name == "bool") return CppNumber::truth;
  return CppNumber::none;
}

/// How tightly an expression of C++ holds together.
enum Tightness : int {
  loose = 0,
  choice = 10,
  either = 20,
  both = 30,
  bits = 40,
  equal = 50,
  less = 55,
  shift = 60,
  sum = 70,
  product = 80,
  prefix = 90,
  atom = 100
};
Tightness tightness_of(std::string_view op) {
  if (op == "||") return either;
  if (op == "&&") return both;
  if (one_of(op, {"&", "|", "^"})) return bits;
  if (one_of(op, {"==", "!="})) return equal;
  if (one_of(op, {"<", ">", "<=", ">="})) return less;
  if (one_of(op, {"<<", ">>"})) return shift;
  if (one_of(op, {"+", "-"})) return sum;
  return product;
}

struct CppPiece {
  std::string s;
  Tightness tight = atom;

  std::string at_least(Tightness t) const { return tight < t ? "(" + s + ")" : s; }
};

/// A lookup table that holds the cast of each value.
std::string table_of_casts(const std::string& from, const std::string& to) {
  return "LookupTable<" + from + ", " + to + ">::made([](" + from + " narrow) { return " + to + "::from_double(narrow.to_double()); }, \"" +
         from + "_to_" + to + "\")";
}

bool same_place(const Where& a, const Where& b) { return a.line == b.line && a.column == b.column && a.file == b.file; }

/// Where a chain may break: a line of its own for each stage.
constexpr char new_line = '\x01';

}  // namespace

class CppWriter {
 public:
  CppWriter(Evaluator& evaluator, const Facts& facts, const ir::Module& module)
      : e_(evaluator), facts_(facts), module_(module), axes_(names_) {}

  std::string whole() {
    const FoundKernel& kernel = e_.kernel_;
    std::string const name = names_.fresh(kernel.item->name);
    done_[kernel.item] = name;
    std::string const text = function(*kernel.item, *kernel.module, name, {});
    std::string out = "#include <tcp/tcp.hpp>\n";
    for (const std::string& header : headers_) out += "#include <" + header + ">\n";
    out += "\nnamespace kernels {\n\nusing namespace tcp;\n\n" + axes_.declarations() + "\n" + items_;
    if (!items_.empty() && !items_.ends_with("\n\n")) out += "\n";
    if (module_.chips != 1)
      out += "// On " + std::to_string(module_.chips) + " chips: launch<" + std::to_string(module_.chips) + ">(" + name + ", ctx, ...).\n";
    return out + text + "\n}  // namespace kernels\n";
  }

 private:
  struct Variable {
    std::string_view name;
    int mark;
    std::string cpp;
    CppNumber number = CppNumber::none;
  };
  struct Env {
    ModuleScope* module;
    Env* parent = nullptr;
    std::vector<Variable> variables{};
    std::set<std::string_view> generics{};
    std::map<std::string_view, std::string> said{};  // generics of a method's structure, by their C++
    std::string* out = nullptr;                      // statements
    int indent = 1;
    std::string ctx{}, tdma{};
    std::string result{};
    CppNumber result_number = CppNumber::none;
    bool templated = false;  // inside a template: calls that take types say so

    Env inner() {
      Env e{module, this};
      e.out = out;
      e.indent = indent;
      e.ctx = ctx;
      e.tdma = tdma;
      e.result = result;
      e.result_number = result_number;
      e.templated = templated;
      return e;
    }
    bool is_generic(std::string_view name) const {
      for (const Env* e = this; e != nullptr; e = e->parent)
        if (e->generics.contains(name)) return true;
      return false;
    }
  };

  // Facts.

  const ExprFact* fact(const Expr* e) const {
    auto const at = facts_.of.find(e);
    return at == facts_.of.end() ? nullptr : &at->second;
  }
  const ExprFact& certain(const Expr* e, const char* what) const {
    const ExprFact* const f = fact(e);
    if (f == nullptr) unkept(e->span, std::string(what) + " is not known here: this part was not read");
    if (f->varies) unkept(e->span, std::string(what) + " is not the same each time this is read");
    return *f;
  }
  ExprFact::Kind kind_of(const Expr* e) const {
    const ExprFact* const f = fact(e);
    return f == nullptr ? ExprFact::Kind::other : f->kind;
  }
  bool is_pending_tensor(const Expr* e) const { return kind_of(e) == ExprFact::Kind::tensor; }
  std::string spelt(const Mapping& m, const Span& span) {
    auto text = ir::cpp_mapping(m, axes_, where(span));
    if (!text) unkept(span, "a mapping is longer than a template argument may be");
    return *text;
  }
  std::string level_text(const Ty& t, Level l, const Span& span) {
    const MappingPtr& m = t->level[static_cast<std::size_t>(l)];
    if (!m) unkept(span, "a mapping is not known here");
    return spelt(*m, span);
  }
  static std::string scalar_text(const Ty& t) { return scalar_info(t->element->scalar).name; }
  std::string tensor_text(const Ty& t, const Span& span) {
    std::string const head = "<" + scalar_text(t) + ", " + level_text(t, Level::chip, span) + ", ";
    if (t->memory == Memory::Hbm) return "HbmTensor" + head + level_text(t, Level::element, span) + ">";
    std::string const all = head + level_text(t, Level::cluster, span) + ", " + level_text(t, Level::slice, span) + ", ";
    const char* const name = t->memory == Memory::Dm    ? "DmTensor"
                             : t->memory == Memory::Spm ? "SpmTensor"
                             : t->memory == Memory::Vrf ? "VrfTensor"
                                                        : "TrfTensor";
    return name + all + (t->memory == Memory::Trf ? level_text(t, Level::row, span) + ", " : "") + level_text(t, Level::element, span) +
           ">";
  }
  /// The tensors of the module that a call made, by its place.
  std::vector<const ir::Tensor*> made_by(const Expr* e, const Span& span) const {
    Where const at = where(span);
    std::vector<const ir::Tensor*> all;
    for (const ir::Tensor& t : module_.tensors)
      if (t.at.line == at.line && t.at.column == at.column && t.at.file == at.file) all.push_back(&t);
    if (all.empty()) unkept(e->span, "nothing was made here when it was read");
    return all;
  }
  bool is_filled(const ir::Tensor& t) const {
    ir::TensorId const id(&t - module_.tensors.data());
    for (const ir::Command& c : module_.commands) {
      if (const auto* const m = std::get_if<ir::Memset>(&c.what);
          m != nullptr && m->destination == id && m->word == 0 && same_place(c.at, t.at))
        return true;
      const auto* const move = std::get_if<ir::Transfer>(&c.what);
      if (move != nullptr && move->kind == ir::Transfer::Kind::move && same_place(c.at, t.at) && module_.root_of(move->destination) == id)
        return true;
    }
    return false;
  }

  // Items.

  std::string axis(const KnownName& entry) {
    Mapping const m = e_.axis(entry);
    return axes_.variable(e_.axis_name(entry), m.axes == 0 ? 1 : m.axis[0].extent);  // one of size 1 leaves no trace in a mapping
  }
  KnownName find(const Path& path, Env& env, Namespace space) { return e_.tree_.find(*env.module, path_words(path), space); }

  template <class Print>
  std::string needed_item(const Item& item, Print print) {
    if (auto const known = done_.find(&item); known != done_.end()) {
      if (known->second.empty()) unkept(item.span, "`" + std::string(item.name) + "` needs itself");
      return known->second;
    }
    done_[&item] = "";
    std::string name = names_.fresh(item.name);
    while (local_names_.contains(name)) name = names_.fresh(item.name);  // a variable would hide it where it is used
    std::string const text = print(name);
    items_ += text;
    return done_[&item] = name;
  }
  /// A generic that tells contexts apart, which `auto` does in C++.
  static bool is_of_context(const CallFact& call, std::size_t i) {
    return i < call.generics.size() && call.generics[i] && call.generics[i]->kind == TypeOf::Kind::other;
  }
  std::string template_head(const Item& item, Env& env, const CallFact* call = nullptr) {
    std::string out;
    for (std::size_t i = 0; i < item.generics.size(); ++i) {
      const GenericParameter& g = item.generics[i];
      if (call != nullptr && is_of_context(*call, i)) continue;
      std::string kind = "class";
      if (g.kind == GenericParameter::Kind::constant) {
        CppNumber const n = g.type == nullptr ? CppNumber::wide : number_of_type(g.type, env);
        kind = cpp_name(n);
      } else if (call != nullptr && i < call->generics.size() && call->generics[i]) {
        if (call->generics[i]->kind == TypeOf::Kind::mapping) kind = "MapType";
        if (call->generics[i]->kind == TypeOf::Kind::scalar) kind = "Scalar";
      }
      env.generics.insert(g.name);
      out += (out.empty() ? "" : ", ") + kind + " " + std::string(g.name);
    }
    return out.empty() ? "" : "template <" + out + ">\n";
  }
  std::string alias(const KnownName& entry) {
    return needed_item(*entry.item, [&](const std::string& name) {
      Env env{entry.module};
      std::string const head = template_head(*entry.item, env);
      return head + "using " + name + " = " + type(entry.item->type, env) + ";\n";
    });
  }
  std::string constant(const KnownName& entry) {
    return needed_item(*entry.item, [&](const std::string& name) -> std::string {
      Env env{entry.module};
      std::string body;
      env.out = &body;
      CppNumber const n = number_of_type(entry.item->type, env);
      if (n == CppNumber::none || entry.item->value == nullptr) unkept(entry.item->span, "a constant that is not a number");
      std::string const value = number(entry.item->value, env, n).s;
      if (!body.empty()) unkept(entry.item->span, "a constant with statements in it");
      return std::string("constexpr ") + cpp_name(n) + " " + name + " = " + value + ";\n";
    });
  }
  std::string structure(const KnownName& entry) {
    return needed_item(*entry.item, [&](const std::string& name) {
      Env env{entry.module};
      std::string out = template_head(*entry.item, env) + "struct " + name + " {\n";
      if (entry.item->is_tuple) unkept(entry.item->span, "a structure without names of fields");
      for (const FieldSyntax& f : entry.item->fields) out += "  " + value_type(f.type, env) + " " + std::string(f.name) + ";\n";
      return out + "};\n\n";
    });
  }
  std::string helper(const Item& item, ModuleScope& module, const CallFact* call) {
    return needed_item(item, [&](const std::string& name) {
      std::string const text = function(item, module, name, call) + "\n";
      bool const apart = items_.empty() || items_.ends_with("\n\n");
      return (apart ? "" : "\n") + text;
    });
  }

  // Functions.

  /// The name behind references and aliases.
  std::string_view base_name(const TypeSyntax* t, Env& env) {
    ModuleScope* module = env.module;
    for (int depth = 0; t != nullptr && depth < 30; ++depth) {
      if (t->kind == TypeSyntax::Kind::reference) {
        t = t->inner;
        continue;
      }
      if (t->kind != TypeSyntax::Kind::path || t->path.self != nullptr) return "";
      if (depth == 0 && t->path.is_word() && env.is_generic(t->path.last().name)) return "";
      KnownName const entry = e_.tree_.find(*module, path_words(t->path), Namespace::type);
      if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::alias) {
        module = entry.module;
        t = entry.item->type;
        continue;
      }
      if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::structure) return "struct";
      if (entry.kind == KnownName::Kind::axis) return "";
      return entry ? entry.name : t->path.last().name;
    }
    return "";
  }
  static bool is_view_name(std::string_view n) { return n.ends_with("View") || n.ends_with("ViewMut"); }
  static bool is_tensor_name(std::string_view n) { return one_of(n, {"HbmTensor", "DmTensor", "TrfTensor", "VrfTensor", "SpmTensor"}); }
  static bool is_stream_name(std::string_view n) { return n.ends_with("Tensor") && !is_tensor_name(n); }
  static bool is_context_name(std::string_view n) {
    return one_of(n, {"Context", "Device", "Tdma", "TensorDma", "DmaContext", "Pdma", "TuContext", "MainContext", "SubContext"});
  }

  std::string parameter(const Parameter& p, Env& env) {
    if (p.type == nullptr) {
      std::string const name = local(env, "self", 0);
      bool const changes = p.span.text().starts_with('&') && p.span.text().find("mut") != std::string_view::npos;
      return (changes ? "[[maybe_unused]] auto& " : "[[maybe_unused]] const auto& ") + name;
    }
    if (p.pattern->kind != Pattern::Kind::name && p.pattern->kind != Pattern::Kind::wild) unkept(p.span, "a parameter that is taken apart");
    bool const reference = p.type->kind == TypeSyntax::Kind::reference;
    bool const mut = reference && p.type->is_mut;
    std::string_view const base = base_name(p.type, env);
    std::string_view const rust = p.pattern->kind == Pattern::Kind::name ? p.pattern->name : std::string_view("_unused");
    CppNumber const n = number_of_type(p.type, env);
    std::string const name = local(env, rust, p.pattern->mark, n);
    std::string const quiet = rust.starts_with('_') ? "[[maybe_unused]] " : "";
    if (base == "Context" || base == "Device") {
      env.ctx = name;
      env.tdma = name + ".tdma";
      return quiet + "Context& " + name;
    }
    if (one_of(base, {"Tdma", "TensorDma", "DmaContext"})) {
      env.tdma = name;
      return quiet + "const Tdma& " + name;
    }
    if (base == "MainContext" || base == "SubContext") return quiet + "const " + std::string(base) + "& " + name;
    if (base == "TuContext") return quiet + "const auto& " + name;
    if (is_view_name(base)) return quiet + "const auto& " + name;
    if (is_stream_name(base)) return quiet + "auto " + name;
    if (n != CppNumber::none) return quiet + cpp_name(n) + (mut ? "& " : " ") + name;
    bool const known = is_tensor_name(base) || base == "struct" || base.empty();
    if (!known) return quiet + "auto " + name;  // an operation: its value is its type
    std::string const type_text = value_type(p.type, env);
    return quiet + (reference && !mut ? "const " : "") + type_text + (reference ? "& " : " ") + name;
  }

  std::string function(const Item& f, ModuleScope& module, const std::string& name, const CallFact* call) {
    Env env{&module};
    std::string const head = template_head(f, env, call);
    std::string parameters;
    for (const Parameter& p : f.parameters) {
      std::string const one = parameter(p, env);
      // The context comes first: that is what launch gives.
      parameters += (parameters.empty() ? "" : ", ") + one;
      env.templated = env.templated || one.find("auto") != one.npos;
    }
    env.templated = env.templated || !head.empty();
    std::string body;
    env.out = &body;
    env.indent = 1;
    CppNumber const n = f.type == nullptr ? CppNumber::none : number_of_type(f.type, env);
    std::string_view const base = f.type == nullptr ? std::string_view() : base_name(f.type, env);
    bool const open = is_view_name(base) || is_stream_name(base);
    std::string result = f.type == nullptr ? "void" : n != CppNumber::none ? cpp_name(n) : open ? "auto" : value_type(f.type, env);
    env.result = open ? "" : result;
    env.result_number = n;
    const BlockSyntax* const block = e_.tree_.body_of(f);
    body_of(*block, env, result != "void");
    bool const counts = n != CppNumber::none && env.ctx.empty();
    std::string const comment = comment_of(f);
    return comment + head + (counts ? "constexpr " : "") + (result == "void" || n != CppNumber::none || open ? result : "auto") + " " +
           name + "(" + parameters + ")" + (result == "void" || n != CppNumber::none || open ? "" : " -> " + result) + " {\n" + body +
           "}\n";
  }
  /// The documentation of a function, as it stands above it.
  static std::string comment_of(const Item& f) {
    std::string out;
    for (const Attribute& a : f.attributes) {
      if (a.name() != "doc" || a.tokens.size() < 3) continue;
      std::string_view text = a.tokens[2].text;
      out += "///" + std::string(text) + "\n";
    }
    return out;
  }

  void body_of(const BlockSyntax& b, Env& around, bool gives) {
    Env env = around.inner();
    env.module = &e_.tree_.block_scope(*around.module, b);
    statements(b, env);
    if (b.tail == nullptr) return;
    if (gives && !leaves(b.tail)) return_value(b.tail, env);
    else statement_of(b.tail, env);
  }
  static bool leaves(const Expr* e) {
    return one_of_kind(
        e, {Expr::Kind::return_value, Expr::Kind::for_loop, Expr::Kind::while_loop, Expr::Kind::endless_loop, Expr::Kind::assign});
  }
  static bool one_of_kind(const Expr* e, std::initializer_list<Expr::Kind> kinds) {
    return std::find(kinds.begin(), kinds.end(), e->kind) != kinds.end();
  }

  void return_value(const Expr* e, Env& env) {
    if (e->kind == Expr::Kind::branch && (!is_simple_branch(e) || env.result.empty())) return branch_statement(e, env, true);
    if (is_block(e)) {
      const BlockSyntax& b = block_in(e, env);
      Env inner = env.inner();
      inner.module = &e_.tree_.block_scope(*env.module, b);
      statements(b, inner);
      if (b.tail == nullptr) unkept(e->span, "a block that gives nothing is returned");
      return return_value(b.tail, inner);
    }
    if (env.result_number != CppNumber::none) return line(env, "return " + number(e, env, env.result_number).s + ";");
    if (e->kind == Expr::Kind::tuple && !e->items.empty()) {
      std::string all;
      for (const Expr* each : e->items) all += (all.empty() ? "" : ", ") + value(each, env).s;
      return line(env, "return {" + all + "};");
    }
    line(env, "return " + value(e, env, env.result).s + ";");
  }

  // Lines.

  /// `.fetch<` is `.template fetch<` where the compiler does not know yet what stands before the point.
  static std::string in_template(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      out += text[i];
      if (text[i] != '.') continue;
      std::size_t end = i + 1;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
      std::string_view const name(text.data() + i + 1, end - i - 1);
      if (end < text.size() && text[end] == '<' && !name.empty() && !one_of(name, {"empty", "memset"})) out += "template ";
    }
    return out;
  }
  void line(Env& env, const std::string& given) {
    std::string const text = env.templated ? in_template(given) : given;
    std::string const margin(static_cast<std::size_t>(2 * env.indent), ' ');
    std::string out = margin;
    bool const breaks = std::count(text.begin(), text.end(), new_line) > 2 || text.size() > 110;
    for (char c : text) {
      if (c != new_line) out += c;
      else if (breaks) out += "\n" + margin + "    ";
    }
    *env.out += out + "\n";
  }
  std::string local(Env& env, std::string_view rust, int mark, CppNumber n = CppNumber::none) {
    std::string wanted(rust);
    if (wanted.starts_with("r#")) wanted.erase(0, 2);
    while (wanted.size() > 1 && wanted[0] == '_') wanted.erase(0, 1);
    auto const taken = [&](const std::string& name) {
      if (name != "ctx" && (ir::CppNames::is_taken_word(name) || names_.has(name))) return true;
      if (e_.tree_.find(*env.module, name, Namespace::value) || e_.tree_.find(*env.module, name, Namespace::type)) return true;
      for (const Env* e = &env; e != nullptr; e = e->parent)
        for (const Variable& v : e->variables)
          if (v.cpp == name) return true;
      return env.is_generic(name);
    };
    std::string name = wanted;
    for (int i = 2; taken(name); ++i) name = wanted + "_" + std::to_string(i);
    env.variables.push_back({rust, mark, name, n});
    local_names_.insert(name);
    return name;
  }
  const Variable* variable(const Path& path, Env& env) {
    if (!path.is_word()) return nullptr;
    int mark = path.last().mark;
    while (true) {
      for (const Env* e = &env; e != nullptr; e = e->parent)
        for (auto v = e->variables.rbegin(); v != e->variables.rend(); ++v)
          if (v->name == path.last().name && v->mark == mark) return &*v;
      if (mark == 0) return nullptr;
      mark = e_.tree_.marks.outer(mark);
    }
  }

  // Statements.

  void statements(const BlockSyntax& b, Env& env) {
    for (const Statement& s : b.statements) statement(s, env);
  }
  void statement(const Statement& s, Env& env) {
    switch (s.kind) {
      case Statement::Kind::item: return;
      case Statement::Kind::let: return let(s, env);
      case Statement::Kind::expression: return statement_of(s.value, env);
      case Statement::Kind::macro: {
        if (e_.tree_.find_rules(*env.module, s.value->path.last().name) == nullptr) return vendor_macro(s.value, env);
        const BlockSyntax& b = *expanded(s.value);
        env.module = &e_.tree_.block_scope(*env.module, b);
        statements(b, env);
        if (b.tail != nullptr) statement_of(b.tail, env);
        return;
      }
    }
  }
  void vendor_macro(const Expr* e, Env& env) {
    std::string_view const name = e->path.last().name;
    if (!one_of(name, {"assert", "assert_eq", "assert_ne"})) return;
    std::string text(e->span.text());
    std::replace(text.begin(), text.end(), '\n', ' ');
    line(env, "// It held when this was read: " + text.substr(0, 80));
  }

  void let(const Statement& s, Env& env) {
    if (s.value == nullptr || s.otherwise != nullptr) unkept(s.span, "a variable without a value, or let ... else");
    std::string_view const base = s.type == nullptr ? std::string_view() : base_name(s.type, env);
    CppNumber n = s.type == nullptr ? CppNumber::none : number_of_type(s.type, env);
    if (n == CppNumber::none && kind_of(s.value) == ExprFact::Kind::number) n = number_of(s.value, env);
    if (n == CppNumber::literal) n = CppNumber::wide;
    const Pattern* const p = s.pattern;
    if (p->kind == Pattern::Kind::name) {
      if (n != CppNumber::none) {
        std::string const v = number(s.value, env, n).s;
        return line(env, std::string(cpp_name(n)) + " " + local(env, p->name, p->mark, n) + " = " + v + ";");
      }
      if (is_guard(s.value)) {  // operands have it written out
        std::string const v = ir::cpp_guard(guard_of(certain(s.value, "the guard").name, s.value->span));
        return line(env, "[[maybe_unused]] auto const " + local(env, p->name, p->mark) + " = " + v + ";");
      }
      bool const typed = s.type != nullptr && !is_view_name(base) && !is_stream_name(base) && is_said(s.type) &&
                         (is_tensor_name(base) || base == "struct");
      std::string const wanted = typed ? value_type(s.type, env) : "";
      CppPiece const v = value(s.value, env, wanted);
      bool const constructs = v.s.find(".empty<") != v.s.npos || v.s.starts_with(env.ctx + ".sub.memset<");
      std::string const name = local(env, p->name, p->mark);
      fill_hbm(s.value, name, env);
      return line(env, (typed && !constructs ? wanted : "auto") + " " + name + " = " + v.s + ";"), after_let(env);
    }
    if (p->kind == Pattern::Kind::wild)
      return line(env, "[[maybe_unused]] auto const " + local(env, "ignored", 0) + " = " + value(s.value, env).s + ";");
    if (p->kind == Pattern::Kind::structure) {
      std::string const parts = local(env, "parts", -1);
      line(env, "const auto& " + parts + " = " + value(s.value, env).s + ";");
      for (std::size_t i = 0; i < p->items.size(); ++i) {
        if (p->items[i]->kind != Pattern::Kind::name) unkept(p->span, "this pattern of a let");
        line(env,
             "const auto& " + local(env, p->items[i]->name, p->items[i]->mark) + " = " + parts + "." + std::string(p->fields[i]) + ";");
      }
      return;
    }
    if (p->kind != Pattern::Kind::tuple && p->kind != Pattern::Kind::slice) unkept(p->span, "this pattern of a let");
    std::string const v = value(s.value, env).s;
    std::string names;
    for (std::size_t i = 0; i < p->items.size(); ++i) {
      const Pattern* const each = p->items[i];
      if (each->kind != Pattern::Kind::name && each->kind != Pattern::Kind::wild) unkept(p->span, "this pattern of a let");
      CppNumber part_number = CppNumber::none;
      const Expr* const parts = stripped(s.value);
      if (one_of_kind(parts, {Expr::Kind::array, Expr::Kind::tuple}) && i < parts->items.size())
        part_number = number_of(parts->items[i], env);
      if (part_number == CppNumber::literal) part_number = CppNumber::wide;
      std::string_view const name = each->kind == Pattern::Kind::name ? each->name : std::string_view("ignored");
      names += (names.empty() ? "" : ", ") + local(env, name, each->mark, part_number);
    }
    line(env, "auto [" + names + "] = " + v + ";");
  }
  static bool is_said(const TypeSyntax* t) {
    if (t == nullptr || t->kind == TypeSyntax::Kind::inferred) return false;
    if (t->kind == TypeSyntax::Kind::reference) return is_said(t->inner);
    if (t->kind == TypeSyntax::Kind::path)
      for (const TypeSyntax* a : t->path.last().arguments)
        if (!is_said(a)) return false;
    return true;
  }
  /// HBM has no memset: zeros come from DM, after the tensor is there.
  void fill_hbm(const Expr* e, const std::string& name, Env&) {
    after_.clear();
    while (e->kind == Expr::Kind::unsafe_block || e->kind == Expr::Kind::block) {
      if (!e->body->statements.empty() || e->body->tail == nullptr) return;
      e = e->body->tail;
    }
    if (!zeros_.empty()) after_ = zeros_ + name + ".view_mut());";
    zeros_.clear();
  }
  void after_let(Env& env) {
    if (!after_.empty()) line(env, after_);
    after_.clear();
  }

  void statement_of(const Expr* e, Env& env) {
    switch (e->kind) {
      case Expr::Kind::for_loop: return for_loop(e, env);
      case Expr::Kind::while_loop:
      case Expr::Kind::endless_loop: {
        bool const has_head = e->kind == Expr::Kind::while_loop;
        std::string const head = has_head ? number(e->left, env, CppNumber::truth).s : "true";
        Env& around = kept_.emplace_back(env.inner());
        std::string const count = env.ctx.empty() ? "" : local(around, "round", -1);
        if (!count.empty()) line(env, "std::int64_t " + count + " = 0;");
        line(env, "while (" + head + ") {");
        nested(*e->body, around, [&](Env& in) {
          if (!count.empty())
            line(in, "auto const " + local(in, "mark", -1) + " = " + in.ctx + (e->unrolled ? ".region(\"" : ".round(\"") +
                         (has_head ? "while" : "loop") + "\", " + count + "++);");
        });
        return line(env, "}");
      }
      case Expr::Kind::branch: return branch_statement(e, env, false);
      case Expr::Kind::return_value:
        if (e->left == nullptr) return line(env, "return;");
        return return_value(e->left, env);
      case Expr::Kind::break_loop:
        if (e->left != nullptr) unkept(e->span, "a break with a value");
        if (!e->name.empty()) unkept(e->span, "a break with a label");
        return line(env, "break;");
      case Expr::Kind::continue_loop:
        if (!e->name.empty()) unkept(e->span, "a continue with a label");
        return line(env, "continue;");
      case Expr::Kind::assign: return assign(e, env);
      case Expr::Kind::macro:
        if (e_.tree_.find_rules(*env.module, e->path.last().name) == nullptr && e->path.last().name != "vec") return vendor_macro(e, env);
        break;
      case Expr::Kind::matching: unkept(e->span, "a match as a statement");
      default: break;
    }
    if (is_block(e)) {
      const BlockSyntax& b = block_in(e, env);
      line(env, "{");
      nested(b, env);
      return line(env, "}");
    }
    line(env, value(e, env).s + ";");
  }
  void nested(const BlockSyntax& b, Env& around, const std::function<void(Env&)>& first = {}) {
    Env env = around.inner();
    env.module = &e_.tree_.block_scope(*around.module, b);
    ++env.indent;
    if (first) first(env);
    statements(b, env);
    if (b.tail != nullptr) statement_of(b.tail, env);
  }
  void branch_statement(const Expr* e, Env& env, bool gives) {
    std::string head = "if (";
    for (const Expr* at = e;;) {
      if (at->left->kind == Expr::Kind::let_condition) unkept(at->span, "if let");
      line(env, head + number(at->left, env, CppNumber::truth).s + ") {");
      one_way(*at->body, env, gives);
      if (at->otherwise == nullptr) break;
      if (at->otherwise->kind == Expr::Kind::branch) {
        at = at->otherwise;
        head = "} else if (";
        continue;
      }
      line(env, "} else {");
      one_way(*at->otherwise->body, env, gives);
      break;
    }
    line(env, "}");
  }
  void one_way(const BlockSyntax& b, Env& around, bool gives) {
    if (!gives || b.tail == nullptr) return nested(b, around);
    Env env = around.inner();
    env.module = &e_.tree_.block_scope(*around.module, b);
    ++env.indent;
    statements(b, env);
    if (leaves(b.tail)) statement_of(b.tail, env);
    else return_value(b.tail, env);
  }

  void for_loop(const Expr* e, Env& env) {
    const Pattern* const p = e->pattern;
    if (p->kind != Pattern::Kind::name && p->kind != Pattern::Kind::wild) unkept(p->span, "a loop over several things at once");
    std::string const region(p->kind == Pattern::Kind::name ? p->name : "round");
    // (0..N).rev().step_by(k)
    const Expr* over = e->left;
    const Expr* step = nullptr;
    bool reversed = false;
    while (true) {
      if (over->kind == Expr::Kind::method && over->name == "step_by" && step == nullptr && !reversed)
        step = over->items[0], over = over->left;
      else if (over->kind == Expr::Kind::method && over->name == "rev" && step == nullptr) reversed = !reversed, over = over->left;
      else if (over->kind == Expr::Kind::reference || (over->kind == Expr::Kind::method && one_of(over->name, {"into_iter", "iter"})))
        over = over->left;
      else if (over->kind == Expr::Kind::tuple && over->items.size() == 1) over = over->items[0];
      else break;
    }
    Env head = env.inner();
    if (over->kind == Expr::Kind::range && over->left != nullptr && over->right != nullptr) {
      std::string const low = number(over->left, env, CppNumber::wide).s;
      CppPiece const high = number(over->right, env, CppNumber::wide);
      std::string const name = local(head, p->kind == Pattern::Kind::name ? p->name : std::string_view("round"), p->mark, CppNumber::wide);
      std::string text;
      if (reversed)
        text = "std::int64_t " + name + " = " + (over->inclusive ? high.s : high.at_least(sum) + " - 1") + "; " + name + " >= " + low +
               "; --" + name;
      else
        text = "std::int64_t " + name + " = " + low + "; " + name + (over->inclusive ? " <= " : " < ") + high.at_least(sum) + "; " +
               (step == nullptr ? "++" + name : name + " += " + number(step, env, CppNumber::wide).s);
      line(env, "for (" + text + ") {");
      nested(*e->body, head, [&](Env& in) {
        if (!in.ctx.empty())
          line(in, "auto const " + local(in, "mark", -1) + " = " + in.ctx + (e->unrolled ? ".region(\"" : ".round(\"") + region + "\", " +
                       name + ");");
      });
      return line(env, "}");
    }
    if (kind_of(over) != ExprFact::Kind::aggregate || step != nullptr || reversed)
      unkept(e->span, "a loop over something else than a range or an array");
    std::string const list = value(over, env).s;
    std::string const count = local(head, "round", -1);
    line(env, "std::int64_t " + count + " = 0;");
    line(env, "for (const auto& " + local(head, p->kind == Pattern::Kind::name ? p->name : std::string_view("each"), p->mark) + " : " +
                  list + ") {");
    nested(*e->body, head, [&](Env& in) {
      if (!in.ctx.empty())
        line(in, "auto const " + local(in, "mark", -1) + " = " + in.ctx + (e->unrolled ? ".region(\"" : ".round(\"") + region + "\", " +
                     count + "++);");
    });
    line(env, "}");
  }
  void assign(const Expr* e, Env& env) {
    if (e->left->kind == Expr::Kind::tuple) unkept(e->span, "an assignment to several variables");
    CppPiece const to = value(e->left, env);
    CppNumber const n = number_of(e->left, env);
    if (kind_of(e->left) == ExprFact::Kind::number || kind_of(e->right) == ExprFact::Kind::number || n != CppNumber::none)
      return line(env, to.s + " " + std::string(e->name) + " " + number(e->right, env, n).s + ";");
    line(env, to.s + " = " + value(e->right, env).s + ";");
  }

  // Types.

  CppNumber number_of_type(const TypeSyntax* t, Env& env) {
    while (t != nullptr && t->kind == TypeSyntax::Kind::reference) t = t->inner;
    if (t == nullptr || t->kind != TypeSyntax::Kind::path) return CppNumber::none;
    if (t->path.is_word() && env.is_generic(t->path.last().name)) return CppNumber::none;
    std::string_view const base = base_name(t, env);
    if (base == "HbmScalar" && !t->path.last().arguments.empty()) return number_of_type(t->path.last().arguments[0], env);
    return number_named(base);
  }
  /// The type of a variable: numbers are those of C++, scalars inside tensors those of the front end.
  std::string value_type(const TypeSyntax* t, Env& env) {
    while (t->kind == TypeSyntax::Kind::reference) t = t->inner;
    if (CppNumber const n = number_of_type(t, env); n != CppNumber::none) return cpp_name(n);
    if (t->kind == TypeSyntax::Kind::tuple) {
      if (t->items.empty()) return "void";
      headers_.insert("tuple");
      std::string all;
      for (const TypeSyntax* each : t->items) all += (all.empty() ? "" : ", ") + value_type(each, env);
      return "std::tuple<" + all + ">";
    }
    if (t->kind == TypeSyntax::Kind::array) {
      if (t->value == nullptr) unkept(t->span, "a slice of an array");
      headers_.insert("array");
      return "std::array<" + value_type(t->inner, env) + ", " + number(t->value, env, CppNumber::wide).s + ">";
    }
    return type(t, env);
  }
  std::string type(const TypeSyntax* t, Env& env) {
    switch (t->kind) {
      case TypeSyntax::Kind::reference: return type(t->inner, env);
      case TypeSyntax::Kind::constant: return number(t->value, env, CppNumber::wide).s;
      case TypeSyntax::Kind::macro: {
        if (t->path.last().name == "m") return "m<" + mapping(t->body, env) + ">";
        const Item* const rules = e_.tree_.find_rules(*env.module, t->path.last().name);
        if (rules == nullptr) unkept(t->span, "a macro that is not known");
        Parser parser(e_.tree_.arena, range_of(e_.tree_.expanded(*rules, t->body, t->span)));
        return type(parser.type_to_end(), env);
      }
      case TypeSyntax::Kind::path: return path_type(t, env);
      case TypeSyntax::Kind::tuple:
      case TypeSyntax::Kind::array: return value_type(t, env);
      default: unkept(t->span, "a type that is left to be found");
    }
  }
  std::string arguments(const std::vector<const TypeSyntax*>& all, Env& env) {
    std::string out;
    for (const TypeSyntax* a : all) out += (out.empty() ? "" : ", ") + type(a, env);
    return out;
  }
  std::string path_type(const TypeSyntax* t, Env& env) {
    if (t->path.self != nullptr) unkept(t->span, "a type that a trait decides");
    if (t->path.is_word() && env.is_generic(t->path.last().name)) return std::string(t->path.last().name);
    const auto& given = t->path.last().arguments;
    KnownName const entry = find(t->path, env, Namespace::type);
    if (entry.kind == KnownName::Kind::axis) return "m<" + axis(entry) + ">";
    if (entry.kind == KnownName::Kind::item) {
      std::string const name = entry.item->kind == Item::Kind::alias       ? alias(entry)
                               : entry.item->kind == Item::Kind::structure ? structure(entry)
                                                                           : std::string();
      if (name.empty()) unkept(t->span, "an enumeration as a type");
      std::string all = given.empty() ? "" : arguments(given, env);
      Env of_item{entry.module};
      for (std::size_t i = given.size(); i < entry.item->generics.size(); ++i)  // those that it has by default
        if (const TypeSyntax* const otherwise = entry.item->generics[i].otherwise)
          all += (all.empty() ? "" : ", ") + arguments({otherwise}, of_item);
      return name + (all.empty() ? "" : "<" + all + ">");
    }
    std::string_view const name = entry ? entry.name : t->path.last().name;
    if (is_tensor_name(name)) return std::string(name) + "<" + arguments(given, env) + ">";
    if (auto const scalar = parse_scalar_type(name, quietly)) return scalar_info(*scalar).name;
    if (KnownName const value = find(t->path, env, Namespace::value);
        value.kind == KnownName::Kind::item && value.item->kind == Item::Kind::constant)
      return constant(value);
    if (const Variable* const v = variable(t->path, env)) return v->cpp;
    unkept(t->span, "the type " + std::string(name));
  }

  // m![…]: factors with C++ operators.

  std::string mapping(const TokenRange& tokens, Env& env) {
    Parser p(e_.tree_.arena, tokens);
    std::string out = mapping_item(p, tokens, env);
    while (p.take(",")) {
      if (p.done()) break;
      out += ", " + mapping_item(p, tokens, env);
    }
    if (!p.done()) unkept(tokens.span(), "this notation of a mapping");
    return out;
  }
  std::string mapping_item(Parser& p, const TokenRange& tokens, Env& env) {
    CppPiece all = mapping_primary(p, tokens, env);
    bool counted = !all.s.empty() && all.s.find_first_not_of("0123456789") == all.s.npos;
    auto const operand = [&] {
      if (counted) all.s = all.s == "1" ? "one" : "group(" + all.s + ")";
      counted = false;
    };
    while (!p.done()) {
      if (p.is("/") || p.is("%")) {
        std::string const sign = p.is("/") ? " / " : " % ";
        p.go_to(p.position() + 1);
        operand();
        all = {all.at_least(product) + sign + mapping_number(p, env).at_least(prefix), product};
      } else if (p.is("=") || p.is("@") || p.is("#")) {
        std::string method = p.is("=") ? ".resize(" : p.is("@") ? ".from(" : ".pad(";
        bool const pads = p.is("#");
        p.go_to(p.position() + 1);
        if (pads && p.is("{") && (p.is("!", 1) || p.peek(1).text == "0") && p.is("}", 2)) {
          method = p.is("!", 1) ? ".pad_bottom(" : ".pad_zero(";
          p.go_to(p.position() + 3);
        }
        operand();
        all = {all.at_least(atom) + method + mapping_number(p, env).s + ")", atom};
      } else {
        break;
      }
    }
    return all.s;
  }
  static bool is_word(const std::string& s) {
    return std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  }
  CppPiece mapping_primary(Parser& p, const TokenRange& tokens, Env& env) {
    if (p.peek().kind == TokenKind::number) return {std::string(p.literal_expression()->literal.text)};
    if (p.is("[") || p.is("(")) return {"group(" + mapping(p.group(), env) + ")"};
    if (p.take("$")) {
      TokenRange const range = p.group();
      Parser inner(e_.tree_.arena, range);
      std::string parts;
      do {
        CppPiece part = {mapping_item(inner, range, env), product};
        if (inner.take(":")) part = {part.at_least(is_word(part.s) ? product : atom) + ".by(" + mapping_number(inner, env).s + ")"};
        parts += (parts.empty() ? "" : ", ") + part.s;
      } while (inner.take(","));
      return {"slide(" + parts + ")"};
    }
    if (p.is("{")) {
      TokenRange const range = p.group();
      bool computes = false;
      for (const Token& t : range) computes = computes || t.is('+') || t.is('-') || t.is('*');
      if (!computes) {
        Parser inner(e_.tree_.arena, range);
        const TypeSyntax* t = nullptr;
        try {
          t = inner.type_to_end();
        } catch (const Mistake&) {
        }
        bool const size = t != nullptr && t->kind == TypeSyntax::Kind::path && t->path.last().name == "SIZE";
        if (t != nullptr && !size) return spliced(t, env);
      }
      Parser inner(e_.tree_.arena, range);
      return {"group(" + number(inner.expression_to_end(), env, CppNumber::wide).s + ")"};
    }
    if (p.peek().kind != TokenKind::identifier) unkept(tokens.span(), "this notation of a mapping");
    return spliced(p.type(), env);
  }
  /// A mapping inside of another: an axis by its name, a type as a value of it.
  CppPiece spliced(const TypeSyntax* t, Env& env) {
    if (t->kind == TypeSyntax::Kind::path && t->path.self == nullptr) {
      if (t->path.is_word() && env.is_generic(t->path.last().name)) return {std::string(t->path.last().name) + "{}"};
      KnownName const entry = find(t->path, env, Namespace::type);
      if (entry.kind == KnownName::Kind::axis) return {axis(entry)};
      if (entry.kind != KnownName::Kind::item) {
        if (KnownName const v = find(t->path, env, Namespace::value);
            v.kind == KnownName::Kind::item && v.item->kind == Item::Kind::constant)
          return {"group(" + constant(v) + ")"};
        unkept(t->span, "this part of a mapping");
      }
    }
    return {type(t, env) + "{}"};
  }
  CppPiece mapping_number(Parser& p, Env& env) {
    if (p.peek().kind == TokenKind::number) return {std::string(number(p.literal_expression(), env, CppNumber::wide).s)};
    if (p.is("{") || p.is("(")) {
      bool const braces = p.is("{");
      TokenRange const range = p.group();
      bool computes = braces;
      for (const Token& t : range) computes = computes || t.is('+') || t.is('-') || t.is('*');
      if (range.size() == 1 && range[0].kind == TokenKind::number) computes = true;
      if (!computes) return {"m<" + mapping(range, env) + ">::size"};
      Parser inner(e_.tree_.arena, range);
      return number(inner.expression_to_end(), env, CppNumber::wide);
    }
    const TypeSyntax* const t = p.type();
    if (t->kind == TypeSyntax::Kind::path) {
      bool const value = t->path.self != nullptr || t->path.last().name == "SIZE" || variable(t->path, env) != nullptr ||
                         (!(t->path.is_word() && env.is_generic(t->path.last().name)) &&
                          find(t->path, env, Namespace::value).kind == KnownName::Kind::item);
      if (value) {
        Expr& e = e_.tree_.arena.make<Expr>();
        e.kind = Expr::Kind::path;
        e.span = t->span;
        e.path = t->path;
        return number(&e, env, CppNumber::wide);
      }
      if (t->path.is_word() && env.is_generic(t->path.last().name)) {
        // A generic number, or the size of a generic mapping.
        return {std::string(t->path.last().name)};
      }
    }
    return {type(t, env) + "::size"};
  }

  // Numbers.

  CppNumber number_of(const Expr* e, Env& env) {
    switch (e->kind) {
      case Expr::Kind::literal: {
        if (e->literal.kind == TokenKind::identifier) return CppNumber::truth;
        std::string_view const t = e->literal.text;
        for (std::string_view suffix : {"usize", "isize", "i64", "u64", "u32", "i32", "f32", "f64"})
          if (t.ends_with(suffix)) return number_named(suffix);
        if (!t.starts_with("0x") && t.find_first_of(".eE") != t.npos) {
          const ExprFact* const f = fact(e);
          return f != nullptr && f->number.type == NumberType::f64 ? CppNumber::twice : CppNumber::single;
        }
        return CppNumber::literal;
      }
      case Expr::Kind::negate:
      case Expr::Kind::dereference:
      case Expr::Kind::reference:
      case Expr::Kind::invert: return number_of(e->left, env);
      case Expr::Kind::cast: return number_of_type(e->type, env);
      case Expr::Kind::binary: {
        if (tightness_of(e->name) <= less && tightness_of(e->name) != bits) return CppNumber::truth;
        CppNumber const a = number_of(e->left, env), b = number_of(e->right, env);
        if (a == CppNumber::literal || a == CppNumber::none) return b;
        return b == CppNumber::wide ? b : a;
      }
      case Expr::Kind::path: {
        if (const Variable* const v = variable(e->path, env)) return v->number;
        if (KnownName const c = find(e->path, env, Namespace::value);
            c.kind == KnownName::Kind::item && c.item->kind == Item::Kind::constant) {
          Env other{c.module};
          return number_of_type(c.item->type, other);
        }
        if (e->path.segments.size() > 1 && e->path.last().name == "SIZE") return CppNumber::wide;
        break;
      }
      case Expr::Kind::branch:
      case Expr::Kind::matching: {
        const ExprFact* const f = fact(e);
        if (f != nullptr && f->kind == ExprFact::Kind::number && f->number.floating()) return CppNumber::single;
        return CppNumber::wide;
      }
      case Expr::Kind::block:
      case Expr::Kind::unsafe_block:
      case Expr::Kind::const_block:
        if (e->body->statements.empty() && e->body->tail != nullptr) return number_of(e->body->tail, env);
        break;
      case Expr::Kind::tuple:
        if (e->items.size() == 1) return number_of(e->items[0], env);
        break;
      default: break;
    }
    const ExprFact* const f = fact(e);
    if (f == nullptr || f->kind != ExprFact::Kind::number) return CppNumber::none;
    if (f->key == "true" || f->key == "false") return CppNumber::truth;
    switch (f->number.type) {
      case NumberType::f32:
      case NumberType::floating: return CppNumber::single;
      case NumberType::f64: return CppNumber::twice;
      case NumberType::i32:
      case NumberType::i16:
      case NumberType::i8: return CppNumber::narrow;
      default: return CppNumber::wide;
    }
  }
  /// A number as a type wants it.
  CppPiece number(const Expr* e, Env& env, CppNumber wanted) {
    CppPiece const v = number_value(e, env, wanted);
    CppNumber const is = number_of(e, env);
    if (wanted == CppNumber::narrow && is == CppNumber::wide) return {"static_cast<int>(" + v.s + ")"};
    return v;
  }
  CppPiece number_value(const Expr* e, Env& env, CppNumber wanted) {
    switch (e->kind) {
      case Expr::Kind::literal:
        return literal(e->literal, wanted == CppNumber::none || wanted == CppNumber::literal ? number_of(e, env) : wanted, e->span);
      case Expr::Kind::negate: return {"-" + number_value(e->left, env, wanted).at_least(prefix), prefix};
      case Expr::Kind::invert:
        return {(number_of(e->left, env) == CppNumber::truth ? "!" : "~") + number_value(e->left, env, wanted).at_least(prefix), prefix};
      case Expr::Kind::binary: {
        Tightness const t = tightness_of(e->name);
        bool const compares = t == equal || t == less;
        CppNumber const down = compares || t == both || t == either ? CppNumber::none : wanted;
        CppNumber inside = down;
        if (compares) inside = number_of(e->left, env) == CppNumber::literal ? number_of(e->right, env) : number_of(e->left, env);
        bool const strict = t <= shift;  // compilers like parentheses there
        CppPiece a = number_value(e->left, env, inside), b = number_value(e->right, env, inside);
        if (leaves_int(e, env, inside)) {  // 1 << 33 of a usize is more than an int of C++ holds
          bool const left = e->name == "<<" || e->left->kind == Expr::Kind::literal || e->right->kind != Expr::Kind::literal;
          CppPiece& one = left ? a : b;
          one = {(left ? e->left : e->right)->kind == Expr::Kind::literal ? "std::int64_t{" + one.s + "}"
                                                                          : "static_cast<std::int64_t>(" + one.s + ")"};
        }
        auto const part = [&](const CppPiece& x, bool right) {
          if (x.tight >= prefix) return x.s;
          if (strict && !compares) return x.tight == t && !right ? x.s : x.at_least(prefix);
          return x.at_least(static_cast<Tightness>(t + (right ? 1 : 0)));
        };
        return {part(a, false) + " " + std::string(e->name) + " " + part(b, true), t};
      }
      case Expr::Kind::cast: {
        CppNumber const to = number_of_type(e->type, env);
        if (to == CppNumber::none) unkept(e->span, "a conversion to this type");
        bool const cuts = e->type->kind == TypeSyntax::Kind::path && one_of(e->type->path.last().name, {"i8", "u8", "i16", "u16", "u32"});
        if (cuts) unkept(e->span, "a conversion that cuts off bits");
        CppNumber const from = number_of(e->left, env);
        CppPiece const v = number_value(e->left, env, from);
        if (from == to) return v;
        return {std::string("static_cast<") + cpp_name(to) + ">(" + v.s + ")"};
      }
      case Expr::Kind::branch: {
        if (!is_simple_branch(e)) return lambda(e, env, cpp_name(wanted), wanted);
        std::string const c = number(e->left, env, CppNumber::truth).at_least(either);
        return {c + " ? " + number_value(e->body->tail, env, wanted).at_least(either) + " : " +
                    number_value(otherwise_of(e), env, wanted).at_least(choice),
                choice};
      }
      case Expr::Kind::matching: return {matching(e, env, wanted), choice};
      case Expr::Kind::tuple:
        if (e->items.size() == 1) return number_value(e->items[0], env, wanted);
        break;
      case Expr::Kind::block:
      case Expr::Kind::unsafe_block:
      case Expr::Kind::const_block:
        if (!e->body->statements.empty() || e->body->tail == nullptr) return lambda(e, env, cpp_name(wanted), wanted);
        {
          Env inner = env.inner();
          inner.module = &e_.tree_.block_scope(*env.module, *e->body);
          return number_value(e->body->tail, inner, wanted);
        }
      case Expr::Kind::macro:
        if (e_.tree_.find_rules(*env.module, e->path.last().name) != nullptr) {
          const BlockSyntax& b = *expanded(e);
          if (b.statements.empty() && b.tail != nullptr) {
            Env inner = env.inner();
            inner.module = &e_.tree_.block_scope(*env.module, b);
            return number_value(b.tail, inner, wanted);
          }
        }
        break;
      case Expr::Kind::method: return number_method(e, env, wanted);
      default: break;
    }
    return value(e, env);
  }
  /// Whether C++ would compute it with ints, as literals are, and the number may be greater.
  bool leaves_int(const Expr* e, Env& env, CppNumber wanted) {
    if (!one_of(e->name, {"<<", "+", "-", "*"}) || wanted == CppNumber::narrow || wanted == CppNumber::single || wanted == CppNumber::twice)
      return false;
    if (number_of(e->left, env) != CppNumber::literal || (e->name != "<<" && number_of(e->right, env) != CppNumber::literal)) return false;
    const ExprFact* const f = fact(e);
    return f == nullptr || f->kind != ExprFact::Kind::number || f->varies || f->number.whole < -2147483648LL ||
           f->number.whole > 2147483647LL;
  }
  CppPiece literal(const Token& t, CppNumber wanted, const Span& span) {
    if (t.kind == TokenKind::identifier) return {std::string(t.text)};
    if (t.kind != TokenKind::number) unkept(span, "a text");
    std::string text;
    for (char c : t.text)
      if (c != '_') text += c;
    bool const based = text.starts_with("0x") || text.starts_with("0b");
    if (text.starts_with("0o")) unkept(span, "a number in octal digits");
    for (std::string_view suffix : {"isize", "usize", "i128", "u128", "i16", "i32", "i64", "u16", "u32", "u64", "f32", "f64", "i8", "u8"})
      if (text.ends_with(suffix) && !(based && suffix[0] == 'f')) {
        text.resize(text.size() - suffix.size());
        break;
      }
    bool const real = wanted == CppNumber::single || wanted == CppNumber::twice;
    if (!based && (real || text.find_first_of(".eE") != text.npos)) {
      if (text.ends_with('.')) text += "0";
      if (text.find_first_of(".eE") == text.npos) text += ".0";
      return {text + (wanted == CppNumber::twice ? "" : "f")};
    }
    return {text};
  }
  CppPiece number_method(const Expr* e, Env& env, CppNumber wanted) {
    if (kind_of(e->left) != ExprFact::Kind::number && kind_of(e->left) != ExprFact::Kind::other) return value(e, env);
    if (kind_of(e) != ExprFact::Kind::number) return value(e, env);
    if (kind_of(e->left) != ExprFact::Kind::number) return value(e, env);
    if (one_of(e->name, {"clone", "value", "get", "read", "load", "into", "to_owned"})) return number_value(e->left, env, wanted);
    CppNumber n = number_of(e->left, env);
    if (n == CppNumber::literal) n = wanted;
    if ((e->name == "min" || e->name == "max") && e->items.size() == 1) {
      headers_.insert("algorithm");
      return {"std::" + std::string(e->name) + "<" + cpp_name(n) + ">(" + number(e->left, env, n).s + ", " + number(e->items[0], env, n).s +
              ")"};
    }
    if (e->name == "div_ceil" && e->items.size() == 1) {
      std::string const by = number(e->items[0], env, n).at_least(prefix);
      return {"(" + number(e->left, env, n).at_least(sum) + " + " + by + " - 1) / " + by, product};
    }
    if (e->name == "is_multiple_of" && e->items.size() == 1)
      return {number(e->left, env, n).at_least(product) + " % " + number(e->items[0], env, n).at_least(prefix) + " == 0", equal};
    if (one_of(e->name, {"sqrt", "exp", "floor", "ceil", "sin", "cos", "tanh"})) {
      headers_.insert("cmath");
      return {"std::" + std::string(e->name) + "(" + number(e->left, env, n).s + ")"};
    }
    unkept(e->span, "the method `" + std::string(e->name) + "` of a number");
  }
  bool is_simple_branch(const Expr* e) const {
    if (e->otherwise == nullptr || e->left->kind == Expr::Kind::let_condition || !e->body->statements.empty() || e->body->tail == nullptr)
      return false;
    if (e->otherwise->kind == Expr::Kind::branch) return is_simple_branch(e->otherwise);
    return e->otherwise->body->statements.empty() && e->otherwise->body->tail != nullptr;
  }
  static const Expr* otherwise_of(const Expr* e) {
    return e->otherwise->kind == Expr::Kind::branch ? e->otherwise : e->otherwise->body->tail;
  }

  std::string pattern_condition(const Pattern* p, const std::string& what, Env& env) {
    switch (p->kind) {
      case Pattern::Kind::value: return what + " == " + number(p->low, env, CppNumber::none).at_least(shift);
      case Pattern::Kind::either: {
        std::string out;
        for (const Pattern* each : p->items) out += (out.empty() ? "" : " || ") + pattern_condition(each, what, env);
        return out;
      }
      case Pattern::Kind::range: {
        std::string const low = p->low == nullptr ? "" : what + " >= " + number(p->low, env, CppNumber::none).at_least(shift);
        std::string const high =
            p->high == nullptr ? "" : what + (p->inclusive ? " <= " : " < ") + number(p->high, env, CppNumber::none).at_least(shift);
        return low.empty() || high.empty() ? low + high : "(" + low + " && " + high + ")";
      }
      default: unkept(p->span, "this pattern of a match");
    }
  }
  std::string matching(const Expr* e, Env& env, CppNumber wanted) {
    CppPiece const over = number(e->left, env, CppNumber::none);
    std::string out;
    for (const MatchArm& arm : e->arms) {
      bool const last = arm.pattern->kind == Pattern::Kind::wild;
      if (arm.guard != nullptr) unkept(e->span, "a match with a guard");
      std::string const v =
          wanted == CppNumber::none ? value(arm.value, env).at_least(choice) : number_value(arm.value, env, wanted).at_least(choice);
      if (last) return out + v;
      out += pattern_condition(arm.pattern, over.at_least(shift), env) + " ? " + v + " : ";
    }
    unkept(e->span, "a match without an arm for all that is left");
  }

  // Blocks.

  bool is_block(const Expr* e) const {
    return one_of_kind(e, {Expr::Kind::block, Expr::Kind::unsafe_block, Expr::Kind::const_block}) ||
           (e->kind == Expr::Kind::macro && e_.expansions_.contains(e));
  }
  const BlockSyntax* expanded(const Expr* e) {
    auto const known = e_.expansions_.find(e);
    if (known == e_.expansions_.end()) unkept(e->span, "this macro was not expanded when the kernel was read");
    return known->second;
  }
  const BlockSyntax& block_in(const Expr* e, Env&) { return e->kind == Expr::Kind::macro ? *expanded(e) : *e->body; }
  CppPiece lambda(const Expr* e, Env& env, const std::string& result, CppNumber n) {
    std::string body;
    Env inner = env.inner();
    inner.out = &body;
    inner.indent = env.indent + 1;
    inner.result = result;
    inner.result_number = n;
    return_value(e, inner);
    return {"[&]" + (result.empty() ? std::string() : "() -> " + result) + " {\n" + body +
            std::string(static_cast<std::size_t>(2 * env.indent), ' ') + "}()"};
  }

  // Values.

  /// `wanted`: the type of C++ that the value is converted to where it goes; empty: there is none.
  CppPiece value(const Expr* e, Env& env, const std::string& wanted = "") {
    switch (e->kind) {
      case Expr::Kind::path: return path(e, env);
      case Expr::Kind::reference:
      case Expr::Kind::dereference: return value(e->left, env, wanted);
      case Expr::Kind::field: return field(e, env);
      case Expr::Kind::index: return {value(e->left, env).at_least(atom) + "[" + index(e->right, env) + "]"};
      case Expr::Kind::method: return method(e, env, wanted);
      case Expr::Kind::call: return call(e, env, wanted);
      case Expr::Kind::tuple: {
        if (e->items.size() == 1) return value(e->items[0], env, wanted);
        headers_.insert("tuple");
        std::string all;
        for (const Expr* each : e->items) all += (all.empty() ? "" : ", ") + part(each, env);
        return {"std::tuple{" + all + "}"};
      }
      case Expr::Kind::array: {
        headers_.insert("array");
        std::string all;
        for (const Expr* each : e->items) all += (all.empty() ? "" : ", ") + part(each, env);
        return {"std::array{" + all + "}"};
      }
      case Expr::Kind::branch:
        if (!is_simple_branch(e)) return lambda(e, env, wanted, CppNumber::none);
        return {number(e->left, env, CppNumber::truth).at_least(either) + " ? " + value(e->body->tail, env).at_least(either) + " : " +
                    value(otherwise_of(e), env).at_least(choice),
                choice};
      case Expr::Kind::matching: return {matching(e, env, CppNumber::none), choice};
      case Expr::Kind::structure: return structure_value(e, env);
      case Expr::Kind::literal:
      case Expr::Kind::negate:
      case Expr::Kind::invert:
      case Expr::Kind::binary:
      case Expr::Kind::cast: return number(e, env, number_of(e, env));
      default: break;
    }
    if (is_block(e)) {
      // Statements come before the one that the value is part of: nothing of it is evaluated earlier.
      const BlockSyntax& b = block_in(e, env);
      Env& inner = kept_.emplace_back(env.inner());
      inner.module = &e_.tree_.block_scope(*env.module, b);
      statements(b, inner);
      if (b.tail == nullptr) unkept(e->span, "a block that gives nothing");
      for (Env* around = &env; around != nullptr; around = around->parent)  // its names are taken now
        for (const Variable& v : inner.variables) around->variables.push_back({"", -2, v.cpp, v.number});
      return value(b.tail, inner, wanted);
    }
    if (e->kind == Expr::Kind::closure) unkept(e->span, "a closure");
    if (e->kind == Expr::Kind::endless_loop) unkept(e->span, "a loop that gives a value");
    unkept(e->span, "this expression");
  }
  std::string part(const Expr* e, Env& env) {
    CppNumber const n = number_of(e, env);
    return n == CppNumber::none || kind_of(e) != ExprFact::Kind::number ? value(e, env).s
                                                                        : number(e, env, n == CppNumber::literal ? CppNumber::wide : n).s;
  }
  std::string index(const Expr* e, Env& env) {
    if (e->kind == Expr::Kind::range) unkept(e->span, "a part of an array");
    CppPiece const i = number(e, env, CppNumber::wide);
    return e->kind == Expr::Kind::literal ? i.s : "static_cast<std::size_t>(" + i.s + ")";
  }
  CppPiece field(const Expr* e, Env& env) {
    std::string const owner = value(e->left, env).at_least(atom);
    if (kind_of(e->left) == ExprFact::Kind::context) return {owner + "." + (e->name == "dma" ? "tdma" : std::string(e->name))};
    if (!e->name.empty() && e->name[0] >= '0' && e->name[0] <= '9') return {"std::get<" + std::string(e->name) + ">(" + owner + ")"};
    return {owner + "." + std::string(e->name)};
  }
  CppPiece structure_value(const Expr* e, Env& env) {
    KnownName const entry = find(e->path, env, Namespace::type);
    if (entry.kind != KnownName::Kind::item || entry.item->kind != Item::Kind::structure || e->left != nullptr)
      unkept(e->span, "a structure that is made like this");
    std::string all;
    for (const FieldSyntax& f : entry.item->fields)
      for (const FieldValue& v : e->fields)
        if (v.name == f.name) all += (all.empty() ? "." : ", .") + std::string(f.name) + " = " + part(v.value, env);
    return {structure(entry) + "{" + all + "}"};
  }
  CppPiece path(const Expr* e, Env& env) {
    if (const Variable* const v = variable(e->path, env)) return {v->cpp};
    if (e->path.is_word() && env.is_generic(e->path.last().name)) return {std::string(e->path.last().name)};
    if (KnownName const c = find(e->path, env, Namespace::value); c.kind == KnownName::Kind::item && c.item->kind == Item::Kind::constant)
      return {constant(c)};
    if (e->path.segments.size() > 1 && e->path.last().name == "SIZE") {
      TypeSyntax owner;
      owner.kind = TypeSyntax::Kind::path;
      owner.path = e->path;
      owner.path.segments.pop_back();
      owner.span = e->span;
      KnownName const entry = env.is_generic(owner.path.last().name) ? KnownName{} : find(owner.path, env, Namespace::type);
      if (entry.kind == KnownName::Kind::axis) return {axis(entry) + ".size"};
      return {type(&owner, env) + "::size"};
    }
    const ExprFact* const f = fact(e);
    if (f != nullptr && f->kind == ExprFact::Kind::number && !f->varies && e->path.segments.size() > 1)
      return constant_of(f->number);  // f32::MAX
    if (f != nullptr && f->kind == ExprFact::Kind::name) return {name_text(certain(e, "this name"), e->span)};
    unkept(e->span, "the name `" + std::string(e->path.last().name) + "`");
  }
  CppPiece constant_of(const Number& n) {
    if (!n.floating()) return {std::to_string(n.whole)};
    float const f = n.as_f32();
    if (f == std::numeric_limits<float>::infinity()) return {"std::numeric_limits<float>::infinity()"};
    if (f == -std::numeric_limits<float>::infinity()) return {"-std::numeric_limits<float>::infinity()", prefix};
    if (f != f) return {"std::numeric_limits<float>::quiet_NaN()"};
    return {ir::cpp_constant(ScalarType::f32, f32::from_float(f).bits), f < 0 ? prefix : atom};
  }

  // Names of the vendor's: operations, modes, guards.

  std::string name_text(const ExprFact& f, const Span& span) {
    const Named* const n = f.name.as<Named>();
    if (n == nullptr) unkept(span, "this name");
    std::string const& owner = n->path.front();
    if (owner == "Stash" || n->name() == "Stash" || n->name() == "stash") return "Stash";
    if (n->path.size() < 2) unkept(span, "the name `" + n->name() + "`");
    std::string out = n->path[n->path.size() - 2] + "::" + n->name();
    if (n->arguments.size() == 1)
      if (const Named* const alu = n->arguments[0].as<Named>()) out += "(FpMulAlu::" + alu->name() + ")";
    if (out.ends_with("::MulF") || out.ends_with("::MaskMulF")) out += "(FpMulAlu::Mul0)";
    return out;
  }
  /// An operation or a mode; of another family of the same name where the stream's type says so.
  std::string op_text(const Expr* e, Env& env, const std::string& family) {
    if (const Expr* const p = stripped(e); p->kind == Expr::Kind::path && variable(p->path, env) != nullptr)
      return variable(p->path, env)->cpp;
    std::string const text = name_text(certain(e, "the operation"), e->span);
    return family.empty() ? text : family + text.substr(text.find("::"));
  }
  static const Expr* stripped(const Expr* e) {
    while (e->kind == Expr::Kind::reference || (e->kind == Expr::Kind::tuple && e->items.size() == 1))
      e = e->kind == Expr::Kind::reference ? e->left : e->items[0];
    return e;
  }
  std::string comparison(const RustValue& v, ScalarType type, const Span& span) {
    const Named* const n = v.as<Named>();
    if (n == nullptr) unkept(span, "this comparison");
    if (n->arguments.empty()) return "InputCmp::" + n->name();
    const Number* const b = n->arguments[0].as<Number>();
    if (b == nullptr) unkept(span, "this comparison");
    std::string const text = b->floating()             ? constant_of(*b).s
                             : type == ScalarType::f32 ? unfit(span)
                                                       : std::to_string(static_cast<std::int32_t>(b->whole));
    return "InputCmp::" + n->name() + "(" + text + ")";
  }
  [[noreturn]] static std::string unfit(const Span& span) { unkept(span, "a whole number compared with floating ones"); }
  std::string branch_mode(const Expr* call, Env& env) {
    const Expr* const e = call->items[0];
    const ExprFact* const f = fact(e);
    const Named* const n = f == nullptr || f->varies ? nullptr : f->name.as<Named>();
    if (n == nullptr) unkept(e->span, "this mode of a branch");
    if (n->name() == "Unconditional" || n->name() == "Zero") return "BranchMode::Unconditional";
    if (n->name() == "ValidCount") return "BranchMode::ValidCount";
    if (n->name() == "AxisToggle") {
      const Ty* t = nullptr;
      for (const RustValue& v : n->arguments) t = v.as<Ty>();
      for (auto const& [name, v] : n->fields) t = v.as<Ty>();
      if (t == nullptr || (*t)->mapping->axes == 0) unkept(e->span, "this mode of a branch");
      return "BranchMode::AxisToggle{" + axes_.variable((*t)->mapping->axis[0].name) + "}";
    }
    if (n->name() == "Comparison") {
      std::vector<RustValue> all = n->arguments;
      if (all.size() == 1)
        if (const Aggregate* const list = all[0].as<Aggregate>()) all = list->items;
      const ExprFact& stream = certain(call->left, "the type of the stream");
      std::string out;
      for (const RustValue& v : all) out += (out.empty() ? "" : ", ") + comparison(v, stream.type->element->scalar, e->span);
      return "BranchMode::Comparison{" + out + "}";
    }
    (void)env;
    unkept(e->span, "this mode of a branch");
  }
  bool is_guard(const Expr* e) {
    if (kind_of(e) != ExprFact::Kind::name) return false;
    const Named* const n = certain(e, "the guard").name.as<Named>();
    return n != nullptr && n->path.size() > 1 && n->path[n->path.size() - 2].ends_with("Guard");
  }
  OperandGuard guard_of(const RustValue& v, const Span& span) {
    const Named* const n = v.as<Named>();
    if (n == nullptr) unkept(span, "this guard");
    const std::string& name = n->name();
    if (one_of(name, {"all", "always", "All"})) return OperandGuard::always();
    if (name == "Zero") return OperandGuard::group(GroupId::Zero);
    if (name == "One") return OperandGuard::group(GroupId::One);
    if (name == "group" && n->arguments.size() == 1) {
      if (const bool* const b = n->arguments[0].as<bool>()) return OperandGuard::group(*b ? GroupId::One : GroupId::Zero);
      if (const Number* const k = n->arguments[0].as<Number>()) return OperandGuard::group(k->whole != 0 ? GroupId::One : GroupId::Zero);
      return guard_of(n->arguments[0], span);
    }
    const Aggregate* const given = n->arguments.size() == 1 ? n->arguments[0].as<Aggregate>() : nullptr;
    if ((name != "matches" && name != "not_matches") || given == nullptr) unkept(span, "this guard");
    OperandGuard out = OperandGuard::always();
    for (std::size_t i = 0; i < given->items.size(); ++i) {
      const Named* const bit = given->items[i].as<Named>();
      if (bit == nullptr) unkept(span, "this guard");
      if (bit->name() == "Ignore" || bit->name() == "Any") continue;
      out = out & OperandGuard::bit(static_cast<int>(i), bit->name() == "One");
    }
    return name == "matches" ? out : OperandGuard::always().without(out);
  }

  // Operands.

  /// One argument of an operation: an operand, several with guards, two for a ternary operation.
  void operand(const Expr* given, Env& env, ScalarType type, bool ternary, std::vector<std::string>& out,
               const OperandGuard* guard = nullptr) {
    const Expr* const e = stripped(given);
    auto const add = [&](const std::string& text) {
      out.push_back(guard == nullptr || *guard == OperandGuard::always()
                        ? text
                        : "VeBranchOperand::when(" + text + ", " + ir::cpp_guard(*guard) + ")");
    };
    if (e->kind == Expr::Kind::tuple && e->items.empty()) return add("skip");
    if (e->kind == Expr::Kind::tuple && ternary && e->items.size() == 2)
      return add("TernaryOperand(" + single(e->items[0], env, type) + ", " + single(e->items[1], env, type) + ")");
    if (e->kind == Expr::Kind::tuple || e->kind == Expr::Kind::array) {
      for (const Expr* each : e->items) operand(each, env, type, ternary, out, guard);
      return;
    }
    if (e->kind == Expr::Kind::call && e->left->kind == Expr::Kind::path) {
      const Path& p = e->left->path;
      std::string_view const owner = p.segments[0].name, name = p.last().name;
      if (owner == "Branched" && e->items.size() == 2) return guarded(e->items[0], e->items[1], env, type, ternary, out);
      if (owner == "VeBranchOperand" && name == "always") return operand(e->items[0], env, type, ternary, out, guard);
      if (owner == "VeBranchOperand" && e->items.size() == 2) return guarded(e->items[1], e->items[0], env, type, ternary, out);
      if (owner == "VeRhs" && e->items.size() == 1) return operand(e->items[0], env, type, ternary, out, guard);
      if (owner == "VeRhs" && name == "stash") return add("Stash");
      if (owner == "TernaryOperand" && e->items.size() == 2)
        return add("TernaryOperand(" + single(e->items[0], env, type) + ", " + single(e->items[1], env, type) + ")");
    }
    if (e->kind == Expr::Kind::structure && e->path.last().name == "TernaryOperand" && e->fields.size() == 2)
      return add("TernaryOperand(" + single(e->fields[0].value, env, type) + ", " + single(e->fields[1].value, env, type) + ")");
    if (e->kind == Expr::Kind::method && kind_of(e->left) == ExprFact::Kind::name &&
        e->items.size() == 2) {  // Branched::imm(…).rf(guard, &vrf)
      operand(e->left, env, type, ternary, out);
      const bool last = one_of(e->name, {"group", "when"});
      return guarded(e->items[last ? 1 : 0], e->items[last ? 0 : 1], env, type, ternary, out);
    }
    add(single(e, env, type));
  }
  void guarded(const Expr* guard, const Expr* what, Env& env, ScalarType type, bool ternary, std::vector<std::string>& out) {
    OperandGuard const g = guard_of(certain(guard, "the guard").name, guard->span);
    operand(what, env, type, ternary, out, &g);
  }
  std::string single(const Expr* given, Env& env, ScalarType type) {
    const Expr* const e = stripped(given);
    if (kind_of(e) == ExprFact::Kind::number) return number(e, env, type == ScalarType::f32 ? CppNumber::single : CppNumber::narrow).s;
    if (kind_of(e) == ExprFact::Kind::name) return name_text(certain(e, "this operand"), e->span);
    if (e->kind == Expr::Kind::call && e->left->kind == Expr::Kind::path && e->left->path.segments[0].name == "VeRhs" &&
        e->items.size() == 1)
      return single(e->items[0], env, type);
    return value(e, env).s;
  }

  // Calls of functions.

  CppPiece call(const Expr* e, Env& env, const std::string& wanted) {
    if (e->left->kind != Expr::Kind::path) unkept(e->span, "a value that is called");
    const Path& p = e->left->path;
    auto const bound = facts_.calls.find(e);
    if (bound != facts_.calls.end()) {
      KnownName const entry = p.self == nullptr ? find(p, env, Namespace::value) : KnownName{};
      if (entry.kind != KnownName::Kind::item || entry.item->kind != Item::Kind::function) unkept(e->span, "a function of a type");
      return call_function(e, *entry.item, *entry.module, bound->second, nullptr, &p.last().arguments, env);
    }
    std::string_view const name = p.last().name;
    if (one_of(name, {"new", "zeros", "uninit", "from_addr"}) && (kind_of(e) == ExprFact::Kind::tensor)) return construct(e, env, wanted);
    KnownName const known = p.self == nullptr ? find(p, env, Namespace::value) : KnownName{};
    if (known.kind == KnownName::Kind::item && known.item->kind == Item::Kind::function) {
      // A way that was not taken when the kernel was read: what it binds is not known.
      if (!known.item->generics.empty()) unkept(e->span, "a call that was not read: what its generics are is not known");
      return call_function(e, *known.item, *known.module, {}, nullptr, &p.last().arguments, env);
    }
    const ExprFact* const f = fact(e);
    if (f != nullptr && f->kind == ExprFact::Kind::number && (name == "min" || name == "max") && e->items.size() == 2) {
      headers_.insert("algorithm");
      CppNumber n = number_of(e->items[0], env);
      if (n == CppNumber::literal) n = number_of(e->items[1], env);
      return {"std::" + std::string(name) + "<" + cpp_name(n) + ">(" + number(e->items[0], env, n).s + ", " +
              number(e->items[1], env, n).s + ")"};
    }
    if (f != nullptr && f->kind == ExprFact::Kind::number && !f->varies) return constant_of(f->number);
    if (f != nullptr && f->kind == ExprFact::Kind::name) return {name_text(certain(e, "this name"), e->span)};
    if (p.segments.size() > 1 && parse_scalar_type(p.segments[p.segments.size() - 2].name, quietly) && e->items.size() == 1 &&
        name.starts_with("from")) {
      std::string const scalar = scalar_info(*parse_scalar_type(p.segments[p.segments.size() - 2].name, quietly)).name;
      return {scalar + (name == "from_bits" ? "::from_bits(" : "::from_double(") + number(e->items[0], env, CppNumber::none).s + ")"};
    }
    unkept(e->span, "a call of `" + std::string(name) + "`");
  }
  static bool mentions(const TypeSyntax* t, std::string_view generic) {
    if (t == nullptr) return false;
    if (t->kind == TypeSyntax::Kind::reference || t->kind == TypeSyntax::Kind::array) return mentions(t->inner, generic);
    if (t->kind == TypeSyntax::Kind::tuple)
      return std::any_of(t->items.begin(), t->items.end(), [&](const TypeSyntax* i) { return mentions(i, generic); });
    if (t->kind != TypeSyntax::Kind::path) return false;
    if (t->path.is_word() && t->path.last().name == generic) return true;
    return std::any_of(t->path.last().arguments.begin(), t->path.last().arguments.end(),
                       [&](const TypeSyntax* i) { return mentions(i, generic); });
  }
  CppPiece call_function(const Expr* e, const Item& f, ModuleScope& module, const CallFact& bound, const Expr* self,
                         const std::vector<const TypeSyntax*>* types, Env& env) {
    for (const Item* open : open_)
      if (open == &f) unkept(e->span, "a function that calls itself");
    open_.push_back(&f);
    std::string const name = helper(f, module, &bound);
    open_.pop_back();
    std::string explicit_types;
    bool all_said = !types->empty();
    for (const TypeSyntax* t : *types) all_said = all_said && is_said(t);
    if (all_said) {
      explicit_types = arguments(*types, env);
    } else {
      bool deduced = true;
      Env callee{&module};
      for (std::size_t i = 0; i < f.generics.size(); ++i) {
        const GenericParameter& g = f.generics[i];
        bool found = is_of_context(bound, i);
        for (const Parameter& p : f.parameters) {
          std::string_view const base = base_name(p.type, callee);
          found = found || (!is_view_name(base) && !is_stream_name(base) && mentions(p.type, g.name));
        }
        deduced = deduced && found;
      }
      if (!deduced) {
        if (bound.varies) unkept(e->span, "a call whose generics are bound by what is expected of it, in different ways");
        for (std::size_t i = 0; i < bound.generics.size(); ++i) {
          const Ty& t = bound.generics[i];
          if (is_of_context(bound, i)) continue;
          std::string text;
          if (!t) unkept(e->span, "a generic that is not known");
          if (t->kind == TypeOf::Kind::mapping) text = spelt(*t->mapping, e->span);
          else if (t->kind == TypeOf::Kind::scalar) text = scalar_info(t->scalar).name;
          else if (t->kind == TypeOf::Kind::constant && t->value->as<Number>() != nullptr)
            text = std::to_string(t->value->as<Number>()->whole);
          else unkept(e->span, "a generic that is neither a mapping nor a scalar nor a number");
          explicit_types += (explicit_types.empty() ? "" : ", ") + text;
        }
      }
    }
    std::string out = name + (explicit_types.empty() ? "" : "<" + explicit_types + ">") + "(";
    Env callee{&module};
    for (const GenericParameter& g : f.generics) callee.generics.insert(g.name);
    std::string given;
    if (self != nullptr) given = value(self, env).s;
    for (std::size_t i = 0; i < e->items.size(); ++i) {
      const Parameter& p = f.parameters[i + (self != nullptr ? 1 : 0)];
      CppNumber const n = p.type == nullptr ? CppNumber::none : number_of_type(p.type, callee);
      std::string one;
      if (n != CppNumber::none) one = number(e->items[i], env, n).s;
      else if (kind_of(e->items[i]) == ExprFact::Kind::stream)
        one = "std::move(" + value(e->items[i], env).s + ")", headers_.insert("utility");
      else one = value(e->items[i], env).s;
      given += (given.empty() ? "" : ", ") + one;
    }
    return {out + given + ")"};
  }
  CppPiece construct(const Expr* e, Env& env, const std::string& wanted) {
    const ExprFact& f = certain(e, "the type of a new tensor");
    std::string const type_text = wanted.empty() ? tensor_text(f.type, e->span) : wanted;
    if (e->left->path.last().name == "from_addr")
      return {type_text + "::from_addr(" + number(e->items.at(0), env, CppNumber::wide).s + ")"};
    if (env.ctx.empty()) unkept(e->span, "a new tensor where no Context is at hand");
    auto const all = made_by(e, e->span);
    bool const filled = is_filled(*all.front());
    for (const ir::Tensor* t : all)
      if (t->memory == f.type->memory && !t->view && is_filled(*t) != filled && t->role != ir::Role::argument &&
          t->cluster == all.front()->cluster)
        unkept(e->span, "a new tensor that is filled with zeros some times only");
    if (filled && f.type->memory == Memory::Dm) return {env.ctx + ".sub.memset<" + type_text + ">(0)"};
    if (filled)
      zeros_ = env.ctx + ".tdma.dma(" + env.ctx + ".sub.memset<DmTensor<" + scalar_text(f.type) + ", " +
               level_text(f.type, Level::chip, e->span) + ", m<one.pad(2)>, m<one.pad(256)>, " +
               level_text(f.type, Level::element, e->span) + ">>(0), ";
    return {env.ctx + ".empty<" + type_text + ">()"};
  }

  // Methods.

  std::string address(const Expr* e, Env& env) {
    for (const Expr* a : e->items)
      if (kind_of(a) == ExprFact::Kind::number) return number(a, env, CppNumber::wide).s;
    return "";
  }
  std::string engine(const Expr* e, Env& env) {
    for (const Expr* a : e->items)
      if (kind_of(a) == ExprFact::Kind::context) {
        std::string const text = value(a, env).s;
        return text == env.ctx ? text + ".tdma" : text;
      }
    if (env.tdma.empty()) unkept(e->span, "a transfer where no DMA engine is at hand");
    return env.tdma;
  }
  std::string engine_and_address(const Expr* e, Env& env) {
    std::string const a = address(e, env);
    return engine(e, env) + (a.empty() ? "" : ", " + a);
  }
  /// A type argument of the call, or the mapping of this level that came of it.
  std::string mapping_at(const Expr* e, Env& env, std::size_t i, Level l) {
    if (i < e->type_arguments.size() && is_said(e->type_arguments[i])) return type(e->type_arguments[i], env);
    return level_text(certain(e, name_of(l)).type, l, e->span);
  }
  std::string view_of(const Expr* e, Env& env, const char* how) {
    CppPiece const v = value(e, env);
    return kind_of(e) == ExprFact::Kind::tensor ? v.at_least(atom) + how : v.s;
  }
  /// A variable that holds a stream gives it up.
  std::string receiver(const Expr* e, Env& env) {
    CppPiece const v = value(e, env);
    if (kind_of(e) == ExprFact::Kind::stream && e->kind == Expr::Kind::path) {
      headers_.insert("utility");
      return "std::move(" + v.s + ")";
    }
    return v.at_least(atom);
  }

  CppPiece method(const Expr* e, Env& env, const std::string& wanted) {
    if (one_of(e->name, {"clone", "as_ref", "as_mut", "borrow", "borrow_mut", "to_owned", "by_ref"})) return value(e->left, env, wanted);
    switch (kind_of(e->left)) {
      case ExprFact::Kind::number: return number_method(e, env, CppNumber::none);
      case ExprFact::Kind::tensor:
      case ExprFact::Kind::view: return tensor_method(e, env, wanted);
      case ExprFact::Kind::stream: return stream_method(e, env, wanted);
      case ExprFact::Kind::context: return begin(e, env);
      case ExprFact::Kind::gather: return gather_in_parts(e, env);
      case ExprFact::Kind::aggregate: return aggregate_method(e, env);
      default:
        unkept(e->span,
               fact(e->left) == nullptr ? "a part that was not read with these numbers" : "the method `" + std::string(e->name) + "`");
    }
  }
  CppPiece aggregate_method(const Expr* e, Env& env) {
    if (e->name == "len") return {"static_cast<std::int64_t>(" + value(e->left, env).at_least(atom) + ".size())"};
    auto const bound = facts_.calls.find(e);
    if (bound == facts_.calls.end()) unkept(e->span, "the method `" + std::string(e->name) + "`");
    // A method of the crate: its function is the one of that name in an impl.
    const Item* found = nullptr;
    ModuleScope* module = nullptr;
    for (ModuleScope* m = env.module; m != nullptr && found == nullptr; m = m->is_block() ? m->lexical : m->parent)
      for (const Item* impl : m->implementations)
        for (const Item* member : impl->items)
          if (member->kind == Item::Kind::function && member->name == e->name && member->has_body) {
            if (found != nullptr) unkept(e->span, "a method that several structures have");
            found = member;
            module = m;
          }
    if (found == nullptr) unkept(e->span, "the method `" + std::string(e->name) + "`");
    return call_function(e, *found, *module, bound->second, e->left, &e->type_arguments, env);
  }
  CppPiece begin(const Expr* e, Env& env) {
    std::string const unit = value(e->left, env).at_least(atom);
    if (e->name == "begin" && e->items.size() == 1) return {unit + ".begin(" + view_of(e->items[0], env, ".view()") + ")"};
    if (e->name == "begin_interleaved" && e->items.size() >= 2 && !e->type_arguments.empty())
      return {unit + ".begin_interleaved<" + axis_argument(e->type_arguments[0], env) + ">(" + view_of(e->items[0], env, ".view()") + ", " +
              view_of(e->items[1], env, ".view()") + ")"};
    unkept(e->span, "the method `" + std::string(e->name) + "` of a context");
  }
  /// An axis where C++ takes it as a value.
  std::string axis_argument(const TypeSyntax* t, Env& env) {
    if (t->kind == TypeSyntax::Kind::macro && t->path.last().name == "m") {
      Parser p(e_.tree_.arena, t->body);
      const TypeSyntax* const inner = p.type();
      if (!p.done()) unkept(t->span, "an axis that is more than a name");
      return axis_argument(inner, env);
    }
    if (t->kind != TypeSyntax::Kind::path || (t->path.is_word() && env.is_generic(t->path.last().name)))
      unkept(t->span, "an axis that is a generic: C++ takes it as a value");
    KnownName const entry = find(t->path, env, Namespace::type);
    if (entry.kind == KnownName::Kind::axis) return axis(entry);
    if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::alias) {
      Env other{entry.module};
      return axis_argument(entry.item->type, other);
    }
    unkept(t->span, "an axis that is more than a name");
  }

  CppPiece tensor_method(const Expr* e, Env& env, const std::string& wanted) {
    std::string_view const name = e->name;
    if (name == "view" || name == "view_mut") {
      CppPiece const v = value(e->left, env);
      return kind_of(e->left) == ExprFact::Kind::view ? v : CppPiece{v.at_least(atom) + "." + std::string(name) + "()"};
    }
    if (one_of(name, {"tile", "slice_tile", "cluster_tile", "chip_tile"})) return tile(e, env);
    std::string const self = value(e->left, env).at_least(atom);
    auto const fully_said = [&](std::size_t n) {
      return e->type_arguments.size() == n && std::all_of(e->type_arguments.begin(), e->type_arguments.end(), is_said);
    };
    if (name == "to_dm" || name == "to_spm") {
      std::string const how = "(" + engine_and_address(e, env) + ")";
      std::string const call_name = "." + std::string(name);
      const ExprFact* const to = fact(e);
      const ExprFact* const from = fact(e->left);
      if (to != nullptr && from != nullptr && !to->varies && !from->varies && to->type && from->type && from->type->level[0] &&
          to->type->level[0] && !(*from->type->level[0] == *to->type->level[0]))
        unkept(e->span, "a transfer into DM that changes Chip");
      if (fully_said(3)) return {self + call_name + "<" + arguments(e->type_arguments, env) + ">" + how};
      if (e->type_arguments.empty() && !wanted.empty()) return {self + call_name + how};
      std::size_t const skip = 4 - std::min<std::size_t>(4, e->type_arguments.size());
      std::string all;
      constexpr Level levels[] = {Level::chip, Level::cluster, Level::slice, Level::element};
      for (std::size_t i = 1; i < 4; ++i) all += (all.empty() ? "" : ", ") + mapping_at(e, env, i >= skip ? i - skip : 99, levels[i]);
      return {self + call_name + "<" + all + ">" + how};
    }
    if (name == "to_hbm") {
      std::string const how = "(" + engine_and_address(e, env) + ")";
      if (fully_said(1)) return {self + ".to_hbm<" + arguments(e->type_arguments, env) + ">" + how};
      if (e->type_arguments.empty() && !wanted.empty()) return {self + ".to_hbm" + how};
      const ExprFact& to = certain(e, "the type of the result");
      const ExprFact& from = certain(e->left, "the type of the tensor");
      bool const chips = !(*to.type->level[0] == *from.type->level[0]);
      std::size_t const last = e->type_arguments.size() - 1;
      return {self + ".to_hbm<" + mapping_at(e, env, e->type_arguments.empty() ? 99 : last, Level::element) +
              (chips ? ", " + mapping_at(e, env, e->type_arguments.size() == 2 ? 0 : 99, Level::chip) : "") + ">" + how};
    }
    if (name == "to_dm_view" || name == "to_hbm_view") {
      const Expr* to = nullptr;
      for (const Expr* a : e->items)
        if (kind_of(a) == ExprFact::Kind::view || kind_of(a) == ExprFact::Kind::tensor) to = a;
      if (to == nullptr) unkept(e->span, "a transfer into nothing");
      return {engine(e, env) + ".dma(" + self + ", " + view_of(to, env, ".view_mut()") + ")"};
    }
    if (name == "memset" && !e->items.empty()) {
      if (env.ctx.empty()) unkept(e->span, "a memset where no Context is at hand");
      std::string const v =
          kind_of(e->items[0]) == ExprFact::Kind::number ? number(e->items[0], env, CppNumber::none).s : value(e->items[0], env).s;
      return {env.ctx + ".sub.memset(" + view_of(e->left, env, ".view_mut()") + ", " + v + ")"};
    }
    if (name == "reshape" || name == "transmute") {
      const ExprFact& to = certain(e, "the type of the result");
      const ExprFact& from = certain(e->left, "the type of the tensor");
      std::string out = self;
      if (to.type->element->scalar != from.type->element->scalar) {
        if (to.kind == ExprFact::Kind::tensor) unkept(e->span, "a tensor under another scalar: C++ has a view of it");
        out += ".reinterpret<" + scalar_text(to.type) + ">()";
      }
      std::string all = level_text(to.type, Level::chip, e->span) + ", ";
      if (to.type->memory != Memory::Hbm)
        all += level_text(to.type, Level::cluster, e->span) + ", " + level_text(to.type, Level::slice, e->span) + ", ";
      return {out + ".relabel<" + all + level_text(to.type, Level::element, e->span) + ">()"};
    }
    if (one_of(name, {"dma_gather", "dma_gather_scaled", "dma_gather_unscaled"})) {
      const Expr* rows = nullptr;
      for (const Expr* a : e->items)
        if (kind_of(a) == ExprFact::Kind::view || kind_of(a) == ExprFact::Kind::tensor) rows = a;
      if (rows == nullptr) unkept(e->span, "a gather without an index");
      std::string const index_text = value(rows, env).s;
      return {gather(e, self, name == "dma_gather_unscaled" ? "by_byte_offsets(" + index_text + ")" : index_text, env)};
    }
    if (name == "dma_scatter" || name == "scatter") {
      std::vector<const Expr*> tensors;
      for (const Expr* a : e->items)
        if (kind_of(a) == ExprFact::Kind::view || kind_of(a) == ExprFact::Kind::tensor) tensors.push_back(a);
      if (tensors.size() != 2) unkept(e->span, "this scatter");
      return {self + ".scatter<" + row_axis(e) + ">(" + engine(e, env) + ", " + value(tensors[0], env).s + ", " +
              view_of(tensors[1], env, ".view_mut()") + ")"};
    }
    if (one_of(name, {"dm_chip_shuffle", "chip_shuffle", "dm_cluster_shuffle", "cluster_swap"})) {
      bool const chips = name.find("chip") != name.npos;
      std::string list = name == "cluster_swap" ? "1, 0" : "";
      for (const Expr* a : e->items)
        if (const Expr* const s = stripped(a); s->kind == Expr::Kind::array) {
          list.clear();
          for (const Expr* each : s->items) list += (list.empty() ? "" : ", ") + number(each, env, CppNumber::wide).s;
        }
      if (list.empty()) unkept(e->span, "a shuffle whose sources are not written in the call: C++ takes them as a list");
      Level const level = chips ? Level::chip : Level::cluster;
      return {self + (chips ? ".chip_shuffle<" : ".cluster_shuffle<") + mapping_at(e, env, 0, level) + ">(" + engine(e, env) + ", {" +
              list + "}" + (address(e, env).empty() ? "" : ", " + address(e, env)) + ")"};
    }
    unkept(e->span, "the method `" + std::string(name) + "` of a tensor");
  }
  /// The axis that an index names: said in the command that came of the call.
  std::string row_axis(const Expr* e) {
    Where const at = where(e->name_span);
    for (const ir::Command& c : module_.commands)
      if (const auto* const t = std::get_if<ir::Transfer>(&c.what); t != nullptr && same_place(c.at, at) && t->rows != ir::none)
        return axes_.variable(t->row_axis);
    unkept(e->span, "a gather that was not read");
  }
  std::string gather(const Expr* e, const std::string& table, const std::string& rows, Env& env) {
    const ExprFact& to = certain(e, "the type of the result");
    bool const hbm = to.type->memory == Memory::Hbm;
    std::string const levels =
        hbm ? "" : level_text(to.type, Level::cluster, e->span) + ", " + level_text(to.type, Level::slice, e->span) + ", ";
    std::string const a = address(e, env);
    return table + (hbm ? ".gather_to_hbm<" : ".gather_to_dm<") + row_axis(e) + ", " + levels +
           level_text(to.type, Level::element, e->span) + ">(" + engine(e, env) + ", " + rows + (a.empty() ? "" : ", " + a) + ")";
  }
  /// table.gather::<Axis, Payload>().by_positions(&index).sparse_prefix(n).to_dm()
  CppPiece gather_in_parts(const Expr* e, Env& env) {
    if (e->name != "to_dm" && e->name != "to_hbm") unkept(e->span, "a gather that is not finished in one chain");
    std::string rows, first;
    const Expr* at = e->left;
    for (; at->kind == Expr::Kind::method && at->name != "gather"; at = at->left) {
      if (at->name == "sparse_prefix") first = ".first(" + number(at->items.at(0), env, CppNumber::wide).s + ")";
      else rows = std::string(at->name) + "(" + value(at->items.at(0), env).s + ")";
    }
    if (at->kind != Expr::Kind::method || rows.empty()) unkept(e->span, "a gather that is not finished in one chain");
    return {gather(e, value(at->left, env).at_least(atom), rows + first, env)};
  }
  CppPiece tile(const Expr* e, Env& env) {
    if (e->type_arguments.size() < 2 || e->items.empty()) unkept(e->span, "this tile");
    const TypeSyntax* const count = e->type_arguments[1];
    std::string length;
    if (count->kind == TypeSyntax::Kind::constant) length = number(count->value, env, CppNumber::wide).s;
    else if (count->kind == TypeSyntax::Kind::path &&
             (find(count->path, env, Namespace::value) || variable(count->path, env) != nullptr || env.is_generic(count->path.last().name)))
      length = path_type(count, env);
    else length = type(count, env) + "::size";
    std::string out = view_of(e->left, env, ".view()");
    out += ".tile<" + type(e->type_arguments[0], env) + ", " + length;
    if (e->type_arguments.size() == 3 && is_said(e->type_arguments[2])) {
      out += ", " + type(e->type_arguments[2], env);
    } else {
      // What is left follows from the tile, unless an expected type said more.
      const ExprFact& to = certain(e, "what is left of the tensor");
      const ExprFact& from = certain(e->left, "the type of the tensor");
      Levels levels;
      for (int l = 0; l < level_count; ++l)
        if (const MappingPtr& m = from.type->level[static_cast<std::size_t>(l)]) levels.at[l] = *m;
      Ty const factor = e_.type(e->type_arguments[0], *scope_for(env));
      if (factor && factor->kind == TypeOf::Kind::mapping) {
        Level const level = level_of_tile(levels, *factor->mapping);
        const Mapping& now = *to.type->level[static_cast<std::size_t>(level)];
        std::int64_t const steps = tile_length(e, env);
        auto const plain = tcp::tile(levels[level], *factor->mapping, steps, 0);
        if (!plain || !(plain->mapping == now)) out += ", " + spelt(now, e->span);
      }
    }
    return {out + ">(" + number(e->items[0], env, CppNumber::wide).s + ")"};
  }
  Scope* scope_for(Env& env) {
    if (!env.generics.empty()) return &scopes_.emplace_back(env.module);
    return &scopes_.emplace_back(env.module);
  }
  std::int64_t tile_length(const Expr* e, Env& env) {
    Ty const t = e_.type(e->type_arguments[1], *scope_for(env));
    if (t && t->kind == TypeOf::Kind::constant && t->value->as<Number>() != nullptr) return t->value->as<Number>()->whole;
    if (t && t->kind == TypeOf::Kind::mapping) return t->mapping->size;
    unkept(e->span, "the length of this tile");
  }

  // Streams.

  static bool is_fetch_part(std::string_view n) { return n.starts_with("fetch"); }
  CppPiece fetch(const Expr* e, Env& env) {
    // All calls that belong to the fetch, the last one first.
    std::vector<const Expr*> parts;
    const Expr* at = e;
    while (at->kind == Expr::Kind::method && is_fetch_part(at->name)) parts.push_back(at), at = at->left;
    std::string out = receiver(at, env);
    std::string lifts, how = "fetch", time, packet, given;
    const Expr* fetched = nullptr;
    for (auto p = parts.rbegin(); p != parts.rend(); ++p) {
      const Expr* const part = *p;
      if (part->name.ends_with("_lift")) {
        if (part->type_arguments.empty()) unkept(part->span, "a lift without its mapping");
        lifts += std::string(1, new_line) + "." + std::string(part->name) + "<" + type(part->type_arguments[0], env) + ">()";
        if (part->type_arguments.size() > 1 && is_said(part->type_arguments[1])) time = type(part->type_arguments[1], env);
      } else if (part->name == "fetch" || part->name.starts_with("fetch_with_")) {
        fetched = part;
        const ExprFact* const f = fact(part);
        std::size_t const first = part->type_arguments.size() == 3 ? 1 : 0;
        if (part->type_arguments.size() < 2 || f == nullptr) unkept(part->span, "a fetch whose mappings are said elsewhere");
        time = type(part->type_arguments[first], env);
        packet = type(part->type_arguments[first + 1], env);
      } else if (part->name == "fetch_table_lookup") {
        how = "fetch_with_table";
        const ExprFact& source = certain(at, "the type of the tensor");
        std::string const from = scalar_text(source.type), to = type(part->type_arguments.at(0), env);
        given = table_of_casts(from, to);
      }
      if (part->name == "fetch_zero_point_sub" || part->name.starts_with("fetch_with_zero_point")) {
        std::vector<std::string> all;
        for (const Expr* a : part->items) {
          const Expr* const s = stripped(a);
          if (s->kind == Expr::Kind::array)
            for (const Expr* each : s->items) all.push_back(number(each, env, CppNumber::wide).s);
          else all.push_back(number(s, env, CppNumber::wide).s);
        }
        how = all.size() == 1 ? "fetch_with_zero_point" : "fetch_with_zero_points";
        given = all.size() == 1 ? all[0] : "{" + all.at(0) + ", " + all.at(1) + "}";
      }
    }
    if (fetched == nullptr) {  // lifts alone
      return {out + lifts};
    }
    std::string scalar;
    for (const Expr* part : parts)
      if (part != fetched && !part->name.ends_with("_lift")) scalar = type(part->type_arguments.at(0), env);
    if (scalar.empty() && fetched->type_arguments.size() == 3) scalar = type(fetched->type_arguments[0], env);
    if (scalar.empty()) {
      const ExprFact* const f = fact(fetched);
      if (f->varies && at->kind == Expr::Kind::method && at->items.size() == 1 && stripped(at->items[0])->kind == Expr::Kind::method &&
          stripped(stripped(at->items[0])->left)->kind == Expr::Kind::path) {
        headers_.insert("type_traits");
        scalar = "typename std::remove_cvref_t<decltype(" + value(stripped(at->items[0])->left, env).s + ")>::Type";
      } else {
        scalar = scalar_text(certain_type(fetched));
      }
    }
    return {out + lifts + new_line + "." + how + "<" + scalar + ", " + time + ", " + packet + ">(" + given + ")"};
  }
  /// The scalar is the same each time, even if mappings are not.
  Ty certain_type(const Expr* e) const {
    const ExprFact* const f = fact(e);
    if (f == nullptr || !f->type) unkept(e->span, "the scalar of this stream is not known");
    return f->type;
  }

  CppPiece stream_method(const Expr* e, Env& env, const std::string& wanted) {
    std::string_view const name = e->name;
    if (is_fetch_part(name)) return fetch(e, env);
    if (name == "contract_time" || name == "commit_trim") return {receiver(e->left, env)};
    std::string const self = receiver(e->left, env) + new_line + ".";
    auto const pair = [&](const std::string& method) {
      return CppPiece{self + method + "<" + mapping_at(e, env, 0, Level::time) + ", " + mapping_at(e, env, 1, Level::packet) + ">("};
    };
    auto const closed = [](const CppPiece& p, const std::string& arguments = "") { return CppPiece{p.s + arguments + ")"}; };
    if (name == "collect") return closed(pair("collect"));
    if (name == "transpose") return closed(pair("transpose"));
    if (name == "vector_split" || name == "vector_narrow_split") return closed(pair("vector_split"));
    if (name == "vector_concat" || name == "vector_widen_concat") return closed(pair("vector_concat"));
    if (name == "vector_trim_way4" || name == "vector_narrow_trim")
      return {self + "vector_trim_way4<" + mapping_at(e, env, 0, Level::packet) + ">()"};
    if (name == "vector_pad_way8" || name == "vector_widen_pad")
      return {self + "vector_pad_way8<" + mapping_at(e, env, 0, Level::packet) + ">()"};
    if (name == "align" || name == "contract_outer") {
      for (const Expr* a : e->items)
        if (kind_of(a) == ExprFact::Kind::tensor) return closed(pair("align"), value(a, env).s);
      unkept(e->span, "a contraction without weights");
    }
    if (name == "contract" || name == "contract_packet") return {self + "contract<" + mapping_at(e, env, 0, Level::packet) + ">()"};
    if (name == "accumulate" || name == "contract_lane") {
      for (const Expr* a : e->items)
        if (kind_of(a) == ExprFact::Kind::name)
          return closed(pair("accumulate"), "AccumulationKind::" + certain(a, "the mode").name.as<Named>()->name());
      unkept(e->span, "an accumulation without its mode");
    }
    if (name == "switch") return {self + switched(e, env)};
    if (name == "cast") return {self + "cast<" + type(e->type_arguments.at(0), env) + ", " + mapping_at(e, env, 1, Level::packet) + ">()"};
    if (name == "commit_cast" || name == "commit_cast_relu" || name == "vector_reinterpret")
      return {self + std::string(name) + "<" + type(e->type_arguments.at(0), env) + ">()"};
    if (one_of(name, {"vector_init", "vector_final", "vector_stash"})) return {self + std::string(name) + "()"};
    if (name == "vector_intra_slice_branch" || name == "vector_intra_slice_tag")
      return {self + "vector_intra_slice_branch(" + branch_mode(e, env) + ")"};
    if (name == "vector_intra_slice_unzip") return {self + unzip(e, env)};
    if (name == "vector_intra_slice_reduce")
      return {self + "vector_intra_slice_reduce<" + axis_argument(e->type_arguments.at(0), env) + ", " +
              mapping_at(e, env, 1, Level::time) + ", " + mapping_at(e, env, 2, Level::packet) + ">(" + reduce_op(e, "Intra") + ")"};
    if (name == "vector_inter_slice_reduce")
      return {self + "vector_inter_slice_reduce<" + mapping_at(e, env, 0, Level::slice) + ", " + mapping_at(e, env, 1, Level::time) + ">(" +
              reduce_op(e, "Inter") + ")"};
    if (name == "vector_fxp_to_fp" || name == "vector_fp_to_fxp")
      return {self + std::string(name) + "(" + number(e->items.at(0), env, CppNumber::narrow).s + ")"};
    if (name == "commit") {
      std::string const how = "(" + address(e, env) + ")";
      if (e->type_arguments.empty() && !wanted.empty()) return {self + "commit" + how};
      return {self + "commit<" + mapping_at(e, env, 0, Level::element) + ">" + how};
    }
    if (name == "commit_view") {
      for (const Expr* a : e->items)
        if (kind_of(a) == ExprFact::Kind::view || kind_of(a) == ExprFact::Kind::tensor)
          return {self + "commit_view(" + view_of(a, env, ".view_mut()") + ")"};
      unkept(e->span, "a commit into nothing");
    }
    if (name == "to_vrf") {
      std::string const how = "(" + address(e, env) + ")";
      if (e->type_arguments.empty() && !wanted.empty()) return {self + "to_vrf" + how};
      return {self + "to_vrf<" + mapping_at(e, env, 0, Level::element) + ">" + how};
    }
    if (name == "to_trf") {
      auto const all = made_by(e, e->name_span);
      for (const ir::Tensor* t : all)
        if (t->trf != all.front()->trf) unkept(e->span, "weights that are in another half of the TRF each time");
      constexpr const char* parts[] = {"Full", "FirstHalf", "SecondHalf"};
      std::string part;
      for (TrfAddress a : {TrfAddress::Full, TrfAddress::FirstHalf, TrfAddress::SecondHalf})
        if (all.front()->trf == a) part = parts[a == TrfAddress::Full ? 0 : a == TrfAddress::FirstHalf ? 1 : 2];
      std::string const how = "(TrfAddress::" + part + ")";
      if (e->type_arguments.empty() && !wanted.empty()) return {self + "to_trf" + how};
      return {self + "to_trf<" + mapping_at(e, env, 0, Level::row) + ", " + mapping_at(e, env, 1, Level::element) + ">" + how};
    }
    if (name.starts_with("vector_")) return {self + operation(e, env)};
    unkept(e->span, "the method `" + std::string(name) + "` of a stream");
  }
  std::string switched(const Expr* e, Env& env) {
    const ExprFact& f = certain(e->items.at(0), "the configuration of the switch");
    const Named* const n = f.name.as<Named>();
    if (n == nullptr) unkept(e->span, "this configuration of the switch");
    std::string fields;
    std::string const kind = n->name() == "Custom" ? "CustomBroadcast" : n->name();
    for (const char* wanted : {"slice1", "slice0", "time0", "ring_size"}) {
      bool const custom = kind == "CustomBroadcast";
      if (custom != (std::string_view(wanted) == "ring_size") || kind == "Forwarding") continue;
      if (std::string_view(wanted) == "time0" && kind != "Broadcast01" && kind != "InterTranspose") continue;
      std::int64_t number_given = custom ? 0 : 1;
      for (auto const& [field, v] : n->fields)
        if (field == wanted && v.as<Number>() != nullptr) number_given = v.as<Number>()->whole;
      fields += (fields.empty() ? "." : ", .") + std::string(wanted) + " = " + std::to_string(number_given);
    }
    return "switch_to<SwitchConfig::" + kind + "{" + fields + "}, " + mapping_at(e, env, 0, Level::slice) + ", " +
           mapping_at(e, env, 1, Level::time) + ">()";
  }
  std::string unzip(const Expr* e, Env& env) {
    bool const with_tile = e->type_arguments.size() >= 3 && is_said(e->type_arguments[1]);
    std::string tile_text;
    if (with_tile) {
      tile_text = type(e->type_arguments[1], env);
    } else {
      Where const at = where(e->name_span);
      for (const ir::Command& c : module_.commands)
        if (const auto* const p = std::get_if<ir::Pass>(&c.what))
          for (const ir::Stage& s : p->stages)
            if (const auto* const u = std::get_if<ir::Unzip>(&s.what); u != nullptr && same_place(s.at, at)) {
              std::string const text = spelt(module_.map(u->tile_time), e->span);
              if (!tile_text.empty() && tile_text != text) unkept(e->span, "an unzip with another tile each time");
              tile_text = text;
            }
      if (tile_text.empty()) unkept(e->span, "an unzip that was not read");
    }
    std::size_t const time = e->type_arguments.size() >= 3 ? 2 : 1;
    return "vector_intra_slice_unzip<" + axis_argument(e->type_arguments.at(0), env) + ", " + tile_text + ", " +
           mapping_at(e, env, time, Level::time) + ">()";
  }
  std::string reduce_op(const Expr* e, const std::string& where_text) {
    Ty const t = certain_type(e->left);
    for (const Expr* a : e->items)
      if (kind_of(a) == ExprFact::Kind::name)
        return where_text + "SliceReduceOp" + (t->element->scalar == ScalarType::f32 ? "F32::" : "I32::") +
               certain(a, "the operation").name.as<Named>()->name();
    unkept(e->span, "a reduce without its operation");
  }
  std::string operation(const Expr* e, Env& env) {
    std::string_view name = e->name;
    ScalarType const type = certain_type(e->left)->element->scalar;
    bool const mode = name.ends_with("_with_mode");
    bool const ternary = name.starts_with("vector_fp_ternary");
    std::string family;
    if (name.starts_with("vector_logic")) family = type == ScalarType::f32 ? "LogicBinaryOpF32" : "LogicBinaryOpI32";
    if (name.starts_with("vector_clip")) family = type == ScalarType::f32 ? "ClipBinaryOpF32" : "ClipBinaryOpI32";
    std::vector<std::string> all;
    std::size_t next = 0;
    if (name.starts_with("vector_fp_div")) {
      const ExprFact* const f = e->items.empty() ? nullptr : fact(e->items[0]);
      if (f != nullptr && f->kind == ExprFact::Kind::name && f->name.as<Named>() != nullptr && f->name.as<Named>()->name() == "DivF")
        next = 1;
      all.emplace_back("FpDivBinaryOp::DivF");
    } else {
      all.push_back(op_text(e->items.at(next++), env, family));
    }
    if (mode) {
      std::string const m = certain(e->items.at(next++), "the mode").name.as<Named>()->name();
      all.push_back((name.starts_with("vector_fp_unary") ? "UnaryArgMode::" : ternary ? "TernaryArgMode::" : "BinaryArgMode::") + m);
    }
    if (name.starts_with("vector_fp_unary")) {
      for (; next < e->items.size(); ++next) all.push_back(number(e->items[next], env, CppNumber::truth).s);
    } else {
      std::vector<std::string> operands;
      for (; next < e->items.size(); ++next) operand(e->items[next], env, type, ternary, operands);
      all.insert(all.end(), operands.begin(), operands.end());
    }
    std::string out = std::string(name) + "(";
    for (std::size_t i = 0; i < all.size(); ++i) out += (i == 0 ? "" : ", ") + all[i];
    return out + ")";
  }

  Evaluator& e_;
  const Facts& facts_;
  const ir::Module& module_;
  ir::CppNames names_;
  std::set<std::string, std::less<>> local_names_;  // of variables, in any function
  ir::CppAxes axes_;
  std::map<const Item*, std::string> done_;  // the C++ names of items; empty: being printed
  std::vector<const Item*> open_;
  std::set<std::string> headers_;
  std::string items_;
  std::deque<Env> kept_;
  std::deque<Scope> scopes_;
  std::string zeros_, after_;  // of a new tensor in HBM: the fill that follows its declaration
};

Expected<std::string> Crate::print_cpp(const Kernel& kernel, const Device& device, const LaunchScalars& scalars) const {
  TCP_BUG_UNLESS(kernel.number < tree_->found.size(), "a kernel of another crate is printed");
  Evaluator evaluator(*tree_, kernel.number, device, scalars);
  Facts facts;
  evaluator.keep_facts(facts);
  KernelReading const reading = evaluator.read(kernel.arguments);
  if (!reading.module) return reading.errors.front().refusal;
  std::string why;
  try {
    if (!kernel.arguments.empty()) throw Unkept{"the generics of the kernel, which are given by its name", {}};
    return CppWriter(evaluator, facts, *reading.module).whole();
  } catch (const Unkept& u) {
    Where const at = where(u.span);
    why = (at.known() ? std::string(at.file) + ":" + std::to_string(at.line) + ": " : std::string()) + u.why;
  } catch (const Mistake& m) {
    why = std::string(m.refusal.headline.view());
  }
  std::replace(why.begin(), why.end(), '\n', ' ');
  auto plain = ir::print_cpp(*reading.module);
  if (!plain) return plain;
  return "// Straight, without the loops and helpers of the source: the typed front end cannot keep\n//   " + why + "\n" + *plain;
}

}  // namespace tcp::rust
