// Our figures, the fit, and the page that shows both.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "references.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sched/calibrated.hpp"
#include "tcp/sim/detailed.hpp"
#include "unit/sched/records.hpp"

namespace tcp::accuracy {

namespace {

double makespan(const Reference& r, const Device& device, Model model) {
  program::Program const p = r.program();
  auto const length = [&](const sched::Duration& d) { return sched::schedule(p, device, d).value().makespan; };
  if (model == Model::Book) return static_cast<double>(length(sched::BookDuration(device)).value);
  if (model == Model::Detailed) {
    auto const run = sim::run_detailed(p, device);
    return run ? static_cast<double>(run->schedule.makespan.value) : 0;
  }
  auto const figures = model == Model::Planned ? sched::Figures::Planned : sched::Figures::Seen;
  sched::CalibratedDuration const model_of(device, figures);
  if (r.kind == Kind::Kernel) return static_cast<double>(length(model_of).value);
  return static_cast<double>(model_of.cost(p.commands.at(0), 0).value().total().value);
}

struct Point {
  program::Command command;
  double figure;
};
const std::vector<Point>& points_of_the_fit() {
  static const std::vector<Point> made = [] {
    std::vector<Point> points;
    for (const Reference& r : references())
      if (r.use == Use::Fit) points.push_back({r.program().commands.at(0), r.figure});
    return points;
  }();
  return made;
}

std::string one_decimal(double number) {
  std::ostringstream text;
  text.precision(1);
  text << std::fixed << number;
  return text.str();
}
/// 12,602
std::string with_commas(double number) {
  if (double const tenths = std::round(10 * number) / 10; number < 30 && tenths != std::round(number)) return one_decimal(tenths);
  std::string text = std::to_string(std::llround(number));
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}
std::string percent(double ours, double theirs) {
  double const off = std::round(1000 * (ours / theirs - 1)) / 10;
  return (off > 0 ? "+" : "") + one_decimal(off == 0 ? 0 : off) + " %";
}

/// How far a model is from figures, on average.
class Error {
 public:
  void add(double ours, double theirs) {
    sum_ += std::abs(ours / theirs - 1);
    ++count_;
  }
  std::string text() const { return one_decimal(100 * sum_ / std::max(count_, 1)) + " %"; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

const char* use_text(Use use) {
  switch (use) {
    case Use::Fit: return "fit";
    case Use::Taken: return "taken";
    default: return "no";
  }
}

class Page {
 public:
  explicit Page(const Device& device) : device_(device) {}

  std::string text() {
    text_ << "# How close the timing models are\n\n"
             "Made by `scripts/accuracy`; a test compares. Other people's figures stand beside ours, for programs of the same shape. "
             "The programs are not published: moves\n"
             "are what their descriptions say, kernels are those of `tests/timing/kernels`. All figures are cycles where nothing else is "
             "said.\n\n"
             "| model | what it is |\n|---|---|\n"
             "| `book` | the closed forms and totals of the vendor's book |\n"
             "| `planned` | `calibrated` without what only chips showed: to be compared with the plans of the vendor's scheduler |\n"
             "| `detailed` | the book's rules, request by request and access by access; it knows of no overhead either |\n"
             "| `calibrated` | what a chip is likely to take |\n\n";
    constants();
    table(Kind::Book, "Totals of the book", {Model::Book, Model::Detailed},
          "Where the book contradicts its own rule, the rule is followed (`LiteralBook` has the printed totals).");
    table(Kind::Command, "Single commands, as planned", {Model::Book, Model::Planned, Model::Detailed, Model::Calibrated}, "");
    table(Kind::Kernel, "Whole kernels, as planned", {Model::Book, Model::Planned, Model::Detailed, Model::Calibrated},
          "`planned` and `calibrated` add what comes before the first command and after the last; `book` knows of neither.");
    table(Kind::Seen, "On the chip", {Model::Book, Model::Planned, Model::Calibrated},
          "Of the three kernels only the plan is known; ours is the plan, stretched.");
    summary();
    return text_.str();
  }

 private:
  void constants() {
    int fit = 0, out = 0, taken = 0;
    for (const Reference& r : references()) {
      if (r.kind == Kind::Book) continue;
      (r.use == Use::Fit ? fit : r.use == Use::Taken ? taken : out) += 1;
    }
    text_
        << "`planned` and `calibrated` have " << fitted_constants().size()
        << " fitted constants, found by least squares of the logarithms over the " << fit << " rows marked `fit`; " << out
        << " rows had\nno part in it (`no`). In " << taken
        << " rows marked `taken` a constant of the model is the published figure itself, so that they test the form alone. The forms were\n"
           "chosen with all rows in sight, so that rows that were held out are a test of the constants, less so of the forms.\n\n"
           "| fitted | value |\n|---|---:|\n";
    Device d = device_;
    for (const Constant& c : fitted_constants()) text_ << "| `calibrated." << c.name << "` | " << c.of(d) << " |\n";
    text_ << "\n";
  }

  void table(Kind kind, const char* title, const std::vector<Model>& models, const char* note) {
    static constexpr const char* names[] = {"book", "planned", "calibrated", "detailed"};
    text_ << "## " << title << "\n\n";
    if (*note != '\0') text_ << note << "\n\n";
    text_ << "| | theirs |";
    for (Model m : models) text_ << " `" << names[static_cast<int>(m)] << "` | |";
    text_ << (kind == Kind::Book ? "\n|---|---:|" : " used |\n|---|---:|");
    for (std::size_t i = 0; i < models.size(); ++i) text_ << "---:|---:|";
    text_ << (kind == Kind::Book ? "\n" : "---|\n");
    for (const Reference& r : references())
      if (r.kind == kind) row(r, models);
    text_ << "\n";
  }

  void row(const Reference& r, const std::vector<Model>& models) {
    text_ << "| " << r.name << " | " << with_commas(r.figure) << " |";
    for (Model m : models) {
      auto const ours = figure_of(r, device_, m);
      if (!ours) {
        text_ << " - | |";
        continue;
      }
      text_ << " " << with_commas(*ours) << " | " << (compared(r.kind, m) ? percent(*ours, r.figure) : "") << " |";
      if (r.kind != Kind::Command && r.kind != Kind::Kernel) continue;
      if (r.use == Use::HeldOut && m == Model::Book) book_.add(*ours, r.figure);
      if (r.use == Use::HeldOut && m == Model::Planned) planned_.add(*ours, r.figure);
      if (r.use == Use::Fit && m == Model::Planned) fit_.add(*ours, r.figure);
    }
    if (r.kind != Kind::Book) text_ << " " << use_text(r.use) << " |";
    text_ << "\n";
  }
  /// A plan says nothing about the chip, and the other way round.
  static bool compared(Kind kind, Model m) {
    if (m == Model::Calibrated) return kind == Kind::Seen;
    return m != Model::Planned || kind != Kind::Seen;
  }

  void summary() {
    text_ << "## In short\n\n"
             "| mean error of plans | |\n|---|---:|\n"
          << "| `planned`, rows of the fit | " << fit_.text() << " |\n"
          << "| `planned`, rows held out | " << planned_.text() << " |\n"
          << "| `book`, rows held out | " << book_.text() << " |\n\n"
          << "What is public about chips is not enough to hold much out: `calibrated` is as good as the figures that it takes. No program "
             "of a kernel that was measured\n"
             "is known. Run-to-run spread on a chip is 2 to 3 %.\n\n"
             "Not in the model: what a custom switch configuration blocks while it is written, how far one cluster lags behind the other "
             "(400 to 15,000 cycles were seen\n"
             "where 600 are planned), and prologues longer than the shortest one seen (1,003 to 2,082).\n";
  }

  Device device_;
  std::ostringstream text_;
  Error fit_, planned_, book_;
};

}  // namespace

const std::vector<Reference>& references() {
  static const std::vector<Reference> made = [] {
    std::vector<Reference> all;
    for (auto const& part : {book_totals(), planned_commands(), planned_kernels(), seen_figures()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return made;
}

std::optional<double> figure_of(const Reference& reference, const Device& device, Model model) {
  double const figure = reference.ours ? reference.ours(device, model) : makespan(reference, device, model);
  return figure > 0 ? std::optional(figure) : std::nullopt;
}

const std::vector<Constant>& fitted_constants() {
  static const std::vector<Constant> made = {
      {"dma_startup", [](Device& d) -> std::int64_t& { return d.calibrated.dma_startup.value; }},
      {"request_hundredths", [](Device& d) -> std::int64_t& { return d.calibrated.request_hundredths; }},
      {"contested_write", [](Device& d) -> std::int64_t& { return d.calibrated.contested_write.value; }},
  };
  return made;
}

double distance(const Device& device) {
  sched::CalibratedDuration const model(device, sched::Figures::Planned);
  double sum = 0;
  for (const Point& p : points_of_the_fit()) {
    double const off = std::log(static_cast<double>(model.cost(p.command, 0).value().total().value) / p.figure);
    sum += off * off;
  }
  return sum;
}

Device fit(Device device) {
  double best = distance(device);
  for (std::int64_t step = 256; step > 0;) {
    bool moved = false;
    for (const Constant& c : fitted_constants())
      for (std::int64_t by : {step, -step}) {
        Device other = device;
        if (c.of(other) + by < 1) continue;
        c.of(other) += by;
        if (double const d = distance(other); d < best) {
          best = d;
          device = other;
          moved = true;
        }
      }
    if (!moved) step /= 2;
  }
  return device;
}

std::string page(const Device& device) { return Page(device).text(); }

}  // namespace tcp::accuracy
