// Mappings as pictures. A row of the grid is a row of the innermost factors, or of the innermost level, so that what
// repeats stands below itself; gaps stand where factors end. Colour is the axis, its strength the coordinate; hatching
// is padding. The hues are those of Okabe and Ito, which the colour-blind can tell apart, and strength is opacity, so
// that the picture works on light and on dark pages.
#include <algorithm>
#include <ranges>
#include <sstream>

#include "mapping/picture_grid.hpp"
#include "tcp/mapping/draw.hpp"

namespace tcp {
namespace {

constexpr const char* hues[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9"};
constexpr int most_hues = static_cast<int>(std::size(hues));
constexpr int shades = 16;
constexpr std::int64_t most_numbered = 400;  // cells with numbers in them
constexpr std::int64_t most_width = 1500;

std::string escaped(const std::string& s) {
  std::string out;
  for (char c : s) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else out += c;
  }
  return out;
}

/// About what a browser takes for a text of 12 points.
std::int64_t width_of(const std::string& words) { return static_cast<std::int64_t>(words.size()) * 25 / 4; }

std::int64_t digits_of(std::int64_t n) { return static_cast<std::int64_t>(std::to_string(n).size()); }

/// What a coordinate's colour is measured by: the coordinates that the tensor reaches.
struct AxisScale {
  Name name{};
  std::int64_t low = 0, high = 0;

  int shade(std::int64_t at) const {
    if (high <= low) return shades / 2;
    if (high - low < shades) return static_cast<int>((at - low) * (shades - 1) / (high - low));
    return static_cast<int>(static_cast<double>(at - low) / (static_cast<double>(high - low) + 1) * shades);
  }
};

std::vector<AxisScale> scales_of(const Levels& levels) {
  struct Reach {
    AxisScale scale;
    Checked start = 0, steps = 0;
    std::int64_t extent = 0;
    bool counted = false;
  };
  std::vector<Reach> found;
  for (Mapping const& m : levels.at) {
    for (int a = 0; a < m.axes; ++a) {
      auto at = std::find_if(found.begin(), found.end(), [&](const Reach& r) { return r.scale.name == m.axis[a].name; });
      if (at == found.end()) {
        found.push_back({});
        at = found.end() - 1;
        at->scale.name = m.axis[a].name;
        at->extent = m.axis[a].extent;
      }
      at->start = at->start + m.axis[a].start;
      for (int k = 0; k < m.digits; ++k) {
        if (m.digit[k].axis != a) continue;
        at->counted = true;
        at->steps = at->steps + Checked(m.digit[k].stride) * (m.digit[k].size - 1);
      }
    }
  }
  std::vector<AxisScale> scales;
  for (Reach& r : found) {
    if (!r.counted) continue;
    Checked const high = r.start + r.steps;
    r.scale.low = std::clamp<std::int64_t>(r.start.value, 0, r.extent - 1);
    r.scale.high = high.fits ? std::clamp<std::int64_t>(high.value, 0, r.extent - 1) : r.extent - 1;
    scales.push_back(r.scale);
  }
  return scales;
}

class Picture {
 public:
  Picture(const Places& places, PictureGrid grid, std::vector<AxisScale> scales)
      : places_(places),
        grid_(std::move(grid)),
        scales_(std::move(scales)),
        panels_(std::min<int>(static_cast<int>(scales_.size()), most_hues)) {
    measure();
  }

  std::string drawn();

 private:
  void measure();
  void draw_heading(std::ostringstream& out);
  void draw_style(std::ostringstream& out) const;
  void draw_panel(std::ostringstream& out, std::int64_t x, std::int64_t y, int panel) const;
  void draw_labels(std::ostringstream& out) const;
  void draw_square(std::ostringstream& out, std::int64_t r, std::int64_t c, int panel) const;
  void draw_bands(std::ostringstream& out, std::int64_t x, std::int64_t y, const std::vector<Index>& elements) const;
  void rect(std::ostringstream& out, const std::string& style, std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h) const;
  void text(std::ostringstream& out, const std::string& style, std::int64_t x, std::int64_t y, const std::string& words) const;

