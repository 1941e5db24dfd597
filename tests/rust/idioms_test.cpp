// Kernels of corpus/idioms.rs and corpus/manners: each adds a number that the language alone decides. The numbers here
// were worked out by hand, and every backend has to come to them.
#include <map>

#include "running.hpp"

namespace tcp::rust {
namespace {

/// A result is an argument, and a number that is added to each element of it.
struct Sum {
  std::size_t argument;
  std::int32_t added;
};
struct Idiom {
  const char* crate;
  const char* kernel;
  std::vector<Sum> results;
};

const std::vector<Idiom>& idioms() {
  static const std::vector<Idiom> all = {
      {"idioms.rs", "closure_looks_around", {{0, 15}}},
      {"idioms.rs", "closure_takes_along", {{0, 103}}},
      {"idioms.rs", "closure_changes", {{0, 7}}},
      {"idioms.rs", "functions_are_values", {{0, 31}}},
      {"idioms.rs", "closure_records", {{0, 33}}},
      {"idioms.rs", "iterators_add_up", {{0, 191}}},
      {"idioms.rs", "iterators_turn_round", {{0, 1072}}},
      {"idioms.rs", "fold_records", {{0, 6}}},
      {"idioms.rs", "tensors_in_arrays", {{2, 0}, {0, 2}}},
      {"idioms.rs", "early_returns", {{0, 872}}},
      {"idioms.rs", "loops_have_values", {{0, 40}}},
      {"idioms.rs", "loops_over_open_ranges", {{0, 312}}},
      {"idioms.rs", "patterns_of_numbers", {{0, 30600}}},
      {"idioms.rs", "patterns_of_parts", {{0, 1467}}},
      {"idioms.rs", "enums_decide", {{0, 4161}}},
      {"idioms.rs", "options_are_followed", {{0, 4559}}},
      {"idioms.rs", "structures_count", {{0, 12200}}},
      {"idioms.rs", "trait_of_sizes", {{0, 110}, {0, 2148}}},
      {"idioms.rs", "trait_with_defaults", {{0, 22}}},
      {"idioms.rs", "trait_on_tensors", {{0, 3006}}},
      {"idioms.rs", "constants_are_computed", {{0, -4760}}},
      {"idioms.rs", "numbers_are_those_of_rust", {{0, 13555}}},
      {"idioms.rs", "shifts_lose_bits", {{0, 7}}},
      {"idioms.rs", "elements_are_rounded", {{0, 100112}}},
      {"idioms.rs", "values_are_made", {{0, 842758910}}},
      {"idioms.rs", "numbers_are_large", {{0, 122408}}},
      {"idioms.rs", "macro_adds_ten", {{0, 11}}},
      {"idioms.rs", "macro_adds_product", {{0, 43}}},
      {"idioms.rs", "macros_repeat", {{0, 11123}}},
      {"idioms.rs", "names_are_brought_in", {{0, 404726}}},
      {"idioms.rs", "names_are_shadowed", {{0, 26}}},
      {"idioms.rs", "declared_before_it_is_made", {{0, 29}}},
      {"idioms.rs", "marked_by_a_condition", {{0, 17}}},
      {"idioms.rs", "generic_kernel::<5, Small>", {{0, 805}}},
      {"idioms.rs", "calls_a_generic_kernel", {{0, 2407}}},
      {"manners", "wide", {{0, 1064}}},
      {"manners", "included", {{0, 77}}},
      {"manners", "by_layers", {{0, 36}}},
      {"manners", "impl_elsewhere", {{0, 516}}},
  };
  return all;
}

/// By its name; of a generic one, with what its generics are.
std::optional<Kernel> found(const Crate& crate, const std::string& asked) {
  std::size_t const generics = asked.find("::<");
  for (Kernel k : crate.kernels())
    if (k.name == asked.substr(0, generics)) {
      if (generics != asked.npos) k.arguments = asked.substr(generics + 3, asked.size() - generics - 4);
      return k;
    }
  return {};
}

class Idioms : public testing::TestWithParam<Idiom> {};

TEST_P(Idioms, ComesToTheNumber) {
  auto const crate = Crate::open(std::string(TCP_SOURCE_DIR "/tests/rust/corpus/") + GetParam().crate);
  ASSERT_TRUE(crate.ok()) << render(crate.refusal());
  EXPECT_EQ(words_of(crate->errors()), "");
  auto const kernel = found(*crate, GetParam().kernel);
  ASSERT_TRUE(kernel.has_value());
  KernelReading const reading = crate->read(*kernel, rngd);
  ASSERT_EQ(words_of(reading.errors), "");
  auto const module = verified(*reading.module);
  ASSERT_TRUE(module.ok()) << render(module.refusal());
  auto const arguments = random_arguments(module->module(), 3);
  std::vector<std::uint32_t> wanted;
  for (const Sum& s : GetParam().results)
    for (std::int64_t i = 0; i < arguments.at(s.argument).size(); ++i)
      wanted.push_back(arguments[s.argument][i].bits + static_cast<std::uint32_t>(s.added));
  for (BackendKind backend : {BackendKind::reference, BackendKind::vector, BackendKind::device})
    EXPECT_EQ(bits_of(*module, backend, 3), wanted) << name_of(backend);
}

INSTANTIATE_TEST_SUITE_P(All, Idioms, testing::ValuesIn(idioms()), [](const auto& of) {
  std::string name = of.param.kernel;
  return name.substr(0, name.find("::<"));
});

TEST(Idioms, EveryKernelOfTheFilesIsThere) {
  std::set<std::string> known;
  for (const Idiom& i : idioms()) known.insert(std::string(i.kernel).substr(0, std::string(i.kernel).find("::<")));
  for (const char* path : {"idioms.rs", "manners"}) {
    auto const crate = Crate::open(std::string(TCP_SOURCE_DIR "/tests/rust/corpus/") + path);
    ASSERT_TRUE(crate.ok());
    for (const Kernel& k : crate->kernels()) EXPECT_TRUE(known.contains(k.name)) << k.name << " has no number in idioms_test.cpp";
  }
}

/// Rounds of `while` and `loop` are regions, and barriers, as those of `for`.
TEST(Idioms, RoundsOfEveryLoopAreRegions) {
  auto const crate = Crate::open(TCP_SOURCE_DIR "/tests/rust/corpus/idioms.rs");
  ASSERT_TRUE(crate.ok());
  KernelReading const reading = crate->read(*found(*crate, "loops_have_values"), rngd);
  ASSERT_TRUE(reading.module.has_value());
  int rounds = 0;
  for (const ir::Region& r : reading.module->regions)
    if (r.name == "while") {
      EXPECT_TRUE(r.kept);
      ++rounds;
    }
  EXPECT_EQ(rounds, 3);
}

}  // namespace
}  // namespace tcp::rust
