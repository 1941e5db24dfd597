// The rows of the ledger on the way through the Tensor Unit, on modules: which stage may follow which, which level each may change, what each memory holds.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "module_builder.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/support/render.hpp"

namespace tcp::build {
namespace {

std::string verdict_of(const ir::Module& module) {
  auto const facts = ir::verify(module, rngd);
  return facts ? "accepted" : facts.refusal().code;
}
std::string sentence_of(const ir::Module& module) {
  auto const facts = ir::verify(module, rngd);
  return facts ? "accepted" : render(facts.refusal());
}

/// A matrix product through all eight engines: fetch, switch, collect, contraction, vector, cast, transpose, commit.
struct AllEngines : ModuleBuilder {
  ir::TensorId data, weights, result, trf;

  AllEngines() : ModuleBuilder("I = 512, J = 512, K = 64") {
    char const* const slices = "I / 32, J / 32";
    data = dm("data", ScalarType::bf16, slices, "I % 32, K", 0);
    weights = dm("weights", ScalarType::bf16, slices, "J % 32, K", 1 << 12);
    result = dm("result", ScalarType::bf16, slices, "I % 32, J % 8, J / 8 % 4", 1 << 13);
    trf = ModuleBuilder::trf("weights", ScalarType::bf16, slices, "J % 8", "J / 8 % 4, K");
    sub(weights)
        .time("J % 8, J / 8 % 4")
        .packet("K")
        .stage(ir::Fetch{})
        .time("J % 8, J / 8 % 4, K / 16")
        .packet("K % 16")
        .stage(ir::Collect{})
        .into(ir::ToTrf{trf});
    main(data)
        .time("I % 32, J / 8 % 4")
        .packet("K")
        .stage(ir::Fetch{})
        .stage(ir::Switch{})
        .time("I % 32, J / 8 % 4, K / 16")
        .packet("K % 16")
        .stage(ir::Collect{})
        .time("I % 32, J / 8 % 4, K / 32")
        .packet("K % 32")
        .stage(ir::Align{trf})
        .type(ScalarType::f32)
        .packet("1")
        .stage(ir::Contract{})
        .time("I % 32, J / 8 % 4")
        .packet("J % 8")
        .stage(ir::Accumulate{})
        .stage(ir::VectorInit{})
        .stage(ir::Branch{})
        .stage(ir::VectorFinal{})
        .type(ScalarType::bf16)
        .packet("J % 8 # 16")
        .stage(ir::Cast{})
        .time("I % 32, J % 8")
        .packet("J / 8 % 4 # 16")
        .stage(ir::Transpose{})
        .into(ir::Commit{result, {}, false});
  }
  std::vector<ir::Stage>& stages() { return std::get<ir::Pass>(module.commands[1].what).stages; }
};

TEST(Book, PIP_01_order) {
  AllEngines all;
  ASSERT_EQ(sentence_of(all.module), "accepted");
  // Any two neighbours the other way round are refused.
  for (std::size_t i = 0; i + 1 < all.stages().size(); ++i) {
    AllEngines wrong;
    std::swap(wrong.stages()[i], wrong.stages()[i + 1]);
    EXPECT_NE(verdict_of(wrong.module), "accepted") << i;
  }
  // Fetch reads DM, commit writes DM.
  for (Memory other : {Memory::Hbm, Memory::Vrf}) {
    AllEngines wrong;
    wrong.module.tensors[wrong.data].memory = other;
    EXPECT_NE(verdict_of(wrong.module), "accepted");
    AllEngines wrong_too;
    wrong_too.module.tensors[wrong_too.result].memory = other;
    EXPECT_NE(verdict_of(wrong_too.module), "accepted");
  }
  // The register files are fed behind collect and nowhere else.
  AllEngines early;
  auto& load = std::get<ir::Pass>(early.module.commands[0].what).stages;
  load.erase(load.begin() + 1);
  EXPECT_EQ(verdict_of(early.module), "stage-missing");
}

TEST(Book, PIP_06_only_the_switch_moves_slices) {
  AllEngines all;
  for (std::size_t i = 0; i + 1 < all.stages().size(); ++i) {
    AllEngines wrong;
    wrong.stages()[i].out.slice = wrong.map("J / 32, I / 32");
    bool const is_switch = std::holds_alternative<ir::Switch>(wrong.stages()[i].what);
    std::string const code = verdict_of(wrong.module);
    if (is_switch) EXPECT_EQ(code.substr(0, 6), "switch") << "a forwarding keeps them; the switch says so itself";
    else EXPECT_EQ(code, i == 0 ? "fetch-lift-not-copies" : "ir-levels-changed") << i << ": a fetch may lift, and moves nothing";
  }
  // With a topology that transposes them, the switch does.
  ModuleBuilder b("A = 16, B = 16, C = 32");
  auto const from = b.dm("from", ScalarType::i8, "A, B", "C", 0), to = b.dm("to", ScalarType::i8, "B, A", "C", 4096);
  b.main(from)
      .stage(ir::Fetch{})
      .slice("B, A")
      .stage(ir::Switch{SwitchConfig(SwitchConfig::Transpose{16, 16})})
      .stage(ir::Collect{})
      .into(ir::Commit{to, {}, false});
  EXPECT_EQ(sentence_of(b.module), "accepted");
}

TEST(Book, PIP_13_contraction_is_mains) {
  ModuleBuilder b("A = 256, B = 16");
  auto const x = b.dm("x", ScalarType::bf16, "A", "B", 0), y = b.dm("y", ScalarType::f32, "A", "1 # 2", 4096);
  auto const w = b.trf("w", ScalarType::bf16, "A", "1", "B");
  b.sub(x).packet("B").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToTrf{w});
  b.main(x)
      .packet("B")
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .packet("B")
      .stage(ir::Align{w})
      .type(ScalarType::f32)
      .packet("1")
      .stage(ir::Contract{})
      .packet("1 # 8")
      .stage(ir::Accumulate{})
      .into(ir::Commit{y, {}, false});
  EXPECT_EQ(sentence_of(b.module), "accepted");
  std::get<ir::Pass>(b.module.commands[1].what).context = Tu::Sub;
  EXPECT_EQ(verdict_of(b.module), "stage-not-in-context");
}

/// Two batches: the sub context loads weights for the second while the main context uses those of the first.
std::string two_batches(TrfAddress first, TrfAddress second) {
  ModuleBuilder b("A = 256, B = 16");
  auto const x = b.dm("x", ScalarType::bf16, "A", "B", 0);
  ir::TensorId const w[] = {b.trf("w0", ScalarType::bf16, "A", "1", "B", first), b.trf("w1", ScalarType::bf16, "A", "1", "B", second)};
  auto const load = [&](ir::TensorId to) { b.sub(x).packet("B").stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToTrf{to}); };
  auto const compute = [&](ir::TensorId by, std::int64_t address) {
    auto const y = b.dm("y", ScalarType::f32, "A", "1 # 2", address);
    b.main(x)
        .packet("B")
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .stage(ir::Align{by})
        .type(ScalarType::f32)
        .packet("1")
        .stage(ir::Contract{})
        .packet("1 # 8")
        .stage(ir::Accumulate{})
        .into(ir::Commit{y, {}, false});
  };
  load(w[0]);
  load(w[1]);  // while w0 is still wanted
  compute(w[0], 4096);
  compute(w[1], 8192);
  return verdict_of(b.module);
}
TEST(Book, PIP_16_acceptance) {
  EXPECT_EQ(two_batches(TrfAddress::FirstHalf, TrfAddress::SecondHalf), "accepted");
  EXPECT_EQ(two_batches(TrfAddress::FirstHalf, TrfAddress::FirstHalf), "ir-tensors-overlap");
  EXPECT_EQ(two_batches(TrfAddress::Full, TrfAddress::SecondHalf), "ir-tensors-overlap");
}

