// Runs the rows of tests/book/rows/*.rows: each is a program in the text form with the numbers that the ledger has, and is checked by the verifier, both interpreters,
// the compiler, the walker and the simulated chip. A row that stands there is a test of its own, by the name of its ids; nothing has to be compiled for a new one.
//
//     row FET-35 a cast at the fetch widens i8 to i32
//     axes A = 32
//     dm x: i8 Cluster[1 # 2] Slice[1 # 256] Element[A] at 0
//     dm y: i32 Cluster[1 # 2] Slice[1 # 256] Element[A] at 4096
//     main.begin(x)
//       .fetch i32 Time[A / 8] Packet[A % 8]
//       .collect
//       .commit(y)
//     give x = A - 16
//     expect y = x
//     config 0 fetch: / 8
//     engine 0 Commit: 4
//
// A tensor in DM or HBM that is read before it is written is an argument, one that is left written a result; roles may be given as well. What follows the program:
//
//     give x = FORMULA | NUMBERS      the argument, element by element (formula.hpp), or a list from the first element on, again and again; without it: 1, 2, 3, ...
//     expect y = FORMULA | NUMBERS    all elements, last axis fastest in lists; a list that ends with ... says the first ones only; 0x7fc0 is a number by its bits
//     config N STAGE: TEXT            TEXT is part of how a stage of the N-th lowered command is set, as `tcp compile --emit configs` prints it
//     without N STAGE: TEXT           no such stage is set so
//     snoop N S: 0, 16                the slices whose packets slice S takes in the N-th lowered command
//     commands: N                     lowered commands
//     cycles N: C                     of the N-th lowered command in the model `book`, filling the pipeline included; engine N Switch: C, stall N DmBank: C are parts of it; makespan: C
//     detailed N TrfBank: C           the same part in the model `detailed`, 0 if there is none; detailed N: C the whole
//     refused CODE                    the verifier (or the reader) rejects the program with this code; nothing runs
//     fails CODE                      it is accepted, and every executor rejects what it computes
//     unlowered CODE                  the interpreters run it, the compiler rejects it
//     device rngd_s                   for another chip than rngd
//
// Lines that begin with # are comments. Every program must go through all paths, unless it is refused or unlowered; the test fails otherwise. What comes out is also compared with
// expectations that are wrong, one after the other: other elements, and each number of a configuration or of cycles one larger. One that nobody notices says nothing, and the test fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <sstream>

#include "book/rows/formula.hpp"
#include "every_path.hpp"
#include "run_module.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/print.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/sim/detailed.hpp"

