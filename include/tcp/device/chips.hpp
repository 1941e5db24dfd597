// The chips we ship, as constants. Their numbers are in fields.hpp; data/chips has the same as files to copy and
// change.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/device/fields.hpp"
#include "tcp/scalar/numeric_model.hpp"  // before rngd below, lest g++ says that NumericModel::rngd shadows it

namespace tcp {

namespace detail {

struct TakePublishedValue : FieldCursor {
  FieldSet* assumed;

  constexpr explicit TakePublishedValue(FieldSet* where_to_note) : assumed(where_to_note) {}

  template <class T>
  constexpr void field(const DeviceField& row, T& member, const std::type_identity_t<T>& published) {
    next();
    member = published;
    if (says_assumption(row.source)) assumed->insert(index);
  }
};

/// Only the extra casts of RNGD-S are public; that the rest equals RNGD is an assumption.
struct AssumeAllButExtraCasts : FieldCursor {
  FieldSet* assumed;

  constexpr explicit AssumeAllButExtraCasts(FieldSet* where_to_note) : assumed(where_to_note) {}

  template <class T>
  constexpr void field(const DeviceField& row, T&, const std::type_identity_t<T>&) {
    next();
    if (std::string_view(row.source) != "FET-34" && !says_choice(row.source)) assumed->insert(index);
  }
};

constexpr Device make_rngd() {
  Device d;
  d.name = "rngd";
  TakePublishedValue take(&d.assumed);
  each_field(d, take);
  return d;
}

constexpr Device make_rngd_s(Device d) {
  d.name = "rngd_s";
  d.fetch_casts.i4_to_i9 = d.fetch_casts.i16_to_i9 = d.fetch_casts.f8e4m3_to_bf16 = d.fetch_casts.f8e5m2_to_bf16 = true;
  AssumeAllButExtraCasts assume(&d.assumed);
  each_field(d, assume);
  return d;
}

constexpr Device make_logical(Device d) {
  d.name = "logical";
  d.checks.geometry = d.checks.dma_alignment = false;
  return d;
}

}  // namespace detail

/// RNGD as the book describes it.
inline constexpr Device rngd = detail::make_rngd();

/// RNGD-S: four more casts in the fetch adapter.
inline constexpr Device rngd_s = detail::make_rngd_s(rngd);

/// RNGD's engines without its geometry: any number of slices, any alignment in DMA. The book's bare listings run on it.
inline constexpr Device logical = detail::make_logical(rngd);

}  // namespace tcp
