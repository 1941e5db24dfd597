// What is typed for `tcp layout`, axes in the first line and levels in the rest, is drawn or refused, quickly.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inputs.hpp"
#include "read_text.hpp"
#include "tcp/mapping/draw.hpp"

namespace {

using tcp::fuzz::must;

void draw(const tcp::Levels& levels) {
  must(!tcp::draw_summary(levels).empty() && !tcp::draw_factors(levels).empty());
  tcp::Census const count = tcp::census(levels);
  tcp::Places const places(levels);
  if (count.known)
    must(count.elements >= 0 && count.padding() >= 0 && (!places.all() || count.elements + count.padding() == places.size()));
  auto const table = tcp::draw_cells(levels, {.lines = 40});
  if (!table) return tcp::fuzz::check_sentence(table.refusal());
  must(!tcp::draw_runs(places, tcp::telling_runs(places)).empty());
  auto const last = tcp::draw_cells(levels, {.from = places.size() - 1, .count = 1});
  must(last && last->next == -1);
  auto const svg = tcp::draw_svg(levels, {.count = 200});  // thousands of squares would be drawn a few times a second
  if (svg) must(svg->starts_with("<svg") && svg->ends_with("</svg>\n"));
  else tcp::fuzz::check_sentence(svg.refusal());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<const char*>(data), size);
  std::size_t const end = std::min(text.find('\n'), text.size());
  auto const axes = tcp::parse_axes(text.substr(0, end));
  if (!axes) return 0;
  std::string const rest(text.substr(std::min(end + 1, text.size())));
  if (!tcp::tool::names_level(rest)) {
    auto const mapping = tcp::tool::read_mapping(rest, *axes);
    if (mapping) draw(tcp::spread(*mapping));
    else tcp::fuzz::check_sentence(mapping.refusal());
    return 0;
  }
  auto const levels = tcp::tool::read_levels(rest, *axes);
  if (levels) draw(levels->levels);
  else tcp::fuzz::check_sentence(levels.refusal());
  return 0;
}
