// Stages of a pass outside the Vector Engine, in the names of all editions.
#include <algorithm>

#include "rust/bindings.hpp"
#include "tcp/rules/cast.hpp"

namespace tcp::rust {

StreamState& state_of(const MethodCall& call) { return **call.receiver.as<std::shared_ptr<StreamState>>(); }

void flush_fetch(Evaluator&, StreamState& s) {
  if (!s.fetch_pending) return;
  s.fetch_pending = false;
  dyn::Begin begin = *s.begin;
  if (s.table != nullptr)
    s.stream.emplace(fetch_with_builtin_table(std::move(begin), s.source_type, s.fetch_type, *s.fetch_time, *s.fetch_packet, s.fetch_at,
                                              s.contract_time_span));
  else if (!s.zero_points.empty())
    s.stream.emplace(std::move(begin).fetch_with_zero_points(s.zero_points, s.fetch_type, *s.fetch_time, *s.fetch_packet, s.fetch_at));
  else s.stream.emplace(std::move(begin).fetch(s.fetch_type, *s.fetch_time, *s.fetch_packet, s.fetch_at));
}

RustValue next_stream(const MethodCall& call, dyn::Stream stream) {
  auto next = std::make_shared<StreamState>(state_of(call));
  next->stream.emplace(std::move(stream));
  return next;
}

namespace stream_calls {
namespace {

/// The stream that a stage goes on from. Each stage has it once: a copy that is used again is refused by the recording.
dyn::Stream stream_of(Evaluator& e, const MethodCall& c) {
  StreamState& s = state_of(c);
  flush_fetch(e, s);
  if (!s.stream) refuse_form(c, "a pass begins with fetch");
  return *s.stream;
}

/// A mapping from the call, or from the type that is expected of it.
MappingPtr mapping_or_expected(const MethodCall& c, std::size_t i, Level l) {
  if (MappingPtr const m = mapping_at(c, i)) return m;
  if (c.expected && c.expected->kind == TypeOf::Kind::stream) return c.expected->level[static_cast<std::size_t>(l)];
  return {};
}
const Mapping& time_of(const MethodCall& c, std::size_t i, MappingPtr& keep) {
  return needed(keep = mapping_or_expected(c, i, Level::time), c, "Time");
}
const Mapping& packet_of(const MethodCall& c, std::size_t i, MappingPtr& keep) {
  return needed(keep = mapping_or_expected(c, i, Level::packet), c, "Packet");
}

// Fetch: of April in one call, later in several.

RustValue fetch(Evaluator& e, MethodCall& c) {
  StreamState& s = state_of(c);
  if (s.stream || s.fetch_pending) refuse_form(c, "the stream is fetched already");
  bool const with_type = !c.types.empty() && c.types[0] && c.types[0]->kind == TypeOf::Kind::scalar;
  if (auto const edition = e.edition(); edition && with_type != (*edition < 3)) {
    std::string const said = edition_name(*edition);
    if (with_type)
      Evaluator::fail(Wrong::edition, c.expr->name_span, "`fetch` of edition " + said + " takes no scalar",
                      "Cargo.toml asks for that edition, and names changed between editions",
                      "`fetch::<D, Time, Packet>()` is `fetch::<Time, Packet>().fetch_cast::<D>()` since 0.3");
    Evaluator::fail(Wrong::edition, c.expr->name_span, "`fetch` of edition " + said + " takes a scalar first",
                    "Cargo.toml asks for that edition, and names changed between editions",
                    "`fetch::<Time, Packet>()` is `fetch::<D, Time, Packet>()` before 0.3");
  }
  std::size_t const first = with_type ? 1 : 0;
  auto next = std::make_shared<StreamState>(s);
  next->fetch_type = with_type ? c.types[0]->scalar : s.source_type;
  if (!with_type && c.types.empty() && c.expected && c.expected->kind == TypeOf::Kind::stream && c.expected->element)
    next->fetch_type = c.expected->element->scalar;
  if (c.types.size() > first + 2) refuse_form(c, std::to_string(c.types.size()) + " types are given; it takes Time and Packet");
  next->fetch_time = mapping_or_expected(c, first, Level::time);
  next->fetch_packet = mapping_or_expected(c, first + 1, Level::packet);
  needed(next->fetch_time, c, "Time");
  needed(next->fetch_packet, c, "Packet");
  next->fetch_at = c.at;
  next->fetch_pending = true;
  if (with_type) flush_fetch(e, *next);
  return next;
}

StreamState& pending(const MethodCall& c) {
  StreamState& s = state_of(c);
  if (!s.fetch_pending) refuse_form(c, "it belongs to the fetch, and comes right after it");
  return s;
}
RustValue fetch_cast(Evaluator&, MethodCall& c) {
  auto next = std::make_shared<StreamState>(pending(c));
  next->fetch_type = scalar_at(c, 0);
  return next;
}
RustValue fetch_table(Evaluator&, MethodCall& c) {
  auto next = std::make_shared<StreamState>(pending(c));
  next->fetch_type = scalar_at(c, 0);
  next->table = "builtin";
  next->contract_time_span = c.expr->name_span;
  return next;
}
std::vector<std::int64_t> zero_points_of(Evaluator& e, const MethodCall& c) {
  std::vector<std::int64_t> all;
  for (const RustValue& v : c.arguments) {
    const RustValue& p = e.plain(v);
    if (const Aggregate* const a = p.as<Aggregate>())
      for (const RustValue& each : a->items) all.push_back(e.integer(each, c.expr->name_span, "a zero point"));
    else all.push_back(e.integer(p, c.expr->name_span, "a zero point"));
  }
  if (all.empty()) refuse_form(c, "the zero point is not given");
  if (all.size() > 2) refuse_form(c, "it takes one zero point, or one for each of two tensors");
  return all;
}
RustValue fetch_zero_point(Evaluator& e, MethodCall& c) {
  auto next = std::make_shared<StreamState>(pending(c));
  next->fetch_type = scalar_at(c, 0);
  next->zero_points = zero_points_of(e, c);
  return next;
}
/// Until 0.2 the zero points are those of the fetch, whose result says what it leaves open.
RustValue fetch_of_april(Evaluator& e, MethodCall& c) {
  StreamState& s = state_of(c);
  if (s.stream || s.fetch_pending) refuse_form(c, "the stream is fetched already");
  auto next = std::make_shared<StreamState>(s);
  bool const expects = c.expected && c.expected->kind == TypeOf::Kind::stream;
  if (!c.types.empty()) next->fetch_type = scalar_at(c, 0);
  else if (expects && c.expected->element && c.expected->element->kind == TypeOf::Kind::scalar)
    next->fetch_type = c.expected->element->scalar;
  else refuse_form(c, "the type of the elements is not said");
  next->fetch_time = mapping_or_expected(c, 1, Level::time);
  next->fetch_packet = mapping_or_expected(c, 2, Level::packet);
  needed(next->fetch_time, c, "Time");
  needed(next->fetch_packet, c, "Packet");
  next->fetch_at = c.at;
  next->zero_points = zero_points_of(e, c);
  if (next->zero_points.size() != (c.name() == "fetch_with_zero_points" ? 2U : 1U))
    refuse_form(c, c.name() == "fetch_with_zero_points" ? "it takes two zero points" : "it takes one zero point");
  next->fetch_pending = true;
  flush_fetch(e, *next);
  return next;
}
RustValue own_table(Evaluator&, MethodCall& c) {
  Evaluator::fail(Wrong::unsupported, c.expr->name_span, "`fetch_with_table` reads a table of the host's, which is not read here",
                  "a file of kernels has no values of the host, and a table is 256 of them",
                  "write fetch_table_lookup::<D>() for a built-in table; C++ takes tables of one's own: fetch_with_table (lesson 18)");
}
/// A lift stands before the fetch, or after it; then it may say the Time that is left.
RustValue lift(Evaluator&, MethodCall& c) {
  auto next = std::make_shared<StreamState>(state_of(c));
  if (next->stream || !next->begin) refuse_form(c, "it belongs to the fetch: write it before the fetch, or right after it");
  Level const level = c.name() == "fetch_slice_lift" ? Level::slice : c.name() == "fetch_cluster_lift" ? Level::cluster : Level::chip;
  MappingPtr keep;
  const Mapping& lifted = needed(keep = mapping_or_expected(c, 0, level), c, name_of(level));
  dyn::Begin begin = *next->begin;
  next->begin.emplace(level == Level::slice     ? std::move(begin).fetch_slice_lift(lifted, c.at)
                      : level == Level::cluster ? std::move(begin).fetch_cluster_lift(lifted, c.at)
                                                : std::move(begin).fetch_chip_lift(lifted, c.at));
  if (next->fetch_pending)
    if (MappingPtr const time = mapping_at(c, 1)) next->fetch_time = time;
  return next;
}

// Switch, collect, contraction.

/// Each configuration has its own fields, and is given all of them.
void check_switch_fields(const MethodCall& c, const Named& config) {
  constexpr std::pair<std::string_view, std::string_view> known[] = {{"Forwarding", ""},
                                                                     {"Broadcast01", "slice1, slice0, time0"},
                                                                     {"Broadcast1", "slice1, slice0"},
                                                                     {"Transpose", "slice1, slice0"},
                                                                     {"InterTranspose", "slice1, slice0, time0"},
                                                                     {"TransposedBroadcast1", "slice1, slice0"},
                                                                     {"CustomBroadcast", "ring_size"},
                                                                     {"Custom", "ring_size"}};
  for (auto const& [kind, fields] : known) {
    if (config.name() != kind) continue;
    std::string const form = "SwitchConfig::" + config.name() + (fields.empty() ? "" : " { " + std::string(fields) + " }");
    std::size_t wanted = fields.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(fields.begin(), fields.end(), ','));
    for (auto const& [name, value] : config.fields) {
      if ((", " + std::string(fields) + ",").find(", " + name + ",") == std::string::npos)
        Evaluator::fail(Wrong::arguments, c.expr->name_span,
                        "SwitchConfig::" + config.name() + " has no field `" + name.substr(0, 60) + "`",
                        "each configuration has fields of its own", "write " + form);
      --wanted;
    }
    if (wanted != 0)
      Evaluator::fail(Wrong::arguments, c.expr->name_span, "a field of SwitchConfig::" + config.name() + " is missing",
                      "a configuration is given all its fields", "write " + form);
  }
}

RustValue switch_to(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  MappingPtr const slice = mapping_or_expected(c, 0, Level::slice);
  MappingPtr keep;
  const Mapping& time = time_of(c, 1, keep);
  if (c.arguments.empty()) refuse_form(c, "the configuration is not given");
  const Named* const config = e.plain(c.arguments[0]).as<Named>();
  if (config == nullptr) refuse_form(c, "the configuration is SwitchConfig::..., and " + in_words(c.arguments[0]) + " is given");
  auto const field = [&](std::string_view name) {
    for (auto const& [n, v] : config->fields)
      if (n == name) return e.integer(v, c.expr->name_span, "a field of the configuration");
    return std::int64_t{0};
  };
  check_spelling(c, *config, {"SwitchConfig"});
  check_switch_fields(c, *config);
  SwitchConfig out;
  const std::string& kind = config->name();
  if (kind == "Forwarding") out = SwitchConfig::Forwarding{};
  else if (kind == "Broadcast01") out = SwitchConfig::Broadcast01{field("slice1"), field("slice0"), field("time0")};
  else if (kind == "Broadcast1") out = SwitchConfig::Broadcast1{field("slice1"), field("slice0")};
  else if (kind == "Transpose") out = SwitchConfig::Transpose{field("slice1"), field("slice0")};
  else if (kind == "InterTranspose") out = SwitchConfig::InterTranspose{field("slice1"), field("slice0"), field("time0")};
  else if (kind == "TransposedBroadcast1") out = SwitchConfig::TransposedBroadcast1{field("slice1"), field("slice0")};
  else if (kind == "CustomBroadcast" || kind == "Custom") {
    SwitchConfig::CustomBroadcast custom;
    custom.ring_size = field("ring_size");
    out = custom;
  } else {
    refuse_form(c,
                "there is no configuration " + in_words(c.arguments[0]) +
                    "; there are Forwarding, Broadcast01, Broadcast1, Transpose, InterTranspose, TransposedBroadcast1 and CustomBroadcast");
  }
  return next_stream(c, std::move(stream).switch_to(out, needed(slice, c, "Slice"), time, c.at));
}

RustValue collect(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  MappingPtr a, b;
  return next_stream(c, std::move(stream).collect(time_of(c, 0, a), packet_of(c, 1, b), c.at));
}

RustValue align(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  const RustValue* const trf = first_tensor(e, c);
  if (trf == nullptr) refuse_form(c, "the TRF tensor is not given");
  MappingPtr a, b;
  const dyn::Tensor& weights = e.tensor(*trf, c.expr->name_span, "the TRF tensor");
  if (weights.memory() != Memory::Trf)
    Evaluator::fail(Wrong::type_mismatch, c.expr->name_span,
                    "`" + std::string(c.name()) + "` multiplies with a tensor in TRF, and is given " + in_words(*trf),
                    "weights are read from the register file while the stream passes",
                    "load it: ctx.sub.begin(x.view()).fetch::<Time, Packet>().collect::<Time, Packet>().to_trf()");
  return next_stream(c, std::move(stream).align(weights, time_of(c, 0, a), packet_of(c, 1, b), c.at));
}

RustValue contract(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  MappingPtr a;
  return next_stream(c, std::move(stream).contract(packet_of(c, 0, a), c.at));
}

/// What is left of Time follows from contract_lane; what is declared here is compared with that.
RustValue contract_time(Evaluator& e, MethodCall& c) {
  if (!stream_of(e, c).levels()[Level::time].ok()) return c.receiver;
  auto next = std::make_shared<StreamState>(state_of(c));
  next->contract_time = mapping_at(c, 0);
  needed(next->contract_time, c, "Time");
  next->contract_time_span = c.expr->name_span;
  return next;
}

RustValue accumulate(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  MappingPtr a, b;
  const Mapping &time = time_of(c, 0, a), &packet = packet_of(c, 1, b);
  const Named* mode = nullptr;
  for (const RustValue& v : c.arguments)
    if (const Named* const n = e.plain(v).as<Named>()) mode = n;
  AccumulationKind kind = AccumulationKind::Interleaved;
  if (mode == nullptr) refuse_form(c, "the mode is not given: Interleaved or Sequential");
  std::string const family(family_of(*mode));
  check_spelling(c, *mode, {"LaneMode", "AccumulationKind"});
  if (family == (c.name() == "accumulate" ? "LaneMode" : "AccumulationKind"))
    refuse_form(c, "its mode is of " + std::string(c.name() == "accumulate" ? "AccumulationKind" : "LaneMode") + ", and one of " + family +
                       " is given");
  if (mode->name() == "Sequential") kind = AccumulationKind::Sequential;
  else if (mode->name() != "Interleaved")
    refuse_form(c, "the mode is Interleaved or Sequential, and " + mode->name().substr(0, 40) + " is given");
  const StreamState& s = state_of(c);
  // As many lanes as there are: columns of the packet, and of rows those that follow one another.
  Levels const before = stream.levels();
  std::int64_t const lanes = kind == AccumulationKind::Interleaved
                                 ? before[Level::packet].size
                                 : before[Level::row].size * std::max<std::int64_t>(1, (before[Level::packet].size + 7) / 8);
  if (s.contract_time && (s.contract_time->size < 1 || time.size % s.contract_time->size != 0 || time.size / s.contract_time->size > lanes))
    Evaluator::fail(Wrong::type_mismatch, s.contract_time_span,
                    "Time after contract_time is " + text_of(*s.contract_time) + " of " + std::to_string(s.contract_time->size) +
                        " steps, and after " + std::string(c.name()) + " " + text_of(time) + " of " + std::to_string(time.size),
                    "the lanes are folded into Time after what is left of it",
                    "write the steps that are not added, and the same ones first in both");
  dyn::Stream const made = std::move(stream).accumulate(kind, time, packet, c.at);
  if (s.contract_time) {  // what the lanes are folded into
    Mapping const left = split_at(time, time.size / s.contract_time->size).outer;
    if (left.ok() && !equivalent(left, *s.contract_time))
      Evaluator::fail(Wrong::type_mismatch, s.contract_time_span,
                      "Time after contract_time is " + text_of(*s.contract_time) + ", and `" + std::string(c.name()) + "` goes on from " +
                          text_of(left),
                      "the lanes are folded into Time after what is left of it", "write .contract_time::<" + text_of(left) + ">()");
  }
  return next_stream(c, made);
}

RustValue cast(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  ScalarType const to = scalar_at(c, 0);
  MappingPtr packet = mapping_or_expected(c, 1, Level::packet);
  if (!packet) {
    auto const derived = cast_packet(e.recording().session()->device(), stream.type(), to, stream.levels()[Level::packet], quietly);
    if (derived) packet = share(*derived);
  }
  return next_stream(c, std::move(stream).cast(to, needed(packet, c, "Packet"), c.at));
}

RustValue transpose(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  MappingPtr a, b;
  return next_stream(c, std::move(stream).transpose(time_of(c, 0, a), packet_of(c, 1, b), c.at));
}

RustValue commit_cast(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  ScalarType const to = scalar_at(c, 0);
  if (c.name() == "commit_cast_relu") return next_stream(c, std::move(stream).commit_cast_relu(to, c.at));
  return next_stream(c, std::move(stream).commit_cast(to, c.at));
}

/// The packet that is declared here must be one that a commit can leave; what it does leave follows from Element.
RustValue commit_trim(Evaluator& e, MethodCall& c) {
  dyn::Stream const stream = stream_of(e, c);
  MappingPtr const packet = mapping_at(c, 0);
  const Mapping& now = stream.levels()[Level::packet];
  if (needed(packet, c, "Packet").size > now.size)
    Evaluator::fail(Wrong::type_mismatch, c.expr->name_span,
                    "commit_trim leaves " + text_of(*packet) + " of " + std::to_string(packet->size) + " elements, and the packet " +
                        text_of(now) + " has " + std::to_string(now.size),
                    "a trim makes a packet smaller", "write the part of the packet that is to be stored");
  if (Mapping const kept = resize_to(now, packet->size); kept.ok() && !equivalent(kept, *packet))
    Evaluator::fail(Wrong::type_mismatch, c.expr->name_span,
                    "commit_trim leaves the first " + std::to_string(packet->size) + " elements of the packet " + text_of(now) +
                        ", and the type says " + text_of(*packet),
                    "a trim drops elements at the end of a packet", "write .commit_trim::<" + text_of(kept) + ">()");
  return c.receiver;
}

// Sinks.

RustValue sink(Evaluator& e, MethodCall& c, Memory memory, const std::function<RustValue(const Ty&)>& make) {
  auto wanted = std::make_shared<TypeOf>();
  wanted->kind = TypeOf::Kind::tensor;
  wanted->memory = memory;
  auto const at = [&](Level l) -> MappingPtr& { return wanted->level[static_cast<std::size_t>(l)]; };
  std::size_t const most = memory == Memory::Trf ? 2 : 1;
  if (c.types.size() > most) refuse_form(c, std::to_string(c.types.size()) + " mappings are given; it takes " + std::to_string(most));
  if (!c.types.empty()) at(Level::element) = mapping_at(c, c.types.size() - 1);
  if (c.types.size() == 2) at(Level::row) = mapping_at(c, 0);
  if (c.expected && c.expected->kind == TypeOf::Kind::tensor && c.expected->memory == memory)
    for (Level l : {Level::element, Level::row})
      if (!at(l)) at(l) = c.expected->level[static_cast<std::size_t>(l)];
  bool const complete = at(Level::element) && (memory != Memory::Trf || at(Level::row));
  return e.deferred(c.name(), c.expr->name_span, complete ? Ty(wanted) : Ty{}, [&](const Ty& t) -> RustValue {
    for (Level l : {Level::element, Level::row})
      if ((l == Level::element || memory == Memory::Trf) && !t->level[static_cast<std::size_t>(l)])
        Evaluator::fail(Wrong::type_needed, c.expr->name_span,
                        std::string("nothing says ") + name_of(l) + " of what `" + std::string(c.name()) + "` makes",
                        "types are mappings, and a tensor needs one on each level", "name it in the call, or give the variable a type");
    return make(t);
  });
}
const Mapping& level_in(const Ty& t, Level l) { return *t->level[static_cast<std::size_t>(l)]; }

RustValue commit(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  return sink(e, c, Memory::Dm, [&](const Ty& t) -> RustValue {
    return TensorValue{std::move(stream).commit(level_in(t, Level::element), address_of(e, c), c.at)};
  });
}
RustValue commit_view(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  const RustValue* const to = first_tensor(e, c);
  if (to == nullptr) refuse_form(c, "the view to write into is not given");
  std::move(stream).commit_view(e.tensor(*to, c.expr->name_span, "the destination"), c.at);
  return {};
}
RustValue to_trf(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  return sink(e, c, Memory::Trf, [&](const Ty& t) -> RustValue {
    TrfAddress address = TrfAddress::Full;
    bool said = false;
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
      const Named* const n = e.plain(c.arguments[i]).as<Named>();
      if (n == nullptr) continue;
      said = true;
      c.used.at(i) = true;
      check_spelling(c, *n, {"TrfAddress"});
      if (n->name() == "FirstHalf") address = TrfAddress::FirstHalf;
      else if (n->name() == "SecondHalf") address = TrfAddress::SecondHalf;
      else if (n->name() != "Full")
        Evaluator::fail(
            Wrong::arguments, c.expr->items.at(i)->span, "there is no part " + in_words(e.plain(c.arguments[i])) + " of the TRF",
            "a tensor takes all of it, or one of two halves", "write TrfAddress::Full, TrfAddress::FirstHalf or TrfAddress::SecondHalf");
    }
    TensorValue made{std::move(stream).to_trf(level_in(t, Level::row), level_in(t, Level::element), address, c.at)};
    if (!said) e.note_free_trf(made.tensor);
    return made;
  });
}
RustValue to_vrf(Evaluator& e, MethodCall& c) {
  dyn::Stream stream = stream_of(e, c);
  return sink(e, c, Memory::Vrf, [&](const Ty& t) -> RustValue {
    return TensorValue{std::move(stream).to_vrf(level_in(t, Level::element), address_of(e, c), c.at)};
  });
}

constexpr Binding rows[] = {
    {Receiver::stream, "fetch", april, latest, "", "fetch::<Time, Packet>()", fetch},
    {Receiver::stream, "fetch_cast", 3, latest, "fetch", "fetch_cast::<D>()", fetch_cast},
    {Receiver::stream, "fetch_table_lookup", 3, latest, "", "fetch_table_lookup::<D>()", fetch_table},
    {Receiver::stream, "fetch_zero_point_sub", 3, latest, "fetch_with_zero_point", "fetch_zero_point_sub::<D>(z)", fetch_zero_point},
    {Receiver::stream, "fetch_with_zero_point", april, 2, "fetch_zero_point_sub", "fetch_with_zero_point::<D, Time, Packet>(z)",
     fetch_of_april},
    {Receiver::stream, "fetch_with_zero_points", april, 2, "fetch_zero_point_sub", "fetch_with_zero_points::<D, Time, Packet>([z, z])",
     fetch_of_april},
    {Receiver::stream, "fetch_with_table", april, 2, "fetch_table_lookup", "fetch_with_table::<D, Time, Packet>(&table)", own_table},
    {Receiver::stream, "fetch_slice_lift", 7, latest, "", "fetch_slice_lift::<Slice>()", lift},
    {Receiver::stream, "fetch_cluster_lift", 7, latest, "", "fetch_cluster_lift::<Cluster>()", lift},
    {Receiver::stream, "fetch_chip_lift", 7, latest, "", "fetch_chip_lift::<Chip>()", lift},
    {Receiver::stream, "switch", april, latest, "", "switch::<Slice, Time>(SwitchConfig::...)", switch_to},
    {Receiver::stream, "collect", april, latest, "", "collect::<Time, Packet>()", collect},
    {Receiver::stream, "align", april, april, "contract_outer", "align::<Time, Packet, _, _>(&trf)", align},
    {Receiver::stream, "contract_outer", 2, latest, "align", "contract_outer::<Time, Packet, _, _, _>(&trf)", align},
    {Receiver::stream, "contract", april, april, "contract_packet", "contract::<Packet>()", contract},
    {Receiver::stream, "contract_packet", 2, latest, "contract", "contract_packet::<Packet>()", contract},
    {Receiver::stream, "accumulate", april, april, "contract_lane", "accumulate::<Time, Packet>(AccumulationKind::Interleaved)",
     accumulate},
    {Receiver::stream, "contract_time", 2, latest, "accumulate", "contract_time::<Time>()", contract_time},
    {Receiver::stream, "contract_lane", 2, latest, "accumulate", "contract_lane::<Time, Packet>(LaneMode::Interleaved)", accumulate},
    {Receiver::stream, "cast", april, latest, "", "cast::<D, Packet>()", cast},
    {Receiver::stream, "transpose", april, latest, "", "transpose::<Time, Packet>()", transpose},
    {Receiver::stream, "commit_trim", april, latest, "", "commit_trim::<Packet>()", commit_trim},
    {Receiver::stream, "commit_cast", april, latest, "", "commit_cast::<D>()", commit_cast},
    {Receiver::stream, "commit_cast_relu", april, latest, "", "commit_cast_relu::<D>()", commit_cast},
    {Receiver::stream, "commit", april, latest, "", "commit::<Element>()", commit},
    {Receiver::stream, "commit_view", april, latest, "", "commit_view(view)", commit_view},
    {Receiver::stream, "to_trf", april, latest, "", "to_trf()", to_trf},
    {Receiver::stream, "to_vrf", april, latest, "", "to_vrf()", to_vrf},
};

}  // namespace
}  // namespace stream_calls

std::span<const Binding> stream_bindings() { return stream_calls::rows; }

}  // namespace tcp::rust
