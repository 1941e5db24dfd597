// Typed tensors in the device's memories, views of them, and the transfers between them.
//
//   HbmTensor<D, Chip, Element>                        DmTensor<D, Chip, Cluster, Slice, Element>       SpmTensor<D, Chip, Cluster, Pe, Element>
//   TrfTensor<D, Chip, Cluster, Slice, Row, Element>   VrfTensor<D, Chip, Cluster, Slice, Element>
//
// A tensor is a name for memory: copying one copies nothing. `view()` is for reading, `view_mut()` for writing into;
// `tile`, `slice` and `reshape` look at a part, or under other indices. HBM, DM and SPM move into each other by
// `to_hbm`, `to_dm`, `to_spm`; the result's mappings are template arguments, tags as arguments, or come from the type
// on the left:
//
//   auto dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
//   DmTensor<i32, Chip, Cluster, Slice, m<A % 8>> dm = in.to_dm(ctx.tdma, 0);
//
// Methods are constexpr although they never run while compiling: editors look into the bodies of constexpr functions
// only, and show our refusals there.
#pragma once

#include "tcp/device/target.hpp"
#include "tcp/dsl/record.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/rules/gather.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/rules/shuffle.hpp"
#include "tcp/rules/view.hpp"
#include "tcp/scalar/scalar.hpp"

namespace tcp {

namespace detail {
template <class T>
class TensorView;
template <class T>
class TensorViewMut;
}  // namespace detail

/// The tensor DMA: HBM, DM and SPM. The PCIe DMA: host and HBM.
class Tdma {
 public:
  constexpr explicit Tdma(detail::Session* s) : session(s) {}

  /// From one view into another, with the stream's shape if the author insists on one: dma<m<B>, m<A>>(in, out).
  template <MapType... Stream, class From, class T>
  constexpr void dma(const From& from, const detail::TensorViewMut<T>& to, Where at = std::source_location::current()) const;

  detail::Session* session;
};
class Pdma {
 public:
  constexpr explicit Pdma(detail::Session* s) : session(s) {}

  detail::Session* session;
};

template <Scalar D, MapType Element>
class HostTensor;
template <Scalar D, MapType Chip, MapType Element>
class HbmTensor;
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
class DmTensor;
template <Scalar D, MapType Chip, MapType Cluster, MapType Pe, MapType Element>
class SpmTensor;

namespace detail {

/// What a tensor in memory is, apart from where. `View`: of a larger tensor, whose other elements a write must leave
/// alone.
template <Memory M, Scalar D, MapType C, MapType Cl, MapType S, MapType E, bool View = false>
struct TensorType {
  static constexpr Memory memory = M;
  static constexpr bool is_view = View;
  using Type = D;
  using Chip = C;
  using Cluster = Cl;
  using Slice = S;
  using Element = E;
  template <MapType E2>
  using With = TensorType<M, D, C, Cl, S, E2, true>;
  /// One level of it, and a view with another mapping there.
  template <Level L>
  using At =
      std::conditional_t<L == Level::chip, C, std::conditional_t<L == Level::cluster, Cl, std::conditional_t<L == Level::slice, S, E>>>;
  template <Level L, MapType To>
  using WithAt = TensorType<M, D, std::conditional_t<L == Level::chip, To, C>, std::conditional_t<L == Level::cluster, To, Cl>,
                            std::conditional_t<L == Level::slice, To, S>, std::conditional_t<L == Level::element, To, E>, true>;
  /// A tensor of this type with other names: Chip and Element in HBM, all four levels elsewhere.
  template <MapType... To>
  struct Relabelled;
  template <MapType C2, MapType E2>
  struct Relabelled<C2, E2> {
    static_assert(M == Memory::Hbm, "relabel<Chip, Cluster, Slice, Element>() names all levels of a tensor on the chip");
    using type = TensorType<M, D, C2, Cl, S, E2, View>;
  };
  template <MapType C2, MapType Cl2, MapType S2, MapType E2>
  struct Relabelled<C2, Cl2, S2, E2> {
    static_assert(M != Memory::Hbm, "relabel<Chip, Element>() names all levels of a tensor in HBM");
    using type = TensorType<M, D, C2, Cl2, S2, E2, View>;
  };
  template <Scalar D2>
  using As = TensorType<M, D2, C, Cl, S, E, true>;

