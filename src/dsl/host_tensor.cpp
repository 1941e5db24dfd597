// Tensors of the host: their memory, and the way of their elements to HBM and back. The way is a command, which the
// session's backend runs; all that is done here is to turn an array of C++ values into the bytes of a tensor, and back.
#include "tcp/dsl/host_tensor.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <future>

#include "dsl/parts.hpp"
#include "tcp/dsl/session.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::detail {

namespace {

/// Where so many bytes are free: behind one of the tensors, at a block of requests.
std::int64_t free_place(const std::vector<ir::Taken>& taken, std::int64_t bytes) {
  constexpr std::int64_t block = 256;
  std::int64_t at = 0;
  for (const ir::Taken& t : taken) {
    if (t.memory != Memory::Hbm) continue;
    if (at + bytes <= t.bytes.begin.value) return at;
    at = std::max(at, round_up(t.bytes.end.value, block));
  }
  return at;
}

/// Whether a host tensor has its elements as memories have them. Where several share a byte of memory, each has its own
/// on the host.
bool stored_alike(const HostElements& host, ScalarType type) {
  return static_cast<std::int64_t>(host.width) * 8 == scalar_info(type).packet_bits;
}
/// n elements as the bytes of a tensor in the host's memory.
Image packed(const HostElements& from, std::int64_t n, ScalarType type) {
  auto const bytes = static_cast<std::size_t>(ceil_div(n * scalar_info(type).packet_bits, 8));
  if (stored_alike(from, type)) {
    Image image = Image::not_initialised(bytes);
    if (bytes > 0) std::memcpy(image.data(), from.data, bytes);
    return image;
  }
  Image image(bytes);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, static_cast<const std::byte*>(from.data) + static_cast<std::size_t>(i) * from.width, from.width);
    store_scalar_bits(image.data(), type, i, bits);
  }
  return image;
}
void unpack(const Image& image, std::int64_t n, ScalarType type, const HostElements& to) {
  if (stored_alike(to, type)) {
    if (image.size() > 0) std::memcpy(to.data, image.data(), image.size());
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t const bits = load_scalar_bits(image.data(), type, i);
    std::memcpy(static_cast<std::byte*>(to.data) + static_cast<std::size_t>(i) * to.width, &bits, to.width);
  }
}

/// A module of one command, from its argument to its result. `host`: Element of the tensor on the host; `hbm`: Chip and
/// Element of the one in HBM.
ir::Module transfer_module(Memory to, ScalarType type, const Mapping& host, const Levels& hbm, std::int64_t address, Where at) {
  ir::Module module;
  module.name = to == Memory::Hbm ? "upload" : "download";
  module.chips = hbm[Level::chip].size;
  ir::Tensor on_host, in_hbm;
  on_host.memory = Memory::Host;
  on_host.element = module.intern(host);
  in_hbm.memory = Memory::Hbm;
  in_hbm.chip = module.intern(hbm[Level::chip]);
  in_hbm.element = module.intern(hbm[Level::element]);
  in_hbm.address = address;
  on_host.type = in_hbm.type = type;
  on_host.at = in_hbm.at = at;
  bool const up = to == Memory::Hbm;
  ir::TensorId const source = module.tensors.add(up ? on_host : in_hbm), destination = module.tensors.add(up ? in_hbm : on_host);
  module.tensors[source].role = ir::Role::argument;
  module.tensors[destination].role = ir::Role::result;
  module.arguments = {source};
  module.results = {destination};
  ir::Command& command = module.commands.emplace_back();
  command.what = ir::HostTransfer{source, destination};
  command.at = at;
  return module;
}

}  // namespace

void refuse_no_room(std::size_t n, std::size_t width, Where at) {
  throw Refused(refuse("dsl-host-memory", at)
                    .what("the host has no room for a tensor of ", n, " elements of ", width, " bytes")
                    .why("host tensors keep every position in memory")
                    .help("use a smaller tensor, or tiles of it"));
}
void* allocate_elements(std::size_t n, std::size_t width, Where at) {
  void* const data = std::calloc(n == 0 ? 1 : n, width);
  if (data == nullptr) refuse_no_room(n, width, at);
  return data;
}
void free_elements(void* data) noexcept { std::free(data); }

