// Elements of the host: reading and writing one of them, and the order in which they are laid out in the image that
// goes to HBM and comes back.
#include "tcp/dsl/host_tensor.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "dsl/refusals.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/mapping/walk.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::detail {

namespace {

/// Where a mapping keeps the coordinates of one axis: its part of an element's position. -1: nowhere.
std::vector<std::int64_t> places_of_axis(const Mapping& m, int axis) {
  Footprints const foot = footprints(m);
  std::vector<std::int64_t> place(static_cast<std::size_t>(m.axis[axis].extent), 0);
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    if (d.axis != axis) continue;
    std::int64_t coarser = 0;  // the next stride of the axis
    for (int j = 0; j < m.digits; ++j)
      if (m.digit[j].axis == axis && m.digit[j].stride > d.stride && (coarser == 0 || m.digit[j].stride < coarser))
        coarser = m.digit[j].stride;
    for (std::size_t x = 0; x < place.size(); ++x) {
      std::int64_t left = static_cast<std::int64_t>(x) - m.axis[axis].start;
      if (left < 0) place[x] = -1;
      if (place[x] < 0) continue;
      if (coarser > 0) left %= coarser;
      std::int64_t const step = left / d.stride;
      if (step < d.size) place[x] += step * foot.inside[k] * (d.in_window() ? d.step : 1);
      else place[x] = -1;
    }
  }
  return place;
}

bool slides(const Mapping& m, Name axis) {
  return std::any_of(m.digit, m.digit + m.digits, [&](const Digit& d) { return d.in_window() && m.axis[d.axis].name == axis; });
}
/// The mapping with each window as what it is in memory, one axis of its extent. A transfer keeps a window as it is,
/// and then both sides have it, or unfolds it: then the other side counts its members apart, and so do we.
Mapping with_windows_stored(const Mapping& m, const Mapping& other) {
  Mapping out = m;
  out.digits = 0;
  std::int8_t moved_to[Mapping::max_digits]{};
  for (int k = 0; k < m.digits; ++k) {
    Digit d = m.digit[k];
    moved_to[k] = static_cast<std::int8_t>(d.joined ? out.digits - 1 : out.digits);
    if (d.joined) continue;
    if (d.in_window() && !slides(other, m.axis[d.axis].name)) {
      out.digit[out.digits++] = d;
      for (; k + 1 < m.digits && m.digit[k + 1].joined; ++k) {
        moved_to[k + 1] = static_cast<std::int8_t>(out.digits);
        out.digit[out.digits++] = m.digit[k + 1];
      }
      continue;
    }
    if (d.in_window()) {
      Name stored = m.axis[d.axis].name;
      stored.head |= 0x80;  // the name of no axis that is declared
      // With all entries taken every digit has an axis of its own, so that of the window's first member is free.
      int const entry = out.axes < Mapping::max_axes ? out.axes++ : d.axis;
      out.axis[entry] = {stored, window_span(m, k), 0};
      d = Digit{.axis = static_cast<std::int8_t>(entry), .pad = d.pad, .stride = 1, .size = live_slots(m, k), .slot = d.slot};
    }
    out.digit[out.digits++] = d;
  }
  for (int k = out.digits; k < Mapping::max_digits; ++k) out.digit[k] = Digit{};
  for (int t = 0; t < m.tails; ++t) {
    out.tail[t].first = moved_to[m.tail[t].first];
    out.tail[t].last = moved_to[m.tail[t].last];
  }
  return out;
}

/// Calls visit(position in `to`, position in `from`) for every element that both hold. An axis that `from` lacks is one
/// along which all elements are alike.
template <class Visit>
void each_element(const Mapping& from, const Mapping& to, Visit&& visit) {
  struct Lookup {
    int axis;  // of `to`
    std::vector<std::int64_t> place;
  };
  std::vector<Lookup> lookups;
  for (int a = 0; a < to.axes; ++a)
    if (int const b = find_axis(from, to.axis[a].name); b >= 0) lookups.push_back({a, places_of_axis(from, b)});
  for (Walk w(to); !w.done(); w.next()) {
    if (!w.live()) continue;
    std::int64_t source = 0;
    for (const Lookup& l : lookups) {
      auto const c = static_cast<std::size_t>(w.coordinate(l.axis));
      std::int64_t const part = c < l.place.size() ? l.place[c] : -1;
      if (part < 0) {
        source = -1;
        break;
      }
      source += part;
    }
    if (source >= 0) visit(w.position(), source);
  }
}

/// Whether every position holds an element.
bool all_live(const Mapping& m) {
  if (m.tails > 0) return false;
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].slot != m.digit[k].size || m.digit[k].in_window()) return false;
  for (int a = 0; a < m.axes; ++a) {
    std::int64_t furthest = m.axis[a].start;
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == a) furthest += (m.digit[k].size - 1) * m.digit[k].stride;
    if (m.axis[a].start < 0 || furthest >= m.axis[a].extent) return false;
  }
  return true;
}
/// Whether one side's bytes are the other's.
bool same_bytes(const HostElements& host, ScalarType type, const Mapping& a, const Mapping& b) {
  return static_cast<std::int64_t>(host.width) * 8 == scalar_info(type).packet_bits && a == b && all_live(a);
}

/// All of a tensor as one mapping, chips outermost.
template <class LevelsOrLayout>
Mapping over_chips(const LevelsOrLayout& layout) {
  return pair(layout[Level::chip], layout[Level::element]);
}
struct Sides {
  Mapping source, destination;
};
template <class From, class To>
Sides sides_of(const From& from, const To& to) {
  Mapping const source = over_chips(from), destination = over_chips(to);
  return {with_windows_stored(source, destination), with_windows_stored(destination, source)};
}