  static constexpr Layout layout = Layout{D::type}
                                       .template with<C>(Level::chip)
                                       .template with<Cl>(Level::cluster)
                                       .template with<S>(Level::slice)
                                       .template with<E>(Level::element);
  static constexpr Levels levels() {
    Levels l;
    l.set(Level::chip, C::mapping).set(Level::cluster, Cl::mapping).set(Level::slice, S::mapping);
    return l.set(Level::element, E::mapping);
  }
  static constexpr DmaTensor dma() { return {M, levels(), View}; }
};

template <Scalar D, MapType Chip, MapType Element>
using HbmType = TensorType<Memory::Hbm, D, Chip, m<1>, m<1>, Element>;
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
using DmType = TensorType<Memory::Dm, D, Chip, Cluster, Slice, Element>;
template <Scalar D, MapType Chip, MapType Cluster, MapType Pe, MapType Element>
using SpmType = TensorType<Memory::Spm, D, Chip, Cluster, Pe, Element>;

/// Whether a memory can hold a tensor, wherever it is.
template <class T>
constexpr Verdict capacity_verdict() {
  if (T::is_view || T::memory == Memory::Host) return accept();  // a view's tensor was asked
  if (T::memory == Memory::Hbm) return check_hbm(target, T::Type::type, T::Element::mapping, Bytes{0});
  if (T::memory == Memory::Spm) return check_spm(target, T::Type::type, T::Element::mapping, Bytes{0});
  return check_dm(target, T::Type::type, T::Element::mapping, Bytes{0});
}

/// Whether there can be such a tensor at all.
template <class T>
constexpr Verdict tensor_verdict() {
  auto const fits = T::memory == Memory::Hbm   ? check_levels(T::levels())
                    : T::memory == Memory::Spm ? check_spm_geometry(target, T::Chip::size, T::levels())
                                               : check_geometry(target, T::Chip::size, T::levels());
  return fits ? capacity_verdict<T>() : fits;
}

template <class From, class To>
constexpr Verdict transfer_verdict() {
  constexpr std::int64_t chips = From::memory == Memory::Host ? To::Chip::size : From::Chip::size;
  if (auto v = verdict(check_transfer(target, From::Type::type, chips, From::dma(), To::dma())); !v) return v;
  return capacity_verdict<To>();
}

/// The name of an axis that is given as a template argument.
template <auto A>
constexpr Name axis_name() {
  constexpr Expr e = A;
  return Name(std::string_view(e.written));
}

/// The level of a tile, and its mapping, where the author does not declare it.
template <class T, MapType Index>
inline constexpr Level tiled_level = level_of_tile(T::levels(), Index::mapping);
template <MapType Whole, MapType Index, std::int64_t Length>
struct Tiled {
  static constexpr auto found = tcp::tile(Whole::mapping, Index::mapping, Length, 0);
  static constexpr Mapping meaning = found.ok() ? found->mapping : Whole::mapping;
};
template <class T, MapType Index, std::int64_t Length>
struct TiledOf {
  using type = typename MapOf<Tiled<typename T::template At<tiled_level<T, Index>>, Index, Length>>::type;
};
template <class T, MapType Index, std::int64_t Length>
using tiled = typename TiledOf<T, Index, Length>::type;

/// What only stages ask of a tensor: after the point an author is offered what can be done with it, and nothing of how
/// it is kept.
struct Inside {
  template <class Tensor>
  static constexpr Node* node(const Tensor& t) {
    return t.node();
  }
  template <class Tensor>
  static constexpr const Handle& handle(const Tensor& t) {
    return t.handle_;
  }
  template <class Registers>
  static constexpr const Layout& layout() {
    return Registers::layout;
  }
  template <class Registers>
  static constexpr Levels levels() {
    return Registers::levels();
  }
};
template <class Tensor>
constexpr Node* node_of(const Tensor& t) {
  return Inside::node(t);
}

/// An index tensor with what its numbers are, and how many of them are meant. Plain index tensors hold positions.
template <class Index, RowKeys Keys>
struct Picks {
  using tensor_type = typename Index::tensor_type;
  static constexpr RowKeys keys = Keys;

  const Index& index;
  std::optional<std::int64_t> count{};

