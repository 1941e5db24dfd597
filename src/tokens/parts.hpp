// What a tokenizer.json says, in the order in which a text goes through it:
//
//   added tokens   found in the text as it is; what lies between goes on
//   rewriting      the normalizer: whole texts become others; then the added tokens that are found in those
//   cutting        the pre-tokenizer: pieces that no token reaches across
//   model          the ids of a piece: BPE or Unigram
//   around         the post-processor: ids before and after all
//
// Ids become text again by the steps of the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tcp/support/expected.hpp"
#include "tcp/tokens/tokenizer.hpp"

// How messages of this library show what came from outside.

namespace tcp::tokens {

/// At most `room` characters, none of them unprintable.
inline std::string shown(std::string_view text, std::size_t room) {
  std::string out;
  for (char c : text.substr(0, room)) out += c >= ' ' && c < 0x7f ? c : '?';
  return text.size() > room ? out + "..." : out;
}
/// How a message begins: `tokenizer.json: `. The end of a path says most.
inline std::string shown_file(std::string_view path) {
  constexpr std::size_t room = 60;
  std::string const end = path.size() > room ? "..." + shown(path.substr(path.size() - room), room) : shown(path, room);
  return end.empty() ? "" : end + ": ";
}

// What this library asks ICU: regular expressions, normal forms and kinds of characters. Texts are UTF-8.

inline constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes [begin, end) of a text.
struct ByteSpan {
  std::size_t begin = 0, end = 0;
};

/// Bytes of the character that begins at `at`: n > 0, it is there; 0, the text ends within it; -n, these n bytes can
/// begin none.
int character_bytes(std::string_view text, std::size_t at);
/// Every piece that is no character is U+FFFD, as in most programs: one for each beginning of a character that breaks
/// off.
std::string valid_utf8(std::string_view text);
/// Characters, as bytes of the text; it is valid.
std::vector<ByteSpan> characters_of(std::string_view text);
char32_t character_at(std::string_view text, std::size_t at);
std::string utf8_of(char32_t c);

bool is_space(char32_t c);    // White_Space
bool is_of_word(char32_t c);  // \w
bool is_numeric(char32_t c);  // \p{N}

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };
std::string normal_form(std::string_view text, NormalForm form);

/// A piece of text, or a regular expression.
class Pattern {
 public:
  static Pattern literal(std::string text);
  /// Refused: what is no regular expression.
  static Expected<Pattern> regex(const std::string& text, const std::string& where);

  /// Not empty, from left to right. Refused: a regular expression that takes too long.
  Expected<std::vector<ByteSpan>> matches(std::string_view text) const;
  /// Every match replaced.
  Expected<std::string> replaced(std::string_view text, std::string_view by) const;

 private:
  std::string text_;
  std::shared_ptr<void> compiled_;  // none: a literal
};

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using Vocabulary = std::unordered_map<std::string, std::int32_t, StringHash, std::equal_to<>>;

struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool special = false, single_word = false, left_blanks = false, right_blanks = false, normalized = false;
};

/// Finds added tokens: of those that begin first, the longest.
class AddedTokens {
 public:
  void insert(const std::string& text, const AddedToken& token);
  bool empty() const { return tokens_.empty(); }

  /// A stretch of the text, and the id of the token that it is; -1: none.
  struct Stretch {
    ByteSpan bytes;
    std::int32_t id = -1;
  };
  std::vector<Stretch> cut(std::string_view text) const;

 private:
  struct Node {
    std::map<unsigned char, std::size_t> next;
    std::int64_t token = -1;
  };
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<AddedToken> tokens_;
};

struct RewriteStep {
  enum class Kind : std::uint8_t { form, prepend, replace } kind = Kind::form;
  NormalForm form = NormalForm::nfc;
  std::string content{};
  Pattern pattern{};
};

/// How matches and what lies between them become pieces.
enum class SplitBehavior : std::uint8_t { removed, isolated, merged_with_previous, merged_with_next, contiguous };
/// Where U+2581 is put in front of a piece that does not begin with it.
enum class Prepend : std::uint8_t { always, first, never };

struct CutStep {
  enum class Kind : std::uint8_t { split, byte_level, metaspace, digits } kind = Kind::split;
  Pattern pattern{};
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;
  bool prefix_blank = false;   // byte_level: a blank in front of a piece that does not begin with one
  bool cuts = true;            // byte_level: by GPT-2's regular expression, which is `pattern`; metaspace: before each blank
  bool single_digits = false;  // digits: a piece each
  std::string mark{};          // metaspace: what stands for a blank
  Prepend prepend = Prepend::always;
};

struct DecodeStep {
  enum class Kind : std::uint8_t { byte_level, replace, byte_fallback, metaspace, strip } kind = Kind::byte_level;
  Pattern pattern{};
  std::string content{};
  std::int64_t left = 0, right = 0;  // strip: of each token
  Prepend prepend = Prepend::always;
};

struct MergedPair {
  std::int32_t rank = 0, id = 0;
};

struct ModelParts {
  enum class Kind : std::uint8_t { bpe, unigram } kind = Kind::bpe;
  Vocabulary vocabulary{};
  std::int32_t unknown = -1;  // -1: none
  bool fuse_unknown = false, byte_fallback = false, ignore_merges = false;
  std::unordered_map<std::uint64_t, MergedPair> merges{};  // BPE: by both ids
  std::unordered_map<std::int32_t, double> scores{};       // Unigram: logarithms of probabilities
  double unknown_score = 0;
  std::size_t longest = 0;        // bytes of a token
  std::int32_t byte_tokens[256];  // -1: none
};
inline std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

struct TokenizerParts {
  AddedTokens added{}, added_normalized{};
  std::vector<RewriteStep> rewrite{};
  std::vector<CutStep> cut{};
  ModelParts model{};
  Ids before{}, after{};
  std::vector<DecodeStep> decode{};
  std::string strip{};  // after all tokens are joined, at the beginning: up to so many of this
  std::int64_t strip_most = 0;
  bool byte_level = false, byte_fallback = false;  // decode
  std::unordered_map<std::int32_t, std::string> token_of{};
  std::unordered_map<std::int32_t, bool> special{};
  std::int64_t size = 0;
};

/// The character that stands for a byte in byte-level vocabularies: itself where it is printable.
char32_t character_of_byte(unsigned char byte);
std::string as_byte_characters(std::string_view text);

Expected<std::string> rewritten(const std::vector<RewriteStep>& steps, std::string text);

/// A piece, and whether the text begins with it.
struct CutPiece {
  std::string text;
  bool first = false;
};
Expected<std::vector<CutPiece>> cut_into_pieces(const std::vector<CutStep>& steps, CutPiece whole);

/// Appends the ids of a piece.
Verdict encode_piece(const ModelParts& model, std::string_view piece, Ids& ids);

}  // namespace tcp::tokens
