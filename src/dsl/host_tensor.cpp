#include "tcp/dsl/host_tensor.hpp"

#include <cstdlib>
#include <cstring>

#include "tcp/dsl/session.hpp"
#include "tcp/mapping/walk.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/refused.hpp"

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
      if (step < d.size) place[x] += step * foot.inside[k];
      else place[x] = -1;
    }
  }
  return place;
}

/// Calls visit(position in `to`, position in `from`) for every element that both hold. An axis that `from` lacks is one along which all elements are alike.
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

/// All of a tensor as one mapping, chips outermost.
Mapping over_chips(const Layout& layout) {
  Levels const levels = levels_of(layout);
  return pair(levels[Level::chip], levels[Level::element]);
}

/// How an image is packed: each chip's part begins at a whole byte.
struct Packed {
  explicit Packed(const Layout& layout)
      : type(layout.type), per_chip(mapping_of(layout.level[static_cast<int>(Level::element)]).size), bytes(bytes_per_chip(layout)) {}

  std::uint32_t load(const Image& image, std::int64_t position) const {
    return load_scalar_bits(image.data() + position / per_chip * bytes, type, position % per_chip);
  }
  void store(Image& image, std::int64_t position, std::uint32_t value) const {
    store_scalar_bits(image.data() + position / per_chip * bytes, type, position % per_chip, value);
  }

  ScalarType type;
  std::int64_t per_chip, bytes;
};

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
                    .why("an index gives every axis of the tensor a coordinate below its size")
                    .help("write index(A.at(0), B.at(0)), with the tensor's axes"));
}
void refuse_wrong_count(std::size_t given, std::size_t wanted, const Mapping& element, Where at) {
  throw Refused(refuse("dsl-host-count", at)
                    .what(given, " values are given for a host tensor of ", element, ", which has ", wanted, " positions")
                    .why("values are taken position by position, padding included")
                    .help("give ", wanted, " values"));
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
  node->layout = to;
  Handle handle(node.release());
  Node& made = *handle.get();
  Levels const levels = levels_of(to);
  const Device& device = session->device();
  if (!address.given) {
    std::lock_guard const lock(session->mutex);
    made.address = session->free_place(bytes_per_chip(to));
  } else {
    made.address = address.bytes;
  }
  throw_if_refused(check_hbm(device, to.type, levels[Level::element], Bytes{*made.address}, at));
  auto image = std::make_shared<Image>(static_cast<std::size_t>(bytes_per_chip(to) * levels[Level::chip].size));
  Packed const packed(to);
  Mapping const source = over_chips(host), destination = over_chips(to);
  bool const as_it_is = source == destination && static_cast<std::int64_t>(from.width) * 8 == scalar_info(to.type).packet_bits;
  if (as_it_is) std::memcpy(image->data(), from.data, image->size());
  else each_element(source, destination, [&](std::int64_t there, std::int64_t here) { packed.store(*image, there, load(from, here)); });
  made.image = std::move(image);
  session->settle(made);
  return handle;
}

void download(Session* session, Node* from, const HostElements& to, const Layout& host, Where at) {
  if (session->is_recording())
    throw Refused(refuse("dsl-host-inside-kernel", at)
                      .what("a tensor is downloaded inside a kernel")
                      .why("while a kernel is recorded its tensors have no contents yet")
                      .help("return it from the kernel, and download the result"));
  if (from == nullptr)
    throw Refused(refuse("dsl-tensor-empty", at)
                      .what("a tensor is used that has not been made yet")
                      .why("a tensor that is declared without a value names nothing")
                      .help("give it the result of a transfer, a commit, to_trf, to_vrf or a branch log first"));
  auto const image = session->image_of(*from, at);
  Packed const packed(from->layout);
  Mapping const source = over_chips(from->layout), destination = over_chips(host);
  each_element(source, destination, [&](std::int64_t there, std::int64_t here) { store(to, there, packed.load(*image, here)); });
}

}  // namespace tcp::detail
