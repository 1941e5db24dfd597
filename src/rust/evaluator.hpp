// Evaluates a kernel: types are mappings, expected types go down into calls, generics are bound by the types of
// arguments, and every call of the vendor's methods becomes a call of tcp::dyn, through the table of bindings.
//
// A value whose type is not said when it is made, and which is used with a type later, is not guessed: the type is
// remembered by the number of the call, and the kernel is read once more from the beginning. So commands stand in the
// order of the source.
#pragma once

#include <deque>
#include <functional>

#include "rust/after_reading.hpp"
#include "rust/value.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::rust {

/// Variables and generics of a function or block.
struct Scope {
  ModuleScope* module = nullptr;
  Scope* parent = nullptr;

  struct Variable {
    std::string_view name;
    int mark;
    RustValue value;
    Ty type{};  // declared; null: not said
  };
  /// A generic: a type once it is bound; or another spelling, of an alias's parameter, in the scope of its caller.
  struct Binding {
    Ty type{};
    const TypeSyntax* syntax = nullptr;
    Scope* where = nullptr;
    bool generic = false;
  };
  std::deque<Variable> variables{};
  std::map<std::string_view, Binding> types{};
  std::shared_ptr<char> alive{};  // of one that a closure looks into: gone with it

  explicit Scope(ModuleScope* m, Scope* p = nullptr) : module(m), parent(p) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  Binding* find_type(std::string_view name);
};

/// One call of a method, with what it was given.
struct MethodCall {
  RustValue receiver{};
  const Expr* expr = nullptr;
  Scope* scope = nullptr;
  std::vector<Ty> types{};
  std::vector<RustValue> arguments{};
  Ty expected{};
  Where at{};
  std::vector<bool> used{};  // the arguments that the binding looked at

  std::string_view name() const { return expr->name; }
};

/// An item whose value is being asked for; refused: by itself.
class Once {
 public:
  Once(std::set<const Item*>& open, const Item& item, const Span& span);
  ~Once() { open_.erase(&item_); }
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

 private:
  std::set<const Item*>& open_;
  const Item& item_;
};

/// What an expression gave, each time that it was evaluated: for who prints the kernel again.
struct ExprFact {
  enum class Kind : std::uint8_t { other, tensor, view, stream, number, name, aggregate, context, gather };
  Kind kind = Kind::other;
  Ty type{};            // of a tensor, a stream
  Number number{};      // of a number or a bool
  RustValue name{};     // of a name of the vendor's, without tensors in it
  std::string key;      // equal if the fact is
  bool varies = false;  // it was not the same each time
};
/// The generics that a call of a function bound, and what each was.
struct CallFact {
  std::vector<Ty> generics;
  std::string key;
  bool varies = false;
};
struct Facts {
  std::map<const Expr*, ExprFact> of;
  std::map<const Expr*, CallFact> calls;
};

class Evaluator {
 public:
  Evaluator(CrateTree& tree, std::size_t kernel, const Device& device, const LaunchScalars& scalars);
  /// With what the generics of the kernel are, if it has some: 64, m![A / 8].
  KernelReading read(const std::string& generics = {});
  /// From now on, remembers what expressions give.
  void keep_facts(Facts& facts) { facts_ = &facts; }

  // For the bindings.

  [[noreturn]] static void fail(Wrong code, const Span& span, const std::string& what, const std::string& why, const std::string& help);
  Context& context() { return *context_; }
  detail::Recording& recording() { return session_->recording({}); }
  Edition edition() const { return tree_.edition_of(*kernel_.module); }
  CrateTree& tree() { return tree_; }

  /// Makes a value of a type; or, if it is not said yet, one that waits for it.
  RustValue deferred(std::string_view name, const Span& span, const Ty& known, const std::function<RustValue(const Ty&)>& make);
  const Number& number(const RustValue& v, const Span& span, const char* what);
  std::int64_t integer(const RustValue& v, const Span& span, const char* what);
  const dyn::Tensor& tensor(const RustValue& v, const Span& span, const char* what);
  /// Through references, to the value itself; throws if it was refused before.
  const RustValue& plain(const RustValue& v);
  void note_method(std::string name) { calls_made_.insert(std::move(name)); }
  void note_new(const dyn::Tensor& tensor);
  void note_free_trf(const dyn::Tensor& tensor);
  Ty type_of(const RustValue& v);
  /// Refused: a value that is not of the type; gives the value, completed if it was waiting.
  RustValue fitted(RustValue v, const Ty& type, const Span& span);
  void remember_span(const Where& at, const Span& span) { spans_[{at.file, at.line, at.column}] = span; }

  // Types.

  Ty type(const TypeSyntax* syntax, Scope& scope);
  Mapping mapping(const TokenRange& tokens, Scope& scope);

  // Expressions.

  RustValue evaluate(const Expr* e, Scope& scope, const Ty& expected = {});
  RustValue method_on_number(MethodCall& call, const Number& n);
  RustValue construct(const Ty& type, std::string_view how, const std::vector<RustValue>& arguments, const Span& span, const Ty& expected);