namespace tcp::rows {
namespace {

struct Check {
  int line = 0;
  std::string kind;   // give, expect, config, ...
  std::string what;   // before the colon or the equals sign
  std::string value;  // after it
};

struct Row {
  std::string file;
  int line = 0;
  std::string name;  // FET_35_a_cast_at_the_fetch
  std::string text;  // of the program
  std::vector<Check> checks;
};

std::string trimmed(std::string_view s) {
  auto const from = s.find_first_not_of(" \t\r"), to = s.find_last_not_of(" \t\r");
  return from == std::string_view::npos ? std::string() : std::string(s.substr(from, to - from + 1));
}

/// `row FET-35 a cast` -> FET_35_a_cast
std::string test_name(std::string_view heading) {
  std::string name;
  for (char c : trimmed(heading)) {
    bool const letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter || (!name.empty() && name.back() != '_')) name += letter ? c : '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

std::vector<Row> read_rows(const std::filesystem::path& path) {
  static const std::regex check(
      R"(^(give|expect|config|without|snoop|device|commands|cycles|engine|stall|makespan|detailed|refused|fails|unlowered)\b([^:=]*)[:=]?\s*(.*)$)");
  std::vector<Row> rows;
  std::ifstream in(path);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("#")) line.clear();
    if (line.starts_with("row ")) {
      rows.push_back({path.filename().string(), number, test_name(line.substr(4)), {}, {}});
      rows.back().text = std::string(static_cast<std::size_t>(number), '\n');  // so that errors name the lines of the file
      continue;
    }
    if (rows.empty()) continue;
    if (std::smatch found; std::regex_match(line, found, check))
      rows.back().checks.push_back({number, found[1], trimmed(found[2].str()), trimmed(found[3].str())});
    else rows.back().text += line;
    rows.back().text += '\n';
  }
  return rows;
}

template <class F>
auto with_type(ScalarType type, F f) {
  switch (type) {
    case ScalarType::f32: return f(f32{});
    case ScalarType::bf16: return f(bf16{});
    case ScalarType::f16: return f(f16{});
    case ScalarType::f8e4m3: return f(f8e4m3{});
    case ScalarType::f8e5m2: return f(f8e5m2{});
    default: return f(f4e2m1{});
  }
}

double number_of(ScalarType type, std::uint32_t bits) {
  if (scalar_info(type).kind == ScalarKind::integer) {
    int const n = scalar_info(type).bits;
    auto const low = static_cast<std::int64_t>(bits & scalar_mask(type));
    return static_cast<double>(n < 64 && (low >> (n - 1)) != 0 ? low - (std::int64_t{1} << n) : low);
  }
  return with_type(type, [&](auto x) { return decltype(x)::from_bits(static_cast<decltype(x.bits)>(bits)).to_double(); });
}

/// The bits of a number that the type has exactly; throws for others.
std::uint32_t bits_of(ScalarType type, double v) {
  std::uint32_t bits = 0;
  if (scalar_info(type).kind == ScalarKind::integer) {
    bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(v)) & scalar_mask(type);
  } else if (scalar_info(type).bits <= 8) {
    for (std::uint32_t all = scalar_mask(type); bits <= all && number_of(type, bits) != v;) ++bits;
    bits &= scalar_mask(type);
    if (v == 0 && std::signbit(v)) bits |= std::uint32_t{1} << (scalar_info(type).bits - 1);
  } else {
    bits = type == ScalarType::f32    ? f32::from_double(v).bits
           : type == ScalarType::bf16 ? bf16::from_double(v).bits
                                      : f16::from_double(v).bits;
  }
  if (number_of(type, bits) != v)
    throw std::invalid_argument(std::to_string(v) + " is no number of " + std::string(scalar_info(type).name) +
                                ": round it, as in bf16(...)");
  return bits;
}

/// Elements of a tensor from a formula, or from a list; beyond `...` there are none.
struct Elements {
  Elements(const std::string& text, const Check& check) : line(check.line) {
    static const std::regex numbers(R"(^[-+0-9a-fx.,\s]*(inf|nan)?[-+0-9a-fx.,\s]*$)");
    bool const list = text.find(',') != std::string::npos && std::regex_match(text, numbers);
    if (!list) {
      formula.emplace(text);
      return;
    }
    std::stringstream in(text);
    for (std::string each; std::getline(in, each, ',');) {
      each = trimmed(each);
      if (each == "...") {
        open = true;
        continue;
      }
      if (each.empty() || open) throw std::invalid_argument("'" + text + "' is no list of numbers");
      listed.push_back(each);
    }
  }
  std::optional<std::uint32_t> bits(ScalarType type, std::int64_t i, Scope& scope) const {
    if (formula) return bits_of(type, (*formula)(scope));
    auto const n = static_cast<std::int64_t>(listed.size());
    if (i >= n && open) return {};
    const std::string& each = listed[static_cast<std::size_t>(i % n)];
    if (each.starts_with("0x")) return static_cast<std::uint32_t>(std::stoul(each, nullptr, 16));
    return bits_of(type, std::stod(each));
  }

  int line;
  std::optional<Formula> formula;
  std::vector<std::string> listed;
  bool open = false;  // ends with ...
};

std::string text_of(Name name) {
  std::ostringstream out;
  out << name;
  return out.str();
}

using Coordinates = std::map<std::string, std::int64_t, std::less<>>;

Coordinates coordinates_of(const reference::Value& v, std::int64_t i) {
  Coordinates all;
  Index const index = v.index_of(i);
  for (const auto& axis : v.axes()) all[text_of(axis.name)] = index.get(axis.name);
  return all;
}

/// The check with a mistake in it, in each way there is. `without` has none: what is not there may be so for many reasons.
std::vector<Check> mistaken_of(const Check& c) {
  std::vector<Check> all;
  auto const with = [&](std::string value) {
    all.push_back(c);
    all.back().value = std::move(value);
  };
  if (c.kind == "without") return all;
  if (c.kind == "expect") {
    Elements const right(c.value, c);
    if (right.formula) with("(" + c.value + ") == 0 ? 1 : 0");
    for (std::size_t at : {std::size_t{0}, right.listed.size() - 1}) {
      if (right.formula) break;
      std::vector<std::string> other = right.listed;
      bool const zero = other[at].find_first_not_of("-+0.x") == std::string::npos;
      other[at] = zero ? "1" : "0";
      std::string text;
      for (const std::string& each : other) text += each + ", ";
      with(right.open ? text + "..." : text.substr(0, text.size() - 2));
    }
    return all;
  }
  static const std::regex number("[0-9]+");
  for (std::sregex_iterator at(c.value.begin(), c.value.end(), number), end; at != end; ++at)
    with(c.value.substr(0, static_cast<std::size_t>(at->position())) + std::to_string(std::stoll(at->str()) + 1) +
         c.value.substr(static_cast<std::size_t>(at->position() + at->length())));
  return all;
}

