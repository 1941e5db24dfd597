// Passes a launch on to the reference interpreter.
#include "runtime/backends.hpp"

#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/reference/run.hpp"

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

}  // namespace tcp
