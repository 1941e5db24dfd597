// Text to ids and back, by the parts that the file has.
#include "tcp/tokens/tokenizer.hpp"

#include <unordered_map>

#include "tokens/parts.hpp"

namespace tcp::tokens {
namespace {

/// `<0x0A>`: the byte; -1: another token.
int byte_of(std::string_view token) {
  auto const digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  int const high = digit(token[3]), low = digit(token[4]);
  return high < 0 || low < 0 ? -1 : 16 * high + low;
}

/// The bytes that the characters of a token stand for; a token with another character is its own text.
std::string bytes_of(std::string_view token) {
  static const std::unordered_map<char32_t, char> table = [] {
    std::unordered_map<char32_t, char> out;
    for (int b = 0; b < 256; ++b) out[character_of_byte(static_cast<unsigned char>(b))] = static_cast<char>(b);
    return out;
  }();
  std::string out;
  for (const ByteSpan& c : characters_of(token)) {
    auto const at = table.find(character_at(token, c.begin));
    if (at == table.end()) return std::string(token);
    out += at->second;
  }
  return out;
}

std::string without_ends(std::string text, const DecodeStep& step) {
  for (std::int64_t i = 0; i < step.left && text.starts_with(step.content); ++i) text.erase(0, step.content.size());
  for (std::int64_t i = 0; i < step.right && text.ends_with(step.content); ++i) text.erase(text.size() - step.content.size());
  return text;
}

/// The characters that `held` begins with; what may still become one stays. `each_byte`: one U+FFFD for each byte that
/// belongs to none, as SentencePiece has it.
std::string whole_characters(std::string& held, bool each_byte, bool at_end) {
  std::string out;
  std::size_t at = 0;
  while (at < held.size()) {
    int const bytes = character_bytes(held, at);
    if (bytes == 0 && !at_end) break;
    if (bytes > 0) {
      out.append(held, at, static_cast<std::size_t>(bytes));
      at += static_cast<std::size_t>(bytes);
      continue;
    }
    out += replacement;
    at += each_byte ? 1 : bytes == 0 ? held.size() - at : static_cast<std::size_t>(-bytes);
  }
  held.erase(0, at);
  return out;
}

Verdict encode_text(const TokenizerParts& parts, std::string_view text, bool first, Ids& ids) {
  auto const pieces = cut_into_pieces(parts.cut, {std::string(text), first});
  if (!pieces) return pieces.refusal();
  for (const CutPiece& piece : *pieces)
    if (auto v = encode_piece(parts.model, piece.text, ids); !v) return v;
  return accept();
}

}  // namespace

Expected<Ids> Tokenizer::encode(std::string_view text, Specials around) const {
  std::string const valid = valid_utf8(text);
  Ids ids;
  if (around == Specials::kept) ids = parts_->before;
  for (const AddedTokens::Stretch& s : parts_->added.cut(valid)) {
    if (s.id >= 0) {
      ids.push_back(s.id);
      continue;
    }
    auto const normal = rewritten(parts_->rewrite, valid.substr(s.bytes.begin, s.bytes.end - s.bytes.begin));
    if (!normal) return normal.refusal();
    for (const AddedTokens::Stretch& inner : parts_->added_normalized.cut(*normal)) {
      if (inner.id >= 0) {
        ids.push_back(inner.id);
        continue;
      }
      std::string_view const rest = std::string_view(*normal).substr(inner.bytes.begin, inner.bytes.end - inner.bytes.begin);
      if (auto v = encode_text(*parts_, rest, s.bytes.begin == 0 && inner.bytes.begin == 0, ids); !v) return v.refusal();
    }
  }
  if (around == Specials::kept) ids.insert(ids.end(), parts_->after.begin(), parts_->after.end());
  return ids;
}

std::string Tokenizer::decode(std::span<const std::int64_t> ids, Specials among) const {
  DecodedStream stream(*this, among);
  std::string out;
  for (std::int64_t id : ids) out += stream.add(id);
  return out += stream.finish();
}

std::int64_t Tokenizer::size() const { return parts_->size; }
std::optional<std::string_view> Tokenizer::token_of(std::int64_t id) const {
  if (id < 0 || id >= parts_->size) return {};
  auto const at = parts_->token_of.find(static_cast<std::int32_t>(id));
  if (at == parts_->token_of.end()) return {};
  return at->second;
}
std::optional<std::int64_t> Tokenizer::id_of(std::string_view token) const {
  if (auto const at = parts_->model.vocabulary.find(token); at != parts_->model.vocabulary.end()) return at->second;
  for (auto const& [id, special] : parts_->special)
    if (parts_->token_of.at(id) == token) return id;
  return {};
}
bool Tokenizer::is_special(std::int64_t id) const {
  if (id < 0 || id >= parts_->size) return false;
  auto const at = parts_->special.find(static_cast<std::int32_t>(id));
  return at != parts_->special.end() && at->second;
}

DecodedStream::DecodedStream(const Tokenizer& tokenizer, Specials among)
    : parts_(tokenizer.parts_), among_(among), strips_left_(parts_->strip_most) {}

/// Only what the text begins with is stripped, however its tokens come.
std::string DecodedStream::out(std::string text) {
  while (strips_left_ > 0 && !text.empty()) {
    if (!text.starts_with(parts_->strip)) strips_left_ = 0;
    else text.erase(0, parts_->strip.size()), --strips_left_;
  }
  return text;
}
std::string DecodedStream::add(std::int64_t id) {
  auto const at = id < 0 || id >= parts_->size ? parts_->token_of.end() : parts_->token_of.find(static_cast<std::int32_t>(id));
  if (at == parts_->token_of.end()) {
    std::string rest = whole_characters(held_, parts_->byte_fallback, true);
    first_ = false;
    return out(rest += replacement);
  }
  if (among_ == Specials::left_out) {
    auto const special = parts_->special.find(at->first);
    if (special != parts_->special.end() && special->second) return {};
  }
  std::string text = at->second;
  bool is_byte = false, is_bytes = false;
  for (const DecodeStep& step : parts_->decode) {
    switch (step.kind) {
      case DecodeStep::Kind::byte_level:
        text = bytes_of(text);
        is_bytes = true;
        break;
      case DecodeStep::Kind::byte_fallback:
        if (int const byte = byte_of(text); byte >= 0) text.assign(1, static_cast<char>(byte)), is_byte = true;
        break;
      case DecodeStep::Kind::replace: {
        // A literal, which never takes long.
        auto changed = step.pattern.replaced(text, step.content);
        if (changed) text = *std::move(changed);
        break;
      }
      case DecodeStep::Kind::metaspace: text = *step.pattern.replaced(text, first_ && step.prepend != Prepend::never ? "" : " "); break;
      case DecodeStep::Kind::strip: text = without_ends(std::move(text), step); break;
    }
  }
  first_ = false;
  std::string done;
  if (!is_byte && !is_bytes) done = whole_characters(held_, parts_->byte_fallback, true);  // characters end where bytes do
  held_ += text;
  return out(done += whole_characters(held_, parts_->byte_fallback, false));
}
std::string DecodedStream::finish() { return out(whole_characters(held_, parts_->byte_fallback, true)); }

}  // namespace tcp::tokens
