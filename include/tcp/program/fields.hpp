// Every record of a program as a table of its fields, and every enumeration as a table of its words.
//
// The binary encoding, its JSON twin, the page docs/program.md and its test all read these tables, in this order: a new
// field is one new row here, and program::version counts up. A row that is missing does not compile.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "tcp/program/program.hpp"

namespace tcp::program {

template <class Record, class Type>
struct Field {
  const char* name;
  Type Record::* member;
};

template <class... Fields>
struct RecordTable {
  const char* name;
  std::tuple<Fields...> fields;
};

/// `name` is what the record is called in JSON and in docs/program.md.
template <class... Record, class... Type>
constexpr RecordTable<Field<Record, Type>...> record(const char* name, Field<Record, Type>... fields) {
  return {name, {fields...}};
}

/// Specialised for every record.
template <class T>
inline constexpr int table_of = 0;
template <class T>
concept Record = !std::is_same_v<decltype(table_of<T>), const int>;

/// Calls `visit(name, value)` for every field of the record, in order.
template <class T, class Visit>
requires Record<std::remove_const_t<T>> constexpr void each_field(T& value, Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field.name, value.*field.member), ...); }, table_of<std::remove_const_t<T>>.fields);
}

/// Specialised for every enumeration: the words of its values, from 0 on.
template <class T>
inline constexpr int words_of = 0;
template <class T>
concept Enumeration = std::is_enum_v<T>;
template <Enumeration T>
constexpr std::size_t word_count = std::size(words_of<T>);
template <Enumeration T>
constexpr const char* word(T value) {
  return words_of<T>[static_cast<std::size_t>(value)];
}

template <>
inline constexpr const char* words_of<ScalarType>[] = {"i4",     "i5",     "i8",     "i9",  "i16",  "i32",
                                                       "f4e2m1", "f8e4m3", "f8e5m2", "f16", "bf16", "f32"};
template <>
inline constexpr const char* words_of<NumericModel>[] = {"rngd", "ieee"};
template <>
inline constexpr const char* words_of<Memory>[] = {"Host", "Hbm", "Dm", "Spm", "Trf", "Vrf"};
template <>
inline constexpr const char* words_of<Resource>[] = {"Main", "Sub", "TensorDma", "PcieDma", "VectorEngine"};
template <>
inline constexpr const char* words_of<Topology>[] = {"Forwarding",     "Broadcast01",          "Broadcast1",     "Transpose",
                                                     "InterTranspose", "TransposedBroadcast1", "CustomBroadcast"};
template <>
inline constexpr const char* words_of<Compare>[] = {"Equal", "Less", "Greater", "LessUnsigned", "GreaterUnsigned", "True", "False"};
template <>
inline constexpr const char* words_of<UnitOffset::Of>[] = {"Chip", "Cluster", "Slice"};
template <>
inline constexpr const char* words_of<OperateStep::Family>[] = {"LogicI32",  "LogicF32", "Fxp",     "FpUnary", "FpBinary",
                                                                "FpTernary", "FpDiv",    "ClipI32", "ClipF32"};
template <>
inline constexpr const char* words_of<OperateStep::Group>[] = {"Both", "Zero", "One", "Zip"};
template <>
inline constexpr const char* words_of<ReshapeStep::Width>[] = {"Split", "Trim", "Concat", "Pad"};

template <>
inline constexpr auto table_of<Units> =
    record("Units", Field{"chips", &Units::chips}, Field{"clusters", &Units::clusters}, Field{"slices", &Units::slices});
template <>
inline constexpr auto table_of<Loop> = record("Loop", Field{"size", &Loop::size}, Field{"stride", &Loop::stride});
template <>
inline constexpr auto table_of<Sequencer> =
    record("Sequencer", Field{"loops", &Sequencer::loops}, Field{"base", &Sequencer::base}, Field{"access_bytes", &Sequencer::access_bytes},
           Field{"accesses_per_packet", &Sequencer::accesses_per_packet}, Field{"packets", &Sequencer::packets},
           Field{"repeat_bits", &Sequencer::repeat_bits});