/// The first stages of the pass through all engines, and then one more.
std::string followed_by(std::size_t kept, const std::function<void(ir::Stage&, AllEngines&)>& change) {
  AllEngines all;
  auto& stages = all.stages();
  stages.resize(kept);
  ir::Stage next = stages.empty() ? ir::Stage{} : stages.back();
  change(next, all);
  stages.push_back(next);
  return verdict_of(all.module);
}

// Begin, Fetch, Switch, Collect, Contraction, Vector, Cast, Transpose; what may follow each. (Reduce is the Contraction's result, E-30.)
TEST(Book, STM_14_stages) {
  using Change = std::function<void(ir::Stage&, AllEngines&)>;
  std::pair<const char*, Change> const next[] = {
      {"Fetch", [](ir::Stage& s, AllEngines&) { s.what = ir::Fetch{}; }},
      {"Switch", [](ir::Stage& s, AllEngines&) { s.what = ir::Switch{}; }},
      {"Collect", [](ir::Stage& s, AllEngines&) { s.what = ir::Collect{}; }},
      {"Align", [](ir::Stage& s, AllEngines& a) { s.what = ir::Align{a.trf}; }},
      {"Vector", [](ir::Stage& s, AllEngines&) { s.what = ir::VectorInit{}; }},
      {"Cast", [](ir::Stage& s, AllEngines&) { s.what = ir::Cast{}; }},
      {"Transpose", [](ir::Stage& s, AllEngines&) { s.what = ir::Transpose{}; }},
      {"Commit", [](ir::Stage& s, AllEngines& a) { s.what = ir::Commit{a.result, {}, false}; }},
      {"ToTrf", [](ir::Stage& s, AllEngines& a) { s.what = ir::ToTrf{a.trf}; }},
  };
  // Stages of the pass up to here, the name, and who may follow.
  struct From {
    std::size_t kept;
    const char* name;
    std::string followers;
  };
  From const table[] = {{0, "Begin", "Fetch "},
                        {1, "Fetch", "Switch Collect "},
                        {2, "Switch", "Collect "},
                        {3, "Collect", "Align Vector Cast Transpose Commit ToTrf "},
                        {6, "Contraction", "Vector Cast Transpose Commit "},
                        {9, "Vector", "Cast Transpose Commit "},
                        {10, "Cast", "Transpose Commit "},
                        {11, "Transpose", "Commit "}};
  for (const From& from : table) {
    std::string may_follow;
    for (auto const& [name, change] : next) {
      std::string const code = followed_by(from.kept, change);
      bool const by_order = code == "stage-order" || code == "stage-missing" || code == "stage-not-in-context";
      if (!by_order) may_follow += std::string(name) + " ";
    }
    EXPECT_EQ(may_follow, from.followers) << from.name;
  }
  // Behind a commit there is no stream: its data is the DM tensor.
  EXPECT_EQ(followed_by(12, [](ir::Stage& s, AllEngines&) { s.what = ir::Cast{}; }), "stage-after-sink");
}

