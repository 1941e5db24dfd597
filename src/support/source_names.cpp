// Reads the text of lines and signatures; no compiler is asked.
#include "tcp/support/source_names.hpp"

#include <algorithm>

namespace tcp {

namespace {

constexpr int longest_statement = 40;  // lines

bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && std::all_of(text.begin(), text.end(), in_name);
}

/// Whether a new statement begins after this line.
bool ends_statement(std::string_view line) {
  if (std::size_t const comment = line.find("//"); comment != line.npos) line = line.substr(0, comment);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  return line.empty() || line.back() == ';' || line.back() == '{' || line.back() == '}' || line.back() == ':';
}

/// The first line of the statement that a line belongs to.
std::string statement_at(const LineReader& lines, const std::string& file, std::int64_t line) {
  if (!lines) return "";
  std::string text = lines(file, line);
  for (int i = 0; i < longest_statement && line > 1; ++i) {
    std::string before = lines(file, line - 1);
    if (ends_statement(before)) break;
    text = std::move(before);
    --line;
  }
  return text;
}

/// The name that ends a text, blanks after it left out.
std::string_view last_name(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::size_t first = text.size();
  while (first > 0 && in_name(text[first - 1])) --first;
  return text.substr(first);
}

/// Where the value of an assignment begins; npos: it is none.
std::size_t value_of(std::string_view statement) {
  std::size_t const sign = statement.find(" = ");
  std::size_t const call = statement.find('(');
  return sign == statement.npos || sign > call ? statement.npos : sign + 3;
}

/// Without what stands between < and >, and without what clang and g++ say about template arguments after a signature.
std::string without_arguments(std::string_view text) {
  std::string plain;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '[' && depth == 0) break;
    bool const sign = i >= 8 && text.substr(i - 8, 8) == "operator";  // operator<, operator<=>
    if (c == '<' && !sign) ++depth;
    else if (c == '>' && depth > 0) --depth;
    else if (depth == 0) plain += c;
  }
  return plain;
}

/// Where the parameters begin: at the first parenthesis that is in no template argument, text or "(anonymous
/// namespace)".
std::size_t end_of_name(std::string_view f) {
  constexpr std::string_view nameless = "(anonymous namespace)";
  int depth = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (f[i] == '"') i = std::min(f.find('"', i + 1), f.size());
    else if (f[i] == '<' || f[i] == '{') ++depth;
    else if (f[i] == '>' || f[i] == '}') --depth;
    else if (f[i] == '(' && depth == 0 && !f.substr(i).starts_with(nameless)) return i;
    else if (f[i] == '(' && depth == 0) i += nameless.size() - 1;
  }
  return f.size();
}

}  // namespace

std::string short_function(std::string_view signature) {
  std::string plain = without_arguments(signature);
  for (std::string_view nameless : {"{anonymous}::", "(anonymous namespace)::"})  // as g++ and clang have it
    for (std::size_t at = plain.find(nameless); at != plain.npos; at = plain.find(nameless)) plain.erase(at, nameless.size());
  std::size_t arguments = plain.find('(');
  if (arguments >= 8 && arguments != plain.npos && std::string_view(plain).substr(arguments - 8, 8) == "operator")
    arguments = plain.find('(', arguments + 1);
  std::string_view name = std::string_view(plain).substr(0, arguments);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  if (std::size_t const blank = name.rfind(' '); blank != name.npos) name.remove_prefix(blank + 1);
  while (!name.empty() && (name.front() == '*' || name.front() == '&')) name.remove_prefix(1);
  return std::string(name);
}

std::string variable_at(const LineReader& lines, const std::string& file, std::int64_t line) {
  std::string const statement = statement_at(lines, file, line);
  std::size_t const value = value_of(statement);
  if (value == statement.npos) return "";
  std::string_view const name = last_name(std::string_view(statement).substr(0, value - 3));
  return is_name(name) ? std::string(name) : "";
}

std::string receiver_at(const LineReader& lines, const std::string& file, std::int64_t line) {
  std::string const statement = statement_at(lines, file, line);
  std::size_t begin = value_of(statement);
  if (begin == statement.npos) {
    std::size_t const given = statement.find("return ");  // also of a function that is written in one line
    begin = given == statement.npos || (given > 0 && in_name(statement[given - 1])) ? 0 : given + 7;
  }
  std::size_t end = begin;
  while (end < statement.size() && in_name(statement[end])) ++end;
  std::string_view const rest = std::string_view(statement).substr(end);
  std::string const name = statement.substr(begin, end - begin);
  return is_name(name) && name != "ctx" && (rest.starts_with(".") || rest.starts_with("->")) ? name : "";
}

std::string kernel_name(std::string_view f) {
  f = f.substr(0, end_of_name(f));
  if (f.ends_with("::operator")) f.remove_suffix(std::string_view("::operator").size());
  std::size_t const before = f.find_last_of(" :&*");
  return std::string(before == f.npos ? f : f.substr(before + 1));
}

std::string kernel_class(std::string_view signature) {
  static constexpr std::string_view label = "Kernel = ";
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  std::size_t const begin = signature.find(label);
  if (begin == signature.npos) return {};
  std::string_view type = signature.substr(begin + label.size());
  type = type.substr(0, type.find_last_of(']'));
  if (type.starts_with("std::") || type.ends_with(')') || type.ends_with(") noexcept")) return {};
  type = type.substr(0, type.find('<'));
  if (std::size_t const scope = type.rfind("::"); scope != type.npos) type.remove_prefix(scope + 2);
  return std::string(type.find_first_not_of(letters) == type.npos ? type : "");
}

}  // namespace tcp
