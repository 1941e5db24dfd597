// Totals that the book works out, and the programs that do the same here; and the page docs/accuracy.md, which has them beside what others saw (points.hpp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"

namespace tcp::accuracy {

enum class Model { Book, Detailed };

using MakeProgram = std::function<program::Program()>;

struct Reference {
  std::string name;
  double figure = 0;
  MakeProgram program = {};
  std::function<double(const Device&, Model)> ours = {};  // where it is no length of a program
};

/// In the order of the page.
const std::vector<Reference>& book_totals();

/// What a model makes of a reference; nothing where it has no say.
std::optional<double> figure_of(const Reference& reference, const Device& device, Model model);

/// docs/accuracy.md
std::string page(const Device& device);

}  // namespace tcp::accuracy
