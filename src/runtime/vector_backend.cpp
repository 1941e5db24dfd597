// Passes a launch on to the vector interpreter, with the threads that it may use.
#include "runtime/backends.hpp"

#include <algorithm>
#include <thread>

#include "tcp/exec/vector/run.hpp"

namespace tcp {

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

}  // namespace tcp
