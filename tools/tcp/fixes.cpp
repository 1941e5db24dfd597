// Finds our sentence in a compiler's words, and makes a change of the text from its help.
#include "fixes.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>
#include <utility>

#include "cpp_hover.hpp"
#include "editor.hpp"
#include "tcp/rules/vector_op.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp::tool {
namespace {

/// A text by lines and columns.
class SourceText {
 public:
  explicit SourceText(std::string_view text) : text_(text) {}

  std::size_t offset(unsigned line, unsigned column) const {
    std::size_t at = 0;
    for (unsigned l = 1; l < line; ++l) {
      at = text_.find('\n', at);
      if (at == text_.npos) return text_.size();
      ++at;
    }
    for (unsigned c = 1; c < column && at < text_.size() && text_[at] != '\n'; ++c)
      for (++at; at < text_.size() && is_inside_character(text_[at]);) ++at;
    return at;
  }
  TextChange change(std::size_t begin, std::size_t end, std::string to) const {
    auto const [line, column] = place(begin);
    auto const [end_line, end_column] = place(end);
    return {line, column, end_line, end_column, std::move(to)};
  }
  std::string_view text() const { return text_; }

 private:
  std::pair<unsigned, unsigned> place(std::size_t at) const {
    unsigned line = 1, column = 1;
    for (std::size_t i = 0; i < at && i < text_.size(); ++i) {
      if (text_[i] == '\n') ++line, column = 1;
      else if (!is_inside_character(text_[i])) ++column;
    }
    return {line, column};
  }

  std::string_view text_;
};

struct TextPiece {
  std::size_t begin = 0, end = 0;
};

/// Behind the bracket that closes the one at `open`.
std::size_t behind_bracket(std::string_view text, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return i + 1;
  }
  return text.npos;
}

struct LevelMapping {
  std::string level, mapping;
};

/// All of `Packet = m![A % 8], Time = m![1]`; empty if there is anything else, and it is not the choice of an author.
std::vector<LevelMapping> mappings_in(std::string_view help) {
  std::vector<LevelMapping> all;
  if (!help.starts_with("write ")) return {};
  help.remove_prefix(6);
  while (true) {
    std::size_t word = 0;
    while (word < help.size() && is_word_character(help[word])) ++word;
    constexpr std::string_view is = " = m!";
    if (word == 0 || !help.substr(word).starts_with(is)) return {};
    std::size_t const open = word + is.size(), end = behind_bracket(help, open, help.size());
    if (open >= help.size() || help[open] != '[' || end == help.npos) return {};
    all.push_back({std::string(help.substr(0, word)), std::string(help.substr(open + 1, end - open - 2))});
    help.remove_prefix(end);
    if (help.empty()) return all;
    std::size_t skip = help.starts_with(", ") ? 2 : help.starts_with(" and ") ? 5 : 0;
    if (skip == 0) return {};
    help.remove_prefix(skip);
  }
}

/// In the text form a stage or declaration has its levels after it, to the end of its line.
std::vector<TextChange> change_levels(const SourceText& source, std::size_t begin, const std::vector<LevelMapping>& wanted) {
  std::string_view const text = source.text();
  std::size_t end = std::min(text.find('\n', begin), text.size());
  if (std::size_t const comment = text.substr(begin, end - begin).find("//"); comment != text.npos) end = begin + comment;
  while (end > begin && (text[end - 1] == ' ' || text[end - 1] == '\r')) --end;
  std::vector<TextChange> changes;
  for (const LevelMapping& w : wanted) {
    std::size_t found = text.npos;
    for (std::size_t at = begin; (at = text.find(w.level + "[", at)) < end; ++at)
      if (at == begin || !is_word_character(text[at - 1])) found = at;
    if (found == text.npos) {  // a level that stays is not written
      changes.push_back(source.change(end, end, " " + w.level + "[" + w.mapping + "]"));
      continue;
    }
    std::size_t const behind = behind_bracket(text, found + w.level.size(), end);
    if (behind == text.npos) return {};
    changes.push_back(source.change(found, behind, w.level + "[" + w.mapping + "]"));
  }
  return changes;
}

