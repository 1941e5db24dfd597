// Mappings as text in columns: the factors of the normal form, and what lies at which place.
#include <algorithm>
#include <sstream>

#include "tcp/mapping/draw.hpp"

namespace tcp {
namespace {

// Close to the colours of the pictures, and as safe for the colour-blind.
constexpr const char* axis_colours[] = {"\033[38;5;33m",  "\033[38;5;214m", "\033[38;5;36m",
                                        "\033[38;5;202m", "\033[38;5;175m", "\033[38;5;117m"};
constexpr const char* bold = "\033[1m";
constexpr const char* faint = "\033[2m";
constexpr const char* plain = "\033[0m";

struct Field {
  std::string right, left;  // the first is set flush right, the second, if any, follows it flush left
};
struct Line {
  std::vector<Field> fields;
  std::string rest;  // in place of the columns that are left
};
struct Column {
  std::string title;
  bool flush_left = false;
  const char* colour = "";
};

std::string flush_right(const std::string& s, std::size_t width) { return std::string(width > s.size() ? width - s.size() : 0, ' ') + s; }
std::string flush_left(const std::string& s, std::size_t width) { return s + std::string(width > s.size() ? width - s.size() : 0, ' '); }

/// A piece of a line with its colour; blanks at the end of the line are left out, colours of nothing too.
class Painter {
 public:
  explicit Painter(bool colour) : colour_(colour) {}

  void add(const std::string& s, const char* colour = "") {
    std::size_t const end = s.find_last_not_of(' ');
    if (end == s.npos) {
      blanks_ += s;
      return;
    }
    out_ += blanks_;
    bool const paints = colour_ && *colour != '\0';
    if (paints) out_ += colour;
    out_.append(s, 0, end + 1);
    if (paints) out_ += plain;
    blanks_.assign(s, end + 1);
  }
  void end_line() {
    out_ += '\n';
    blanks_.clear();
  }
  std::string take() { return std::move(out_); }

 private:
  bool colour_;
  std::string out_, blanks_;
};

std::string in_columns(const std::vector<Column>& columns, const std::vector<Line>& lines, bool colour) {
  constexpr const char* gap = "  ";
  std::vector<std::size_t> right(columns.size()), left(columns.size());
  for (Line const& line : lines)
    for (std::size_t c = 0; c < line.fields.size(); ++c) {
      right[c] = std::max(right[c], line.fields[c].right.size());
      left[c] = std::max(left[c], line.fields[c].left.size());
    }
  Painter paint(colour);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t const wanted = columns[c].title.size(), between = left[c] > 0 ? 1 : 0;
    if (wanted > right[c] + between + left[c]) (left[c] > 0 ? left[c] : right[c]) += wanted - right[c] - between - left[c];
    if (c > 0) paint.add(gap);
    std::size_t const width = right[c] + (left[c] > 0 ? 1 + left[c] : 0);
    bool const above_number = !columns[c].flush_left && wanted <= right[c];
    paint.add(flush_left(above_number ? flush_right(columns[c].title, right[c]) : columns[c].title, width),
              *columns[c].colour != '\0' ? columns[c].colour : bold);
  }
  paint.end_line();
  for (Line const& line : lines) {
    for (std::size_t c = 0; c < line.fields.size(); ++c) {
      if (c > 0) paint.add(gap);
      Field const& f = line.fields[c];
      paint.add(columns[c].flush_left ? flush_left(f.right, right[c]) : flush_right(f.right, right[c]), columns[c].colour);
      if (left[c] > 0) {
        paint.add(" ");
        paint.add(flush_left(f.left, left[c]), columns[c].colour);
      }
    }
    if (!line.rest.empty()) {
      if (!line.fields.empty()) paint.add(gap);
      paint.add(line.rest, faint);
    }
    paint.end_line();
  }
  return paint.take();
}

Field number(std::int64_t n) { return {std::to_string(n), ""}; }
Field interval(std::int64_t first, std::int64_t count, std::int64_t step) {
  if (count == 1 || step == 0) return number(first);
  std::string to = "to " + std::to_string(first + (count - 1) * step);
  if (step != 1) to += " by " + std::to_string(step);
  return {std::to_string(first), std::move(to)};
}

std::string digit_text(const Mapping& m, int k) {
  std::ostringstream out;
  detail::print_digit(out, m, k);
  if (m.digit[k].in_window() && m.digit[k].step != 1) out << ":" << m.digit[k].step;
  return out.str();
}
std::string name(const Name& n) {
  std::ostringstream out;
  out << n;
  return out.str();
}
const char* colour_of(int axis) { return axis_colours[static_cast<std::size_t>(axis) % std::size(axis_colours)]; }

/// The axes of all levels, in the order in which the levels name them.
std::vector<Name> axes_of(const Levels& levels) {
  std::vector<Name> found;
  for (Mapping const& m : levels.at)
    for (int a = 0; a < m.axes; ++a)
      if (std::find(found.begin(), found.end(), m.axis[a].name) == found.end()) found.push_back(m.axis[a].name);
  return found;
}

}  // namespace

