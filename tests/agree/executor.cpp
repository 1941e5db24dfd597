// Runs a program through each executor, and through check and both encodings.
#include <algorithm>

#include "../lower_module.hpp"
#include "executor.hpp"
#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/check.hpp"
#include "tcp/program/encode.hpp"
#include "tcp/program/print.hpp"
#include "tcp/runtime/simulate.hpp"
#include "tcp/support/render.hpp"
#ifdef TCP_WITH_RANKS
#include "../over_threads.hpp"
#endif

namespace tcp::agree {
namespace {

Ran refused_by(const Refusal& refusal) {
  Ran ran;
  ran.refused = refusal.code;
  ran.says = std::string(refusal.sentence().view());
  return ran;
}

reference::Value value_of(const Numbers& numbers) {
  std::vector<reference::Value::Axis> axes;
  for (const Numbers::Axis& a : numbers.axes) axes.push_back({a.name, a.size});
  reference::Value v(numbers.type, std::move(axes));
  for (std::int64_t i = 0; i < v.size(); ++i) v[i].bits = numbers.bits[static_cast<std::size_t>(i)];
  return v;
}
Numbers numbers_of(const reference::Value& value) {
  Numbers n;
  n.type = value.type;
  for (const reference::Value::Axis& a : value.axes()) n.axes.push_back({a.name, a.size});
  for (std::int64_t i = 0; i < value.size(); ++i) {
    n.bits.push_back(value[i].bits);
    n.undefined.push_back(value[i].undefined != 0);
  }
  return n;
}

class Reference : public Executor {
 public:
  const char* name() const override { return "reference"; }
  Ran run(const Task& task, bool check) const override {
    std::vector<reference::Value> arguments;
    for (const Numbers& n : task.program.arguments) arguments.push_back(value_of(n));
    reference::Options options;
    options.check = check;
    auto const outcome = reference::run(task.verified, std::move(arguments), options);
    if (!outcome) return refused_by(outcome.refusal());
    Ran ran;
    for (const reference::Value& v : outcome->results) ran.results.push_back(numbers_of(v));
    return ran;
  }
};

Ran ran_from(const Task& task, const Expected<Images>& images) {
  if (!images) return refused_by(images.refusal());
  Ran ran;
  for (std::size_t i = 0; i < images->size(); ++i) ran.results.push_back(task.read(i, (*images)[i]));
  return ran;
}

/// The vector interpreter takes and gives images; the reference interpreter's say where elements lie in them.
class Vector : public Executor {
 public:
  Vector(const char* name, int threads, bool portable) : name_(name), threads_(threads), portable_(portable) {}
  const char* name() const override { return name_; }
  Ran run(const Task& task, bool check) const override {
    vector::Options options;
    options.check = check;
    options.threads = threads_;
    options.portable = portable_;
    return ran_from(task, vector::run(task.verified, task.arguments(), options));
  }

 private:
  const char* name_;
  int threads_;
  bool portable_;
};

/// The compiler and the simulated chip.
class OnDevice : public Executor {
 public:
  OnDevice(const char* name, bool packet_by_packet) : name_(name), packet_by_packet_(packet_by_packet) {}
  const char* name() const override { return name_; }
  bool knows_names() const override { return false; }
  Ran run(const Task& task, bool check) const override {
    if (!task.lowered()) {
      Ran ran;
      ran.limit = task.lowered().refusal().code;
      return ran;
    }
    SimulateOptions options;
    options.check = check;
    options.machine.packet_by_packet = packet_by_packet_;
    return ran_from(task, simulate(task.program.module, *task.program.device, *task.lowered(), task.arguments(), options));
  }
  /// The command that wrote the element, the program with every configuration, and a test to paste.
  std::string explain(const Program& program, std::size_t result, const Index& index) const override {
    auto const lowered = build::lower_module(program.module, *program.device);
    if (!lowered) return {};
    const ir::Tensor& t = program.module.tensor(program.module.results[result]);
    Place place;
    std::int64_t address = lowered->results[result].address;
    if (find_place(program.module.levels(t), index, place)) address += place.element * scalar_info(t.type).packet_bits / 8;
    std::string says;
    for (std::size_t i = lowered->commands.size(); i-- > 0 && says.empty();)
      for (const program::Range& r : lowered->commands[i].writes)
        if (r.memory == program::Memory::Hbm && r.begin <= address && address < r.end)
          says = "  last written by command " + std::to_string(i) + ", HBM address " + std::to_string(address) + "\n";
    says += program::print(*lowered);
    return says + "TEST(Device, Seed" + std::to_string(program.seed) + ") {\n  auto const module = ir::parse(R\"tcp(" +
           ir::print(program.module) + ")tcp\", \"seed\");\n  // arguments: agree::generate(" + std::to_string(program.seed) +
           ").arguments\n}\n";
  }

