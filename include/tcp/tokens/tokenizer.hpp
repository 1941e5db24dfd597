// Text to the numbers that a language model computes with, and back, by the `tokenizer.json` that is published beside
// its weights.
//
//   auto const tokenizer = value_or_throw(tokens::Tokenizer::open("model/tokenizer.json"));
//   auto const ids = value_or_throw(tokenizer.encode("Hello, world"));
//   std::string const text = tokenizer.decode(ids);
//
// Two kinds of files are in use. Byte-level BPE (GPT-2, Llama 3, Qwen, Mistral Nemo) cuts a text into words by a
// regular expression, writes each byte as a character, and joins neighbours by a list of merges. The SentencePiece kind
// (Llama 2, Mistral, Gemma: BPE; T5 and its kin: Unigram) writes a blank as U+2581, and a character without a token as
// the tokens of its bytes.
//
// A file that asks for something that is not computed here is refused by the name of the field, never read as if it had
// not asked. Bytes that are no UTF-8 are encoded as U+FFFD. Run time only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/support/expected.hpp"

namespace tcp::tokens {

using Ids = std::vector<std::int64_t>;

/// Tokens that stand for no text, such as the one that begins it: those that the file adds around a text (encode), and
/// those among ids (decode).
enum class Specials : std::uint8_t { left_out, kept };

struct TokenizerParts;

class Tokenizer {
 public:
  /// Refused: a file that cannot be read, fields that are missing or of another kind, tokens and merges that do not
  /// belong together, and what is not computed here.
  static Expected<Tokenizer> open(const std::string& path);
  /// Parses the text of a file; `file_name` is for the messages alone.
  static Expected<Tokenizer> parse(std::string_view text, std::string_view file_name);

  /// Refused: a character without a token where the file names none for that, and a text on which a regular expression
  /// of the file takes too long.
  Expected<Ids> encode(std::string_view text, Specials around = Specials::kept) const;

  /// The text of ids: valid UTF-8. Bytes that are none, and ids without a token, come out as U+FFFD.
  std::string decode(std::span<const std::int64_t> ids, Specials among = Specials::left_out) const;

  /// One more than the largest id.
  std::int64_t size() const;
  std::optional<std::int64_t> id_of(std::string_view token) const;
  /// As the file writes it.
  std::optional<std::string_view> token_of(std::int64_t id) const;
  bool is_special(std::int64_t id) const;

 private:
  friend class DecodedStream;
  explicit Tokenizer(std::shared_ptr<const TokenizerParts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const TokenizerParts> parts_;
};

/// Ids as they come, text as soon as it is certain: a character whose bytes are spread over tokens comes out whole.
/// Law: the texts of add() for each id and of finish(), one after the other, are decode(ids).
class DecodedStream {
 public:
  explicit DecodedStream(const Tokenizer& tokenizer, Specials among = Specials::left_out);

  std::string add(std::int64_t id);
  std::string finish();

 private:
  std::string out(std::string text);

  std::shared_ptr<const TokenizerParts> parts_;
  Specials among_;
  std::string held_;              // bytes that may become a character
  std::int64_t strips_left_ = 0;  // at the beginning of the text
  bool first_ = true;
};

}  // namespace tcp::tokens
