#include "write_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace tcp::tool {
namespace {

std::string said_by_system(int error) { return std::generic_category().message(error); }

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
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    ssize_t const n = ::write(file, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

int write_and_close(int file, std::string_view content, bool keep) {
  int error = write_all(file, content);
  if (error == 0 && keep && ::fsync(file) != 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

Refusal not_written(std::string_view name, std::string_view why) {
  std::string plain;
  for (char c : name.substr(0, 160)) plain += c >= ' ' && c < 0x7f ? c : '?';
  return refuse("tool-file-not-written")
      .what(plain, " cannot be written: ", why)
      .why("a file that was there before is left as it was")
      .help("write to a folder that exists and is yours, with room on its disk");
}

Verdict write_file(const std::string& path, std::string_view content) {
  if (path.empty()) return not_written("''", "it has no name");
  std::filesystem::path const target = behind_links(path);
  std::error_code failed;
  if (std::filesystem::is_symlink(target, failed)) return not_written(path, said_by_system(ELOOP));
  struct stat there{};
  bool const exists = ::stat(target.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return not_written(path, said_by_system(EISDIR));
  if (exists && ::access(target.c_str(), W_OK) != 0) return not_written(path, said_by_system(errno));
  if (exists && !S_ISREG(there.st_mode)) {
    int const device = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    int const error = device < 0 ? errno : write_and_close(device, content, false);
    if (error != 0) return not_written(path, said_by_system(error));
    return accept();
  }
  std::string const unfinished = target.string() + ".part" + std::to_string(::getpid());
  int const file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return not_written(path, said_by_system(errno));
  if (exists && ::fchmod(file, there.st_mode & 07777) != 0) errno = 0;  // only the mode is lost
  int error = write_and_close(file, content, true);
  if (error == 0 && ::rename(unfinished.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return accept();
  ::unlink(unfinished.c_str());
  return not_written(path, said_by_system(error));
}

}  // namespace tcp::tool
