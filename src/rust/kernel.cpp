// Reads one kernel: its parameters become arguments, its body is evaluated into a recording, and what it returns or
// writes in place becomes its results.
#include <algorithm>
#include <cmath>

#include "rust/evaluator.hpp"
#include "rust/parser.hpp"
#include "rust/value.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp::rust {

Evaluator::Evaluator(CrateTree& tree, std::size_t kernel, const Device& device, const LaunchScalars& scalars)
    : tree_(tree), kernel_(tree.found[kernel]), kernel_name_(tree.kernels[kernel].name), device_(device), scalars_(scalars) {}

void Evaluator::report(const Mistake& m) {
  SourceError e = tree_.error_of(m, kernel_name_);
  const std::vector<Where>& calls = failed_calls_.empty() ? calls_ : failed_calls_;
  e.called_from.assign(calls.rbegin(), calls.rend());
  if (e.called_from.size() > 10) e.called_from.resize(10);
  for (const SourceError& known : errors_)
    if (std::string_view(known.refusal.code) == e.refusal.code && known.refusal.at.line == e.refusal.at.line &&
        known.refusal.at.column == e.refusal.at.column && std::string_view(known.refusal.at.file) == e.refusal.at.file)
      return;
  errors_.push_back(std::move(e));
  if (errors_.size() >= 50) throw TooManyErrors{};
}
void Evaluator::report(const Refused& refused) {
  Mistake m{refused.refusal(), {}};
  Where const& at = m.refusal.at;
  if (auto const known = spans_.find({at.file, at.line, at.column}); known != spans_.end()) m.span = known->second;
  else m.span = kernel_.item->name_span;
  if (!at.known()) m.refusal.at = where(m.span);
  report(m);
}

bool Evaluator::guarded(const std::function<void()>& work) {
  int const depth = depth_;
  try {
    work();
    return true;
  } catch (const Mistake& m) {
    report(m);
  } catch (const Refused& r) {
    report(r);
  } catch (const PoisonUse&) {
  }
  depth_ = depth;
  failed_calls_.clear();
  recording().abandon_passes();
  return false;
}

void Evaluator::note_new(const dyn::Tensor& tensor) { new_tensors_.push_back({tensor.node()->id, recording().module.commands.size()}); }
void Evaluator::note_free_trf(const dyn::Tensor& tensor) { free_trf_.push_back(tensor.node()->id); }

KernelReading Evaluator::read(const std::string& generics) {
  KernelReading reading;
  generics_ = generics;
  constexpr int most = 200;
  for (int round = 0; round < most; ++round)
    if (run_once(reading)) return reading;
  Mistake m = mistake(Wrong::type_needed, kernel_.item->name_span, "the types of ", most, " values are said only where they are used");
  m.refusal.why("the kernel is read once more for each").help("give variables their types where they are declared");
  report(m);
  reading.errors = std::move(errors_);
  return reading;
}

