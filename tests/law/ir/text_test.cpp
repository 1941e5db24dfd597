// The laws of the text form: it is read as it was printed, and what the verifier says does not depend on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "sections.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/ir/module.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/render.hpp"

// Modules whose every field is drawn by itself: no programs, but all that a text must be able to say.

namespace tcp::ir_law {

class RandomModule {
 public:
  explicit RandomModule(std::uint64_t seed) : random_(seed) {}

  ir::Module draw() {
    m_.name = name();
    if (chance(30)) m_.chips = number();
    if (chance(30)) m_.numeric = NumericModel::ieee;
    for (int i = count(3); i > 0; --i) m_.tables.push_back({name(), type(), type(), many(20, [this] { return bits(); })});
    for (int i = count(12); i > 0; --i) m_.tensors.push_back(tensor());
    for (ir::TensorId id : m_.tensors.ids()) {
      if (m_.tensor(id).role == ir::Role::argument) m_.arguments.push_back(id);
      if (m_.tensor(id).role == ir::Role::result) m_.results.push_back(id);
    }
    if (chance(20)) m_.arguments = many(3, [this] { return any_tensor(); });
    if (chance(20)) m_.results = many(3, [this] { return any_tensor(); });
    for (int i = count(5); i > 0; --i) m_.regions.push_back({name(), chance(50) ? number() : 0, earlier(m_.regions.size())});
    for (int i = count(8); i > 0; --i) m_.commands.push_back(command());
    return m_;
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) { return random_.between(low, high); }
  bool chance(int percent) { return between(1, 100) <= percent; }
  int count(int most) { return static_cast<int>(between(0, most)); }
  template <class E>
  E code(int count_of) {
    return static_cast<E>(between(0, count_of - 1));
  }
  template <class Each>
  std::vector<std::invoke_result_t<Each>> many(int most, Each each) {
    std::vector<std::invoke_result_t<Each>> all;
    for (int i = count(most); i > 0; --i) all.push_back(each());
    return all;
  }

  std::int64_t number() {
    switch (between(0, 4)) {
      case 0: return between(-4, 4);
      case 1: return INT64_MIN;
      case 2: return INT64_MAX;
      case 3: return std::int64_t{1} << between(0, 62);
      default: return static_cast<std::int64_t>(random_.next());
    }
  }
  std::uint32_t bits() {
    constexpr std::uint32_t odd[] = {0,          1,          0x80000000, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000,
                                     0x7f800001, 0xffc00000, 0x7fffffff, 0x3f800000, 0x007fffff, 0x00800000, 0x7f7fffff};
    if (chance(30)) return odd[between(0, std::size(odd) - 1)];
    return static_cast<std::uint32_t>(random_.next() >> between(0, 31));
  }
  std::string name() {
    constexpr const char* usual[] = {"x",   "y",   "weights", "none", "stash", "_",     "inf",
                                     "nan", "f32", "main",    "at",   "when",  "table", "operand"};
    if (chance(15)) return "";
    if (chance(70)) return usual[between(0, std::size(usual) - 1)];
    std::string any;
    for (int i = count(6); i > 0; --i) any += static_cast<char>(chance(50) ? between(' ', '~') : between(0, 255));
    return any;
  }
  Name axis() {
    constexpr const char* usual[] = {"A", "B", "Heads", "An_axis_16_chars", "", "a b"};
    return Name(usual[between(0, std::size(usual) - 1)]);
  }
  ScalarType type() { return chance(50) ? ScalarType::i32 : scalar_types[between(0, std::size(scalar_types) - 1)]; }
  int earlier(std::size_t below) { return static_cast<int>(between(ir::none, static_cast<std::int64_t>(below) - 1)); }
  ir::TensorId any_tensor() { return ir::TensorId(earlier(m_.tensors.size())); }

  /// One size of each axis is the usual one; others turn up now and then, in whole mappings.
  ir::MapId map() {
    constexpr const char* expressions[] = {
        "1",
        "1 # 2",
        "A",
        "A / 2",
        "A % 4 # 8",
        "A, B",
        "B, A / 4, A % 2",
        "[A, B] # 1000",
        "A #z 100",
        "A #! 2000",
        "A #< 3",
        "A @ 3 = 1",
        "A @ 2 = 4",
        "$(A:2, B)",
        "$(A, B:3) # 500",
        "skew(A, B), B",
        "B, 3, A / 2",
        "64 # 256",
        "A = 3 # 8",
        "[B, A #z 128] # 5000",
        "A @ 4",
        "C / 2 # 99",
        "C, B, A",
        "Heads % 4, C",
    };
    constexpr const char* sizes[] = {"A = 8, B = 16, C = 4, Heads = 12", "A = 16, B = 16, C = 4, Heads = 12",
                                     "A = 8, B = 4, C = 64, Heads = 8"};
    auto const axes = parse_axes(sizes[chance(60) ? 0 : between(0, std::size(sizes) - 1)]);
    auto const m = parse(expressions[between(0, std::size(expressions) - 1)], *axes);
    return chance(30) || !m ? ir::MapId() : m_.intern(*m);
  }

