// What types and expressions of a kernel stand for while it is read: mappings and tensors, streams, numbers.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "rust/crate_tree.hpp"
#include "tcp/dsl/dynamic.hpp"

namespace tcp::rust {

using MappingPtr = std::shared_ptr<const Mapping>;

struct TypeOf;
using Ty = std::shared_ptr<const TypeOf>;  // null: not said

/// The number types of Rust that kernels count with; what tensors hold is a ScalarType. Literals without a type have
/// the first two.
enum class NumberType : std::uint8_t { integer, floating, i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, character };

struct RustValue;

/// A type, as far as it is known.
struct TypeOf {
  enum class Kind : std::uint8_t {
    mapping,
    scalar,
    number,
    boolean,
    tensor,
    stream,
    tuple,
    array,
    structure,
    context,
    launch_scalar,
    constant,
    other
  };
  Kind kind = Kind::other;
  MappingPtr mapping{};                     // of a mapping
  ScalarType scalar = ScalarType::i32;      // of a scalar
  NumberType number = NumberType::integer;  // of a number
  Memory memory = Memory::Hbm;              // of a tensor
  bool is_mut = false;                      // a reference or view to write into
  Ty element{};                             // of a tensor or stream its scalar; of an array, of a launch scalar
  std::array<MappingPtr, level_count> level{};
  std::vector<Ty> items{};               // of a tuple, or the arguments of a structure
  std::optional<std::int64_t> length{};  // of an array
  const Item* item = nullptr;            // of a structure
  ModuleScope* module = nullptr;
  std::shared_ptr<const RustValue> value{};  // of a constant
  std::string_view name{};                   // of others
};

struct Number {
  std::int64_t whole = 0;
  double real = 0;   // of a floating number
  float single = 0;  // the same, computed as f32: of a literal without a type it is not known yet which is meant
  NumberType type = NumberType::integer;

  bool floating() const { return type == NumberType::floating || type == NumberType::f32 || type == NumberType::f64; }
  float as_f32() const {
    if (!floating()) return static_cast<float>(whole);
    return type == NumberType::f64 ? static_cast<float>(real) : single;
  }
  double as_double() const {
    return !floating() ? static_cast<double>(whole) : type == NumberType::f32 ? static_cast<double>(single) : real;
  }
};

/// A stream on its way. A fetch of later editions is said in several calls, and is recorded when the next stage comes.
struct StreamState {
  std::optional<dyn::Begin> begin;
  std::optional<dyn::Stream> stream;
  Levels source{};  // of the tensor that it begins with
  ScalarType source_type = ScalarType::i32;
  bool interleaved = false;
  bool in_main = false;  // begun in ctx.main

  bool fetch_pending = false;
  ScalarType fetch_type = ScalarType::i32;
  MappingPtr fetch_time, fetch_packet;
  Where fetch_at{};
  const char* table = nullptr;  // the name of a built-in table
  std::vector<std::int64_t> zero_points;
  MappingPtr contract_time;  // what contract_time declared
  Span contract_time_span{};
  bool consumed = false;
};

/// A gather of edition 0.9 while its parts are being said.
struct GatherState {
  dyn::Tensor table;
  Name axis{};
  std::optional<dyn::Tensor> index;
  bool byte_offsets = false;
  std::optional<std::int64_t> count;
};

struct Unit {};
/// What an expression gives that was refused: nothing more is said of it.
struct Poisoned {};
struct TensorValue {
  dyn::Tensor tensor;
  bool is_view = false;
};
struct Aggregate {
  enum class Kind : std::uint8_t { tuple, array, structure };
  Kind kind = Kind::tuple;
  const Item* item = nullptr;
  ModuleScope* module = nullptr;
  std::vector<std::string_view> names;
  std::vector<RustValue> items;
  Ty type{};              // of a structure, if it says more than the fields do: its generics
  bool iterates = false;  // of an array: what iter() gives; a map over it waits until it is asked