/// The `m![…]` that a call in Rust has between `::<` and `>`.
std::vector<TextPiece> mapping_arguments(std::string_view text, std::size_t begin) {
  std::vector<TextPiece> all;
  std::size_t at = begin;
  while (at < text.size() && is_word_character(text[at])) ++at;
  if (!text.substr(at).starts_with("::<")) return {};
  int depth = 1;
  for (at += 3; at < text.size() && depth > 0; ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>') --depth;
    if (text.substr(at).starts_with("m![") && !is_word_character(text[at - 1])) {
      std::size_t const behind = behind_bracket(text, at + 2, text.size());
      if (behind == text.npos) return {};
      all.push_back({at, behind});
      at = behind - 1;
    }
  }
  return all;
}

/// Streams have their arguments as Time, Packet; a call with one mapping has the one that is spoken of.
std::vector<TextChange> change_arguments(const SourceText& source, std::size_t begin, const std::vector<LevelMapping>& wanted) {
  auto const pieces = mapping_arguments(source.text(), begin);
  std::vector<TextChange> changes;
  for (const LevelMapping& w : wanted) {
    std::size_t which = 0;
    if (pieces.size() == 2 && (w.level == "Time" || w.level == "Packet")) which = w.level == "Time" ? 0 : 1;
    else if (pieces.size() != 1 || wanted.size() != 1) return {};
    changes.push_back(source.change(pieces[which].begin, pieces[which].end, "m![" + w.mapping + "]"));
  }
  return changes;
}

/// The template arguments of a call in C++, from the bracket at `open` on.
std::vector<TextPiece> cpp_arguments(std::string_view text, std::size_t open) {
  std::vector<TextPiece> all;
  if (open >= text.size() || text[open] != '<') return {};
  auto const add = [&](std::size_t begin, std::size_t end) {
    while (begin < end && std::isspace(static_cast<unsigned char>(text[begin])) != 0) ++begin;
    while (end > begin && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
    all.push_back({begin, end});
  };
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == ';') return {};
    bool const closes = c == '>' || c == ')' || c == '}';
    if ((closes && depth == 1) || (c == ',' && depth == 1)) {
      add(begin, i);
      begin = i + 1;
    }
    if (closes && --depth == 0) return all;
  }
  return {};
}

/// `levels` are the method's: "Type Time Packet". A level that the call does not have cannot be changed there.
std::vector<TextChange> change_cpp_arguments(const SourceText& source, std::size_t open, std::string_view levels,
                                             const std::vector<LevelMapping>& wanted) {
  auto const pieces = cpp_arguments(source.text(), open);
  std::vector<TextChange> changes;
  for (const LevelMapping& w : wanted) {
    std::size_t which = 0, found = pieces.size();
    for (std::size_t at = 0; at < levels.size(); ++which) {
      std::size_t const end = std::min(levels.find(' ', at), levels.size());
      if (levels.substr(at, end - at) == w.level) found = which;
      at = end + 1;
    }
    auto const cpp = mapping_in_cpp(w.mapping);
    if (found >= pieces.size() || !cpp) return {};
    changes.push_back(source.change(pieces[found].begin, pieces[found].end, *cpp));
  }
  return changes;
}

/// `write fetch`: one word and nothing else. `did you mean fetch?`, also with more after the name: arguments are the
/// author's.
std::string word_in(std::string_view help) {
  constexpr std::string_view meant = "did you mean ", written = "write ";
  bool const is_guess = help.starts_with(meant);
  if (!is_guess && !help.starts_with(written)) return {};
  help.remove_prefix(is_guess ? meant.size() : written.size());
  if (is_guess && help.starts_with("`")) help.remove_prefix(1);
  std::size_t end = 0;
  while (end < help.size() && is_word_character(help[end])) ++end;
  bool const is_name = end > 0 && (help[0] < '0' || help[0] > '9');
  return is_name && (is_guess || end == help.size()) ? std::string(help.substr(0, end)) : std::string();
}

