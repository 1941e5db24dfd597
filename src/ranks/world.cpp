// MPI: messages without waiting for each other, and agreements over all ranks.
#include "tcp/ranks/world.hpp"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>

#include "tcp/runtime/wrapped.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::ranks {
namespace {

/// MPI counts in int.
constexpr std::size_t longest = std::size_t{1} << 30;

class MpiWire : public Wire {
 public:
  int rank() const override { return asked(MPI_Comm_rank); }
  int size() const override { return asked(MPI_Comm_size); }

  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::vector<MPI_Request> requests;
    for (const Incoming& i : in)
      for (std::size_t at = 0; at < i.bytes.size(); at += longest)
        MPI_Irecv(i.bytes.data() + at, length(i.bytes.size() - at), MPI_BYTE, i.from, tag, MPI_COMM_WORLD, &requests.emplace_back());
    for (const Outgoing& o : out)
      for (std::size_t at = 0; at < o.bytes.size(); at += longest)
        MPI_Isend(o.bytes.data() + at, length(o.bytes.size() - at), MPI_BYTE, o.to, tag, MPI_COMM_WORLD, &requests.emplace_back());
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  void largest(std::span<std::uint64_t> numbers) override {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  }

 private:
  static constexpr int tag = 1;
  static int length(std::size_t left) { return static_cast<int>(std::min(left, longest)); }
  static int asked(int (*ask)(MPI_Comm, int*)) {
    int number = 0;
    ask(MPI_COMM_WORLD, &number);
    return number;
  }
};

}  // namespace

Verdict check_options(const ContextOptions& options, int ranks, Where at) {
  if (options.chips < ranks)
    return refuse("ranks-more-than-chips", at)
        .what(options.chips, " chips over ", ranks, " ranks")
        .why("each rank has one chip at least, and a chip belongs to one rank")
        .help("start at most ", options.chips, " ranks: mpirun -n ", options.chips, ", or ask for more chips");
  if (ranks > 1 && (options.trace != nullptr || options.on_trace != nullptr))
    return refuse("ranks-trace", at)
        .what("a trace is asked for, over ", ranks, " ranks")
        .why("each rank simulates its own chips, and none sees the others' commands and the PCIe between them")
        .help("plan or simulate all chips in one process: without mpirun, or with -n 1");
  return accept();
}

World::World(int* argc, char*** argv) : wire_(std::make_unique<MpiWire>()) {
  // Kernels run on a thread of their own, one after the other.
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &neighbours_);
  MPI_Comm_free(&here);
}
World::~World() {
  if (std::uncaught_exceptions() > 0) end_run(1);
  MPI_Finalize();
}
int World::rank() const { return wire_->rank(); }
int World::size() const { return wire_->size(); }

Context World::acquire(ContextOptions options, Where at) {
  if (options.threads == 0) options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / neighbours_);
  if (size() == 1 || options.backend == BackendKind::plan) return Context::acquire(options, at);
  throw_if_refused(check_options(options, size(), at));
  return acquire_wrapped(
      options, [&](std::unique_ptr<Backend> inner) { return over_ranks(std::move(inner), *wire_, shares(options.chips), &traffic_); }, at);
}

std::vector<std::string> World::gathered(std::string_view mine) {
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size()), 0);
  sizes[static_cast<std::size_t>(rank())] = mine.size();
  wire_->largest(sizes);
  std::vector<std::string> all;
  for (std::uint64_t n : sizes) all.emplace_back(n, '\0');
  all[static_cast<std::size_t>(rank())] = mine;
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int r = 0; r < size(); ++r) {
    if (r == rank()) continue;
    out.push_back({r, std::as_bytes(std::span(mine))});
    in.push_back({r, std::as_writable_bytes(std::span(all[static_cast<std::size_t>(r)]))});
  }
  wire_->exchange(out, in);
  return all;
}

bool World::all_meet(double seconds) {
  MPI_Request met = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &met);
  auto const end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int done = 0;
  while (done == 0 && std::chrono::steady_clock::now() < end) {
    MPI_Test(&met, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return done != 0;
}

void World::end_run(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));  // MPI_Abort does not return
}

}  // namespace tcp::ranks
