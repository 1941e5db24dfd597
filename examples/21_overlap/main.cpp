// A pass and a transfer at the same time, and the same two one after the other: addresses alone decide. The trace of the simulated chip says when each ran, and why.
#include <algorithm>
#include <cstdio>
#include <string>
#include <tcp/runtime/options.hpp>
#include <tcp/tcp.hpp>
#include <tcp/trace/trace.hpp>

using namespace tcp;

TCP_AXES(A = 262144);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 1024>;  // 256 slices, each with 1024 numbers: 4096 bytes
using Hbm = HbmTensor<i32, Chip, m<A>>;

struct Both {
  Hbm x_plus_one, y;
};

// The pass reads x, at address 0. Nothing in it needs y, and whether the transfer of y has to wait for it depends on where y goes.
auto add_and_load(Context& ctx, const Hbm& x, const Hbm& y, Address y_address) -> Both {
  auto x_dm = x.to_dm<Cluster, Slice, m<A % 1024>>(ctx.tdma, 0);
  auto sum = ctx.main.begin(x_dm.view())
                 .fetch<i32, m<A / 8 % 128>, m<A % 8>>()
                 .collect<m<A / 8 % 128>, m<A % 8>>()
                 .vector_init()
                 .vector_intra_slice_branch(BranchMode::Unconditional)
                 .vector_fxp(FxpBinaryOp::AddFxp, 1)
                 .vector_final()
                 .commit<m<A % 1024>>(1 << 16);
  auto y_dm = y.to_dm<Cluster, Slice, m<A % 1024>>(ctx.tdma, y_address);
  return {sum.to_hbm<m<A>>(ctx.tdma, 1 << 28), y_dm.to_hbm<m<A>>(ctx.tdma, 2 << 28)};
}
constexpr int pass = 1, transfer = 2;  // commands count from 0, in the order in which they are written

std::string reason(const trace::Command& c) {
  if (c.binding == trace::none) return "nothing";
  const trace::Edge& e = c.after[static_cast<std::size_t>(c.binding)];
  std::string const other = "command " + std::to_string(e.from);
  if (e.kind == "resource") return other + ", which had the " + e.on;
  std::string const bytes = " bytes " + std::to_string(e.begin) + " to " + std::to_string(e.end) + " of " + e.on;
  if (e.kind == "raw") return other + ", which wrote" + bytes + " that it reads";
  if (e.kind == "war") return other + ", which read" + bytes + " that it writes";
  return other + ": " + e.kind;
}

// How many cycles the two ran side by side.
std::int64_t show(const char* title, const trace::Trace& t) {
  const trace::Command &a = t.commands[pass], &b = t.commands[transfer];
  std::int64_t const both = std::max<std::int64_t>(0, std::min(a.end, b.end).value - std::max(a.start, b.start).value);
  std::printf("%s\n", title);
  for (const trace::Command* c : {&a, &b})
    std::printf("  %-5s runs from %5lld to %5lld; it waited for %s\n", c->name.c_str(), static_cast<long long>(c->start.value),
                static_cast<long long>(c->end.value), reason(*c).c_str());
  std::printf("  side by side: %lld cycles; all in all: %lld\n", static_cast<long long>(both), static_cast<long long>(t.makespan.value));
  return both;
}

int main() try {
  trace::Trace trace;  // of the last launch
  // TCP_DUMP, TCP_MODEL and others count here, too.
  ContextOptions options = value_or_throw(options_from_environment());
  options.backend = BackendKind::device;
  options.trace_user = &trace;
  options.on_trace = [](void* user, const trace::Trace& t) { *static_cast<trace::Trace*>(user) = t; };
  auto ctx = Context::acquire(options);

  HostTensor<i32, m<A>> x, y;
  for (std::int32_t i = 0; i < 262144; ++i) {
    x[static_cast<std::size_t>(i)] = i32::from_int(i);
    y[static_cast<std::size_t>(i)] = i32::from_int(-3 * i);
  }
  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const y_hbm = y.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 24);

  int wrong = 0;
  std::int64_t side_by_side[2];
  for (bool const same_place : {false, true}) {
    auto const [sum, copy] = launch(add_and_load, ctx, x_hbm, y_hbm, same_place ? Address{0} : Address{1 << 14}).get();
    auto const sum_host = sum.to_host<m<A>>(ctx.pdma), copy_host = copy.to_host<m<A>>(ctx.pdma);
    for (std::size_t i = 0; i < 262144; ++i) {
      wrong += sum_host[i] != i32::from_int(static_cast<std::int32_t>(i) + 1);
      wrong += copy_host[i] != y[i];
    }
    side_by_side[same_place] = show(same_place ? "y goes where x is stored, which the pass still reads" : "y goes elsewhere", trace);
  }
  bool const as_told = side_by_side[false] > 0 && side_by_side[true] == 0;
  std::printf("%d wrong of %d\n", wrong, 4 * 262144);
  return wrong == 0 && as_told ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
