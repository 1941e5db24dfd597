// The laws of the text form, on modules that no rule has looked at.
#include "tcp/ir/text.hpp"

#include <gtest/gtest.h>

#include "random_module.hpp"
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

}  // namespace