template <>
inline constexpr auto table_of<Mask> = record("Mask", Field{"loops", &Mask::loops}, Field{"last_dim", &Mask::last_dim},
                                              Field{"left_pad", &Mask::left_pad}, Field{"valid_count_dim", &Mask::valid_count_dim},
                                              Field{"valid_count", &Mask::valid_count}, Field{"pad_value", &Mask::pad_value});
template <>
inline constexpr auto table_of<UnitOffset> = record("UnitOffset", Field{"of", &UnitOffset::of}, Field{"inside", &UnitOffset::inside},
                                                    Field{"size", &UnitOffset::size}, Field{"stride", &UnitOffset::stride});
template <>
inline constexpr auto table_of<Fetch> = record("Fetch", Field{"read", &Fetch::read}, Field{"offsets", &Fetch::offsets},
                                               Field{"stored", &Fetch::stored}, Field{"type", &Fetch::type}, Field{"mask", &Fetch::mask},
                                               Field{"table", &Fetch::table}, Field{"zero_points", &Fetch::zero_points},
                                               Field{"turn_loop", &Fetch::turn_loop}, Field{"packet_elements", &Fetch::packet_elements});
template <>
inline constexpr auto table_of<RouteStep> = record("RouteStep", Field{"size", &RouteStep::size}, Field{"slice", &RouteStep::slice},
                                                   Field{"time", &RouteStep::time}, Field{"held", &RouteStep::held});
template <>
inline constexpr auto table_of<Switch> =
    record("Switch", Field{"topology", &Switch::topology}, Field{"slice1", &Switch::slice1}, Field{"slice0", &Switch::slice0},
           Field{"time0", &Switch::time0}, Field{"ring_size", &Switch::ring_size}, Field{"time_out", &Switch::time_out},
           Field{"snoop", &Switch::snoop}, Field{"of_slice", &Switch::of_slice}, Field{"of_time", &Switch::of_time});
template <>
inline constexpr auto table_of<Collect> =
    record("Collect", Field{"packet_bytes", &Collect::packet_bytes}, Field{"flits_per_packet", &Collect::flits_per_packet});
template <>
inline constexpr auto table_of<StreamAdapter> =
    record("StreamAdapter", Field{"collect_flits", &StreamAdapter::collect_flits}, Field{"transpose_rows", &StreamAdapter::transpose_rows},
           Field{"transpose_columns", &StreamAdapter::transpose_columns}, Field{"initial_shift", &StreamAdapter::initial_shift},
           Field{"shift_stride", &StreamAdapter::shift_stride}, Field{"tiles", &StreamAdapter::tiles},
           Field{"shifts", &StreamAdapter::shifts}, Field{"pops", &StreamAdapter::pops});
template <>
inline constexpr auto table_of<LaneMask::Round> =
    record("LaneMask.Round", Field{"inside", &LaneMask::Round::inside}, Field{"size", &LaneMask::Round::size},
           Field{"from", &LaneMask::Round::from}, Field{"to", &LaneMask::Round::to});
template <>
inline constexpr auto table_of<LaneMask> = record("LaneMask", Field{"rounds", &LaneMask::rounds}, Field{"lanes", &LaneMask::lanes});
template <>
inline constexpr auto table_of<TimeLoop> = record("TimeLoop", Field{"rounds", &TimeLoop::rounds}, Field{"added", &TimeLoop::added});
template <>
inline constexpr auto table_of<Contraction> = record(
    "Contraction", Field{"type", &Contraction::type}, Field{"weights", &Contraction::weights}, Field{"adapter", &Contraction::adapter},
    Field{"rows", &Contraction::rows}, Field{"trf_row_base", &Contraction::trf_row_base}, Field{"trf_loops", &Contraction::trf_loops},
    Field{"trf_first", &Contraction::trf_first}, Field{"trf_read_bytes", &Contraction::trf_read_bytes},
    Field{"trf_repeats", &Contraction::trf_repeats}, Field{"maximum", &Contraction::maximum}, Field{"tree_depth", &Contraction::tree_depth},
    Field{"steps", &Contraction::steps}, Field{"zero_lanes", &Contraction::zero_lanes}, Field{"sequential", &Contraction::sequential},
    Field{"loops", &Contraction::loops}, Field{"columns", &Contraction::columns}, Field{"groups", &Contraction::groups},
    Field{"slots", &Contraction::slots});
