#include "executor.hpp"

#include <algorithm>

#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"

namespace tcp::agree {
namespace {

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
  Ran run(const Program& program, const ir::Facts& facts, bool check) const override {
    std::vector<reference::Value> arguments;
    for (const Numbers& n : program.arguments) arguments.push_back(value_of(n));
    reference::Options options;
    options.check = check;
    auto const outcome = reference::run(program.module, facts, std::move(arguments), options);
    Ran ran;
    if (!outcome) ran.refused = outcome.refusal().code;
    else
      for (const reference::Value& v : outcome->results) ran.results.push_back(numbers_of(v));
    return ran;
  }
};

/// The vector interpreter takes and gives images; the reference interpreter's say where elements lie in them.
class Vector : public Executor {
 public:
  Vector(const char* name, int threads, bool portable) : name_(name), threads_(threads), portable_(portable) {}
  const char* name() const override { return name_; }
  Ran run(const Program& program, const ir::Facts& facts, bool check) const override {
    std::vector<std::shared_ptr<const vector::Image>> arguments;
    for (std::size_t i = 0; i < program.arguments.size(); ++i) {
      const ir::Tensor& t = program.module.tensor(program.module.arguments[i]);
      arguments.push_back(
          std::make_shared<const vector::Image>(reference::to_image(value_of(program.arguments[i]), program.module.levels(t))));
    }
    vector::Options options;
    options.check = check;
    options.threads = threads_;
    options.portable = portable_;
    auto const images = vector::run(program.module, facts, arguments, options);
    Ran ran;
    if (!images) ran.refused = images.refusal().code;
    else
      for (std::size_t i = 0; i < images->size(); ++i) {
        const ir::Tensor& t = program.module.tensor(program.module.results[i]);
        ran.results.push_back(numbers_of(reference::from_image((*images)[i], t.type, program.module.levels(t))));
      }
    return ran;
  }

 private:
  const char* name_;
  int threads_;
  bool portable_;
};

}  // namespace

std::vector<std::unique_ptr<Executor>> executors() {
  std::vector<std::unique_ptr<Executor>> all;
  all.push_back(std::make_unique<Reference>());
  all.push_back(std::make_unique<Vector>("vector", 1, false));
  all.push_back(std::make_unique<Vector>("vector, two threads", 2, false));
  all.push_back(std::make_unique<Vector>("vector, portable", 1, true));
  return all;
}

}  // namespace tcp::agree
