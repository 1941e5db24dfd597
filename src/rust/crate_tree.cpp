// Reads the files of a crate into a tree of modules, with the items that macros write, and finds its kernels. Names are
// looked up as Rust does it: in the module, then what `use` brings, then globs; in a block, then outside of it.
#include "rust/crate_tree.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include "rust/bindings.hpp"
#include "rust/vendor_words.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp::rust {

namespace fs = std::filesystem;

namespace {

/// How many bytes the first character has, in UTF-8; 0: it is none, or none that a terminal should be sent.
std::size_t printable_bytes(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  std::size_t const n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (n == 0 || first > 0xf4 || text.size() < n) return 0;
  unsigned point = first & (0xffu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3fu);
  }
  auto const within = [&](unsigned least, unsigned most) { return point >= least && point <= most; };
  bool const turns_text = within(0x200e, 0x200f) || within(0x202a, 0x202e) || within(0x2066, 0x2069);
  bool const written_longer = (n == 3 && point < 0x800) || (n == 4 && point < 0x10000);
  return point < 0xa0 || turns_text || written_longer || within(0xd800, 0xdfff) || point > 0x10ffff ? 0 : n;
}

/// Printable characters only: the names of files are shown to people.
std::string shown(const fs::path& file) {
  std::string const name = file.lexically_normal().string();
  std::string out;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t const n = printable_bytes(std::string_view(name).substr(i));
    out += n == 0 ? "?" : name.substr(i, n);
    i += std::max<std::size_t>(n, 1);
  }
  return out;
}

}  // namespace

ModuleScope& CrateTree::new_module(ModuleScope* parent, std::string_view name) {
  ModuleScope& m = *modules_.emplace_back(std::make_unique<ModuleScope>());
  m.parent = parent;
  m.crate = parent == nullptr ? &m : parent->crate;
  if (parent != nullptr) m.path = parent->path.empty() ? std::string(name) : parent->path + "::" + std::string(name);
  return m;
}

const SourceFile* CrateTree::read_file(const fs::path& file, std::string* why) {
  std::error_code failed;
  if (!unsaved.empty())
    if (auto const text = unsaved.find(fs::absolute(file, failed).lexically_normal().string()); text != unsaved.end()) {
      sources_.push_back(std::make_shared<const SourceFile>(shown(file), text->second));
      return sources_.back().get();
    }
  constexpr std::uintmax_t largest = 64u << 20;
  if (!fs::is_regular_file(file, failed)) {
    if (why != nullptr) *why = "there is no such file";
    return nullptr;
  }
  if (auto const size = fs::file_size(file, failed); failed || size > largest) {
    if (why != nullptr) *why = "it has more than 64 MiB";
    return nullptr;
  }
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) {
    if (why != nullptr) *why = "it cannot be read";
    return nullptr;
  }
  sources_.push_back(std::make_shared<const SourceFile>(shown(file), std::move(text).str()));
  return sources_.back().get();
}

void CrateTree::load(const Manifest& manifest) {
  arena.condition = [this](const TokenRange& inside, BuildOf build) { return condition_holds(inside, build); };
  if (manifest.edition) edition = manifest.edition;
  if (!manifest.edition && !manifest.unknown_edition.empty()) {
    const SourceFile& source = keep_text(shown(manifest.folder / "Cargo.toml"), "");
    add_note({&source, 0, 0}, "edition " + manifest.unknown_edition.substr(0, 40) +
                                  " is not known here: the names of all editions, April to 0.9, are taken");
  }
  auto const new_root = [&](const Manifest& of, const std::string& name) -> ModuleScope& {
    ModuleScope& root = new_module(nullptr, name);
    root.edition = of.edition;
    root.features = of.default_features;
    return root;
  };
  for (auto const& [name, folder] : manifest.path_dependencies) {
    std::error_code failed;
    if (libraries_.contains(name) || !fs::is_regular_file(folder / "Cargo.toml", failed)) continue;
    if (!opened_.insert(fs::weakly_canonical(folder, failed).string()).second) continue;
    Manifest const other = read_manifest(folder / "Cargo.toml");
    if (other.library.empty()) continue;
    std::size_t const kernels_before = found.size(), helpers_before = helpers.size();
    ModuleScope& root = new_root(other, name);
    libraries_[name] = &root;
    load_root(root, other.library);
    found.resize(kernels_before);  // they are read by a look at their own crate
    helpers.resize(helpers_before);
  }
  if (!manifest.library.empty()) {
    ModuleScope& root = new_root(manifest, manifest.crate_name);
    libraries_[manifest.crate_name] = &root;
    load_root(root, manifest.library);
  }
  for (const fs::path& file : manifest.roots) load_root(new_root(manifest, ""), file);
}

