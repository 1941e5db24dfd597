// The law of placement, over random modules: whoever is alive together lies apart, inside the memory, where the author put it if they did; and a refusal is
// no excuse: what it counts is true.
#include "tcp/ir/place.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/render.hpp"

namespace {

using namespace tcp;

/// Moves between tensors of a few sizes in HBM and DM; some have an address, in rows of their own so that the author's never overlap.
struct RandomModule : build::ModuleBuilder {
  static constexpr const char* element[] = {"A", "A, B", "A, B, C"};  // 64, 1,024 and 65,536 bytes
  static constexpr std::int64_t size[] = {64, 1024, 65536};

  explicit RandomModule(std::uint64_t seed) : ModuleBuilder("A = 16, B = 16, C = 64") {
    Random random(seed);
    cluster = "1 # 2";
    std::int64_t fixed = 0;
    std::vector<ir::TensorId> of_size[3];
    for (int k = 0; k < 3; ++k) {
      of_size[k].push_back(hbm("x" + std::to_string(k), ScalarType::i32, element[k], k << 20, ir::Role::argument));
      if (random.between(0, 1) != 0) forget(of_size[k].back());
    }
    auto const tensors = random.between(1, 24);
    for (std::int64_t i = 0; i < tensors; ++i) {
      auto const k = static_cast<std::size_t>(random.between(0, 2));
      ir::TensorId const id = dm("t" + std::to_string(i), ScalarType::i32, "1 # 256", element[k], fixed);
      if (random.between(0, 5) != 0 || fixed + size[k] > 262144) forget(id);
      else fixed += size[k];
      of_size[k].push_back(id);
    }
    auto const moves = random.between(1, 60);
    for (std::int64_t i = 0; i < moves; ++i) {
      auto const& among = of_size[random.between(0, 2)];
      auto const from = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(among.size()) - 1));
      auto const to = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(among.size()) - 1));
      if (from != to) move(among[from], among[to]);
    }
  }

 private:
  void forget(ir::TensorId id) { module.tensors[id].address.reset(); }
};

/// The definition, command by command: the tensors of a memory that are between their first and last use.
struct Use {
  std::int64_t first = -1, last = -1;
};
std::vector<Use> uses(const ir::Module& module) {
  Indexed<Use, ir::TensorId> all(module.tensors.size());
  for (std::size_t i = 0; i < module.commands.size(); ++i) {
    const auto& t = std::get<ir::Transfer>(module.commands[i].what);
    for (ir::TensorId id : {t.source, t.destination}) {
      Use& u = all[id];
      if (u.first < 0) u.first = static_cast<std::int64_t>(i);
      u.last = static_cast<std::int64_t>(i);
    }
  }
  return all;
}
std::int64_t bytes(const ir::Module& module, std::size_t id) { return 4 * module.map(module.tensors[id].element).size; }

/// The most bytes of DM that are alive at one command.
std::int64_t peak(const ir::Module& module) {
  std::vector<Use> const all = uses(module);
  std::int64_t most = 0;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(module.commands.size()); ++i) {
    std::int64_t now = 0;
    for (std::size_t t = 0; t < all.size(); ++t)
      if (module.tensors[t].memory == Memory::Dm && all[t].first >= 0 && all[t].first <= i && i <= all[t].last) now += bytes(module, t);
    most = std::max(most, now);
  }
  return most;
}

bool alive_together(const ir::Module& module, const std::vector<Use>& all, std::size_t i, std::size_t j) {
  if (module.tensors[i].memory != module.tensors[j].memory) return false;
  if (module.tensors[i].memory == Memory::Hbm) return true;  // arguments
  return all[i].first >= 0 && all[j].first >= 0 && all[i].first <= all[j].last && all[j].first <= all[i].last;
}
bool lie_apart(const ir::Module& module, std::size_t i, std::size_t j) {
  std::int64_t const a = *module.tensors[i].address, b = *module.tensors[j].address;
  return a + bytes(module, i) <= b || b + bytes(module, j) <= a;
}

TEST(Place, the_living_lie_apart) {
  int placed = 0, refused = 0;
  EXPECT_TRUE(rc::check("place", [&](std::uint64_t seed) {
    RandomModule b(seed);
    ir::Module const before = b.module;
    auto const verified = ir::verify(before, rngd);
    RC_ASSERT(static_cast<bool>(verified));
    auto const found = ir::placed(*verified);
    for (std::size_t i = 0; i < before.tensors.size(); ++i)
      RC_ASSERT(verified->module().tensors[i].address == before.tensors[i].address);  // what was verified stays as it was
    if (!found) {
      ++refused;
      RC_ASSERT(std::string(found.refusal().code) == "ir-memory-full");
      RC_ASSERT(peak(before) > rngd.dm.slice_capacity.value / 2);  // no refusal while half of the memory would do
      return;
    }
    ++placed;
    b.module = found->module();
    auto const facts = ir::verify(b.module, rngd);
    RC_ASSERT(static_cast<bool>(facts));
    std::vector<Use> const all = uses(b.module);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const ir::Tensor& t = b.module.tensors[i];
      RC_ASSERT(t.address.has_value());
      if (before.tensors[i].address) RC_ASSERT(*t.address == *before.tensors[i].address);
      RC_ASSERT(*t.address >= 0 && *t.address % 8 == 0);
      if (t.memory == Memory::Dm) RC_ASSERT(*t.address + bytes(b.module, i) <= rngd.dm.slice_capacity.value);
      for (std::size_t j = 0; j < i; ++j) RC_ASSERT(!alive_together(b.module, all, i, j) || lie_apart(b.module, i, j));
    }
    auto const again = ir::placed(*verified);
    RC_ASSERT(static_cast<bool>(again));
    for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(again->module().tensors[i].address == b.module.tensors[i].address);
  }));
  EXPECT_GT(placed, 20);
  EXPECT_GT(refused, 0) << "no module was large enough to fill the memory";
}

TEST(Place, the_verifier_refuses_exactly_what_overlaps) {
  int sound = 0, overlapping = 0;
  EXPECT_TRUE(rc::check("overlap", [&](std::uint64_t seed) {
    RandomModule b(seed);
    Random random(seed ^ 1);
    for (std::size_t i = 0; i < b.module.tensors.size(); ++i)
      b.module.tensors[i].address =
          b.module.tensors[i].memory == Memory::Hbm ? static_cast<std::int64_t>(i) << 20 : 64 * random.between(0, 7000);
    std::vector<Use> const all = uses(b.module);
    bool expected = false;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) expected |= alive_together(b.module, all, i, j) && !lie_apart(b.module, i, j);
    auto const facts = ir::verify(b.module, rngd);
    RC_ASSERT(static_cast<bool>(facts) != expected);
    if (expected) RC_ASSERT(std::string(facts.refusal().code) == "ir-tensors-overlap");
    ++(expected ? overlapping : sound);
  }));
  EXPECT_GT(sound, 10);
  EXPECT_GT(overlapping, 10);
}

}  // namespace
