// Arrays in .npy files, and files as such.
#include <fcntl.h>
#include <sys/stat.h>
#include <cstring>

#include "folder.hpp"
#include "tcp/io/file.hpp"
#include "tcp/io/npy.hpp"
#include "tcp/scalar/scalar.hpp"

namespace {

using namespace tcp;
using namespace tcp::io;
using namespace tcp::io_test;
using namespace std::string_literals;

/// What numpy 1.24 wrote: np.save(file, np.array([[1, -2, 3], [4, 5, -600]], dtype=np.int16)).
const std::string by_numpy =
    "\x93NUMPY\x01\0v\0{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }"
    "                                                          \n"
    "\x01\0\xfe\xff\x03\0\x04\0\x05\0\xa8\xfd"s;

std::string code_of(const std::string& file, std::optional<ScalarType> wanted = {}) {
  return refused_with(parse_npy(bytes_of(file), "x.npy", wanted));
}

/// The raw bits of all elements; an empty list if the file is refused.
std::vector<std::uint32_t> bits_of(const std::string& file, std::optional<ScalarType> wanted = {}) {
  auto const array = parse_npy(bytes_of(file), "x.npy", wanted);
  EXPECT_TRUE(array) << array.refusal().sentence().view();
  std::vector<std::uint32_t> bits;
  for (std::int64_t i = 0; array && i < array->size; ++i) bits.push_back(array->bits(i));
  return bits;
}

using Bits = std::vector<std::uint32_t>;

TEST(Npy, reads_what_numpy_wrote) {
  auto const array = parse_npy(bytes_of(by_numpy), "x.npy");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->type, ScalarType::i16);
  EXPECT_EQ(array->shape, (Extents{2, 3}));
  std::int16_t const expected[] = {1, -2, 3, 4, 5, -600};
  ASSERT_EQ(array->size, 6);
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(array->bits(i), static_cast<std::uint16_t>(expected[i])) << i;
}

TEST(Npy, reads_each_type_that_names_itself) {
  EXPECT_EQ(bits_of(npy_of("|i1", "(2,)", "\x7f\x80"s)), (Bits{0x7f, 0x80}));
  EXPECT_EQ(bits_of(npy_of("<i2", "(2,)", "\x34\x12\xff\xff"s)), (Bits{0x1234, 0xffff}));
  EXPECT_EQ(bits_of(npy_of("<i4", "(1,)", "\x78\x56\x34\x92"s)), (Bits{0x92345678}));
  EXPECT_EQ(bits_of(npy_of("<f2", "(1,)", "\x00\x3c"s)), (Bits{0x3c00}));
  EXPECT_EQ(bits_of(npy_of("<f4", "(1,)", "\x00\x00\xc0\x3f"s)), (Bits{0x3fc00000}));
  EXPECT_EQ(bits_of(npy_of("<f1", "(1,)", "\x3c"s)), (Bits{0x3c}));
  EXPECT_EQ(parse_npy(bytes_of(npy_of("<f1", "(1,)", "\x3c")), "x")->type, ScalarType::f8e5m2);
}

TEST(Npy, reads_raw_bits_as_the_wanted_type) {
  for (const char* type : {"<V2", "|V2", "<u2"})
    EXPECT_EQ(bits_of(npy_of(type, "(1,)", "\x80\x3f"), ScalarType::bf16), (Bits{0x3f80})) << type;
  for (const char* type : {"<V1", "|V1", "|u1"}) {
    for (ScalarType wanted : {ScalarType::f8e4m3, ScalarType::f8e5m2}) {
      std::string const file = npy_of(type, "(1,)", "\xb8");
      auto const array = parse_npy(bytes_of(file), "x.npy", wanted);
      ASSERT_TRUE(array) << type;
      EXPECT_EQ(array->type, wanted);
      EXPECT_EQ(array->bits(0), 0xb8u);
    }
    EXPECT_EQ(bits_of(npy_of(type, "(3,)", "\x00\x0f\x07"s), ScalarType::f4e2m1), (Bits{0, 15, 7}));
    EXPECT_EQ(code_of(npy_of(type, "(1,)", "\x10"), ScalarType::f4e2m1), "io-four-bit-range");
    EXPECT_EQ(code_of(npy_of(type, "(1,)", "\x10")), "npy-type-unnamed");
  }
}