  /// The first n alone: a number that a launch may bring along.
  [[nodiscard]] constexpr Picks first(std::int64_t n) const { return {index, n}; }
};
template <class Index>
inline constexpr RowKeys keys_of = RowKeys::positions;
template <class Index, RowKeys Keys>
inline constexpr RowKeys keys_of<Picks<Index, Keys>> = Keys;
template <class Index>
constexpr RowPicks picks_of(const Index& index, Name axis) {
  return {node_of(index), axis};
}
template <class Index, RowKeys Keys>
constexpr RowPicks picks_of(const Picks<Index, Keys>& p, Name axis) {
  return {node_of(p.index), axis, Keys, p.count};
}

/// Whatever names elements of T: looks at parts of it, and under other indices, are of the same kind (View) as it is.
template <class T, template <class> class View>
class Viewed {
 public:
  using Type = typename T::Type;
  using Element = typename T::Element;
  using tensor_type = T;

  /// `Length` steps of Index from `start` on, of Element or, if only that counts them, of Slice, Cluster or Chip.
  template <MapType Index, std::int64_t Length, MapType Part2 = tiled<T, Index, Length>>
  [[nodiscard]] constexpr auto tile(std::int64_t start, Where at = std::source_location::current()) const {
    constexpr Level level = tiled_level<T, Index>;
    TCP_REFUSE(verdict(tile_as(T::template At<level>::mapping, Index::mapping, Length, 0, Part2::mapping)));
    using Part = typename T::template WithAt<level, Part2>;
    return View<Part>(detail::tile(node(), Index::mapping, Length, start, Part::layout, at));
  }
  /// Coordinates Begin to End - 1 of an axis: slice<A, 0, 1024>().
  template <auto A, std::int64_t Begin, std::int64_t End>
  [[nodiscard]] constexpr auto slice(Where at = std::source_location::current()) const {
    constexpr Level level = tiled_level<T, m<A>>;
    TCP_REFUSE(verdict(tcp::tile(T::template At<level>::mapping, m<A>::mapping, End - Begin, Begin)));
    using Part = typename T::template WithAt<level, tiled<T, m<A>, End - Begin>>;
    return View<Part>(detail::tile(node(), m<A>::mapping, End - Begin, Begin, Part::layout, at));
  }
  /// A view of all positions under other indices.
  template <MapType Element2>
  [[nodiscard]] constexpr auto reshape(Element2 = {}, Where at = std::source_location::current()) const {
    using Part = typename T::template With<Element2>;
    TCP_REFUSE(check_reshape(T::levels(), Part::levels()));
    return View<Part>(detail::reshape(node(), Part::layout, at));
  }
  /// A view of the bits as another type of the same width (bf16 as i16, f32 as i32): nothing is converted, nothing
  /// moves.
  template <Scalar D2>
  [[nodiscard]] constexpr auto reinterpret(D2 = {}, Where at = std::source_location::current()) const {
    using Part = typename T::template As<D2>;
    TCP_REFUSE(check_reinterpret(Type::type, D2::type));
    return View<Part>(detail::reshape(node(), Part::layout, at));
  }

  /// All positions under other names, those of padding as well: relabel<Chip2, Element2>() in HBM, relabel<Chip2,
  /// Cluster2, Slice2, Element2>() on the chip. Elements that get no name are forgotten; padding that gets one is
  /// undefined.
  template <MapType... To>
  [[nodiscard]] constexpr auto relabel(Where at = std::source_location::current()) const {
    static_assert(sizeof...(To) == 2 || sizeof...(To) == 4,
                  "relabel names all levels: Chip and Element, or Chip, Cluster, Slice and Element");
    using Named = typename T::template Relabelled<To...>::type;
    TCP_REFUSE(check_relabel(T::levels(), Named::levels()));
    return View<Named>(detail::relabel(node(), Named::layout, at));
  }

 protected:
  friend Inside;
  constexpr Viewed() = default;
  constexpr explicit Viewed(Handle handle) : handle_(static_cast<Handle&&>(handle)) {}

  constexpr Node* node() const { return handle_.get(); }

  Handle handle_;
};

/// Everything that can be read from: tensors and views.
template <class T>
class Readable : public Viewed<T, TensorView> {
  using Base = Viewed<T, TensorView>;

 public:
  using Type = typename T::Type;
  using Chip = typename T::Chip;

