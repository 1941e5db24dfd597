// Runs a kernel that was read from Rust, on every backend.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "module_run.hpp"
#include "run_module.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/rust/crate.hpp"
#include "tcp/support/render.hpp"

namespace tcp::rust {

/// The rows of the table that an argument counts, if it is the index of a gather or scatter.
inline std::optional<std::int64_t> rows_counted_by(const ir::Module& module, ir::TensorId argument) {
  for (const ir::Command& c : module.commands) {
    const auto* const t = std::get_if<ir::Transfer>(&c.what);
    if (t == nullptr || t->rows == ir::none || module.root_of(t->rows) != argument) continue;
    ir::TensorId const table = t->kind == ir::Transfer::Kind::gather ? t->source : t->destination;
    for (const reference::Value::Axis& a : reference::axes_of(module.levels(module.tensor(table))))
      if (a.name == t->row_axis) return a.size;
  }
  return {};
}

/// Random values; of an index, rows that are there, and none of them twice while they last.
inline std::vector<reference::Value> random_arguments(const ir::Module& module, std::uint64_t seed) {
  std::vector<reference::Value> all;
  for (std::size_t i = 0; i < module.arguments.size(); ++i) {
    all.push_back(tool::random_value(tool::wanted_for(module, module.arguments[i]), seed + i));
    if (auto const rows = rows_counted_by(module, module.arguments[i]))
      for (std::int64_t k = 0; k < all.back().size(); ++k) all.back()[k].bits = static_cast<std::uint32_t>(7 * k % *rows);
  }
  return all;
}

/// Bits of all results, one after the other; fails the test if the module is refused.
inline std::vector<std::uint32_t> bits_of(const ir::Verified& module, BackendKind backend, std::uint64_t seed) {
  program::Schedule schedule;
  Device const device = rngd;
  tool::RunHow how;
  how.backend = backend;
  how.device = {&device, "book", false, "", false, &schedule};
  auto const outcome = tool::run_module(module, random_arguments(module.module(), seed), how);
  std::vector<std::uint32_t> bits;
  if (!outcome) {
    ADD_FAILURE() << name_of(backend) << ": " << render(outcome.refusal());
    return bits;
  }
  for (const reference::Value& v : outcome->results)
    for (std::int64_t i = 0; i < v.size(); ++i) bits.push_back(v[i].bits);
  return bits;
}

inline Expected<ir::Verified> verified(const ir::Module& module) {
  auto v = ir::verify(module, rngd);
  if (!v) return v;
  return ir::placed(*std::move(v));
}

/// The text of all errors; empty: there are none.
inline std::string words_of(const std::vector<SourceError>& errors) {
  std::string out;
  for (const SourceError& e : errors) out += render(e.refusal) + "\n" + e.line_text + "\n";
  return out;
}

}  // namespace tcp::rust
