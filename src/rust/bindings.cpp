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
  constexpr std::string_view of_the_host[] = {"to_host", "to_vec", "to_buf", "from_vec", "from_buf", "rand"};
  if (std::find(std::begin(of_the_host), std::end(of_the_host), c.name()) != std::end(of_the_host))
    Evaluator::fail(Wrong::unknown_method, c.expr->name_span,
                    "`" + std::string(c.name()) + "` is a call of the host's, and this is inside of a kernel",
                    "a kernel moves tensors on the chips; the host waits for it, and has the values then",
                    "return the tensor, and call it on the result: launch(...).await." + std::string(c.name()) + "(...)");
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

namespace {

/// How many types or arguments the form of a call has; `...` is any number.
std::size_t count_in(std::string_view form, char open, char close, bool contexts) {
  std::size_t const begin = form.find(open);
  if (begin == form.npos || (open == '<' && form.find('(') < begin)) return 0;
  std::size_t count = 0;
  int depth = 0;
  std::string part;
  auto const end_part = [&] {
    if (part.find("ctx") != part.npos && !contexts) part.clear();
    if (part.find_first_not_of(' ') != part.npos) ++count;
    part.clear();
  };
  for (char c : form.substr(begin + 1)) {
    if (depth == 0 && c == close) break;
    if (c == '(' || c == '[' || c == '<' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '>' || c == '}') --depth;
    if (c == ',' && depth == 0) end_part();
    else part += c;
  }
  end_part();
  return count;
}

/// Some calls take more types than their usual form has.
std::size_t extra_types(std::string_view name) {
  constexpr std::pair<std::string_view, std::size_t> known[] = {{"fetch", 3},
                                                                {"to_dm", 4},
                                                                {"to_hbm", 2},
                                                                {"to_spm", 4},
                                                                {"reshape", 5},
                                                                {"transmute", 5},
                                                                {"fetch_slice_lift", 2},
                                                                {"fetch_cluster_lift", 2},
                                                                {"fetch_chip_lift", 2},
                                                                {"dma_gather", 4},
                                                                {"dma_gather_scaled", 4},
                                                                {"dma_gather_unscaled", 4},
                                                                {"gather", 2},
                                                                {"dm_chip_shuffle", 1},
                                                                {"dm_cluster_shuffle", 1},
                                                                {"chip_shuffle", 1},
                                                                {"cluster_swap", 1},
                                                                {"to_trf", 2},
                                                                {"to_vrf", 1},
                                                                {"commit", 1},
                                                                {"dma_scatter", 1}};
  for (auto const& [n, most] : known)
    if (n == name) return most;
  return 0;
}

/// What is given must be used: an argument that is not looked at is a mistake of ours, not of the kernel.
void check_all_used(Evaluator& evaluator, const MethodCall& call, const Binding& b) {
  std::size_t const form_count = count_in(b.form, '(', ')', false);
  // Calls of several forms: an address until 0.4; operands one by one, or as a tuple.
  std::string_view const taken = b.form.substr(std::min(b.form.find('('), b.form.size()));
  bool const open_ended = taken.find("...") != taken.npos || taken.find("operand") != taken.npos || taken.find("(a, b)") != taken.npos ||
                          b.name.starts_with("vector_fp_unary") || b.name == "fetch_zero_point_sub" || b.name == "switch";
  std::size_t given = 0;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const RustValue& v = evaluator.plain(call.arguments[i]);
    if (v.as<ContextPart>() != nullptr) continue;
    ++given;
    if (open_ended || (i < call.used.size() && call.used[i]) || given <= form_count) continue;
    Evaluator::fail(
        Wrong::arguments, call.expr->items[i]->span,
        "`" + std::string(b.name) + "` has no use for " + in_words(v) + " as argument " + std::to_string(i + 1),
        "it takes " +
            (form_count == 0 ? std::string("no arguments") : std::to_string(form_count) + (form_count == 1 ? " argument" : " arguments")) +
            " beside the context",
        "write ." + std::string(b.form));
  }
  std::size_t const most_types = std::max(count_in(b.form, '<', '>', true), extra_types(b.name));
  std::size_t said = call.types.size();
  while (said > 0 && !call.types[said - 1]) --said;  // `_` asks for nothing
  if (b.form.find("...") == b.form.npos && said > most_types)
    Evaluator::fail(Wrong::arguments, call.expr->type_arguments[most_types]->span,
                    "`" + std::string(b.name) + "` takes " +
                        (most_types == 0 ? std::string("no types") : std::to_string(most_types) + (most_types == 1 ? " type" : " types")) +
                        ", and " + std::to_string(call.types.size()) + (call.types.size() == 1 ? " is given" : " are given"),
                    "each stands for one mapping or scalar", "write ." + std::string(b.form));
}

[[noreturn]] void refuse_edition(const MethodCall& call, int edition, const std::string& what, const std::string& help) {
  Evaluator::fail(Wrong::edition, call.expr->name_span,
                  "`" + std::string(call.name()) + "` of edition " + edition_name(edition) + " " + what,
                  "Cargo.toml asks for that edition, and calls changed between editions", help);
}