template <>
inline constexpr auto table_of<TrfStore> =
    record("TrfStore", Field{"rows", &TrfStore::rows}, Field{"row_base", &TrfStore::row_base}, Field{"row_bytes", &TrfStore::row_bytes},
           Field{"short_command", &TrfStore::short_command});
template <>
inline constexpr auto table_of<VrfStore> = record("VrfStore", Field{"address", &VrfStore::address}, Field{"bytes", &VrfStore::bytes});
template <>
inline constexpr auto table_of<ValidCount::Counter> =
    record("ValidCount.Counter", Field{"limit", &ValidCount::Counter::limit}, Field{"stride", &ValidCount::Counter::stride},
           Field{"serves", &ValidCount::Counter::serves});
template <>
inline constexpr auto table_of<ValidCount::Gate> =
    record("ValidCount.Gate", Field{"mask", &ValidCount::Gate::mask}, Field{"match", &ValidCount::Gate::match},
           Field{"valid", &ValidCount::Gate::valid}, Field{"transposed", &ValidCount::Gate::transposed});
template <>
inline constexpr auto table_of<ValidCount> =
    record("ValidCount", Field{"counters", &ValidCount::counters}, Field{"gates", &ValidCount::gates},
           Field{"packet_valid", &ValidCount::packet_valid}, Field{"lanes", &ValidCount::lanes});
template <>
inline constexpr auto table_of<VrfWalk> = record("VrfWalk", Field{"address", &VrfWalk::address}, Field{"loops", &VrfWalk::loops});
template <>
inline constexpr auto table_of<NoOperand> = record("NoOperand");
template <>
inline constexpr auto table_of<Immediate> = record("Immediate", Field{"bits", &Immediate::bits});
template <>
inline constexpr auto table_of<Stashed> = record("Stashed");
template <>
inline constexpr auto table_of<OperandSlot> = record("OperandSlot", Field{"source", &OperandSlot::source}, Field{"ids", &OperandSlot::ids});
template <>
inline constexpr auto table_of<Toggle::Counter> =
    record("Toggle.Counter", Field{"within", &Toggle::Counter::within}, Field{"inside", &Toggle::Counter::inside},
           Field{"size", &Toggle::Counter::size}, Field{"weight", &Toggle::Counter::weight});
template <>
inline constexpr auto table_of<Toggle> = record("Toggle", Field{"counters", &Toggle::counters}, Field{"start", &Toggle::start});
template <>
inline constexpr auto table_of<Comparison> =
    record("Comparison", Field{"kind", &Comparison::kind}, Field{"boundary", &Comparison::boundary});
template <>
inline constexpr auto table_of<Unconditional> = record("Unconditional");
template <>
inline constexpr auto table_of<ByValidCount> = record("ByValidCount");
template <>
inline constexpr auto table_of<Comparisons> = record("Comparisons", Field{"each", &Comparisons::each});
template <>
inline constexpr auto table_of<BranchStep> = record("BranchStep", Field{"by", &BranchStep::by});
template <>
inline constexpr auto table_of<BranchLogStep> = record("BranchLogStep", Field{"to", &BranchLogStep::to});
template <>
inline constexpr auto table_of<OperateStep> =
    record("OperateStep", Field{"family", &OperateStep::family}, Field{"op", &OperateStep::op}, Field{"mode", &OperateStep::mode},
           Field{"alu", &OperateStep::alu}, Field{"group", &OperateStep::group}, Field{"operands", &OperateStep::operands});
template <>
inline constexpr auto table_of<ConvertStep> =
    record("ConvertStep", Field{"to_float", &ConvertStep::to_float}, Field{"int_width", &ConvertStep::int_width});