/// `write .vector_init() before it`: the call.
std::string missing_call(std::string_view help) {
  constexpr std::string_view begin = "write .", end = "() before it";
  if (!help.starts_with(begin) || !help.ends_with(end)) return {};
  std::string_view const name = help.substr(begin.size(), help.size() - begin.size() - end.size());
  bool const is_name = !name.empty() && std::all_of(name.begin(), name.end(), is_word_character);
  return is_name ? "." + std::string(name) + "()" : std::string();
}

std::string number_in(std::string_view help) {
  if (!help.starts_with("use ")) return {};
  help.remove_prefix(4);
  bool const digits = !help.empty() && std::all_of(help.begin(), help.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::string(help) : std::string();
}

TextPiece word_at(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '.') ++at;
  TextPiece p{at, at};
  while (p.end < text.size() && is_word_character(text[p.end])) ++p.end;
  return p;
}

/// `at 4097`, of a declaration in text form.
TextPiece address_behind(std::string_view text, std::size_t begin) {
  std::size_t const end = std::min(text.find('\n', begin), text.size());
  std::size_t const at = text.substr(0, end).rfind(" at ");
  if (at == text.npos || at < begin) return {};
  TextPiece p{at + 4, at + 4};
  while (p.end < end && text[p.end] >= '0' && text[p.end] <= '9') ++p.end;
  return p;
}

/// `bring it in: use crate::layers::norm;`: the item. Not where the name is the end of a path, which would stay.
std::string use_in(std::string_view help, std::string_view text, std::size_t begin) {
  constexpr std::string_view before = "bring it in: ";
  if (!help.starts_with(before)) return {};
  help.remove_prefix(before.size());
  TextPiece const word = word_at(text, begin);
  std::string const name(text.substr(word.begin, word.end - word.begin));
  return help.ends_with("::" + name + ";") ? std::string(help) : std::string();
}

/// Where a `use` belongs that is to be seen at `place`: at the beginning of the module around it.
TextPiece place_of_use(std::string_view text, std::size_t place) {
  std::vector<std::size_t> blocks;  // where they are open; the text itself is the first
  std::vector<std::size_t> modules{0};
  for (std::size_t i = 0; i < place && i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) i = std::min(text.find('\n', i), text.size() - 1);
    if (text[i] == '}' && !blocks.empty()) {
      if (modules.back() == blocks.back()) modules.pop_back();
      blocks.pop_back();
    }
    if (text[i] != '{') continue;
    blocks.push_back(i + 1);
    std::size_t const line = text.rfind('\n', i) + 1;  // npos + 1 is 0
    std::string_view const head = text.substr(line, i - line);
    if (head.find("mod ") != head.npos && head.find('(') == head.npos) modules.push_back(i + 1);
  }
  std::size_t at = modules.back();
  if (at != 0) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  for (std::size_t line = at; line < text.size();) {  // behind comments and attributes of the whole
    std::size_t const first = text.find_first_not_of(" \t\n", line);
    if (first == text.npos || !(text.substr(first).starts_with("//!") || text.substr(first).starts_with("#!["))) break;
    line = std::min(text.find('\n', first), text.size() - 1) + 1;
    at = line;
  }
  std::size_t const first = text.find_first_not_of(" \t\n", at);
  std::size_t const begin_of_line = first == text.npos ? at : text.rfind('\n', first) + 1;
  return {std::max(at, begin_of_line), first == text.npos ? at : first};  // its indentation lies between
}

}  // namespace

std::optional<Fix> fix_of(const rust::SourceError& error, std::string_view text) {
  const Refusal& r = error.refusal;
  if (!r.at.known() || r.at.column == 0) return {};
  std::string_view const help = r.advice.view();
  bool const is_rust = std::string_view(r.at.file).ends_with(".rs");
  SourceText const source(text);
  std::size_t const begin = source.offset(r.at.line, r.at.column);
  Fix fix;
  fix.title = std::string(help);
  if (auto const wanted = mappings_in(help); !wanted.empty()) {
    fix.changes = is_rust ? change_arguments(source, begin, wanted) : change_levels(source, begin, wanted);
  } else if (std::string const word = word_in(help); !word.empty()) {
    TextPiece const p = word_at(text, begin);
    if (p.end > p.begin) fix.changes.push_back(source.change(p.begin, p.end, word));
  } else if (std::string const item = is_rust ? use_in(help, text, begin) : ""; !item.empty()) {
    TextPiece const p = place_of_use(text, begin);
    fix.changes.push_back(source.change(p.end, p.end, item + "\n" + std::string(text.substr(p.begin, p.end - p.begin))));
  } else if (is_rust && help.starts_with("remove the `;`") && error.end_line != 0) {
    std::size_t const end = source.offset(error.end_line, error.end_column), semicolon = text.find_first_not_of(" \t\n", end);
    if (semicolon < text.size() && text[semicolon] == ';') fix.changes.push_back(source.change(semicolon, semicolon + 1, ""));
  } else if (std::string const number = number_in(help); !number.empty() && !is_rust) {
    TextPiece const p = address_behind(text, begin);
    if (p.end > p.begin) fix.changes.push_back(source.change(p.begin, p.end, number));
  }
  if (fix.changes.empty()) return {};
  return fix;
}