/// What a call takes changed as well as its name.
void check_form_of_edition(Evaluator& evaluator, const MethodCall& call, const Binding& b, int edition) {
  auto const has = [&](auto const& test) {
    return std::any_of(call.arguments.begin(), call.arguments.end(), [&](const RustValue& v) { return test(evaluator.plain(v)); });
  };
  bool const is_tensor = b.on == Receiver::tensor;
  if (is_tensor && (b.name == "to_dm" || b.name == "to_hbm")) {
    if (edition > 4 && has([](const RustValue& v) { return v.as<Number>() != nullptr; }))
      refuse_edition(call, edition, "takes no address", "leave it out: since 0.5 the scheduler places tensors");
    std::size_t const most = edition < 8 ? 3 : 4;
    if (b.name == "to_dm" && call.types.size() > most)
      refuse_edition(call, edition, "takes three mappings", "leave Chip out: it is the tensor's own until 0.8");
    if (b.name == "to_dm" && edition >= 8 && call.types.size() == 3)
      refuse_edition(call, edition, "takes four mappings", "write .to_dm::<Chip, Cluster, Slice, Element>(&mut ctx.tdma)");
  }
  if (b.name == "vector_intra_slice_unzip") {
    if (edition < 8 && call.types.size() == 2)
      refuse_edition(call, edition, "takes Tile", "write .vector_intra_slice_unzip::<Axis, Tile, Time>(), as until 0.7");
    if (edition >= 8 && call.types.size() == 3)
      refuse_edition(call, edition, "takes no Tile", "write .vector_intra_slice_unzip::<Axis, Time>(), as since 0.8");
  }
  if (b.name == "to_vrf" && edition < 9) {
    if (has([](const RustValue& v) { return v.as<ContextPart>() != nullptr; }))
      refuse_edition(call, edition, "takes no context", "write .to_vrf(), as until 0.8");
    if (state_of(call).in_main)
      refuse_edition(call, edition, "ends a pass of ctx.sub", "begin the pass in ctx.sub; ctx.main has it since 0.9: to_vrf(&mut ctx.sub)");
  }
}

/// Transfers go through ctx.tdma; what the sub context does is given that.
void check_context_parts(Evaluator& evaluator, const MethodCall& call, const Binding& b) {
  bool const by_sub = b.name == "memset" || b.name == "to_vrf";
  if (!by_sub && b.on != Receiver::tensor && b.on != Receiver::gather) return;
  ContextPart::Kind const wanted = by_sub ? ContextPart::Kind::sub : ContextPart::Kind::tdma;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const RustValue& v = evaluator.plain(call.arguments[i]);
    const ContextPart* const part = v.as<ContextPart>();
    if (part == nullptr || part->kind == wanted) continue;
    Evaluator::fail(Wrong::arguments, call.expr->items[i]->span,
                    "`" + std::string(b.name) + "` takes " + (by_sub ? "ctx.sub" : "ctx.tdma") + ", and this is " + in_words(v),
                    by_sub ? "the sub context of the Tensor Unit does it" : "the DMA engine of the chip moves tensors between memories",
                    by_sub ? "write &mut ctx.sub" : "write &mut ctx.tdma");
  }
}

}  // namespace

RustValue call_binding(Evaluator& evaluator, MethodCall& call, Receiver on) {
  const Binding* b = find_binding(on, call.name());
  if (b == nullptr && call.name().starts_with("parallel_copy_")) b = find_binding(on, "parallel_copy");
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
  if (auto const edition = evaluator.edition()) check_form_of_edition(evaluator, call, *b, *edition);
  check_context_parts(evaluator, call, *b);
  call.used.assign(call.arguments.size(), false);
  RustValue const made = b->call(evaluator, call);
  if (made.as<Deferred>() == nullptr) check_all_used(evaluator, call, *b);  // one that waits is called again
  return made;
}

std::string_view family_of(const Named& n) { return n.path.size() > 1 ? std::string_view(n.path[n.path.size() - 2]) : std::string_view(); }

void check_spelling(const MethodCall& call, const Named& n, std::initializer_list<std::string_view> families) {
  std::string_view const said = family_of(n);
  if (said.empty() || std::find(families.begin(), families.end(), said) != families.end()) return;
  for (std::string_view each : families)
    if (edit_distance(said.substr(0, 60), each) <= 2)
      Evaluator::fail(Wrong::unknown_name, call.expr->name_span, "the type `" + std::string(said.substr(0, 60)) + "` is not known here",
                      "it is declared in no file of the crate that was read, and is none of the vendor's names",
                      "did you mean `" + std::string(each) + "::" + n.name().substr(0, 60) + "`?");
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

const RustValue* first_tensor(Evaluator& evaluator, MethodCall& call, std::size_t skip) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const RustValue& p = evaluator.plain(call.arguments[i]);
    if (p.as<TensorValue>() == nullptr && p.as<Deferred>() == nullptr) continue;
    if (skip-- != 0) continue;
    if (i < call.used.size()) call.used[i] = true;
    return &call.arguments[i];
  }
  return nullptr;
}
Address address_of(Evaluator& evaluator, MethodCall& call) {
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (const Number* const n = evaluator.plain(call.arguments[i]).as<Number>()) {
      if (i < call.used.size()) call.used[i] = true;
      return evaluator.integer(*n, call.expr->name_span, "an address");
    }
  return {};
}

}  // namespace tcp::rust
