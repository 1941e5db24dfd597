// Maps files into memory, and writes them beside their place and renames them, so that a reader finds the old content
// or the new one and never a part.
#include "tcp/io/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "io/elements.hpp"

namespace tcp::io {
namespace {

std::error_code system_error(int error) { return {error, std::generic_category()}; }

Refusal unreadable(const std::string& path, std::string_view why) {
  return refuse("io-file-unreadable")
      .what(shown_file(path), "cannot be read: ", shown(why, 80))
      .why("a file is mapped into memory, so it must be a regular file that may be read")
      .help("give the path of a file; what comes out of a pipe must be stored first");
}

Refusal not_opened(const std::string& path, int error) {
  if (error != ENOENT) return unreadable(path, system_error(error).message());
  return refuse("io-file-unreadable")
      .what(shown_file(path), "cannot be read: ", shown(system_error(error).message(), 80))
      .why("a path that does not begin with / begins at the current folder")
      .help("check the name, and the folder that the command was started in");
}

/// Closes the descriptor; what was mapped stays.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

/// The file itself, even if it is not there yet: a link shall stay a link.
std::filesystem::path behind_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // then the system says that they go in a circle
  std::error_code failed;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(path, failed); ++i) {
    std::filesystem::path const next = std::filesystem::read_symlink(path, failed);
    if (failed) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

/// 0, or the errno.
int write_all(int file, std::span<const std::byte> content) {
  while (!content.empty()) {
    ssize_t const n = ::write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content = content.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

int write_and_close(int file, std::span<const std::span<const std::byte>> parts, bool keep) {
  int error = 0;
  for (auto part : parts)
    if (error == 0) error = write_all(file, part);
  if (error == 0 && keep && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

Expected<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  // Opening a pipe would wait for a writer.
  Descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return not_opened(path, errno);
  struct stat is{};
  if (::fstat(file.number(), &is) != 0) return unreadable(path, system_error(errno).message());
  if (S_ISDIR(is.st_mode)) return unreadable(path, "it is a folder");
  if (!S_ISREG(is.st_mode)) return unreadable(path, "it is a pipe or a device");
  auto const size = static_cast<std::size_t>(is.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));  // which cannot be mapped
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (at == MAP_FAILED) return unreadable(path, system_error(errno).message());
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(at), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

std::error_code write_whole(const std::string& path, std::span<const std::span<const std::byte>> parts) {
  std::filesystem::path const target = behind_links(path);
  std::error_code failed;
  if (std::filesystem::is_symlink(target, failed)) return system_error(ELOOP);
  struct stat there{};
  bool const exists = ::stat(target.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return system_error(EISDIR);
  if (exists && ::access(target.c_str(), W_OK) != 0) return system_error(errno);
  if (exists && !S_ISREG(there.st_mode)) {
    int const device = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    return system_error(device < 0 ? errno : write_and_close(device, parts, false));
  }
  std::string const unfinished = target.string() + ".part" + std::to_string(::getpid());
  int const file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return system_error(errno);
  if (exists && ::fchmod(file, there.st_mode & 07777) != 0) errno = 0;  // only the mode is lost
  int error = write_and_close(file, parts, true);
  if (error == 0 && ::rename(unfinished.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(unfinished.c_str());
  return system_error(error);
}

}  // namespace tcp::io
