// Reads back what a command wrote. Slices that hold the same bytes share one entry.
#include "runtime/device/values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "tcp/program/print.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp {

namespace {

constexpr std::int64_t entry_bytes = 64;  // that an entry of the trace takes beside its bytes
constexpr std::uint64_t fnv_prime = 1099511628211u, fnv_start = 14695981039346656037u;
constexpr std::int64_t most_slices = 256;  // that a set of slices can name

std::string base64(const std::vector<std::byte>& bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::size_t const left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < left ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string hex(std::uint64_t n) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; n >>= 4) out[i] = digits[n & 15];
  return out;
}

/// "NaN", "infinity", "-infinity"; empty: it is a number, or the type has no others.
const char* not_finite(ScalarType type, std::uint32_t bits) {
  struct Form {
    std::uint32_t exponent, fraction, sign;
  };
  Form f{};
  switch (type) {
    case ScalarType::f32: f = {0x7f800000u, 0x007fffffu, 0x80000000u}; break;
    case ScalarType::bf16: f = {0x7f80u, 0x7fu, 0x8000u}; break;
    case ScalarType::f16: f = {0x7c00u, 0x3ffu, 0x8000u}; break;
    case ScalarType::f8e5m2: f = {0x7cu, 0x3u, 0x80u}; break;
    case ScalarType::f8e4m3: return (bits & 0x7fu) == 0x7fu ? "NaN" : "";
    default: return "";
  }
  if ((bits & f.exponent) != f.exponent) return "";
  return (bits & f.fraction) != 0 ? "NaN" : (bits & f.sign) != 0 ? "-infinity" : "infinity";
}
bool may_not_be_finite(ScalarType type) { return scalar_info(type).kind == ScalarKind::floating && type != ScalarType::f4e2m1; }

const char* word_of(program::Memory memory) { return memory == program::Memory::Host ? "host" : name_of(memory); }
bool has_slices(program::Memory memory) { return memory != program::Memory::Hbm && memory != program::Memory::Host; }

/// Joins one more number, higher than those before, to a set as text.
void join(std::string& set, std::int64_t number) {
  std::string const last = std::to_string(number - 1);
  std::size_t const comma = set.rfind(','), from = comma == set.npos ? 0 : comma + 1;
  std::size_t const dash = set.find('-', from);
  std::string const tail = set.substr(dash == set.npos ? from : dash + 1);
  if (set.empty()) set = std::to_string(number);
  else if (tail != last) set += "," + std::to_string(number);
  else set = (dash == set.npos ? set : set.substr(0, dash)) + "-" + std::to_string(number);
}

}  // namespace

ValueRecorder::Contents ValueRecorder::read(const Place& p, const ScalarType* type) const {
  Contents made;
  auto const size = static_cast<std::size_t>(p.end - p.begin);
  made.bytes.resize(size);
  auto const undefine = [&](std::size_t half) {
    if (made.undefined.empty()) made.undefined.resize(2 * size, false);
    made.undefined[half] = true;
    made.bytes[half / 2] &= half % 2 == 0 ? std::byte{0xf0} : std::byte{0x0f};
  };
  if (p.memory == program::Memory::Trf) {
    int const halves = scalar_info(*type).packet_bits / 4;
    auto const elements =
        machine_.read_trf(p.chip, p.unit, {p.row, p.rows, 2 * p.begin}, halves, static_cast<std::int64_t>(2 * size) / halves);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i]) store_scalar_bits(made.bytes.data(), *type, static_cast<std::int64_t>(i), *elements[i]);
      for (std::size_t h = 0; !elements[i] && h < static_cast<std::size_t>(halves); ++h) undefine(i * static_cast<std::size_t>(halves) + h);
    }
    return made;
  }
  if (!machine_.read(p.memory, p.chip, p.begin, made.bytes, p.unit)) return {};
  if (machine_.any_undefined(p.memory, p.chip, 2 * p.begin, static_cast<std::int64_t>(2 * size), p.unit))
    for (std::size_t h = 0; h < 2 * size; ++h)
      if (machine_.any_undefined(p.memory, p.chip, 2 * p.begin + static_cast<std::int64_t>(h), 1, p.unit)) undefine(h);
  return made;
}

void ValueRecorder::look_at(const Place& p, const ScalarType* type) {
  Contents const contents = read(p, type);
  for (std::byte b : contents.bytes) digest_ = (digest_ ^ std::to_integer<std::uint64_t>(b)) * fnv_prime;
  for (bool u : contents.undefined) digest_ = (digest_ ^ (u ? 1u : 2u)) * fnv_prime;
  if (type != nullptr && may_not_be_finite(*type)) {
    std::int64_t const bytes = scalar_info(*type).packet_bits / 8;
    for (std::int64_t i = 0; (i + 1) * bytes <= std::ssize(contents.bytes); ++i) {
      auto const first = static_cast<std::size_t>(2 * i * bytes);
      bool defined = true;
      for (std::size_t h = first; !contents.undefined.empty() && h < first + static_cast<std::size_t>(2 * bytes); ++h)
        defined &= !contents.undefined[h];
      const char* const found = defined ? not_finite(*type, load_scalar_bits(contents.bytes.data(), *type, i)) : "";
      if (*found == '\0') continue;
      if (!now_.not_finite)
        now_.not_finite = {found, word_of(p.memory), p.chip, p.unit.cluster, p.unit.number, p.row, p.begin + i * bytes, 0};
      ++now_.not_finite->count;
    }
  }
  keep(p, contents);
}