  template <MapType Cluster2, MapType Slice2, MapType Element2>
  [[nodiscard]] constexpr auto to_dm(const Tdma& dma, Address address = {}, Cluster2 = {}, Slice2 = {}, Element2 = {},
                                     Where at = std::source_location::current()) const {
    using To = DmType<Type, Chip, Cluster2, Slice2, Element2>;
    TCP_REFUSE(transfer_verdict<T, To>());
    return DmTensor<Type, Chip, Cluster2, Slice2, Element2>(transfer(dma.session, node(), Memory::Dm, To::layout, address, at));
  }
  template <MapType Cluster2, MapType Pe2, MapType Element2>
  [[nodiscard]] constexpr auto to_spm(const Tdma& dma, Address address = {}, Cluster2 = {}, Pe2 = {}, Element2 = {},
                                      Where at = std::source_location::current()) const {
    using To = SpmType<Type, Chip, Cluster2, Pe2, Element2>;
    TCP_REFUSE(transfer_verdict<T, To>());
    return SpmTensor<Type, Chip, Cluster2, Pe2, Element2>(transfer(dma.session, node(), Memory::Spm, To::layout, address, at));
  }
  /// Chip2: another order of chips, or another axis over them.
  template <MapType Element2, MapType Chip2 = Chip>
  [[nodiscard]] constexpr auto to_hbm(const Tdma& dma, Address address = {}, Element2 = {}, Chip2 = {},
                                      Where at = std::source_location::current()) const {
    using To = HbmType<Type, Chip2, Element2>;
    TCP_REFUSE(transfer_verdict<T, To>());
    return HbmTensor<Type, Chip2, Element2>(transfer(dma.session, node(), Memory::Hbm, To::layout, address, at));
  }

  // The type on the left decides.
  template <Memory To>
  struct Into {
    const Readable& from;
    const Tdma& dma;
    Address address;
    Where at;
    template <MapType Cluster2, MapType Slice2, MapType Element2>
    requires(To == Memory::Dm) constexpr operator DmTensor<Type, Chip, Cluster2, Slice2, Element2>() && {
      return from.template to_dm<Cluster2, Slice2, Element2>(dma, address, {}, {}, {}, at);
    }
    template <MapType Cluster2, MapType Pe2, MapType Element2>
    requires(To == Memory::Spm) constexpr operator SpmTensor<Type, Chip, Cluster2, Pe2, Element2>() && {
      return from.template to_spm<Cluster2, Pe2, Element2>(dma, address, {}, {}, {}, at);
    }
    template <MapType Chip2, MapType Element2>
    requires(To == Memory::Hbm) constexpr operator HbmTensor<Type, Chip2, Element2>() && {
      return from.template to_hbm<Element2, Chip2>(dma, address, {}, {}, at);
    }
  };
  [[nodiscard]] constexpr auto to_dm(const Tdma& dma, Address address = {}, Where at = std::source_location::current()) const {
    return Into<Memory::Dm>{*this, dma, address, at};
  }
  [[nodiscard]] constexpr auto to_spm(const Tdma& dma, Address address = {}, Where at = std::source_location::current()) const {
    return Into<Memory::Spm>{*this, dma, address, at};
  }
  [[nodiscard]] constexpr auto to_hbm(const Tdma& dma, Address address = {}, Where at = std::source_location::current()) const {
    return Into<Memory::Hbm>{*this, dma, address, at};
  }

  /// out[x] = this[x, with Rows = index[x]]: rows in the order that an i32 tensor says, which may be given as
  /// by_positions(index) or by_byte_offsets(index), and with .first(n).
  template <auto Rows, MapType Element2, class Index>
  [[nodiscard]] constexpr auto gather_to_hbm(const Tdma& dma, const Index& index, Address address = {},
                                             Where at = std::source_location::current()) const {
    using To = HbmType<Type, Chip, Element2>;
    return HbmTensor<Type, Chip, Element2>(gathered<Rows, To>(dma, index, address, at));
  }
  template <auto Rows, MapType Cluster2, MapType Slice2, MapType Element2, class Index>
  [[nodiscard]] constexpr auto gather_to_dm(const Tdma& dma, const Index& index, Address address = {},
                                            Where at = std::source_location::current()) const {
    using To = DmType<Type, Chip, Cluster2, Slice2, Element2>;
    return DmTensor<Type, Chip, Cluster2, Slice2, Element2>(gathered<Rows, To>(dma, index, address, at));
  }
  /// table[x, with Rows = index[x]] = this[x]; rows that are not named stay.
  template <auto Rows, class Index, class Table>
  constexpr void scatter(const Tdma& dma, const Index& index, const TensorViewMut<Table>& table,
                         Where at = std::source_location::current()) const {
    using I = typename Index::tensor_type;
    TCP_REFUSE(verdict(check_scatter(target, Type::type, Chip::size, T::dma(), I::Type::type, I::dma(), Table::dma(), axis_name<Rows>(), {},
                                     keys_of<Index>)));
    detail::scatter(dma.session, node(), picks_of(index, axis_name<Rows>()), node_of(table), at);
  }

