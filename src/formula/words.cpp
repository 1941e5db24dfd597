// Shows the place of an error: one line of the text around it, and a line that underlines it.
#include "formula/words.hpp"

#include <algorithm>

namespace tcp::formula {

std::string plain_words(std::string_view typed, std::size_t room) {
  std::string plain;
  for (char c : typed.substr(0, room)) plain += c >= ' ' && c < 0x7f ? c : '?';
  if (typed.size() > room) plain += "...";
  return plain;
}

Text column_of(std::string_view text, const TextPart& at) {
  if (text.empty()) return {};
  return tcp::text("at column ", at.begin + 1, ": ");
}

void show_place(Refusal& r, std::string_view text, const TextPart& at) {
  if (text.empty()) return;
  constexpr std::size_t around = 40, widest = 90;
  std::size_t const first = at.begin > around ? at.begin - around : 0;
  std::size_t const begin = std::min(at.begin, text.size()), end = std::clamp(at.end, begin, text.size());
  std::string const shown = plain_words(text.substr(first, widest), widest);
  std::size_t const marks = std::max<std::size_t>(1, std::min(end - begin, first + widest > begin ? first + widest - begin : 1));
  std::string const dots = first > 0 ? "..." : "";
  r.why(r.note.empty() ? "" : "\n        ", dots, shown, "\n        ", std::string(dots.size() + begin - first, ' '),
        std::string(marks, '^'));
}

}  // namespace tcp::formula