void CrateTree::load_root(ModuleScope& root, const fs::path& file) {
  std::string why;
  std::error_code unknown;
  root.folder = file.parent_path();
  root.file = fs::weakly_canonical(file, unknown);
  const SourceFile* const source = read_file(file, &why);
  if (source == nullptr) {
    sources_.push_back(std::make_shared<const SourceFile>(shown(file), ""));
    Mistake m = mistake(Wrong::file, {sources_.back().get(), 0, 0}, "the crate's file cannot be read: ", why);
    m.refusal.why("its manifest names it, or Cargo looks there").help("correct the path in Cargo.toml");
    errors.push_back(error_of(m));
    return;
  }
  // A file that is no root of a crate has its modules in a folder of its own name.
  std::string const stem = file.stem().string();
  std::error_code failed;
  bool const root_name = stem == "lib" || stem == "main" || stem == "mod";
  if (!root_name && fs::is_directory(root.folder / stem, failed)) root.folder /= stem;
  add_source(root, *source);
}

void CrateTree::load_text(std::string shown_name, std::string text) {
  arena.condition = [this](const TokenRange& inside, BuildOf build) { return condition_holds(inside, build); };
  add_source(new_module(nullptr, ""), keep_text(std::move(shown_name), std::move(text)));
}

const SourceFile& CrateTree::keep_text(std::string shown_name, std::string text) {
  sources_.push_back(std::make_shared<const SourceFile>(std::move(shown_name), std::move(text)));
  return *sources_.back();
}

void CrateTree::add_source(ModuleScope& to, const SourceFile& source) {
  module_of_file_.emplace(&source, &to);
  try {
    const Tokens& tokens = arena.keep(lex(source));
    Parser parser(arena, range_of(tokens), &passed_over);
    auto const items = parser.items_to_end();
    for (const Mistake& m : std::exchange(passed_over.kernels, {})) errors.push_back(error_of(m));
    add_items(to, items);
  } catch (const Mistake& m) {
    for (const Mistake& before : std::exchange(passed_over.kernels, {})) errors.push_back(error_of(before));
    errors.push_back(error_of(m));
  }
}

/// Two items of one name in one module are a slip; under `cfg`, one of them is for another machine.
void CrateTree::declare(std::map<std::string_view, KnownName>& in, std::string_view name, const KnownName& entry) {
  auto const [at, fresh] = in.try_emplace(name, entry);
  if (fresh || keep_first_) return;
  auto const conditional = [](const KnownName& n) { return n.item != nullptr && n.item->attribute("cfg") != nullptr; };
  bool const same_place = at->second.span.source == entry.span.source && at->second.span.begin == entry.span.begin;
  if (name != "_" && !conditional(entry) && !conditional(at->second) && !same_place) {
    Where const first = where(at->second.span);
    Mistake m = mistake(Wrong::duplicate, entry.span, entry.kind == KnownName::Kind::axis ? "the axis `" : "the name `", name,
                        "` is declared twice");
    m.refusal.why("the first one is in line ", first.line, first.file == nullptr ? "" : " of ", first.file == nullptr ? "" : first.file)
        .help("give one of them another name, or take it out");
    if (in_block_) throw m;
    errors.push_back(error_of(m));
  }
  at->second = entry;
}

void CrateTree::add_note(const Span& span, std::string text) {
  SourceError const e = error_of(Mistake{refusal_of(Wrong::macro), span});
  SourceNote n;
  n.at = where(span);
  n.end_line = e.end_line;
  n.end_column = e.end_column;
  n.line_text = e.line_text;
  n.text = std::move(text);
  for (char& c : n.text)
    if (c < ' ' || c > '~') c = '?';
  notes.push_back(std::move(n));
}