template <>
inline constexpr auto table_of<ReinterpretStep> = record("ReinterpretStep", Field{"to_float", &ReinterpretStep::to_float});
template <>
inline constexpr auto table_of<ReshapeStep> = record("ReshapeStep", Field{"width", &ReshapeStep::width});
template <>
inline constexpr auto table_of<StashStep> = record("StashStep");
template <>
inline constexpr auto table_of<WriteOperandStep> =
    record("WriteOperandStep", Field{"ids", &WriteOperandStep::ids}, Field{"to", &WriteOperandStep::to});
template <>
inline constexpr auto table_of<UnzipStep> = record("UnzipStep", Field{"alternate", &UnzipStep::alternate});
template <>
inline constexpr auto table_of<FilterStep> = record("FilterStep", Field{"ids", &FilterStep::ids}, Field{"count_to", &FilterStep::count_to});
template <>
inline constexpr auto table_of<IntraSliceReduceStep> =
    record("IntraSliceReduceStep", Field{"op", &IntraSliceReduceStep::op}, Field{"slots", &IntraSliceReduceStep::slots},
           Field{"loops", &IntraSliceReduceStep::loops}, Field{"tree", &IntraSliceReduceStep::tree},
           Field{"identity", &IntraSliceReduceStep::identity});
template <>
inline constexpr auto table_of<InterSliceReduceStep> =
    record("InterSliceReduceStep", Field{"op", &InterSliceReduceStep::op}, Field{"group_slices", &InterSliceReduceStep::group_slices},
           Field{"broadcast", &InterSliceReduceStep::broadcast}, Field{"promoted", &InterSliceReduceStep::promoted},
           Field{"folded", &InterSliceReduceStep::folded}, Field{"from_step", &InterSliceReduceStep::from_step},
           Field{"identity", &InterSliceReduceStep::identity});
template <>
inline constexpr auto table_of<VectorStep> =
    record("VectorStep", Field{"what", &VectorStep::what}, Field{"time_out", &VectorStep::time_out});
template <>
inline constexpr auto table_of<Vector> =
    record("Vector", Field{"floating", &Vector::floating}, Field{"valid_count", &Vector::valid_count},
           Field{"counted_before", &Vector::counted_before}, Field{"steps", &Vector::steps}, Field{"floating_out", &Vector::floating_out});
template <>
inline constexpr auto table_of<Cast> = record("Cast", Field{"from", &Cast::from}, Field{"to", &Cast::to});
template <>
inline constexpr auto table_of<Transpose> =
    record("Transpose", Field{"in_rows", &Transpose::in_rows}, Field{"in_columns", &Transpose::in_columns},
           Field{"packets_per_column", &Transpose::packets_per_column}, Field{"elements_per_packet", &Transpose::elements_per_packet},
           Field{"kept_packets", &Transpose::kept_packets}, Field{"kept_elements", &Transpose::kept_elements},
           Field{"matrices", &Transpose::matrices}, Field{"double_buffered", &Transpose::double_buffered});
template <>
inline constexpr auto table_of<CommitCast> =
    record("CommitCast", Field{"from", &CommitCast::from}, Field{"to", &CommitCast::to}, Field{"relu", &CommitCast::relu});
template <>
inline constexpr auto table_of<Commit> =
    record("Commit", Field{"type", &Commit::type}, Field{"write", &Commit::write}, Field{"commit_in_size", &Commit::commit_in_size},
           Field{"pack_valid", &Commit::pack_valid}, Field{"cast", &Commit::cast});
template <>
inline constexpr auto table_of<Exec> =
    record("Exec", Field{"sub", &Exec::sub}, Field{"dual", &Exec::dual}, Field{"units", &Exec::units}, Field{"fetch", &Exec::fetch},
           Field{"switching", &Exec::switching}, Field{"collect", &Exec::collect}, Field{"contraction", &Exec::contraction},
           Field{"vector", &Exec::vector}, Field{"cast", &Exec::cast}, Field{"transpose", &Exec::transpose}, Field{"sink", &Exec::sink},
           Field{"writing", &Exec::writing});
template <>
inline constexpr auto table_of<DmaLoop> =
    record("DmaLoop", Field{"size", &DmaLoop::size}, Field{"read_stride", &DmaLoop::read_stride},
           Field{"write_stride", &DmaLoop::write_stride}, Field{"index_stride", &DmaLoop::index_stride});
