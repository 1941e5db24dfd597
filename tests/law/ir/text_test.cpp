// The laws of the text form: it is read as it was printed, and what the verifier says does not depend on it.
#include <gtest/gtest.h>

#include <algorithm>

#include "random_module.hpp"
#include "sections.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/render.hpp"

namespace {

using namespace tcp;
using ir_law::RandomModule;

constexpr std::uint64_t modules = 3000;

TEST(TextForm, SaysEveryFieldOfAModule) {
  for (std::uint64_t seed = 1; seed <= modules; ++seed) {
    ir::Module const m = RandomModule(seed).draw();
    std::string const text = ir::print(m);
    auto const again = ir::parse(text, "drawn.tcp");
    ASSERT_TRUE(again.ok()) << "seed " << seed << "\n" << render(again.refusal()) << "\n" << text;
    ASSERT_TRUE(ir::same_program(m, *again)) << "seed " << seed << "\n" << text << "\nread as\n" << ir::print(*again);
    ASSERT_EQ(ir::print(*again), text) << "seed " << seed;
  }
}

/// Line ends are blanks, blanks and comments may stand between any two tokens.
TEST(TextForm, DoesNotDependOnItsLayout) {
  for (std::uint64_t seed = 1; seed <= modules / 10; ++seed) {
    std::string const text = ir::print(RandomModule(seed).draw());
    std::string loose;
    bool quoted = false;
    int brackets = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      char const c = text[i];
      if (c == '"' && (i == 0 || text[i - 1] != '\\' || (i > 1 && text[i - 2] == '\\'))) quoted = !quoted;
      brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == '\n') loose += "\r\n\t// a comment: [ \" {\n";
      else if (c == ' ' && !quoted && brackets == 0) loose += "\n  ";
      else if (c == ',' && !quoted && brackets == 0) loose += " , ";
      else loose += c;
    }
    auto const again = ir::parse(loose, "loose.tcp");
    ASSERT_TRUE(again.ok()) << "seed " << seed << "\n" << render(again.refusal()) << "\n" << loose;
    ASSERT_EQ(ir::print(*again), text) << "seed " << seed;
  }
}

/// A text that was cut anywhere is read or refused; what was read of it can be printed and read again.
TEST(TextForm, EndsAnywhere) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::string const text = ir::print(RandomModule(seed).draw());
    for (std::size_t n = 0; n < text.size(); n += 1 + text.size() / 200) {
      auto const cut = ir::parse(std::string_view(text).substr(0, n), "cut.tcp");
      if (!cut) {
        ASSERT_TRUE(cut.refusal().at.known()) << "seed " << seed << ", " << n << " characters";
        continue;
      }
      auto const again = ir::parse(ir::print(*cut), "again.tcp");
      ASSERT_TRUE(again.ok() && ir::same_program(*again, *cut)) << "seed " << seed << ", " << n << " characters";
    }
  }
}

/// Modules are the same iff their texts are: a number or a word that is changed makes another program, and same_program sees it.
TEST(TextForm, ADifferentTextIsAnotherProgram) {
  int different = 0;
  for (std::uint64_t seed = 1; seed <= modules / 10; ++seed) {
    ir::Module const m = RandomModule(seed).draw();
    std::string const text = ir::print(m);
    Random random(seed);
    for (int changes = 0; changes < 40; ++changes) {
      std::string other = text;
      std::size_t const at = other.find_first_of("0123456789", random.below(text.size()));
      if (at == other.npos) continue;
      other[at] = static_cast<char>('0' + random.below(10));
      auto const read = ir::parse(other, "other.tcp");
      if (!read) continue;
      ASSERT_EQ(ir::same_program(m, *read), ir::print(*read) == text) << "seed " << seed << "\n" << text << "\nchanged to\n" << other;
      different += ir::print(*read) != text;
    }
  }
  EXPECT_GT(different, 1000);
}

// verify has an answer for whatever a text says: programs that are nearly right go through it without a Bug.
//
// A program of the fuzz corpus is changed in a few places, each time by something that stands elsewhere in it: a line for a line, a mapping for a mapping, a
// number for a number. Most of what comes out is refused, but late, by the rules of stages and transfers.

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

TEST(VerifyText, AnswersWhateverIsWritten) {
  auto const texts = sections_of(TCP_SOURCE_DIR "/tests/fuzz/corpus/ir_text.programs");
  ASSERT_FALSE(texts.empty());
  int read = 0, accepted = 0;
  for (const auto& [name, text] : texts) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      std::string const other = Changed(text, seed).drawn();
      auto const module = ir::parse(other, "changed.tcp");
      if (!module) continue;
      ++read;
      try {
        if (ir::verify(*module, rngd)) ++accepted;
      } catch (const Bug& bug) {
        FAIL() << name << ", seed " << seed << ": " << bug.what() << "\n" << other;
      }
    }
  }
  // The changes neither break every text nor leave every program as it was.
  EXPECT_GT(read, 100 * static_cast<int>(texts.size()));
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, read / 2);
}

}  // namespace