/// `#[devise]` makes a function no kernel, without a word.
void CrateTree::note_attributes(const Item& function) {
  static constexpr std::string_view of_rust[] = {"derive", "deprecated", "doc", "test", "inline", "bench", "cold"};
  for (const Attribute& a : function.attributes) {
    std::string_view const name = a.name();
    if (name == "device" || std::find(std::begin(of_rust), std::end(of_rust), name) != std::end(of_rust)) continue;
    if (edit_distance(name.substr(0, 60), "device") > 2) continue;
    add_note(a.tokens.span(), "`#[" + std::string(name) + "]` is not a known attribute, and `" + std::string(function.name) +
                                  "` is not read as a kernel; did you mean `#[device(chip = 1)]`?");
  }
}

/// A macro of another crate writes items for the host; one with nearly the name of a known one is a slip.
void CrateTree::note_unknown_macro(const Item& call) {
  std::string best = "axes";
  std::size_t distance = edit_distance(call.name.substr(0, 60), "axes");
  for (auto const& m : modules_)
    for (auto const& [name, rules] : m->rules)
      if (std::size_t const d = edit_distance(call.name.substr(0, 60), name.substr(0, 60)); d < distance) distance = d, best = name;
  bool has_kernel = false;
  for (std::size_t i = 0; i + 2 < call.body.size(); ++i)
    has_kernel |= call.body[i].is('#') && call.body[i + 1].is('[') && call.body[i + 2].is_word("device");
  bool const near = distance <= (call.name.size() < 4 ? 1u : 2u);
  if (!near && !has_kernel) return;
  add_note(call.name_span, "the macro `" + std::string(call.name.substr(0, 60)) + "!` is not known, and what it would write is not read" +
                               (near ? "; did you mean `" + best + "!`?" : "; kernels are inside of it"));
}

/// include!("file.rs"): its items are those of the module that includes it.
void CrateTree::include_file(ModuleScope& to, const Item& call) {
  if (call.body.empty() || call.body[0].kind != TokenKind::string || call.body[0].text.size() < 3 || call.span.source == nullptr) return;
  std::string_view const name = call.body[0].text.substr(1, call.body[0].text.size() - 2);
  fs::path const file = fs::path(call.span.source->name).parent_path() / name;
  std::error_code failed;
  if (!modules_read_.insert({to.crate, fs::weakly_canonical(file, failed).string(), "include " + to.path}).second) return;
  std::string why;
  if (const SourceFile* const source = read_file(file, &why)) return add_source(to, *source);
  Mistake m = mistake(Wrong::file, call.body[0].span, "the file ", shown(file), " cannot be included: ", why);
  m.refusal.why("include! names a file beside the one that it is written in").help("correct the name, or add the file");
  errors.push_back(error_of(m));
}

/// Whether a module has something of an item's name. Of axes each is looked at when it is declared.
bool CrateTree::has_name_of(const ModuleScope& module, const Item& item) {
  switch (item.kind) {
    case Item::Kind::module: return module.modules.contains(item.name);
    case Item::Kind::alias:
    case Item::Kind::enumeration:
    case Item::Kind::trait:
    case Item::Kind::structure: return module.types.contains(item.name);
    case Item::Kind::constant:
    case Item::Kind::function: return module.values.contains(item.name);
    case Item::Kind::rules: return module.rules.contains(item.name);
    default: return false;
  }
}

namespace {

/// Sets a flag for as long as it lives.
struct KeepFirst {
  KeepFirst(bool& flag, bool value) : flag_(flag), before_(std::exchange(flag, value)) {}
  KeepFirst(const KeepFirst&) = delete;
  KeepFirst& operator=(const KeepFirst&) = delete;
  ~KeepFirst() { flag_ = before_; }

 private:
  bool& flag_;
  bool before_;
};

}  // namespace

/// The items of the crate as it is built. What only its tests have is read as well, since kernels are in tests, too;
/// where both have something of one name, that of the crate counts.
void CrateTree::add_items(ModuleScope& to, const std::vector<const Item*>& items) {
  for (const Item* item : items)
    if (is_configured(*item)) add_item(to, *item);
  for (const Item* item : items) {
    if (is_configured(*item) || !is_configured(*item, BuildOf::tests) || has_name_of(to, *item)) continue;
    KeepFirst const first(keep_first_, item->kind == Item::Kind::macro && item->name == "axes");
    add_item(to, *item);
  }
}

