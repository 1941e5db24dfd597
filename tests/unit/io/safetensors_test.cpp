#include "tcp/io/safetensors.hpp"

#include <algorithm>

#include "folder.hpp"
#include "tcp/scalar/scalar.hpp"

namespace {

using namespace tcp;
using namespace tcp::io;
using namespace tcp::io_test;
using namespace std::string_literals;

std::string code_of(std::string_view header, std::string_view elements) {
  std::string const file = safetensors_file(header, elements);
  return refused_with(parse_safetensors(bytes_of(file), "w.safetensors"));
}

const std::string two_tensors = safetensors_file(
    R"({"__metadata__":{"format":"pt"},"w.b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},"w.a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}   )",
    "\0\0\x80\x3f\0\0\0\x40\x80\x3f\0\x40"s);

TEST(Safetensors, reads_entries_by_name) {
  auto const file = parse_safetensors(bytes_of(two_tensors), "w.safetensors");
  ASSERT_TRUE(file) << file.refusal().sentence().view();
  ASSERT_EQ(file->entries.size(), 2u);
  EXPECT_EQ(file->metadata, (Metadata{{"format", "pt"}}));
  const SafetensorsEntry& a = file->entries[0];
  EXPECT_EQ(a.name, "w.a");
  EXPECT_EQ(a.dtype, "F32");
  EXPECT_EQ(a.type, ScalarType::f32);
  EXPECT_EQ(a.shape, (Extents{1, 2}));
  EXPECT_EQ(a.size, 2);
  EXPECT_EQ(file->find("w.b"), &file->entries[1]);
  EXPECT_EQ(file->find("w.c"), nullptr);
  auto const read = file->read("w.b", ScalarType::bf16);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bits(0), 0x3f80u);
  EXPECT_EQ(read->bits(1), 0x4000u);
  EXPECT_EQ(file->read("w.a")->bits(1), 0x40000000u);
}

TEST(Safetensors, reads_each_type_of_the_chip) {
  struct Case {
    const char* dtype;
    ScalarType type;
    std::size_t bytes;  // of two elements
  };
  for (Case const& c : {Case{"I8", ScalarType::i8, 2}, Case{"I16", ScalarType::i16, 4}, Case{"I32", ScalarType::i32, 8},
                        Case{"F4", ScalarType::f4e2m1, 1}, Case{"F8_E4M3", ScalarType::f8e4m3, 2}, Case{"F8_E5M2", ScalarType::f8e5m2, 2},
                        Case{"F16", ScalarType::f16, 4}, Case{"BF16", ScalarType::bf16, 4}, Case{"F32", ScalarType::f32, 8}}) {
    std::string const elements = "\xe1\xf2\x83\x74\x65\x56\x47\x38"s.substr(0, c.bytes);
    std::string const file = safetensors_file(
        R"({"x":{"dtype":")" + std::string(c.dtype) + R"(","shape":[2],"data_offsets":[0,)" + std::to_string(c.bytes) + "]}}", elements);
    auto const opened = parse_safetensors(bytes_of(file), "w");
    ASSERT_TRUE(opened) << c.dtype;
    auto const read = opened->read("x");
    ASSERT_TRUE(read) << c.dtype;
    EXPECT_EQ(read->type, c.type);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(read->bits(i), load_scalar_bits(bytes_of(elements).data(), c.type, i)) << c.dtype;
  }
}

TEST(Safetensors, lets_other_types_stand_until_they_are_asked_for) {
  std::string const file = safetensors_file(
      R"({"n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"x":{"dtype":"I8","shape":[2],"data_offsets":[8,10]}})", "12345678\x08\xf8");
  auto const opened = parse_safetensors(bytes_of(file), "w");
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->find("n")->type);
  EXPECT_EQ(refused_with(opened->read("n")), "safetensors-type");
  EXPECT_EQ(refused_with(opened->read("n", ScalarType::i32)), "io-other-type");
  EXPECT_EQ(refused_with(opened->read("x", ScalarType::f8e4m3)), "io-other-type");
  EXPECT_EQ(refused_with(opened->read("x", ScalarType::i9)), "io-type-not-in-memory");
  EXPECT_EQ(refused_with(opened->read("x", ScalarType::i4)), "io-four-bit-range");  // 8
  EXPECT_EQ(refused_with(opened->read("y")), "safetensors-no-such-tensor");
}