TEST(Npy, reads_a_4_bit_integer_from_a_byte) {
  EXPECT_EQ(bits_of(npy_of("|i1", "(4,)", "\x00\x07\xff\xf8"s), ScalarType::i4), (Bits{0, 7, 15, 8}));
  EXPECT_EQ(code_of(npy_of("|i1", "(2,)", "\x00\x08"s), ScalarType::i4), "io-four-bit-range");   // 8 is no i4
  EXPECT_EQ(code_of(npy_of("|i1", "(2,)", "\x00\xf7"s), ScalarType::i4), "io-four-bit-range");   // nor -9
  EXPECT_EQ(bits_of(npy_of("<V1", "(3,)", "\x0f\xff\x07"), ScalarType::i4), (Bits{15, 15, 7}));  // raw bits, with or without the sign
}

TEST(Npy, packs_4_bit_elements_as_memory_has_them) {
  std::string const file = npy_of("|i1", "(3,)", "\x01\xfe\x07");
  auto const array = parse_npy(bytes_of(file), "x.npy", ScalarType::i4);
  ASSERT_TRUE(array);
  EXPECT_EQ(packed(*array), (std::vector<std::byte>{std::byte{0xe1}, std::byte{0x07}}));
  auto const wide = parse_npy(bytes_of(by_numpy), "x.npy");
  EXPECT_EQ(packed(*wide), std::vector<std::byte>(wide->bytes.begin(), wide->bytes.end()));
}

TEST(Npy, reads_any_number_of_axes) {
  EXPECT_EQ(parse_npy(bytes_of(npy_of("|i1", "()", "a")), "x")->shape, Extents{});
  EXPECT_EQ(parse_npy(bytes_of(npy_of("|i1", "(2, 1, 1)", "ab")), "x")->shape, (Extents{2, 1, 1}));
  auto const none = parse_npy(bytes_of(npy_of("<f4", "(3, 0, 2)", "")), "x");
  ASSERT_TRUE(none);
  EXPECT_EQ(none->size, 0);
}

TEST(Npy, reads_every_version_and_every_way_to_write_the_dictionary) {
  std::string const dictionary = "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }";
  for (int version : {1, 2, 3}) EXPECT_EQ(bits_of(npy_file(dictionary, "ab", version)), (Bits{'a', 'b'})) << version;
  for (const char* other :
       {"{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"|i1\"}", "{'descr':'|i1','shape':(2L,),'fortran_order':False}   ",
        "{ 'fortran_order' : False , 'shape' : ( 2 , ) , 'descr' : '|i1' , }"})
    EXPECT_EQ(bits_of(npy_file(other, "ab")), (Bits{'a', 'b'})) << other;
}

TEST(Npy, refuses_dictionaries_of_any_other_form) {
  for (const char* bad : {
           "",
           "{}",
           "[]",
           "{'descr': '|i1', 'fortran_order': False}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), 'more': 1}",
           "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '|i1', 'fortran_order': 0, 'shape': (2,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': 2}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (2)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (-2,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (2.0,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (99999999999999999999,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (2,,)}",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)",
           "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)} x",
           "{'descr': '|i1', 'fortran_order': False 'shape': (2,)}",
           "{'descr': '', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': |i1, 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '|i1, 'fortran_order': False, 'shape': (2,)}",
       })
    EXPECT_EQ(code_of(npy_file(bad, "ab")), "npy-header") << bad;
}

TEST(Npy, refuses_types_that_the_chip_does_not_have) {
  for (const char* type : {"<f8", "<i8", "<u4", "|b1", "<c8", "|S3", "<U3", "<M8[s]", "|O", "|V3", "<V0", "<f2x", "<", "<f16"})
    EXPECT_EQ(code_of(npy_of(type, "(1,)", "abcdefgh")), "npy-type") << type;
  EXPECT_EQ(code_of(npy_file("{'descr': [('a', '<f4'), ('b', '<i2')], 'fortran_order': False, 'shape': (1,)}", "abcdef")), "npy-type");
  EXPECT_EQ(code_of(npy_of("|O", "(1,)", "abcdefgh"), ScalarType::i32), "npy-type");  // and the reason is not a conversion
  for (const char* type : {">f4", ">i2", "=i4", "i4", "|i4", "|f4", ">V2"})
    EXPECT_EQ(code_of(npy_of(type, "(1,)", "abcd")), "npy-byte-order") << type;
}

TEST(Npy, refuses_another_type_than_is_wanted) {
  EXPECT_EQ(code_of(npy_of("<f4", "(1,)", "abcd"), ScalarType::i32), "io-other-type");
  EXPECT_EQ(code_of(npy_of("<f8", "(1,)", "abcdefgh"), ScalarType::f32), "io-other-type");
  EXPECT_EQ(code_of(npy_of("<V2", "(1,)", "ab"), ScalarType::f16), "io-other-type");
  EXPECT_EQ(code_of(npy_of("|u1", "(1,)", "a"), ScalarType::i8), "io-other-type");
  EXPECT_EQ(code_of(npy_of("|i1", "(1,)", "a"), ScalarType::i9), "io-type-not-in-memory");
}

