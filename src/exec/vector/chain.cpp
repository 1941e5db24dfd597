// Builds a chain: each call adds an instruction to it and computes nothing; execute.cpp runs what was
// collected.
#include "exec/vector/chain.hpp"

#include <algorithm>

#include "tcp/support/bug.hpp"

namespace tcp::vector {

using Kind = Instruction::Kind;

Chain::Chain(Tensor t) {
  for (const Axis& a : t.axes) axes.push_back({a.name, a.size});
  result = load(t);
}

bool Chain::has_axis(Name name) const {
  return std::any_of(axes.begin(), axes.end(), [name](const AxisSize& a) { return a.name == name; });
}

bool Chain::has_undefined() const {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.has_undefined(); });
}

Tensor Chain::tensor() const {
  Tensor t = tensors[static_cast<std::size_t>(code[static_cast<std::size_t>(result)].tensor)];
  return spread(restricted(t, axes), axes);
}

int Chain::add(const Instruction& i) {
  code.push_back(i);
  return static_cast<int>(code.size()) - 1;
}

int Chain::load(const Tensor& t) {
  for (AxisSize& a : axes)
    if (const Axis* theirs = t.find(a.name)) a.size = std::min(a.size, theirs->size);
  tensors.push_back(t);
  Instruction i;
  i.kind = Kind::load;
  i.type = t.type;
  i.tensor = static_cast<int>(tensors.size()) - 1;
  return add(i);
}

int Chain::take_in(const Chain& other) {
  int const before = static_cast<int>(code.size()), tensors_before = static_cast<int>(tensors.size());
  for (Instruction i : other.code) {
    for (int* r : {&i.a, &i.b, &i.c})
      if (*r >= 0) *r += before;
    if (i.tensor >= 0) i.tensor += tensors_before;
    code.push_back(i);
  }
  tensors.insert(tensors.end(), other.tensors.begin(), other.tensors.end());
  return other.result + before;
}

int Chain::constant(ScalarType type, std::uint32_t bits) {
  Instruction i;
  i.kind = Kind::constant;
  i.type = type;
  i.bits = bits;
  return add(i);
}

void Chain::restrict_to(const std::vector<AxisSize>& to) {
  std::vector<AxisSize> left;
  for (const AxisSize& a : to)
    for (const AxisSize& mine : axes)
      if (mine.name == a.name) left.push_back({a.name, std::min(a.size, mine.size)});
  for (const AxisSize& mine : std::vector<AxisSize>(axes))
    if (std::none_of(left.begin(), left.end(), [&](const AxisSize& a) { return a.name == mine.name; })) fix_at(mine.name, 0);
  axes = std::move(left);
}

void Chain::spread_over(const std::vector<AxisSize>& more) {
  for (const AxisSize& a : more)
    if (!has_axis(a.name)) axes.push_back(a);
}

void Chain::fix_at(Name axis, std::int64_t coordinate) {
  for (Tensor& t : tensors)
    if (t.find(axis) != nullptr) t = fixed_at(t, axis, coordinate);
  for (Instruction& i : code) {
    if (!(i.axis == axis)) continue;
    std::int64_t const at = i.first + coordinate;
    if (i.kind == Kind::parity) {
      i.kind = Kind::constant;
      i.bits = at % 2 != 0 ? 1u << OperandGuard::group_bit : 0;
    } else if (i.kind == Kind::zero_point && i.zero_points > 1) {
      i.zero_points = 1;
      i.zero_point[0] = i.zero_point[at];
    }
  }
  std::erase_if(axes, [axis](const AxisSize& a) { return a.name == axis; });
}

void Chain::look_up(const std::vector<std::uint32_t>& table, ScalarType to) {
  Instruction i;
  i.kind = Kind::look_up;
  i.type = to;
  i.a = result;
  i.from = type();
  i.table = &table;
  result = add(i);
}

void Chain::cast(ScalarType to) {
  if (to == type()) return;
  Instruction i;
  i.kind = Kind::cast;
  i.type = to;
  i.a = result;
  i.from = type();
  result = add(i);
}

void Chain::relu() {
  Instruction i;
  i.kind = Kind::relu;
  i.type = type();
  i.a = result;
  result = add(i);
}

void Chain::retype(ScalarType to) {
  Instruction i;
  i.kind = Kind::retype;
  i.type = to;
  i.a = result;
  result = add(i);
}

