// Values that only the run knows: indices of gather and scatter, and results that depend on what was never written.
#include "helpers/asked.hpp"
#include "helpers/kernels.hpp"
#include "helpers/program.hpp"
#include "refuse_test.hpp"
#include "tcp/exec/reference/operations.hpp"
#include "tcp/exec/reference/run.hpp"
#include "tcp/support/room.hpp"

using namespace tcp;
using namespace tcp_refuse;

// For the kernels of this page:
namespace {
TCP_AXES(V = 4, T = 2);
using Table = HbmTensor<i32, Chip, m<V>>;
using Rows = HbmTensor<i32, Chip, m<T>>;

auto picked(Context& ctx, const Table& table, const Rows& rows) { return table.gather_to_hbm<V, m<T>>(ctx.tdma, rows, 1 << 20); }
void written(Context& ctx, const Rows& values, const Rows& rows, Table& table) { values.scatter<V>(ctx.tdma, rows, table.view_mut()); }

auto look_up(const int (&rows)[2]) {
  auto ctx = Context::acquire(ContextOptions{});
  auto const table = HostTensor<i32, m<V>>().to_hbm<Chip, m<V>>(ctx.pdma, 0);
  auto const index = HostTensor<i32, m<T>>::from(rows).to_hbm<Chip, m<T>>(ctx.pdma, 4096);
  return launch(picked, ctx, table, index).get().to_host<m<T>>(ctx.pdma);
}
auto put(const int (&rows)[2]) {
  auto ctx = Context::acquire(ContextOptions{});
  auto table = HostTensor<i32, m<V>>().to_hbm<Chip, m<V>>(ctx.pdma, 0);
  auto const index = HostTensor<i32, m<T>>::from(rows).to_hbm<Chip, m<T>>(ctx.pdma, 4096);
  auto const values = HostTensor<i32, m<T>>().to_hbm<Chip, m<T>>(ctx.pdma, 8192);
  launch(written, ctx, values, index, table).wait();
  return table.to_host<m<V>>(ctx.pdma);
}

}  // namespace

// # exec-no-such-row
// A gather or scatter adds the number of a row to an address. The chip does not look whether there is such a row; the interpreters do, and stop.
// run time only: it depends on values
namespace exec_no_such_row {
auto before() {
  int const rows[] = {0, 4};
  return look_up(rows);
}
auto after() {
  int const rows[] = {0, 3};
  return look_up(rows);
}
// error[exec-no-such-row]: the index tensor names row 4 of a table of 4 rows; help: keep the numbers between 0 and 3
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace exec_no_such_row

// # exec-out-of-memory
// An interpreter, or the simulated chip, has no room for what the kernel holds. The reference interpreter keeps a note for each element on whether it is defined, and
// takes several times the size of the tensors; the vector interpreter takes the least.
// run time only: memory is asked for when the program runs
// no kernel: every kernel can, on a machine that is too small for it
namespace exec_out_of_memory {
// error[exec-out-of-memory]: the kernel takes more memory than the system gives; help: take smaller tensors, end other programs, choose the backend vector, or use a larger machine
REFUSED_AT_RUN_TIME {
  return within_memory([]() -> Expected<int> { throw std::bad_alloc(); }).refusal();
}
// error[exec-out-of-memory]: the kernel takes more memory than the system gives; help: take smaller tensors, end other programs, choose the backend vector, or use a larger machine
REFUSED_AT_RUN_TIME {
  return outcome([] {
           auto ctx = Context::acquire(ContextOptions{});
           launch([](Context&) { throw std::bad_alloc(); }, ctx).get();
         })
      .refusal();
}
}  // namespace exec_out_of_memory

// # exec-row-twice
// A scatter writes each row that the index tensor names. If one is named twice, two values compete for it, and which of them stays is unspecified.
// run time only: it depends on values
namespace exec_row_twice {
auto before() {
  int const rows[] = {3, 3};
  return put(rows);
}
auto after() {
  int const rows[] = {3, 1};
  return put(rows);
}
// error[exec-row-twice]: the index tensor of a scatter names row 3 twice; help: scatter each row once
REFUSED_AT_RUN_TIME { return outcome(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return outcome(after); }
}  // namespace exec_row_twice

// # exec-undefined-result
// Padding, and memory that nothing has written, hold whatever was there before. If such a value decides an element of a result, the kernel has no meaning; the report names
// the tensor it came from. With the check off the interpreter reads zero.
// run time only: it depends on values
namespace exec_undefined_result {
TCP_AXES(A = 2048);
using InDm = DmTensor<i32, Chip, Cluster, m<A / 8>, m<A % 8>>;
auto before(Context& ctx, const HbmTensor<i32, Chip, m<A>>&) {
  auto const dm = InDm::from_addr(0);
  return dm.to_hbm<m<A>>(ctx.tdma, 1 << 20);
}
auto after(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) {
  auto const dm = in.to_dm<Cluster, m<A / 8>, m<A % 8>>(ctx.tdma, 0);
  return dm.to_hbm<m<A>>(ctx.tdma, 1 << 20);
}
template <class Kernel>
Verdict ran(Kernel kernel) {
  return outcome([&] {
    auto ctx = Context::acquire(ContextOptions{});
    auto const in = HostTensor<i32, m<A>>().to_hbm<Chip, m<A>>(ctx.pdma, 0);
    return launch(kernel, ctx, in).get().template to_host<m<A>>(ctx.pdma).size();
  });
}
// error[exec-undefined-result]: element (A = 0) of the result at HBM 1048576 depends on an undefined value: nothing has written this tensor; help: write it first, or keep it out of what is computed; with the check off it counts as zero
REFUSED_AT_RUN_TIME { return ran(before).refusal(); }
ACCEPTED_AT_RUN_TIME { return ran(after); }
// error[exec-undefined-result]: element (A = 0) of result out depends on an undefined value: nothing has written dm; help: write it first, or keep it out of what is computed; with the check off it counts as zero
REFUSED_AT_RUN_TIME {
  tcp_refuse::AddOne p;
  p.module.commands.erase(p.module.commands.begin());  // dm is not loaded
  auto const verified = ir::verify(p.module, rngd);
  reference::Value const in(ScalarType::i32, {{Name("A"), 2048}});
  return reference::run(*verified, {in}).refusal();
}
}  // namespace exec_undefined_result
