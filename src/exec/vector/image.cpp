// Between tensors and images: as a view where the bytes allow it, by plain loops where they do not, and place by
// place where even loops do not fit.
#include "exec/vector/image.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "exec/vector/kernels/move.hpp"
#include "exec/vector/places.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/round.hpp"

namespace tcp::vector {
namespace {

/// How many memories hold a tensor: the HBM of chips, or the DM of slices.
std::int64_t memories_of(const Levels& levels) {
  return levels[Level::chip].size * levels[Level::cluster].size * levels[Level::slice].size;
}
std::int64_t memory_bytes(ScalarType type, const Levels& levels) {
  return ceil_div(levels[Level::element].size * scalar_info(type).packet_bits, 8);
}

/// Which of its memories a place lies in.
std::int64_t memory_at(const Levels& levels, const Place& p) {
  return (p.chip * levels[Level::cluster].size + p.cluster) * levels[Level::slice].size + p.slice;
}

/// Two elements of 4 bits share a byte of an image; tensors have a byte for each.
bool shares_bytes(ScalarType type) { return scalar_info(type).packet_bits < 8; }
std::int64_t places_in(const Levels& levels) { return levels[Level::element].size * memories_of(levels); }

/// An image with a byte for each element, and back. Each memory's part of an image begins with a byte of its own.
Image unpacked(const Image& image, ScalarType type, const Levels& levels) {
  Image bytes = Image::not_initialised(static_cast<std::size_t>(places_in(levels)));
  std::int64_t const elements = levels[Level::element].size;
  for (std::int64_t m = 0; m < memories_of(levels); ++m) {
    const std::byte* const from = image.data() + m * memory_bytes(type, levels);
    std::byte* const to = bytes.data() + m * elements;
    for (std::int64_t i = 0; i < elements; ++i) to[i] = i % 2 == 0 ? from[i / 2] & std::byte{15} : from[i / 2] >> 4;
  }
  return bytes;
}
Image packed(const Image& bytes, ScalarType type, const Levels& levels) {
  Image image(static_cast<std::size_t>(image_size(type, levels)));
  std::int64_t const elements = levels[Level::element].size;
  for (std::int64_t m = 0; m < memories_of(levels); ++m) {
    const std::byte* const from = bytes.data() + m * elements;
    std::byte* const to = image.data() + m * memory_bytes(type, levels);
    for (std::int64_t i = 0; i < elements; ++i) to[i / 2] |= i % 2 == 0 ? from[i] & std::byte{15} : from[i] << 4;
  }
  return image;
}

/// One digit as a loop over an image. Positions of Chip count whole chips, those of Slice whole slices.
struct ImageLoop {
  int axis = -1;  // into AxisSize list; -1: copies
  std::int64_t size = 1, coordinate = 0, position = 0;
};

struct ImageLoops {
  std::vector<AxisSize> axes;
  std::vector<ImageLoop> loops;
};

/// All elements of an image, one that is unpacked, by plain loops; none where axes end inside a block, begin elsewhere
/// than at 0, or digits are skewed.
std::optional<ImageLoops> loops_of(const Levels& levels) {
  ImageLoops all;
  all.axes = axes_of(levels);
  std::vector<std::int64_t> reach(all.axes.size(), 0);
  std::int64_t inside = places_in(levels);  // places that belong to one position of the level
  for (Level level : {Level::chip, Level::cluster, Level::slice, Level::element}) {
    inside /= levels[level].size;
    const Mapping& m = levels[level];
    Footprints const foot = footprints(m);
    std::vector<int> number(static_cast<std::size_t>(m.axes));
    for (int a = 0; a < m.axes; ++a) {
      if (m.axis[a].start != 0) return {};
      auto const found = std::find_if(all.axes.begin(), all.axes.end(), [&](const AxisSize& x) { return x.name == m.axis[a].name; });
      number[static_cast<std::size_t>(a)] = static_cast<int>(found - all.axes.begin());
    }
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      if (d.in_window() || d.joined || d.skewed_by != no_axis) return {};
      std::int64_t const position = foot.inside[k] * inside;
      int const axis = d.axis == no_axis ? -1 : number[static_cast<std::size_t>(d.axis)];
      all.loops.push_back({axis, d.size, axis < 0 ? 0 : d.stride, position});
      if (axis < 0) continue;
      reach[static_cast<std::size_t>(axis)] += (d.size - 1) * d.stride;
      if (reach[static_cast<std::size_t>(axis)] >= m.axis[d.axis].extent) return {};
    }
  }
  return all;
}

bool reach_every_place(const ImageLoops& all, const Levels& levels) {
  std::int64_t reached = 1;
  for (const ImageLoop& l : all.loops) reached *= l.size;
  return reached == places_in(levels);
}

/// Zeros where the loops leave out padding; where they reach every place the zeros would never be seen.
Image image_for(const ImageLoops& all, ScalarType type, const Levels& levels) {
  auto const size = static_cast<std::size_t>(places_in(levels) * width_of(type));
  return reach_every_place(all, levels) ? Image::not_initialised(size) : Image(size);
}

/// How a tensor lies in its image, if every axis goes through it in equal steps.
std::optional<std::vector<std::int64_t>> strides_of(const ImageLoops& all) {
  std::vector<std::int64_t> strides(all.axes.size(), 0);
  for (const ImageLoop& l : all.loops) {
    if (l.axis < 0 || l.size == 1) continue;
    std::int64_t& stride = strides[static_cast<std::size_t>(l.axis)];
    if (l.position % l.coordinate != 0 || (stride != 0 && stride != l.position / l.coordinate)) return {};
    stride = l.position / l.coordinate;
  }
  return strides;
}

Tensor view_of(std::shared_ptr<Storage> storage, ScalarType type, const ImageLoops& all, const std::vector<std::int64_t>& strides) {
  Tensor t;
  t.type = type;
  t.storage = std::move(storage);
  for (std::size_t i = 0; i < all.axes.size(); ++i) t.axes.push_back({all.axes[i].name, all.axes[i].size, strides[i], 0});
  return t;
}

Index index_of(const Tensor& t, std::int64_t i) {
  Index index;
  for (auto a = t.axes.rbegin(); a != t.axes.rend(); ++a) {
    index.add(a->name, i % a->size);
    i /= a->size;
  }
  return index;
}

/// Calls visit(memory, position in it, spot in the tensor) for every element, copies included; of a window's place, for
/// every element that lies there.
template <class Visit>
void each_element(const Levels& levels, const Tensor& tensor, Visit&& visit) {
  PlaceMap const places(levels, tensor);
  Spot spot;
  if (has_windows(levels)) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      Place place;
      Index const index = index_of(tensor, i);
      if (find_place(levels, index, place) && places.find(index, spot)) visit(memory_at(levels, place), place.element, spot);
    }
    return;
  }
  Place p;
  for (p.chip = 0; p.chip < levels[Level::chip].size; ++p.chip)
    for (p.cluster = 0; p.cluster < levels[Level::cluster].size; ++p.cluster)
      for (p.slice = 0; p.slice < levels[Level::slice].size; ++p.slice)
        for (p.element = 0; p.element < levels[Level::element].size; ++p.element)
          if (places.find(p, spot)) visit(memory_at(levels, p), p.element, spot);
}

}  // namespace