void ValueRecorder::keep(const Place& p, const Contents& contents) {
  trace::HeldBytes held;
  held.memory = word_of(p.memory);
  held.chip = p.chip;
  held.cluster = has_slices(p.memory) ? p.unit.cluster : 0;
  held.row = p.row;
  held.begin = p.begin;
  if (std::int64_t const size = std::ssize(contents.bytes) + entry_bytes; size > room_) {
    now_.left_out += std::ssize(contents.bytes);
    return;
  }
  held.data = base64(contents.bytes);
  if (!contents.undefined.empty()) {
    std::vector<std::byte> bits((contents.undefined.size() + 7) / 8);
    for (std::size_t h = 0; h < contents.undefined.size(); ++h)
      if (contents.undefined[h]) bits[h / 8] |= static_cast<std::byte>(1u << h % 8);
    held.undefined = base64(bits);
  }
  if (has_slices(p.memory)) {
    auto const same = std::find_if(now_.parts.begin(), now_.parts.end(), [&held](trace::HeldBytes& o) {
      return o.memory == held.memory && o.chip == held.chip && o.cluster == held.cluster && o.row == held.row && o.begin == held.begin &&
             o.data == held.data && o.undefined == held.undefined;
    });
    if (same != now_.parts.end()) return join(same->slices, p.unit.number);
    join(held.slices, p.unit.number);
  }
  room_ -= std::ssize(contents.bytes) + entry_bytes;
  now_.parts.push_back(std::move(held));
}

void ValueRecorder::finish(std::int32_t command) {
  now_.command = command;
  now_.digest = hex(digest_);
  all_.push_back(std::exchange(now_, {}));
}

void ValueRecorder::arguments(const program::Program& program) {
  digest_ = fnv_start;
  for (const program::Region& r : program.arguments) {
    // An argument in DM is in slices that only its mapping tells.
    if (r.memory != program::Memory::Hbm) continue;
    bool const known = r.debug >= 0 && static_cast<std::size_t>(r.debug) < program.debug.tensors.size();
    const ScalarType* const type = known ? &program.debug.tensors[static_cast<std::size_t>(r.debug)].type : nullptr;
    for (std::int64_t chip = 0; chip < program.chips; ++chip) look_at({r.memory, chip, {}, -1, 1, r.address, r.address + r.bytes}, type);
  }
  finish(trace::none);
}

void ValueRecorder::after(const program::Program& program, std::size_t number) {
  const program::Command& command = program.commands[number];
  const program::DebugCommand* const d = debug_of(program, command);
  const program::DebugTensor* const made =
      d == nullptr || !d->destination ? nullptr : &program.debug.tensors[static_cast<std::size_t>(*d->destination)];
  const auto* const exec = std::get_if<program::Exec>(&command.what);
  const auto* const trf = exec == nullptr ? nullptr : std::get_if<program::TrfStore>(&exec->sink);
  digest_ = fnv_start;
  for (const program::Range& r : command.writes) {
    const ScalarType* const type = made != nullptr && made->memory == r.memory ? &made->type : nullptr;
    // TRF holds elements, not bytes: of which type, and as i5 or i9 also wider than a packet has them.
    if (r.memory == program::Memory::Trf && (trf == nullptr || type == nullptr || !scalar_info(*type).in_memory)) continue;
    for (std::size_t chip = 0; chip < r.units.chips.size(); ++chip) {
      if (!r.units.chips[chip]) continue;
      Place p{r.memory, static_cast<std::int64_t>(chip), {}, -1, 1, r.begin, r.end};
      if (!has_slices(r.memory)) {
        look_at(p, type);
        continue;
      }
      for (p.unit.cluster = 0; p.unit.cluster < 32; ++p.unit.cluster) {
        if ((r.units.clusters >> p.unit.cluster & 1) == 0) continue;
        for (p.unit.number = 0; p.unit.number < most_slices; ++p.unit.number) {
          if (!r.units.slices.contains(p.unit.number)) continue;
          if (trf == nullptr) look_at(p, type);
          for (std::int32_t row = 0; trf != nullptr && row < trf->rows; ++row)
            look_at({r.memory, p.chip, p.unit, row, trf->rows, trf->row_base, trf->row_base + trf->row_bytes}, type);
        }
      }
    }
  }
  finish(static_cast<std::int32_t>(number));
}

}  // namespace tcp
