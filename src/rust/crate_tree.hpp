// A crate as a tree of modules, and how names are looked up in it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "rust/macros.hpp"
#include "rust/manifest.hpp"
#include "rust/parser.hpp"
#include "tcp/rust/crate.hpp"

namespace tcp::rust {

struct ModuleScope;

/// What a name means.
struct KnownName {
  enum class Kind : std::uint8_t { none, module, item, axis, external };
  Kind kind = Kind::none;
  ModuleScope* module = nullptr;  // it, or where the item stands
  const Item* item = nullptr;
  TokenRange size{};        // of an axis
  std::string_view name{};  // of an axis; of something that another crate brings, its name there
  Span span{};

  explicit operator bool() const { return kind != Kind::none; }
};

/// Types and modules share names with functions and constants: a module and a function may be called the same.
enum class Namespace : std::uint8_t { type, value };

/// A module, or the items of a block.
struct ModuleScope {
  ModuleScope* parent = nullptr;   // the module around it
  ModuleScope* lexical = nullptr;  // of a block: where names are looked for next
  ModuleScope* crate = nullptr;    // the root
  std::string path;                // a::b
  std::filesystem::path folder;    // where files of its modules stand
  std::filesystem::path file;      // that it is written in, if it has one of its own
  Edition edition{};               // of a root: what its manifest says
  std::set<std::string> features;  // of a root: those that are on
  std::map<std::string_view, KnownName> modules, types, values;
  std::map<std::string_view, const Item*> rules;
  std::vector<UseLeaf> uses;
  std::vector<const Item*> implementations;

  bool is_block() const { return lexical != nullptr; }
};

struct FoundKernel {
  const Item* item = nullptr;
  ModuleScope* module = nullptr;
};

struct Implementation {
  const Item* item = nullptr;
  ModuleScope* module = nullptr;
};

class CrateTree {
 public:
  /// Reads the files of a crate, beginning with its root.
  void load(const Manifest& manifest);
  void load_text(std::string shown_name, std::string text);
  /// Takes kernels of this file only; the others are there to be called.
  void keep_kernels_of(const std::filesystem::path& file);
  bool has_file(const std::filesystem::path& file) const;
  void finish();

  UnsavedTexts unsaved;
  Arena arena;
  Marks marks;
  std::vector<Kernel> kernels;
  std::vector<FoundKernel> found;    // beside kernels
  std::vector<const Item*> helpers;  // other functions that make commands
  std::vector<SourceError> errors;
  std::vector<SourceNote> notes;
  std::vector<Implementation> implementations;  // of all modules
  PassedOver passed_over;
  Edition edition;

  KnownName find(ModuleScope& from, std::string_view name, Namespace space) const;
  KnownName find(ModuleScope& from, const std::vector<std::string_view>& path, Namespace space) const;
  const Item* find_rules(const ModuleScope& from, std::string_view name) const;
  /// The enum that has this variant, if a `use` brought it in.
  KnownName find_variant(ModuleScope& from, std::string_view name) const;
  /// The module that a glob brings in, of this crate or of one that it depends on; null: none that is read.
  const ModuleScope* module_of(ModuleScope& from, const UseLeaf& glob) const;
  /// Whether the inside of cfg(...) holds.
  bool condition_holds(const TokenRange& tokens, BuildOf build = BuildOf::crate, int depth = 0) const;
  /// A text that stands in no file of the crate.
  const SourceFile& keep_text(std::string shown_name, std::string text);
  /// A module for the items of a block.
  ModuleScope& block_scope(ModuleScope& around, const BlockSyntax& block);
  void add_item(ModuleScope& to, const Item& item);
  const Tokens& expanded(const Item& rules, const TokenRange& arguments, const Span& call);
  const BlockSyntax* body_of(const Item& function);
  SourceError error_of(const Mistake& m, std::string kernel = {}) const;
  const SourceFile* source_named(const char* name) const;
  /// By what the name says, not by where it is kept.
  const SourceFile* source_called(const std::filesystem::path& file) const;
  /// The root of the crate that a file belongs to; null: of none.
  const ModuleScope* crate_of(const Span& place) const;
  /// The edition that a kernel's crate is written for; members of a workspace may have editions of their own.
  Edition edition_of(const ModuleScope& module) const { return module.crate->edition ? module.crate->edition : edition; }
  /// The module that this place of a file is in.
  ModuleScope* module_at(const Span& place) const;
  std::vector<std::shared_ptr<const std::string>> file_names() const;

 private:
  struct Pending {
    ModuleScope* module;
    const Item* call;
    int depth;
  };

  ModuleScope& new_module(ModuleScope* parent, std::string_view name);
  const SourceFile* read_file(const std::filesystem::path& file, std::string* why);
  void load_root(ModuleScope& root, const std::filesystem::path& file);
  void add_source(ModuleScope& to, const SourceFile& source);
  void add_items(ModuleScope& to, const std::vector<const Item*>& items);
  void add_axes(ModuleScope& to, const Item& axes);
  void load_module_file(ModuleScope& child, const Item& item, ModuleScope& parent);
  void expand_pending();
  void find_inner_kernels(ModuleScope& module, const Item& function);
  bool is_configured(const Item& item, BuildOf build = BuildOf::crate) const;
  static bool has_name_of(const ModuleScope& module, const Item& item);
  void declare(std::map<std::string_view, KnownName>& in, std::string_view name, const KnownName& entry);
  void include_file(ModuleScope& to, const Item& call);
  void add_note(const Span& span, std::string text);
  void note_attributes(const Item& function);
  void note_unknown_macro(const Item& call);
  class Search;
  static KnownName module_entry(ModuleScope& module);
  KnownName find_in(ModuleScope& module, std::string_view name, Namespace space, Search& search) const;
  KnownName find_imported(ModuleScope& module, std::string_view name, Namespace space, Search& search) const;
  KnownName first_of(ModuleScope& from, std::string_view name, Namespace space, Search& search) const;
  KnownName follow(ModuleScope& from, const std::vector<std::string_view>& path, Namespace space, Search& search) const;

  std::vector<std::shared_ptr<const SourceFile>> sources_;
  std::map<const SourceFile*, ModuleScope*> module_of_file_;
  std::vector<std::unique_ptr<ModuleScope>> modules_;
  std::map<std::string, ModuleScope*> libraries_;  // by crate name
  std::map<const BlockSyntax*, ModuleScope*> blocks_;
  std::map<const Item*, const BlockSyntax*> bodies_;
  std::vector<Pending> pending_;
  std::set<std::string> opened_;
  std::set<std::tuple<const ModuleScope*, std::string, std::string>> modules_read_;  // of a crate, a file as a module
  int expanding_ = 0;
  bool keep_first_ = false;  // what only tests have is added: a name that the crate has stays as it is
  bool in_block_ = false;    // items of a block are added: a mistake is one of the kernel that is read
  std::size_t expansions_ = 0;
};

}  // namespace tcp::rust