void Chain::subtract(const std::vector<std::int64_t>& zero_points, Name turns, ScalarType to) {
  Instruction i;
  i.kind = Kind::zero_point;
  i.type = to;
  i.a = result;
  i.from = type();
  i.zero_points = static_cast<int>(std::min<std::size_t>(zero_points.size(), 2));
  for (int k = 0; k < i.zero_points; ++k) i.zero_point[k] = static_cast<std::int32_t>(zero_points[static_cast<std::size_t>(k)]);
  if (i.zero_points > 1 && !has_axis(turns)) i.zero_points = 1;
  if (i.zero_points > 1) i.axis = turns;
  result = add(i);
}

ScalarType type_after(const VectorStep& step, ScalarType type) {
  if (step.method == VectorMethod::fxp_to_fp) return ScalarType::f32;
  if (step.method == VectorMethod::reinterpret) return step.to;
  return step.method == VectorMethod::fp_to_fxp ? ScalarType::i32 : type;
}

int Chain::computed(const VectorStep& step, int stream, int operand0, int operand1) {
  int const sources[3] = {stream, operand0, operand1};
  Arguments const arguments = arguments_of(step);
  int of[3] = {stream, -1, -1};
  for (int k = 0; k < arguments.count; ++k) of[k] = sources[static_cast<int>(arguments.of[k])];
  Instruction i;
  i.kind = Kind::compute;
  i.type = type_after(step, code[static_cast<std::size_t>(stream)].type);
  i.step = step;
  i.a = of[0];
  i.b = of[1];
  i.c = of[2];
  return add(i);
}

void Chain::zip(const VectorStep& step, int group0, int group1) { result = computed(step, group0, group1, -1); }

void Chain::operate(const VectorStep& step, const std::vector<OperandRegister>& operands, const Ids& ids) {
  std::size_t const each = step.family == OpFamily::FpTernary ? 2 : 1;
  int const stream = result;
  bool const decides = step.groups != Groups::both || (!operands.empty() && operands[0].guard != OperandGuard::always());
  OperandGuard part = OperandGuard::always();
  if (step.groups == Groups::group0) part = OperandGuard::group(GroupId::Zero);
  if (step.groups == Groups::group1) part = OperandGuard::group(GroupId::One);

  struct Slot {
    OperandGuard guard{};
    int operand0 = -1, operand1 = -1;
  };
  std::vector<Slot> slots;
  if (operands.empty()) slots.push_back({part, -1, -1});
  for (std::size_t i = 0; i < operands.size(); i += each)
    slots.push_back({operands[i].guard & part, operands[i].in, each == 2 ? operands[i + 1].in : -1});

  if (ids.in < 0) {  // the same for all lanes
    for (const Slot& s : slots)
      if (s.guard.holds(static_cast<int>(ids.all))) {
        result = computed(step, stream, s.operand0, s.operand1);
        return;
      }
    if (type_after(step, type()) != type()) retype(type_after(step, type()));
    return;
  }
  int made = stream;
  for (auto s = slots.rbegin(); s != slots.rend(); ++s) {
    int const there = computed(step, stream, s->operand0, s->operand1);
    if (s->guard == OperandGuard::always()) {
      made = there;
      continue;
    }
    Instruction choice;
    choice.kind = Kind::choose;
    choice.type = code[static_cast<std::size_t>(there)].type;
    choice.guard = s->guard;
    choice.a = there;
    choice.b = made;
    choice.c = ids.in;
    made = add(choice);
  }
  if (decides) {
    Instruction doubt;
    doubt.kind = Kind::doubt_by_id;
    doubt.type = code[static_cast<std::size_t>(made)].type;
    doubt.a = made;
    doubt.b = ids.in;
    made = add(doubt);
  }
  result = made;
}

std::string words_of(const Chain& chain) {
  std::string words;
  for (const Instruction& i : chain.code) {
    if (i.kind == Kind::constant || i.kind == Kind::doubt_by_id || i.kind == Kind::retype) continue;
    Text word;
    switch (i.kind) {
      case Kind::load: word << "load " << i.type; break;
      case Kind::parity: word << "parity of " << i.axis; break;
      case Kind::look_up: word << "table to " << i.type; break;
      case Kind::cast: word << "cast to " << i.type; break;
      case Kind::zero_point: word << "zero point to " << i.type; break;
      case Kind::compute: word << i.step; break;
      case Kind::compare: word << "compare"; break;
      case Kind::relu: word << "relu"; break;
      case Kind::choose: word << "choose by id"; break;
      default: word << "ids"; break;
    }
    words += (words.empty() ? "" : ", ") + std::string(word.view());
  }
  return words;
}

}  // namespace tcp::vector
