// From a text to the pieces that the model encodes one by one: the normalizer and the pre-tokenizer.
#include <array>

#include "tokens/parts.hpp"

namespace tcp::tokens {
namespace {

/// The whole text in order, with whether each stretch is a match.
struct MatchedStretch {
  ByteSpan bytes;
  bool match = false;
};
std::vector<MatchedStretch> stretches_of(std::string_view text, const std::vector<ByteSpan>& matches, bool invert) {
  std::vector<MatchedStretch> out;
  std::size_t at = 0;
  for (const ByteSpan& m : matches) {
    if (at < m.begin) out.push_back({{at, m.begin}, invert});
    out.push_back({m, !invert});
    at = m.end;
  }
  if (at < text.size()) out.push_back({{at, text.size()}, invert});
  return out;
}

std::vector<ByteSpan> joined_pieces(const std::vector<MatchedStretch>& stretches, SplitBehavior behavior) {
  std::vector<ByteSpan> out;
  bool before = false;     // whether the last stretch was a match
  bool open_next = false;  // merged_with_next: the last piece is a match that waits for what follows
  for (auto const& [bytes, match] : stretches) {
    bool join = false;
    switch (behavior) {
      case SplitBehavior::removed:
        if (match) continue;
        break;
      case SplitBehavior::isolated: break;
      case SplitBehavior::contiguous: join = !out.empty() && match == before; break;
      case SplitBehavior::merged_with_previous: join = match && !before && !out.empty(); break;
      case SplitBehavior::merged_with_next:
        join = open_next && !match;
        open_next = match;
        break;
    }
    if (join) out.back().end = bytes.end;
    else out.push_back(bytes);
    before = match;
  }
  return out;
}

std::vector<CutPiece> pieces_of(const CutPiece& whole, const std::vector<ByteSpan>& spans) {
  std::vector<CutPiece> out;
  for (const ByteSpan& s : spans) out.push_back({whole.text.substr(s.begin, s.end - s.begin), whole.first && s.begin == 0});
  return out;
}
Expected<std::vector<CutPiece>> split_piece(const CutPiece& whole, const CutStep& step) {
  auto const found = step.pattern.matches(whole.text);
  if (!found) return found.refusal();
  return pieces_of(whole, joined_pieces(stretches_of(whole.text, *found, step.invert), step.behavior));
}
std::vector<CutPiece> cut_digits(const CutPiece& whole, const CutStep& step) {
  std::vector<ByteSpan> digits;
  for (const ByteSpan& c : characters_of(whole.text))
    if (is_numeric(character_at(whole.text, c.begin))) digits.push_back(c);
  return pieces_of(whole, joined_pieces(stretches_of(whole.text, digits, false),
                                        step.single_digits ? SplitBehavior::isolated : SplitBehavior::contiguous));
}
Expected<std::vector<CutPiece>> cut_metaspace(CutPiece whole, const CutStep& step) {
  auto text = Pattern::literal(" ").replaced(whole.text, step.mark);
  whole.text = *std::move(text);
  if ((step.prepend == Prepend::always || (step.prepend == Prepend::first && whole.first)) && !whole.text.starts_with(step.mark))
    whole.text.insert(0, step.mark);
  if (!step.cuts) return std::vector<CutPiece>{std::move(whole)};
  CutStep split;
  split.pattern = Pattern::literal(step.mark);
  split.behavior = SplitBehavior::merged_with_next;
  return split_piece(whole, split);
}
Expected<std::vector<CutPiece>> cut_byte_level(CutPiece whole, const CutStep& step) {
  if (step.prefix_blank && !is_space(character_at(whole.text, 0))) whole.text.insert(0, " ");
  std::vector<CutPiece> pieces;
  if (step.cuts) {
    auto cut = split_piece(whole, step);
    if (!cut) return cut.refusal();
    pieces = *std::move(cut);
  } else {
    pieces.push_back(std::move(whole));
  }
  for (CutPiece& p : pieces) p.text = as_byte_characters(p.text);
  return pieces;
}
Expected<std::vector<CutPiece>> one_cut(const CutPiece& whole, const CutStep& step) {
  switch (step.kind) {
    case CutStep::Kind::split: return split_piece(whole, step);
    case CutStep::Kind::byte_level: return cut_byte_level(whole, step);
    case CutStep::Kind::metaspace: return cut_metaspace(whole, step);
    case CutStep::Kind::digits: return cut_digits(whole, step);
  }
  return std::vector<CutPiece>{whole};
}

}  // namespace

char32_t character_of_byte(unsigned char byte) {
  // Printable Latin characters stand for themselves; the others follow U+0100 in their order.
  auto const printable = [](int b) { return (b >= 0x21 && b <= 0x7E) || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE; };
  static const std::array<char32_t, 256> table = [&] {
    std::array<char32_t, 256> out{};
    char32_t next = 0x100;
    for (int b = 0; b < 256; ++b) out[static_cast<std::size_t>(b)] = printable(b) ? static_cast<char32_t>(b) : next++;
    return out;
  }();
  return table[byte];
}
std::string as_byte_characters(std::string_view text) {
  std::string out;
  for (char c : text) out += utf8_of(character_of_byte(static_cast<unsigned char>(c)));
  return out;
}

Expected<std::string> rewritten(const std::vector<RewriteStep>& steps, std::string text) {
  std::size_t const bytes = text.size(), most = 4096 + 64 * bytes;  // no normal form reaches that
  for (const RewriteStep& step : steps) {
    if (step.kind == RewriteStep::Kind::form) text = normal_form(text, step.form);
    if (step.kind == RewriteStep::Kind::prepend && !text.empty()) text.insert(0, step.content);
    if (step.kind == RewriteStep::Kind::replace) {
      auto changed = step.pattern.replaced(text, step.content);
      if (!changed) return changed.refusal();
      text = *std::move(changed);
    }
    if (text.size() > most)
      return refuse("tokens-growth")
          .what("the normalizer makes ", text.size(), " bytes of ", bytes, ", and at most ", most, " are expected")
          .why("normal forms and marks for blanks are a few times as long as the text; replacements of replacements can grow without end")
          .help("take the tokenizer.json that was published with the model");
  }
  return text;
}

Expected<std::vector<CutPiece>> cut_into_pieces(const std::vector<CutStep>& steps, CutPiece whole) {
  std::vector<CutPiece> pieces;
  if (!whole.text.empty()) pieces.push_back(std::move(whole));
  for (const CutStep& step : steps) {
    std::vector<CutPiece> next;
    for (const CutPiece& piece : pieces) {
      auto cut = one_cut(piece, step);
      if (!cut) return cut.refusal();
      for (CutPiece& p : *std::move(cut))
        if (!p.text.empty()) next.push_back(std::move(p));
    }
    pieces = std::move(next);
  }
  return pieces;
}

}  // namespace tcp::tokens
