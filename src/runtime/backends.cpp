// Passes launches on to the interpreters, and the backend that computes nothing but time.
#include "runtime/backends.hpp"

#include <algorithm>
#include <thread>

#include "runtime/trace_files.hpp"
#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

namespace {

class ReferenceBackend : public Backend {
 public:
  std::string_view name() const override { return "reference"; }

  Expected<Images> run(const ir::Verified& verified, const Images& arguments, const RunOptions& options) override {
    const ir::Module& module = verified.module();
    std::vector<reference::Value> values;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ir::Tensor& t = module.tensor(module.arguments[i]);
      values.push_back(reference::from_image(*arguments[i], t.type, module.levels(t)));
    }
    reference::Options how;
    how.check = options.check;
    how.on_progress = options.on_progress;
    auto const outcome = reference::run(verified, std::move(values), how);
    if (!outcome) return outcome.refusal();
    Images images;
    for (std::size_t i = 0; i < outcome->results.size(); ++i)
      images.push_back(
          std::make_shared<const Image>(reference::to_image(outcome->results[i], module.levels(module.tensor(module.results[i])))));
    return images;
  }
};

}  // namespace

std::unique_ptr<Backend> make_reference_backend() { return std::make_unique<ReferenceBackend>(); }

// Passes a launch on to the vector interpreter, with the threads that it may use.

namespace {

class VectorBackend : public Backend {
 public:
  explicit VectorBackend(int threads)
      : threads_(threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))) {}

  std::string_view name() const override { return "vector"; }

  Expected<Images> run(const ir::Verified& module, const Images& arguments, const RunOptions& options) override {
    vector::Options how;
    how.check = options.check;
    how.threads = threads_;
    how.on_progress = options.on_progress;
    return vector::run(module, arguments, how);
  }

 private:
  int threads_;
};

}  // namespace

std::unique_ptr<Backend> make_vector_backend(int threads) { return std::make_unique<VectorBackend>(threads); }

// Lowers a launch and puts its commands in time if a trace is asked for, and leaves zeros in place of results: so a
// program that launches kernels tells how long they take in the time that it takes to record them.

namespace {

class PlanBackend : public Backend {
 public:
  explicit PlanBackend(const ContextOptions& options)
      : options_(options), model_(options.model), trace_(options.trace == nullptr ? "" : options.trace) {}

  std::string_view name() const override { return "plan"; }

  Expected<Images> run(const ir::Verified& module, const Images&, const RunOptions& options) override {
    bool const traced = !trace_.empty() || options_.on_trace != nullptr;
    if (options.kernel && traced)
      if (auto v = write_plan(module); !v) return v.refusal();
    return zeros(module.module());
  }

 private:
  Verdict write_plan(const ir::Verified& module) const {
    auto const program = lower::lower(module);
    if (!program) return program.refusal();
    auto const made = plan(*program, module.device(), {.model = model_, .reorder = options_.reorder});
    if (!made) return made.refusal();
    trace::Trace const trace = trace_of(*program, *made, module.device());
    if (options_.on_trace != nullptr) options_.on_trace(options_.trace_user, trace);
    return trace_.empty() ? accept() : write_trace(trace, trace_);
  }

  static Images zeros(const ir::Module& module) {
    Images all;
    for (ir::TensorId id : module.results) {
      const ir::Tensor& t = module.tensor(id);
      Levels const levels = module.levels(t);
      std::int64_t const memories = levels[Level::chip].size * levels[Level::cluster].size * levels[Level::slice].size;
      std::int64_t const bytes = ceil_div(levels[Level::element].size * scalar_info(t.type).packet_bits, 8);
      all.push_back(std::make_shared<const Image>(static_cast<std::size_t>(memories * bytes)));
    }
    return all;
  }

  ContextOptions options_;
  std::string model_, trace_;  // the latter empty: none
};

}  // namespace

std::unique_ptr<Backend> make_plan_backend(const ContextOptions& options) { return std::make_unique<PlanBackend>(options); }

}  // namespace tcp