namespace {

/// Whether a function of the host's would not have these words.
bool makes_commands(const Item& function) {
  constexpr std::string_view words[] = {"tdma",   "begin",  "begin_interleaved", "vector_init", "vector_final",
                                        "to_trf", "to_vrf", "fetch_cast"};
  auto const has = [&](std::string_view word) {
    return std::any_of(function.body.begin(), function.body.end(), [&](const Token& t) { return t.is_word(word); });
  };
  return function.name != "main" && std::any_of(std::begin(words), std::end(words), has) &&
         !has("device");  // what has kernels inside is no helper
}

}  // namespace

void CrateTree::add_item(ModuleScope& to, const Item& item) {
  KnownName entry;
  entry.kind = KnownName::Kind::item;
  entry.module = &to;
  entry.item = &item;
  entry.span = item.name_span;
  switch (item.kind) {
    case Item::Kind::use: to.uses.insert(to.uses.end(), item.uses.begin(), item.uses.end()); break;
    case Item::Kind::module: {
      ModuleScope& child = new_module(to.is_block() ? to.parent : &to, item.name);
      if (to.is_block()) child.parent = &to;
      child.folder = to.folder / std::string(item.name);
      entry.kind = KnownName::Kind::module;
      entry.module = &child;
      declare(to.modules, item.name, entry);
      if (item.has_body) add_items(child, item.items);
      else load_module_file(child, item, to);
      break;
    }
    case Item::Kind::alias:
    case Item::Kind::enumeration:
    case Item::Kind::trait: declare(to.types, item.name, entry); break;
    case Item::Kind::structure:
      declare(to.types, item.name, entry);
      if (item.is_tuple) to.values[item.name] = entry;
      break;
    case Item::Kind::constant: declare(to.values, item.name, entry); break;
    case Item::Kind::function:
      declare(to.values, item.name, entry);
      note_attributes(item);
      if (item.attribute("device") != nullptr && item.has_body) found.push_back({&item, &to});
      else if (!to.is_block() && makes_commands(item)) helpers.push_back(&item);
      find_inner_kernels(to, item);
      break;
    case Item::Kind::implementation:
      to.implementations.push_back(&item);
      implementations.push_back({&item, &to});
      for (const Item* member : item.items)
        if (member->kind == Item::Kind::function && member->attribute("device") != nullptr)
          add_note(member->name_span,
                   "`" + std::string(member->name) +
                       "` is marked #[device], and is read where it is called: a kernel is a function of its own, outside of an impl");
      break;
    case Item::Kind::rules: to.rules[item.name] = &item; break;
    case Item::Kind::macro:
      if (item.name == "axes") add_axes(to, item);
      else if (item.name == "include") include_file(to, item);
      else pending_.push_back({&to, &item, expanding_});
      break;
    case Item::Kind::other: break;
  }
}

/// A kernel may stand inside a function, as in programs that put everything into main.
void CrateTree::find_inner_kernels(ModuleScope& module, const Item& function) {
  if (!function.has_body) return;
  bool inner = false;
  for (std::size_t i = 0; i + 2 < function.body.size() && !inner; ++i) {
    if (!function.body[i].is('#') || !function.body[i + 1].is('[')) continue;
    for (std::size_t word = i + 2; word < function.body.size() && word < i + 6 && !function.body[word].is(']'); ++word)
      inner |= function.body[word].is_word("device");
  }
  if (!inner) return;
  try {
    block_scope(module, *body_of(function));
  } catch (const Mistake& m) {
    errors.push_back(error_of(m, std::string(function.name)));
  }
}

ModuleScope& CrateTree::block_scope(ModuleScope& around, const BlockSyntax& block) {
  auto const known = blocks_.find(&block);
  if (known != blocks_.end()) return *known->second;
  bool any = false;
  for (const Statement& s : block.statements) any |= s.kind == Statement::Kind::item;
  if (!any) return *(blocks_[&block] = &around);
  ModuleScope& scope = new_module(around.is_block() ? around.parent : &around, "");
  scope.parent = around.is_block() ? around.parent : &around;
  scope.path = around.path;
  scope.lexical = &around;
  scope.folder = around.folder;
  blocks_[&block] = &scope;
  bool const around_it = std::exchange(in_block_, true);
  try {
    std::vector<const Item*> items;
    for (const Statement& s : block.statements)
      if (s.kind == Statement::Kind::item) items.push_back(s.item);
    add_items(scope, items);
  } catch (const Mistake&) {  // to be said again, should the kernel be read once more
    blocks_.erase(&block);
    in_block_ = around_it;
    throw;
  }
  in_block_ = around_it;
  expand_pending();
  return scope;
}

