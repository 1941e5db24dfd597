// Tensors with mappings as values, and the transfers between them. Each call makes the command that the typed call
// makes, asks the verifier, and writes it down.
#include <optional>

#include "dsl/dynamic/recording.hpp"
#include "dsl/parts.hpp"
#include "tcp/support/round.hpp"

namespace tcp::dyn {

using tcp::detail::Layout;

namespace detail {
namespace {

/// Points into the levels.
Layout layout_of(ScalarType type, const Levels& levels) {
  Layout out{type};
  for (int l = 0; l < level_count; ++l) out.level[l] = &levels.at[l];
  return out;
}

void refuse_faults(const Levels& levels, Where at) {
  for (const Mapping& m : levels.at)
    if (!m.ok()) throw Refused(refusal_of(m, at));
}

}  // namespace

ir::MapId interned(Recording& r, const Mapping& m, Where at) {
  if (!m.ok()) throw Refused(refusal_of(m, at));
  return r.module.intern(m);
}

namespace {

ir::Tensor placed(Recording& r, const Wanted& w, Where at) {
  refuse_faults(w.levels, at);
  ir::Tensor t;
  t.memory = w.memory;
  t.type = w.type;
  t.chip = r.module.intern(w.levels[Level::chip]);
  t.cluster = r.module.intern(w.levels[Level::cluster]);
  t.slice = r.module.intern(w.levels[Level::slice]);
  t.row = r.module.intern(w.levels[Level::row]);
  t.element = r.module.intern(w.levels[Level::element]);
  if (w.address.given) t.address = w.address.bytes;
  t.trf = w.trf;
  t.role = w.role;
  t.at = at;
  return t;
}
/// A look at a tensor, with what differs from it: names of levels, the type.
Tensor viewed(const Tensor& of, ir::ViewOf view, std::initializer_list<std::pair<Level, const Mapping*>> names, Where at,
              std::optional<ScalarType> type = {}) {
  Recording& r = tcp::detail::recording(nullptr, at);
  view.tensor = r.id_of(of.node(), at);
  ir::Tensor const& seen = r.module.tensor(view.tensor);
  Wanted w{seen.memory, type.value_or(seen.type), r.module.levels(seen), {}, seen.trf};
  for (auto const& [level, name] : names) w.levels.set(level, *name);
  ir::Tensor t = placed(r, w, at);
  t.name = r.module.tensor(view.tensor).name;
  t.view = view;
  throw_if_refused(verdict(ir::seen_by(r.module, t)));
  return Tensor(r.add(std::move(t)));
}

}  // namespace

Tensor made(Recording& r, const Wanted& w, Where at) {
  ir::Tensor t = placed(r, w, at);
  throw_if_refused(ir::verify_tensor(r.module, r.session()->device(), t));
  return Tensor(r.add(std::move(t)));
}

ir::TensorId written(Recording& r, const Tensor& t, Where at) {
  ir::TensorId const id = r.id_of(t.node(), at);
  if (r.module.tensor(id).view) return id;
  return r.id_of(t.view_mut(at).node(), at);
}

}  // namespace detail

namespace {

using detail::made;
using detail::Recording;

Recording& recording(const Tdma& dma, Where at) { return tcp::detail::recording(dma.session, at); }

void note(Recording& r, ir::Transfer t, Where at) {
  throw_if_refused(ir::verify_transfer(r.module, r.session()->device(), t, at));
  r.command(std::move(t), at);
}
/// Moves a tensor to where it is wanted, with its type; `levels` are changed from its own.
Tensor moved(Recording& r, ir::Transfer t, const Tensor& from, Memory memory, Levels levels, Address address, Where at) {
  t.source = r.id_of(from.node(), at);
  Tensor to = made(r, {memory, r.module.tensor(t.source).type, levels, address}, at);
  t.destination = r.id_of(to.node(), at);
  note(r, std::move(t), at);
  return to;
}
Levels levels_in(Recording& r, const Tensor& t, Where at) { return r.module.levels(r.module.tensor(r.id_of(t.node(), at))); }

Levels hbm_levels(const Mapping& chip, const Mapping& element) {
  Levels l;
  return l.set(Level::chip, chip).set(Level::element, element);
}
Levels on_chip(const Mapping& chip, const Mapping& cluster, const Mapping& slice, const Mapping& element) {
  return hbm_levels(chip, element).set(Level::cluster, cluster).set(Level::slice, slice);
}
Levels host(const Mapping& element) { return hbm_levels(Mapping{}, element); }

/// A gather into a new tensor.
Tensor gathered(Recording& r, const Tensor& table, std::string_view axis, const Picks& rows, Memory memory, const Levels& levels,
                Address address, Where at) {
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::gather;
  ir::TensorId const from = r.id_of(table.node(), at);
  t.source = from;
  Tensor const to = detail::made(r, {memory, r.module.tensor(from).type, levels, address}, at);
  t.destination = r.id_of(to.node(), at);
  tcp::detail::pick_rows(r, std::move(t), rows.along(axis), at);
  return to;
}

const tcp::detail::Node& node_of(const Tensor& t) {
  if (!t) throw Refused(tcp::detail::empty_tensor({}));
  return *t.node();
}

}  // namespace

Mapping axis(std::string_view name, std::int64_t size) {
  if (name.size() > Name::max_length) return tcp::detail::with_fault(Mapping{}, {FaultKind::axis_name, ' ', 0, 0, Name(name)});
  return axis_mapping(Name(name), size);
}

Tensor Tensor::hbm_at(std::int64_t address, ScalarType type, const Mapping& chip, const Mapping& element, Where at) {
  Recording& r = tcp::detail::recording(nullptr, at);
  return made(r, {Memory::Hbm, type, hbm_levels(chip, element), address, TrfAddress::Full, ir::Role::from_addr}, at);
}
Tensor Tensor::dm_at(std::int64_t address, ScalarType type, const Mapping& chip, const Mapping& cluster, const Mapping& slice,
                     const Mapping& element, Where at) {
  Recording& r = tcp::detail::recording(nullptr, at);
  return made(r, {Memory::Dm, type, on_chip(chip, cluster, slice, element), address, TrfAddress::Full, ir::Role::from_addr}, at);
}
Tensor Tensor::hbm(Context& ctx, ScalarType type, const Mapping& chip, const Mapping& element, Where at) {
  return made(tcp::detail::recording(ctx.session(), at), {Memory::Hbm, type, hbm_levels(chip, element)}, at);
}
Tensor Tensor::declared(Context& ctx, ScalarType type, const Mapping& chip, const Mapping& element, Address address, Where at) {
  return Tensor(tcp::detail::declare(ctx.session(), detail::layout_of(type, hbm_levels(chip, element)), address, at));
}
Tensor Tensor::dm(Context& ctx, ScalarType type, const Mapping& chip, const Mapping& cluster, const Mapping& slice, const Mapping& element,
                  Where at) {
  return made(tcp::detail::recording(ctx.session(), at), {Memory::Dm, type, on_chip(chip, cluster, slice, element)}, at);
}

Memory Tensor::memory() const { return node_of(*this).memory; }
ScalarType Tensor::type() const { return node_of(*this).type; }
Levels Tensor::levels() const { return levels_of(node_of(*this)); }
Tensor& Tensor::named(const char* name) {
  tcp::detail::name_tensor(node(), name);
  return *this;
}

Tensor Tensor::view_mut(Where at) const { return detail::viewed(*this, {}, {}, at); }
Tensor Tensor::tile(const Mapping& dimension, std::int64_t length, std::int64_t start, Where at) const {
  Levels const levels = levels_in(tcp::detail::recording(nullptr, at), *this, at);
  Mapping const& whole = levels[level_of_tile(levels, dimension)];
  return tile_as(dimension, length, start, value_or_throw(tcp::tile(whole, dimension, length, start, at)).mapping, at);
}
Tensor Tensor::tile_as(const Mapping& dimension, std::int64_t length, std::int64_t start, const Mapping& part, Where at) const {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::tile;
  view.dimension = detail::interned(tcp::detail::recording(nullptr, at), dimension, at);
  view.length = length;
  view.start = start;
  Level const level = level_of_tile(levels_in(tcp::detail::recording(nullptr, at), *this, at), dimension);
  return detail::viewed(*this, view, {{level, &part}}, at);
}
Tensor Tensor::reshape(const Mapping& element, Where at) const {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::reshape;
  return detail::viewed(*this, view, {{Level::element, &element}}, at);
}
Tensor Tensor::relabel(const Mapping& chip, const Mapping& element, Where at) const {
  return relabel(chip, Mapping{}, Mapping{}, element, at);
}
Tensor Tensor::relabel(const Mapping& chip, const Mapping& cluster, const Mapping& slice, const Mapping& element, Where at) const {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::relabel;
  return detail::viewed(*this, view, {{Level::chip, &chip}, {Level::cluster, &cluster}, {Level::slice, &slice}, {Level::element, &element}},
                        at);
}
Tensor Tensor::reinterpret(ScalarType type, Where at) const {
  ir::ViewOf view;
  view.kind = ir::ViewOf::Kind::reshape;
  return detail::viewed(*this, view, {}, at, type);
}

Tensor Tensor::to_dm(const Tdma& dma, const Mapping& cluster, const Mapping& slice, const Mapping& element, Address address,
                     Where at) const {
  Recording& r = recording(dma, at);
  return moved(r, {}, *this, Memory::Dm, on_chip(levels_in(r, *this, at)[Level::chip], cluster, slice, element), address, at);
}
Tensor Tensor::to_spm(const Tdma& dma, const Mapping& cluster, const Mapping& pe, const Mapping& element, Address address, Where at) const {
  Recording& r = recording(dma, at);
  return moved(r, {}, *this, Memory::Spm, on_chip(levels_in(r, *this, at)[Level::chip], cluster, pe, element), address, at);
}
Tensor Tensor::to_hbm(const Tdma& dma, const Mapping& element, Address address, Where at) const {
  return to_hbm_chips(dma, levels_in(recording(dma, at), *this, at)[Level::chip], element, address, at);
}
Tensor Tensor::to_hbm_chips(const Tdma& dma, const Mapping& chip, const Mapping& element, Address address, Where at) const {
  return moved(recording(dma, at), {}, *this, Memory::Hbm, hbm_levels(chip, element), address, at);
}

Tensor Tensor::gather_to_hbm(const Tdma& dma, std::string_view rows, const Picks& index, const Mapping& element, Address address,
                             Where at) const {
  Recording& r = recording(dma, at);
  return gathered(r, *this, rows, index, Memory::Hbm, hbm_levels(levels_in(r, *this, at)[Level::chip], element), address, at);
}
Tensor Tensor::gather_to_dm(const Tdma& dma, std::string_view rows, const Picks& index, const Mapping& cluster, const Mapping& slice,
                            const Mapping& element, Address address, Where at) const {
  Recording& r = recording(dma, at);
  return gathered(r, *this, rows, index, Memory::Dm, on_chip(levels_in(r, *this, at)[Level::chip], cluster, slice, element), address, at);
}
void Tensor::scatter(const Tdma& dma, std::string_view rows, const Picks& index, const Tensor& table, Where at) const {
  Recording& r = recording(dma, at);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::scatter;
  t.source = r.id_of(node(), at);
  t.destination = detail::written(r, table, at);
  tcp::detail::pick_rows(r, std::move(t), index.along(rows), at);
}

Tensor Tensor::chip_shuffle(const Tdma& dma, const std::vector<std::int64_t>& source, const Mapping& chip, Address address,
                            Where at) const {
  Recording& r = recording(dma, at);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::chip_shuffle;
  t.permutation = source;
  return moved(r, std::move(t), *this, Memory::Dm, levels_in(r, *this, at).set(Level::chip, chip), address, at);
}
Tensor Tensor::cluster_shuffle(const Tdma& dma, const std::vector<std::int64_t>& source, const Mapping& cluster, Address address,
                               Where at) const {
  Recording& r = recording(dma, at);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::cluster_shuffle;
  t.permutation = source;
  return moved(r, std::move(t), *this, Memory::Dm, levels_in(r, *this, at).set(Level::cluster, cluster), address, at);
}
Tensor Tensor::chip_slice(const Tdma& dma, const Mapping& dimension, std::int64_t length, const std::vector<std::int64_t>& start,
                          const Mapping& chip, const Mapping& element, Address address, Where at) const {
  Recording& r = recording(dma, at);
  ir::Transfer t;
  t.kind = ir::Transfer::Kind::chip_slice;
  t.permutation = start;
  t.dimension = detail::interned(r, dimension, at);
  t.length = length;
  return moved(r, std::move(t), *this, Memory::Dm, levels_in(r, *this, at).set(Level::chip, chip).set(Level::element, element), address,
               at);
}

void dma(const Tdma& tdma, const Tensor& from, const Tensor& to, Where at) {
  Recording& r = recording(tdma, at);
  ir::Transfer t;
  t.source = r.id_of(from.node(), at);
  t.destination = detail::written(r, to, at);
  note(r, std::move(t), at);
}
void dma(const Tdma& tdma, const Tensor& from, const Tensor& to, const Mapping& time, const Mapping& packet, Where at) {
  Recording& r = recording(tdma, at);
  ir::Transfer t;
  t.source = r.id_of(from.node(), at);
  t.destination = detail::written(r, to, at);
  t.time = detail::interned(r, time, at);
  t.packet = detail::interned(r, packet, at);
  note(r, std::move(t), at);
}
namespace {

/// The bits of a number; refused where the type has no such value.
std::uint32_t bits_of(ScalarType type, double value, Where at) {
  switch (type) {
    case ScalarType::f32: return f32::from_double(value).bits;
    case ScalarType::bf16: return bf16::from_double(value).bits;
    case ScalarType::f16: return f16::from_double(value).bits;
    case ScalarType::f8e4m3: return f8e4m3::from_double(value).bits;
    case ScalarType::f8e5m2: return f8e5m2::from_double(value).bits;
    default: break;
  }
  bool const countable = is_integer(type) && value >= -2147483648.0 && value <= 2147483647.0;
  std::uint32_t const bits = static_cast<std::uint32_t>(countable ? static_cast<std::int64_t>(value) : 0) & scalar_mask(type);
  if (!countable || static_cast<double>(tcp::detail::sign_extend(bits, scalar_info(type).bits)) != value)
    tcp::detail::refuse_no_value(value, type, at);
  return bits;
}

}  // namespace

void memset(Context& ctx, const Tensor& to, double value, Where at) {
  Recording& r = tcp::detail::recording(ctx.session(), at);
  ir::Memset const m{r.id_of(to.node(), at), word_full_of(to.type(), bits_of(to.type(), value, at))};
  throw_if_refused(ir::verify_memset(r.module, r.session()->device(), m, at));
  r.command(m, at);
}

namespace {

std::size_t host_width(ScalarType type) { return static_cast<std::size_t>(ceil_div(scalar_info(type).bits, 8)); }

}  // namespace

HostTensor::HostTensor(ScalarType type, const Mapping& element, Where at) : type_(type), element_(element) {
  if (!element.ok()) throw Refused(refusal_of(element, at));
  try {
    bytes_.resize((size() * host_width(type) + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t));
  } catch (const std::exception&) {  // bad_alloc, or length_error
    tcp::detail::refuse_no_room(size(), host_width(type), at);
  }
}
void HostTensor::check_type(ScalarType asked, Where at) const {
  if (asked == type_) return;
  throw Refused(refuse("dsl-host-type", at)
                    .what("elements of a host tensor of ", type_, " are asked for as ", asked)
                    .why("a host tensor keeps the bits of one type")
                    .help("ask for data<", type_, ">()"));
}
Tensor HostTensor::to_hbm(const Pdma& dma, const Mapping& chip, const Mapping& element, Address address, Where at) const {
  Levels const to = hbm_levels(chip, element);
  DmaTensor const from_host{Memory::Host, host(element_)}, to_device{Memory::Hbm, to};
  throw_if_refused(verdict(check_transfer(dma.session->device(), type_, chip.size, from_host, to_device, at)));
  // Uploading reads the elements only.
  tcp::detail::HostElements const elements{const_cast<std::uint32_t*>(bytes_.data()), host_width(type_)};
  return Tensor(upload(dma.session, elements, detail::layout_of(type_, from_host.levels), detail::layout_of(type_, to), address, at));
}
Tensor to_hbm(const Pdma& dma, std::shared_ptr<const Image> elements, ScalarType type, const Mapping& on_host, const Mapping& chip,
              const Mapping& element, Address address, Where at) {
  Levels const to = hbm_levels(chip, element);
  DmaTensor const from_host{Memory::Host, host(on_host)}, to_device{Memory::Hbm, to};
  throw_if_refused(verdict(check_transfer(dma.session->device(), type, chip.size, from_host, to_device, at)));
  auto const layout = detail::layout_of(type, from_host.levels);
  return Tensor(tcp::detail::upload(dma.session, std::move(elements), layout, detail::layout_of(type, to), address, at));
}
HostTensor Tensor::to_host(const Pdma& dma, const Mapping& element, Where at) const {
  HostTensor out(type(), element, at);
  DmaTensor const from_device{memory(), levels()}, to_host{Memory::Host, host(element)};
  throw_if_refused(verdict(check_transfer(dma.session->device(), type(), from_device.levels[Level::chip].size, from_device, to_host, at)));
  download(dma.session, node(), {out.bytes_.data(), host_width(type())}, detail::layout_of(type(), to_host.levels), at);
  return out;
}

}  // namespace tcp::dyn