/// How an image is packed: each chip's part begins at a whole byte.
struct Packed {
  Packed(ScalarType of, const Mapping& element) : type(of), per_chip(element.size), bytes(bytes_per_chip(of, element)) {}

  std::uint32_t load(const Image& image, std::int64_t position) const {
    return load_scalar_bits(image.data() + position / per_chip * bytes, type, position % per_chip);
  }
  void store(Image& image, std::int64_t position, std::uint32_t value) const {
    store_scalar_bits(image.data() + position / per_chip * bytes, type, position % per_chip, value);
  }

  ScalarType type;
  std::int64_t per_chip, bytes;
};

/// Where so many bytes are free: after one of the tensors, at a block of requests.
std::int64_t free_place(const std::vector<Interval>& taken, std::int64_t bytes) {
  constexpr std::int64_t block = 256;
  std::int64_t at = 0;
  for (const Interval& e : taken) {
    if (at + bytes <= e.begin.value) return at;
    at = std::max(at, round_up(e.end.value, block));
  }
  return at;
}

std::uint32_t load(const HostElements& e, std::int64_t i) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const std::byte*>(e.data) + static_cast<std::size_t>(i) * e.width, e.width);
  return bits;
}
void store(const HostElements& e, std::int64_t i, std::uint32_t bits) {
  std::memcpy(static_cast<std::byte*>(e.data) + static_cast<std::size_t>(i) * e.width, &bits, e.width);
}

}  // namespace

void* allocate_elements(std::size_t n, std::size_t width, Where at) {
  void* const data = std::calloc(n == 0 ? 1 : n, width);
  if (data == nullptr)
    throw Refused(refuse("dsl-host-memory", at)
                      .what("the host has no room for a tensor of ", n, " elements of ", width, " bytes")
                      .why("host tensors keep every position in memory")
                      .help("use a smaller tensor, or tiles of it"));
  return data;
}
void free_elements(void* data) noexcept { std::free(data); }

void refuse_no_element(const Index& index, const Mapping& element, Where at) {
  throw Refused(refuse("dsl-host-index", at)
                    .what("a host tensor of ", element, " holds no element ", index)
                    .why("an index names axes of the tensor, each with a coordinate below its size; those that it does not name are 0")
                    .help("write index(A.at(0), B.at(0)), with the tensor's axes"));
}
void refuse_wrong_count(std::size_t given, std::size_t wanted, const Mapping& element, Where at) {
  throw Refused(refuse("dsl-host-count", at)
                    .what(given, " values are given for a host tensor of ", element, ", which has ", wanted, " positions")
                    .why("values are taken position by position, padding included")
                    .help("give ", wanted, " values"));
}

void refuse_no_value(double given, ScalarType type, Where at) {
  char digits[32];
  std::string_view const number(digits, std::to_chars(digits, digits + sizeof digits, given).ptr);
  throw Refused(refuse("dsl-host-value", at)
                    .what("a host tensor of ", type, " is given ", number, ", which is no value of ", type)
                    .why("whole numbers are taken as they are, or not at all; floating-point numbers are rounded")
                    .help("round and clamp the values before they are given"));
}

Handle upload(Session* session, const HostElements& from, const Layout& host, const Layout& to, Address address, Where at) {
  if (session->is_recording())
    throw Refused(refuse("dsl-host-inside-kernel", at)
                      .what("a host tensor is uploaded inside a kernel")
                      .why("a kernel runs on the device and sees its memory only")
                      .help("upload it before the launch, and pass the HbmTensor"));
  auto node = std::make_unique<Node>();
  node->session = session;
  session->retain();
  node->memory = Memory::Hbm;
  node->type = to.type;
  node->levels = std::make_shared<const Levels>(levels_of(to));
  Handle handle(node.release());
  Packed const packed(to.type, to[Level::element]);
  std::int64_t const begin = address.given ? address.bytes : free_place(session->taken_in_hbm(), packed.bytes);
  throw_if_refused(check_hbm(session->device(), to.type, to[Level::element], Bytes{begin}, at));
  auto image = std::make_shared<Image>(static_cast<std::size_t>(packed.bytes * to[Level::chip].size));
  auto const [source, destination] = sides_of(host, to);
  if (same_bytes(from, to.type, source, destination)) std::memcpy(image->data(), from.data, image->size());
  else each_element(source, destination, [&](std::int64_t there, std::int64_t here) { packed.store(*image, there, load(from, here)); });
  auto contents = std::make_shared<Contents>();
  contents->image = std::move(image);
  session->settle(*handle.get(), extent_of(*handle.get(), begin), std::move(contents));
  return handle;
}

void download(Session* session, Node* from, const HostElements& to, const Layout& host, Where at) {
  if (session->is_recording())
    throw Refused(refuse("dsl-host-inside-kernel", at)
                      .what("a tensor is downloaded inside a kernel")
                      .why("while a kernel is recorded its tensors have no contents yet")
                      .help("return it from the kernel, and download the result"));
  if (from == nullptr) throw Refused(empty_tensor(at));
  auto const image = image_of(*session->contents_of(*from, at));
  Packed const packed(from->type, (*from->levels)[Level::element]);
  auto const [source, destination] = sides_of(*from->levels, host);
  if (same_bytes(to, host.type, source, destination)) std::memcpy(to.data, image->data(), image->size());
  else each_element(source, destination, [&](std::int64_t there, std::int64_t here) { store(to, there, packed.load(*image, here)); });
}

}  // namespace tcp::detail