void CrateTree::add_axes(ModuleScope& to, const Item& axes) {
  Parser p(arena, axes.body);
  try {
    while (!p.done()) {
      while (p.is("#") && p.is("[", 1)) {
        p.take("#");
        p.group();
      }
      p.visibility();
      const Token& name = p.name();
      if (p.is(":")) {  // said once; the axis is declared all the same
        try {
          p.fail("`=`");
        } catch (const Mistake& m) {
          if (in_block_) throw;
          errors.push_back(error_of(m));
        }
        p.take(":");
      } else {
        p.want("=");
      }
      std::size_t const begin = p.position();
      while (!p.done() && !p.is(",")) p.token_tree();
      KnownName entry;
      entry.kind = KnownName::Kind::axis;
      entry.module = &to;
      entry.name = name.text;
      entry.span = name.span;
      entry.size = {axes.body.first + begin, axes.body.first + p.position(), name.span};
      declare(to.types, name.text, entry);
      if (!p.take(",") && !p.done()) p.fail("`,`");
    }
  } catch (const Mistake& m) {
    if (in_block_) throw;
    errors.push_back(error_of(m));
  }
}

void CrateTree::load_module_file(ModuleScope& child, const Item& item, ModuleScope& parent) {
  std::string const name(item.name);
  std::vector<fs::path> tried;
  if (const Attribute* const path = item.attribute("path"); path != nullptr && path->tokens.size() == 3) {
    std::string_view const text = path->tokens[2].text;
    if (text.size() > 2) tried.push_back(parent.folder / text.substr(1, text.size() - 2));
  } else {
    tried = {parent.folder / (name + ".rs"), parent.folder / name / "mod.rs"};
  }
  for (const fs::path& file : tried) {
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) continue;
    if (!modules_read_.insert({parent.crate, fs::weakly_canonical(file, failed).string(), child.path}).second) return;
    fs::path const whole_path = fs::weakly_canonical(file, failed);
    for (const ModuleScope* around = &parent; around != nullptr; around = around->parent)
      if (around->file == whole_path) {
        Mistake m = mistake(Wrong::file, item.name_span, "the module ", item.name, " is the file ", shown(file), ", which it is in itself");
        m.refusal.why("such modules would never end").help("name another file, or take the line out");
        errors.push_back(error_of(m));
        return;
      }
    child.file = whole_path;
    std::string why;
    const SourceFile* const source = read_file(file, &why);
    if (source == nullptr) continue;
    if (item.attribute("path") != nullptr) child.folder = file.parent_path();
    return add_source(child, *source);
  }
  if (tried.empty()) return;
  Mistake m = mistake(Wrong::file, item.name_span, "the module ", item.name, " has no file: ", shown(tried[0]), " is not there");
  m.refusal.why("a `mod` without a body is a file of its name").help("add the file, or take the line out");
  errors.push_back(error_of(m));
}

const Tokens& CrateTree::expanded(const Item& rules, const TokenRange& arguments, const Span& call) {
  constexpr std::size_t most = 100'000;
  if (++expansions_ > most) {
    Mistake m = mistake(Wrong::macro, call, "macros were expanded more than ", most, " times");
    m.refusal.why("a macro that calls itself without end never stops").help("look for the rule that ends `", rules.name, "!`");
    throw m;
  }
  return arena.keep(expand(arena, marks, rules, arguments, call));
}

void CrateTree::expand_pending() {
  constexpr int deepest = 64;
  while (!pending_.empty()) {
    auto const calls = std::exchange(pending_, {});
    for (const Pending& p : calls) {
      const Item* const rules = find_rules(*p.module, p.call->name);
      if (rules == nullptr) {  // of another crate, for the host
        note_unknown_macro(*p.call);
        continue;
      }
      try {
        if (p.depth >= deepest) {
          Mistake m = mistake(Wrong::macro, p.call->span, "macros call each other more than ", deepest, " deep");
          m.refusal.why("a macro that calls itself without end never stops").help("look for the rule that ends `", rules->name, "!`");
          throw m;
        }
        const Tokens& tokens = expanded(*rules, p.call->body, p.call->span);
        expanding_ = p.depth + 1;
        Parser parser(arena, range_of(tokens), &passed_over);
        auto const items = parser.items_to_end();
        for (const Mistake& m : std::exchange(passed_over.kernels, {})) errors.push_back(error_of(m));
        add_items(*p.module, items);
      } catch (const Mistake& m) {
        errors.push_back(error_of(m));
      }
      expanding_ = 0;
    }
  }
}

