// Reads the small parts of a text: names, numbers, values, types, mappings and their splices; says what is wrong with
// one, and which word may have been meant.
#include "ir/reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "tcp/mapping/parse.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp::ir {

using words::is_axis_name;

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::uint32_t bits_of(float v) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

bool is_hex(std::string_view number) { return number.find_first_of("xX") != number.npos; }

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t most = 40;         // of long words, their beginnings: the comparison takes the product of both lengths
  std::size_t best = word.size() / 3 + 2;  // fewer changes than that
  std::string_view found;
  for (std::string_view c : candidates) {
    std::size_t const d = edit_distance(word.substr(0, most), c.substr(0, most));
    if (d >= best || d >= c.size()) continue;
    best = d;
    found = c;
  }
  return found;
}

std::string Names::Label::shown() const {
  std::string out(ir::shown(name).view());
  return number < 0 ? out : out + "%" + std::to_string(number);
}
std::string Names::key(const Label& label) { return std::to_string(label.number) + " " + label.name; }
int Names::find(const Label& label) const {
  auto const found = ids_.find(key(label));
  return found == ids_.end() ? none : found->second;
}
bool Names::add(const Label& label, int id) {
  if (!ids_.try_emplace(key(label), id).second) return false;
  declared_.push_back(label.shown());
  return true;
}
std::string Names::nearest(const Label& label) const {
  std::vector<std::string_view> const all(declared_.begin(), declared_.end());
  return std::string(ir::nearest(label.shown(), all));
}

Where Reader::here() const {
  Where at = now().at;
  at.file = kept_file_;
  return at;
}

bool Reader::take_word(std::string_view word) {
  if (!at_word(word)) return false;
  lexer_.advance();
  return true;
}
bool Reader::take_sign(std::string_view sign) {
  if (!at_sign(sign)) return false;
  lexer_.advance();
  return true;
}
void Reader::need_sign(std::string_view sign, const char* wanted) {
  if (!take_sign(sign)) unexpected(wanted);
}
bool Reader::take_named(const char* name) {
  if (!at_word(name) || !lexer_.followed_by(':')) return false;
  lexer_.advance();
  lexer_.advance();
  return true;
}

void Reader::unexpected(const char* wanted) {
  Refusal r = refuse("ir-text-syntax", now().at);
  r.what(wanted);
  if (at_end()) r.what(", but the text ends");
  else r.what("; found '", shown(now().text), "'");
  say(r.why("a text is statements, one after the other: module, axes, using, table, tensors, region, in, and the commands")
          .help("see docs/text-form.md for the grammar, or print a module that is near to what you mean"));
}

void Reader::unknown(const char* kind, const std::vector<std::string_view>& candidates) {
  Refusal r = refuse("ir-text-unknown-word", now().at);
  r.what(kind, " is needed");
  if (at_end()) r.what(", but the text ends");
  else r.what("; '", shown(now().text), "' is none");
  r.why("words stand for themselves, and each place has its own");
  std::string_view const likely = ir::nearest(now().text, candidates);
  if (!likely.empty()) return say(r.help("did you mean ", likely, "?"));
  r.help("write ");
  constexpr std::size_t most = 8;
  for (std::size_t i = 0; i < candidates.size() && i < most; ++i)
    r.help(i == 0 ? "" : i + 1 == candidates.size() ? " or " : ", ", candidates[i]);
  if (candidates.size() > most) r.help(" or one of ", candidates.size() - most, " others");
  say(r);
}

void Reader::given_twice(std::string_view what) {
  say(refuse("ir-text-given-twice", now().at)
          .what(what, " is given twice")
          .why("which of the two is meant cannot be told")
          .help("leave one out"));
}

bool Reader::has_arguments(const char* wanted) {
  if (at_sign("(") && !lexer_.followed_by(')')) return true;
  unexpected(wanted);
  return false;
}

std::string_view Reader::word(const char* wanted) {
  if (!at_word()) {
    unexpected(wanted);
    return {};
  }
  std::string_view const w = now().text;
  lexer_.advance();
  return w;
}

bool Reader::is_integer() const { return at_number() && (is_hex(now().text) || now().text.find_first_of(".eE") == std::string_view::npos); }

