// verify has an answer for whatever a text says: programs that are nearly right go through it without a Bug.
//
// A program of the fuzz corpus is changed in a few places, each time by something that stands elsewhere in it: a line for a line, a mapping for a mapping, a
// number for a number. Most of what comes out is refused, but late, by the rules of stages and transfers.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/random.hpp"

namespace {

using namespace tcp;

struct Part {
  std::size_t at, length;
};

class Changed {
 public:
  Changed(std::string text, std::uint64_t seed) : text_(std::move(text)), random_(seed) {}

  std::string drawn() {
    for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
      switch (random_.below(8)) {
        case 0: change(lines()); break;
        case 1: erase(lines()); break;
        case 2:
        case 3: change(numbers(), odd_numbers); break;
        case 4: change(numbers()); break;
        default: change(mappings()); break;
      }
    }
    return text_;
  }

 private:
  static constexpr const char* odd_numbers[] = {
      "0", "1", "2", "3", "7", "8", "64", "256", "-1", "61", "512", "1024", "2048", "65536", "9223372036854775807"};

  const Part& one_of(const std::vector<Part>& parts) { return parts[random_.below(parts.size())]; }
  void change(const std::vector<Part>& parts) {
    if (parts.empty()) return;
    Part const from = one_of(parts), to = one_of(parts);
    std::string const piece = text_.substr(from.at, from.length);
    text_.replace(to.at, to.length, piece);
  }
  template <std::size_t N>
  void change(const std::vector<Part>& parts, const char* const (&by)[N]) {
    if (parts.empty()) return;
    Part const to = one_of(parts);
    text_.replace(to.at, to.length, by[random_.below(N)]);
  }
  void erase(const std::vector<Part>& parts) {
    if (parts.empty()) return;
    Part const p = one_of(parts);
    text_.erase(p.at, p.length);
  }

  std::vector<Part> lines() const {
    std::vector<Part> all;
    for (std::size_t at = 0; at < text_.size();) {
      std::size_t const end = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      all.push_back({at, end - at});
      at = end;
    }
    return all;
  }
  std::vector<Part> numbers() const {
    std::vector<Part> all;
    for (std::size_t at = 0; (at = text_.find_first_of("0123456789", at)) != text_.npos;) {
      std::size_t const end = std::min(text_.find_first_not_of("0123456789", at), text_.size());
      all.push_back({at, end - at});
      at = end;
    }
    return all;
  }
  std::vector<Part> mappings() const {
    std::vector<Part> all;
    for (std::size_t at = 0; (at = text_.find('[', at)) != text_.npos; ++at) {
      std::size_t const end = text_.find(']', at);
      if (end == text_.npos) break;
      all.push_back({at, end + 1 - at});
    }
    return all;
  }

  std::string text_;
  Random random_;
};

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(VerifyText, AnswersWhateverIsWritten) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TCP_SOURCE_DIR "/tests/fuzz/corpus/ir_text")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  int read = 0, accepted = 0;
  for (const auto& file : files) {
    std::string const text = contents(file);
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      std::string const other = Changed(text, seed).drawn();
      auto const module = ir::parse(other, "changed.tcp");
      if (!module) continue;
      ++read;
      try {
        if (ir::verify(*module, rngd)) ++accepted;
      } catch (const Bug& bug) {
        FAIL() << file << ", seed " << seed << ": " << bug.what() << "\n" << other;
      }
    }
  }
  // The changes neither break every text nor leave every program as it was.
  EXPECT_GT(read, 100 * static_cast<int>(files.size()));
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, read / 2);
}

}  // namespace