const Item* CrateTree::find_rules(const ModuleScope& from, std::string_view name) const {
  for (const ModuleScope* m = &from; m != nullptr; m = m->is_block() ? m->lexical : m->parent)
    if (auto const at = m->rules.find(name); at != m->rules.end()) return at->second;
  for (auto const& m : modules_)  // #[macro_use], #[macro_export]
    if (auto const at = m->rules.find(name); at != m->rules.end()) return at->second;
  return nullptr;
}

const ModuleScope* CrateTree::crate_of(const Span& place) const {
  auto const of = module_of_file_.find(place.source);
  return of == module_of_file_.end() ? nullptr : of->second->crate;
}

const BlockSyntax* CrateTree::body_of(const Item& function) {
  auto const known = bodies_.find(&function);
  if (known != bodies_.end()) return known->second;
  Parser parser(arena, function.body);
  const BlockSyntax* const body = parser.block();
  bodies_[&function] = body;
  return body;
}

// Names.

/// The names that are being looked for: none is looked for once more on the way, as globs that import each other
/// would have it.
class CrateTree::Search {
 public:
  /// False: it is being looked for already, or the search has taken too long.
  bool enter(const ModuleScope& module, std::string_view name, Namespace space) {
    return ++steps_ < 20'000 && open_.emplace(&module, name, space).second;
  }
  void leave(const ModuleScope& module, std::string_view name, Namespace space) { open_.erase({&module, name, space}); }

 private:
  std::set<std::tuple<const ModuleScope*, std::string_view, Namespace>> open_;
  int steps_ = 0;
};

KnownName CrateTree::find(ModuleScope& from, std::string_view name, Namespace space) const {
  for (ModuleScope* m = &from; m != nullptr; m = m->lexical) {
    Search search;
    if (KnownName const e = find_in(*m, name, space, search)) return e;
  }
  return {};
}

KnownName CrateTree::find_in(ModuleScope& module, std::string_view name, Namespace space, Search& search) const {
  const auto& own = space == Namespace::type ? module.types : module.values;
  if (auto const at = own.find(name); at != own.end()) return at->second;
  if (space == Namespace::type)
    if (auto const at = module.modules.find(name); at != module.modules.end()) return at->second;
  if (!search.enter(module, name, space)) return {};
  KnownName const imported = find_imported(module, name, space, search);
  search.leave(module, name, space);
  return imported;
}

KnownName CrateTree::find_imported(ModuleScope& module, std::string_view name, Namespace space, Search& search) const {
  for (const UseLeaf& use : module.uses)
    if (use.name == name)
      if (KnownName const e = follow(module, use.path, space, search)) return e;
  for (const UseLeaf& use : module.uses) {
    if (!use.name.empty()) continue;
    KnownName const m = follow(module, use.path, Namespace::type, search);
    if (m.kind != KnownName::Kind::module) continue;
    if (KnownName const e = find_in(*m.module, name, space, search)) return e;
  }
  return {};
}

KnownName CrateTree::module_entry(ModuleScope& module) {
  KnownName e;
  e.kind = KnownName::Kind::module;
  e.module = &module;
  return e;
}

/// The first name of a path that begins nowhere in particular.
KnownName CrateTree::first_of(ModuleScope& from, std::string_view name, Namespace space, Search& search) const {
  for (ModuleScope* m = &from; m != nullptr; m = m->lexical) {
    if (auto const own = m->modules.find(name); own != m->modules.end() && space == Namespace::type) return own->second;
    if (KnownName const e = find_in(*m, name, space, search)) return e;
  }
  auto const library = libraries_.find(std::string(name));
  return library == libraries_.end() ? KnownName{} : module_entry(*library->second);
}

