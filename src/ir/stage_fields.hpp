// The fields of every stage: one description per record, from which the printer, the parser, the comparison, the lives
// of tensors and the verifier learn what a record holds. A new stage needs nothing else in this folder but its record
// (ir/stage.hpp) and its check (verify_pass.cpp).
//
// fields::of(record) gives the arguments of the stage in the order of the text form, each bound to its member of the
// record. An argument has a place, or a name:
//
//   always(x)         said always, by its place          named("tile_time", x)   said always, by its name
//   option(x)         left out while it is what a        option("count", x)      the same by its name
//                     new record has, by its place       flag("pack_valid", x)   a bool: the name alone
//   when(x)           the execution ids of the argument before it
//
// What an argument holds is told by the C++ type, except for numbers into the module, words and whole numbers: reads,
// writes, table, mapping, word, number. The bindings name every member, so that a new one does not compile until it is
// described. Branch and VectorOperation are described only as far as they are compared and use tensors: the printer and
// the parser have functions of their own for what they look like.
#pragma once

#include <tuple>
#include <type_traits>

#include "ir/words.hpp"
#include "tcp/mapping/loops.hpp"

namespace tcp::ir {

// What an argument holds.

template <class Id>
struct TensorField {
  Id& value;
  Access access;
};
template <class Id>
struct MappingField {
  Id& value;
};
template <class Id>
struct TableField {
  Id& value;
};
template <class E, std::size_t N>
struct WordField {
  E& value;
  const words::Word<std::remove_const_t<E>> (&table)[N];
  const char* kind;  // what one of the words is called
};
template <class Int>
struct NumberField {
  Int& value;
  const char* wanted;
};
template <class Bool>
struct FlagField {
  Bool& value;
};
template <class Guard>
struct WhenField {
  Guard& value;
};
template <class T>
struct PlainField {
  T& value;
};

template <class Field>
struct StageArgument {
  Field field;
  const char* name;  // null: known by its place
  bool optional;
};

/// All arguments of a stage; `needed` is said if there is none at all, null if there need not be one.
template <class... Field>
struct StageArguments {
  const char* needed;
  std::tuple<StageArgument<Field>...> all;
};

namespace fields {

template <class T, class Record>
concept Is = std::is_same_v<std::remove_const_t<T>, Record>;

// The words of the descriptions.

constexpr auto reads(auto& id) { return TensorField<std::remove_reference_t<decltype(id)>>{id, Access::read}; }
constexpr auto writes(auto& id) { return TensorField<std::remove_reference_t<decltype(id)>>{id, Access::write}; }
constexpr auto mapping(auto& id) { return MappingField<std::remove_reference_t<decltype(id)>>{id}; }
constexpr auto table(auto& id) { return TableField<std::remove_reference_t<decltype(id)>>{id}; }
constexpr auto number(auto& value, const char* wanted) { return NumberField<std::remove_reference_t<decltype(value)>>{value, wanted}; }
constexpr auto plain(auto& value) { return PlainField<std::remove_reference_t<decltype(value)>>{value}; }
template <class E, std::size_t N>
constexpr auto word(E& value, const words::Word<std::remove_const_t<E>> (&table)[N], const char* kind) {
  return WordField<E, N>{value, table, kind};
}

template <class Field>
constexpr StageArgument<Field> always(Field f) {
  return {f, nullptr, false};
}
template <class Field>
constexpr StageArgument<Field> named(const char* name, Field f) {
  return {f, name, false};
}
template <class Field>
constexpr StageArgument<Field> option(Field f) {
  return {f, nullptr, true};
}
template <class Field>
constexpr StageArgument<Field> option(const char* name, Field f) {
  return {f, name, true};
}
template <class Bool>
constexpr StageArgument<FlagField<Bool>> flag(const char* name, Bool& value) {
  return {{value}, name, true};
}
template <class Guard>
constexpr StageArgument<WhenField<Guard>> when(Guard& value) {
  return {{value}, nullptr, true};
}

template <class... Field>
constexpr StageArguments<Field...> arguments(const char* needed, StageArgument<Field>... all) {
  return {needed, {all...}};
}
template <class... Field>
constexpr StageArguments<Field...> optional_arguments(StageArgument<Field>... all) {
  return {nullptr, {all...}};
}

/// The one argument of many stages.
template <class Field>
constexpr StageArguments<Field> tensor_alone(Field tensor) {
  return arguments("the tensor of the stage is needed, in parentheses", always(tensor));
}

template <class Empty>
requires std::is_empty_v<Empty> constexpr StageArguments<> of(Empty&) {
  return {};
}
constexpr auto of(Is<Fetch> auto& stage) {
  auto& [table_id, zero_points] = stage;
  return optional_arguments(option("table", table(table_id)), option("zero_points", plain(zero_points)));
}
constexpr auto of(Is<Switch> auto& stage) {
  auto& [config] = stage;
  auto& [topology, slice1, slice0, time0, ring_size, extraction] = config;
  constexpr const char* positions = "a number of positions is needed";
  return arguments("a switch says its topology: switch(Forwarding)", always(word(topology, words::topologies, "a topology of the switch")),
                   option("slice1", number(slice1, positions)), option("slice0", number(slice0, positions)),
                   option("time0", number(time0, positions)), option("ring_size", number(ring_size, positions)),
                   option("extraction", word(extraction, words::extractions, "how a custom switch extracts")));
}
constexpr auto of(Is<Align> auto& stage) {
  auto& [trf] = stage;
  return tensor_alone(reads(trf));
}
constexpr auto of(Is<Contract> auto& stage) {
  auto& [op] = stage;
  return optional_arguments(option(word(op, words::contract_ops, "an operation of the contraction")));
}
constexpr auto of(Is<Accumulate> auto& stage) {
  auto& [kind] = stage;
  return arguments("an accumulation says where Row goes: accumulate(Interleaved)",
                   always(word(kind, words::accumulations, "a kind of accumulation")));
}
constexpr auto of(Is<Branch> auto& stage) {
  auto& [mode, vrf] = stage;
  return arguments("a branch says its mode: (Unconditional)", always(plain(mode)), option("vrf", reads(vrf)));
}
constexpr auto of(Is<BranchLog> auto& stage) {
  auto& [vrf] = stage;
  return tensor_alone(writes(vrf));
}
constexpr auto of(Is<WriteOperand> auto& stage) {
  auto& [vrf, guard] = stage;
  return arguments("the VRF tensor is needed: vector_write_operand(v)", always(writes(vrf)), when(guard));
}
constexpr auto of(Is<VectorOperation> auto& stage) {
  auto& [step, operands] = stage;
  return optional_arguments(always(plain(step)), always(plain(operands)));
}
constexpr auto of(Is<Unzip> auto& stage) {
  auto& [axis, tile_time] = stage;
  return arguments("the axis that tells the groups apart is needed: (I, tile_time: [1 # 2])", always(plain(axis)),
                   named("tile_time", mapping(tile_time)));
}
constexpr auto of(Is<Filter> auto& stage) {
  auto& [keep, count] = stage;
  return arguments("a filter says which execution ids it keeps: ({1, 3})", always(plain(keep)), option("count", writes(count)));
}
constexpr auto of(Is<IntraSliceReduce> auto& stage) {
  auto& [axis, op] = stage;
  return arguments("a reduce says its axis and operation: (A, Add)", always(plain(axis)),
                   always(word(op, words::reduce_ops, "an operation of the reduce")));
}
constexpr auto of(Is<InterSliceReduce> auto& stage) {
  auto& [op] = stage;
  return arguments("a reduce says its operation: (Add)", always(word(op, words::reduce_ops, "an operation of the reduce")));
}
constexpr auto of(Is<Commit> auto& stage) {
  auto& [destination, slices, pack_valid] = stage;
  return arguments("the tensor of the commit is needed: commit(x)", always(writes(destination)), option("slices", plain(slices)),
                   flag("pack_valid", pack_valid));
}
constexpr auto of(Is<ToTrf> auto& stage) {
  auto& [destination] = stage;
  return tensor_alone(writes(destination));
}
constexpr auto of(Is<ToVrf> auto& stage) {
  auto& [destination] = stage;
  return tensor_alone(writes(destination));
}

}  // namespace fields

/// Calls `each` with what every argument of a stage holds, in order.
template <class Each>
void each_field(const StageRecord& stage, Each each) {
  std::visit([&](const auto& record) { std::apply([&](const auto&... a) { (each(a.field), ...); }, fields::of(record).all); }, stage);
}

/// Calls `each` with every argument of a record and the same argument of another.
template <class Record, class Each>
void each_argument_pair(const Record& one, const Record& other, Each each) {
  std::apply([&](const auto&... a) { std::apply([&](const auto&... b) { (each(a, b), ...); }, fields::of(other).all); },
             fields::of(one).all);
}

}  // namespace tcp::ir