constexpr std::pair<const char*, program::Engine> engines[] = {
    {"Fetch", program::Engine::Fetch},       {"Switch", program::Engine::Switch},
    {"Collect", program::Engine::Collect},   {"Contraction", program::Engine::Contraction},
    {"Reducer", program::Engine::Reducer},   {"Vector", program::Engine::Vector},
    {"Cast", program::Engine::Cast},         {"Transpose", program::Engine::Transpose},
    {"Commit", program::Engine::Commit},     {"TrfStore", program::Engine::TrfStore},
    {"VrfStore", program::Engine::VrfStore}, {"Dma", program::Engine::Dma},
    {"Hbm", program::Engine::Hbm},           {"Pcie", program::Engine::Pcie},
    {"Itos", program::Engine::Itos}};
constexpr std::pair<const char*, program::Stall> stalls[] = {{"Engine", program::Stall::Engine},
                                                             {"TrfBank", program::Stall::TrfBank},
                                                             {"DmBank", program::Stall::DmBank},
                                                             {"Dmn", program::Stall::Dmn},
                                                             {"HbmChannel", program::Stall::HbmChannel},
                                                             {"HbmRow", program::Stall::HbmRow},
                                                             {"PartialWrite", program::Stall::PartialWrite},
                                                             {"SharedMedium", program::Stall::SharedMedium},
                                                             {"Pcie", program::Stall::Pcie}};

class RowTest : public testing::Test {
 public:
  explicit RowTest(const Row& row) : row_(row) {}

 private:
  void TestBody() override {
    try {
      check();
    } catch (const std::exception& e) {
      ADD_FAILURE() << place(row_.line) << e.what();
    }
  }

  std::string place(int line) const { return row_.file + ":" + std::to_string(line) + ": "; }
  const Check* find(std::string_view kind) const {
    for (const Check& c : row_.checks)
      if (c.kind == kind) return &c;
    return nullptr;
  }

  void check() {
    bool const checks_something = std::any_of(row_.checks.begin(), row_.checks.end(), [](const Check& c) { return c.kind != "give"; });
    ASSERT_TRUE(checks_something) << place(row_.line) << "the row checks nothing";
    if (const Check* const device = find("device"))
      device_ = device->what == "rngd_s"    ? rngd_s
                : device->what == "logical" ? logical
                                            : throw std::invalid_argument("there is no device " + device->what);
    auto const parsed = ir::parse(row_.text, row_.file.c_str());
    if (const Check* const refused = find("refused")) {
      auto const verified = parsed ? ir::verify(*parsed, device_) : Expected<ir::Verified>(parsed.refusal());
      ASSERT_FALSE(verified) << place(refused->line) << "it is accepted";
      ASSERT_EQ(verified.refusal().code, refused->what) << place(refused->line) << render(verified.refusal());
      paths::note(paths::Path::rules);
      return;
    }
    ASSERT_TRUE(parsed) << render(parsed.refusal());
    auto const whole = paths::as_a_whole(*parsed);
    ASSERT_TRUE(whole) << place(row_.line) << "it reads registers that nothing fills";
    module_ = *whole;
    run();
    if (HasFatalFailure()) return;
    lower_and_compare();
    bool const lowers = find("unlowered") == nullptr;
    for (auto p : {paths::Path::rules, paths::Path::reference, paths::Path::vector, paths::Path::lowering, paths::Path::machine})
      if (lowers || p != paths::Path::machine) {
        EXPECT_TRUE(paths::noted().contains(p)) << place(row_.line) << "it was not checked on the path " << paths::name_of(p);
      }
  }

  ir::TensorId tensor_named(const Check& c, const std::vector<ir::TensorId>& among) const {
    for (ir::TensorId id : among)
      if (module_.tensor(id).name == c.what) return id;
    throw std::invalid_argument("line " + std::to_string(c.line) + ": '" + c.what + "' is not among the tensors that this speaks of");
  }