KnownName CrateTree::follow(ModuleScope& from, const std::vector<std::string_view>& path, Namespace space, Search& search) const {
  ModuleScope* at = from.is_block() ? from.parent : &from;
  std::size_t i = 0;
  for (; i < path.size(); ++i) {
    if (path[i] == "crate") at = at->crate;
    else if (path[i] == "super") at = at->parent != nullptr ? at->parent : at;
    else if (path[i] != "self") break;
  }
  if (i == path.size()) return module_entry(*at);
  for (std::size_t const anchors = i; i < path.size(); ++i) {
    bool const last = i + 1 == path.size();
    Namespace const wanted = last ? space : Namespace::type;
    KnownName next;
    if (i == 0 && anchors == 0) {
      next = first_of(from, path[0], wanted, search);
      if (!next || next.kind == KnownName::Kind::external) {  // of another crate
        next.kind = KnownName::Kind::external;
        next.name = path.back();
        return path.size() == 1 ? KnownName{} : next;
      }
    } else {
      auto const own = at->modules.find(path[i]);  // a module, though a type may have its name
      next = own != at->modules.end() && !last ? own->second : find_in(*at, path[i], wanted, search);
    }
    if (!next || last) return next;
    if (next.kind == KnownName::Kind::external) next.name = path.back();
    if (next.kind != KnownName::Kind::module) return next.kind == KnownName::Kind::external ? next : KnownName{};
    at = next.module;
  }
  return {};
}

KnownName CrateTree::find(ModuleScope& from, const std::vector<std::string_view>& path, Namespace space) const {
  if (path.empty()) return {};
  if (path.size() == 1 && path[0] != "crate" && path[0] != "self" && path[0] != "super") return find(from, path[0], space);
  Search search;
  return follow(from, path, space, search);
}

KnownName CrateTree::find_variant(ModuleScope& from, std::string_view name) const {
  auto const of_enum = [&](ModuleScope& module, const std::vector<std::string_view>& path) -> KnownName {
    Search search;
    KnownName const e = follow(module, path, Namespace::type, search);
    if (e.kind != KnownName::Kind::item || e.item->kind != Item::Kind::enumeration) return {};
    const auto& all = e.item->variants;
    return std::find(all.begin(), all.end(), name) == all.end() ? KnownName{} : e;
  };
  for (ModuleScope* m = &from; m != nullptr; m = m->lexical)
    for (const UseLeaf& use : m->uses) {
      if (!use.name.empty() && (use.name != name || use.path.size() < 2 || use.path.back() != name)) continue;
      std::vector<std::string_view> path = use.path;
      if (!use.name.empty()) path.pop_back();
      if (KnownName const e = of_enum(*m, path)) return e;
    }
  return {};
}

const ModuleScope* CrateTree::module_of(ModuleScope& from, const UseLeaf& glob) const {
  Search search;
  KnownName const e = follow(from, glob.path, Namespace::type, search);
  return e.kind == KnownName::Kind::module ? e.module : nullptr;
}

// Conditions.

bool CrateTree::is_configured(const Item& item, BuildOf build) const {
  for (const Attribute& a : item.attributes)
    if (a.name() == "cfg" && a.tokens.size() > 3 && !condition_holds({a.tokens.first + 2, a.tokens.last - 1, a.tokens.closing}, build))
      return false;
  return true;
}

/// A condition on this machine with the crate's own features; a key that is not known holds.
bool CrateTree::condition_holds(const TokenRange& tokens, BuildOf build, int depth) const {
  if (tokens.empty() || depth > 20) return true;
  std::string_view const word = tokens[0].text;
  if (tokens.size() >= 3 && tokens[1].is('(')) {
    std::vector<bool> parts;
    const Token* begin = tokens.first + 2;
    int level = 0;
    for (const Token* t = begin; t < tokens.last; ++t) {
      if (t->is('(')) ++level;
      if (t->is(')')) --level;
      bool const ends = (t->is(',') && level == 0) || level < 0;
      if (!ends) continue;
      if (t > begin) parts.push_back(condition_holds({begin, t, tokens.closing}, build, depth + 1));
      begin = t + 1;
    }
    if (word == "not") return parts.empty() || !parts[0];
    if (word == "any") return std::find(parts.begin(), parts.end(), true) != parts.end();
    return std::find(parts.begin(), parts.end(), false) == parts.end();
  }
  if (word == "feature" && tokens.size() == 3 && tokens[2].text.size() > 2) {
    const ModuleScope* const crate = crate_of(tokens[0].span);
    return crate != nullptr && crate->features.contains(std::string(tokens[2].text.substr(1, tokens[2].text.size() - 2)));
  }
  if (word == "test") return build == BuildOf::tests;
  if (word == "windows" || word == "target_arch" || word == "miri" || word == "loom") return false;
  return true;
}

