// On a terminal of our own: what a person would see.
#include "tcp/support/progress_line.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace {

using namespace tcp;

class Terminal {
 public:
  Terminal() : ours_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (ours_ < 0 || grantpt(ours_) != 0 || unlockpt(ours_) != 0) return;
    theirs_ = open(ptsname(ours_), O_RDWR | O_NOCTTY);
    fcntl(ours_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    if (theirs_ >= 0) close(theirs_);
    if (ours_ >= 0) close(ours_);
  }
  int descriptor() const { return theirs_; }
  /// What has been written since the last call.
  std::string seen() const {
    char text[4096];
    ssize_t const n = read(ours_, text, sizeof text);
    return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : "";
  }

 private:
  int ours_, theirs_ = -1;
};

TEST(ProgressLine, shows_up_after_a_second_and_goes_with_the_work) {
  Terminal const terminal;
  ASSERT_GE(terminal.descriptor(), 0);
  {
    ProgressLine line("gemm", 8, terminal.descriptor());
    line.done(3);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(terminal.seen(), "");
    std::string seen;
    for (int i = 0; i < 100 && seen.find(" s") == seen.npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      seen += terminal.seen();
    }
    EXPECT_EQ(seen.substr(0, seen.find(" s")), "\r\033[Kgemm: 3 of 8 commands, 1");
  }
  std::string const last = terminal.seen();
  ASSERT_GE(last.size(), 4u);
  EXPECT_EQ(last.substr(last.size() - 4), "\r\033[K") << "the line is empty again";
}

TEST(ProgressLine, short_work_leaves_no_trace) {
  Terminal const terminal;
  auto const begin = std::chrono::steady_clock::now();
  {
    ProgressLine const line("add_one", 3, terminal.descriptor());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900)) << "nobody waits for the line";
  EXPECT_EQ(terminal.seen(), "");
}

TEST(ProgressLine, a_file_is_no_terminal) {
  std::string name = "/tmp/tcp_progress_XXXXXX";
  int const file = mkstemp(name.data());
  ASSERT_GE(file, 0);
  {
    ProgressLine const line("gemm", 8, file);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  }
  EXPECT_EQ(lseek(file, 0, SEEK_END), 0);
  close(file);
  unlink(name.c_str());
}

}  // namespace