 private:
  friend class MappingReader;
  friend class CppWriter;
  class Deeper;
  struct Restart {};
  struct PoisonUse {};
  struct TooManyErrors {};
  struct Returned {
    RustValue value;
  };
  struct LoopLeft {
    bool again;
    RustValue value;
    std::string_view label;  // empty: of the innermost loop
    Span span;

    bool is_for(const Expr* loop) const { return label.empty() || label == loop->name; }
  };

  // The kernel.
  bool run_once(KernelReading& reading);
  void bind_generics(const Item& kernel, Scope& scope);
  void check_parameters(const Item& function);
  RustValue parameter(const TypeSyntax* type, Scope& scope, const std::string& name, const Span& span);
  RustValue parameter_of(const Ty& type, const std::string& name, const Span& span);
  void results(const RustValue& v, const Span& span, std::vector<ir::TensorId>& out, int depth);
  std::int64_t chips(const Item& kernel, Scope& scope);
  void report(const Mistake& m);
  void report(const Refused& r);
  bool guarded(const std::function<void()>& work);

  // Types.
  Ty path_type(const TypeSyntax* syntax, Scope& scope);
  Ty parameter_type(const TypeSyntax* syntax, Scope& scope);
  Ty entry_type(const KnownName& entry, const std::vector<const TypeSyntax*>& arguments, Scope& scope, const Span& span);
  Ty vendor_type(std::string_view name, const std::vector<const TypeSyntax*>& arguments, Scope& scope, const Span& span);
  Ty macro_type(const TypeSyntax* syntax, Scope& scope);
  Mapping axis(const KnownName& entry);
  std::string axis_name(const KnownName& entry);
  void bind_arguments(const Item& item, const std::vector<const TypeSyntax*>& arguments, Scope& from, Scope& to);
  void unify(const TypeSyntax* syntax, const Ty& with, Scope& scope, int depth = 0);
  void unify_path(const TypeSyntax* syntax, const Ty& with, Scope& scope, int depth);
  std::string difference(const Ty& is, const Ty& wanted) const;
  bool same_type(const Ty& a, const Ty& b) const;
  void check_number(const RustValue& v, const Ty& wanted, const Span& span);

  // What an impl gives.
  struct Member {
    const Item* item = nullptr;
    ModuleScope* module = nullptr;
    std::map<std::string_view, Scope::Binding> bound{};
  };
  bool applies(const Implementation& of, const Ty& type, Scope& inner);
  std::optional<Member> member_of(const Ty& type, Item::Kind kind, std::string_view name, const TypeSyntax* as_trait, Scope& from,
                                  const Span& span);
  RustValue member_constant(const Member& m);
  Ty member_type(const Member& m, const std::vector<const TypeSyntax*>& arguments, Scope& from);
  Ty associated_type(const Ty& owner, const Path& path, Scope& scope, const Span& span);
  Ty owner_of(const Path& path, Scope& scope);
  [[noreturn]] void unknown_name(std::string_view name, const Span& span, const char* what, Scope& scope);
  void check_spelling_of(std::string_view name, const Span& span, Scope& scope);
  std::vector<std::string> vendor_path(const Path& path, Scope& scope) const;
  [[noreturn]] void unknown_axis(std::string_view name, const Span& span, Scope& scope);

  // Facts.
  void note(const Expr* e, const RustValue& v);
  void note_call(const Expr* e, const Item& function, Scope& scope);

  // Expressions.
  RustValue evaluate_inner(const Expr* e, Scope& scope, const Ty& expected);
  RustValue literal(const Token& t, const Ty& expected, bool negative = false);
  RustValue path(const Expr* e, Scope& scope, const Ty& expected);
  RustValue constant(const KnownName& entry);
  RustValue associated(const Ty& type, std::string_view name, const TypeSyntax* as_trait, const Span& span, Scope& scope);
  RustValue variant_of(const KnownName& entry, std::string_view name, std::vector<RustValue> arguments);
  RustValue binary(const Expr* e, Scope& scope, const Ty& expected);
  RustValue cast(const Expr* e, Scope& scope);
  RustValue macro(const Expr* e, Scope& scope, const Ty& expected);
  void check_assert(const Expr* e, Scope& scope);
  RustValue structure(const Expr* e, Scope& scope, const Ty& expected);
  RustValue field(const Expr* e, Scope& scope);
  RustValue field_of(const RustValue& v, std::string_view name, const Span& span);
  RustValue index(const Expr* e, Scope& scope);
  RustValue branch(const Expr* e, Scope& scope, const Ty& expected);
  bool condition(const Expr* e, Scope& scope);
  RustValue for_loop(const Expr* e, Scope& scope);
  RustValue while_loop(const Expr* e, Scope& scope);
  RustValue matching(const Expr* e, Scope& scope, const Ty& expected);
  RustValue assign(const Expr* e, Scope& scope);
  RustValue* place(const Expr* e, Scope& scope);
  RustValue block(const BlockSyntax& b, Scope& scope, const Ty& expected);
  void statements(const BlockSyntax& b, Scope& scope);
  void statement(const Statement& s, Scope& scope);
  void macro_statement(const Expr* e, Scope& scope);
  const BlockSyntax* expansion(const Expr* e, Scope& scope);
  bool bind(const Pattern* p, RustValue v, Scope& scope, const Ty& type = {});
  bool matches_parts(const Pattern* p, const std::vector<RustValue>& parts, Scope& scope);
  bool matches(const Pattern* p, const RustValue& v, Scope& scope);
  static void check_variant(const Pattern* p, const RustValue& v);
  [[noreturn]] static void unknown_variant(const Item& enumeration, std::string_view name, const Span& span);
  void poison(const Pattern* p, Scope& scope);
  bool stand_in(const Statement& s, Scope& scope);
  void name_after(const Pattern* p, RustValue& v);
  Scope::Variable* variable(std::string_view name, int mark, Scope& scope);