// Kernels and errors.

void CrateTree::keep_kernels_of(const fs::path& file) {
  std::string const name = shown(file);
  expand_pending();
  std::erase_if(found, [&](const FoundKernel& k) { return k.item->name_span.source == nullptr || k.item->name_span.source->name != name; });
  helpers.clear();  // kernels of other files may call them
}

bool CrateTree::has_file(const fs::path& file) const { return source_called(file) != nullptr; }

void CrateTree::finish() {
  expand_pending();
  kernels.clear();
  for (const FoundKernel& f : found) {
    Kernel k;
    k.name = std::string(f.item->name);
    Where const at = where(f.item->name_span);
    k.file = at.file;
    k.line = at.line;
    k.generic = !f.item->generics.empty();
    k.number = kernels.size();
    kernels.push_back(std::move(k));
  }
  std::map<std::string, int> count;
  for (const Kernel& k : kernels) ++count[k.name];
  std::set<std::string> taken;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    Kernel& k = kernels[i];
    const std::string& module = found[i].module->path;
    k.path = module.empty() ? k.name : module + "::" + k.name;
    if (count[k.name] > 1) k.name = module.empty() ? "crate::" + k.name : k.path;
    if (taken.contains(k.name)) k.name = k.name + "@" + fs::path(k.file).filename().string() + ":" + std::to_string(k.line);
    taken.insert(k.name);
  }
}

SourceError CrateTree::error_of(const Mistake& m, std::string kernel) const {
  SourceError e;
  e.refusal = m.refusal;
  bool const of_the_chip = !std::string_view(m.refusal.code).starts_with("rust-");
  const ModuleScope* const crate = crate_of(m.span);
  Edition const said = crate != nullptr ? edition_of(*crate) : edition;
  int const spoken = said ? *said : m.span.source != nullptr ? edition_in_use(m.span.source->text) : latest;
  for (Text* part : {&e.refusal.headline, &e.refusal.note, &e.refusal.advice}) {
    if (of_the_chip) *part = Text(in_words_of(spoken, m.refusal.code, part->view()));
    for (int i = 0; i < part->n; ++i)  // words of the source may be in any script
      if (part->s[i] < ' ' || part->s[i] > '~') part->s[i] = '?';
  }
  e.kernel = std::move(kernel);
  if (m.span.source == nullptr) return e;
  const SourceFile& source = *m.span.source;
  std::uint32_t const end = std::min<std::uint32_t>(std::max(m.span.end, m.span.begin), static_cast<std::uint32_t>(source.text.size()));
  Where const last = where({m.span.source, end, end});
  e.end_line = last.line;
  e.end_column = last.column;
  Where const first = where(m.span);
  std::size_t const begin = source.lines[first.line - 1];
  e.line_text = source.text.substr(begin, source.text.find('\n', begin) - begin);
  while (!e.line_text.empty() && e.line_text.back() == '\r') e.line_text.pop_back();
  if (e.line_text.size() > 400) e.line_text.resize(400);
  return e;
}

const SourceFile* CrateTree::source_named(const char* name) const {
  for (auto const& s : sources_)
    if (s->name.c_str() == name) return s.get();
  return nullptr;
}

const SourceFile* CrateTree::source_called(const fs::path& file) const {
  std::string const name = shown(file);
  auto const found_at = std::find_if(sources_.begin(), sources_.end(), [&](const auto& s) { return s->name == name; });
  return found_at == sources_.end() ? nullptr : found_at->get();
}

ModuleScope* CrateTree::module_at(const Span& place) const {
  auto const file = module_of_file_.find(place.source);
  if (file == module_of_file_.end()) return nullptr;
  ModuleScope* at = file->second;
  auto const holds = [&](const KnownName& m) {
    return m.item != nullptr && m.item->has_body && m.item->span.source == place.source && m.item->span.begin <= place.begin &&
           place.begin < m.item->span.end;
  };
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (auto const& [name, m] : at->modules)
      if (holds(m)) {
        at = m.module;
        deeper = true;
        break;
      }
  }
  return at;
}

std::vector<std::shared_ptr<const std::string>> CrateTree::file_names() const {
  std::vector<std::shared_ptr<const std::string>> all;
  for (auto const& s : sources_) all.emplace_back(s, &s->name);
  return all;
}

}  // namespace tcp::rust
