// Reads what clangd shows of methods, tensors and mappings, and says it in two lines.
#include "cpp_hover.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

#include "line_costs.hpp"
#include "tcp/scalar/format.hpp"

namespace tcp::tool {
namespace {

struct CppMapping {
  std::string text, axes;
  std::int64_t size = 1;
};

/// The arguments between the bracket at `open` and the one that closes it.
std::vector<std::string> template_arguments(std::string_view text, std::size_t open) {
  std::vector<std::string> all;
  std::string part;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    bool const opens = !quoted && (c == '<' || c == '(' || c == '{'), closes = !quoted && (c == '>' || c == ')' || c == '}');
    if (closes && --depth == 0) break;
    if (!quoted && c == ',' && depth == 1) all.push_back(std::exchange(part, {}));
    else if (i > open && c != '\n') part += c;
    if (opens) ++depth;
  }
  all.push_back(part);
  for (std::string& each : all) {
    each.erase(0, std::min(each.find_first_not_of(' '), each.size()));
    while (each.ends_with(' ')) each.pop_back();
  }
  return all;
}

std::optional<CppMapping> mapping_in_type(const std::string& type) {
  static std::regex const form(
      R"x(^(?:struct )?(?:tcp::)?Map<(?:tcp::)?(?:detail::)?Piece<\w+>\{"([^"]*)"\}, (?:tcp::)?(?:detail::)?Piece<\w+>\{"([^"]*)"\}, (\d+)>$)x");
  std::smatch m;
  if (!std::regex_match(type, m, form)) return std::nullopt;
  return CppMapping{m[1], m[2], std::stoll(m[3])};
}

std::optional<ScalarType> scalar_in_type(std::string type) {
  if (type.starts_with("tcp::")) type.erase(0, 5);
  for (ScalarType each : scalar_types)
    if (type == scalar_info(each).name) return each;
  return std::nullopt;
}

std::string bytes_in_words(std::int64_t n) {
  if (n < 1024) return std::to_string(n) + " B";
  char text[32];
  double const kib = static_cast<double>(n) / 1024;
  if (kib < 1024) std::snprintf(text, sizeof text, "%.1f KiB", kib);
  else std::snprintf(text, sizeof text, "%.1f MiB", kib / 1024);
  return text;
}
std::int64_t bytes_of_elements(ScalarType type, std::int64_t elements) { return (elements * scalar_info(type).packet_bits + 7) / 8; }

using CppLevels = std::map<std::string, CppMapping>;

/// "i32 Slice[A / 8] Time[1] Packet[A % 8] (A = 2048)".
std::string shape_text(const std::optional<ScalarType>& type, const CppLevels& levels, const std::vector<std::string>& order) {
  std::string out = type ? scalar_info(*type).name : "";
  std::vector<std::string> axes;
  for (const std::string& level : order) {
    auto const at = levels.find(level);
    if (at == levels.end()) continue;
    bool const idle = (level == "Chip" || level == "Cluster" || level == "Row") && at->second.size == 1;
    if (!idle) out += (out.empty() ? "" : " ") + level + "[" + at->second.text + "]";
    std::istringstream each(at->second.axes);
    for (std::string axis; std::getline(each, axis, ',');) {
      axis.erase(0, std::min(axis.find_first_not_of(' '), axis.size()));
      if (!axis.empty() && std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    }
  }
  for (std::size_t i = 0; i < axes.size(); ++i) out += (i == 0 ? " (" : ", ") + axes[i];
  return axes.empty() ? out : out + ")";
}

struct TensorForm {
  std::string_view name, memory;
  std::vector<std::string> levels;  // after the type
};
const std::vector<TensorForm>& tensor_forms() {
  static std::vector<TensorForm> const all = {{"HbmTensor", "HBM", {"Chip", "Element"}},
                                              {"DmTensor", "DM", {"Chip", "Cluster", "Slice", "Element"}},
                                              {"TrfTensor", "TRF", {"Chip", "Cluster", "Slice", "Row", "Element"}},
                                              {"VrfTensor", "VRF", {"Chip", "Cluster", "Slice", "Element"}},
                                              {"SpmTensor", "SPM", {"Chip", "Cluster", "Pe", "Element"}},
                                              {"HostTensor", "host memory", {"Element"}}};
  return all;
}

/// The last one: clangd gives the written type first, then, as "aka", what it is.
std::size_t last_template(std::string_view text, std::string_view name) {
  for (std::size_t at = text.rfind(name); at != text.npos; at = at == 0 ? text.npos : text.rfind(name, at - 1)) {
    bool const whole = at == 0 || text[at - 1] == ':' || text[at - 1] == ' ' || text[at - 1] == '`';
    if (whole && at + name.size() < text.size() && text[at + name.size()] == '<') return at + name.size();
  }
  return text.npos;
}

/// A tensor: where, how much in each slice (TRF: in each row), and in all.
std::optional<std::string> tensor_words(const std::string& type) {
  for (const TensorForm& form : tensor_forms()) {
    std::size_t const open = last_template(type, form.name);
    if (open == type.npos) continue;
    std::vector<std::string> const arguments = template_arguments(type, open);
    auto const scalar = arguments.empty() ? std::nullopt : scalar_in_type(arguments[0]);
    if (!scalar || arguments.size() != form.levels.size() + 1) return std::nullopt;
    CppLevels levels;
    std::int64_t elements = 1;
    for (std::size_t i = 0; i < form.levels.size(); ++i) {
      auto const mapping = mapping_in_type(arguments[i + 1]);
      if (!mapping) return std::nullopt;
      levels[form.levels[i]] = *mapping;
      if (form.levels[i] == "Element" || form.levels[i] == "Row") elements *= mapping->size;
    }
    bool const in_slices = levels.contains("Slice");
    return std::string(form.memory) + ": " + shape_text(scalar, levels, form.levels) + ": " +
           bytes_in_words(bytes_of_elements(*scalar, elements)) +
           (in_slices               ? " per slice"
            : levels.contains("Pe") ? " per PE"
                                    : "");
  }
  return std::nullopt;
}

/// What a stage changes of the type, where its arguments do not say it.
std::optional<ScalarType> type_after(std::string_view method, const std::optional<ScalarType>& before) {
  if (!before) return before;
  bool const floating = scalar_info(*before).kind == ScalarKind::floating;
  if (method.starts_with("contract") || method == "accumulate") return floating ? ScalarType::f32 : ScalarType::i32;
  if (method == "vector_fxp_to_fp") return ScalarType::f32;
  if (method == "vector_fp_to_fxp") return ScalarType::i32;
  return before;
}

/// The stream after a stage.
class StreamAfter {
 public:
  StreamAfter(const std::string& shown, const CppMethod& method) : method_(method) {
    read_input(shown);
    read_result(shown);
    read_arguments(shown);
  }

  std::optional<std::string> words() const {
    auto const time = levels_.find("Time"), packet = levels_.find("Packet");
    if (!type_ || time == levels_.end() || packet == levels_.end()) return std::nullopt;
    std::int64_t const packet_bytes = bytes_of_elements(*type_, packet->second.size), steps = time->second.size;
    // Before the Contraction Engine a step moves a packet in flits of 32 bytes; within it a step is a cycle.
    bool const in_contraction = method_.name == "align" || method_.name.starts_with("contract") || method_.name == "accumulate";
    std::int64_t const least = in_contraction ? steps : steps * std::max<std::int64_t>(1, (packet_bytes + 31) / 32);
    return shape_text(type_, levels_, {"Chip", "Cluster", "Slice", "Row", "Time", "Packet"}) + ": " + bytes_in_words(packet_bytes) +
           " per packet, " + bytes_in_words(packet_bytes * steps) + " per slice, at least " + with_commas(least) +
           (least == 1 ? " cycle" : " cycles");
  }

 private:
  static constexpr std::array<const char*, 6> names = {"Chip", "Cluster", "Slice", "Row", "Time", "Packet"};

  void take(const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < names.size() && i + 1 < arguments.size(); ++i)
      if (auto const m = mapping_in_type(arguments[i + 1])) levels_[names[i]] = *m;
  }
  void read_input(const std::string& shown) {
    std::size_t const in = shown.find("// In Method<Pass<");
    if (in == shown.npos) return;
    std::vector<std::string> const arguments = template_arguments(shown, shown.find('<', in + 18 - 1));
    if (arguments.empty() || !arguments[0].starts_with("PassState{")) return;
    take(arguments);
    std::vector<std::string> const state = template_arguments(arguments[0], arguments[0].find('{'));
    constexpr std::size_t type_field = 3;  // context, dual, after, type
    std::size_t const number = state.size() > type_field ? static_cast<std::size_t>(std::atoi(state[type_field].c_str())) : 99;
    if (number < std::size(scalar_types)) type_ = type_after(method_.name, scalar_types[number]);
  }
  void read_result(const std::string& shown) {
    std::size_t const arrow = shown.find("\xe2\x86\x92");
    if (arrow == shown.npos) return;
    std::string const type = shown.substr(arrow, shown.find('\n', arrow) - arrow);
    for (std::string_view name : {"StreamTensor", "VectorTensor"})
      if (std::size_t const open = last_template(type, name); open != type.npos) take(template_arguments(type, open));
  }
  /// Those of the call: `fetch<tcp::i32, Map<...>, Map<...>>(`.
  void read_arguments(const std::string& shown) {
    std::size_t const definition = shown.find("template <>");
    if (definition == shown.npos) return;
    std::string const tail = shown.substr(definition + 11);
    std::size_t const open = tail.find("\n" + std::string(method_.name) + "<");
    std::size_t const inline_open = tail.find(" " + std::string(method_.name) + "<");
    std::size_t const at = std::min(open, inline_open);
    if (at == tail.npos) return;
    std::vector<std::string> const arguments = template_arguments(tail, at + 1 + method_.name.size());
    std::istringstream each{std::string(method_.arguments)};
    std::string level;
    for (std::size_t i = 0; i < arguments.size() && each >> level; ++i) {
      if (level == "Type") {
        if (auto const scalar = scalar_in_type(arguments[i])) type_ = scalar;
      } else if (auto const m = mapping_in_type(arguments[i])) {
        levels_[level] = *m;
      }
    }
  }

  const CppMethod& method_;
  CppLevels levels_;
  std::optional<ScalarType> type_;
};

/// "instance-method `fetch`" and "### variable `x`" as kind and name.
std::pair<std::string, std::string> hover_head(const std::string& shown) {
  static std::regex const form(R"(^(?:### )?([a-z-]+) `?([\w:]+)`?\s*)");
  std::smatch m;
  std::string const first = shown.substr(0, shown.find('\n'));
  return std::regex_search(first, m, form) ? std::pair{m[1].str(), m[2].str()} : std::pair<std::string, std::string>{};
}

std::string line_after(const std::string& shown, std::string_view words) {
  std::size_t const at = shown.find(words);
  if (at == shown.npos) return "";
  std::string line = shown.substr(at + words.size(), shown.find('\n', at) - at - words.size());
  std::erase(line, '`');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::optional<ShortHover> method_hover(const std::string& name, const std::string& shown) {
  const CppMethod* const method = cpp_method(name);
  // clangd names the header that declares it, or the prelude that the file includes.
  bool const ours = shown.find("tcp/dsl/") != shown.npos || shown.find("<tcp/tcp.hpp>") != shown.npos;
  if (method == nullptr || !ours) {
    bool const of_context = method != nullptr && name.starts_with("begin") && shown.find("TuContext<") != shown.npos;
    if (!of_context) return std::nullopt;
  }
  ShortHover made{name + ": " + std::string(method->does), ""};
  if (auto const tensor = tensor_words(line_after(shown, "\xe2\x86\x92"))) made.shape = *tensor;
  else if (auto const stream = StreamAfter(shown, *method).words()) made.shape = *stream;
  return made;
}

}  // namespace

std::optional<ShortHover> short_hover(const std::string& shown) {
  auto const [kind, name] = hover_head(shown);
  if (kind == "instance-method") return method_hover(name, shown);
  if (kind == "type-alias" && name == "m" && shown.find("MakeMap<") != shown.npos)
    return ShortHover{"m: a mapping, the book's m![...]",
                      "name it, using Slice = m<...>;, and point at the name to see its axes and its size"};
  std::string const type = line_after(shown, "Type: ");
  if (kind.empty() || type.empty()) return std::nullopt;
  if (auto const tensor = tensor_words(type)) {
    std::size_t const colon = tensor->find(": ");
    return ShortHover{name + ": a tensor in " + tensor->substr(0, colon), tensor->substr(colon + 2)};
  }
  if (auto const mapping = mapping_in_type(type))
    return ShortHover{name + ": m![" + mapping->text + "]" + (mapping->axes.empty() ? "" : ", where " + mapping->axes),
                      with_commas(mapping->size) + (mapping->size == 1 ? " position" : " positions")};
  return std::nullopt;
}

}  // namespace tcp::tool