void Reader::number_refused(std::string_view reason) {
  say(refuse("ir-text-number", now().at)
          .what(shown(now().text), " ", reason)
          .why("a number is kept as it is written, or not at all")
          .help("write a number that fits; the bits of any value can be given in hexadecimal"));
}

std::int64_t Reader::integer(const char* wanted, std::int64_t low, std::int64_t high) {
  if (!is_integer()) {
    unexpected(wanted);
    return low > 0 ? low : 0;
  }
  std::string_view digits = now().text;
  bool const negative = digits[0] == '-';
  if (negative) digits.remove_prefix(1);
  bool const hexadecimal = is_hex(digits);
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  bool const fits = error == std::errc{} && end == digits.data() + digits.size() && (magnitude < limit || (negative && magnitude == limit));
  auto const v = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
  if (!fits || v < low || v > high) {
    bool const bounded = low != INT64_MIN || high != INT64_MAX;
    number_refused(bounded ? text("is not between ", low, " and ", high).view() : "does not fit into 64 bits");
    return low > 0 ? low : 0;
  }
  lexer_.advance();
  return v;
}

std::uint32_t Reader::bits() {
  return static_cast<std::uint32_t>(integer("the bits of a value are needed, as in 0x3f800000", 0, UINT32_MAX));
}

std::vector<std::int64_t> Reader::integers() {
  std::vector<std::int64_t> all;
  if (!at_sign("(")) unexpected("a list of numbers is needed, as in (1, 0)");
  arguments([&](int) { all.push_back(integer("a whole number is needed")); });
  return all;
}

bool Reader::at_scalar_type() const {
  if (!at_word()) return false;
  for (ScalarType t : scalar_types)
    if (now().text == scalar_info(t).name) return true;
  return false;
}

ScalarType Reader::scalar_type() {
  if (!at_word()) {
    unexpected("a type is needed, as in i32 or bf16");
    return ScalarType::i32;
  }
  auto const t = parse_scalar_type(now().text, now().at);
  if (!t) {
    say(t.refusal());
    return ScalarType::i32;
  }
  lexer_.advance();
  return *t;
}

bool Reader::at_value() const { return at_number() || at_sign("-") || at_word("inf") || at_word("nan"); }

Reader::Value Reader::value() {
  if (at_scalar_type()) return value_of(scalar_type());
  return value_of(is_integer() ? ScalarType::i32 : ScalarType::f32);
}

Reader::Value Reader::value_of(ScalarType type) {
  Value v{type, 0};
  bool const floating = type == ScalarType::f32;
  if (floating && take_word("nan")) return v.bits = 0x7fc00000u, v;
  if (floating && take_word("inf")) return v.bits = 0x7f800000u, v;
  if (floating && take_sign("-")) {
    if (!take_word("inf")) unexpected("a number or inf is needed after -");
    return v.bits = 0xff800000u, v;
  }
  if (!at_number()) return unexpected("a number is needed, as in 3, 2.5 or bf16 0x3f80"), v;
  if (is_hex(now().text) && now().text[0] != '-') return v.bits = bits(), v;
  if (floating) {
    float f = 0;
    std::string_view const digits = now().text;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), f);
    if (error != std::errc{} || end != digits.data() + digits.size()) return number_refused("is not a number of f32"), v;
    lexer_.advance();
    return v.bits = bits_of(f), v;
  }
  if (!tcp::is_integer(type)) {
    number_refused(text("is no bits of ", type, ": values of it are written in hexadecimal").view());
    return v;
  }
  std::int64_t const most = std::int64_t{scalar_mask(type) >> 1};
  std::int64_t const n = integer(text("a whole number of ", type, " is needed").s, -most - 1, most);
  return v.bits = static_cast<std::uint32_t>(n) & scalar_mask(type), v;
}

/// What a quoted name says. Needs: the token is one.
std::string Reader::unquoted() {
  std::string_view const inside = now().text.substr(1, now().text.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    std::string_view const rest = inside.substr(i);
    if (rest[0] != '\\') {
      out += rest[0];
    } else if (rest.size() > 1 && (rest[1] == '"' || rest[1] == '\\')) {
      out += rest[1];
      i += 1;
    } else if (rest.size() > 3 && rest[1] == 'x' && hex_digit(rest[2]) >= 0 && hex_digit(rest[3]) >= 0) {
      out += static_cast<char>(hex_digit(rest[2]) * 16 + hex_digit(rest[3]));
      i += 3;
    } else {
      say(refuse("ir-text-escape", now().at)
              .what("'", shown(rest.substr(0, 4)), "' in a quoted name means nothing")
              .why("a backslash stands before a quote, another backslash, or x and two hexadecimal digits")
              .help("write \\\\ for a backslash"));
      return {};
    }
  }
  return out;
}