TEST(Safetensors, reads_a_4_bit_integer_from_I8) {
  std::string const file = safetensors_file(R"({"x":{"dtype":"I8","shape":[3],"data_offsets":[0,3]}})", "\x07\xf8\xff");
  auto const read = parse_safetensors(bytes_of(file), "w")->read("x", ScalarType::i4);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bits(0), 7u);
  EXPECT_EQ(read->bits(1), 8u);
  EXPECT_EQ(packed(*read), (std::vector<std::byte>{std::byte{0x87}, std::byte{0x0f}}));
}

TEST(Safetensors, accepts_no_tensors_empty_tensors_and_single_numbers) {
  EXPECT_EQ(code_of("{}", ""), "");
  EXPECT_EQ(code_of(R"({"__metadata__":{}})", ""), "");
  EXPECT_EQ(
      code_of(R"({"a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]},"b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", "abcd"),
      "");
}

TEST(Safetensors, refuses_files_that_end_too_early) {
  for (std::size_t n = 0; n < 8; ++n)
    EXPECT_EQ(refused_with(parse_safetensors(bytes_of(two_tensors.substr(0, n)), "w")), "safetensors-too-short") << n;
  std::size_t const begin = two_tensors.size() - 12;
  for (std::size_t n = 8; n < begin; ++n) {
    std::string const cut = two_tensors.substr(0, n);
    EXPECT_EQ(refused_with(parse_safetensors(bytes_of(cut), "w")), "safetensors-too-short") << n;
  }
  for (std::size_t n = begin; n < two_tensors.size(); ++n) {
    std::string const cut = two_tensors.substr(0, n);
    EXPECT_EQ(refused_with(parse_safetensors(bytes_of(cut), "w")), "safetensors-offsets") << n;
  }
  std::string const longer = two_tensors + "x";
  EXPECT_EQ(refused_with(parse_safetensors(bytes_of(longer), "w")), "safetensors-offsets");
}

TEST(Safetensors, refuses_gigantic_headers) {
  for (std::uint64_t length : {std::uint64_t{100'000'001}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    std::string const file = little_endian(length, 8) + "{}";
    EXPECT_EQ(refused_with(parse_safetensors(bytes_of(file), "w")), "safetensors-header-too-large") << length;
  }
  std::string const file = little_endian(100'000'000, 8) + "{}";
  EXPECT_EQ(refused_with(parse_safetensors(bytes_of(file), "w")), "safetensors-too-short");
}

TEST(Safetensors, refuses_headers_of_any_other_form) {
  for (const char* bad : {
           "",
           " {}",
           "\xef\xbb\xbf{}",
           "[]",
           "{} {}",
           "{",
           R"({"x"})",
           R"({"x":1})",
           R"({"x":null})",
           R"({"x":[]})",
           R"({"x":"F32"})",
           R"({"x":{}})",
           R"({"x":{"dtype":"I8","shape":[1]}})",
           R"({"x":{"dtype":"I8","data_offsets":[0,1]}})",
           R"({"x":{"shape":[1],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1],"more":1}})",
           R"({"x":{"dtype":"I8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":["I8"],"shape":[1],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":1,"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":"1","data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[[1]],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[{}],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":["1"],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[-1],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[1.5],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[1e3],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[true],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[99999999999999999999],"data_offsets":[0,1]}})",
           R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[0]}})",
           R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1,2]}})",
           R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[-1,0]}})",
           R"({"__metadata__":{"a":1}})",
           R"({"__metadata__":{"a":{}}})",
           R"({"__metadata__":{"a":["b"]}})",
           R"({"__metadata__":[]})",
           R"({"__metadata__":{},"__metadata__":{}})",
           "{\"\xff\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
           "{\"\xc0\x80\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
           R"({"\ud800":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})",
       })
    EXPECT_EQ(code_of(bad, "a"), "safetensors-header-syntax") << bad;
}