 protected:
  friend Inside;
  using Base::Base;
  using Base::node;

 private:
  template <auto Rows, class To, class Index>
  constexpr Handle gathered(const Tdma& dma, const Index& index, Address address, Where at) const {
    using I = typename Index::tensor_type;
    TCP_REFUSE(verdict(
        check_gather(target, Type::type, Chip::size, T::dma(), axis_name<Rows>(), I::Type::type, I::dma(), To::dma(), {}, keys_of<Index>)));
    return detail::gather(dma.session, node(), picks_of(index, axis_name<Rows>()), To::memory, To::layout, address, at);
  }
};

/// A view of a tensor, or of a part of one, for reading.
template <class T>
class TensorView : public Readable<T> {
 public:
  constexpr explicit TensorView(Handle handle) : Readable<T>(static_cast<Handle&&>(handle)) {}
};

/// A mutable view of a tensor, or of a part of one.
template <class T>
class TensorViewMut : public Viewed<T, detail::TensorViewMut> {
 public:
  constexpr explicit TensorViewMut(Handle handle) : Viewed<T, detail::TensorViewMut>(static_cast<Handle&&>(handle)) {}
};

/// The tensor that an author holds of a type.
template <class T>
struct WholeOf;
template <Scalar D, MapType C, MapType E>
struct WholeOf<TensorType<Memory::Hbm, D, C, m<1>, m<1>, E>> {
  using type = HbmTensor<D, C, E>;
};
template <Scalar D, MapType C, MapType Cl, MapType S, MapType E>
struct WholeOf<TensorType<Memory::Dm, D, C, Cl, S, E>> {
  using type = DmTensor<D, C, Cl, S, E>;
};
template <Scalar D, MapType C, MapType Cl, MapType S, MapType E>
struct WholeOf<TensorType<Memory::Spm, D, C, Cl, S, E>> {
  using type = SpmTensor<D, C, Cl, S, E>;
};

/// The answer to a pass that is to begin with a tensor itself.
template <class T>
constexpr Verdict view_missing() {
  return refuse("view-missing")
      .what("a pass begins with a view, and is given the tensor ", T::Element::mapping, " itself")
      .why("a view says that the tensor is read, and can be a part of it")
      .help("write begin(x.view())");
}
template <class T>
constexpr Verdict const_written() {
  return refuse("view-of-const")
      .what("view_mut of a const tensor ", T::Element::mapping)
      .why("what is written through the view would change the tensor")
      .help("take the tensor by value or by reference without const: a kernel that writes into an argument says so");
}

/// A whole tensor: also gives views, and has a name that reports show.
template <class T, class Self>
class WholeTensor : public Readable<T> {
 public:
  constexpr WholeTensor() = default;
  constexpr explicit WholeTensor(Handle handle) : Readable<T>(static_cast<Handle&&>(handle)) {}

