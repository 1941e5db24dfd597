// Finds our sentences in what compilers print, and writes the mappings of the book as C++.
#include "compiler_words.hpp"

#include <cctype>
#include <regex>
#include <string_view>

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

std::string sentence_in(const std::string& words) {
  std::size_t const begin = words.find("error[");
  if (begin == words.npos) return "";
  if (words.find("Piece<") != words.npos && words.rfind("Piece<", begin) != words.npos) {  // clang, C++20
    static std::regex const piece(R"x(Piece<\d+>\{"((?:[^"\\]|\\.)*)"\})x");
    std::string text;
    for (std::sregex_iterator at(words.begin(), words.end(), piece), end; at != end; ++at)
      text += (text.empty() ? "" : " ") + (*at)[1].str();
    return text;
  }
  std::size_t const close = words.find("\", ", begin);  // g++; or plainly, to the end
  std::string text = words.substr(begin, close == words.npos ? close : close - begin);
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