TEST(Book, VEC_002_position) {
  auto const begun_after = [](std::size_t kept) { return followed_by(kept, [](ir::Stage& s, AllEngines&) { s.what = ir::VectorInit{}; }); };
  EXPECT_EQ(begun_after(6), "ir-pass-without-sink") << "from the contraction: taken, and the pass is merely not at its end";
  for (std::size_t other : {1u, 2u, 4u, 5u, 9u, 10u, 11u})
    EXPECT_EQ(begun_after(other), other < 9 ? "stage-missing" : "stage-order") << other;
  // From collect, with a type that it takes.
  ModuleBuilder b("A = 256, B = 8");
  auto const x = b.dm("x", ScalarType::i32, "A", "B", 0), y = b.dm("y", ScalarType::i32, "A", "B", 4096);
  b.main(x)
      .stage(ir::Fetch{})
      .stage(ir::Collect{})
      .stage(ir::VectorInit{})
      .stage(ir::Branch{})
      .stage(ir::VectorFinal{})
      .into(ir::Commit{y, {}, false});
  EXPECT_EQ(sentence_of(b.module), "accepted");
}

TEST(Book, COL_11_behind_collect_only) {
  // Without the collect, every stage that would follow it is refused.
  for (std::size_t kept : {1u, 2u}) {
    for (int which = 0; which < 6; ++which) {
      std::string const code = followed_by(kept, [which](ir::Stage& s, AllEngines& a) {
        if (which == 0) s.what = ir::Align{a.trf};
        if (which == 1) s.what = ir::VectorInit{};
        if (which == 2) s.what = ir::Cast{};
        if (which == 3) s.what = ir::Transpose{};
        if (which == 4) s.what = ir::Commit{a.result, {}, false};
        if (which == 5) s.what = ir::ToTrf{a.trf};
      });
      EXPECT_TRUE(code == "stage-order" || code == "stage-missing") << which << " " << code;
    }
  }
}