namespace {

/// The parts of an image whose bytes were not looked at.
class HeldTensor final : public Image::Later {
 public:
  HeldTensor(Tensor tensor, const Levels& levels) : tensor_(std::move(tensor)), levels_(levels) {}

  void write(std::byte* to) const override {
    Image const image = to_image(tensor_, levels_);
    std::memcpy(to, image.data(), image.size());
  }
  bool is(ScalarType type, const Levels& levels) const {
    return tensor_.type == type && std::equal(levels.at, levels.at + level_count, levels_.at);
  }
  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
  Levels levels_;
};

}  // namespace

std::shared_ptr<const Image> image_for_later(const Tensor& tensor, const Levels& levels) {
  constexpr std::int64_t worth_it = 1 << 16;
  std::int64_t const bytes = tensor.size() * tensor.width();
  if (!tensor.storage->argument() || tensor.has_undefined() || shares_bytes(tensor.type)) return nullptr;
  if (bytes < worth_it || bytes < tensor.storage->size()) return nullptr;  // nor a part of much more, which it would keep
  return std::make_shared<const Image>(
      Image::of(std::make_shared<const HeldTensor>(tensor, levels), static_cast<std::size_t>(image_size(tensor.type, levels))));
}

std::int64_t image_size(ScalarType type, const Levels& levels) { return memory_bytes(type, levels) * memories_of(levels); }

