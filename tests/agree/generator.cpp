#include "generator.hpp"

#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"

namespace tcp::agree {
namespace {

struct Family {
  const char* name;
  int share;  // of all programs, in percent
  void (*make)(Draft&);
};
constexpr Family families[] = {{"moves", 12, make_moves},           {"rows", 6, make_rows},      {"chips", 6, make_chips},
                               {"views", 10, make_views},           {"vector", 40, make_vector}, {"contraction", 20, make_contraction},
                               {"convolution", 6, make_convolution}};

}  // namespace

Program generate(std::uint64_t seed) {
  Random choice(seed * 0x9e3779b97f4a7c15u + 1);
  std::uint64_t at = choice.below(100);
  const Family* family = families;
  while (at >= static_cast<std::uint64_t>(family->share)) at -= static_cast<std::uint64_t>(family++->share);
  std::uint64_t const device = choice.below(10);
  std::uint64_t const chips = choice.below(10);
  bool const many = family->make == make_chips;
  Draft draft(seed, family->name,
              device < 6   ? rngd
              : device < 7 ? rngd_s
                           : logical,
              many         ? (chips < 5 ? 2 : 4)
              : chips == 0 ? 2
              : chips == 1 ? 4
                           : 1);
  family->make(draft);
  return std::move(draft.program);
}

Expected<Program> from_text(const std::string& text, const std::string& name, std::uint64_t seed) {
  auto module = ir::parse(text, name.c_str());
  if (!module) return module.refusal();
  const Device& on = text.starts_with("// rngd_s\n") ? rngd_s : text.starts_with("// logical\n") ? logical : rngd;
  Draft draft(seed, "text", on, module->chips);
  draft.module = *std::move(module);
  for (ir::TensorId id : draft.module.arguments) {
    const ir::Tensor& t = draft.module.tensor(id);
    draft.program.arguments.push_back(draft.filled(t.type, draft.module.levels(t), Fill::small));
  }
  return std::move(draft.program);
}

}  // namespace tcp::agree
