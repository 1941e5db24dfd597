// The ids of one piece: BPE joins neighbours by rank, Unigram takes the likeliest way through the piece.
#include <cstdio>
#include <queue>
#include <tuple>

#include "tokens/parts.hpp"

namespace tcp::tokens {
namespace {

Refusal no_token(std::string_view text) {
  char code[16];
  std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(character_at(text, 0)));
  return refuse("tokens-character")
      .what("the vocabulary has no token for ", static_cast<const char*>(code))
      .why("neither the character nor its bytes are tokens, and model.unk_token names none for what is unknown")
      .help("take the tokenizer.json that was published with the model, or leave the character out");
}

/// The tokens of the bytes; false, and nothing appended: not all bytes have one.
template <class Append>
bool append_bytes(const ModelParts& model, std::string_view text, const Append& append) {
  if (!model.byte_fallback) return false;
  for (char c : text)
    if (model.byte_tokens[static_cast<unsigned char>(c)] < 0) return false;
  for (char c : text) append(model.byte_tokens[static_cast<unsigned char>(c)]);
  return true;
}

/// A token of a piece on its way; one that was joined to its left neighbour has the id -1.
struct Symbol {
  std::int32_t id = -1;
  std::int64_t left = -1, right = -1;
};
using Symbols = std::vector<Symbol>;

Expected<Symbols> symbols_of(const ModelParts& model, std::string_view piece) {
  Symbols out;
  auto const append = [&](std::int32_t id) {
    out.push_back({id, static_cast<std::int64_t>(out.size()) - 1, static_cast<std::int64_t>(out.size()) + 1});
  };
  bool unknown_before = false;
  for (const ByteSpan& c : characters_of(piece)) {
    std::string_view const text = piece.substr(c.begin, c.end - c.begin);
    bool unknown = false;
    if (auto const at = model.vocabulary.find(text); at != model.vocabulary.end()) {
      append(at->second);
    } else if (!append_bytes(model, text, append)) {
      if (model.unknown < 0) return no_token(text);
      unknown = true;
      if (!(unknown_before && model.fuse_unknown)) append(model.unknown);
    }
    unknown_before = unknown;
  }
  if (!out.empty()) out.back().right = -1;
  return out;
}

/// The pair of lowest rank first, and of these the leftmost.
void merge_all(const ModelParts& model, Symbols& symbols) {
  using Candidate = std::tuple<std::int32_t, std::int64_t, std::int32_t>;  // rank, place of the left one, id of both
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  auto const at = [&](std::int64_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
  auto const found = [&](std::int64_t left) -> const MergedPair* {
    if (left < 0 || at(left).right < 0) return nullptr;
    auto const pair = model.merges.find(pair_key(at(left).id, at(at(left).right).id));
    return pair == model.merges.end() ? nullptr : &pair->second;
  };
  auto const consider = [&](std::int64_t left) {
    if (const MergedPair* const pair = found(left); pair != nullptr) candidates.emplace(pair->rank, left, pair->id);
  };
  for (std::size_t i = 0; i < symbols.size(); ++i) consider(static_cast<std::int64_t>(i));
  while (!candidates.empty()) {
    auto const [rank, left, id] = candidates.top();
    candidates.pop();
    if (at(left).id < 0) continue;
    const MergedPair* const pair = found(left);
    if (pair == nullptr || pair->rank != rank || pair->id != id) continue;  // one of them is another token by now
    std::int64_t const gone = at(left).right;
    at(left).id = id;
    at(left).right = at(gone).right;
    if (at(gone).right >= 0) at(at(gone).right).left = left;
    at(gone).id = -1;
    consider(at(left).left);
    consider(left);
  }
}

Verdict encode_bpe(const ModelParts& model, std::string_view piece, Ids& ids) {
  if (model.ignore_merges)
    if (auto const whole = model.vocabulary.find(piece); whole != model.vocabulary.end()) {
      ids.push_back(whole->second);
      return accept();
    }
  auto symbols = symbols_of(model, piece);
  if (!symbols) return symbols.refusal();
  Symbols merged = *std::move(symbols);
  merge_all(model, merged);
  for (const Symbol& s : merged)
    if (s.id >= 0) ids.push_back(s.id);
  return accept();
}

/// The best way to a place of the piece: its score, where its last token begins, and which it is; -1: unknown.
struct BestWay {
  double score = 0;
  std::size_t begin = 0;
  std::int32_t id = -1;
  bool reached = false;
};
Verdict encode_unigram(const ModelParts& model, std::string_view piece, Ids& ids) {
  std::vector<BestWay> best(piece.size() + 1);
  best[0].reached = true;
  auto const offer = [&](std::size_t begin, std::size_t end, std::int32_t id, double score) {
    double const all = best[begin].score + score;
    if (!best[end].reached || all > best[end].score) best[end] = {all, begin, id, true};
  };
  for (const ByteSpan& c : characters_of(piece)) {
    bool alone = false;  // whether the character is a token
    for (std::size_t end = c.end; end <= piece.size() && end - c.begin <= model.longest; ++end) {
      auto const token = model.vocabulary.find(piece.substr(c.begin, end - c.begin));
      if (token == model.vocabulary.end()) continue;
      auto const score = model.scores.find(token->second);
      if (score == model.scores.end()) continue;
      offer(c.begin, end, token->second, score->second);
      alone = alone || end == c.end;
    }
    if (!alone) offer(c.begin, c.end, -1, model.unknown_score);
  }
  std::vector<std::pair<ByteSpan, std::int32_t>> way;  // from the end; neighbours that are unknown are one
  for (std::size_t end = piece.size(); end > 0; end = best[end].begin) {
    if (best[end].id < 0 && !way.empty() && way.back().second < 0) way.back().first.begin = best[end].begin;
    else way.push_back({{best[end].begin, end}, best[end].id});
  }
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    std::string_view const text = piece.substr(at->first.begin, at->first.end - at->first.begin);
    if (at->second >= 0) ids.push_back(at->second);
    else if (append_bytes(model, text, [&](std::int32_t id) { ids.push_back(id); })) continue;
    else if (model.unknown < 0) return no_token(text);
    else ids.push_back(model.unknown);
  }
  return accept();
}

}  // namespace

Verdict encode_piece(const ModelParts& model, std::string_view piece, Ids& ids) {
  return model.kind == ModelParts::Kind::bpe ? encode_bpe(model, piece, ids) : encode_unigram(model, piece, ids);
}

}  // namespace tcp::tokens