TEST(Npy, refuses_what_is_no_npy_file) {
  for (const char* bad : {"", "x", "PK\x03\x04", "NUMPY", "\x93NUMPZ\x01"}) EXPECT_EQ(code_of(bad), "npy-not-npy") << bad;
  std::string other = by_numpy;
  other[6] = 4;
  EXPECT_EQ(code_of(other), "npy-version");
  other[6] = 0;
  EXPECT_EQ(code_of(other), "npy-version");
  other[6] = 1, other[7] = 1;
  EXPECT_EQ(code_of(other), "npy-version");
}

TEST(Npy, refuses_sizes_that_lie) {
  for (std::size_t n = 10; n < by_numpy.size(); ++n) EXPECT_EQ(code_of(by_numpy.substr(0, n)), "npy-wrong-size") << n;
  for (std::size_t n = 0; n < by_numpy.size(); ++n) EXPECT_NE(code_of(by_numpy.substr(0, n)), "") << n;
  EXPECT_EQ(code_of(by_numpy + "x"), "npy-wrong-size");
  EXPECT_EQ(code_of("\x93NUMPY\x02\0\xff\xff\xff\xff{}"s), "npy-header-too-large");
  EXPECT_EQ(code_of("\x93NUMPY\x02\0\0\0\1\0"s), "npy-header-too-large");
  for (const char* shape : {"(9223372036854775807,)", "(4294967296, 4294967296)", "(3037000500, 3037000500, 2)", "(144115188075855872,)"})
    EXPECT_EQ(code_of(npy_of("|i1", shape, "")), "io-shape") << shape;
  EXPECT_EQ(code_of(npy_of("|i1", "(144115188075855871,)", "")), "npy-wrong-size");
}

TEST(Npy, refuses_fortran_order) {
  EXPECT_EQ(code_of(npy_file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 1)}", "ab")), "npy-fortran-order");
}

class NpyFiles : public Folder {};

TEST_F(NpyFiles, are_read_where_they_lie) {
  auto const array = read_npy(write("a.npy", by_numpy));
  ASSERT_TRUE(array);
  EXPECT_EQ(array->bytes.data(), array->file->bytes().data() + 128);
  EXPECT_EQ(array->bits(5), static_cast<std::uint16_t>(-600));
  EXPECT_EQ(refused_with(read_npy(path("none.npy"))), "io-file-unreadable");
  EXPECT_EQ(refused_with(read_npy(write("b.npy", "no"))), "npy-not-npy");
}

TEST_F(NpyFiles, are_written_as_numpy_writes_them) {
  auto const array = parse_npy(bytes_of(by_numpy), "x.npy");
  ASSERT_TRUE(write_npy(path("a.npy"), array->type, array->shape, array->bytes));
  EXPECT_EQ(content("a.npy"), by_numpy);
}

TEST_F(NpyFiles, have_the_types_that_numpy_and_ml_dtypes_use) {
  struct Case {
    ScalarType type;
    const char* in_file;
    std::string memory, elements;  // of two elements
  } const cases[] = {
      {ScalarType::i4, "'|i1'", "\xe1", "\x01\xfe"},     {ScalarType::i8, "'|i1'", "\x01\xfe", "\x01\xfe"},
      {ScalarType::i16, "'<i2'", "abcd", "abcd"},        {ScalarType::i32, "'<i4'", "abcdefgh", "abcdefgh"},
      {ScalarType::f4e2m1, "'<V1'", "\xe1", "\x01\x0e"}, {ScalarType::f8e4m3, "'<V1'", "ab", "ab"},
      {ScalarType::f8e5m2, "'<V1'", "ab", "ab"},         {ScalarType::f16, "'<f2'", "abcd", "abcd"},
      {ScalarType::bf16, "'<V2'", "abcd", "abcd"},       {ScalarType::f32, "'<f4'", "abcdefgh", "abcdefgh"},
  };
  for (const Case& c : cases) {
    ASSERT_TRUE(write_npy(path("a.npy"), c.type, {2}, bytes_of(c.memory)));
    std::string const file = content("a.npy");
    EXPECT_EQ(file.size(), 128 + c.elements.size());
    EXPECT_NE(file.find("{'descr': "s + c.in_file + ", 'fortran_order': False, 'shape': (2,), }"), file.npos) << file;
    EXPECT_EQ(file.substr(128), c.elements);
    auto const again = read_npy(path("a.npy"), c.type);
    ASSERT_TRUE(again) << scalar_info(c.type).name;
    EXPECT_EQ(again->type, c.type);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(again->bits(i), load_scalar_bits(bytes_of(c.memory).data(), c.type, i));
  }
}

