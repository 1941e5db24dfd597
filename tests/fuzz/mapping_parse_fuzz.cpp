// Any text is a mapping or is refused, quickly; a mapping that was read can be printed and read again, and its first and last cells can be looked at.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "inputs.hpp"
#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/parse.hpp"

namespace {

using tcp::fuzz::must;

std::string printed(const tcp::Mapping& m) {
  std::ostringstream out;
  print(out, m);
  return out.str();
}

/// Whether a place of the mapping is found soon: of a window, all steps of all members but the last are tried, and drawings refuse longer ones, too.
bool has_short_windows(const tcp::Mapping& m) {
  constexpr std::int64_t most_steps = 65'536;
  tcp::Checked steps = 1;
  for (int k = 0; k < m.digits; ++k) {
    if (!m.digit[k].in_window()) continue;
    bool const last = k + 1 == m.digits || !m.digit[k + 1].joined;
    steps = last ? tcp::Checked(1) : steps * m.digit[k].size;
    if (!steps.fits || steps.value > most_steps) return false;
  }
  return true;
}

void read_mapping(std::string_view text, const tcp::Axes& axes, const tcp::Splice* splices, int count) {
  auto const m = tcp::parse(text, axes, {}, splices, count);
  if (!m) return tcp::fuzz::check_sentence(m.refusal());
  must(m->ok());
  must(m->size > 0);
  auto const again = tcp::parse(printed(*m), axes);
  must(again.ok());
  must(*again == *m);
  if (!has_short_windows(*m)) return;
  must(cell(*m, 0).kind != tcp::CellKind::outside);
  must(cell(*m, m->size - 1).kind != tcp::CellKind::outside);
  must(cell(*m, m->size).kind == tcp::CellKind::outside);
}

}  // namespace

/// A first line with a `;` declares the axes; without one they are the usual ones.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr tcp::Axes usual = *tcp::parse_axes("A = 8, B = 512, C = 13, D = 61, W = 9, Fw = 3, Huge = 4611686018427387904");
  std::string_view const text(reinterpret_cast<const char*>(data), size);
  std::size_t const semicolon = text.find(';');
  if (semicolon == text.npos) {
    tcp::Splice const splices[] = {{"Slice", *tcp::parse("A / 2 # 8", usual)}, {"Tail", *tcp::parse("[A, D] # 1000", usual)}};
    read_mapping(text, usual, splices, 2);
    return 0;
  }
  auto const axes = tcp::parse_axes(text.substr(0, semicolon));
  if (!axes) tcp::fuzz::check_sentence(axes.refusal());
  else read_mapping(text.substr(semicolon + 1), *axes, nullptr, 0);
  return 0;
}