TEST(Book, COL_01_from_fetch_and_from_switch) {
  for (bool switched : {false, true}) {
    ModuleBuilder b("A = 256, B = 64");
    auto const x = b.dm("x", ScalarType::i8, "A", "B", 0), y = b.dm("y", ScalarType::i8, "A", "B", 4096);
    auto p = b.main(x);
    p.stage(ir::Fetch{});
    if (switched) p.stage(ir::Switch{});
    p.time("B / 32").packet("B % 32").stage(ir::Collect{}).into(ir::Commit{y, {}, false});
    EXPECT_EQ(sentence_of(b.module), "accepted") << switched;
    // Chip, Cluster, Slice and type stay.
    auto& collect = std::get<ir::Pass>(b.module.commands[0].what).stages[switched ? 2 : 1];
    ASSERT_TRUE(std::holds_alternative<ir::Collect>(collect.what));
    ir::Shape const right = collect.out;
    for (ir::MapId ir::Shape::* level : {&ir::Shape::chip, &ir::Shape::cluster, &ir::Shape::slice}) {
      collect.out.*level = b.map("B / 32");
      EXPECT_EQ(verdict_of(b.module), "ir-levels-changed");
      collect.out = right;
    }
    collect.out.type = ScalarType::i16;
    EXPECT_EQ(verdict_of(b.module), "ir-wrong-type");
  }
}

/// A module with one tensor that has a factor of two on every level named, and as many positions as the device wants.
std::string tensor_with(Memory memory, std::initializer_list<Level> levels) {
  ModuleBuilder b("P = 2, Q = 2, S = 256, W = 8, E = 8, Z = 4", 1);
  ir::Tensor t;
  t.memory = memory;
  t.type = memory == Memory::Vrf ? ScalarType::i32 : ScalarType::bf16;
  t.element = b.map("E");
  bool const on_chip = memory != Memory::Hbm && memory != Memory::Host;
  t.cluster = on_chip ? b.map("1 # 2") : ir::MapId();
  t.slice = memory == Memory::Spm ? b.map("1 # 4") : on_chip ? b.map("1 # 256") : ir::MapId();
  for (Level level : levels) {
    if (level == Level::chip) t.chip = b.map("P"), b.module.chips = 2;
    if (level == Level::cluster) t.cluster = b.map("Q");
    if (level == Level::slice) t.slice = b.map(memory == Memory::Spm ? "Z" : "S");
    if (level == Level::row) t.row = b.map("W");
  }
  b.module.tensors.push_back(t);
  return verdict_of(b.module);
}

TEST(Book, STM_01_levels_of_the_memories) {
  struct Has {
    Memory memory;
    bool chip, cluster, slice, row;
  };
  Has const table[] = {{Memory::Hbm, true, false, false, false},
                       {Memory::Dm, true, true, true, false},
                       {Memory::Trf, true, true, true, true},
                       {Memory::Vrf, true, true, true, false}};
  for (const Has& has : table) {
    auto const expected = [](bool yes) { return yes ? "accepted" : "ir-level-not-in-memory"; };
    EXPECT_EQ(tensor_with(has.memory, {}), "accepted") << name_of(has.memory);
    EXPECT_EQ(tensor_with(has.memory, {Level::chip}), expected(has.chip)) << name_of(has.memory);
    EXPECT_EQ(tensor_with(has.memory, {Level::cluster}), expected(has.cluster)) << name_of(has.memory);
    EXPECT_EQ(tensor_with(has.memory, {Level::slice}), expected(has.slice)) << name_of(has.memory);
    EXPECT_EQ(tensor_with(has.memory, {Level::row}), expected(has.row)) << name_of(has.memory);
  }
}

// The dimension table as far as it says where each lies; that Time and Packet are streams' alone is the type of a stream (STM-01).
TEST(Book, KER_01_levels) {
  EXPECT_EQ(tensor_with(Memory::Hbm, {Level::chip}), "accepted");
  EXPECT_EQ(tensor_with(Memory::Dm, {Level::chip, Level::cluster, Level::slice}), "accepted");
  EXPECT_EQ(tensor_with(Memory::Spm, {Level::chip, Level::cluster, Level::slice}), "accepted");
  EXPECT_EQ(tensor_with(Memory::Trf, {Level::row}), "accepted");
  EXPECT_EQ(tensor_with(Memory::Dm, {Level::row}), "ir-level-not-in-memory") << "Row is the TRF's";
  EXPECT_EQ(tensor_with(Memory::Hbm, {Level::cluster}), "ir-level-not-in-memory");
}

}  // namespace
}  // namespace tcp::build