 private:
  const char* name_;
  bool packet_by_packet_;
};

#ifdef TCP_WITH_RANKS
/// Chips shared out over ranks, which are threads here.
class OverRanks : public Executor {
 public:
  OverRanks(const char* name, int ranks) : name_(name), ranks_(ranks) {}
  const char* name() const override { return name_; }
  /// On one chip, the second rank looks on: now and then is enough.
  bool wants(const Program& program) const override { return program.module.chips > 1 || program.seed % 8 == 0; }
  Ran run(const Task& task, bool check) const override {
    std::int64_t const chips = std::max<std::int64_t>(task.program.module.chips, ranks_);
    auto const made = ranks::over_threads(task.verified, task.arguments(), ranks_, chips, check);
    return ran_from(task, made.results.back());
  }

 private:
  const char* name_;
  int ranks_;
};
#endif

}  // namespace

std::vector<std::unique_ptr<Executor>> executors() {
  std::vector<std::unique_ptr<Executor>> all;
  all.push_back(std::make_unique<Reference>());
  all.push_back(std::make_unique<Vector>("vector", 1, false));
  all.push_back(std::make_unique<Vector>("vector, two threads", 2, false));
  all.push_back(std::make_unique<Vector>("vector, portable", 1, true));
  all.push_back(std::make_unique<OnDevice>("device", false));
  all.push_back(std::make_unique<OnDevice>("device, packet by packet", true));
#ifdef TCP_WITH_RANKS
  all.push_back(std::make_unique<OverRanks>("two ranks", 2));
#endif
  return all;
}

const Images& Task::arguments() const {
  if (arguments_) return *arguments_;
  arguments_.emplace();
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    const ir::Tensor& t = program.module.tensor(program.module.arguments[i]);
    arguments_->push_back(std::make_shared<const Image>(reference::to_image(value_of(program.arguments[i]), program.module.levels(t))));
  }
  return *arguments_;
}

const Expected<program::Program>& Task::lowered() const {
  if (!lowered_) lowered_.emplace(lower::lower(verified));
  return *lowered_;
}

const Numbers& Task::read(std::size_t result, const std::shared_ptr<const Image>& image) const {
  if (read_.size() <= result) read_.resize(result + 1);
  Read& last = read_[result];
  if (last.image && *last.image == *image) return last.numbers;
  const ir::Tensor& t = program.module.tensor(program.module.results[result]);
  last = {image, numbers_of(reference::from_image(*image, t.type, program.module.levels(t)))};
  return last.numbers;
}

std::string encoding_fault(const Task& task) {
  const Expected<program::Program>& lowered = task.lowered();
  if (!lowered) return "";
  if (auto const v = program::check(*lowered, *task.program.device); !v) return "check: " + render(v.refusal());
  auto const bytes = program::encode(*lowered);
  auto const decoded = program::decode(bytes);
  if (!decoded) return "binary: " + render(decoded.refusal());
  if (*decoded != *lowered) return "the binary form brings another program back";
  auto const read = program::from_json(program::to_json(*lowered));
  if (!read) return "JSON: " + render(read.refusal());
  if (*read != *lowered) return "JSON brings another program back";
  if (program::print(*lowered) != program::print(*read)) return "it is not printed alike twice";
  return "";
}

}  // namespace tcp::agree
