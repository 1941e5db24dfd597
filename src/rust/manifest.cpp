// A reader of the few keys of Cargo.toml that decide where sources are and which edition they are written for. It
// takes TOML line by line; what it does not know it passes over.
#include "rust/manifest.hpp"

#include <algorithm>
#include <fstream>

namespace tcp::rust {

namespace fs = std::filesystem;

namespace {

std::string trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

/// The texts between quotes.
std::vector<std::string> quoted_in(std::string_view value) {
  std::vector<std::string> all;
  for (std::size_t at = 0; (at = value.find_first_of("\"'", at)) != value.npos;) {
    std::size_t const end = value.find(value[at], at + 1);
    if (end == value.npos) break;
    all.emplace_back(value.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return all;
}

/// `{ version = "0.5", path = "../x" }`: the text of one key; also of a plain `"0.5"`, which is a version.
std::string key_of(std::string_view value, std::string_view key) {
  if (!value.starts_with("{")) {
    auto const texts = quoted_in(value);
    return key == "version" && !texts.empty() ? texts[0] : "";
  }
  for (std::size_t at = 0; (at = value.find(key, at)) != value.npos; at += key.size()) {
    bool const begins = at > 0 && (value[at - 1] == ' ' || value[at - 1] == '{' || value[at - 1] == ',');
    std::size_t const equals = value.find_first_not_of(' ', at + key.size());
    if (!begins || equals == value.npos || value[equals] != '=') continue;
    auto const texts = quoted_in(value.substr(equals));
    return texts.empty() ? "" : texts[0];
  }
  return {};
}

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// "0.5.1", "^0.5", "=0.5": 5. The April edition is 0.1.
Edition edition_of(const std::string& version) {
  std::size_t const begin = version.find_first_of("0123456789");
  if (begin == version.npos) return {};
  std::string_view const digits = std::string_view(version).substr(begin);
  if (!digits.starts_with("0.") || digits.size() < 3 || digits[2] < '1' || digits[2] > '9') return {};
  if (digits.size() > 3 && digits[3] >= '0' && digits[3] <= '9') return {};
  int const minor = digits[2] - '0';
  return minor == 1 ? 0 : minor;
}

bool is_vendors(std::string_view crate) { return crate.starts_with("furiosa"); }
/// The crate that kernels are written for; the vendor has others, which count their versions by themselves.
bool is_of_kernels(std::string_view crate) { return crate.starts_with("furiosa-opt") || crate.starts_with("furiosa_opt"); }

/// What cargo has chosen, where the manifest leaves it open: the lock file of the crate, or of its workspace.
Edition locked_edition(fs::path folder) {
  std::error_code failed;
  folder = fs::absolute(folder, failed).lexically_normal();
  for (int up = 0; up < 12 && !fs::is_regular_file(folder / "Cargo.lock", failed); ++up) {
    if (folder == folder.parent_path()) return {};
    folder = folder.parent_path();
  }
  std::ifstream in(folder / "Cargo.lock");
  bool wanted = false;
  for (std::string line; std::getline(in, line);) {
    auto const texts = quoted_in(line);
    if (texts.empty()) continue;
    if (line.starts_with("name")) wanted = is_of_kernels(texts[0]);
    else if (wanted && line.starts_with("version"))
      if (Edition const edition = edition_of(texts[0])) return edition;
  }
  return {};
}

void add_rust_files(const fs::path& folder, std::vector<fs::path>& to) {
  std::error_code failed;
  std::vector<fs::path> all;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().extension() == ".rs") all.push_back(at->path());
    else if (fs::is_regular_file(at->path() / "main.rs", failed)) all.push_back(at->path() / "main.rs");
  }
  std::sort(all.begin(), all.end());
  to.insert(to.end(), all.begin(), all.end());
}

class ManifestReader {
 public:
  explicit ManifestReader(Manifest& m) : m_(m) {}

  void read(std::istream& in) {
    std::string value;
    for (std::string line; std::getline(in, line);) {
      std::string const text = trimmed(without_comment(line));
      if (text.empty()) continue;
      if (!key_.empty()) {  // an array or table over several lines
        value += " " + text;
      } else if (text[0] == '[') {
        std::size_t const begin = std::min(text.find_first_not_of('['), text.size()), end = text.find_last_not_of(']') + 1;
        table_ = end > begin ? trimmed(text.substr(begin, end - begin)) : "";
        continue;
      } else {
        std::size_t const equals = text.find('=');
        if (equals == text.npos) continue;
        key_ = trimmed(text.substr(0, equals));
        value = trimmed(text.substr(equals + 1));
      }
      if (!is_closed(value)) continue;
      entry(value);
      key_.clear();
    }
  }