void refuse_no_element(const Index& index, const Mapping& element, Where at) {
  throw Refused(refuse("dsl-host-index", at)
                    .what("a host tensor of ", element, " holds no element ", index)
                    .why("an index names axes of the tensor, each with a coordinate below its size; those that it does not name are 0")
                    .help("write index(A.at(0), B.at(0)), with the tensor's axes"));
}
void refuse_no_position(std::size_t position, const Mapping& element, std::size_t count, Where at) {
  throw Refused(refuse("dsl-host-position", at)
                    .what("a host tensor of ", element, " has ", count, " positions, and position ", static_cast<std::int64_t>(position),
                          " is asked for")
                    .why("positions count from 0, padding included")
                    .help("use a position below ", count, ", or at(index(...)), which names axes"));
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
                    .what("a tensor of ", type, " is given ", number, ", which is not a value of ", type)
                    .why("whole numbers are taken as they are, or not at all; floating-point numbers are rounded")
                    .help("round and clamp the values before they are given"));
}

namespace {

/// A tensor in HBM between kernels, and where it begins.
Handle made_in_hbm(Session* session, const Layout& to, Address address, Where at, std::int64_t& begin) {
  auto node = std::make_unique<Node>();
  node->session = session;
  session->retain();
  node->memory = Memory::Hbm;
  node->type = to.type;
  node->levels = std::make_shared<const Levels>(levels_of(to));
  Handle handle(node.release());
  std::int64_t const bytes = bytes_per_memory(to.type, to[Level::element]);
  begin = address.given ? address.bytes : free_place(session->taken(), bytes);
  throw_if_refused(check_hbm(session->device(), to.type, to[Level::element], Bytes{begin}, at));
  return handle;
}

}  // namespace

Handle declare(Session* session, const Layout& to, Address address, Where at) {
  if (session->is_recording())
    throw Refused(refuse("dsl-host-inside-kernel", at)
                      .what("a tensor between kernels is declared inside a kernel")
                      .why("a kernel runs on the device and sees its memory only")
                      .help("declare it before the kernel, and pass it; or use ctx.empty<...>() for a tensor of the kernel"));
  std::int64_t begin = 0;
  Handle handle = made_in_hbm(session, to, address, at, begin);
  auto contents = std::make_shared<Contents>();
  contents->lost = std::make_shared<const Refusal>(refuse("dsl-declared-only", at)
                                                       .what("a tensor that was declared without values is used")
                                                       .why("it is an argument of kernels that are recorded and not run")
                                                       .help("upload a host tensor instead"));
  std::promise<void> made;  // it can be recorded as an argument: that it holds nothing shows when its values are asked for
  made.set_value();
  contents->pending = made.get_future().share();
  session->settle(*handle.get(), extent_of(*handle.get(), begin), std::move(contents));
  return handle;
}

namespace {

void refuse_inside_kernel(const Session* session, Where at) {
  if (session->is_recording())
    throw Refused(refuse("dsl-host-inside-kernel", at)
                      .what("a host tensor is uploaded inside a kernel")
                      .why("a kernel runs on the device and sees its memory only")
                      .help("upload it before the launch, and pass the HbmTensor"));
}

}  // namespace

Handle upload(Session* session, const HostElements& from, const Layout& host, const Layout& to, Address address, Where at) {
  refuse_inside_kernel(session, at);
  std::shared_ptr<const Image> elements;
  try {
    elements = std::make_shared<const Image>(packed(from, host[Level::element].size, to.type));
  } catch (const std::bad_alloc&) {
    refuse_no_room(static_cast<std::size_t>(host[Level::element].size), from.width, at);
  }
  return upload(session, std::move(elements), host, to, address, at);
}
Handle upload(Session* session, std::shared_ptr<const Image> elements, const Layout& host, const Layout& to, Address address, Where at) {
  refuse_inside_kernel(session, at);
  std::int64_t const count = host[Level::element].size, bits = scalar_info(to.type).packet_bits;
  if (static_cast<std::int64_t>(elements->size()) != ceil_div(count * bits, 8))
    refuse_wrong_count(elements->size() * 8 / static_cast<std::size_t>(bits), static_cast<std::size_t>(count), host[Level::element], at);
  std::int64_t begin = 0;
  Handle handle = made_in_hbm(session, to, address, at, begin);
  auto given = std::make_shared<Contents>();
  given->image = std::move(elements);
  ir::Module module = transfer_module(Memory::Hbm, to.type, host[Level::element], *handle.get()->levels, begin, at);
  auto contents = session->run_host_transfer(std::move(module), given);
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
  auto contents = session->contents_of(*from, at);
  ir::Module module =
      transfer_module(Memory::Host, from->type, host[Level::element], *from->levels, session->place_of(*from).begin.value, at);
  module.tensors[0].name = from->name;
  auto const taken = session->run_host_transfer(std::move(module), contents);
  unpack(*image_of(*taken), host[Level::element].size, from->type, to);
}

}  // namespace tcp::detail