TEST_F(NpyFiles, begin_their_elements_at_a_multiple_of_64_bytes) {
  for (std::size_t axes = 0; axes <= 32; ++axes) {
    ASSERT_TRUE(write_npy(path("a.npy"), ScalarType::i8, Extents(axes, 1), bytes_of("x")));
    EXPECT_EQ((content("a.npy").size() - 1) % 64, 0u) << axes;
    EXPECT_EQ(read_npy(path("a.npy"))->shape, Extents(axes, 1));
  }
}

TEST_F(NpyFiles, are_not_written_from_what_is_no_array) {
  EXPECT_EQ(refused_with(write_npy(path("a.npy"), ScalarType::i8, {3}, bytes_of("ab"))), "io-wrong-byte-count");
  EXPECT_EQ(refused_with(write_npy(path("a.npy"), ScalarType::i4, {3}, bytes_of("a"))), "io-wrong-byte-count");
  EXPECT_EQ(refused_with(write_npy(path("a.npy"), ScalarType::i8, {-1}, bytes_of(""))), "io-shape");
  EXPECT_EQ(refused_with(write_npy(path("a.npy"), ScalarType::i5, {2}, bytes_of("a"))), "io-type-not-in-memory");
  EXPECT_EQ(refused_with(write_npy(path("a.npy"), ScalarType::i8, Extents(33, 1), bytes_of("a"))), "npy-too-many-axes");
  EXPECT_EQ(refused_with(write_npy(path("no/a.npy"), ScalarType::i8, {1}, bytes_of("a"))), "io-file-not-written");
  EXPECT_EQ(files(), 0u);
}

using namespace tcp::io;
using namespace tcp::io_test;

class MappedFileTest : public Folder {};
class WriteWhole : public Folder {
 protected:
  std::error_code write_text(const std::string& to, std::string_view a, std::string_view b) {
    std::span<const std::byte> const parts[] = {bytes_of(a), bytes_of(b)};
    return write_whole(to, parts);
  }
};

TEST_F(MappedFileTest, has_the_bytes_of_the_file) {
  auto const file = MappedFile::open(write("a", std::string_view("x\0y", 3)));
  ASSERT_TRUE(file);
  std::span<const std::byte> const bytes = (*file)->bytes();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), std::string("x\0y", 3));
  auto const empty = MappedFile::open(write("b", ""));
  ASSERT_TRUE(empty);
  EXPECT_TRUE((*empty)->bytes().empty());
}

TEST_F(MappedFileTest, keeps_the_bytes_when_the_file_is_removed_or_replaced) {
  auto const file = MappedFile::open(write("a", "before"));
  ASSERT_TRUE(file);
  std::span<const std::byte> const parts[] = {bytes_of("after")};
  ASSERT_FALSE(write_whole(path("a"), parts));
  std::filesystem::remove(path("a"));
  EXPECT_EQ(std::to_integer<char>((*file)->bytes()[0]), 'b');
}

TEST_F(MappedFileTest, refuses_what_is_no_file_to_be_read) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (std::string const& bad : {path("none"), path("."), path("pipe"), std::string("/dev/null"), std::string()})
    EXPECT_EQ(refused_with(MappedFile::open(bad)), "io-file-unreadable") << bad;
}

TEST_F(WriteWhole, writes_parts_one_after_the_other) {
  ASSERT_FALSE(write_text(path("a"), "one ", "two"));
  EXPECT_EQ(content("a"), "one two");
  ASSERT_FALSE(write_text(path("a"), "", "3"));
  EXPECT_EQ(content("a"), "3");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WriteWhole, keeps_the_mode_and_the_link) {
  write("a", "before");
  ASSERT_EQ(chmod(path("a").c_str(), 0640), 0);
  std::filesystem::create_symlink("a", path("link"));
  ASSERT_FALSE(write_text(path("link"), "after", ""));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(content("a"), "after");
  struct stat is{};
  ASSERT_EQ(stat(path("a").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 07777, 0640u);
}

TEST_F(WriteWhole, says_what_the_system_says) {
  EXPECT_EQ(write_text(path("."), "a", ""), std::errc::is_a_directory);
  EXPECT_EQ(write_text(path("no/such/folder"), "a", ""), std::errc::no_such_file_or_directory);
  EXPECT_EQ(write_text("/dev/full", "a", ""), std::errc::no_space_on_device);
  std::filesystem::create_symlink("circle", path("circle"));
  EXPECT_EQ(write_text(path("circle"), "a", ""), std::errc::too_many_symbolic_link_levels);
  EXPECT_EQ(files(), 1u);
}

}  // namespace