TEST(Safetensors, refuses_deep_nesting_without_falling_over) {
  EXPECT_EQ(code_of("{\"x\":" + std::string(1'000'000, '['), ""), "safetensors-header-syntax");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"x\":";
  EXPECT_EQ(code_of(deep, ""), "safetensors-header-syntax");
}

TEST(Safetensors, refuses_names_that_stand_there_twice) {
  EXPECT_EQ(code_of(R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}})", "ab"),
            "safetensors-duplicate-name");
  EXPECT_EQ(
      code_of(R"({"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"\u0078":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}})", "ab"),
      "safetensors-duplicate-name");
  EXPECT_EQ(code_of(R"({"__metadata__":{"a":"1","a":"2"}})", ""), "safetensors-duplicate-name");
}

TEST(Safetensors, refuses_types_that_it_has_never_heard_of) {
  for (const char* dtype : {"", "i8", "F7", "I4", "BF16 "})
    EXPECT_EQ(code_of(R"({"x":{"dtype":")"s + dtype + R"(","shape":[1],"data_offsets":[0,1]}})", "a"), "safetensors-unknown-dtype")
        << dtype;
}

/// Two tensors of i8 at these offsets, in a file of n bytes behind the header.
std::string code_of_offsets(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d, std::size_t n) {
  auto const entry = [](std::uint64_t from, std::uint64_t to) {
    return R"({"dtype":"I8","shape":[)" + std::to_string(to - from) + R"(],"data_offsets":[)" + std::to_string(from) + "," +
           std::to_string(to) + "]}";
  };
  return code_of("{\"x\":" + entry(a, b) + ",\"y\":" + entry(c, d) + "}", std::string(n, 'a'));
}

TEST(Safetensors, refuses_offsets_that_do_not_cover_the_file_once) {
  EXPECT_EQ(code_of_offsets(0, 4, 4, 8, 8), "");
  EXPECT_EQ(code_of_offsets(4, 8, 0, 4, 8), "");
  EXPECT_EQ(code_of_offsets(0, 4, 3, 8, 8), "safetensors-offsets");  // overlap
  EXPECT_EQ(code_of_offsets(0, 8, 0, 8, 8), "safetensors-offsets");  // the same twice
  EXPECT_EQ(code_of_offsets(0, 4, 5, 8, 8), "safetensors-offsets");  // a gap
  EXPECT_EQ(code_of_offsets(1, 4, 4, 8, 8), "safetensors-offsets");  // in front
  EXPECT_EQ(code_of_offsets(0, 4, 4, 7, 8), "safetensors-offsets");  // behind
  EXPECT_EQ(code_of_offsets(0, 4, 4, 9, 8), "safetensors-offsets");  // outside
  EXPECT_EQ(code_of_offsets(0, 8, 8, 4, 4), "safetensors-offsets");  // backwards, so that the last end is that of the file
  EXPECT_EQ(code_of_offsets(0, 4, 4, ~std::uint64_t{0}, 8), "safetensors-offsets");
}

