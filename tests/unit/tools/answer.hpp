// The command line from inside: what a call answers, and a folder for what it reads and writes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tool.hpp"

namespace tcp::tool {

/// The kernel that tests hand to commands: one is added to 2,048 numbers.
inline const std::string add_one = R"(module add_one
axes A = 2048

argument hbm in: i32 Element[A] at 0
dm x: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
dm y: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
result hbm out: i32 Element[A] at 268435456

move in -> x
main.begin(x)
  .fetch i32 Time[1] Packet[A % 8]
  .collect
  .vector_init
  .vector_intra_slice_branch(Unconditional)
  .vector_fxp(AddFxp, 1)
  .vector_final
  .commit(y)
move y -> out
)";

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
