// The command line from inside: what a call answers, and a folder for what it reads and writes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tool.hpp"

namespace tcp::tool {

struct Answer {
  int code = 0;
  std::string out, err;
};

inline Answer tcp_command(const std::vector<std::string>& arguments, bool colour = false) {
  std::ostringstream out, err;
  Terminal terminal{out, err, colour, colour, std::filesystem::path(TCP_SOURCE_DIR) / "docs"};
  int const code = run(arguments, terminal);
  return {code, out.str(), err.str()};
}

/// A refusal is shown on standard error in the one form, and nothing is left half said on standard output.
inline void expect_refused(const Answer& a, int code, const std::string& slug) {
  EXPECT_EQ(a.code, code) << a.err;
  EXPECT_EQ(a.err.substr(0, a.err.find(':')), "error[" + slug + "]") << a.err;
  EXPECT_NE(a.err.find("\n  help: "), std::string::npos) << a.err;
  EXPECT_EQ(a.out, "");
}

class Scratch : public ::testing::Test {
 protected:
  Scratch() : folder_(std::filesystem::temp_directory_path() / ("tcp_tool_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::size_t files() const { return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {})); }

 private:
  std::filesystem::path folder_;
};

}  // namespace tcp::tool