Tensor from_image(std::shared_ptr<const Image> bytes, ScalarType type, const Levels& levels) {
  if (const auto* held = dynamic_cast<const HeldTensor*>(bytes->later()); held != nullptr && held->is(type, levels)) return held->tensor();
  auto const loops = loops_of(levels);
  if (loops && shares_bytes(type)) bytes = std::make_shared<const Image>(unpacked(*bytes, type, levels));
  if (loops)
    if (auto const strides = strides_of(*loops)) return view_of(Storage::of(std::move(bytes)), type, *loops, *strides);
  Tensor t = fresh(type, axes_of(levels));
  if (loops) {
    std::vector<kernels::MoveLoop> moves;
    for (const ImageLoop& l : loops->loops)
      if (l.axis >= 0) moves.push_back({l.size, l.position, l.coordinate * t.axes[static_cast<std::size_t>(l.axis)].stride});
    std::fill_n(t.writable_data(), t.size() * t.width(), std::byte{0});
    kernels::move(moves, t.width(), bytes->data(), t.writable_data());
    return t;
  }
  std::fill_n(t.writable_data(), t.size() * t.width(), std::byte{0});
  std::int64_t const size = memory_bytes(type, levels);
  each_element(levels, t, [&](std::int64_t memory, std::int64_t position, const Spot& spot) {
    store_bits(t.writable_data() + spot.bits * t.width(), t.width(), load_scalar_bits(bytes->data() + memory * size, type, position));
  });
  return t;
}

std::shared_ptr<Tensor> image_tensor(ScalarType type, const Levels& levels) {
  auto const loops = loops_of(levels);
  if (!loops || shares_bytes(type) ||
      std::any_of(loops->loops.begin(), loops->loops.end(), [](const ImageLoop& l) { return l.axis < 0 && l.size > 1; }))
    return nullptr;
  auto const strides = strides_of(*loops);
  if (!strides) return nullptr;
  return std::make_shared<Tensor>(view_of(Storage::of(image_for(*loops, type, levels)), type, *loops, *strides));
}

namespace {

/// Whether elements are stored in the order of the image, in as many bytes. Not so where the image has copies: what is
/// stored in their places need not be the same.
bool has_order_of_image(const Tensor& tensor, const ImageLoops& loops, const Levels& levels) {
  if (tensor.has_undefined() || tensor.offset != 0 || shares_bytes(tensor.type)) return false;
  if (tensor.storage->size() != image_size(tensor.type, levels)) return false;
  if (std::any_of(loops.loops.begin(), loops.loops.end(), [](const ImageLoop& l) { return l.axis < 0 && l.size > 1; })) return false;
  auto const strides = strides_of(loops);
  if (!strides) return false;
  for (std::size_t i = 0; i < loops.axes.size(); ++i) {
    const Axis* const a = tensor.find(loops.axes[i].name);
    if (a == nullptr || a->size < loops.axes[i].size || (a->size > 1 && a->stride != (*strides)[i])) return false;
  }
  return true;
}

}  // namespace

bool lies_as_image(const Tensor& tensor, const Levels& levels) {
  if (tensor.storage->held_image() == nullptr || tensor.storage.use_count() > 2) return false;
  auto const loops = loops_of(levels);
  return loops && has_order_of_image(tensor, *loops, levels);
}

std::shared_ptr<const Image> argument_image(const Tensor& tensor, const Levels& levels) {
  if (!tensor.storage->argument()) return nullptr;
  auto const loops = loops_of(levels);
  bool const same = loops && has_order_of_image(tensor, *loops, levels) && reach_every_place(*loops, levels);
  return same ? tensor.storage->argument() : nullptr;
}

Image to_image(const Tensor& tensor, const Levels& levels) {
  if (lies_as_image(tensor, levels)) return std::move(*tensor.storage->held_image());
  auto const loops = loops_of(levels);
  bool plain = loops.has_value() && !tensor.has_undefined();
  for (std::size_t i = 0; plain && i < loops->axes.size(); ++i) {
    const Axis* const a = tensor.find(loops->axes[i].name);
    plain = a == nullptr || a->size >= loops->axes[i].size;
  }
  if (plain) {
    Image image = image_for(*loops, tensor.type, levels);
    std::vector<kernels::MoveLoop> moves;
    for (const ImageLoop& l : loops->loops) {
      const Axis* const a = l.axis < 0 ? nullptr : tensor.find(loops->axes[static_cast<std::size_t>(l.axis)].name);
      moves.push_back({l.size, a == nullptr ? 0 : l.coordinate * a->stride, l.position});
    }
    kernels::move(moves, tensor.width(), tensor.data(), image.data());
    return shares_bytes(tensor.type) ? packed(image, tensor.type, levels) : std::move(image);
  }
  Image image(static_cast<std::size_t>(image_size(tensor.type, levels)));
  std::int64_t const size = memory_bytes(tensor.type, levels);
  each_element(levels, tensor, [&](std::int64_t memory, std::int64_t position, const Spot& spot) {
    bool const defined = !tensor.origins || tensor.origin_data()[spot.origin] == 0;
    std::uint32_t const bits = defined ? load_bits(tensor.data() + spot.bits * tensor.width(), tensor.width()) : 0;
    store_scalar_bits(image.data() + memory * size, tensor.type, position, bits);
  });
  return image;
}

}  // namespace tcp::vector
