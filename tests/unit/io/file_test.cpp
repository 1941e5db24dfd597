#include "tcp/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "folder.hpp"

namespace {

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