namespace tcp::tool {
namespace {

constexpr CppMethod cpp_methods[] = {
    {"begin", "", "Starts a pass: the elements of this view go through the engines."},
    {"begin_interleaved", "-", "Starts a pass over two tensors in turn, told apart by an axis of two."},
    {"to_dm", "Cluster Slice Element", "DMA into DM, the memory of the slices."},
    {"to_hbm", "Element Chip", "DMA into HBM, the memory of the chip."},
    {"to_spm", "Cluster Pe Element", "DMA into the scratchpads of the PEs."},
    {"to_host", "Element", "Copies the tensor to the host, over PCIe."},
    {"view", "", "The tensor, to be read."},
    {"view_mut", "", "The tensor, to be written."},
    {"fetch_slice_lift", "Slice", "Lets copies in Slice read parts of their own."},
    {"fetch_cluster_lift", "Cluster", "Lets copies in Cluster read parts of their own."},
    {"fetch_chip_lift", "Chip", "Lets copies in Chip read parts of their own."},
    {"fetch", "Type Time Packet", "Fetch Engine: reads DM as a stream of packets, one per step of Time."},
    {"fetch_with_table", "Type Time Packet", "Fetch Engine: reads indices, and sends the entries of a table."},
    {"fetch_with_zero_point", "Type Time Packet", "Fetch Engine: subtracts a zero point while it reads."},
    {"fetch_with_zero_points", "Type Time Packet", "Fetch Engine: subtracts a zero point of each of two tensors."},
    {"switch_to", "- Slice Time", "Switch Engine: sends packets from slice to slice."},
    {"collect", "Time Packet", "Collect Engine: makes flits of 32 bytes."},
    {"align", "Time Packet", "Aligner: pairs the stream with the weights in TRF."},
    {"contract", "Packet", "Contraction Engine: multiplies, and adds up within a packet."},
    {"contract_max", "Packet", "Contraction Engine: multiplies, and keeps the greatest product."},
    {"accumulate", "Time Packet", "Reducer: adds up over time, and puts the rows into the packet."},
    {"vector_init", "", "Enters the Vector Engine."},
    {"vector_intra_slice_branch", "", "Vector Engine: gives each element the execution id that operations choose by."},
    {"vector_branch_log", "Element", "Vector Engine: writes the execution ids to VRF."},
    {"vector_intra_slice_unzip", "- - Time", "Vector Engine: takes two interleaved tensors as two groups."},
    {"vector_logic", "", "Vector Engine: bits and shifts."},
    {"vector_logic_with_mode", "", "Vector Engine: bits and shifts, in a mode."},
    {"vector_logic_zip", "", "Vector Engine: bits and shifts of two groups."},
    {"vector_logic_zip_with_mode", "", "Vector Engine: bits and shifts of two groups, in a mode."},
    {"vector_fxp", "", "Vector Engine: integer and fixed-point arithmetic."},
    {"vector_fxp_with_mode", "", "Vector Engine: integer and fixed-point arithmetic, in a mode."},
    {"vector_fxp_zip", "", "Vector Engine: integer arithmetic of two groups."},
    {"vector_fxp_zip_with_mode", "", "Vector Engine: integer arithmetic of two groups, in a mode."},
    {"vector_fxp_to_fp", "", "Vector Engine: fixed point to f32."},
    {"vector_split", "Time Packet", "Vector Engine: eight lanes become two steps of four, for floating point."},
    {"vector_trim_way4", "Packet", "Vector Engine: keeps four of eight lanes, for floating point."},
    {"vector_fp_unary", "", "Vector Engine: a function of one f32."},
    {"vector_fp_unary_with_mode", "", "Vector Engine: a function of one f32, in a mode."},
    {"vector_fp_binary", "", "Vector Engine: floating-point arithmetic."},
    {"vector_fp_binary_with_mode", "", "Vector Engine: floating-point arithmetic, in a mode."},
    {"vector_fp_zip", "", "Vector Engine: floating-point arithmetic of two groups."},
    {"vector_fp_zip_with_mode", "", "Vector Engine: floating-point arithmetic of two groups, in a mode."},
    {"vector_fp_ternary", "", "Vector Engine: an operation of three f32, such as a fused multiply-add."},
    {"vector_fp_ternary_with_mode", "", "Vector Engine: an operation of three f32, in a mode."},
    {"vector_intra_slice_reduce", "- Time Packet", "Vector Engine: folds an axis within each slice."},
    {"vector_fp_div", "", "Vector Engine: divides f32."},
    {"vector_fp_div_with_mode", "", "Vector Engine: divides f32, in a mode."},
    {"vector_concat", "Time Packet", "Vector Engine: two steps of four lanes become one of eight again."},
    {"vector_pad_way8", "Packet", "Vector Engine: four lanes become eight again, with padding."},
    {"vector_fp_to_fxp", "", "Vector Engine: f32 to fixed point."},
    {"vector_reinterpret", "Type", "Vector Engine: takes the bits for another type; costs nothing."},
    {"vector_clip", "", "Vector Engine: minimum, maximum, clamping."},
    {"vector_clip_with_mode", "", "Vector Engine: minimum, maximum, clamping, in a mode."},
    {"vector_clip_zip", "", "Vector Engine: minimum or maximum of two groups."},
    {"vector_clip_zip_with_mode", "", "Vector Engine: minimum or maximum of two groups, in a mode."},
    {"vector_stash", "", "Vector Engine: keeps the stream as it is now, for a later operation."},
    {"vector_write_operand", "", "Vector Engine: writes the stream to VRF, for later time steps."},
    {"vector_filter", "Time Packet", "Vector Engine: drops the elements of other execution ids and closes up."},
    {"vector_inter_slice_reduce", "Slice Time", "Vector Engine: folds over slices."},
    {"vector_final", "", "Leaves the Vector Engine."},
    {"cast", "Type Packet", "Cast Engine: a narrower type."},
    {"transpose", "Time Packet", "Transpose Engine: exchanges axes of Time and Packet."},
    {"commit_cast", "Type", "Commit Engine: casts on the way into DM."},
    {"commit_cast_relu", "Type", "Commit Engine: makes 0 of what is negative, then casts."},
    {"commit", "Element", "Commit Engine: writes the stream to DM."},
    {"commit_view", "", "Commit Engine: writes the stream into a tensor that exists."},
    {"to_trf", "Row Element", "Stores the stream in TRF, as the weights of a contraction."},
    {"to_vrf", "Element", "Stores the stream in VRF, as an operand of the Vector Engine."},
};

constexpr const CppMethod* found_in_table(std::string_view name) {
  for (const CppMethod& m : cpp_methods)
    if (m.name == name) return &m;
  return nullptr;
}

#define TCP_METHOD(NAME, STAGE) static_assert(found_in_table(#NAME) != nullptr, "cpp_hover.cpp has no sentence for " #NAME);
#include "tcp/dsl/methods.def"

}  // namespace

const CppMethod* cpp_method(std::string_view name) { return found_in_table(name); }

}  // namespace tcp::tool