  [[nodiscard]] constexpr TensorView<T> view() const { return TensorView<T>(this->handle_); }
  [[nodiscard]] constexpr auto view_mut(Where at = std::source_location::current()) {
    return TensorViewMut<typename T::template With<typename T::Element>>(whole_view(this->node(), at));
  }
  [[nodiscard]] constexpr auto view_mut(Where at = std::source_location::current()) const {
    TCP_REFUSE(const_written<T>());
    return TensorViewMut<typename T::template With<typename T::Element>>(whole_view(this->node(), at));
  }
  /// The tensor itself under other names (Viewed::relabel).
  template <MapType... To>
  [[nodiscard]] constexpr auto relabel(Where at = std::source_location::current()) const {
    auto const seen = Readable<T>::template relabel<To...>(at);
    return typename WholeOf<typename decltype(seen)::tensor_type>::type(Inside::handle(seen));
  }
  constexpr Self& named(const char* name) {
    name_tensor(this->node(), name);
    return static_cast<Self&>(*this);
  }
};

}  // namespace detail

/// The rows of a gather or scatter by what the numbers of an index tensor are. `.first(n)` means the first n of them:
/// the other rows of a gather are undefined then.
template <class Index>
[[nodiscard]] constexpr auto by_positions(const Index& index) {
  return detail::Picks<Index, RowKeys::positions>{index};
}
template <class Index>
[[nodiscard]] constexpr auto by_byte_offsets(const Index& index) {
  return detail::Picks<Index, RowKeys::byte_offsets>{index};
}

template <Scalar D, MapType Chip, MapType Element>
using HbmTensorView = detail::TensorView<detail::HbmType<D, Chip, Element>>;
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
using DmTensorView = detail::TensorView<detail::DmType<D, Chip, Cluster, Slice, Element>>;
template <Scalar D, MapType Chip, MapType Element>
using HbmTensorViewMut = detail::TensorViewMut<typename detail::HbmType<D, Chip, Element>::template With<Element>>;
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
using DmTensorViewMut = detail::TensorViewMut<typename detail::DmType<D, Chip, Cluster, Slice, Element>::template With<Element>>;

template <Scalar D, MapType Chip, MapType Element>
class [[nodiscard]] HbmTensor : public detail::WholeTensor<detail::HbmType<D, Chip, Element>, HbmTensor<D, Chip, Element>> {
  using Base = detail::WholeTensor<detail::HbmType<D, Chip, Element>, HbmTensor>;
  using T = detail::HbmType<D, Chip, Element>;

 public:
  using Base::Base;

  /// Whatever is at an address: undefined until it is written. Inside a kernel.
  static constexpr HbmTensor from_addr(std::int64_t address, Where at = std::source_location::current()) {
    TCP_REFUSE(check_levels(T::levels()), check_hbm(target, D::type, Element::mapping, Bytes{0}));
    return HbmTensor(detail::tensor_at(nullptr, Memory::Hbm, T::layout, address, at));
  }
  /// Over PCIe, after all kernels launched so far.
  template <MapType Element2>
  [[nodiscard]] HostTensor<D, Element2> to_host(const Pdma& dma, Element2 = {}, Where at = std::source_location::current()) const;
};

template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
class [[nodiscard]] DmTensor
    : public detail::WholeTensor<detail::DmType<D, Chip, Cluster, Slice, Element>, DmTensor<D, Chip, Cluster, Slice, Element>> {
  using Base = detail::WholeTensor<detail::DmType<D, Chip, Cluster, Slice, Element>, DmTensor>;
  using T = detail::DmType<D, Chip, Cluster, Slice, Element>;

 public:
  using Base::Base;

  static constexpr DmTensor from_addr(std::int64_t address, Where at = std::source_location::current()) {
    TCP_REFUSE(check_geometry(target, Chip::size, T::levels()), check_dm(target, D::type, Element::mapping, Bytes{0}));
    return DmTensor(detail::tensor_at(nullptr, Memory::Dm, T::layout, address, at));
  }

  /// Chip c receives what chip `source[c]` held: chip_shuffle<m<A>>(ctx.tdma, {1, 2, 3, 0}). Chip2 names the chips
  /// anew.
  template <MapType Chip2 = Chip, int N>
  constexpr auto chip_shuffle(const Tdma& dma, const std::int64_t (&source)[N], Address address = {}, Chip2 = {},
                              Where at = std::source_location::current()) const {
    using To = detail::DmType<D, Chip2, Cluster, Slice, Element>;
    TCP_REFUSE(check_levels(To::levels()));
    return DmTensor<D, Chip2, Cluster, Slice, Element>(detail::chip_shuffle(dma.session, this->node(), source, N, To::layout, address, at));
  }
  template <MapType Cluster2 = Cluster, int N>
  constexpr auto cluster_shuffle(const Tdma& dma, const std::int64_t (&source)[N], Address address = {}, Cluster2 = {},
                                 Where at = std::source_location::current()) const {
    using To = detail::DmType<D, Chip, Cluster2, Slice, Element>;
    TCP_REFUSE(check_levels(To::levels()));
    return DmTensor<D, Chip, Cluster2, Slice, Element>(
        detail::cluster_shuffle(dma.session, this->node(), source, N, To::layout, address, at));
  }
  /// Chip c keeps `Length` steps of Index from `start[c]` on. The result's Chip and Element are declared.
  template <MapType Index, std::int64_t Length, MapType Chip2, MapType Element2, int N>
  constexpr auto chip_slice(const Tdma& dma, const std::int64_t (&start)[N], Address address = {},
                            Where at = std::source_location::current()) const {
    using To = detail::DmType<D, Chip2, Cluster, Slice, Element2>;
    TCP_REFUSE(check_levels(To::levels()));
    return DmTensor<D, Chip2, Cluster, Slice, Element2>(
        detail::chip_slice(dma.session, this->node(), Index::mapping, Length, start, N, To::layout, address, at));
  }
};

template <Scalar D, MapType Chip, MapType Cluster, MapType Pe, MapType Element>
class [[nodiscard]] SpmTensor
    : public detail::WholeTensor<detail::SpmType<D, Chip, Cluster, Pe, Element>, SpmTensor<D, Chip, Cluster, Pe, Element>> {
  using Base = detail::WholeTensor<detail::SpmType<D, Chip, Cluster, Pe, Element>, SpmTensor>;
  using T = detail::SpmType<D, Chip, Cluster, Pe, Element>;

 public:
  using Base::Base;

  static constexpr SpmTensor from_addr(std::int64_t address, Where at = std::source_location::current()) {
    TCP_REFUSE(check_spm_geometry(target, Chip::size, T::levels()), check_spm(target, D::type, Element::mapping, Bytes{0}));
    return SpmTensor(detail::tensor_at(nullptr, Memory::Spm, T::layout, address, at));
  }
};

/// Weights for the Contraction Engine; filled by `to_trf`.
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Element>
class [[nodiscard]] TrfTensor {
 public:
  constexpr TrfTensor() = default;
  constexpr explicit TrfTensor(detail::Handle handle) : handle_(static_cast<detail::Handle&&>(handle)) {}

