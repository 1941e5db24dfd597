// `tcp layout MAPPING`: its canonical text, its normal form, what lies where.
#include <ostream>
#include <sstream>

#include "layout.hpp"
#include "read_text.hpp"

namespace tcp::tool {

Expected<Json> show_mapping(const LayoutOptions& options, const Axes& axes, Terminal& terminal) {
  auto const read = read_mapping(options.mapping, axes);
  if (!read) return read.refusal();
  Mapping const& m = *read;
  Levels const levels = spread(m);
  Json answer = json_of(m);
  answer["census"] = json_of(census(levels));
  if (auto v = check_shown(Places(levels), shown_of(options, terminal)); !v) return v.refusal();
  if (auto v = write_picture(levels, options, terminal); !v) return v.refusal();
  if (!options.json) {
    say(terminal, "mapping", in_text(m));
    std::ostringstream used;
    print_axes(used, m);
    if (m.axes > 0) say(terminal, "axes", used.str());
    say(terminal, "size", draw_summary(levels));
    terminal.out << '\n' << draw_factors(levels, terminal.colour_out);
  }
  if (auto v = show_runs(levels, options, terminal, answer); !v) return v.refusal();
  name_picture(options, terminal, answer);
  return answer;
}

}  // namespace tcp::tool
