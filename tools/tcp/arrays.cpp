// Converts arrays of files to values of tensors and back, makes random values, and prints elements.
#include "arrays.hpp"

#include <charconv>

#include "tcp/scalar/cast.hpp"
#include "tcp/support/random.hpp"

namespace tcp::tool {
namespace {

std::string number_in_words(ScalarType type, std::uint32_t bits) {
  if (is_integer(type)) return std::to_string(static_cast<std::int32_t>(scalar_cast_bits(type, ScalarType::i32, bits, NumericModel::ieee)));
  float const number = f32::from_bits(scalar_cast_bits(type, ScalarType::f32, bits, NumericModel::ieee)).to_float();
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

std::uint32_t random_bits(ScalarType type, Random& random) {
  std::int64_t const number = random.between(-8, 7);
  auto const bits = static_cast<std::uint32_t>(number);
  if (type == ScalarType::f4e2m1) return bits & scalar_mask(type);
  if (is_integer(type)) return scalar_cast_bits(ScalarType::i32, type, bits, NumericModel::ieee);
  return scalar_cast_bits(ScalarType::f32, type, f32::from_double(static_cast<double>(number) / 8).bits, NumericModel::ieee);
}

}  // namespace

io::Extents Wanted::shape() const {
  io::Extents out;
  for (const reference::Value::Axis& a : axes) out.push_back(a.size);
  return out;
}

Wanted wanted_for(const ir::Module& module, ir::TensorId id) {
  const ir::Tensor& t = module.tensor(id);
  // A kernel that was recorded gives no names; its text has numbers instead.
  return {t.name.empty() ? "%" + std::to_string(id) : t.name, t.type, reference::axes_of(module.levels(t))};
}

std::string in_words(const Wanted& wanted) {
  std::string out = wanted.name + ": " + scalar_info(wanted.type).name + " " + io::shown_shape(wanted.shape());
  for (const reference::Value::Axis& a : wanted.axes) out += std::string(", ") + text(a.name).s + " = " + std::to_string(a.size);
  return out;
}

Expected<reference::Value> to_value(const Wanted& wanted, const io::Array& array, const std::string& file) {
  if (array.shape != wanted.shape())
    return refuse("tool-argument-shape")
        .what(file.substr(0, 80), " has the shape ", io::shown_shape(array.shape), ", and the argument is ",
              in_words(wanted).substr(0, 120))
        .why("an array has the axes of the argument's mapping, each in its size, in the order in which the mapping names them first")
        .help("in Python: reshape or transpose it to ", io::shown_shape(wanted.shape()));
  reference::Value value(wanted.type, wanted.axes);
  for (std::int64_t i = 0; i < value.size(); ++i) value[i].bits = array.bits(i);
  return value;
}

reference::Value random_value(const Wanted& wanted, std::uint64_t seed) {
  Random random(seed);
  reference::Value value(wanted.type, wanted.axes);
  for (std::int64_t i = 0; i < value.size(); ++i) value[i].bits = random_bits(wanted.type, random);
  return value;
}

std::vector<std::byte> to_memory(const reference::Value& value) {
  std::vector<std::byte> memory(static_cast<std::size_t>(io::bytes_to_write(value.type, value.size())));
  for (std::int64_t i = 0; i < value.size(); ++i) store_scalar_bits(memory.data(), value.type, i, value[i].bits);
  return memory;
}

std::string place_in_words(const reference::Value& value, std::int64_t i) {
  Index const index = value.index_of(i);
  std::string out;
  for (const reference::Value::Axis& a : value.axes())
    out += (out.empty() ? "" : ", ") + std::string(text(a.name).s) + " = " + std::to_string(index.get(a.name));
  return out.empty() ? "its only place" : out;
}

std::string first_elements(const reference::Value& value) {
  constexpr std::int64_t most = 8;
  std::string out;
  for (std::int64_t i = 0; i < value.size() && i < most; ++i)
    out += (i > 0 ? ", " : "") + (value[i].undefined != 0 ? "?" : number_in_words(value.type, value[i].bits));
  return out + (value.size() > most ? ", ..." : "");
}

}  // namespace tcp::tool
