// docs/program.md is what other languages are written by: its tables must be those of the records.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tcp/program/codes.hpp"
#include "tcp/program/fields.hpp"

namespace tcp::program {
namespace {

// The page's names of types.
template <class T>
struct Type;
template <class T>
std::string type_name() {
  if constexpr (Record<T>) return table_of<T>.name;
  else return Type<T>::name();
}
#define TCP_TYPE(CPP, NAME)                    \
  template <>                                  \
  struct Type<CPP> {                           \
    static std::string name() { return NAME; } \
  }
TCP_TYPE(bool, "bool");
TCP_TYPE(std::uint8_t, "u8");
TCP_TYPE(std::uint16_t, "u16");
TCP_TYPE(std::uint32_t, "u32");
TCP_TYPE(std::uint64_t, "u64");
TCP_TYPE(std::int32_t, "i32");
TCP_TYPE(std::int64_t, "i64");
TCP_TYPE(std::string, "text");
TCP_TYPE(SliceSet, "slices");
TCP_TYPE(ScalarType, "ScalarType");
TCP_TYPE(NumericModel, "NumericModel");
TCP_TYPE(Memory, "Memory");
TCP_TYPE(Resource, "Resource");
TCP_TYPE(Topology, "Topology");
TCP_TYPE(Compare, "Compare");
TCP_TYPE(UnitOffset::Of, "UnitOffset.Of");
TCP_TYPE(OperateStep::Family, "OperateStep.Family");
TCP_TYPE(OperateStep::Group, "OperateStep.Group");
TCP_TYPE(ReshapeStep::Width, "ReshapeStep.Width");
#undef TCP_TYPE
template <class T>
struct Type<std::vector<T>> {
  static std::string name() { return "list of " + type_name<T>(); }
};
template <class T>
struct Type<std::optional<T>> {
  static std::string name() { return "maybe " + type_name<T>(); }
};
template <class T, std::size_t N>
struct Type<std::array<T, N>> {
  static std::string name() { return std::to_string(N) + " of " + type_name<T>(); }
};
template <class First, class... Rest>
struct Type<std::variant<First, Rest...>> {
  static std::string name() { return type_name<First>() + ((" or " + type_name<Rest>()) + ...); }
};

class Page : public ::testing::Test {
 protected:
  Page() {
    std::ostringstream text;
    text << std::ifstream(TCP_SOURCE_DIR "/docs/program.md").rdbuf();
    text_ = text.str();
  }

  /// The section of a record: first field and type of each row, without the meaning.
  std::string rows_of(const std::string& record) const {
    std::size_t const begin = text_.find("\n### " + record + "\n");
    if (begin == text_.npos) return "there is no section";
    std::istringstream lines(text_.substr(begin + 1, text_.find("\n##", begin + 1) - begin));
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("| `")) out += line.substr(0, line.find(" | ", line.find(" | ") + 3)) + "\n";
    return out;
  }
  template <class T>
  void compare() const {
    std::string wanted;
    T const record{};
    each_field(record, [&]<class F>(const char* name, const F&) { wanted += "| `" + std::string(name) + "` | " + type_name<F>() + "\n"; });
    EXPECT_EQ(rows_of(table_of<T>.name), wanted) << table_of<T>.name;
  }
  template <class... T>
  void compare_all() const {
    (compare<T>(), ...);
  }
  template <class T>
  void compare_words() const {
    expect_list(type_name<T>(), words_of<T>);
  }
  void expect_list(const std::string& name, CodeNames words) const {
    std::string wanted;
    for (const char* each : words) wanted += (wanted.empty() ? "`" : ", `") + std::string(each) + "`";
    EXPECT_NE(text_.find("\n| " + name + " | " + wanted + " |\n"), text_.npos) << name << ": " << wanted;
  }

  std::string text_;
};

TEST_F(Page, has_every_field_of_every_record) {
  compare_all<Program, Command, Exec, Units, Fetch, Sequencer, Loop, Mask, Table, Switch, RouteStep, Collect, Contraction, StreamAdapter,
              LaneMask, LaneMask::Round, TimeLoop, Vector, VectorStep, BranchStep, Unconditional, ByValidCount, Comparisons, BranchLogStep,
              OperateStep, ConvertStep, ReinterpretStep, ReshapeStep, StashStep, WriteOperandStep, UnzipStep, FilterStep,
              IntraSliceReduceStep, InterSliceReduceStep, OperandSlot, NoOperand, Immediate, Stashed, VrfWalk, Toggle, Toggle::Counter,
              Comparison, ValidCount, ValidCount::Counter, ValidCount::Gate, Cast, Transpose, CommitCast, Commit, TrfStore, VrfStore, Dma,
              DmaDescriptor, DmaLoop, DmaSide, DmaIndex, Itos, Range, Region, Debug, SourceLine, DebugTensor, DebugLevel, DebugAxis,
              DebugRegion, DebugStage, DebugCommand>();
}

TEST_F(Page, has_every_word) {
  compare_words<ScalarType>();
  compare_words<NumericModel>();
  compare_words<Memory>();
  compare_words<Resource>();
  compare_words<Topology>();
  compare_words<Compare>();
  compare_words<OperateStep::Family>();
  compare_words<OperateStep::Group>();
  compare_words<ReshapeStep::Width>();
}

TEST_F(Page, has_every_code) {
  for (std::size_t f = 0; f < word_count<OperateStep::Family>; ++f)
    expect_list(std::string("`op` of ") + words_of<OperateStep::Family>[f], operations_of(static_cast<OperateStep::Family>(f)));
  expect_list("`mode` of FpUnary", codes::unary_modes);
  expect_list("`mode` of FpTernary", codes::ternary_modes);
  expect_list("`mode` of all others", codes::binary_modes);
  expect_list("`alu`", codes::alus);
  expect_list("`reduce`", codes::reduces);
}

/// The words are those that the rest of the library uses.
TEST(Words, of_types_are_their_names) {
  for (ScalarType t : scalar_types) EXPECT_STREQ(word(t), scalar_info(t).name);
  EXPECT_EQ(word_count<ScalarType>, std::size(scalar_types));
  for (NumericModel m : {NumericModel::rngd, NumericModel::ieee}) EXPECT_STREQ(word(m), numeric_model_name(m));
}

}  // namespace
}  // namespace tcp::program