std::optional<Fix> cpp_fix_of(const std::string& help, unsigned line, unsigned column, std::string_view text) {
  SourceText const source(text);
  std::size_t const begin = source.offset(line, column);
  Fix fix;
  fix.title = mappings_in_cpp(help);
  TextPiece const word = word_at(text, begin);
  if (auto const wanted = mappings_in(help); !wanted.empty()) {
    const CppMethod* const method = cpp_method(text.substr(word.begin, word.end - word.begin));
    if (method != nullptr) fix.changes = change_cpp_arguments(source, word.end, method->arguments, wanted);
  } else if (std::string const call = missing_call(help); !call.empty()) {
    std::size_t const dot = word.begin == 0 ? 0 : word.begin - 1;
    if (word.end > word.begin && dot < text.size() && text[dot] == '.') {
      // On a line of its own, where the stage after it has one.
      std::size_t const line_begin = text.rfind('\n', dot) == text.npos ? 0 : text.rfind('\n', dot) + 1;
      std::string_view const before = text.substr(line_begin, dot - line_begin);
      bool const alone = before.find_first_not_of(" \t") == before.npos;
      fix.changes.push_back(source.change(dot, dot, call + (alone ? "\n" + std::string(before) : "")));
    }
  } else if (std::string const other = word_in(help); !other.empty() && word.end > word.begin) {
    fix.changes.push_back(source.change(word.begin, word.end, other));
  }
  if (fix.changes.empty()) return {};
  return fix;
}

}  // namespace tcp::tool

namespace tcp::tool {
namespace {

/// One term of a mapping in C++: `A % 4 #z 8` is `(A % 4).pad_zero(8)`.
class MappingInCpp {
 public:
  /// The mapping `A / 2, B # 8` as C++; nothing if a part of it has no such form.
  static std::optional<std::string> of(const std::string& text) {
    MappingInCpp reader(text);
    std::string all;
    do {
      auto const term = reader.term();
      if (!term) return std::nullopt;
      all += (all.empty() ? "" : ", ") + *term;
    } while (reader.takes(","));
    reader.skip();
    return reader.at_ == text.size() ? std::optional("m<" + all + ">") : std::nullopt;
  }

