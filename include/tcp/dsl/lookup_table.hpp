// The table of a `fetch_with_table`: what stands for each value of a narrow index.
#pragma once

#include "tcp/scalar/scalar.hpp"

namespace tcp {

/// 16 entries for a 4-bit index type, 256 for an 8-bit one, in the order of the index's unsigned value.
template <Scalar In, Scalar Out>
class LookupTable {
 public:
  static constexpr int entries = 1 << scalar_info(In::type).bits;
  static_assert(scalar_info(In::type).bits <= 8, "a table is indexed by 4 or 8 bits");

  constexpr explicit LookupTable(const char* name = "table") : name_(name) {}
  /// The table of a function: made([](i8 x) { … }).
  template <class Function>
  static constexpr LookupTable made(Function f, const char* name = "table") {
    LookupTable t(name);
    for (int i = 0; i < entries; ++i) t[i] = f(In::from_bits(static_cast<std::uint32_t>(i)));
    return t;
  }
  constexpr Out& operator[](int i) { return entry_[i]; }
  constexpr const Out& operator[](int i) const { return entry_[i]; }
  constexpr const char* name() const { return name_; }

 private:
  const char* name_;
  Out entry_[entries]{};
};

}  // namespace tcp
