// Words for what a trace has, and tables.
#include "trace/texts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace tcp::trace {

namespace {

/// The tensor among these ranges that the bytes of an edge belong to.
std::string tensor_at(const Trace& trace, const std::vector<Range>& ranges, const Edge& e, Naming naming) {
  for (const Range& r : ranges)
    if (r.memory == e.on && r.begin < e.end && e.begin < r.end && r.tensor != none) {
      const std::string& name = trace.tensors[static_cast<std::size_t>(r.tensor)].name;
      return (naming == Naming::family ? family_of(name) : name) + " in " + e.on;
    }
  return "bytes " + std::to_string(e.begin) + " to " + std::to_string(e.end) + " of " + e.on;
}

/// n / 10 with one decimal.
std::string tenths(std::int64_t n) { return with_commas(n / 10) + "." + std::to_string(n % 10); }

}  // namespace

std::string family_of(const std::string& name) {
  std::size_t const bracket = name.rfind('[');
  bool const counted =
      bracket != name.npos && name.ends_with(']') && bracket + 2 < name.size() &&
      std::all_of(name.begin() + static_cast<std::ptrdiff_t>(bracket) + 1, name.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
  return counted ? name.substr(0, bracket) + "[...]" : name;
}

std::string place_of(const Source& source) {
  std::size_t const slash = source.file.rfind('/');
  return source.file.substr(slash == source.file.npos ? 0 : slash + 1) + ":" + std::to_string(source.line);
}

std::string place_of(const std::vector<Source>& sources, std::int32_t source) {
  return source == none ? "-" : place_of(sources[static_cast<std::size_t>(source)]);
}

bool begins_launch(const Trace& trace, const Command& command) {
  return !trace.launches.empty() && !command.resources.empty() &&
         trace.resources[static_cast<std::size_t>(command.resources[0])] == "launch";
}

std::string reason_of(const Trace& trace, const Command& command, Naming naming) {
  const Edge& e = command.after[static_cast<std::size_t>(command.binding)];
  const Command& from = trace.commands[static_cast<std::size_t>(e.from)];
  std::string const who = from.name + " at " + place_of(trace.sources, from.source);
  if (e.kind == "raw") return "reads " + tensor_at(trace, command.reads, e, naming) + ", which " + who + " writes";
  if (e.kind == "war") return "writes " + tensor_at(trace, command.writes, e, naming) + ", which " + who + " still reads";
  if (e.kind == "waw") return "writes " + tensor_at(trace, command.writes, e, naming) + ", which " + who + " writes before";
  if (begins_launch(trace, command) || begins_launch(trace, from)) return "waits until the launch before has ended";
  if (e.kind == "barrier") return "comes after a loop, or a round of one, that is not unrolled, which ends with " + who;
  if (e.kind == "starvation") return "would hold a bank of DM too long, together with " + who;
  return "needs " + e.on + ", which " + who + " occupies";
}

std::vector<std::int64_t> numbers_of(std::string_view set) {
  std::vector<std::int64_t> all;
  std::int64_t first = -1, number = -1;
  for (std::size_t i = 0; i <= set.size(); ++i) {
    char const c = i < set.size() ? set[i] : ',';
    if (c >= '0' && c <= '9') number = std::min(std::max<std::int64_t>(number, 0) * 10 + (c - '0'), most_queues);
    if (c == '-') first = std::exchange(number, -1);
    if (c != ',') continue;
    if (number >= 0)
      for (std::int64_t n = first < 0 ? number : first; n <= number && n < most_queues; ++n) all.push_back(n);
    first = number = -1;
  }
  return all;
}

std::int64_t ticks_of(Cycles cycles, std::int64_t per_cycle) {
  std::int64_t const most = std::numeric_limits<std::int64_t>::max() / std::max<std::int64_t>(per_cycle, 1);
  return std::clamp(cycles.value, -most, most) * per_cycle;
}

std::string with_commas(std::int64_t n) {
  std::string digits = std::to_string(n);
  std::size_t const first = n < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  return tenths(static_cast<std::int64_t>(static_cast<double>(part) * 1000.0 / static_cast<double>(whole) + 0.5)) + " %";
}

std::string in_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 4> units = {" KiB", " MiB", " GiB", " TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  std::size_t unit = 0;
  double value = static_cast<double>(bytes) / 1024;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return tenths(static_cast<std::int64_t>(value * 10 + 0.5)) + units[unit];
}

// Lays out cells in columns, and cuts or wraps what is too long; counts characters, not bytes.

namespace {

constexpr std::size_t gap = 2;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  std::size_t const has = characters(cell);
  std::string const blanks(width > has ? width - has : 0, ' ');
  return right ? blanks + cell : cell + blanks;
}

}  // namespace

std::string fit(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t count = 0, short_end = 0;  // where three dots would still fit
  for (std::size_t at = 0; at < text.size();) {
    if (count == width) {
      out.resize(short_end);
      return out + std::string("...").substr(0, width);
    }
    if (count + 3 <= width) short_end = out.size();
    std::size_t const length = utf8_length(text.substr(at));
    bool const shown = length > 1 ? static_cast<unsigned char>(text[at]) != 0xc2 || static_cast<unsigned char>(text[at + 1]) >= 0xa0
                                  : length == 1 && text[at] >= ' ' && text[at] != 0x7f;  // C1 controls steer terminals, too
    if (shown) out += text.substr(at, length);
    else out += ' ';
    at += std::max<std::size_t>(length, 1);
    ++count;
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(' ', at), text.size());
    std::string const word = fit(text.substr(at, end - at), width - indent);
    std::size_t const length = characters(word);
    if (column > indent && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    at = end + 1;
  }
  return out;
}

std::string Table::text() const {
  std::vector<std::size_t> width;
  for (const Column& c : columns_) width.push_back(c.title.size());
  for (const auto& cells : rows_)
    for (std::size_t i = 0; i < cells.size(); ++i) width[i] = std::max(width[i], characters(cells[i]));
  std::size_t left = page_width;
  for (std::size_t i = 0; i + 1 < width.size(); ++i) left -= std::min(left, width[i] + gap);
  width.back() = left > gap ? left - gap : 0;

  std::string out;
  auto const add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      bool const last = i + 1 == cells.size();
      std::string const cell = fit(cells[i], width[i]);
      line += std::string(gap, ' ') +
              (last && !columns_[i].right ? cell : padded(cell, last ? columns_[i].title.size() : width[i], columns_[i].right));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += fit(line, page_width) + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& c : columns_) titles.push_back(c.title);
  add(titles);
  for (const auto& cells : rows_) add(cells);
  return out;
}

}  // namespace tcp::trace
