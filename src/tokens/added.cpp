// Finds added tokens in a text.
#include "tokens/parts.hpp"

namespace tcp::tokens {

void AddedTokens::insert(const std::string& text, const AddedToken& token) {
  if (text.empty()) return;
  std::size_t at = 0;
  for (char c : text) {
    auto const [next, is_new] = nodes_[at].next.try_emplace(static_cast<unsigned char>(c), nodes_.size());
    at = next->second;
    if (is_new) nodes_.emplace_back();
  }
  nodes_[at].token = static_cast<std::int64_t>(tokens_.size());
  tokens_.push_back(token);
}

std::vector<AddedTokens::Stretch> AddedTokens::cut(std::string_view text) const {
  std::vector<Stretch> out;
  std::size_t done = 0;  // what comes before is in `out`
  auto const character_before = [&](std::size_t at) {
    do --at;
    while ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return at;
  };
  auto const of_word = [&](std::size_t at) { return is_of_word(character_at(text, at)); };
  for (std::size_t at = 0; at < text.size();) {
    std::int64_t found = -1;
    std::size_t end = at;
    for (std::size_t node = 0, i = at; i < text.size(); ++i) {
      auto const next = nodes_[node].next.find(static_cast<unsigned char>(text[i]));
      if (next == nodes_[node].next.end()) break;
      node = next->second;
      if (nodes_[node].token >= 0) found = nodes_[node].token, end = i + 1;
    }
    if (found < 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<std::size_t>(found)];
    std::size_t begin = at;
    at = end;
    if (token.single_word && ((begin > 0 && of_word(character_before(begin))) || (end < text.size() && of_word(end)))) continue;
    if (token.left_blanks)
      while (begin > done && is_space(character_at(text, character_before(begin)))) begin = character_before(begin);
    if (token.right_blanks)
      while (end < text.size() && is_space(character_at(text, end))) end += static_cast<std::size_t>(character_bytes(text, end));
    if (done < begin) out.push_back({{done, begin}, -1});
    out.push_back({{begin, end}, token.id});
    done = at = end;
  }
  if (done < text.size()) out.push_back({{done, text.size()}, -1});
  return out;
}

}  // namespace tcp::tokens