  void run() {
    for (ir::TensorId id : module_.arguments) arguments_.push_back(paths::numbered(module_, id));
    for (const Check& c : row_.checks)
      if (c.kind == "give") {
        auto const which = static_cast<std::size_t>(
            std::find(module_.arguments.begin(), module_.arguments.end(), tensor_named(c, module_.arguments)) - module_.arguments.begin());
        reference::Value& v = arguments_[which];
        Elements const given(c.value, c);
        for (std::int64_t i = 0; i < v.size(); ++i) {
          Scope scope{coordinates_of(v, i), {}};
          if (auto const bits = given.bits(v.type, i, scope)) v[i].bits = *bits & scalar_mask(v.type);
        }
      }
    auto const outcome = build::tried(module_, arguments_, device_);
    if (const Check* const fails = find("fails")) {
      ASSERT_FALSE(outcome) << place(fails->line) << "it runs";
      EXPECT_EQ(outcome.refusal().code, fails->what) << place(fails->line) << render(outcome.refusal());
      return;
    }
    ASSERT_TRUE(outcome) << render(outcome.refusal());
    for (const Check& c : row_.checks)
      if (c.kind == "expect") hold(c, [&](const Check& each) { return complaint(each, *outcome); });
  }

  /// The check holds, and with a mistake in it, it does not.
  template <class Complaint>
  void hold(const Check& c, Complaint complaint) {
    if (std::string const wrong = complaint(c); !wrong.empty()) ADD_FAILURE() << place(c.line) << wrong;
    for (const Check& mistaken : mistaken_of(c))
      EXPECT_NE(complaint(mistaken), "") << place(c.line) << "nobody would notice " << mistaken.kind << ' ' << mistaken.what << ": "
                                         << mistaken.value;
  }

  std::string complaint(const Check& c, const reference::Outcome& outcome) {
    auto const which = static_cast<std::size_t>(
        std::find(module_.results.begin(), module_.results.end(), tensor_named(c, module_.results)) - module_.results.begin());
    const reference::Value& found = outcome.results.at(which);
    Elements const wanted(c.value, c);
    if (!wanted.formula && !wanted.open && static_cast<std::int64_t>(wanted.listed.size()) != found.size())
      return std::to_string(wanted.listed.size()) + " numbers in the list, for " + std::to_string(found.size()) + " elements";
    Scope scope;
    for (std::size_t a = 0; a < arguments_.size(); ++a)
      scope.tensors[module_.tensor(module_.arguments[a]).name] = [this, a](const Coordinates& at) {
        Index index;
        for (const auto& axis : arguments_[a].axes()) {
          auto const given = at.find(text_of(axis.name));
          if (given == at.end() || given->second < 0 || given->second >= axis.size)
            throw std::invalid_argument("a formula reads an argument outside of it, or without axis " + text_of(axis.name));
          index.add(axis.name, given->second);
        }
        return number_of(arguments_[a].type, arguments_[a].at(index).bits);
      };
    for (std::int64_t i = 0; i < found.size(); ++i) {
      scope.coordinates = coordinates_of(found, i);
      auto const bits = wanted.bits(found.type, i, scope);
      if (!bits) break;
      if ((found[i].bits & scalar_mask(found.type)) == (*bits & scalar_mask(found.type))) continue;
      std::string at;
      for (const auto& [axis, coordinate] : scope.coordinates) at += (at.empty() ? "" : ", ") + axis + " = " + std::to_string(coordinate);
      std::ostringstream out;
      out << c.what << " at " << at << " is " << number_of(found.type, found[i].bits) << " (0x" << std::hex << found[i].bits
          << "), expected " << number_of(found.type, *bits) << " (0x" << *bits << ")";
      return out.str();
    }
    return {};
  }