template <>
inline constexpr auto table_of<DmaSide> =
    record("DmaSide", Field{"memory", &DmaSide::memory}, Field{"chip", &DmaSide::chip}, Field{"cluster", &DmaSide::cluster},
           Field{"unit", &DmaSide::unit}, Field{"address", &DmaSide::address});
template <>
inline constexpr auto table_of<DmaIndex> =
    record("DmaIndex", Field{"table", &DmaIndex::table}, Field{"scatter", &DmaIndex::scatter}, Field{"row_stride", &DmaIndex::row_stride},
           Field{"rows", &DmaIndex::rows}, Field{"key_step", &DmaIndex::key_step});
template <>
inline constexpr auto table_of<DmaDescriptor> = record(
    "DmaDescriptor", Field{"engine", &DmaDescriptor::engine}, Field{"read", &DmaDescriptor::read}, Field{"write", &DmaDescriptor::write},
    Field{"loops", &DmaDescriptor::loops}, Field{"packet_bytes", &DmaDescriptor::packet_bytes}, Field{"index", &DmaDescriptor::index});
template <>
inline constexpr auto table_of<Dma> =
    record("Dma", Field{"pcie", &Dma::pcie}, Field{"parallel_copy", &Dma::parallel_copy}, Field{"descriptors", &Dma::descriptors});
template <>
inline constexpr auto table_of<Itos> = record("Itos", Field{"units", &Itos::units}, Field{"address", &Itos::address},
                                              Field{"word", &Itos::word}, Field{"bytes", &Itos::bytes}, Field{"loops", &Itos::loops});
template <>
inline constexpr auto table_of<Range> =
    record("Range", Field{"memory", &Range::memory}, Field{"units", &Range::units}, Field{"begin", &Range::begin},
           Field{"end", &Range::end}, Field{"buffer_begin", &Range::buffer_begin}, Field{"buffer_end", &Range::buffer_end});
template <>
inline constexpr auto table_of<Command> =
    record("Command", Field{"what", &Command::what}, Field{"resources", &Command::resources}, Field{"reads", &Command::reads},
           Field{"writes", &Command::writes}, Field{"debug", &Command::debug});
template <>
inline constexpr auto table_of<Table> = record("Table", Field{"from", &Table::from}, Field{"to", &Table::to}, Field{"bits", &Table::bits});
template <>
inline constexpr auto table_of<Region> = record("Region", Field{"memory", &Region::memory}, Field{"address", &Region::address},
                                                Field{"bytes", &Region::bytes}, Field{"debug", &Region::debug});
template <>
inline constexpr auto table_of<SourceLine> =
    record("SourceLine", Field{"file", &SourceLine::file}, Field{"function", &SourceLine::function}, Field{"line", &SourceLine::line},
           Field{"column", &SourceLine::column});
template <>
inline constexpr auto table_of<DebugLevel> =
    record("DebugLevel", Field{"level", &DebugLevel::level}, Field{"mapping", &DebugLevel::mapping});
template <>
inline constexpr auto table_of<DebugTensor> =
    record("DebugTensor", Field{"name", &DebugTensor::name}, Field{"type", &DebugTensor::type}, Field{"memory", &DebugTensor::memory},
           Field{"levels", &DebugTensor::levels}, Field{"bytes", &DebugTensor::bytes}, Field{"at", &DebugTensor::at});
template <>
inline constexpr auto table_of<DebugAxis> = record("DebugAxis", Field{"name", &DebugAxis::name}, Field{"size", &DebugAxis::size});
template <>
inline constexpr auto table_of<DebugRegion> = record("DebugRegion", Field{"name", &DebugRegion::name}, Field{"index", &DebugRegion::index});
template <>
inline constexpr auto table_of<DebugStage> =
    record("DebugStage", Field{"name", &DebugStage::name}, Field{"shape", &DebugStage::shape}, Field{"at", &DebugStage::at});