namespace {

/// N, S: for a sentence that asks for them.
std::string names_of_generics(const Item& item) {
  std::string all;
  for (const GenericParameter& g : item.generics) all += (all.empty() ? "" : ", ") + std::string(g.name);
  return all;
}
std::string short_text(double v) {
  std::string text = std::to_string(v);
  while (text.size() > 1 && text.back() == '0' && text.find('.') != text.npos) text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

std::int64_t Evaluator::chips(const Item& kernel, Scope& scope) {
  const Attribute* const device = kernel.attribute("device");
  if (device == nullptr || device->tokens.size() < 3) return 1;
  Parser attribute(tree_.arena, device->tokens);
  attribute.name();
  if (!attribute.is("(")) return 1;
  Parser p(tree_.arena, attribute.group());
  std::int64_t found = 1;
  while (!p.done()) {
    std::string_view const key = p.name().text;
    p.want("=");
    const Expr* const value = p.expression();
    if (key != "chip" && key != "pe" && (edit_distance(key.substr(0, 60), "chip") <= 2 || key.size() < 3))
      fail(Wrong::arguments, device->tokens.span(), "`device` has no `" + std::string(key.substr(0, 60)) + "`",
           "it takes the number of chips, and of PEs", "write #[device(chip = 4)], or #[device(chip = 1, pe = 4)]");
    if (key == "chip") found = integer(evaluate(value, scope), value->span, "the number of chips");
    if (!p.take(",")) break;
  }
  if (found < 1 || found > 1024)
    fail(Wrong::number, device->tokens.span(), "a kernel runs on 1 to 1024 chips, and " + std::to_string(found) + " are asked for",
         "a launch has a few chips", "write #[device(chip = 1)]");
  return found;
}

bool Evaluator::run_once(KernelReading& reading) {
  errors_.clear();
  notes_.clear();
  sites_ = 0;
  axes_.clear();
  axis_names_.clear();
  constants_.clear();
  evaluating_.clear();
  calls_.clear();
  failed_calls_.clear();
  spans_.clear();
  new_tensors_.clear();
  free_trf_.clear();
  waiting_.clear();
  names_.clear();
  calls_made_.clear();
  scalar_names_.clear();
  kernels_called_.clear();
  helpers_called_.clear();
  checked_.clear();
  if (facts_ != nullptr) *facts_ = {};
  depth_ = 0;
  steps_ = 0;
  session_ = new detail::Session(device_);
  context_ = std::make_unique<Context>(session_);
  const Item& f = *kernel_.item;
  detail::Recording& r = session_->start(1, where(f.name_span));
  struct Stop {
    detail::Session* session;
    ~Stop() { session->stop(); }
  } const stop{session_};
  r.module.name = std::string(f.name);
  ir::Module module;
  try {
    guarded([&] {
      Scope scope(kernel_.module);
      bind_generics(f, scope);
      std::string_view const head = f.span.text().substr(0, static_cast<std::size_t>(f.name_span.begin - f.span.begin));
      if (std::size_t const at = head.rfind("async "); at != head.npos && head.find_first_of("]/\"", at) == head.npos)
        fail(Wrong::unsupported, f.name_span, "the kernel `" + std::string(f.name) + "` is async",
             "the host waits for kernels; inside of one there is nothing to wait for",
             "take `async` out, and write launch(...).await in the host's code");
      r.module.chips = chips(f, scope);
      check_parameters(f);
      for (const Parameter& p : f.parameters) {
        bool const fine = guarded([&] {
          std::string const name(p.pattern->kind == Pattern::Kind::name ? p.pattern->name : "argument");
          bind(p.pattern, parameter(p.type, scope, name, p.span), scope);
        });
        if (!fine) poison(p.pattern, scope);
      }
      Ty const result = f.type == nullptr ? Ty{} : type(f.type, scope);
      scope.types["return"] = Scope::Binding{result, nullptr, nullptr, false};
      RustValue v;
      try {
        const BlockSyntax& body = *tree_.body_of(f);
        v = block(body, scope, result);
        check_gives(body, v, result);
        Span const& made = body.tail != nullptr ? body.tail->span : f.name_span;
        v = fitted(std::move(v), result, made);
      } catch (Returned& returned) {
        v = std::move(returned.value);
      }
      std::vector<ir::TensorId> all;
      results(v, f.name_span, all, 0);
      std::set<ir::TensorId> written;
      for (const ir::Command& c : r.module.commands)
        for (ir::TensorId id : ir::written_by(c)) written.insert(r.module.root_of(id));
      for (ir::TensorId argument : r.module.arguments)
        if (written.contains(argument) && std::find(all.begin(), all.end(), argument) == all.end()) all.push_back(argument);
      r.module.results = all;
      if (errors_.empty()) r.finish_open_passes();
      for (auto const& [span, name] : waiting_) {
        if (!errors_.empty()) break;  // which may have kept the kernel from saying it
        Mistake m = mistake(Wrong::type_needed, span, "nothing says the type of what `", name, "` makes");
        m.refusal.why("types are mappings, and a tensor needs one on each level; without it nothing is recorded")
            .help("give the variable a type: let x: DmTensor<D, Chip, Cluster, Slice, Element> = ..., or take the line out");
        report(m);
      }
    });
    module = std::move(r.module);
  } catch (const Restart&) {
    return false;
  } catch (const TooManyErrors&) {
  } catch (const LoopLeft& left) {
    Mistake m = mistake(Wrong::syntax, left.span, "this leaves a loop or block that it is not in");
    m.refusal.why("`break` and `continue` belong to a loop around them").help("write it inside of the loop that it is to leave");
    errors_.push_back(tree_.error_of(m, kernel_name_));
  }
  reading.errors = std::move(errors_);
  reading.notes = std::move(notes_);
  reading.calls = std::move(calls_made_);
  reading.scalars = std::move(scalar_names_);
  reading.kernels = std::move(kernels_called_);
  reading.helpers = std::move(helpers_called_);
  if (!reading.errors.empty()) return true;
  for (auto const& [id, name] : names_)
    if (ir::Tensor& t = module.tensors[id]; t.name.empty()) t.name = name;
  for (std::size_t i = 0; i < module.results.size(); ++i)
    if (ir::Tensor& t = module.tensors[module.results[i]]; t.name.empty())
      t.name = module.results.size() == 1 ? "result" : "result" + std::to_string(i);
  module.files = tree_.file_names();
  halve_trf(module, free_trf_);
  if (ir::TensorId const unfilled = fill_new_tensors(module, device_, new_tensors_); unfilled != ir::none) {
    Mistake m = mistake(Wrong::unsupported, kernel_.item->name_span, "the tensor ", module.tensor(unfilled).name,
                        " is made with new, and not all of it is written before it is read");
    m.refusal.why("it would have to be filled with zeros in HBM, and is too large for one slice of DM")
        .help("write all of it, or fill it with memset in parts");
    m.refusal.at = module.tensor(unfilled).at;
    reading.errors.push_back(tree_.error_of(m, kernel_name_));
    return true;
  }
  reading.module = std::move(module);
  return true;
}

/// What stands between `::<` and `>` when a generic kernel is asked for by its name.
void Evaluator::bind_generics(const Item& kernel, Scope& scope) {
  if (kernel.generics.empty() && generics_.empty()) return;
  std::string const name(kernel.name);
  const SourceFile& source = tree_.keep_text(name + "::<" + generics_ + ">", generics_);
  Parser parser(tree_.arena, range_of(tree_.arena.keep(lex(source))));
  std::vector<const TypeSyntax*> given;
  while (!parser.done()) {
    given.push_back(parser.generic_argument());
    if (!parser.take(",") && !parser.done()) parser.fail("`,`");
  }
  if (given.size() != kernel.generics.size())
    fail(Wrong::arguments, kernel.name_span,
         "the kernel `" + name + "` has " + std::to_string(kernel.generics.size()) +
             (kernel.generics.size() == 1 ? " generic" : " generics") + ", and " + std::to_string(given.size()) +
             (given.size() == 1 ? " is" : " are") + " given",
         "a kernel is recorded with all its generics known", "name them all: --kernel '" + name + "::<" + names_of_generics(kernel) + ">'");
  bind_arguments(kernel, given, scope, scope);
  Scope module(kernel_.module);
  for (auto& [generic, b] : scope.types)
    if (b.syntax != nullptr) b.type = type(std::exchange(b.syntax, nullptr), module);
}

void Evaluator::check_parameters(const Item& function) {
  if (!checked_.insert(&function).second) return;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const Pattern &a = *function.parameters[k].pattern, &b = *function.parameters[i].pattern;
      if (a.kind != Pattern::Kind::name || b.kind != Pattern::Kind::name || a.name != b.name || a.mark != b.mark) continue;
      Mistake m = mistake(Wrong::duplicate, b.span, "two parameters of `", function.name, "` are called `", b.name, "`");
      m.refusal.why("each name stands for one of them").help("give one of them another name");
      report(m);
    }
}

RustValue Evaluator::parameter(const TypeSyntax* syntax, Scope& scope, const std::string& name, const Span& span) {
  if (syntax == nullptr)
    fail(Wrong::unsupported, span, "a kernel takes `self`", "kernels are functions of their own", "write it outside of the impl");
  return parameter_of(type(syntax, scope), name, span);
}

RustValue Evaluator::parameter_of(const Ty& t, const std::string& name, const Span& span) {
  auto const scalar = [&](bool floating, NumberType number) -> RustValue {
    scalar_names_.insert(name);
    auto const given = scalars_.find(name);
    double const v = given == scalars_.end() ? 1 : given->second;
    if (given == scalars_.end()) notes_.push_back(name + " counts as 1: no value is given for this parameter");
    if (!floating) {
      NumberRange const range = range_of(number);
      bool const fits = v == std::floor(v) && v >= static_cast<double>(range.least) && v <= static_cast<double>(range.most);
      if (!fits)
        fail(Wrong::number, span, "the parameter `" + name + "` is a whole number, and the launch gives " + short_text(v),
             v == std::floor(v) ? "its type has no such number" : "a part of it would be lost", "give a number that its type has");
    }
    return floating ? real(v, number) : whole(static_cast<std::int64_t>(v), number);
  };
  auto const boolean = [&]() -> RustValue {
    scalar_names_.insert(name);
    auto const given = scalars_.find(name);
    if (given == scalars_.end()) notes_.push_back(name + " counts as false: no value is given for this parameter");
    else if (given->second != 0 && given->second != 1)
      fail(Wrong::number, span, "the parameter `" + name + "` is a bool, and the launch gives " + short_text(given->second),
           "a bool is false or true", "give 0 or 1, false or true");
    return given != scalars_.end() && given->second != 0;
  };
  auto const is_floating_number = [](NumberType n) { return n == NumberType::f32 || n == NumberType::f64; };
  if (!t)
    fail(Wrong::type_needed, span, "the type of this parameter is not known", "a kernel's parameters are its interface", "write its type");
  switch (t->kind) {
    case TypeOf::Kind::context: return ContextPart{ContextPart::Kind::all};
    case TypeOf::Kind::launch_scalar: {
      if (t->element && t->element->kind == TypeOf::Kind::boolean) return boolean();
      if (t->element && t->element->kind == TypeOf::Kind::scalar)
        return scalar(is_floating(t->element->scalar), is_floating(t->element->scalar) ? NumberType::f32 : NumberType::i32);
      return scalar(t->element && is_floating_number(t->element->number), t->element ? t->element->number : NumberType::i32);
    }
    case TypeOf::Kind::number: return scalar(is_floating_number(t->number), t->number);
    case TypeOf::Kind::scalar: return scalar(is_floating(t->scalar), is_floating(t->scalar) ? NumberType::f32 : NumberType::i32);
    case TypeOf::Kind::boolean: return boolean();
    case TypeOf::Kind::tuple:
    case TypeOf::Kind::array: {
      Aggregate a;
      bool const tuple = t->kind == TypeOf::Kind::tuple;
      a.kind = tuple ? Aggregate::Kind::tuple : Aggregate::Kind::array;
      if (!tuple && (!t->length || *t->length < 0 || *t->length > 10'000))
        fail(Wrong::type_needed, span, "the length of the array `" + name + "` is not known", "a kernel has a fixed number of arguments",
             "write it as [T; N]");
      std::size_t const count = tuple ? t->items.size() : static_cast<std::size_t>(*t->length);
      for (std::size_t i = 0; i < count; ++i)
        a.items.push_back(parameter_of(tuple ? t->items[i] : t->element, name + "_" + std::to_string(i), span));
      return a;
    }
    case TypeOf::Kind::structure:
      return structure_of(*t->item, *t->module, t, [&](std::size_t i, const Ty& wanted) {
        return parameter_of(wanted, name + "_" + std::string(t->item->fields[i].name), span);
      });
    case TypeOf::Kind::tensor: break;
    default:
      fail(Wrong::unsupported, span, "a kernel takes no parameter of the type " + in_words(t),
           "tensors, numbers, tuples, arrays and structures of them are read",
           t->name == "Vec" ? "write it as an array, whose length is known: [T; N]" : "pass one of them");
  }
  if (t->memory != Memory::Hbm && t->memory != Memory::Dm)
    fail(Wrong::unsupported, span, std::string("a kernel takes a tensor in ") + name_of(t->memory),
         "register files hold nothing between kernels", "pass it in HBM");
  detail::Recording& r = recording();
  ir::Tensor made;
  made.memory = t->memory;
  made.name = name;
  made.role = ir::Role::argument;
  made.at = where(span);
  remember_span(made.at, span);
  if (!t->element || t->element->kind != TypeOf::Kind::scalar)
    fail(Wrong::type_needed, span, "the scalar of this tensor is not known", "a kernel's parameters are its interface",
         "write its type in full");
  made.type = t->element->scalar;
  auto const level = [&](Level l) {
    const MappingPtr& m = t->level[static_cast<std::size_t>(l)];
    if (!m)
      fail(Wrong::type_needed, span, std::string(name_of(l)) + " of this tensor is not known", "a kernel's parameters are its interface",
           "write its type in full");
    return r.module.intern(*m);
  };
  made.chip = level(Level::chip);
  made.element = level(Level::element);
  if (t->memory == Memory::Dm) made.cluster = level(Level::cluster), made.slice = level(Level::slice);
  throw_if_refused(ir::verify_tensor(r.module, device_, made));
  detail::Handle handle = r.add(std::move(made));
  r.module.arguments.push_back(handle.get()->id);
  return TensorValue{dyn::Tensor(std::move(handle))};
}

void Evaluator::results(const RustValue& given, const Span& span, std::vector<ir::TensorId>& out, int depth) {
  const RustValue& v = plain(given);
  if (v.as<Unit>() != nullptr) return;
  Span const& at = v.span.source != nullptr ? v.span : span;
  if (const Aggregate* const a = v.as<Aggregate>(); a != nullptr && depth < 20) {
    for (const RustValue& each : a->items) results(each, at, out, depth + 1);
    return;
  }
  if (v.as<Number>() != nullptr || v.as<bool>() != nullptr) return;
  const TensorValue* const t = v.as<TensorValue>();
  if (t == nullptr)
    fail(v.as<Deferred>() != nullptr ? Wrong::type_needed : Wrong::type_mismatch, at, "the kernel returns " + in_words(v),
         "only tensors in HBM and DM outlive their kernel", "copy it with to_hbm, and return that");
  detail::Recording& r = recording();
  ir::TensorId const id = r.id_of(t->tensor.node(), where(at));
  if (!detail::outlives_kernels(t->tensor.memory()) || !r.module.is_whole(id))
    fail(Wrong::type_mismatch, at, "the kernel returns " + in_words(v), "only whole tensors in HBM and DM outlive their kernel",
         "copy it with to_hbm, and return that");
  if (std::find(out.begin(), out.end(), id) != out.end()) return;
  ir::Tensor& made = r.module.tensors[id];
  if (made.role == ir::Role::temporary) made.role = ir::Role::result;
  out.push_back(id);
}

// The crate.

namespace {

/// The name itself: those of its folders say little and may be long.
std::string file_name_of(const std::string& path) {
  std::filesystem::path const p = std::filesystem::path(path).lexically_normal();
  std::string name = (p.has_filename() ? p : p.parent_path()).filename().string();
  for (char& c : name)
    if (c < ' ' || c == 0x7f) c = '?';
  return name.substr(0, 120);
}

}  // namespace

Expected<Crate> Crate::open(const std::string& given, UnsavedTexts unsaved) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path path = fs::path(given);
  if (fs::is_directory(path, failed)) {
    if (fs::is_regular_file(path / "Cargo.toml", failed)) path /= "Cargo.toml";
    else if (fs::is_regular_file(path / "lib.rs", failed)) path /= "lib.rs";
    else if (fs::is_regular_file(path / "src" / "lib.rs", failed)) path = path / "src" / "lib.rs";
    else if (fs::is_regular_file(path / "main.rs", failed)) path /= "main.rs";
    else
      return refuse("rust-file")
          .what("the folder '", file_name_of(given), "' has no Cargo.toml, lib.rs or main.rs")
          .why("a crate begins with one of them")
          .help("give the folder of a crate, its Cargo.toml, or one .rs file");
  }
  bool const is_unsaved = unsaved.contains(fs::absolute(path, failed).lexically_normal().string());
  if (!is_unsaved && !fs::is_regular_file(path, failed))
    return refuse("rust-file")
        .what("there is no file '", file_name_of(given), "'")
        .why("a crate is read from its files")
        .help("give the folder of a crate, its Cargo.toml, or one .rs file");
  auto tree = std::make_shared<CrateTree>();
  tree->unsaved = unsaved;
  if (path.filename() == "Cargo.toml") {
    Manifest const manifest = read_manifest(path);
    if (manifest.library.empty() && manifest.roots.empty() && manifest.members.empty())
      return refuse("rust-file")
          .what("the crate of '", file_name_of(given), "' has no src/lib.rs and no src/main.rs")
          .why("a crate begins with one of them, or with what Cargo.toml names, and a workspace has members")
          .help("give the folder of a crate, its Cargo.toml, or one .rs file");
    for (const fs::path& member : manifest.members)
      if (!fs::is_regular_file(member / "Cargo.toml", failed))
        return refuse("rust-file")
            .what("the member '", file_name_of(member.string()), "' of the workspace has no Cargo.toml")
            .why("each member of a workspace is a crate")
            .help("correct the list of members, or add the crate");
    tree->load(manifest);
    for (const fs::path& member : manifest.members) tree->load(read_manifest(member / "Cargo.toml"));
    tree->finish();
    return Crate(tree);
  }
  // A file of a crate is read with the crate around it, if it is part of one.
  fs::path const manifest = manifest_above(path);
  if (!manifest.empty()) {
    Manifest read = read_manifest(manifest);
    fs::path const inside = read.folder / fs::proximate(path, read.folder.empty() ? fs::path(".") : read.folder, failed);
    tree->load(read);
    tree->keep_kernels_of(inside);
    tree->finish();
    if (tree->has_file(inside)) return Crate(tree);
    Edition const edition = tree->edition;
    tree = std::make_shared<CrateTree>();
    tree->edition = edition;
    tree->unsaved = std::move(unsaved);
  }
  Manifest alone;
  alone.roots.push_back(path);
  tree->load(alone);
  tree->finish();
  return Crate(tree);
}

Expected<Crate> Crate::open_around(const std::string& file, const UnsavedTexts& unsaved) {
  std::filesystem::path const manifest = manifest_above(file);
  if (manifest.empty()) return open(file, unsaved);
  auto crate = open(manifest.string(), unsaved);
  bool const is_part = crate && crate->tree_->has_file(file);
  return is_part ? std::move(crate) : open(file, unsaved);
}

Crate Crate::of_text(const std::string& shown_name, const std::string& text, Edition edition) {
  auto tree = std::make_shared<CrateTree>();
  tree->edition = edition;
  tree->load_text(shown_name, text);
  tree->finish();
  return Crate(tree);
}

const std::vector<Kernel>& Crate::kernels() const { return tree_->kernels; }
std::vector<Helper> Crate::helpers() const {
  std::vector<Helper> all;
  for (const Item* helper : tree_->helpers) {
    Where const at = where(helper->name_span);
    all.push_back({std::string(helper->name), at.file, at.line});
  }
  return all;
}
const std::vector<SourceError>& Crate::errors() const { return tree_->errors; }
const std::vector<SourceNote>& Crate::notes() const { return tree_->notes; }
std::string Crate::generics_of(const Kernel& kernel) const {
  TCP_BUG_UNLESS(kernel.number < tree_->found.size(), "a kernel of another crate is asked for");
  std::string all;
  for (const GenericParameter& g : tree_->found[kernel.number].item->generics) {
    all += all.empty() ? "<" : ", ";
    if (g.kind == GenericParameter::Kind::constant) all += "const " + std::string(g.name) + ": " + std::string(g.type->span.text());
    else all += g.name;
  }
  return all.empty() ? all : all + ">";
}
Edition Crate::edition() const { return tree_->edition; }

SourceError Crate::error_at(const Refusal& refusal, const Kernel& kernel) const {
  Mistake m{refusal, {}};
  const Where& at = refusal.at;
  if (at.known())
    if (const SourceFile* const source = tree_->source_named(at.file); source != nullptr && at.line <= source->lines.size()) {
      // The rest of the line is underlined: where the call ends is not known here.
      std::size_t const begin = *offset_of(*source, at.line, at.column);
      std::size_t const end = std::min(source->text.find('\n', begin), source->text.size());
      m.span = {source, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }
  if (m.span.source == nullptr && kernel.number < tree_->found.size()) {
    m.span = tree_->found[kernel.number].item->name_span;
    m.refusal.at = where(m.span);
  }
  return tree_->error_of(m, kernel.name);
}

KernelReading Crate::read(const Kernel& kernel, const Device& device, const LaunchScalars& scalars) const {
  TCP_BUG_UNLESS(kernel.number < tree_->found.size(), "a kernel of another crate is read");
  return Evaluator(*tree_, kernel.number, device, scalars).read(kernel.arguments);
}

}  // namespace tcp::rust