 private:
  static std::string without_comment(const std::string& line) {
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (quote != '\0') quote = line[i] == quote ? '\0' : quote;
      else if (line[i] == '"' || line[i] == '\'') quote = line[i];
      else if (line[i] == '#') return line.substr(0, i);
    }
    return line;
  }
  static bool is_closed(const std::string& value) {
    auto const count = [&](char c) { return std::count(value.begin(), value.end(), c); };
    return count('[') <= count(']') && count('{') <= count('}');
  }

  void entry(const std::string& value) {
    auto const texts = quoted_in(value);
    std::string const first = texts.empty() ? "" : texts[0];
    if (table_ == "package" && key_ == "name" && m_.crate_name.empty()) m_.crate_name = with_underscores(first);
    if (table_ == "lib" && key_ == "name") m_.crate_name = with_underscores(first);
    if (table_ == "lib" && key_ == "path") m_.library = m_.folder / first;
    if ((table_ == "bin" || table_ == "example" || table_ == "test" || table_ == "bench") && key_ == "path")
      m_.roots.push_back(m_.folder / first);
    if (table_ == "workspace" || table_.starts_with("workspace.")) m_.is_workspace = true;
    if (table_ == "workspace" && key_ == "members")
      for (const std::string& member : texts) members(member);
    if (table_ == "workspace" && key_ == "exclude")
      for (const std::string& folder : texts) m_.excluded.push_back(m_.folder / folder);
    if (table_ == "features" && key_ == "default") m_.default_features.insert(texts.begin(), texts.end());
    if (table_.ends_with("dependencies")) dependency(key_, value);
    constexpr std::string_view one = "dependencies.";  // [dependencies.name]
    if (std::size_t const at = table_.rfind(one); at != table_.npos) {
      std::string const name = table_.substr(at + one.size());
      if (key_ == "version" || key_ == "tag") edition(name, first);
      if (key_ == "workspace") m_.inherited.insert(with_underscores(name));
      if (key_ == "path" && !is_vendors(name)) m_.path_dependencies[with_underscores(name)] = m_.folder / first;
    }
  }
  void dependency(const std::string& name, const std::string& value) {
    // name = { workspace = true }, name.workspace = true: what the workspace says of it.
    bool const inherits = name.ends_with(".workspace") || (value.starts_with("{") && value.find("workspace") != value.npos);
    if (inherits && table_ != "workspace.dependencies") m_.inherited.insert(with_underscores(name.substr(0, name.find('.'))));
    std::string const renamed = value.starts_with("{") ? key_of(value, "package") : "", crate = renamed.empty() ? name : renamed;
    std::string const path = is_vendors(crate) ? "" : key_of(value, "path");  // the vendor's names are known here
    if (std::size_t const dot = name.find('.'); dot != name.npos) {           // name.version = "…"
      if (name.substr(dot) == ".version") edition(name.substr(0, dot), key_of(value, "version"));
      if (auto const texts = quoted_in(value); name.substr(dot) == ".path" && !texts.empty() && !is_vendors(name))
        m_.path_dependencies[with_underscores(name.substr(0, dot))] = m_.folder / texts[0];
      return;
    }
    edition(crate, key_of(value, "version"));
    edition(crate, key_of(value, "tag"));  // of a repository
    if (!path.empty()) m_.path_dependencies[with_underscores(name)] = m_.folder / path;
  }
  void edition(const std::string& crate, const std::string& version) {
    Edition const said = edition_of(version);
    if (!said && is_of_kernels(crate) && version.find_first_of("0123456789") != version.npos) m_.unknown_edition = version;
    if (!said || !is_of_kernels(crate)) return;
    m_.edition = said;
    m_.is_least_edition = version.find('>') != version.npos;
  }
  /// Folders that a pattern such as `crates/*` or `kernels-?` names.
  void members(const std::string& pattern) {
    std::vector<fs::path> all{m_.folder};
    for (const fs::path& part : fs::path(pattern).lexically_normal()) {
      std::string const word = part.string();
      if (word.empty() || word == ".") continue;
      std::vector<fs::path> next;
      for (const fs::path& folder : all) {
        std::error_code failed;
        if (word.find_first_of("*?") == word.npos) {
          next.push_back(folder / word);
          continue;
        }
        fs::path const here = folder.empty() ? fs::path(".") : folder;
        for (fs::directory_iterator at(here, failed), end; !failed && at != end; at.increment(failed))
          if (at->is_directory(failed) && fits(at->path().filename().string(), word)) next.push_back(folder / at->path().filename());
      }
      std::sort(next.begin(), next.end());
      all = std::move(next);
    }
    bool const named = pattern.find_first_of("*?") == pattern.npos;
    for (const fs::path& folder : all) {
      std::error_code failed;
      if (named || fs::is_regular_file(folder / "Cargo.toml", failed)) m_.members.push_back(folder);
    }
  }
  static bool fits(std::string_view name, std::string_view pattern) {
    if (pattern.empty()) return name.empty();
    if (pattern[0] == '*') return fits(name, pattern.substr(1)) || (!name.empty() && fits(name.substr(1), pattern));
    return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) && fits(name.substr(1), pattern.substr(1));
  }