std::string Reader::name(const char* wanted) {
  if (now().kind != Token::Kind::string) return std::string(word(wanted));
  std::string out = unquoted();
  lexer_.advance();
  return out;
}

Name Reader::axis() {
  bool const quoted = now().kind == Token::Kind::string;
  std::string const n = quoted ? unquoted() : std::string(now().text);
  if (refused()) return {};
  if (quoted ? n.size() > Name::max_length : !at_word() || !is_axis_name(n)) {
    unexpected("an axis is needed: an uppercase letter and at most 15 letters, digits and underscores");
    return {};
  }
  lexer_.advance();
  return Name(n);
}

Names::Label Reader::label(const char* wanted) {
  Names::Label l;
  if (!at_sign("%")) l.name = name(wanted);
  if (take_sign("%")) l.number = integer("a number is needed after %", 0);
  return l;
}

void Reader::declare(Names& names, const Names::Label& label, std::size_t id, Where at) {
  if (refused() || names.add(label, static_cast<int>(id))) return;
  at.file = now().at.file;
  say(refuse("ir-text-declared-twice", at)
          .what("there is a ", names.kind(), " ", label.shown(), " already")
          .why("a name stands for one thing")
          .help("give it another name, or tell the two apart by a number: ", label.shown(), label.number < 0 ? "%2" : ""));
}

int Reader::reference(const Names& names) {
  if (take_word("none")) return none;
  Where const at = now().at;
  Names::Label const l = label("a name is needed");
  if (refused()) return none;
  int const id = names.find(l);
  if (id != none) return id;
  Refusal r = refuse("ir-text-unknown-name", at);
  r.what("there is no ", names.kind(), " ", l.shown()).why("what is named was declared before");
  std::string const likely = names.nearest(l);
  if (likely.empty()) say(r.help("declare it above this line"));
  else say(r.help("did you mean ", likely, "?"));
  return none;
}

void Reader::declare_axes() {
  do {
    Where const at = now().at;
    std::string const name(now().text);
    if (!at_word()) unexpected("an axis is needed, as in A = 8");
    axis();
    if (refused()) return;
    need_sign("=", "a size is needed, as in A = 8");
    std::int64_t const size = integer("the size of the axis is needed", 1);
    if (refused()) return;
    auto const [known, fresh] = axes_.try_emplace(name, size);
    if (!fresh)
      return say(refuse("ir-text-declared-twice", at)
                     .what("there is an axis ", name, " already, of size ", known->second)
                     .why("a name stands for one thing")
                     .help("where a mapping means another size, say so in it: [", name, " where ", name, " = ", size, "]"));
    axis_names_.push_back(name);
  } while (take_sign(","));
}

namespace {

/// The words of a mapping's text, one after the other.
std::string_view next_word(std::string_view text, std::size_t& at) {
  while (at < text.size() && !words::is_letter(text[at]))
    at = words::is_digit(text[at]) ? text.find_first_not_of("0123456789", at) : at + 1;
  at = std::min(at, text.size());
  std::size_t const begin = at;
  while (at < text.size() && (words::is_letter(text[at]) || words::is_digit(text[at]))) ++at;
  return text.substr(begin, at - begin);
}

/// Whether a word of the text stands after a brace.
bool is_spliced(std::string_view text, std::string_view word) {
  std::string_view const before = text.substr(0, static_cast<std::size_t>(word.data() - text.data()));
  std::size_t const last = before.find_last_not_of(" \t\r\n");
  return last != before.npos && before[last] == '{';
}

/// A column that was counted as if the text had no line ends.
Refusal with_lines(Refusal r, std::string_view text, Where begin) {
  if (r.at.column < begin.column) return r;
  std::string_view const before = text.substr(0, std::min<std::size_t>(r.at.column - begin.column, text.size()));
  std::size_t const line_end = before.rfind('\n');
  if (line_end == before.npos) return r;
  r.at.line = begin.line + static_cast<unsigned>(std::count(before.begin(), before.end(), '\n'));
  r.at.column = static_cast<unsigned>(before.size() - line_end);
  return r;
}

}  // namespace

