// The page that has our figures beside those of others.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "points.hpp"
#include "references.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/sim/detailed.hpp"

namespace tcp::accuracy {

namespace {

double makespan(const Reference& r, const Device& device, Model model) {
  program::Program const p = r.program();
  if (model == Model::Book) return static_cast<double>(sched::schedule(p, device, sched::BookDuration(device)).value().makespan.value);
  auto const run = sim::run_detailed(p, device);
  return run ? static_cast<double>(run->schedule.makespan.value) : 0;
}

std::string decimals(double number, int digits) {
  std::ostringstream text;
  text.precision(digits);
  text << std::fixed << number;
  return text.str();
}
/// 12,602
std::string with_commas(double number) {
  std::string text = std::to_string(std::llround(std::abs(number)));
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return (number <= -0.5 ? "-" : "") + text;
}
std::string percent(double mine, double theirs) {
  double const off = std::round(1000 * (mine / theirs - 1)) / 10;
  return (off > 0 ? "+" : "") + decimals(off == 0 ? 0 : off, 1) + " %";
}

class Page {
 public:
  explicit Page(const Device& device) : device_(device) {}

  std::string text() {
    text_ << "# How close the timing models are\n\n"
             "Made by `scripts/accuracy`; a test compares. Published figures are beside ours, for the programs of "
             "`tests/timing/points`. "
             "All figures are cycles of the core\n"
             "clock. What chips took was published in ticks of a counter that runs at twice that clock, and is halved here.\n\n"
             "| model | what it is |\n|---|---|\n"
             "| `book` | the closed forms and totals of the vendor's book |\n"
             "| `planned` | what the vendor's scheduler would plan: commands are taken in the order that suits it |\n"
             "| `calibrated` | what a chip is likely to take |\n"
             "| `detailed` | the book's rules, request by request and access by access; it knows of no overhead |\n\n";
    summary();
    book();
    table(Seen::Plan, "Plans", "planned");
    table(Seen::Chip, "Chips", "calibrated");
    changes_of(Seen::Plan, "Changes, as planned");
    changes_of(Seen::Chip, "Changes, on chips");
    return text_.str();
  }

 private:
  void summary() {
    text_ << "| | `planned` against plans | `calibrated` against chips |\n|---|---:|---:|\n| mean of the logarithm of ours by theirs, "
             "without its sign |";
    for (Seen seen : {Seen::Plan, Seen::Chip}) text_ << " " << decimals(mean_error(seen, device_), 3) << " |";
    text_ << "\n| the same by numbers that were fitted to the rows of the other mechanisms |";
    for (Seen seen : {Seen::Plan, Seen::Chip}) text_ << " " << decimals(mean_error_without_mechanism(seen, device_), 3) << " |";
    text_ << "\n| changes that go the right way |";
    for (Seen seen : {Seen::Plan, Seen::Chip}) text_ << " " << decimals(100 * changes_right(seen, device_), 0) << " % |";
    text_ << "\n\nThe numbers of both models were chosen with these rows in sight. For the second line each mechanism was left out in "
             "turn: the numbers "
             "were fitted to the rows of all\n"
             "others (as `tcp fit` does it), and the error is that of the rows which took no part. A number that no other row tells stays "
             "what "
             "its source in the chip file says.\nChips vary by 2 to 4 % from run to run, and by up to 15 "
             "% between jobs.\n"
             "A change below 1 % of its program counts as right if the model says less than 2 %.\n\n";
  }

  void book() {
    text_ << "## Totals of the book\n\nWhere the book contradicts its own rule, the rule is followed (`LiteralBook` has the printed "
             "totals).\n\n"
             "| | theirs | `book` | | `detailed` | |\n|---|---:|---:|---:|---:|---:|\n";
    for (const Reference& r : book_totals()) {
      text_ << "| " << r.name << " | " << with_commas(r.figure) << " |";
      for (Model m : {Model::Book, Model::Detailed}) {
        auto const mine = figure_of(r, device_, m);
        if (mine) text_ << " " << with_commas(*mine) << " | " << percent(*mine, r.figure) << " |";
        else text_ << " - | |";
      }
      text_ << "\n";
    }
    text_ << "\n";
  }

  void table(Seen seen, const char* title, const char* model) {
    text_ << "## " << title << "\n\n| mechanism | | theirs | `" << model << "` | |\n|---|---|---:|---:|---:|\n";
    for (const Point& p : points())
      if (auto const theirs = p.figure(seen)) {
        double const mine = ours(p, seen, device_);
        text_ << "| " << p.mechanism << " | " << p.what << " | " << with_commas(*theirs) << " | " << with_commas(mine) << " | "
              << percent(mine, *theirs) << " |\n";
      }
    text_ << "\n";
  }

  void changes_of(Seen seen, const char* title) {
    text_ << "## " << title << "\n\n| mechanism | | theirs | ours | |\n|---|---|---:|---:|---|\n";
    for (const Change& c : changes()) {
      if (c.seen != seen) continue;
      auto const [before, after] = ours(c, device_);
      text_ << "| " << c.mechanism << " | " << c.what << " | " << with_commas(c.cycles) << " | " << with_commas(after - before) << " | "
            << (agrees(c, device_) ? "" : "wrong") << " |\n";
    }
    text_ << (seen == Seen::Plan ? "\n" : "");
  }

  Device device_;
  std::ostringstream text_;
};

}  // namespace

std::optional<double> figure_of(const Reference& reference, const Device& device, Model model) {
  double const figure = reference.ours ? reference.ours(device, model) : makespan(reference, device, model);
  return figure > 0 ? std::optional(figure) : std::nullopt;
}

std::string page(const Device& device) { return Page(device).text(); }

}  // namespace tcp::accuracy
