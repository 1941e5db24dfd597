// Builds the tree of a JSON text from what the JSON library reports, with the line of every key; texts that are too
// large or too deep for a chip file are refused.
#include "device/json_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace tcp::device_file {

std::string shown(std::string_view text, std::size_t room) {
  std::string out;
  for (char c : text.substr(0, room)) out += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > room) out.replace(room - 3, 3, "...");
  return out;
}

std::string shown_place(std::string_view file, unsigned line) {
  constexpr std::size_t room = 80;  // the end of a path says most
  std::string place = file.size() > room ? "..." + shown(file.substr(file.size() - room + 3), room) : shown(file, room);
  if (line != 0) place += ":" + std::to_string(line);
  return place + ": ";
}

namespace {

// Far beyond any chip file; what is larger is not worth reading on.
constexpr std::size_t deepest = 8;
constexpr std::size_t most_children = 1000;

/// Reads characters and counts the lines it has passed.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(std::string_view::iterator at, unsigned* line) : at_(at), line_(line) {}

  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    if (*at_ == '\n') ++*line_;
    ++at_;
    return *this;
  }
  LineCounter operator++(int) {
    LineCounter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCounter& o) const { return at_ == o.at_; }
  bool operator!=(const LineCounter& o) const { return at_ != o.at_; }

 private:
  std::string_view::iterator at_;
  unsigned* line_;
};

/// Builds the tree from what the JSON library reports. A report that returns false ends the parse; refusal() then says
/// why.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, std::string_view file, const unsigned* line) : text_(text), file_(file), line_(line) {
    root_.line = 1;
  }

  bool null() { return add(Kind::null) != nullptr; }
  bool boolean(bool v) {
    Node* const n = add(Kind::flag);
    if (n != nullptr) n->flag = v;
    return n != nullptr;
  }
  bool number_integer(std::int64_t v) {
    Node* const n = add(Kind::whole);
    if (n != nullptr) n->whole = v;
    return n != nullptr;
  }
  bool number_unsigned(std::uint64_t v) {
    if (v > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return number_float(0, std::to_string(v));
    return number_integer(static_cast<std::int64_t>(v));
  }
  bool number_float(double, const std::string& as_written) { return add_text(Kind::fraction, as_written); }
  bool string(std::string& v) { return add_text(Kind::text, std::move(v)); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // not in a text

  bool start_object(std::size_t) { return open(Kind::object); }
  bool end_object() { return close(); }
  bool start_array(std::size_t) { return open(Kind::list); }
  bool end_array() { return close(); }

  bool key(std::string& v) {
    Node& parent = *open_.back();
    if (const Node* first = parent.find(v)) {
      refusal_ =
          refuse("device-file-duplicate-key")
              .what(shown_place(file_, *line_), "key ", shown(v, 60), " occurs twice in one object; line ", first->line, " has it already")
              .why("a reader of the file could not tell which of the two holds")
              .help("delete one of the two");
      return false;
    }
    key_ = std::move(v);
    key_line_ = *line_;
    return true;
  }

  /// `characters_read` ends with the first character that makes no sense, or with the last one of the word that does
  /// not belong there.
  bool parse_error(std::size_t characters_read, const std::string&, const nlohmann::detail::exception& e) {
    constexpr int number_overflow = 406;
    bool const at_end = characters_read > text_.size();
    std::string_view const read = text_.substr(0, characters_read);
    std::string_view const before = read.substr(0, read.empty() || at_end ? read.size() : read.size() - 1);
    auto const line = 1 + static_cast<unsigned>(std::count(before.begin(), before.end(), '\n'));
    std::string_view last_words = read.substr(before.rfind('\n') + 1);
    last_words.remove_prefix(std::min(last_words.find_first_not_of(' '), last_words.size()));
    if (last_words.size() > 40) last_words.remove_prefix(last_words.size() - 40);

    refusal_ = refuse("device-file-syntax").what(shown_place(file_, line), "is not JSON: ");
    if (at_end) refusal_.what("the text ends too early");
    else if (e.id == number_overflow) refusal_.what("the number is too large in ", shown(last_words, 40));
    else refusal_.what("reading stopped after ", shown(last_words, 40));
    refusal_.why("a chip file is one JSON object; JSON has no comments, and no comma after the last entry")
        .help("look there for a comma, quote, colon or bracket that is missing or too many; data/chips/rngd.json shows the form");
    return false;
  }

  const Refusal& refusal() const { return refusal_; }
  Node take() { return std::move(root_); }

 private:
  bool no_chip_file(std::string_view what) {
    refusal_ = refuse("device-file-syntax")
                   .what(shown_place(file_, *line_), "is not a chip file: ", what)
                   .why("a chip file has four levels and at most a few dozen entries in each")
                   .help("start from a copy of data/chips/rngd.json");
    return false;
  }

  /// The place of the next value; null, and the parse ends, where there are too many.
  Node* add(Kind kind) {
    if (open_.empty()) {
      root_.kind = kind;
      return &root_;
    }
    Node& parent = *open_.back();
    if (parent.children.size() == most_children) {
      no_chip_file("one object or list has more than 1000 entries");
      return nullptr;
    }
    Node& n = parent.children.emplace_back();
    n.kind = kind;
    n.key = parent.kind == Kind::object ? std::move(key_) : std::string();
    n.line = parent.kind == Kind::object ? key_line_ : parent.line;
    return &n;
  }
  bool add_text(Kind kind, std::string v) {
    Node* const n = add(kind);
    if (n != nullptr) n->text = std::move(v);
    return n != nullptr;
  }
  bool open(Kind kind) {
    if (open_.size() == deepest) return no_chip_file("it is nested deeper than 8 levels");
    open_.push_back(add(kind));
    return open_.back() != nullptr;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_, file_;
  const unsigned* line_;
  Node root_;
  std::vector<Node*> open_;  // stays valid: only the innermost open node grows
  std::string key_;
  unsigned key_line_ = 0;
  Refusal refusal_;
};

}  // namespace

Expected<Node> parse_json(std::string_view text, std::string_view file) {
  unsigned line = 1;
  TreeBuilder builder(text, file, &line);
  bool const whole = nlohmann::json::sax_parse(LineCounter(text.begin(), &line), LineCounter(text.end(), &line), &builder);
  if (!whole) return builder.refusal();
  return builder.take();
}

}  // namespace tcp::device_file
