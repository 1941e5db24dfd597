#include "generator.hpp"

#include "tcp/device/chips.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/mapper/search.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::agree {
namespace {

struct Family {
  const char* name;
  int share;  // of all programs, in percent
  void (*make)(Draft&);
};
constexpr Family families[] = {{"moves", 12, make_moves},
                               {"rows", 6, make_rows},
                               {"chips", 6, make_chips},
                               {"views", 10, make_views},
                               {"vector", 40, make_vector},
                               {"contraction", 20, make_contraction},
                               {"convolution", 5, make_convolution},
                               {"mapped", 1, make_mapped}};

/// A product of small tensors. Convolutions have more axes than the oracle counts.
std::string some_formula(Draft& d) {
  auto const size = [&](std::int64_t most) {
    return std::to_string(1 + static_cast<std::int64_t>(d.random.below(static_cast<std::uint64_t>(most))));
  };
  auto const type = [&] { return std::string(d.chance(60) ? "bf16" : d.chance(50) ? "f8e4m3" : "i8"); };
  std::string const t = type(), any = d.chance(50) ? "{any}" : "";
  const char* const around[] = {"SUM", "SUM + v[f]", "relu(SUM)", "gelu(SUM + v[f])", "(SUM) * 0.5"};
  std::string formula = around[t == "i8" ? 0 : d.random.below(5)];
  bool const batches = d.chance(30);
  const char* const b = batches ? "b," : "";
  std::string const product = "sum[k] x: " + t + "[" + b + "m,k] * w0: " + t + "[" + b + "f,k]" + any;
  if (auto const at = formula.find("SUM"); at != std::string::npos) formula.replace(at, 3, product);
  std::string where = " where m = " + size(24) + ", f = " + size(24) + ", k = ";
  if (d.chance(15)) {  // the greatest product, of full packets
    formula.replace(formula.find("sum[k]"), 6, "max[k]");
    where += t == "bf16" ? "32" : "64";
  } else {
    where += size(70);
  }
  if (!batches) return "y[m,f] = " + formula + where;
  return "y[b,m,f] = " + formula + where + ", b = " + size(5);
}

}  // namespace

void make_mapped(Draft& d) {
  auto const formula = formula::parse(some_formula(d));
  if (!formula) throw Refused(formula.refusal());
  auto const product = value_or_throw(mapper::product_of(*formula));
  mapper::SearchOptions options;
  options.plans = 4;
  options.dual = d.chance(70);
  auto const found = value_or_throw(mapper::search(*d.program.device, product, options));
  auto const kernel = value_or_throw(mapper::make_kernel(*d.program.device, d.one_of(found.tried).mapping));
  d.module = value_or_throw(mapper::record(*d.program.device, kernel)).module();
  for (ir::TensorId id : d.module.arguments) {
    const ir::Tensor& t = d.module.tensor(id);
    d.program.arguments.push_back(d.filled(t.type, d.module.levels(t), Fill::small));
  }
}

Program generate(std::uint64_t seed) {
  Random choice(seed * 0x9e3779b97f4a7c15u + 1);
  std::uint64_t at = choice.below(100);
  const Family* family = families;
  while (at >= static_cast<std::uint64_t>(family->share)) at -= static_cast<std::uint64_t>(family++->share);
  std::uint64_t const device = choice.below(10);
  std::uint64_t const chips = choice.below(10);
  bool const many = family->make == make_chips, mapped = family->make == make_mapped;
  Draft draft(seed, family->name,
              device < 6 || mapped ? rngd
              : device < 7         ? rngd_s
                                   : logical,
              mapped       ? 1
              : many       ? (chips < 5 ? 2 : 4)
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