TEST(Safetensors, refuses_shapes_that_lie) {
  EXPECT_EQ(code_of(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd"), "safetensors-wrong-size");
  EXPECT_EQ(code_of(R"({"x":{"dtype":"F32","shape":[0],"data_offsets":[0,4]}})", "abcd"), "safetensors-wrong-size");
  EXPECT_EQ(code_of(R"({"x":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", "ab"), "safetensors-wrong-size");
  EXPECT_EQ(code_of(R"({"x":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}})", "abc"), "");
  for (const char* shape : {"[4294967296,4294967296]", "[9223372036854775807,2]", "[18446744073709551615]", "[144115188075855872]"})
    EXPECT_EQ(code_of(R"({"x":{"dtype":"F32","shape":)"s + shape + R"(,"data_offsets":[0,4]}})", "abcd"), "io-shape") << shape;
}

class SafetensorsFiles : public Folder {};

TEST_F(SafetensorsFiles, are_read_where_they_lie) {
  auto const file = open_safetensors(write("w.safetensors", two_tensors));
  ASSERT_TRUE(file);
  auto const read = file->read("w.a");
  EXPECT_EQ(read->bytes.data(), file->file->bytes().data() + two_tensors.size() - 12);
  EXPECT_EQ(read->file, file->file);
  EXPECT_EQ(refused_with(open_safetensors(path("none"))), "io-file-unreadable");
}

TEST_F(SafetensorsFiles, have_the_published_form) {
  std::string const wide = "abcdefgh", narrow = "\xe1", half = "xy";
  TensorToWrite const tensors[] = {{"n", ScalarType::i4, {2}, bytes_of(narrow)},
                                   {"h", ScalarType::bf16, {1, 1}, bytes_of(half)},
                                   {"w", ScalarType::f32, {2}, bytes_of(wide)}};
  ASSERT_TRUE(write_safetensors(path("w"), tensors, {{"made", "by hand"}}));
  std::string const header =
      R"({"__metadata__":{"made":"by hand"},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("h":{"dtype":"BF16","shape":[1,1],"data_offsets":[8,10]},"n":{"dtype":"I8","shape":[2],"data_offsets":[10,12]}})";
  std::string const padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(content("w"), safetensors_file(padded, "abcdefghxy\x01\xfe"));
}

TEST_F(SafetensorsFiles, give_back_every_type) {
  std::string memory;
  for (int i = 0; i < 24; ++i) memory += static_cast<char>(i * 37 + 5);
  std::vector<TensorToWrite> tensors;
  for (ScalarType type : scalar_types)
    if (scalar_info(type).in_memory) {
      auto const bytes = static_cast<std::size_t>(bytes_to_write(type, 6));
      tensors.push_back({scalar_info(type).name, type, {3, 2}, bytes_of(memory).first(bytes)});
    }
  ASSERT_TRUE(write_safetensors(path("w"), tensors));
  auto const file = open_safetensors(path("w"));
  ASSERT_TRUE(file);
  ASSERT_EQ(file->entries.size(), tensors.size());
  for (const TensorToWrite& t : tensors) {
    auto const read = file->read(t.name, t.type);
    ASSERT_TRUE(read) << t.name;
    EXPECT_EQ(read->shape, t.shape);
    EXPECT_TRUE(std::ranges::equal(packed(*read), t.bytes)) << t.name;
  }
}

TEST_F(SafetensorsFiles, are_not_written_from_what_is_no_tensor) {
  auto const refused = [this](const TensorToWrite& t, const Metadata& m = {}) {
    return refused_with(write_safetensors(path("w"), std::span(&t, 1), m));
  };
  EXPECT_EQ(refused({"x", ScalarType::i8, {2}, bytes_of("a")}), "io-wrong-byte-count");
  EXPECT_EQ(refused({"x", ScalarType::i8, {-2}, bytes_of("a")}), "io-shape");
  EXPECT_EQ(refused({"x", ScalarType::i9, {1}, bytes_of("a")}), "io-type-not-in-memory");
  EXPECT_EQ(refused({"x", ScalarType::f4e2m1, {3}, bytes_of("ab")}), "scalar-not-whole-bytes");
  for (const char* name : {"__metadata__", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "a\x80"})
    EXPECT_EQ(refused({name, ScalarType::i8, {1}, bytes_of("a")}), "safetensors-name") << name;
  EXPECT_EQ(refused({"x", ScalarType::i8, {1}, bytes_of("a")}, {{"key", "\xff"}}), "safetensors-name");
  EXPECT_EQ(refused({"\xe2\x82\xac", ScalarType::i8, {1}, bytes_of("a")}), "");
  TensorToWrite const twice[] = {{"x", ScalarType::i8, {1}, bytes_of("a")}, {"x", ScalarType::i8, {1}, bytes_of("b")}};
  EXPECT_EQ(refused_with(write_safetensors(path("v"), twice)), "safetensors-name");
  EXPECT_EQ(refused_with(write_safetensors(path("no/w"), std::span(twice, 1))), "io-file-not-written");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
