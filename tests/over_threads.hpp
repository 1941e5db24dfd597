// A verified module over ranks that are threads: what the vector interpreter gives in one process must come out, to the
// last bit.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "tcp/dsl/dynamic.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ranks/backend.hpp"
#include "tcp/ranks/threads.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/round.hpp"

namespace tcp::ranks {

/// The vector interpreter as a backend.
class VectorHere : public Backend {
 public:
  std::string_view name() const override { return "vector"; }
  Expected<Images> run(const ir::Verified& module, const Images& arguments, const RunOptions& options) override {
    vector::Options how;
    how.check = options.check;
    return vector::run(module, arguments, how);
  }
};

struct OverRanks {
  std::vector<Expected<Images>> results;  // of each rank: full images
  std::vector<Traffic> traffic;
};

/// Images as one process has them: uploaded by a module of one transfer, run, and downloaded in the same way.
inline ir::Verified host_copy(const ir::Module& of, ir::TensorId id, const Device& device, bool upload) {
  // The bytes of a chip's part as elements of one byte: [Chip of N, bytes].
  const ir::Tensor& t = of.tensor(id);
  Levels const levels = of.levels(t);
  std::int64_t const bytes =
      ceil_div(levels[Level::element].size * scalar_info(t.type).packet_bits, 8) * levels[Level::cluster].size * levels[Level::slice].size;
  std::int64_t const chips = levels[Level::chip].size;
  Mapping const chip = dyn::axis("ImageChip", chips), byte = dyn::axis("ImageByte", bytes);
  ir::Module m;
  m.name = upload ? "upload" : "download";
  m.chips = chips;
  ir::Tensor host, hbm;
  host.memory = Memory::Host;
  hbm.memory = Memory::Hbm;
  host.type = hbm.type = ScalarType::i8;
  host.element = m.intern(dyn::map(chip, byte));
  hbm.chip = m.intern(chip);
  hbm.element = m.intern(byte);
  hbm.address = 0;
  ir::TensorId const from = m.tensors.add(upload ? host : hbm), to = m.tensors.add(upload ? hbm : host);
  m.tensors[from].role = ir::Role::argument;
  m.tensors[to].role = ir::Role::result;
  m.arguments = {from};
  m.results = {to};
  m.commands.emplace_back().what = ir::HostTransfer{from, to};
  Device free = device;
  free.checks.geometry = false;
  return *ir::verify(std::move(m), free);
}

inline OverRanks over_threads(const ir::Verified& kernel, const Images& arguments, int ranks, std::int64_t chips, bool check = true,
                              int runs = 1) {
  ThreadRanks all(ranks);
  OverRanks out;
  out.results.assign(static_cast<std::size_t>(ranks), Expected<Images>(Images{}));
  out.traffic.resize(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      auto const r = static_cast<std::size_t>(rank);
      try {
        ThreadWire wire(all, rank);
        auto const backend = over_ranks(std::make_unique<VectorHere>(), wire, {chips, ranks}, &out.traffic[r]);
        const ir::Module& module = kernel.module();
        RunOptions copy;
        copy.kernel = false;
        Images there;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
          if (module.tensor(module.arguments[i]).memory == Memory::Host) {
            there.push_back(arguments[i]);
            continue;
          }
          auto const up = backend->run(host_copy(module, module.arguments[i], kernel.device(), true), {arguments[i]}, copy);
          there.push_back(up->front());
        }
        std::unique_ptr<Keepsake> kept;
        RunOptions how;
        how.check = check;
        how.kept = &kept;
        Expected<Images> made{Images{}};
        for (int i = 0; i < runs; ++i) made = backend->run(kernel, there, how);
        if (made) {
          Images back;
          for (std::size_t i = 0; i < made->size(); ++i) {
            if (module.tensor(module.results[i]).memory == Memory::Host) {
              back.push_back((*made)[i]);
              continue;
            }
            auto const down =
                backend->run(host_copy(module, module.root_of(module.results[i]), kernel.device(), false), {(*made)[i]}, copy);
            back.push_back(down->front());
          }
          made = back;
        }
        out.results[r] = made;
      } catch (const Refused& refused) {
        out.results[r] = refused.refusal();
      }
    });
  for (std::thread& t : threads) t.join();
  return out;
}

}  // namespace tcp::ranks
