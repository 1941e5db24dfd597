#include <gtest/gtest.h>

#include "tcp/device/casts.hpp"
#include "tcp/device/chips.hpp"

namespace tcp {
namespace {

int count(bool (*has)(const Device&, ScalarType, ScalarType), const Device& d) {
  int n = 0;
  for (ScalarType from : scalar_types)
    for (ScalarType to : scalar_types) n += from != to && has(d, from, to);
  return n;
}

TEST(Casts, of_the_fetch_adapter) {
  EXPECT_EQ(count(has_fetch_cast, rngd), 10);
  EXPECT_EQ(count(has_fetch_cast, rngd_s), 14);
  EXPECT_TRUE(has_fetch_cast(rngd, ScalarType::i8, ScalarType::i32));
  EXPECT_FALSE(has_fetch_cast(rngd, ScalarType::i32, ScalarType::i8));
  EXPECT_FALSE(has_fetch_cast(rngd, ScalarType::i4, ScalarType::i9));
  EXPECT_TRUE(has_fetch_cast(rngd_s, ScalarType::i4, ScalarType::i9));
}

TEST(Casts, the_identity_needs_no_converter_in_fetch) {
  for (ScalarType t : scalar_types) EXPECT_TRUE(has_fetch_cast(rngd, t, t)) << scalar_info(t).name;
}

TEST(Casts, of_the_cast_engine) {
  EXPECT_EQ(count(has_cast_engine_cast, rngd), 7);
  EXPECT_TRUE(has_cast_engine_cast(rngd, ScalarType::f32, ScalarType::bf16));
  EXPECT_FALSE(has_cast_engine_cast(rngd, ScalarType::i32, ScalarType::i32));
  Device d = rngd;
  d.cast.f32_to_bf16 = false;
  EXPECT_FALSE(has_cast_engine_cast(d, ScalarType::f32, ScalarType::bf16));
}

/// Each flag is the flag of the pair that its name says: switching one on gives exactly the pair of that name.
struct SwitchOn : FieldCursor {
  int which;
  std::string key;

  explicit SwitchOn(int field) : which(field) {}

  void field(const DeviceField& row, bool& flag, bool) {
    next();
    if (index != which) return;
    flag = true;
    key = row.key;
  }
  template <class T>
  void field(const DeviceField&, T&, const std::type_identity_t<T>&) {
    next();
  }
};

TEST(Casts, each_flag_is_the_pair_of_its_name) {
  int flags = 0;
  for (int i = 0; i < field_count(); ++i) {
    Device d = rngd;
    d.fetch_casts = {};
    d.cast = {};
    SwitchOn on(i);
    each_field(d, on);
    if (on.key.find("_to_") == std::string::npos) continue;
    ++flags;
    for (ScalarType from : scalar_types)
      for (ScalarType to : scalar_types)
        if (from != to) {
          bool const named = on.key == std::string(scalar_info(from).name) + "_to_" + scalar_info(to).name;
          EXPECT_EQ(has_fetch_cast(d, from, to) || has_cast_engine_cast(d, from, to), named) << on.key;
        }
  }
  EXPECT_EQ(flags, 21);
}

}  // namespace
}  // namespace tcp