  ir::Tensor tensor() {
    ir::Tensor t;
    t.name = name();
    t.memory = code<Memory>(6);
    t.type = type();
    for (ir::MapId* level : {&t.chip, &t.cluster, &t.slice, &t.row, &t.element}) *level = map();
    if (chance(70)) t.address = number();
    t.trf = code<TrfAddress>(3);
    t.role = code<ir::Role>(4);
    if (chance(30))
      t.view = ir::ViewOf{any_tensor(), code<ir::ViewOf::Kind>(4), map(), chance(50) ? number() : 0, chance(50) ? number() : 0};
    return t;
  }

  ir::Command command() {
    ir::Command c;
    c.region = chance(50) ? ir::none : earlier(m_.regions.size());
    switch (between(0, 5)) {
      case 0: c.what = transfer(); break;
      case 1: c.what = ir::HostTransfer{any_tensor(), any_tensor()}; break;
      case 2: c.what = ir::Memset{any_tensor(), bits()}; break;
      default: c.what = pass(); break;
    }
    return c;
  }
  ir::Transfer transfer() {
    ir::Transfer t;
    t.kind = code<ir::Transfer::Kind>(6);
    t.source = any_tensor();
    t.destination = any_tensor();
    if (chance(50)) t.rows = any_tensor();
    if (chance(50)) t.row_axis = axis();
    t.permutation = many(4, [this] { return number(); });
    if (chance(50)) t.dimension = map();
    if (chance(50)) t.length = number();
    if (chance(50)) t.time = map();
    if (chance(50)) t.packet = map();
    return t;
  }
  ir::Pass pass() {
    ir::Pass p;
    p.context = code<Tu>(2);
    p.dual = chance(30);
    p.source = many(3, [this] { return any_tensor(); });
    if (chance(40)) p.turns = axis();
    p.stages = many(8, [this] { return stage(); });
    return p;
  }
  ir::Stage stage() {
    ir::Stage s;
    if (chance(60)) last_.type = type();
    for (ir::MapId* level : {&last_.chip, &last_.cluster, &last_.slice, &last_.row, &last_.time, &last_.packet})
      if (chance(20)) *level = map();
    s.out = last_;
    s.what = what();
    return s;
  }
  decltype(ir::Stage::what) what() {
    switch (between(0, 26)) {
      case 0: return ir::Fetch{earlier(m_.tables.size()), many(3, [this] { return number(); })};
      case 1: return ir::Switch{topology()};
      case 2: return ir::Collect{};
      case 3: return ir::Align{any_tensor()};
      case 4: return ir::Contract{code<ContractOp>(2)};
      case 5: return ir::Accumulate{AccumulationKind(code<AccumulationKind::Code>(2))};
      case 6: return ir::VectorInit{};
      case 7: return ir::Branch{branch(), any_tensor()};
      case 8: return ir::BranchLog{any_tensor()};
      case 9: return ir::WriteOperand{any_tensor(), guard()};
      case 10: return ir::Stash{};
      case 11: return ir::Unzip{axis(), map()};
      case 12: return ir::Filter{guard(), any_tensor()};
      case 13: return ir::IntraSliceReduce{axis(), code<ReduceOp>(5)};
      case 14: return ir::InterSliceReduce{code<ReduceOp>(5)};
      case 15: return ir::VectorFinal{};
      case 16: return ir::Cast{};
      case 17: return ir::Transpose{};
      case 18: return ir::Commit{any_tensor(), slices(), chance(50)};
      case 19: return ir::ToTrf{any_tensor()};
      case 20: return ir::ToVrf{any_tensor()};
      default: return ir::VectorOperation{step(), many(4, [this] { return operand(); })};
    }
  }
  SwitchConfig topology() {
    SwitchConfig c;
    c.topology = code<Topology>(7);
    for (std::int64_t* n : {&c.slice1, &c.slice0, &c.time0, &c.ring_size})
      if (chance(40)) *n = number();
    c.extraction = code<Extraction>(3);
    return c;
  }
  BranchMode branch() {
    BranchMode b(code<BranchMode::Kind>(5));
    if (chance(50)) b.axis = axis();
    for (InputCmp& c : b.compare)
      if (chance(50)) c = {code<InputCmp::Kind>(7), type(), bits()};
    return b;
  }
  OperandGuard guard() { return chance(40) ? OperandGuard{} : OperandGuard{static_cast<std::uint16_t>(random_.next())}; }
  std::optional<SliceMask> slices() {
    if (chance(40)) return {};
    SliceMask mask;
    for (std::uint64_t& word : mask.word) word = chance(50) ? random_.next() : chance(50) ? ~std::uint64_t{} : 0;
    return mask;
  }
  VectorStep step() {
    Groups const g = code<Groups>(5);
    VectorStep s = drawn_step();
    s.groups = g;
    if (chance(20)) s.int_width = number();
    return s;
  }
  VectorStep drawn_step() {
    BinaryArgMode const mode = code<BinaryArgMode::Code>(4);
    switch (between(0, 14)) {
      case 0: return step_of(LogicBinaryOpI32(code<LogicBinaryOpI32::Code>(6)), mode);
      case 1: return step_of(LogicBinaryOpF32(code<LogicBinaryOpF32::Code>(3)), mode);
      case 2: return step_of(FxpBinaryOp(code<FxpBinaryOp::Code>(11)), mode);
      case 3: return step_of(FpUnaryOp(code<FpUnaryOp::Code>(9)), UnaryArgMode(code<UnaryArgMode::Code>(2)));
      case 4: return step_of(FpBinaryOp(code<FpBinaryOp::Code>(9)), mode);
      case 5: return step_of(FpTernaryOp(code<FpTernaryOp::Code>(2)), TernaryArgMode(code<TernaryArgMode::Code>(7)));
      case 6: return step_of(FpDivBinaryOp(), mode);
      case 7: return step_of(ClipBinaryOpI32(code<ClipBinaryOpI32::Code>(6)), mode);
      case 8: return step_of(ClipBinaryOpF32(code<ClipBinaryOpF32::Code>(5)), mode);
      case 9: return step_of(VectorMethod::split);
      case 10: return step_of(VectorMethod::trim_way4);
      case 11: return step_of(VectorMethod::concat);
      case 12: return step_of(VectorMethod::pad_way8);
      case 13: return fxp_to_fp_step(number());
      default: return fp_to_fxp_step(number());
    }
  }
  ir::Operand operand() {
    ir::Operand o;
    o.shape = {code<OperandKind>(4), type(), guard(), chance(50), chance(50) ? bits() : 0};
    if (chance(50)) o.vrf = any_tensor();
    return o;
  }