  Manifest& m_;
  std::string table_, key_;
};

}  // namespace

namespace {

/// What a member leaves to its workspace, whose manifest is in a folder above.
void inherit(Manifest& m) {
  std::error_code failed;
  fs::path folder = fs::absolute(m.folder, failed).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  for (int up = 0; up < 12 && folder != folder.parent_path(); ++up) {
    folder = folder.parent_path();
    if (!fs::is_regular_file(folder / "Cargo.toml", failed)) continue;
    Manifest above;
    above.folder = m.folder.is_absolute() ? folder : fs::proximate(folder, failed);
    std::ifstream in(folder / "Cargo.toml");
    ManifestReader(above).read(in);
    if (!above.is_workspace) continue;
    for (const std::string& name : m.inherited) {
      if (is_of_kernels(name)) m.edition = above.edition;
      if (auto const path = above.path_dependencies.find(name); path != above.path_dependencies.end()) m.path_dependencies.insert(*path);
    }
    return;
  }
}

}  // namespace

Manifest read_manifest(const fs::path& file) {
  Manifest m;
  m.folder = file.parent_path();
  std::ifstream in(file);
  ManifestReader(m).read(in);
  if (!m.inherited.empty()) inherit(m);
  if (!m.edition || m.is_least_edition)
    if (Edition const locked = locked_edition(m.folder)) m.edition = locked;
  std::error_code failed;
  if (m.library.empty() && fs::is_regular_file(m.folder / "src" / "lib.rs", failed)) m.library = m.folder / "src" / "lib.rs";
  if (fs::is_regular_file(m.folder / "src" / "main.rs", failed)) m.roots.push_back(m.folder / "src" / "main.rs");
  for (const char* folder : {"src/bin", "examples", "tests", "benches"}) add_rust_files(m.folder / folder, m.roots);
  for (fs::path& root : m.roots) root = root.lexically_normal();
  std::vector<fs::path> once;
  for (const fs::path& root : m.roots)
    if (std::find(once.begin(), once.end(), root) == once.end()) once.push_back(root);
  m.roots = std::move(once);
  // A member may be named twice, also by a pattern; what is excluded is none.
  std::vector<fs::path> members;
  for (const fs::path& given : m.members) {
    fs::path const member = (given / "").lexically_normal().parent_path();
    auto const is_it = [&](const fs::path& other) { return (other / "").lexically_normal().parent_path() == member; };
    bool const known = std::find(members.begin(), members.end(), member) != members.end();
    if (!known && std::none_of(m.excluded.begin(), m.excluded.end(), is_it)) members.push_back(member);
  }
  m.members = std::move(members);
  return m;
}

fs::path manifest_above(const fs::path& file) {
  std::error_code failed;
  fs::path folder = fs::absolute(file, failed).lexically_normal().parent_path();
  for (int up = 0; up < 12 && !folder.empty(); ++up) {
    if (fs::is_regular_file(folder / "Cargo.toml", failed)) {
      fs::path const near = fs::proximate(folder / "Cargo.toml", failed);  // as the file itself was given
      return file.is_absolute() || failed ? folder / "Cargo.toml" : near;
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

}  // namespace tcp::rust
