#include "tcp/support/image.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include <cstring>
#include <set>

namespace {

using namespace tcp;

bool all_zero(const Image& image) {
  for (std::size_t i = 0; i < image.size(); ++i)
    if (image[i] != std::byte{0}) return false;
  return true;
}

TEST(Image, is_zero_even_where_others_have_written) {
  for (std::size_t size : {0u, 1u, 4096u, 4097u, 100000u}) {
    {
      Image used = Image::not_initialised(size);
      if (size > 0) std::memset(used.data(), 0xff, size);
    }
    Image const image(size);
    EXPECT_EQ(image.size(), size);
    EXPECT_TRUE(all_zero(image)) << size;
  }
}

TEST(Image, of_bytes_of_others_is_copied_by_who_writes) {
  auto const owner = std::make_shared<std::vector<std::byte>>(100, std::byte{7});
  Image image = Image::of(owner, owner->data(), owner->size());
  EXPECT_EQ(std::as_const(image).data(), owner->data());
  Image const same = Image::of(owner, owner->data(), owner->size());
  EXPECT_TRUE(image == same);
  image[3] = std::byte{9};
  EXPECT_EQ((*owner)[3], std::byte{7});
  EXPECT_EQ(std::as_const(image)[3], std::byte{9});
  EXPECT_FALSE(image == same);
  EXPECT_EQ(std::as_const(same).data(), owner->data());
}

TEST(Image, is_made_once_and_only_if_somebody_looks) {
  struct Counting final : Image::Later {
    mutable int times = 0;
    void write(std::byte* to) const override {
      ++times;
      for (int i = 0; i < 10; ++i) to[i] = static_cast<std::byte>(i);
    }
  };
  auto const later = std::make_shared<Counting>();
  Image image = Image::of(later, 10);
  EXPECT_EQ(image.size(), 10u);
  EXPECT_EQ(image.later(), later.get());
  Image moved = std::move(image);
  EXPECT_EQ(later->times, 0);
  EXPECT_EQ(std::as_const(moved)[4], std::byte{4});
  EXPECT_EQ(std::as_const(moved)[9], std::byte{9});
  Image const copy = moved;
  EXPECT_EQ(copy[9], std::byte{9});
  EXPECT_EQ(later->times, 1);
  moved[4] = std::byte{40};  // no longer what it was made of
  EXPECT_EQ(moved.later(), nullptr);
  EXPECT_EQ(copy[4], std::byte{4});
}

TEST(Image, begins_on_a_cache_line) {
  for (std::size_t size : {1u, 5000u, 1u << 20}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Image(size).data()) % 64, 0u);
}

TEST(Image, bytes_come_back_from_the_pool) {
  std::size_t blocks = 1;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  blocks = 10;  // every image has its own, so that the sanitizer sees its end and its life
#endif
#endif
  std::size_t const size = 3 << 20;
  std::set<const std::byte*> seen;
  for (int i = 0; i < 10; ++i) seen.insert(Image::not_initialised(size - static_cast<std::size_t>(i)).data());
  EXPECT_EQ(seen.size(), blocks) << "sizes that differ little share a block";
}

TEST(Image, live_images_share_no_byte) {
  Image const a(1000), b(1000), c(a);
  std::set<const std::byte*> const begins{a.data(), b.data(), c.data()};
  EXPECT_EQ(begins.size(), 3u);
}

TEST(Image, copies_are_equal_and_moves_leave_nothing) {
  Image a(5000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::byte>(i * 7);
  Image b = a;
  EXPECT_TRUE(a == b);
  b[4999] = std::byte{0};
  EXPECT_FALSE(a == b);
  const std::byte* const bytes = b.data();
  Image const c = std::move(b);
  EXPECT_EQ(c.data(), bytes);
  a = c;
  EXPECT_TRUE(a == c);
  EXPECT_FALSE(a == Image(4999));
  EXPECT_TRUE(Image() == Image(0));
}

}  // namespace