template <>
inline constexpr auto table_of<DebugCommand> =
    record("DebugCommand", Field{"name", &DebugCommand::name}, Field{"at", &DebugCommand::at}, Field{"sources", &DebugCommand::sources},
           Field{"destination", &DebugCommand::destination}, Field{"rows", &DebugCommand::rows}, Field{"region", &DebugCommand::region},
           Field{"stages", &DebugCommand::stages});
template <>
inline constexpr auto table_of<Debug> =
    record("Debug", Field{"lines", &Debug::lines}, Field{"tensors", &Debug::tensors}, Field{"axes", &Debug::axes},
           Field{"regions", &Debug::regions}, Field{"commands", &Debug::commands});
template <>
inline constexpr auto table_of<Program> =
    record("Program", Field{"name", &Program::name}, Field{"chip", &Program::chip}, Field{"chips", &Program::chips},
           Field{"numeric", &Program::numeric}, Field{"tables", &Program::tables}, Field{"commands", &Program::commands},
           Field{"barriers", &Program::barriers}, Field{"loops", &Program::loops}, Field{"arguments", &Program::arguments},
           Field{"results", &Program::results}, Field{"debug", &Program::debug});

namespace detail {

/// Stands for a value of any type while the members of a record are counted.
struct Anything {
  template <class T>
  operator T() const;
};
template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), Anything{})...}; };
}
/// How many members a record has: the most values that it can be made of.
template <class T, std::size_t N = 0>
constexpr std::size_t member_count() {
  if constexpr (!takes<T>(std::make_index_sequence<N + 1>())) return N;
  else return member_count<T, N + 1>();
}
template <class T>
constexpr bool whole = std::tuple_size_v<decltype(table_of<T>.fields)> == member_count<T>();

}  // namespace detail

static_assert(detail::whole<Units> && detail::whole<Loop> && detail::whole<Sequencer> && detail::whole<Mask> && detail::whole<UnitOffset> &&
                  detail::whole<Fetch> && detail::whole<RouteStep> && detail::whole<Switch> && detail::whole<Collect> &&
                  detail::whole<StreamAdapter> && detail::whole<LaneMask::Round> && detail::whole<LaneMask> && detail::whole<TimeLoop> &&
                  detail::whole<Contraction> && detail::whole<TrfStore> && detail::whole<VrfStore> && detail::whole<ValidCount::Counter> &&
                  detail::whole<ValidCount::Gate> && detail::whole<ValidCount> && detail::whole<VrfWalk> && detail::whole<NoOperand> &&
                  detail::whole<Immediate> && detail::whole<Stashed> && detail::whole<OperandSlot> && detail::whole<Toggle::Counter> &&
                  detail::whole<Toggle> && detail::whole<Comparison> && detail::whole<Unconditional> && detail::whole<ByValidCount> &&
                  detail::whole<Comparisons> && detail::whole<BranchStep> && detail::whole<BranchLogStep> && detail::whole<OperateStep> &&
                  detail::whole<ConvertStep> && detail::whole<ReinterpretStep> && detail::whole<ReshapeStep> && detail::whole<StashStep> &&
                  detail::whole<WriteOperandStep> && detail::whole<UnzipStep> && detail::whole<FilterStep> &&
                  detail::whole<IntraSliceReduceStep> && detail::whole<InterSliceReduceStep> && detail::whole<VectorStep> &&
                  detail::whole<Vector> && detail::whole<Cast> && detail::whole<Transpose> && detail::whole<CommitCast> &&
                  detail::whole<Commit> && detail::whole<Exec> && detail::whole<DmaLoop> && detail::whole<DmaSide> &&
                  detail::whole<DmaIndex> && detail::whole<DmaDescriptor> && detail::whole<Dma> && detail::whole<Itos> &&
                  detail::whole<Range> && detail::whole<Command> && detail::whole<Table> && detail::whole<Region> &&
                  detail::whole<SourceLine> && detail::whole<DebugLevel> && detail::whole<DebugTensor> && detail::whole<DebugAxis> &&
                  detail::whole<DebugRegion> && detail::whole<DebugStage> && detail::whole<DebugCommand> && detail::whole<Debug> &&
                  detail::whole<Program>,
              "a field of a record has no row here");

}  // namespace tcp::program