/// What the parser of one mapping is told: the axes and the splices that its text names.
struct Reader::Known {
  std::string_view text;
  Where at;  // where the text begins
  Axes own{}, axes{};
  std::vector<Splice> splices{};
};

void Reader::unknown_in_mapping(const Known& known, const char* kind, std::string_view name, const std::vector<std::string>& declared) {
  Refusal r = refuse("ir-text-unknown-name", known.at);
  r.at.column += static_cast<unsigned>(name.data() - known.text.data());
  r.what("there is no ", kind, " ", shown(name)).why("what is named was declared before");
  std::vector<std::string_view> const all(declared.begin(), declared.end());
  std::string_view const likely = ir::nearest(name, all);
  if (!likely.empty()) r.help("did you mean ", shown(likely), "?");
  else if (&declared == &axis_names_) r.help("declare it with its size: axes ", name, " = 8");
  else r.help("declare it: using ", shown(name), " = [A / 8]");
  say(with_lines(r, known.text, known.at));
}

void Reader::add_axis(Known& known, std::string_view name) {
  Name const n(name);
  if (!is_axis_name(name) || known.axes.find(n) >= 0 || known.axes.n == Axes::max) return;
  int const own = known.own.find(n);
  auto const declared = axes_.find(std::string(name));
  if (own < 0 && declared == axes_.end()) return unknown_in_mapping(known, "axis", name, axis_names_);
  known.axes.name[known.axes.n] = n;
  known.axes.size[known.axes.n++] = own >= 0 ? known.own.size[own] : declared->second;
}

void Reader::add_splice(Known& known, std::string_view name) {
  auto const again = [name](const Splice& s) { return s.name == name; };
  constexpr std::size_t most = Axes::max;
  if (known.splices.size() == most || std::any_of(known.splices.begin(), known.splices.end(), again)) return;
  auto const declared = mappings_.find(std::string(name));
  if (declared == mappings_.end()) return unknown_in_mapping(known, "mapping", name, mapping_names_);
  known.splices.push_back({name, module.map(declared->second)});
}

void Reader::declare_mapping() {
  Where const at = now().at;
  std::string const name(word("a name is needed, as in using Slice = [A / 8]"));
  need_sign("=", "a mapping is needed, as in using Slice = [A / 8]");
  MapId const id = mapping();
  if (refused()) return;
  if (!mappings_.try_emplace(name, id).second)
    return say(refuse("ir-text-declared-twice", at)
                   .what("there is a mapping ", shown(name), " already")
                   .why("a name stands for one thing")
                   .help("give it another name"));
  mapping_names_.push_back(name);
}

MapId Reader::mapping() {
  if (!at_sign("[")) {
    unexpected("a mapping is needed, as in [A / 8 # 256]");
    return {};
  }
  Where at = now().at;
  at.column += 1;
  std::string_view const text = lexer_.take_brackets();
  if (refused()) return {};
  if (auto const known = read_.find(text); known != read_.end()) return known->second;
  MapId const id = read_mapping(text, at);
  if (refused()) return {};
  return read_.emplace(text, id).first->second;
}

MapId Reader::read_mapping(std::string_view text, Where at) {
  Known known{text, at};
  std::string_view expression = text;
  for (std::size_t i = 0; i < text.size();) {
    std::string_view const w = next_word(text, i);
    if (w != "where") continue;
    expression = text.substr(0, i - w.size());
    Where sizes = at;
    sizes.column += static_cast<unsigned>(i);
    auto const declared = parse_axes(text.substr(i), sizes);
    if (!declared) {
      say(with_lines(declared.refusal(), text, at));
      return {};
    }
    known.own = *declared;
    break;
  }
  for (std::size_t i = 0; i < expression.size() && !refused();) {
    std::string_view const w = next_word(expression, i);
    if (w.empty()) break;
    if (is_spliced(expression, w)) add_splice(known, w);
    else add_axis(known, w);
  }
  if (refused()) return {};
  auto const m = tcp::parse(expression, known.axes, at, known.splices.data(), static_cast<int>(known.splices.size()));
  if (m) return module.intern(*m);
  say(with_lines(m.refusal(), text, at));
  return {};
}

}  // namespace tcp::ir