 private:
  friend detail::Inside;
  static constexpr detail::Layout layout = detail::DmType<D, Chip, Cluster, Slice, Element>::layout.template with<Row>(Level::row);
  static constexpr Levels levels() { return detail::DmType<D, Chip, Cluster, Slice, Element>::levels().set(Level::row, Row::mapping); }
  constexpr detail::Node* node() const { return handle_.get(); }

  detail::Handle handle_;
};

/// Operands for the Vector Engine; filled by `to_vrf`, and by passes on their way.
template <Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Element>
class [[nodiscard]] VrfTensor {
 public:
  constexpr VrfTensor() = default;
  constexpr explicit VrfTensor(detail::Handle handle) : handle_(static_cast<detail::Handle&&>(handle)) {}

 private:
  friend detail::Inside;
  static constexpr detail::Layout layout = detail::DmType<D, Chip, Cluster, Slice, Element>::layout;
  static constexpr Levels levels() { return detail::DmType<D, Chip, Cluster, Slice, Element>::levels(); }
  constexpr detail::Node* node() const { return handle_.get(); }

  detail::Handle handle_;
};

template <MapType... Stream, class From, class T>
constexpr void Tdma::dma(const From& from, const detail::TensorViewMut<T>& to, Where at) const {
  using F = typename From::tensor_type;
  static_assert(sizeof...(Stream) == 0 || sizeof...(Stream) == 2, "the shape of the stream is its Time and its Packet");
  TCP_REFUSE(detail::transfer_verdict<F, T>());
  if constexpr (sizeof...(Stream) == 2) {
    constexpr const Mapping* shape[] = {&Stream::mapping...};
    TCP_REFUSE(
        verdict(check_dma_stream(target, F::Type::type, F::dma(), T::dma(), dma_stream_levels(F::dma(), T::dma(), *shape[0], *shape[1]))));
    detail::transfer_into(session, detail::node_of(from), detail::node_of(to), shape[0], shape[1], at);
  } else {
    detail::transfer_into(session, detail::node_of(from), detail::node_of(to), nullptr, nullptr, at);
  }
}

}  // namespace tcp