  Aggregate();
  Aggregate(const Aggregate& o);
  Aggregate(Aggregate&& o) noexcept;
  Aggregate& operator=(const Aggregate& o);
  Aggregate& operator=(Aggregate&& o) noexcept;
  ~Aggregate();
};
struct RangeValue {
  std::optional<std::int64_t> low, high;  // high is not part of it
  NumberType type = NumberType::usize;
};
/// A name of the vendor's, or of an enum, with what it is given: FxpBinaryOp::AddFxp, SwitchConfig::Broadcast1 { … }.
struct Named {
  std::vector<std::string> path;
  std::vector<RustValue> arguments;
  std::vector<std::pair<std::string, RustValue>> fields;
  const Item* item = nullptr;  // of an enum of the crate
  ModuleScope* module = nullptr;

  Named();
  Named(std::vector<std::string> names, std::vector<RustValue> values);
  Named(const Named& o);
  Named(Named&& o) noexcept;
  Named& operator=(const Named& o);
  Named& operator=(Named&& o) noexcept;
  ~Named();

  const std::string& name() const { return path.back(); }
};
struct ContextPart {
  enum class Kind : std::uint8_t { all, main, sub, tdma, pdma };
  Kind kind = Kind::all;
};
/// An element of a format that Rust has not: bf16::from_f32(1.0).
struct ScalarElement {
  ScalarType type = ScalarType::f32;
  double value = 0;
};
/// A tensor whose type is said later.
struct Deferred {
  std::size_t site = 0;
  std::string what;  // the call that makes it
};
/// A variable that may be changed through a reference.
struct Reference {
  RustValue* to = nullptr;
};

struct Scope;
/// A closure, or a function of the crate as a value.
struct ClosureValue {
  const Expr* expr = nullptr;    // null: a function
  std::shared_ptr<Scope> own{};  // of `move`: what it took along
  Scope* around = nullptr;       // otherwise: where it was written
  std::weak_ptr<char> alive{};   // gone: that is left
  const Item* function = nullptr;
  ModuleScope* module = nullptr;
};
struct IteratorValue;

struct RustValue {
  std::variant<Unit, Poisoned, Number, bool, std::string, TensorValue, std::shared_ptr<StreamState>, std::shared_ptr<GatherState>,
               Aggregate, RangeValue, Named, ContextPart, ScalarElement, Deferred, Reference, Ty, std::shared_ptr<ClosureValue>,
               std::shared_ptr<IteratorValue>>
      is;
  Span span{};  // where it was made

  RustValue() = default;
  template <class T>
  RustValue(T v) : is(std::move(v)) {}

  template <class T>
  T* as() {
    return std::get_if<T>(&is);
  }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&is);
  }
};

/// What is asked for its next element: an iterator with a closure in it is as late as in Rust.
struct IteratorValue {
  std::function<std::optional<RustValue>()> next;
};

inline Number whole(std::int64_t v, NumberType type = NumberType::integer) { return {v, 0, 0, type}; }
inline Number real(double v, NumberType type = NumberType::floating) { return {0, v, static_cast<float>(v), type}; }

inline MappingPtr share(const Mapping& m) { return std::make_shared<const Mapping>(m); }
Ty type_of_mapping(MappingPtr m);
Ty type_of_scalar(ScalarType type);

/// In a sentence: "a tensor in DM", "a number".
std::string in_words(const RustValue& v);
std::string in_words(const Ty& t);
std::string text_of(const Mapping& m);

// Arithmetic on the numbers of a kernel.

struct NumberRange {
  std::int64_t least, most;
};
/// The whole numbers of a type; u64 and usize up to 2^63 - 1, more than any kernel counts.
NumberRange range_of(NumberType type);

RustValue calculated(std::string_view op, const Number& a, const Number& b, const Span& span);
/// usize, f32 and so on; none: no number of Rust has this name.
std::optional<NumberType> number_type_named(std::string_view name);
/// `as`.
RustValue converted(const Number& n, NumberType to);

/// The element with these bits, and the one that is nearest to a number.
ScalarElement element_of_bits(ScalarType type, std::uint32_t bits);
ScalarElement element_of(ScalarType type, double value);
/// bf16::ONE and its like; none: the type has no constant of this name.
std::optional<ScalarElement> element_constant(ScalarType type, std::string_view name);

}  // namespace tcp::rust
