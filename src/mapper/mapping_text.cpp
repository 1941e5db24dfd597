// The text form of mappings and pins: a line for the formula, and a line for each decision.
#include <algorithm>
#include <charconv>
#include <utility>

#include "mapper/sizes.hpp"
#include "tcp/formula/parse.hpp"

namespace tcp::mapper {
namespace {

const std::string& operand_name(const Product& p, bool a) { return p.tensor(a ? p.a : p.b).name; }
std::string axis_name(const Product& p, bool rows) {
  int const axis = rows ? p.row_axis : p.column_axis;
  return axis < 0 ? "1" : p.formula.axes[static_cast<std::size_t>(axis)].name;
}
std::string name_of_batches(const Product& p) { return p.formula.axes[static_cast<std::size_t>(p.batch_axis)].name; }
std::string list_of(const std::vector<std::int64_t>& numbers) {
  std::string out;
  for (std::int64_t n : numbers) out += (out.empty() ? "" : " ") + std::to_string(n);
  return out;
}
constexpr const char* word_of(TrfFill fill) { return fill == TrfFill::sub ? "sub" : fill == TrfFill::main ? "main" : "round"; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t' || s.front() == '\r')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}
std::vector<std::string_view> split(std::string_view s, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t const end = s.find(at);
    parts.push_back(trimmed(s.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    s.remove_prefix(end + 1);
  }
}
/// What a stranger typed, fit to be shown.
std::string shown(std::string_view typed) {
  std::string out;
  for (char c : typed.substr(0, 60)) out += c >= ' ' && c < 0x7f ? c : '?';
  return typed.size() > 60 ? out + "..." : out;
}

Refusal unread(Where at, std::string_view line, const Text& what, const Text& help) {
  return refuse("mapper-text", at)
      .what("'", shown(line), "': ", what)
      .why("a mapping has a formula in its first line, and then a decision on each line: name: value")
      .help(help);
}

/// Reads the lines of one mapping or pin.
class Lines {
 public:
  Lines(const Product& product, Where at) : p_(product), at_(at) {}

  Verdict line(std::string_view text) {
    line_ = text;
    std::size_t const colon = text.find(':');
    if (colon == std::string_view::npos) return say(text_of("there is no ':'"), "write a decision as name: value");
    std::string_view const name = trimmed(text.substr(0, colon)), value = trimmed(text.substr(colon + 1));
    if (name == "keep")
      return one_of(value, pin.keep, {{operand_name(p_, true), KeptOperand::a}, {operand_name(p_, false), KeptOperand::b}});
    if (name == "clusters") return clusters(value);
    if (name == "row") return number(value, pin.row);
    if (name == "ring") return number(value, pin.ring);
    if (name == "batches" && p_.batch_axis >= 0) return number(value, pin.batches);
    if (name == "reuse") return number(value, pin.reuse);
    if (name == "ahead") return number(value, pin.ahead);
    if (name == "channels") return one_of(value, pin.dual, {{"1", false}, {"2", true}});
    if (name == "fill") return one_of(value, pin.fill, {{"sub", TrfFill::sub}, {"main", TrfFill::main}, {"round", TrfFill::round}});
    if (name == "parts") return numbers(value, pin.parts.emplace());
    if (name == "loops") return one_of(value, pin.outer, {{"parts, tiles", OuterLoop::parts}, {"tiles, parts", OuterLoop::tiles}});
    if (name == "stored") return stored(value);
    if (name == "pixels" && p_.windows) return pixels(value);
    if (name == "image" && p_.windows) return number(value, pin.image_columns);
    if (name == "loads") return loads(value);
    if (name == "first") return one_of(value, first, {{operand_name(p_, true), KeptOperand::a}, {operand_name(p_, false), KeptOperand::b}});
    if (name == "band") return band(value);
    return say(
        tcp::text("no decision is called '", shown(name), "'"),
        "the decisions are keep, clusters, row, channels, fill, parts, loops, loads, first, ahead, stored and band; of a convolution "
        "also pixels and image, and of batches also batches");
  }

  Pin pin;
  std::optional<KeptOperand> first, cluster_side;
  std::optional<bool> a_at_once, b_at_once, one_cluster, cluster_batches;
  std::vector<Band> bands;
  std::vector<std::string> band_axes;

 private:
  static Text text_of(const char* what) { return tcp::text(what); }
  Refusal say(const Text& what, const char* help) const { return unread(at_, line_, what, tcp::text(help)); }

  template <class T>
  Verdict one_of(std::string_view value, std::optional<T>& into, std::initializer_list<std::pair<std::string_view, T>> words) {
    Text known;
    for (const auto& [word, meaning] : words) {
      if (word == value) {
        into = meaning;
        return accept();
      }
      known << (known.empty() ? "'" : " or '") << std::string(word) << "'";
    }
    return unread(at_, line_, text_of("this value is not known"), tcp::text("write ", known));
  }
  Verdict number(std::string_view value, std::optional<std::int64_t>& into) {
    std::vector<std::int64_t> one;
    if (auto v = numbers(value, one); !v) return v;
    if (one.size() != 1) return say(text_of("one number is expected"), "write a number of at least 1");
    into = one[0];
    return accept();
  }
  Verdict numbers(std::string_view value, std::vector<std::int64_t>& into) {
    into.clear();
    for (std::string_view word : split(value, ' ')) {
      if (word.empty()) continue;
      std::int64_t n = 0;
      auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
      if (error != std::errc{} || end != word.data() + word.size() || n < 0 || n > std::int64_t{1} << 31 || into.size() >= 4096)
        return say(tcp::text("'", shown(word), "' is no number of steps"), "write whole numbers, with blanks between them");
      into.push_back(n);
    }
    if (into.empty()) return say(text_of("a number is expected"), "write whole numbers, with blanks between them");
    return accept();
  }
  Verdict clusters(std::string_view value) {
    // By the axis, which says whether it is the kept one only together with `keep`.
    if (value == "one") one_cluster = true;
    else if (value == axis_name(p_, true) && p_.row_axis >= 0) cluster_side = KeptOperand::a;
    else if (value == axis_name(p_, false) && p_.column_axis >= 0) cluster_side = KeptOperand::b;
    else if (p_.batch_axis >= 0 && value == name_of_batches(p_)) cluster_batches = true;
    else return say(text_of("clusters divide an axis of the result, or one of them works alone"), "write the name of the axis, or one");
    return accept();
  }
  Verdict stored(std::string_view value) {
    if (value == "rows") {
      pin.block = 0;
      return accept();
    }
    if (!value.starts_with("blocks ")) return say(text_of("rows or blocks are expected"), "write rows, or blocks 256");
    return number(trimmed(value.substr(7)), pin.block);
  }
  Verdict pixels(std::string_view value) {
    std::vector<std::int64_t> two;
    if (auto v = numbers(value, two); !v) return v;
    if (two.size() != 2) return say(text_of("two numbers are expected"), "write the rows and columns of a slice's pixels: pixels: 2 4");
    pin.pixel_rows = two[0];
    pin.pixel_columns = two[1];
    return accept();
  }
  Verdict loads(std::string_view value) {
    for (std::string_view each : split(value, ',')) {
      std::size_t const blank = each.find(' ');
      std::string_view const operand = each.substr(0, blank), how = blank == std::string_view::npos ? "" : trimmed(each.substr(blank));
      bool const at_once = how == "at once";
      if (!at_once && how != "by part") return say(text_of("an operand is loaded 'by part' or 'at once'"), "write A by part, B at once");
      if (operand == operand_name(p_, true)) a_at_once = at_once;
      else if (operand == operand_name(p_, false)) b_at_once = at_once;
      else return say(text_of("this is no operand of the product"), "write A by part, B at once");
    }
    return accept();
  }
  Verdict band(std::string_view value) {
    Band b;
    std::optional<std::int64_t> length, ring, groups, reuse;
    std::string axis;
    for (std::string_view each : split(value, ',')) {
      std::size_t const blank = each.find(' ');
      std::string_view const word = each.substr(0, blank), rest = blank == std::string_view::npos ? "" : trimmed(each.substr(blank));
      Verdict v = accept();
      if (word == "ring") v = number(rest, ring);
      else if (word == "groups") v = number(rest, groups);
      else if (word == "reuse") v = number(rest, reuse);
      else if (word == "tiles") v = numbers(rest, b.tiles);
      else {
        axis = std::string(word);
        v = number(rest, length);
      }
      if (!v) return v;
    }
    if (!length || !ring || !groups || !reuse || b.tiles.empty())
      return say(text_of("a band has a length, ring, groups, reuse and tiles"),
                 "write band: m 1000, ring 128, groups 2, reuse 1, tiles 128 128");
    b.length = *length;
    b.ring = *ring;
    b.groups = *groups;
    b.reuse = *reuse;
    bands.push_back(std::move(b));
    band_axes.push_back(std::move(axis));
    return accept();
  }

  const Product& p_;
  Where at_;
  std::string_view line_{};
};

/// Lines, and what is between ';' outside of the formula.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::string_view line : split(text, '\n'))
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  return lines;
}

}  // namespace

std::string print(const KernelMapping& m) {
  const Product& p = m.product;
  const Decisions& d = m.decisions;
  bool const keeps_a = d.keep == KeptOperand::a;
  auto const axis = [&](bool kept) { return axis_name(p, kept == keeps_a); };
  auto const how = [&](bool a) {
    return operand_name(p, a) + ((a == keeps_a ? d.kept_at_once : d.streamed_at_once) ? " at once" : " by part");
  };
  std::string const clusters = d.clusters == OverClusters::one       ? "one"
                               : d.clusters == OverClusters::batches ? name_of_batches(p)
                                                                     : axis(d.clusters == OverClusters::kept);
  std::string out = formula::print(p.formula) + "\n";
  out += "keep: " + operand_name(p, keeps_a) + "\n";
  out += "clusters: " + clusters + "\n";
  out += "row: " + std::to_string(d.row) + "\n";
  out += std::string("channels: ") + (d.dual ? "2" : "1") + "\n";
  out += std::string("fill: ") + word_of(d.fill) + "\n";
  out += "parts: " + list_of(d.parts) + "\n";
  out += std::string("loops: ") + (d.outer == OuterLoop::parts ? "parts, tiles" : "tiles, parts") + "\n";
  out += "loads: " + how(true) + ", " + how(false) + "\n";
  out += "first: " + operand_name(p, d.kept_first == keeps_a) + "\n";
  out += "ahead: " + std::to_string(d.ahead) + "\n";
  out += "stored: " + (d.block > 0 ? "blocks " + std::to_string(d.block) : std::string("rows")) + "\n";
  if (p.windows)
    out += "pixels: " + std::to_string(d.pixel_rows) + " " + std::to_string(d.pixel_columns) +
           "\nimage: " + std::to_string(d.image_columns) + "\n";
  if (p.batch_axis >= 0) out += "batches: " + std::to_string(d.batches) + "\n";
  for (const Band& b : d.bands)
    out += "band: " + axis(true) + " " + std::to_string(b.length) + ", ring " + std::to_string(b.ring) + ", groups " +
           std::to_string(b.groups) + ", reuse " + std::to_string(b.reuse) + ", tiles " + list_of(b.tiles) + "\n";
  return out;
}

Expected<KernelMapping> read_mapping(std::string_view text, const Device& device, Where at) {
  std::vector<std::string_view> const lines = lines_of(text);
  if (lines.empty()) return unread(at, text, tcp::text("there is no formula"), tcp::text("begin with the formula and its sizes"));
  auto const formula = formula::parse(lines[0], at);
  if (!formula) return formula.refusal();
  auto const product = product_of(*formula);
  if (!product) return product.refusal();
  Lines reader(*product, at);
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (auto v = reader.line(lines[i]); !v) return v.refusal();
  const Pin& pin = reader.pin;
  auto const missing = [&](const char* name) {
    return unread(at, name, tcp::text("a mapping has this decision, and it is not there"),
                  tcp::text("write all decisions; some of them alone are a pin: tcp map --pin"));
  };
  if (!pin.keep) return missing("keep");
  if (!reader.one_cluster && !reader.cluster_batches && !reader.cluster_side) return missing("clusters");
  if (!pin.row) return missing("row");
  if (!pin.dual) return missing("channels");
  if (!pin.fill) return missing("fill");
  if (!pin.parts) return missing("parts");
  if (!pin.outer) return missing("loops");
  if (!reader.a_at_once || !reader.b_at_once) return missing("loads");
  if (!reader.first) return missing("first");
  if (!pin.ahead) return missing("ahead");
  if (!pin.block) return missing("stored");
  if (product->batch_axis >= 0 && !pin.batches) return missing("batches");
  if (product->windows && !pin.pixel_rows) return missing("pixels");
  if (product->windows && !pin.image_columns) return missing("image");
  KernelMapping m{*product, {}};
  Decisions& d = m.decisions;
  d.keep = *pin.keep;
  d.clusters = reader.one_cluster               ? OverClusters::one
               : reader.cluster_batches         ? OverClusters::batches
               : *reader.cluster_side == d.keep ? OverClusters::kept
                                                : OverClusters::streamed;
  d.row = *pin.row;
  d.batches = pin.batches.value_or(1);
  d.dual = *pin.dual;
  d.fill = *pin.fill;
  d.parts = *pin.parts;
  d.outer = *pin.outer;
  d.kept_at_once = d.keep == KeptOperand::a ? *reader.a_at_once : *reader.b_at_once;
  d.streamed_at_once = d.keep == KeptOperand::a ? *reader.b_at_once : *reader.a_at_once;
  d.kept_first = *reader.first == d.keep;
  d.ahead = *pin.ahead;
  d.block = *pin.block;
  d.pixel_rows = pin.pixel_rows.value_or(0);
  d.pixel_columns = pin.pixel_columns.value_or(0);
  d.image_columns = pin.image_columns.value_or(0);
  d.bands = reader.bands;
  for (const std::string& axis : reader.band_axes)
    if (axis != axis_name(*product, d.keep == KeptOperand::a))
      return unread(at, axis, tcp::text("bands cut the axis of the operand that is kept"),
                    tcp::text("write band: ", axis_name(*product, d.keep == KeptOperand::a)));
  if (auto v = check_mapping(device, m, at); !v) return v.refusal();
  return m;
}

Expected<Pin> read_pin(std::string_view text, const Product& product, Where at) {
  Lines reader(product, at);
  std::string joined(text);
  std::replace(joined.begin(), joined.end(), ';', '\n');
  for (std::string_view line : lines_of(joined))
    if (auto v = reader.line(line); !v) return v.refusal();
  if (!reader.bands.empty() || reader.a_at_once || reader.first)
    return unread(at, text, tcp::text("bands, loads and what comes first cannot be pinned"),
                  tcp::text("pin keep, clusters, row, channels, fill, parts, loops, ahead, stored, batches, pixels, image, ring or reuse"));
  Pin pin = reader.pin;
  pin.cluster_axis = reader.one_cluster       ? std::optional<Pin::ClusterAxis>(Pin::ClusterAxis::none)
                     : reader.cluster_batches ? std::optional<Pin::ClusterAxis>(Pin::ClusterAxis::batches)
                     : reader.cluster_side
                         ? std::optional(*reader.cluster_side == KeptOperand::a ? Pin::ClusterAxis::rows : Pin::ClusterAxis::columns)
                         : std::nullopt;
  return pin;
}

bool Pin::holds(const Decisions& d) const {
  auto const is = [](const auto& wanted, const auto& there) { return !wanted || *wanted == there; };
  ClusterAxis const axis = d.clusters == OverClusters::one                                    ? ClusterAxis::none
                           : d.clusters == OverClusters::batches                              ? ClusterAxis::batches
                           : (d.clusters == OverClusters::kept) == (d.keep == KeptOperand::a) ? ClusterAxis::rows
                                                                                              : ClusterAxis::columns;
  return is(keep, d.keep) && is(cluster_axis, axis) && is(row, d.row) && is(batches, d.batches) && is(dual, d.dual) && is(fill, d.fill) &&
         is(parts, d.parts) && is(outer, d.outer) && is(block, d.block) && is(ahead, d.ahead) && is(pixel_rows, d.pixel_rows) &&
         is(pixel_columns, d.pixel_columns) && is(image_columns, d.image_columns) && is(ring, d.bands.empty() ? 0 : d.bands[0].ring) &&
         is(reuse, d.bands.empty() ? 0 : d.bands[0].reuse);
}

std::string order_in_words(const KernelMapping& m) {
  const Decisions& d = m.decisions;
  if (m.product.maximum) return "none: the greatest of the products, whatever their order";
  std::int64_t const packet = 64 / bytes_of(m.product.type);
  std::string out = "products of " + std::to_string(packet) + " neighbours by a tree, these one after the other";
  if (d.fill == TrfFill::round && d.bands[0].ring > 1)
    out += ", the first of each of " + std::to_string(d.bands[0].groups) + " shares first";
  if (d.parts.size() > 1) out += " in parts of " + list_of(d.parts) + ", whose sums are added one after the other";
  return out;
}

}  // namespace tcp::mapper