  void lower_and_compare() {
    auto const verified = ir::verify(module_, device_);
    auto const placed = ir::placed(*verified);
    ASSERT_TRUE(placed) << render(placed.refusal());
    auto const program = lower::lower(*placed);
    if (const Check* const unlowered = find("unlowered")) {
      ASSERT_FALSE(program) << place(unlowered->line) << "it lowers";
      EXPECT_EQ(program.refusal().code, unlowered->what) << place(unlowered->line) << render(program.refusal());
      paths::note(paths::Path::lowering);
      return;
    }
    ASSERT_TRUE(program) << render(program.refusal());
    std::optional<program::Schedule> planned, followed;
    for (const Check& c : row_.checks) {
      if (c.kind == "commands")
        hold(c, [&](const Check& each) { return unequal(static_cast<std::int64_t>(program->commands.size()), each); });
      if (c.kind == "config" || c.kind == "without") hold(c, [&](const Check& each) { return config_complaint(each, *program); });
      if (c.kind == "snoop") hold(c, [&](const Check& each) { return snoop_complaint(each, *program); });
      if (c.kind == "cycles" || c.kind == "engine" || c.kind == "stall" || c.kind == "makespan") {
        if (!planned) planned = sched::schedule(*program, device_, sched::BookDuration(device_)).value();
        hold(c, [&](const Check& each) { return unequal(cycles(each, *planned), each); });
        paths::note(paths::Path::cycles);
      }
      if (c.kind == "detailed") {
        if (!followed) followed = sim::run_detailed(*program, device_).value().schedule;
        hold(c, [&](const Check& each) { return unequal(std::max<std::int64_t>(cycles(each, *followed), 0), each); });
        paths::note(paths::Path::cycles);
      }
    }
  }

  static std::string unequal(std::int64_t found, const Check& c) {
    return found == std::stoll(c.value) ? std::string() : c.kind + " " + c.what + " is " + std::to_string(found) + ", expected " + c.value;
  }

  static std::int64_t cycles(const Check& c, const program::Schedule& planned) {
    if (c.kind == "makespan") return planned.makespan.value;
    std::stringstream in(c.what);
    std::size_t command = 0;
    std::string part;
    in >> command >> part;
    const program::Cost& cost = planned.commands.at(command).cost;
    if (c.kind == "cycles" || part.empty()) return cost.total().value;
    if (c.kind == "engine") {
      for (const auto& [name, engine] : engines)
        if (part == name)
          for (const auto& each : cost.engines)
            if (each.engine == engine) return each.cycles.value;
    } else {
      for (const auto& [name, stall] : stalls)
        if (part == name)
          for (const auto& each : cost.stalls)
            if (each.cause == stall) return each.cycles.value;
    }
    return -1;  // it takes no part
  }

  static std::string config_complaint(const Check& c, const program::Program& program) {
    std::stringstream in(c.what);
    std::size_t command = 0;
    std::string stage, all;
    in >> command >> stage;
    for (const program::Setting& s : settings_of(program.commands.at(command))) {
      if (s.stage == stage && s.configuration.find(c.value) != std::string::npos) {
        if (c.kind == "without") return "command " + std::to_string(command) + " has it: " + s.configuration;
        paths::note(paths::Path::lowering);
        return {};
      }
      all += "\n  " + s.stage + ": " + s.configuration;
    }
    if (c.kind == "without") return {};
    return "command " + std::to_string(command) + " has no " + stage + " with '" + c.value + "'; it has" + all;
  }

  static std::string snoop_complaint(const Check& c, const program::Program& program) {
    std::stringstream in(c.what), listed(c.value);
    std::size_t command = 0, slice = 0;
    in >> command >> slice;
    program::SliceSet wanted;
    for (std::string each; std::getline(listed, each, ',');) {
      int const number = std::stoi(each);
      if (number >= static_cast<int>(64 * wanted.word.size())) return "there is no slice " + each;
      wanted.insert(number);
    }
    const auto& switching = std::get<program::Exec>(program.commands.at(command).what).switching.value();
    if (switching.snoop.at(slice) == wanted) return {};
    return "slice " + std::to_string(slice) + " takes packets of " + print(switching.snoop.at(slice)) + ", expected " + print(wanted);
  }

  const Row& row_;
  Device device_ = rngd;
  ir::Module module_;
  std::vector<reference::Value> arguments_;
};

const std::vector<Row>& all_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TCP_SOURCE_DIR) / "tests/book/rows"))
      if (entry.path().extension() == ".rows") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Row> all;
    for (const auto& file : files)
      for (Row& row : read_rows(file)) all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

const bool registered = [] {
  for (const Row& row : all_rows())
    testing::RegisterTest(std::filesystem::path(row.file).stem().c_str(), row.name.c_str(), nullptr, nullptr, row.file.c_str(), row.line,
                          [&row]() -> testing::Test* { return new RowTest(row); });
  return true;
}();

}  // namespace
}  // namespace tcp::rows