namespace {

void add_factors(std::vector<Line>& lines, const Mapping& m, const std::string& level) {
  Footprints const foot = footprints(m);
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    std::string axis = d.axis == no_axis ? (d.size > 1 ? "copies" : "") : name(m.axis[d.axis].name);
    if (d.skewed_by != no_axis) axis += " + " + name(m.axis[d.skewed_by].name);
    Pad const pad = d.joined ? Pad::none : detail::padding_of(m, k);
    std::int64_t const apart = d.in_window() ? d.step * foot.inside[k] : foot.inside[k];
    lines.push_back({{{level, ""},
                      {digit_text(m, k), ""},
                      {axis, ""},
                      d.axis == no_axis ? Field{} : number(d.stride),
                      number(d.size),
                      d.joined ? Field{} : number(d.slot),
                      number(apart),
                      {pad == Pad::none ? "" : name_of(pad), ""}},
                     ""});
  }
  if (m.digits == 0) lines.push_back({{{level, ""}, {"1", ""}, {}, {}, number(1), number(1), number(1), {}}, ""});
}

void add_remarks(std::ostringstream& out, const Mapping& m, const std::string& level) {
  std::string const at = level.empty() ? "" : level + ": ";
  Footprints const foot = footprints(m);
  for (int a = 0; a < m.axes; ++a) {
    std::int64_t const start = m.axis[a].start;
    if (start > 0) out << "start   " << at << m.axis[a].name << " is read from " << start << " on\n";
    if (start < 0) out << "start   " << at << m.axis[a].name << " has " << -start << " positions of padding in front\n";
  }
  for (int t = 0; t < m.tails; ++t)
    out << "group   " << at << "factors " << m.tail[t].first + 1 << " to " << m.tail[t].last + 1 << " are " << foot.tail_live[t]
        << " positions together, padded to " << m.tail[t].slot << " (" << name_of(m.tail[t].pad) << ")\n";
  for (Factor const& f : factors(m)) {
    if (!m.digit[f.first].in_window()) continue;
    out << "window  " << at << f.text << ": all steps with the same sum share a place, the sum being";
    for (int k = f.first; k <= f.last; ++k) {
      out << (k > f.first ? " + " : " ");
      if (m.digit[k].step != 1) out << m.digit[k].step << " ";
      out << m.axis[m.digit[k].axis].name;
    }
    out << "\n";
  }
}

}  // namespace

std::string draw_factors(const Levels& levels, bool colour) {
  Places const places(levels);
  bool const plain_mapping = places.counted().size() == 1 && places.innermost() == Level::element;
  std::vector<Column> columns = {{"level", true}, {"factor", true}, {"axis", true}, {"stride"},
                                 {"size"},        {"slot"},         {"apart"},      {"padding", true}};
  std::vector<Line> lines;
  std::ostringstream remarks;
  for (Level l : places.counted()) {
    std::string const level = plain_mapping ? "" : name_of(l);
    add_factors(lines, levels[l], level);
    add_remarks(remarks, levels[l], level);
  }
  if (plain_mapping) {
    columns.erase(columns.begin());
    for (Line& line : lines) line.fields.erase(line.fields.begin());
  }
  return in_columns(columns, lines, colour) + remarks.str();
}

namespace {

/// A table of runs, made line by line: a run with its cell is large, its line is small.
class RunTable {
 public:
  explicit RunTable(const Places& places) : places_(places), axes_(axes_of(places.levels())) {}

  std::size_t lines() const { return lines_.size(); }
  void add(const CellRun& run);
  std::string drawn(bool colour) const;

 private:
  const Places& places_;
  std::vector<Name> axes_;
  std::vector<Line> lines_;
  bool seen_[4]{};  // kinds of padding
};

void RunTable::add(const CellRun& run) {
  Line line;
  Place const at = places_.place(run.from);
  for (Level l : places_.counted()) {
    std::int64_t const position = at.on(static_cast<int>(l));
    line.fields.push_back(l == places_.innermost() ? interval(position, run.count, 1) : number(position));
  }
  if (run.first.live()) {
    for (Name const& a : axes_) line.fields.push_back(interval(run.first.index.get(a), run.count, a == run.moving ? run.step : 0));
    if (axes_.empty()) line.rest = describe(run.first.index);
  } else {
    line.rest = describe(places_, run.from);
    seen_[static_cast<int>(run.first.pad)] = true;
  }
  lines_.push_back(std::move(line));
}

std::string RunTable::drawn(bool colour) const {
  std::vector<Column> columns;
  bool const one_level = places_.counted().size() == 1;
  for (Level l : places_.counted()) columns.push_back({one_level && l == Level::element ? "position" : name_of(l)});
  for (std::size_t a = 0; a < axes_.size(); ++a) columns.push_back({name(axes_[a]), false, colour_of(static_cast<int>(a))});
  std::string out = in_columns(columns, lines_, colour);
  for (Pad kind : {Pad::zero, Pad::top, Pad::bottom})
    if (seen_[static_cast<int>(kind)]) out += "(" + describe(kind) + ")\n";
  return out;
}

}  // namespace

std::string draw_runs(const Places& places, const std::vector<CellRun>& runs, bool colour) {
  RunTable table(places);
  for (CellRun const& run : runs) table.add(run);
  return table.drawn(colour);
}

Expected<CellTable> draw_cells(const Levels& levels, const Shown& shown) {
  if (auto v = check_levels(levels); !v) return v.refusal();
  Places const places(levels);
  if (auto v = check_shown(places, shown); !v) return v.refusal();
  std::int64_t const end = shown.count > places.size() - shown.from ? places.size() : shown.from + shown.count;
  RunTable table(places);
  std::int64_t at = shown.from;
  while (at < end && table.lines() < static_cast<std::size_t>(shown.lines)) {
    CellRun run = run_from(places, at);
    run.count = std::min(run.count, end - at);
    table.add(run);
    at += run.count;
  }
  return CellTable{table.drawn(shown.colour), at < end ? at : -1};
}

}  // namespace tcp
