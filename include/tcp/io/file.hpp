// Files as whole things: mapped for reading, and written so that a reader never finds half of one. Run time only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <system_error>

#include "tcp/support/expected.hpp"
#include "tcp/support/version.hpp"

namespace tcp::io {

/// A regular file in memory, mapped and not copied: pages are read when they are looked at. A process that shortens the
/// file meanwhile takes the ground from under its readers, as with every mapping; replacing it by renaming, as
/// write_whole does, is safe.
class MappedFile {
 public:
  static Expected<std::shared_ptr<const MappedFile>> open(const std::string& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

/// The parts, one after the other, as the content of a file. A file is replaced as a whole, and kept as it was if that
/// cannot be done; a device or pipe is written to. The error is the system's.
std::error_code write_whole(const std::string& path, std::span<const std::span<const std::byte>> parts);

}  // namespace tcp::io