 private:
  explicit MappingInCpp(const std::string& text) : text_(text) {}

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool takes(std::string_view word) {
    skip();
    if (!std::string_view(text_).substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::string word() {
    skip();
    std::size_t const begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::optional<std::string> atom() {
    if (!takes("[")) {
      std::string const w = word();
      return w.empty() ? std::nullopt : std::optional(w);
    }
    std::string all;
    do {
      auto const part = term();
      if (!part) return std::nullopt;
      all += (all.empty() ? "" : ", ") + *part;
    } while (takes(","));
    return takes("]") ? std::optional("group(" + all + ")") : std::nullopt;
  }
  std::optional<std::string> term() {
    auto out = atom();
    bool simple = true;
    while (out) {
      const char* method = nullptr;
      skip();
      if (takes("#z")) method = "pad_zero";
      else if (takes("#!")) method = "pad_bottom";
      else if (takes("#<")) method = "pad_left";
      else if (takes("#")) method = "pad";
      else if (takes("=")) method = "resize";
      else if (takes("@")) method = "from";
      char const op = method == nullptr && takes("/") ? '/' : method == nullptr && takes("%") ? '%' : ' ';
      if (method == nullptr && op == ' ') break;
      std::string const n = word();
      if (n.empty()) return std::nullopt;
      if (*out == "1") out = "one";
      if (method != nullptr) out = (simple ? *out : "(" + *out + ")") + "." + method + "(" + n + ")";
      else out = *out + " " + op + " " + n;
      simple = method != nullptr;
    }
    return out;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> mapping_in_cpp(const std::string& text) { return MappingInCpp::of(text); }

namespace {

constexpr std::size_t longest_piece = 36;  // letters of a sentence that one type carries for clang

/// Behind the bracket that closes the one at `open`, brackets within texts aside.
std::size_t behind_angle(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"') i = std::min(text.find('"', i + 1), text.size());
    else if (text[i] == '<') ++depth;
    else if (text[i] == '>' && --depth == 0) return i + 1;
  }
  return text.size();
}

/// Puts `word` in the place of a class with all its arguments.
void shorten_class(std::string& text, const std::string& name, const std::string& word) {
  for (std::size_t at; (at = text.find(name + "<")) != text.npos;) {
    std::size_t begin = at;
    for (std::string_view before : {"detail::", "const ", "class ", "struct "})
      if (begin >= before.size() && std::string_view(text).substr(begin - before.size(), before.size()) == before) begin -= before.size();
    text.replace(begin, behind_angle(text, at + name.size()) - begin, word);
  }
}

/// The methods that are spelt with arguments, as they are called.
struct Call {
  const char *name, *form;
};
constexpr Call calls[] = {
    {"fetch", ".fetch<Type, Time, Packet>()"},
    {"switch_to", ".switch_to<Config, Slice, Time>()"},
    {"collect", ".collect<Time, Packet>()"},
    {"align", ".align<Time, Packet>(trf)"},
    {"contract", ".contract<Packet>()"},
    {"accumulate", ".accumulate<Time, Packet>(AccumulationKind::Interleaved)"},
    {"cast", ".cast<Type, Packet>()"},
    {"transpose", ".transpose<Time, Packet>()"},
    {"commit", ".commit<Element>(address)"},
    {"to_trf", ".to_trf<Row, Element>(TrfAddress::Full)"},
    {"to_vrf", ".to_vrf<Element>(address)"},
    {"vector_intra_slice_branch", ".vector_intra_slice_branch(BranchMode::Unconditional)"},
    {"vector_fxp", ".vector_fxp(FxpBinaryOp::AddFxp, 1)"},
    {"vector_fp_binary", ".vector_fp_binary(FpBinaryOp::AddF, 1.0f)"},
    {"vector_fp_unary", ".vector_fp_unary(FpUnaryOp::Exp)"},
    {"vector_clip", ".vector_clip(ClipBinaryOpF32::Max, 0.0f)"},
    {"begin", ".begin(x.view())"},
    {"to_dm", ".to_dm<Cluster, Slice, Element>(ctx.tdma, address)"},
    {"to_hbm", ".to_hbm<Element>(ctx.tdma, address) in a kernel, .to_hbm<Chip, Element>(ctx.pdma, address) on the host"},
    {"to_host", ".to_host<Element>(ctx.pdma)"},
    {"empty", "ctx.empty<DmTensor<Type, Chip, Cluster, Slice, Element>>()"}};

const std::vector<std::string_view>& stream_methods() {
  static std::vector<std::string_view> const all = {
#define TCP_METHOD(NAME, STAGE) #NAME,
#include "tcp/dsl/methods.def"
#undef TCP_METHOD
#undef TCP_VECTOR_METHOD
#undef TCP_METHOD_OF_VALUE
  };
  return all;
}

/// Of operations of the Vector Engine: their enumerators.
std::vector<std::string_view> operations_of(const std::string& type) {
  std::vector<std::string_view> names;
  auto const take = [&](const char* name, const auto& table) {
    if (type == name)
      for (const VectorOpInfo& op : table) names.emplace_back(op.name);
  };
  take("LogicBinaryOpI32", LogicBinaryOpI32::table);
  take("LogicBinaryOpF32", LogicBinaryOpF32::table);
  take("FxpBinaryOp", FxpBinaryOp::table);
  take("FpUnaryOp", FpUnaryOp::table);
  take("FpBinaryOp", FpBinaryOp::table);
  take("FpTernaryOp", FpTernaryOp::table);
  take("FpDivBinaryOp", FpDivBinaryOp::table);
  take("ClipBinaryOpI32", ClipBinaryOpI32::table);
  take("ClipBinaryOpF32", ClipBinaryOpF32::table);
  return names;
}

/// The name that is least far from the word. Names that begin with the word come first; of names that are as far, that
/// which begins most like it. Empty: none is near.
std::string_view nearest_of(const std::string& word, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t least = word.size() / 2, alike = 0;
  for (std::string_view name : names) {
    std::size_t const far = name.starts_with(word) ? 0 : edit_distance(word, name);
    std::size_t const same =
        static_cast<std::size_t>(std::mismatch(word.begin(), word.end(), name.begin(), name.end()).first - word.begin());
    if (far > least || (far == least && !best.empty() && same <= alike)) continue;
    least = far;
    alike = same;
    best = name;
  }
  return best;
}

std::string in_words(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::string_view name : names) out += (out.empty() ? "" : ", ") + std::string(name);
  return out;
}

Advice unknown_method(const std::string& name) {
  std::string_view const near = nearest_of(name, stream_methods());
  return {"a stream has no method " + name, "The stages of a pass are methods of its stream; docs/computing.md has them in their order.",
          near.empty() ? "`tcp explain stage-order` lists the stages" : "did you mean ." + std::string(near) + "?"};
}

Advice called_wrongly(const std::string& name, const std::string& notes) {
  Advice advice{"", "", ""};
  if (notes.find("rvalue") != notes.npos || notes.find("initializing argument 'this'") != notes.npos)
    return {name + " takes a stream away from its variable, and here it would stay",
            "A stream is consumed by its next stage: it cannot be read twice.",
            "write std::move(stream)." + name + "(...), or go on in one chain of calls; to read the tensor twice, begin two passes"};
  if (notes.find("'Pdma' to 'const Tdma'") != notes.npos) return *advice_of("cannot convert 'Pdma' to 'const Tdma&'", "");
  if (notes.find("'Tdma' to 'const Pdma'") != notes.npos) return *advice_of("cannot convert 'Tdma' to 'const Pdma&'", "");
  for (const Call& call : calls)
    if (name == call.name)
      return {"no such call of " + name, "What the tensor or stream is like afterwards is said by mappings, which are types: m<A % 8>.",
              std::string("write ") + call.form};
  return advice;
}

}  // namespace

std::string short_types(std::string text) {
  static std::regex const map(
      R"x((?:tcp::)?Map<(?:tcp::detail::)?Piece<\w+>\{"([^"]*)"\}, (?:tcp::detail::)?Piece<\w+>\{"[^"]*"\}, \d+>)x");
  text = std::regex_replace(text, map, "m![$1]");
  for (std::size_t at; (at = text.find("tcp::")) != text.npos;) text.erase(at, 5);
  shorten_class(text, "StreamTensor", "a stream");
  shorten_class(text, "BegunPass", "a pass that has begun");
  constexpr std::size_t most = 600;  // letters
  if (text.size() > most) text = text.substr(0, most - 4) + " ...";
  return text;
}

std::optional<Advice> advice_of(const std::string& words, const std::string& notes) {
  std::smatch m;
  auto const has = [&](const char* pattern) { return std::regex_search(words, m, std::regex(pattern)); };
  if (has("'a (?:stream|pass that has begun)' has no member named '(\\w+)'") ||
      has("no member named '(\\w+)' in 'a (?:stream|pass that has begun)'"))
    return unknown_method(m[1]);
  if (has("'(\\w+)' is not a member of '(\\w+Op\\w*)'") || has("no member named '(\\w+)' in '(\\w+Op\\w*)'")) {
    std::vector<std::string_view> const names = operations_of(m[2]);
    if (names.empty()) return std::nullopt;
    std::string_view const near = nearest_of(m[1], names);
    return Advice{m[2].str() + " has no operation " + m[1].str(), "It has " + in_words(names) + ".",
                  near.empty() ? "write one of these" : "did you mean " + m[2].str() + "::" + std::string(near) + "?"};
  }
  if (has("'Pdma' to '(?:const )?Tdma"))
    return Advice{"ctx.pdma is given where ctx.tdma is meant",
                  "ctx.pdma moves between the host and HBM, ctx.tdma between the memories of the chip.", "write ctx.tdma"};
  if (has("'Tdma' to '(?:const )?Pdma"))
    return Advice{"ctx.tdma is given where ctx.pdma is meant",
                  "ctx.pdma moves between the host and HBM, ctx.tdma between the memories of the chip.", "write ctx.pdma"};
  if (has("'a stream' to 'detail::Method")) return called_wrongly("the next stage", "rvalue");
  if (has("(?:convert|conversion).*(Dm|Spm)Tensor<.*HbmTensor<"))
    return Advice{"", "A kernel's result is in HBM, where the host reads it, unless the kernel declares another type.",
                  "move it there: .to_hbm<Element>(ctx.tdma, address)"};
  if (has("Launch<.*has no member named '(\\w+)'") || has("no member named '(\\w+)' in 'Launch<"))
    return Advice{"a launch is not its result yet: it has no " + m[1].str(), "The kernel may still be running; get() waits for it.",
                  "write launch(...).get()." + m[1].str()};
  if (has("no matching (?:member )?function for call to '(?:.*::)?(\\w+)(?:<.*>)?(?:\\(.*\\)(?: const)?)?'")) {
    Advice const advice = called_wrongly(m[1], notes);
    return advice.help.empty() ? std::nullopt : std::optional(advice);
  }
  if (has("^'?tcp/[\\w/]+\\.hpp'?(?:: No such file| file not found)"))
    return Advice{"", "The compiler looks for headers in the system's folders, and where -I says.",
                  "add $(pkg-config --cflags --libs tcp-visa), with PKG_CONFIG_PATH=PREFIX/lib/pkgconfig if tcp is installed elsewhere"};
  if (has("'([A-Z]\\w{0,3})' was not declared in this scope") || has("undeclared identifier '([A-Z]\\w{0,3})'"))
    return Advice{"", "", "if " + m[1].str() + " is an axis, declare it with its size: TCP_AXES(" + m[1].str() + " = 8)"};
  if (words.starts_with("expected ',' or ';' before") || words.starts_with("expected ';'"))
    return Advice{"", "", "end the statement before with a semicolon"};
  return std::nullopt;
}

std::string sentence_in(const std::string& words) {
  std::size_t const begin = words.find("error[");
  if (begin == words.npos) return "";
  if (words.find("Piece<") != words.npos && words.rfind("Piece<", begin) != words.npos) {  // clang, C++20
    static std::regex const piece(R"x(Piece<\d+>\{"((?:[^"\\]|\\.)*)"\})x");
    std::string text;
    bool cut = true;  // in the middle of a word, which is longer than a piece
    for (std::sregex_iterator at(words.begin(), words.end(), piece), end; at != end; ++at) {
      std::string const part = (*at)[1];
      text += (cut ? "" : " ") + part;
      cut = part.size() == longest_piece && part.find(' ') == part.npos;
    }
    return text;
  }
  std::size_t const close = words.find("\", ", begin);  // g++; or plainly, to the end
  std::string text = words.substr(begin, close == words.npos ? close : close - begin);
  text = text.substr(0, text.find('\n'));  // clangd's notes, for editors that have no place of their own for these
  while (text.ends_with('\'') || text.ends_with('"')) text.pop_back();
  return text;
}

std::string mappings_in_cpp(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const begin = text.find("m![", at);
    out += text.substr(at, begin - at);
    if (begin == text.npos) break;
    std::size_t end = begin + 3;
    for (int depth = 1; end < text.size() && depth > 0; ++end) depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
    auto const cpp = mapping_in_cpp(text.substr(begin + 3, end - begin - 4));
    out += cpp ? *cpp : text.substr(begin, end - begin);
    at = end;
  }
  return out;
}

}  // namespace tcp::tool