  Random random_;
  ir::Module m_;
  ir::Shape last_;  // streams change a little from stage to stage
};

}  // namespace tcp::ir_law

namespace {

using namespace tcp;
using ir_law::RandomModule;

constexpr std::uint64_t modules = 3000;

TEST(TextForm, SaysEveryFieldOfAModule) {
  for (std::uint64_t seed = 1; seed <= modules; ++seed) {
    ir::Module const m = RandomModule(seed).draw();
    std::string const text = ir::print(m);
    auto const again = ir::parse(text, "drawn.tcp");
    ASSERT_TRUE(again.ok()) << "seed " << seed << "\n" << render(again.refusal()) << "\n" << text;
    ASSERT_TRUE(ir::same_program(m, *again)) << "seed " << seed << "\n" << text << "\nread as\n" << ir::print(*again);
    ASSERT_EQ(ir::print(*again), text) << "seed " << seed;
  }
}

/// Line ends are blanks, blanks and comments may stand between any two tokens.
TEST(TextForm, DoesNotDependOnItsLayout) {
  for (std::uint64_t seed = 1; seed <= modules / 10; ++seed) {
    std::string const text = ir::print(RandomModule(seed).draw());
    std::string loose;
    bool quoted = false;
    int brackets = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      char const c = text[i];
      if (c == '"' && (i == 0 || text[i - 1] != '\\' || (i > 1 && text[i - 2] == '\\'))) quoted = !quoted;
      brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == '\n') loose += "\r\n\t// a comment: [ \" {\n";
      else if (c == ' ' && !quoted && brackets == 0) loose += "\n  ";
      else if (c == ',' && !quoted && brackets == 0) loose += " , ";
      else loose += c;
    }
    auto const again = ir::parse(loose, "loose.tcp");
    ASSERT_TRUE(again.ok()) << "seed " << seed << "\n" << render(again.refusal()) << "\n" << loose;
    ASSERT_EQ(ir::print(*again), text) << "seed " << seed;
  }
}

/// A text that was cut anywhere is read or refused; what was read of it can be printed and read again.
TEST(TextForm, EndsAnywhere) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::string const text = ir::print(RandomModule(seed).draw());
    for (std::size_t n = 0; n < text.size(); n += 1 + text.size() / 200) {
      auto const cut = ir::parse(std::string_view(text).substr(0, n), "cut.tcp");
      if (!cut) {
        ASSERT_TRUE(cut.refusal().at.known()) << "seed " << seed << ", " << n << " characters";
        continue;
      }
      auto const again = ir::parse(ir::print(*cut), "again.tcp");
      ASSERT_TRUE(again.ok() && ir::same_program(*again, *cut)) << "seed " << seed << ", " << n << " characters";
    }
  }
}

