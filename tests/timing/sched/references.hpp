// What others published about the time that things take on this chip, and the programs that do the same here.
//
// A figure is compared with what the timing models make of a program of the same shape. The programs themselves are not published: the moves are what their
// descriptions say, the kernels those of the lessons, with the operand that waits in a register file loaded first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"

namespace tcp::accuracy {

enum class Kind {
  Book,     // a total that the book works out
  Command,  // what the vendor's planner expects of one command
  Kernel,   // of a whole kernel
  Seen      // what a chip took
};
enum class Use {
  HeldOut,
  Fit,
  Taken  // a constant of the model is this figure, so that the row tests the form alone
};
enum class Model { Book, Planned, Calibrated, Detailed };

using MakeProgram = std::function<program::Program()>;

struct Reference {
  Kind kind = Kind::Command;
  std::string name;
  double figure = 0;
  Use use = Use::HeldOut;
  MakeProgram program = {};
  std::function<double(const Device&, Model)> ours = {};  // where it is no length of a program
};

/// In the order of the page.
const std::vector<Reference>& references();
std::vector<Reference> book_totals();
std::vector<Reference> planned_commands();
std::vector<Reference> planned_kernels();
std::vector<Reference> seen_figures();

/// What a model makes of a reference; nothing where it has no say.
std::optional<double> figure_of(const Reference& reference, const Device& device, Model model);

/// A number that is fitted.
struct Constant {
  const char* name;
  std::int64_t& (*of)(Device&);
};
const std::vector<Constant>& fitted_constants();

/// How far the plans of the model are from the points of the fit: the sum of the squares of the logarithms of ours by theirs.
double distance(const Device& device);
/// Makes that sum least, one constant after the other, until none moves.
Device fit(Device device);

/// docs/accuracy.md
std::string page(const Device& device);

}  // namespace tcp::accuracy
