// What --emit cpp prints, compiled and recorded, gives the same bits as the kernel that it was printed from.
#include "rust/emitted/emitted.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "../running.hpp"
#include "tcp/ir/text.hpp"

namespace tcp::emitted {

std::vector<EmittedKernel>& all() {
  static std::vector<EmittedKernel> kernels;
  return kernels;
}

namespace {

using Bits = std::vector<std::uint32_t>;

/// The bits of each result, in an order that does not depend on that of the results.
std::vector<Bits> results_of(const ir::Module& module, std::vector<reference::Value> arguments) {
  auto const verified = rust::verified(module);
  if (!verified) {
    ADD_FAILURE() << render(verified.refusal());
    return {};
  }
  tool::RunHow how;
  how.backend = BackendKind::vector;
  auto const outcome = tool::run_module(*verified, std::move(arguments), how);
  if (!outcome) {
    ADD_FAILURE() << render(outcome.refusal());
    return {};
  }
  std::vector<Bits> results;
  for (const reference::Value& v : outcome->results) {
    Bits bits;
    for (std::int64_t i = 0; i < v.size(); ++i) bits.push_back(v[i].bits);
    results.push_back(std::move(bits));
  }
  std::sort(results.begin(), results.end());
  return results;
}

ir::Module original_of(const EmittedKernel& emitted) {
  if (!emitted.file.ends_with(".tcp")) {
    auto const crate = rust::Crate::open(emitted.file);
    for (const rust::Kernel& k : crate->kernels())
      if (k.name == emitted.kernel) return *crate->read(k, rngd).module;
    throw std::runtime_error("no kernel " + emitted.kernel);
  }
  std::ifstream in(emitted.file);
  std::stringstream text;
  text << in.rdbuf();
  std::string const content = text.str();
  auto const modules = ir::parse_all(content, emitted.file.c_str());
  for (const ir::Module& m : *modules)
    if (m.name == emitted.kernel) return m;
  throw std::runtime_error("no module " + emitted.kernel);
}

class Emitted : public testing::TestWithParam<std::size_t> {};

TEST_P(Emitted, RunsToTheSameBits) {
  const EmittedKernel& kernel = all()[GetParam()];
  SCOPED_TRACE(kernel.file + ": " + kernel.kernel);
  ir::Module const original = original_of(kernel), printed = kernel.record();
  // The arguments of a recorded kernel stand in the order of their use.
  auto const given = rust::random_arguments(original, 23);
  std::vector<reference::Value> arguments;
  for (ir::TensorId id : printed.arguments) {
    auto const number = static_cast<std::size_t>(std::stoi(printed.tensor(id).name.substr(std::string("argument ").size())));
    ASSERT_LT(number, given.size());
    arguments.push_back(given[number]);
  }
  auto const wanted = results_of(original, given);
  EXPECT_FALSE(wanted.empty());
  EXPECT_TRUE(results_of(printed, std::move(arguments)) == wanted);
  EXPECT_EQ(printed.commands.size(), original.commands.size());
}

INSTANTIATE_TEST_SUITE_P(All, Emitted, testing::Range<std::size_t>(0, all().size()), [](const auto& of) {
  std::string name = all()[of.param].kernel + "_" + std::to_string(of.param);
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

TEST(Emitted, HasKernels) { EXPECT_GE(all().size(), 20u); }

}  // namespace
}  // namespace tcp::emitted