  std::string hover(std::int64_t r, std::int64_t c) const;
  std::string style_of(std::int64_t number, int panel) const;
  std::string place_name(std::int64_t number) const;
  std::string row_label(std::int64_t r) const;
  std::vector<Level> row_levels() const;
  std::int64_t gap_before(std::int64_t places_in, std::int64_t unit, std::int64_t below) const;

  const Places& places_;
  PictureGrid grid_;
  std::vector<AxisScale> scales_;
  int panels_;             // grids that are drawn: one with numbers, or one an axis
  bool numbered_ = false;  // the cells have numbers in them
  std::int64_t cell_w_ = 8, cell_h_ = 8, band_h_ = 16;
  std::vector<std::int64_t> column_x_, row_y_;
  std::int64_t label_w_ = 0, label_h_ = 18;
  std::int64_t grid_w_ = 0, grid_h_ = 0;
  std::int64_t width_ = 0, height_ = 0;
  bool seen_[4]{};  // kinds of padding
};

/// Wider where more factors begin anew.
std::int64_t Picture::gap_before(std::int64_t number, std::int64_t unit, std::int64_t below) const {
  std::int64_t gap = 0;
  std::int64_t const least = numbered_ ? 2 : 4;  // squares between two gaps
  for (std::int64_t b : grid_.borders.factor)
    if (b / unit >= least && b < below && number % b == 0) gap = std::min<std::int64_t>(gap + 3, 9);
  return gap;
}

void Picture::measure() {
  PictureGrid const& g = grid_;
  int const bands = std::max(panels_, 1);
  std::int64_t longest = 1;
  for (AxisScale const& s : scales_) longest = std::max(longest, digits_of(s.high));
  std::int64_t const numbered_w = std::max<std::int64_t>(24, 10 + 7 * longest);
  numbered_ = !g.sampled() && g.rows * g.columns <= most_numbered && g.columns * numbered_w <= most_width - 200;
  if (numbered_) {
    cell_w_ = numbered_w;
    band_h_ = bands == 1 ? 24 : 16;
    cell_h_ = bands * band_h_ + 2;
    panels_ = 1;
  } else {
    cell_w_ = std::clamp<std::int64_t>(640 / g.columns, 4, 18);
    cell_h_ = std::clamp<std::int64_t>(900 / g.rows, 4, 18);
    if (cell_h_ > cell_w_) cell_h_ = cell_w_;
    if (cell_w_ > 3 * cell_h_) cell_w_ = 3 * cell_h_;
    panels_ = bands;
  }
  std::int64_t x = 0, y = 0;
  for (std::int64_t c = 0; c < g.columns; ++c) {
    if (c > 0) x += gap_before(c * g.across, g.across, g.width);
    column_x_.push_back(x);
    x += cell_w_;
  }
  for (std::int64_t r = 0; r < g.rows; ++r) {
    if (r > 0) y += gap_before(g.place(r, 0), PictureGrid::up_to(Checked(g.width) * g.down, Shown::to_the_end), Shown::to_the_end);
    row_y_.push_back(y);
    y += cell_h_;
  }
  grid_w_ = x;
  grid_h_ = y;
  std::size_t label = 0;
  for (std::int64_t r = 0; r < g.rows; ++r) label = std::max(label, row_label(r).size());
  label_w_ = 6 * static_cast<std::int64_t>(label) + 10;
}

void Picture::rect(std::ostringstream& out, const std::string& style, std::int64_t x, std::int64_t y, std::int64_t w,
                   std::int64_t h) const {
  // A path takes half the letters of a <rect>, and a picture has thousands of them.
  out << "<path class=\"" << style << "\" d=\"M" << x << "," << y << "h" << w << "v" << h << "h-" << w << "z\"/>";
}
void Picture::text(std::ostringstream& out, const std::string& style, std::int64_t x, std::int64_t y, const std::string& words) const {
  out << "<text class=\"" << style << "\" x=\"" << x << "\" y=\"" << y << "\">" << escaped(words) << "</text>\n";
}

std::string Picture::place_name(std::int64_t number) const {
  if (places_.counted().size() == 1) return "position " + std::to_string(number);
  Place const at = places_.place(number);
  std::string out;
  for (Level l : places_.counted()) {
    if (!out.empty()) out += ", ";
    out += std::string(name_of(l)) + " " + std::to_string(at.on(static_cast<int>(l)));
  }
  return out;
}

/// The levels that number the rows: not those of which a square takes in all.
std::vector<Level> Picture::row_levels() const {
  std::vector<Level> levels;
  Checked rows = 1;
  for (Level l : places_.counted() | std::views::reverse) {
    if (l == places_.innermost()) continue;
    rows = rows * places_.levels()[l].size;
    if (!rows.fits || rows.value > grid_.down) levels.insert(levels.begin(), l);
  }
  return levels;
}

std::string Picture::row_label(std::int64_t r) const {
  std::int64_t const number = grid_.place(r, 0);
  if (places_.counted().size() == 1) return std::to_string(number);
  Place const at = places_.place(number);
  std::string out;
  for (Level l : row_levels()) {
    if (!out.empty()) out += ".";
    out += std::to_string(at.on(static_cast<int>(l)));
  }
  return out;
}

std::string Picture::hover(std::int64_t r, std::int64_t c) const {
  std::int64_t const number = grid_.first_of(r, c), last = grid_.last_of(r, c);
  std::string out = place_name(number) + ": " + describe(places_, number);
  if (last > number) out += "\nto " + place_name(last) + ": " + describe(places_, last);
  return out;
}

/// Live cells with a number for each axis: the bands one below the other; the elements of a window beside each other.
void Picture::draw_bands(std::ostringstream& out, std::int64_t x, std::int64_t y, const std::vector<Index>& elements) const {
  auto const n = static_cast<std::int64_t>(elements.size());
  std::int64_t const w = cell_w_ - 2;
  int const bands = std::min<int>(static_cast<int>(scales_.size()), most_hues);
  for (int b = 0; b < bands; ++b) {
    for (std::int64_t i = 0; i < n; ++i) {
      std::int64_t const at = elements[static_cast<std::size_t>(i)].get(scales_[static_cast<std::size_t>(b)].name);
      std::int64_t const left = x + w * i / n, right = x + w * (i + 1) / n;
      std::string const style = "a" + std::to_string(b) + " s" + std::to_string(scales_[static_cast<std::size_t>(b)].shade(at));
      rect(out, style, left, y + b * band_h_, right - left, band_h_);
      std::string const number = std::to_string(at);
      if (right - left >= 7 * static_cast<std::int64_t>(number.size()) + 2)
        out << "<text class=\"m\" x=\"" << (left + right) / 2 << "\" y=\"" << y + b * band_h_ + band_h_ / 2 + 4 << "\">" << number
            << "</text>";
    }
  }
  if (bands == 0) rect(out, "live", x, y, w, cell_h_ - 2);
}

/// The classes of a square that is all one colour: its kind of padding, or the shade of the panel's axis; empty if it
/// takes more than that.
std::string Picture::style_of(std::int64_t number, int panel) const {
  Cell const cell = places_.at(number);
  if (cell.kind == CellKind::padding) return name_of(cell.pad);
  if (cell.kind != CellKind::live || numbered_) return "";
  if (scales_.empty()) return "live";
  AxisScale const& scale = scales_[static_cast<std::size_t>(panel)];
  return "s" + std::to_string(scale.shade(cell.index.get(scale.name)));
}

void Picture::draw_square(std::ostringstream& out, std::int64_t r, std::int64_t c, int panel) const {
  std::int64_t const number = grid_.first_of(r, c), last = grid_.last_of(r, c);
  if (number > last) return;
  std::int64_t const x = column_x_[static_cast<std::size_t>(c)], y = row_y_[static_cast<std::size_t>(r)];
  std::int64_t const line = std::min(cell_w_, cell_h_) >= 5 ? (numbered_ ? 2 : 1) : 0;
  std::int64_t const w = cell_w_ - line, h = cell_h_ - line;
  out << "<g><title>" << escaped(hover(r, c)) << "</title>";
  std::string const first_style = style_of(number, panel), last_style = style_of(last, panel);
  if (first_style.empty() && numbered_) {
    draw_bands(out, x, y, elements_at(places_, number, 4));
  } else if (first_style.empty()) {
    AxisScale const& scale = scales_[static_cast<std::size_t>(panel)];
    std::vector<Index> const elements = elements_at(places_, number, 4);
    auto const n = static_cast<std::int64_t>(elements.size());
    for (std::int64_t i = 0; i < n; ++i) {
      int const shade = scale.shade(elements[static_cast<std::size_t>(i)].get(scale.name));
      rect(out, "s" + std::to_string(shade), x + w * i / n, y, w * (i + 1) / n - w * i / n, h);
    }
  } else if (last_style.empty() || last_style == first_style) {
    rect(out, first_style, x, y, w, h);
  } else {
    rect(out, first_style, x, y, w / 2, h);
    rect(out, last_style, x + w / 2, y, w - w / 2, h);
  }
  out << "</g>\n";
}

void Picture::draw_labels(std::ostringstream& out) const {
  PictureGrid const& g = grid_;
  constexpr std::int64_t line_height = 10;
  std::vector<std::int64_t> taken;
  auto label = [&](std::int64_t r) {
    std::int64_t const y = row_y_[static_cast<std::size_t>(r)];
    for (std::int64_t other : taken)
      if (std::abs(other - y) < line_height) return;
    taken.push_back(y);
    text(out, "r", -6, y + cell_h_ / 2 + 4, row_label(r));
  };
  // Where a factor begins anew, and in between where that leaves much unnamed: every row if there is room, else round
  // numbers of rows.
  std::int64_t begins = 0;
  for (std::int64_t r = 0; r < g.rows; ++r) {
    if (r > 0 && row_y_[static_cast<std::size_t>(r)] - row_y_[static_cast<std::size_t>(r - 1)] == cell_h_) continue;
    ++begins;
    label(r);
  }
  std::int64_t every = 1;
  while (cell_h_ < line_height && every * cell_h_ < 3 * line_height) every *= 2;
  if (cell_h_ >= line_height || grid_h_ / begins > 12 * line_height)
    for (std::int64_t r = 0; r < g.rows; r += every) label(r);
  std::int64_t free_x = -1;
  for (std::int64_t c = 0; c < g.columns; ++c) {
    std::int64_t const x = column_x_[static_cast<std::size_t>(c)];
    std::string const words = std::to_string(c * g.across);
    bool const round = numbered_ || g.columns <= 8 || c % 8 == 0;
    if (x < free_x || !round || (c > 0 && x + width_of(words) > grid_w_ + 8)) continue;
    text(out, "c", x, -5, words);
    free_x = x + width_of(words) + 8;
  }
}

void Picture::draw_panel(std::ostringstream& out, std::int64_t x, std::int64_t y, int panel) const {
  out << "<g transform=\"translate(" << x << "," << y << ")\"";
  if (!numbered_ && !scales_.empty()) out << " class=\"a" << panel << "\"";
  out << ">\n";
  if (!numbered_ && !scales_.empty()) {
    std::ostringstream title;
    AxisScale const& s = scales_[static_cast<std::size_t>(panel)];
    title << "axis " << s.name << ": " << s.low << " to " << s.high;
    text(out, "b", 0, -22, title.str());
  }
  draw_labels(out);
  for (std::int64_t r = 0; r < grid_.rows; ++r)
    for (std::int64_t c = 0; c < grid_.columns; ++c) draw_square(out, r, c, panel);
  out << "</g>\n";
}

void Picture::draw_style(std::ostringstream& out) const {
  out << "<style>\n"
         "svg { font-family: system-ui, 'DejaVu Sans', sans-serif; font-size: 12px }\n"
         "text { fill: #1c1c1c }\n"
         ".page { fill: #ffffff }\n"
         ".b { font-weight: 600 }\n"
         ".k { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: 14px; font-weight: 600 }\n"
         ".r { text-anchor: end; font-size: 10px; fill: #666666 }\n"
         ".c { font-size: 10px; fill: #666666 }\n"
         ".m { text-anchor: middle; font-size: 11px; pointer-events: none }\n"
         ".live { fill: #888888; fill-opacity: 0.45 }\n"
         ".zero { fill: url(#zero) } .top { fill: url(#top) } .bottom { fill: url(#bottom) }\n"
         ".ink { stroke: #8a8a8a } .dot { fill: #8a8a8a } .under { fill: #8a8a8a; fill-opacity: 0.12 }\n"
         "g:hover > path { stroke: #1c1c1c; stroke-width: 1 }\n";
  for (int a = 0; a < most_hues; ++a) out << ".a" << a << " { fill: " << hues[a] << " }\n";
  // Numbers must be readable on the strongest colour, on light pages and on dark ones.
  double const weakest = 0.12, strongest = numbered_ ? 0.62 : 0.95;
  for (int s = 0; s < shades; ++s) {
    double const opacity = weakest + (strongest - weakest) * s / (shades - 1);
    out << ".s" << s << " { fill-opacity: 0." << (opacity < 0.1 ? "0" : "") << static_cast<int>(opacity * 100) << " }\n";
  }
  out << "@media (prefers-color-scheme: dark) {\n"
         "text { fill: #e8e8e8 } .r, .c { fill: #a0a0a0 } .page { fill: #15171a } g:hover > path { stroke: #ffffff }\n"
         "}\n"
         "</style>\n"
         "<defs>\n"
         "<pattern id=\"top\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect class=\"under\" width=\"6\" height=\"6\"/>"
         "<path class=\"ink\" d=\"M-1,1 L1,-1 M0,6 L6,0 M5,7 L7,5\" stroke-width=\"1\"/></pattern>\n"
         "<pattern id=\"zero\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><rect class=\"under\" width=\"5\" height=\"5\"/>"
         "<circle class=\"dot\" cx=\"2.5\" cy=\"2.5\" r=\"1.1\"/></pattern>\n"
         "<pattern id=\"bottom\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><rect class=\"under\" width=\"5\" height=\"5\"/>"
         "<path class=\"ink\" d=\"M0,0 L5,5 M0,5 L5,0\" stroke-width=\"1.3\"/></pattern>\n"
         "</defs>\n";
}

/// What the picture is of, and how to read it. Leaves height_ below it.
void Picture::draw_heading(std::ostringstream& out) {
  std::int64_t y = 28;
  auto line = [&](const char* style, const std::string& words, std::int64_t height) {
    text(out, style, 16, y, words);
    width_ = std::max(width_, 32 + (*style == 'k' ? static_cast<std::int64_t>(words.size()) * 17 / 2 : width_of(words)));
    y += height;
  };
  bool const plain = places_.counted().size() == 1 && places_.innermost() == Level::element;
  std::size_t longest = 0;
  for (Level l : places_.counted()) longest = std::max(longest, std::string(name_of(l)).size());
  for (Level l : places_.counted()) {
    std::string words = "m![" + text_of(places_.levels()[l]) + "]";
    constexpr std::size_t most_letters = 150;
    if (words.size() > most_letters) words = words.substr(0, most_letters - 3) + "...";
    line("k", plain ? words : std::string(name_of(l)) + " = " + words, 19);
  }
  y += 2;
  line("t", draw_summary(places_.levels()), 17);
  if (grid_.from > 0 || grid_.end < places_.size()) line("t", "shown: " + place_name(grid_.from) + " to " + place_name(grid_.end - 1), 17);
  if (grid_.sampled()) {
    std::ostringstream words;
    words << "each square stands for ";
    if (grid_.down > 1) words << grid_.down << " rows of ";
    words << grid_.across << ": its left half shows the first, its right half the last";
    line("t", words.str(), 17);
  }
  if (places_.counted().size() > 1) {
    std::string words;
    for (Level l : row_levels()) words += std::string(words.empty() ? "rows: " : ".") + name_of(l);
    line("t", (words.empty() ? "" : words + "; ") + "columns: " + name_of(places_.innermost()), 17);
  }
  if (static_cast<int>(scales_.size()) > most_hues) line("t", "axes beyond the sixth are told by the hover text only", 17);
  y += 4;
  std::int64_t x = 16;
  std::int64_t const legend_w = std::max<std::int64_t>(640, label_w_ + grid_w_);
  auto begin_entry = [&](std::int64_t w, const std::string& words) {
    if (x > 16 && x + w + 6 + width_of(words) > legend_w) {
      x = 16;
      y += 20;
    }
    text(out, "t", x + w + 6, y + 11, words);
  };
  auto end_entry = [&](std::int64_t w, const std::string& words) {
    x += w + 6 + width_of(words) + 22;
    width_ = std::max(width_, x);
  };
  for (int a = 0; numbered_ && a < std::min<int>(static_cast<int>(scales_.size()), most_hues); ++a) {
    std::ostringstream words;
    AxisScale const& scale = scales_[static_cast<std::size_t>(a)];
    words << scale.name << ": " << scale.low << " to " << scale.high;
    constexpr std::int64_t shade_w = 4, all_w = shade_w * shades;
    begin_entry(all_w, words.str());
    for (int s = 0; s < shades; ++s) rect(out, "a" + std::to_string(a) + " s" + std::to_string(s), x + shade_w * s, y, shade_w, 14);
    end_entry(all_w, words.str());
  }
  for (Pad kind : {Pad::zero, Pad::top, Pad::bottom}) {
    if (!seen_[static_cast<int>(kind)]) continue;
    begin_entry(28, describe(kind));
    rect(out, name_of(kind), x, y, 28, 14);
    end_entry(28, describe(kind));
  }
  height_ = x > 16 ? y + 24 : y;
}

std::string Picture::drawn() {
  // What the legend has to explain is known once the squares have been looked at.
  std::ostringstream body;
  PictureGrid const& g = grid_;
  for (std::int64_t r = 0; r < g.rows; ++r)
    for (std::int64_t c = 0; c < g.columns; ++c) {
      if (g.first_of(r, c) > g.last_of(r, c)) continue;
      for (std::int64_t each : {g.first_of(r, c), g.last_of(r, c)}) {
        Cell const cell = places_.at(each);
        if (cell.kind == CellKind::padding) seen_[static_cast<int>(cell.pad)] = true;
      }
    }
  std::ostringstream heading;
  draw_heading(heading);
  std::int64_t const title_h = numbered_ || scales_.empty() ? 0 : 18;
  std::int64_t x = 16 + label_w_, y = height_ + label_h_ + title_h;
  std::int64_t const panel_w = label_w_ + grid_w_ + 24, panel_h = grid_h_ + label_h_ + title_h + 20;
  for (int p = 0; p < panels_; ++p) {
    if (p > 0 && x + grid_w_ > most_width) {
      x = 16 + label_w_;
      y += panel_h;
    }
    draw_panel(body, x, y, p);
    width_ = std::max(width_, x + grid_w_ + 16);
    height_ = std::max(height_, y + grid_h_ + 16);
    x += panel_w;
  }
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width_ << "\" height=\"" << height_ << "\" viewBox=\"0 0 " << width_ << " "
      << height_ << "\" role=\"img\">\n";
  out << "<title>" << escaped(draw_summary(places_.levels())) << "</title>\n";
  draw_style(out);
  rect(out, "page", 0, 0, width_, height_);
  out << "\n" << heading.str() << "\n" << body.str() << "</svg>\n";
  return out.str();
}

}  // namespace

Expected<std::string> draw_svg(const Levels& levels, const Shown& shown) {
  if (auto v = check_levels(levels); !v) return v.refusal();
  Places const places(levels);
  if (auto v = check_shown(places, shown); !v) return v.refusal();
  std::vector<AxisScale> scales = scales_of(levels);
  auto const grids = static_cast<std::int64_t>(std::clamp<std::size_t>(scales.size(), 1, most_hues));
  return Picture(places, picture_grid(places, shown, grids), std::move(scales)).drawn();
}

}  // namespace tcp
