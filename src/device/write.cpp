// Writes a device: as a chip file, and as the header that makes it the target of a build.
#include <string>

#include "tcp/device/fields.hpp"
#include "tcp/device/load.hpp"

namespace tcp {

namespace {

/// In a chip file: `512, "unit": "KiB"`, with the largest unit that leaves a whole number.
std::string json_value(bool v) { return v ? "true" : "false"; }
std::string json_value(std::int64_t v) { return std::to_string(v); }
std::string json_value(Cycles v) { return std::to_string(v.value) + R"(, "unit": "cycles")"; }
std::string json_value(HbmCycles v) { return std::to_string(v.value) + R"(, "unit": "HBM command cycles")"; }
std::string json_value(Bytes v) {
  const char* const unit[] = {"B", "KiB", "MiB", "GiB"};
  int k = 0;
  while (k < 3 && v.value != 0 && v.value % 1024 == 0) {
    v = v / 1024;
    ++k;
  }
  return std::to_string(v.value) + R"(, "unit": ")" + unit[k] + '"';
}
std::string list(const OneOf<std::int64_t>& v) {
  std::string out;
  for (std::int64_t each : v) out += (out.empty() ? "" : ", ") + std::to_string(each);
  return out;
}
std::string list(const OneOf<Bytes>& v) {
  OneOf<std::int64_t> numbers;
  for (Bytes each : v) numbers.item[numbers.count++] = each.value;
  return list(numbers);
}
std::string json_value(const OneOf<std::int64_t>& v) { return "[" + list(v) + "]"; }
std::string json_value(const OneOf<Bytes>& v) { return "[" + list(v) + R"(], "unit": "B")"; }

std::string json_source(const DeviceField& row, const Device& d, int index) {
  bool const assumed = d.assumed.contains(index);
  if (assumed == says_assumption(row.source)) return row.source;
  if (assumed) return "assumption: not published for " + std::string(d.name.view()) + "; RNGD's has the source " + row.source;
  return "stated for " + std::string(d.name.view());
}

struct ChipFileWriter : FieldCursor {
  const Device& device;
  std::string out;

  explicit ChipFileWriter(const Device& d) : device(d) { out = "{\n  \"chip\": \"" + std::string(d.name.view()) + '"'; }

  void group(const char* name) {
    out += index < 0 ? ",\n" : "\n  },\n";
    out += std::string("  \"") + name + "\": {";
    FieldCursor::group(name);
    first_of_group_ = true;
  }
  template <class T>
  void field(const DeviceField& row, const T& member, const std::type_identity_t<T>&) {
    next();
    out += first_of_group_ ? "\n" : ",\n";
    first_of_group_ = false;
    out += std::string("    \"") + row.key + "\": {\"value\": " + json_value(member) + ", \"source\": \"" +
           json_source(row, device, index) + '"';
    if (*row.note != '\0') out += std::string(", \"note\": \"") + row.note + '"';
    out += "}";
  }

 private:
  bool first_of_group_ = true;
};

/// In C++.
std::string cpp_value(bool v) { return v ? "true" : "false"; }
std::string cpp_value(std::int64_t v) { return std::to_string(v); }
std::string cpp_value(Bytes v) { return "Bytes{" + std::to_string(v.value) + "}"; }
std::string cpp_value(Cycles v) { return "Cycles{" + std::to_string(v.value) + "}"; }
std::string cpp_value(HbmCycles v) { return "HbmCycles{" + std::to_string(v.value) + "}"; }
template <class T>
std::string cpp_value(const OneOf<T>& v) {
  return "{" + list(v) + "}";
}

struct HeaderWriter : FieldCursor {
  std::string out;

  template <class T>
  void field(const DeviceField& row, const T& member, const std::type_identity_t<T>&) {
    next();
    out += std::string("  d.") + group_name + "." + row.key + " = " + cpp_value(member) + ";\n";
  }
};

}  // namespace

std::string to_chip_file(const Device& d) {
  ChipFileWriter writer(d);
  each_field(d, writer);
  return writer.out + "\n  }\n}\n";
}

std::string to_header(const Device& d) {
  HeaderWriter writer;
  each_field(d, writer);
  std::string assumed;
  for (std::uint64_t word : d.assumed.word) assumed += (assumed.empty() ? "" : ", ") + std::to_string(word) + "u";
  return "// Generated from the chip file of " + std::string(d.name.view()) +
         " by tcp_target_chip.\n"
         "#pragma once\n\n"
         "#include \"tcp/device/device.hpp\"\n\n"
         "namespace tcp {\n\n"
         "namespace detail {\n\n"
         "constexpr Device make_target() {\n"
         "  Device d;\n"
         "  d.name = \"" +
         std::string(d.name.view()) + "\";\n" + writer.out + "  d.assumed = {{" + assumed + "}};\n" +
         "  return d;\n"
         "}\n\n"
         "}  // namespace detail\n\n"
         "inline constexpr Device target = detail::make_target();\n\n"
         "}  // namespace tcp\n";
}

}  // namespace tcp
