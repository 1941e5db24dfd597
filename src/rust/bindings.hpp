// The vendor's methods and what they are here: one table for all editions.
#pragma once

#include <span>

#include "rust/evaluator.hpp"

namespace tcp::rust {

enum class Receiver : std::uint8_t { tensor, stream, context, gather };

/// One name of a method. `April` is 0, 0.2 is 2, and so on.
struct Binding {
  Receiver on;
  std::string_view name;
  int since, until;        // the editions that have it
  std::string_view other;  // its name in the editions that lack it; empty: none
  std::string_view form;   // how it is written
  RustValue (*call)(Evaluator&, MethodCall&);
};

inline constexpr int april = 0, latest = 9;

/// The row of a name; null: there is none.
const Binding* find_binding(Receiver on, std::string_view name);
std::string edition_name(int edition);

/// The value that a method gives. Refused: a name that there is not, or not in the crate's edition.
RustValue call_binding(Evaluator& evaluator, MethodCall& call, Receiver on);

// The parts of the table.

std::span<const Binding> tensor_bindings();
std::span<const Binding> stream_bindings();
std::span<const Binding> vector_bindings();

// What they share.

[[noreturn]] void refuse_form(const MethodCall& call, const std::string& what);
/// LaneMode::Interleaved: LaneMode; empty: the name stands alone.
std::string_view family_of(const Named& n);
/// Refused: a name whose type is nearly one of these, a slip of the pen. Whether an edition has the type is not asked.
void check_spelling(const MethodCall& call, const Named& n, std::initializer_list<std::string_view> families);
/// The mapping that the call is given as its type argument of this number; null: none, or `_`.
MappingPtr mapping_at(const MethodCall& call, std::size_t i);
/// Refused: it is not there.
const Mapping& needed(const MappingPtr& m, const MethodCall& call, const char* what);
ScalarType scalar_at(const MethodCall& call, std::size_t i);
/// The first argument that is a tensor, or a number.
const RustValue* first_tensor(Evaluator& evaluator, MethodCall& call, std::size_t skip = 0);
Address address_of(Evaluator& evaluator, MethodCall& call);
StreamState& state_of(const MethodCall& call);
/// Records a fetch that was said in several calls.
void flush_fetch(Evaluator& evaluator, StreamState& state);
RustValue next_stream(const MethodCall& call, dyn::Stream stream);
/// The built-in table between two formats.
dyn::Stream fetch_with_builtin_table(dyn::Begin begin, ScalarType from, ScalarType to, const Mapping& time, const Mapping& packet, Where at,
                                     const Span& span);

}  // namespace tcp::rust
