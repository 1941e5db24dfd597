// A tiny checkpoint, written by scripts/tiny-llama into a folder that goes away with it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace tcp::kernels_test {

class TinyCheckpoint {
 public:
  explicit TinyCheckpoint(const std::string& options) {
    static int made = 0;
    folder_ = std::filesystem::temp_directory_path() / ("tcp_llama_" + std::to_string(getpid()) + "_" + std::to_string(made++));
    std::string const command = TCP_SOURCE_DIR "/scripts/tiny-llama " + path() + " " + options + " 2>/dev/null";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("this failed: " + command);
  }
  ~TinyCheckpoint() { std::filesystem::remove_all(folder_); }
  TinyCheckpoint(const TinyCheckpoint&) = delete;
  TinyCheckpoint& operator=(const TinyCheckpoint&) = delete;

  std::string path() const { return folder_.string(); }
  std::string path(const std::string& file) const { return (folder_ / file).string(); }
  std::string content(const std::string& file) const {
    std::ifstream in(path(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& file, const std::string& content) const { std::ofstream(path(file), std::ios::binary) << content; }

 private:
  std::filesystem::path folder_;
};

}  // namespace tcp::kernels_test