/// Modules are the same iff their texts are: a number or a word that is changed makes another program, and same_program sees it.
TEST(TextForm, ADifferentTextIsAnotherProgram) {
  int different = 0;
  for (std::uint64_t seed = 1; seed <= modules / 10; ++seed) {
    ir::Module const m = RandomModule(seed).draw();
    std::string const text = ir::print(m);
    Random random(seed);
    for (int changes = 0; changes < 40; ++changes) {
      std::string other = text;
      std::size_t const at = other.find_first_of("0123456789", random.below(text.size()));
      if (at == other.npos) continue;
      other[at] = static_cast<char>('0' + random.below(10));
      auto const read = ir::parse(other, "other.tcp");
      if (!read) continue;
      ASSERT_EQ(ir::same_program(m, *read), ir::print(*read) == text) << "seed " << seed << "\n" << text << "\nchanged to\n" << other;
      different += ir::print(*read) != text;
    }
  }
  EXPECT_GT(different, 1000);
}

// verify has an answer for whatever a text says: programs that are nearly right go through it without a Bug.
//
// A program of the fuzz corpus is changed in a few places, each time by something that stands elsewhere in it: a line for a line, a mapping for a mapping, a
// number for a number. Most of what comes out is refused, but late, by the rules of stages and transfers.

using namespace tcp;

struct Part {
  std::size_t at, length;
};

class Changed {
 public:
  Changed(std::string text, std::uint64_t seed) : text_(std::move(text)), random_(seed) {}

  std::string drawn() {
    for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
      switch (random_.below(8)) {
        case 0: change(lines()); break;
        case 1: erase(lines()); break;
        case 2:
        case 3: change(numbers(), odd_numbers); break;
        case 4: change(numbers()); break;
        default: change(mappings()); break;
      }
    }
    return text_;
  }

 private:
  static constexpr const char* odd_numbers[] = {
      "0", "1", "2", "3", "7", "8", "64", "256", "-1", "61", "512", "1024", "2048", "65536", "9223372036854775807"};

  const Part& one_of(const std::vector<Part>& parts) { return parts[random_.below(parts.size())]; }
  void change(const std::vector<Part>& parts) {
    if (parts.empty()) return;
    Part const from = one_of(parts), to = one_of(parts);
    std::string const piece = text_.substr(from.at, from.length);
    text_.replace(to.at, to.length, piece);
  }
  template <std::size_t N>
  void change(const std::vector<Part>& parts, const char* const (&by)[N]) {
    if (parts.empty()) return;
    Part const to = one_of(parts);
    text_.replace(to.at, to.length, by[random_.below(N)]);
  }
  void erase(const std::vector<Part>& parts) {
    if (parts.empty()) return;
    Part const p = one_of(parts);
    text_.erase(p.at, p.length);
  }

  std::vector<Part> lines() const {
    std::vector<Part> all;
    for (std::size_t at = 0; at < text_.size();) {
      std::size_t const end = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      all.push_back({at, end - at});
      at = end;
    }
    return all;
  }
  std::vector<Part> numbers() const {
    std::vector<Part> all;
    for (std::size_t at = 0; (at = text_.find_first_of("0123456789", at)) != text_.npos;) {
      std::size_t const end = std::min(text_.find_first_not_of("0123456789", at), text_.size());
      all.push_back({at, end - at});
      at = end;
    }
    return all;
  }
  std::vector<Part> mappings() const {
    std::vector<Part> all;
    for (std::size_t at = 0; (at = text_.find('[', at)) != text_.npos; ++at) {
      std::size_t const end = text_.find(']', at);
      if (end == text_.npos) break;
      all.push_back({at, end + 1 - at});
    }
    return all;
  }

  std::string text_;
  Random random_;
};

TEST(VerifyText, AnswersWhateverIsWritten) {
  auto const texts = sections_of(TCP_SOURCE_DIR "/tests/fuzz/corpus/ir_text.programs");
  ASSERT_FALSE(texts.empty());
  int read = 0, accepted = 0;
  for (const auto& [name, text] : texts) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      std::string const other = Changed(text, seed).drawn();
      auto const module = ir::parse(other, "changed.tcp");
      if (!module) continue;
      ++read;
      try {
        if (ir::verify(*module, rngd)) ++accepted;
      } catch (const Bug& bug) {
        FAIL() << name << ", seed " << seed << ": " << bug.what() << "\n" << other;
      }
    }
  }
  // The changes neither break every text nor leave every program as it was.
  EXPECT_GT(read, 100 * static_cast<int>(texts.size()));
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, read / 2);
}

}  // namespace