  // Calls.
  RustValue call(const Expr* e, Scope& scope, const Ty& expected);
  RustValue call_path(const Expr* e, Scope& scope, const Ty& expected);
  /// A function of the crate; `self`: of a method, what it is called on.
  struct Callee {
    const Item* function = nullptr;
    ModuleScope* module = nullptr;
    Ty self_type{};
    const RustValue* self = nullptr;
    const std::vector<const TypeSyntax*>* types = nullptr;
    const std::map<std::string_view, Scope::Binding>* bound = nullptr;  // the generics of its impl
  };
  RustValue invoke(const Callee& callee, const Expr* e, Scope& from, const Ty& expected);
  static void check_gives(const BlockSyntax& body, const RustValue& v, const Ty& result);
  RustValue run_function(const Callee& callee, const Expr* e, Scope& scope, std::vector<RustValue> arguments);
  RustValue vendor_call(const Expr* e, Scope& scope, const Ty& expected);
  RustValue default_of(const Ty& type, const Span& span);
  RustValue method_on_named(MethodCall& call, const Named& n);
  bool knows(const TypeSyntax* syntax, Scope& scope, int depth = 0);
  bool knows_number(const Expr* e, Scope& scope);
  RustValue method(const Expr* e, Scope& scope, const Ty& expected);
  RustValue call_member(const Member& m, const Ty& type, const RustValue* self, const std::vector<const TypeSyntax*>& types, const Expr* e,
                        Scope& scope, const Ty& expected);
  std::optional<RustValue> method_of_crate(const Expr* e, const RustValue& v, Scope& scope, const Ty& expected);
  RustValue method_on_list(MethodCall& call, const RustValue& v);
  std::optional<RustValue> method_on_option(MethodCall& call, const Named& n);

  // Closures and iterators.
  RustValue closure(const Expr* e, Scope& scope);
  const std::shared_ptr<ClosureValue>* closure_in(const Expr* e, Scope& scope);
  RustValue call_closure(const ClosureValue& c, const Expr* e, Scope& scope, const Ty& expected);
  RustValue apply(const ClosureValue& c, std::vector<RustValue> arguments, const Span& span, const Ty& expected);
  std::optional<std::vector<RustValue>> listed(const RustValue& v, const Span& span);
  std::shared_ptr<IteratorValue> iterated(const RustValue& v, const Span& span);
  std::optional<bool> equal(const RustValue& a, const RustValue& b);
  std::vector<RustValue> values(const std::vector<const Expr*>& all, Scope& scope);
  RustValue structure_of(const Item& item, ModuleScope& module, const Ty& type,
                         const std::function<RustValue(std::size_t, const Ty&)>& field);
  void step(const Span& span, int weight = 1);

  CrateTree& tree_;
  const FoundKernel& kernel_;
  const std::string& kernel_name_;
  const Device& device_;
  const LaunchScalars& scalars_;
  detail::Session* session_ = nullptr;
  std::unique_ptr<Context> context_;

  std::vector<SourceError> errors_;
  std::vector<std::string> notes_;
  std::map<std::size_t, Ty> known_;  // types of calls that were not said there
  std::size_t sites_ = 0;
  std::map<std::pair<const ModuleScope*, std::string_view>, std::string> axes_;  // by where they are declared
  std::set<std::string> axis_names_;
  std::map<const Item*, RustValue> constants_;
  std::map<const Expr*, const BlockSyntax*> expansions_;
  std::set<const Item*> evaluating_;
  std::vector<Where> calls_, failed_calls_;                            // the calls that are open; those that were when a mistake was found
  std::map<std::tuple<const char*, unsigned, unsigned>, Span> spans_;  // of calls, by file, line and column
  std::vector<NewTensor> new_tensors_;
  std::vector<std::pair<Span, std::string>> waiting_;  // calls whose results still lack a type: who says it starts the reading anew
  std::vector<ir::TensorId> free_trf_;                 // those whose half of the TRF is not said
  std::map<ir::TensorId, std::string> names_;
  std::set<std::string> calls_made_;
  std::set<std::string> scalar_names_;
  std::set<std::size_t> kernels_called_, helpers_called_;
  std::string generics_;           // of the kernel, as they are given
  std::set<const Item*> checked_;  // functions whose parameters were looked at
  bool in_mapping_ = false;        // a type is read inside of m![...]
  Facts* facts_ = nullptr;
  int depth_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace tcp::rust
