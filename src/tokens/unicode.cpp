// ICU behind plain functions. A text that is matched is not copied: ICU walks over UTF-8.
#include "tokens/parts.hpp"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uregex.h>
#include <unicode/utext.h>

namespace tcp::tokens {
namespace {

struct CloseRegex {
  void operator()(void* r) const { uregex_close(static_cast<URegularExpression*>(r)); }
};
struct OpenText {
  UText text = UTEXT_INITIALIZER;
  OpenText(std::string_view of, UErrorCode& status) { utext_openUTF8(&text, of.data(), static_cast<std::int64_t>(of.size()), &status); }
  OpenText(const OpenText&) = delete;
  OpenText& operator=(const OpenText&) = delete;
  ~OpenText() { utext_close(&text); }
};

/// The unit is ICU's, some milliseconds: patterns that are published take none of it.
constexpr std::int32_t most_time = 500;

Refusal gave_up(const std::string& pattern, UErrorCode status, std::size_t bytes) {
  return refuse("tokens-pattern-slow")
      .what("the regular expression ", shown(pattern, 60), " was given up on a text of ", bytes, " bytes: ", u_errorName(status))
      .why("it tries more ways to match than there is time for; a pattern such as (a+)+b doubles them with every character")
      .help("take the tokenizer.json that was published with the model");
}
unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

}  // namespace

int character_bytes(std::string_view text, std::size_t at) {
  unsigned const lead = byte_at(text, at);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return -1;
  int const wanted = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte tells overlong forms, surrogates, and what is beyond U+10FFFF.
  unsigned const least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned const most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (int i = 1; i < wanted; ++i) {
    std::size_t const next = at + static_cast<std::size_t>(i);
    if (next >= text.size()) return 0;
    unsigned const b = byte_at(text, next);
    if (b < (i == 1 ? least : 0x80) || b > (i == 1 ? most : 0xBF)) return -i;
  }
  return wanted;
}
std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    int const bytes = character_bytes(text, at);
    if (bytes > 0) out += text.substr(at, static_cast<std::size_t>(bytes));
    else out += replacement;
    at += bytes == 0 ? text.size() - at : static_cast<std::size_t>(bytes > 0 ? bytes : -bytes);
  }
  return out;
}
std::vector<ByteSpan> characters_of(std::string_view text) {
  std::vector<ByteSpan> out;
  for (std::size_t at = 0; at < text.size();) {
    int const bytes = character_bytes(text, at);
    TCP_BUG_UNLESS(bytes > 0, "a text that was made valid is not");
    out.push_back({at, at + static_cast<std::size_t>(bytes)});
    at = out.back().end;
  }
  return out;
}
char32_t character_at(std::string_view text, std::size_t at) {
  int const bytes = character_bytes(text, at);
  TCP_BUG_UNLESS(bytes > 0, "a text that was made valid is not");
  char32_t c = bytes == 1 ? byte_at(text, at) : byte_at(text, at) & (0x7FU >> bytes);
  for (int i = 1; i < bytes; ++i) c = c << 6 | (byte_at(text, at + static_cast<std::size_t>(i)) & 0x3F);
  return c;
}
std::string utf8_of(char32_t c) {
  std::string out;
  auto const tail = [&](int shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) out += static_cast<char>(c);
  else if (c < 0x800) out += static_cast<char>(0xC0 | c >> 6), tail(0);
  else if (c < 0x10000) out += static_cast<char>(0xE0 | c >> 12), tail(6), tail(0);
  else out += static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0);
  return out;
}

bool is_space(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)); }
bool is_of_word(char32_t c) {
  auto const u = static_cast<UChar32>(c);
  constexpr std::uint32_t marks = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_isUAlphabetic(u) || (U_GET_GC_MASK(u) & marks) != 0 || u_hasBinaryProperty(u, UCHAR_JOIN_CONTROL);
}
bool is_numeric(char32_t c) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_N_MASK) != 0; }

std::string normal_form(std::string_view text, NormalForm form) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* const normalizer = form == NormalForm::nfc    ? icu::Normalizer2::getNFCInstance(status)
                                             : form == NormalForm::nfd  ? icu::Normalizer2::getNFDInstance(status)
                                             : form == NormalForm::nfkc ? icu::Normalizer2::getNFKCInstance(status)
                                                                        : icu::Normalizer2::getNFKDInstance(status);
  TCP_BUG_UNLESS(U_SUCCESS(status), "ICU has no normal forms");
  auto const in = icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  icu::UnicodeString const normal = normalizer->normalize(in, status);
  TCP_BUG_UNLESS(U_SUCCESS(status), "ICU does not normalise");
  std::string out;
  normal.toUTF8String(out);
  return out;
}

Pattern Pattern::literal(std::string text) {
  Pattern p;
  p.text_ = std::move(text);
  return p;
}
Expected<Pattern> Pattern::regex(const std::string& text, const std::string& where) {
  Pattern p;
  p.text_ = text;
  UErrorCode status = U_ZERO_ERROR;
  UParseError place{};
  auto const wide = icu::UnicodeString::fromUTF8(text);
  p.compiled_ = std::shared_ptr<void>(uregex_open(wide.getBuffer(), wide.length(), 0, &place, &status), CloseRegex());
  if (U_FAILURE(status))
    return refuse("tokens-pattern")
        .what(where, " has ", shown(text, 60), ", which is no regular expression: ", u_errorName(status))
        .why("texts are cut into words by the regular expressions of the file, in the form that ICU and Oniguruma share")
        .help("take the tokenizer.json that was published with the model");
  return p;
}

Expected<std::vector<ByteSpan>> Pattern::matches(std::string_view text) const {
  std::vector<ByteSpan> out;
  if (compiled_ == nullptr) {
    for (std::size_t at = text_.empty() ? text.npos : text.find(text_); at != text.npos; at = text.find(text_, at + text_.size()))
      out.push_back({at, at + text_.size()});
    return out;
  }
  UErrorCode status = U_ZERO_ERROR;
  // One that is in use has a state; the compiled form is shared.
  std::unique_ptr<void, CloseRegex> const owned(uregex_clone(static_cast<const URegularExpression*>(compiled_.get()), &status));
  auto* const regex = static_cast<URegularExpression*>(owned.get());
  OpenText open(text, status);
  uregex_setTimeLimit(regex, most_time, &status);
  uregex_setUText(regex, &open.text, &status);
  while (U_SUCCESS(status) && uregex_findNext(regex, &status) != 0) {
    auto const begin = static_cast<std::size_t>(uregex_start64(regex, 0, &status));
    auto const end = static_cast<std::size_t>(uregex_end64(regex, 0, &status));
    if (U_SUCCESS(status) && begin < end) out.push_back({begin, end});
  }
  if (U_FAILURE(status)) return gave_up(text_, status, text.size());
  return out;
}
Expected<std::string> Pattern::replaced(std::string_view text, std::string_view by) const {
  auto const found = matches(text);
  if (!found) return found.refusal();
  std::string out;
  std::size_t at = 0;
  for (const ByteSpan& m : *found) {
    out += text.substr(at, m.begin - at);
    out += by;
    at = m.end;
  }
  return out += text.substr(at);
}

}  // namespace tcp::tokens
