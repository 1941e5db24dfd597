// Looks a method up, says what an unknown one may have meant, and holds what the bindings share.
#include "rust/bindings.hpp"

#include <algorithm>

#include "tcp/support/edit_distance.hpp"

namespace tcp::rust {

std::string edition_name(int edition) { return edition == april ? "April" : "0." + std::to_string(edition); }

namespace {

constexpr std::span<const Binding> (*table_parts[])() = {tensor_bindings, stream_bindings, vector_bindings};

std::string_view word_for(Receiver on) {
  constexpr std::string_view words[] = {"tensors", "streams", "contexts", "gathers"};
  return words[static_cast<std::size_t>(on)];
}

[[noreturn]] void unknown_method(const MethodCall& c, Receiver on) {
  const Binding *best = nullptr, *elsewhere = nullptr;
  std::size_t distance = 5;
  for (auto part : table_parts)
    for (const Binding& b : part()) {
      if (b.name == c.name() && b.on != on) elsewhere = &b;
      if (b.on != on) continue;
      std::size_t const d = edit_distance(c.name().substr(0, 60), b.name);
      bool const as_long = best != nullptr && b.name.size() == c.name().size() && best->name.size() != c.name().size();
      if (d < distance || (d == distance && as_long)) distance = d, best = &b;
    }
  std::string help = "the methods of " + std::string(word_for(on)) + " are listed in docs/coming-from-rust.md";
  if (best != nullptr) help = "did you mean `" + std::string(best->form) + "`?";
  if (elsewhere != nullptr)
    help = "`" + std::string(elsewhere->name) + "` is a method of " + std::string(word_for(elsewhere->on)) + ": " +
           std::string(elsewhere->form);
  Evaluator::fail(Wrong::unknown_method, c.expr->name_span,
                  in_words(c.receiver) + " has no method `" + std::string(c.name().substr(0, 60)) + "`",
                  "no edition of the vendor's crate has it", help);
}

}  // namespace

const Binding* find_binding(Receiver on, std::string_view name) {
  for (auto part : table_parts)
    for (const Binding& b : part())
      if (b.on == on && b.name == name) return &b;
  return nullptr;
}

namespace {

std::string row_name(const Binding& b) {
  constexpr std::string_view owners[] = {"tensor.", "stream.", "context.", "gather."};
  return std::string(owners[static_cast<std::size_t>(b.on)]) + std::string(b.name);
}

}  // namespace

std::vector<VendorCall> vendor_calls() {
  std::vector<VendorCall> all;
  for (auto part : table_parts)
    for (const Binding& b : part()) all.push_back({row_name(b), std::string(b.form), b.since, b.until});
  return all;
}

RustValue call_binding(Evaluator& evaluator, MethodCall& call, Receiver on) {
  const Binding* const b = find_binding(on, call.name());
  if (b == nullptr) unknown_method(call, on);
  evaluator.note_method(row_name(*b));
  if (auto const edition = evaluator.edition(); edition && (*edition < b->since || *edition > b->until)) {
    std::string const name(b->name);
    std::string what = "edition " + edition_name(*edition) + " has no `" + name + "`";
    std::string help = *edition > b->until ? "it is there until " + edition_name(b->until) : "it is there since " + edition_name(b->since);
    if (!b->other.empty()) {
      const Binding* const other = find_binding(on, b->other);
      if (*edition > b->until) help = "`" + name + "` is `" + std::string(b->other) + "` since " + edition_name(std::max(b->until + 1, 2));
      else help = "`" + name + "` is `" + std::string(b->other) + "` before " + edition_name(b->since);
      if (other != nullptr) help += ": " + std::string(other->form);
    }
    Evaluator::fail(Wrong::edition, call.expr->name_span, what, "Cargo.toml asks for that edition, and names changed between editions",
                    help);
  }
  return b->call(evaluator, call);
}

void refuse_form(const MethodCall& call, const std::string& what) {
  const Binding* form = nullptr;
  for (auto part : table_parts)
    for (const Binding& b : part())
      if (b.name == call.name()) form = &b;
  Evaluator::fail(Wrong::arguments, call.expr->name_span, "`" + std::string(call.name()) + "`: " + what,
                  "the call says what it does by its types and arguments",
                  form == nullptr ? "give what it takes" : "write ." + std::string(form->form));
}

MappingPtr mapping_at(const MethodCall& call, std::size_t i) {
  if (i >= call.types.size() || !call.types[i]) return {};
  if (call.types[i]->kind == TypeOf::Kind::mapping) return call.types[i]->mapping;
  refuse_form(call, "its type argument " + std::to_string(i + 1) + " is a mapping, and " + in_words(call.types[i]) + " is given");
}
const Mapping& needed(const MappingPtr& m, const MethodCall& call, const char* what) {
  if (m) return *m;
  refuse_form(call, std::string(what) + " is not said");
}
ScalarType scalar_at(const MethodCall& call, std::size_t i) {
  if (i < call.types.size() && call.types[i] && call.types[i]->kind == TypeOf::Kind::scalar) return call.types[i]->scalar;
  refuse_form(call, "its type argument " + std::to_string(i + 1) + " is a scalar such as bf16" +
                        (i < call.types.size() && call.types[i] ? ", and " + in_words(call.types[i]) + " is given" : ", and is not said"));
}

const RustValue* first_tensor(Evaluator& evaluator, const MethodCall& call, std::size_t skip) {
  for (const RustValue& v : call.arguments) {
    const RustValue& p = evaluator.plain(v);
    if (p.as<TensorValue>() == nullptr && p.as<Deferred>() == nullptr) continue;
    if (skip-- == 0) return &v;
  }
  return nullptr;
}
Address address_of(Evaluator& evaluator, const MethodCall& call) {
  for (const RustValue& v : call.arguments)
    if (const Number* const n = evaluator.plain(v).as<Number>()) return evaluator.integer(*n, call.expr->name_span, "an address");
  return {};
}

}  // namespace tcp::rust
