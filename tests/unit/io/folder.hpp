// Where tests of files write theirs, and how they look at refusals.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "refuse/helpers/file_bytes.hpp"
#include "tcp/support/refusal.hpp"

namespace tcp::io_test {

/// A folder of its own for each test.
class Folder : public ::testing::Test {
 protected:
  Folder() : folder_(std::filesystem::temp_directory_path() / ("tcp_io_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Folder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {})); }

 private:
  std::filesystem::path folder_;
};

/// The code; empty where nothing is refused. A refusal says what, why and what to do.
template <class Answer>
std::string refused_with(const Answer& answer) {
  if (answer) return "";
  const Refusal& r = answer.refusal();
  EXPECT_FALSE(r.headline.empty() || r.note.empty() || r.advice.empty()) << r.code;
  EXPECT_LE(r.headline.size(), 300u) << r.headline.view();
  return r.code;
}

}  // namespace tcp::io_test
