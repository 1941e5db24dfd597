// Methods of tensors and of contexts: views, transfers, gathers, and the begin of a pass.
#include "rust/bindings.hpp"

namespace tcp::rust {
namespace tensor_calls {
namespace {

const dyn::Tensor& self(const MethodCall& c) { return c.receiver.as<TensorValue>()->tensor; }
bool is_view(const MethodCall& c) { return c.receiver.as<TensorValue>()->is_view; }

/// What a call's own type arguments leave open, the expected type says, and then the tensor that it begins with.
class WantedTensor {
 public:
  WantedTensor(const MethodCall& call, Memory memory) : call_(call), type_(std::make_shared<TypeOf>()) {
    type_->kind = TypeOf::Kind::tensor;
    type_->memory = memory;
  }
  /// By their number, the last levels of `levels` come last: to_dm::<Slice, Element>, to_dm::<Cluster, Slice, Element>.
  WantedTensor& arguments(std::initializer_list<Level> levels) {
    std::size_t const given = call_.types.size();
    if (given > levels.size())
      refuse_form(call_, std::to_string(given) + " mappings are given; it takes at most " + std::to_string(levels.size()));
    std::size_t const skip = levels.size() - given;
    for (std::size_t i = 0; i < given; ++i) at(levels.begin()[skip + i]) = mapping_at(call_, i);
    return *this;
  }
  WantedTensor& expected() {
    const Ty& e = call_.expected;
    if (!e || e->kind != TypeOf::Kind::tensor) return *this;
    if (e->memory != type_->memory) return *this;  // what does not fit is refused where it is used
    type_->element = e->element;
    for (std::size_t l = 0; l < type_->level.size(); ++l)
      if (!type_->level[l]) type_->level[l] = e->level[l];
    return *this;
  }
  bool has(std::initializer_list<Level> levels) {
    for (Level l : levels)
      if (!at(l)) return false;
    return true;
  }
  MappingPtr& at(Level l) { return type_->level[static_cast<std::size_t>(l)]; }
  Ty type() const { return type_; }

 private:
  const MethodCall& call_;
  std::shared_ptr<TypeOf> type_;
};

const Mapping& level_of(const Ty& t, Level l, const MethodCall& c) {
  const MappingPtr& m = t->level[static_cast<std::size_t>(l)];
  if (m) return *m;
  Evaluator::fail(Wrong::type_needed, c.expr->name_span,
                  std::string("nothing says ") + name_of(l) + " of what `" + std::string(c.name()) + "` makes",
                  "types are mappings, and a tensor needs one on each level",
                  "name it in the call, or give the variable a type: let x: DmTensor<D, Chip, Cluster, Slice, Element> = ...");
}
const Mapping& level_or(const Ty& t, Level l, const Mapping& otherwise) {
  const MappingPtr& m = t->level[static_cast<std::size_t>(l)];
  return m ? *m : otherwise;
}

/// A transfer keeps the type of the elements.
void check_scalar(const MethodCall& c, const Ty& t) {
  if (t->element && t->element->kind == TypeOf::Kind::scalar && t->element->scalar != self(c).type())
    Evaluator::fail(Wrong::type_mismatch, c.expr->name_span,
                    std::string("the elements are ") + scalar_info(self(c).type()).name + ", and the type of the result says " +
                        scalar_info(t->element->scalar).name,
                    "a transfer changes no elements", "cast in a pass: .cast::<...>()");
}

// Views.

RustValue view(Evaluator&, MethodCall& c) { return TensorValue{self(c), true}; }

std::int64_t steps_of(Evaluator& e, const MethodCall& c) {
  if (!c.types[1]) refuse_form(c, "the number of steps is not said");
  if (c.types[1]->kind == TypeOf::Kind::constant) return e.integer(*c.types[1]->value, c.expr->name_span, "the number of steps");
  if (c.types[1]->kind == TypeOf::Kind::mapping) return c.types[1]->mapping->size;
  refuse_form(c, "the number of steps is " + in_words(c.types[1]));
}
std::int64_t start_of(Evaluator& e, const MethodCall& c) {
  if (c.arguments.empty()) refuse_form(c, "the first step is not said");
  return e.integer(c.arguments[0], c.expr->name_span, "the first step");
}

RustValue tile(Evaluator& e, MethodCall& c) {
  if (c.types.size() < 2 || c.types.size() > 3)
    refuse_form(c, "it takes the factor, the number of steps, and what is left of Element or `_`");
  const Mapping& dimension = needed(mapping_at(c, 0), c, "the factor");
  std::int64_t const length = steps_of(e, c), start = start_of(e, c);
  MappingPtr element = c.types.size() == 3 ? mapping_at(c, 2) : nullptr;
  if (!element && c.expected && c.expected->kind == TypeOf::Kind::tensor)
    element = c.expected->level[static_cast<std::size_t>(Level::element)];
  if (element) return TensorValue{self(c).tile_as(dimension, length, start, *element, c.at), true};
  return TensorValue{self(c).tile(dimension, length, start, c.at), true};
}

/// A tile of Slice or Cluster; the third argument is what is left of that level. The units that it leaves out keep
/// what they hold: such a tile is a side of a transfer.
RustValue unit_tile(Evaluator& e, MethodCall& c) {
  if (c.types.size() < 2 || c.types.size() > 3)
    refuse_form(c, "it takes the factor, the number of steps, and what is left of the level or `_`");
  Level const level = c.name() == "slice_tile" ? Level::slice : Level::cluster;
  const Mapping& dimension = needed(mapping_at(c, 0), c, "the factor");
  if (level_of_tile(self(c).levels(), dimension) != level)
    Evaluator::fail(Wrong::type_mismatch, c.expr->name_span,
                    text_of(dimension) + " is counted by " + name_of(level_of_tile(self(c).levels(), dimension)) + ", and " +
                        std::string(c.name()) + " takes a part of " + name_of(level),
                    std::string(name_of(level)) + " of the tensor is " + text_of(self(c).levels()[level]),
                    "name a factor of it, or take a part of Element with tile");
  std::int64_t const length = steps_of(e, c), start = start_of(e, c);
  if (MappingPtr const left = c.types.size() == 3 ? mapping_at(c, 2) : nullptr)
    return TensorValue{self(c).tile_as(dimension, length, start, *left, c.at), true};
  return TensorValue{self(c).tile(dimension, length, start, c.at), true};
}

RustValue reshape(Evaluator& e, MethodCall& c) {
  dyn::Tensor const from = self(c);
  bool const view_of = is_view(c);
  WantedTensor wanted(c, from.memory());
  if (from.memory() == Memory::Hbm) wanted.arguments({Level::chip, Level::element});
  else wanted.arguments({Level::chip, Level::cluster, Level::slice, Level::element});
  wanted.expected();
  Ty const known = wanted.has({Level::element}) ? wanted.type() : Ty{};
  return e.deferred(c.name(), c.expr->name_span, known, [&](const Ty& t) -> RustValue {
    Levels const levels = from.levels();
    dyn::Tensor seen = from;
    if (t->element && t->element->kind == TypeOf::Kind::scalar && t->element->scalar != from.type())
      seen = seen.reinterpret(t->element->scalar, c.at);
    const Mapping& element = level_of(t, Level::element, c);
    const Mapping& chip = level_or(t, Level::chip, levels[Level::chip]);
    if (from.memory() == Memory::Hbm) return TensorValue{seen.relabel(chip, element, c.at), view_of};
    return TensorValue{seen.relabel(chip, level_or(t, Level::cluster, levels[Level::cluster]),
                                    level_or(t, Level::slice, levels[Level::slice]), element, c.at),
                       view_of};
  });
}

// Transfers.

RustValue to_dm(Evaluator& e, MethodCall& c) {
  dyn::Tensor const from = self(c);
  WantedTensor wanted(c, Memory::Dm);
  wanted.arguments({Level::chip, Level::cluster, Level::slice, Level::element}).expected();
  bool const on_chip = from.memory() == Memory::Dm;
  if (on_chip && wanted.has({Level::element})) {
    Levels const levels = from.levels();
    if (!wanted.at(Level::cluster)) wanted.at(Level::cluster) = share(levels[Level::cluster]);
    if (!wanted.at(Level::slice)) wanted.at(Level::slice) = share(levels[Level::slice]);
  }
  Ty const known = wanted.has({Level::cluster, Level::slice, Level::element}) ? wanted.type() : Ty{};
  return e.deferred(c.name(), c.expr->name_span, known, [&](const Ty& t) -> RustValue {
    check_scalar(c, t);
    Mapping const own = from.levels()[Level::chip];
    const Mapping& chip = level_or(t, Level::chip, own);
    const Mapping &cluster = level_of(t, Level::cluster, c), &slice = level_of(t, Level::slice, c),
                  &element = level_of(t, Level::element, c);
    if (chip == own) return TensorValue{from.to_dm(e.context().tdma, cluster, slice, element, address_of(e, c), c.at)};
    dyn::Tensor const to = dyn::Tensor::dm(e.context(), from.type(), chip, cluster, slice, element, c.at);
    dyn::dma(e.context().tdma, from, to, c.at);
    return TensorValue{to};
  });
}

RustValue to_spm(Evaluator& e, MethodCall& c) {
  dyn::Tensor const from = self(c);
  WantedTensor wanted(c, Memory::Spm);
  wanted.arguments({Level::chip, Level::cluster, Level::slice, Level::element}).expected();
  Ty const known = wanted.has({Level::cluster, Level::slice, Level::element}) ? wanted.type() : Ty{};
  return e.deferred(c.name(), c.expr->name_span, known, [&](const Ty& t) -> RustValue {
    check_scalar(c, t);
    return TensorValue{from.to_spm(e.context().tdma, level_of(t, Level::cluster, c), level_of(t, Level::slice, c),
                                   level_of(t, Level::element, c), address_of(e, c), c.at)};
  });
}

RustValue to_hbm(Evaluator& e, MethodCall& c) {
  dyn::Tensor const from = self(c);
  WantedTensor wanted(c, Memory::Hbm);
  wanted.arguments({Level::chip, Level::element}).expected();
  Ty const known = wanted.has({Level::element}) ? wanted.type() : Ty{};
  return e.deferred(c.name(), c.expr->name_span, known, [&](const Ty& t) -> RustValue {
    check_scalar(c, t);
    Mapping const own = from.levels()[Level::chip];
    const Mapping& chip = level_or(t, Level::chip, own);
    const Mapping& element = level_of(t, Level::element, c);
    if (chip == own) return TensorValue{from.to_hbm(e.context().tdma, element, address_of(e, c), c.at)};
    return TensorValue{from.to_hbm_chips(e.context().tdma, chip, element, address_of(e, c), c.at)};
  });
}

RustValue to_view(Evaluator& e, MethodCall& c) {
  const RustValue* const to = first_tensor(e, c);
  if (to == nullptr) refuse_form(c, "the view to write into is not given");
  bool const into_hbm = c.name() == "to_hbm_view";
  if (dyn::Tensor const t = e.tensor(*to, c.expr->name_span, "the destination"); into_hbm != (t.memory() == Memory::Hbm))
    Evaluator::fail(Wrong::type_mismatch, c.expr->name_span,
                    "`" + std::string(c.name()) + "` writes into " + (into_hbm ? "HBM" : "DM") + ", and is given " + in_words(e.plain(*to)),
                    "its name says where the view is",
                    std::string("write ") + (into_hbm ? "to_dm_view" : "to_hbm_view") + "(&mut ctx.tdma, view)");
  dyn::dma(e.context().tdma, self(c), e.tensor(*to, c.expr->name_span, "the destination"), c.at);
  return {};
}

RustValue memset(Evaluator& e, MethodCall& c) {
  if (c.arguments.empty()) refuse_form(c, "the value is not given");
  const RustValue& v = e.plain(c.arguments[0]);
  double value = 0;
  if (const ScalarElement* const element = v.as<ScalarElement>()) value = element->value;
  else value = e.number(v, c.expr->name_span, "the value").as_double();
  dyn::memset(e.context(), self(c), value, c.at);
  return {};
}

// Gather and scatter.

/// The axes that a tensor counts, the outermost first.
std::vector<Name> axes_of(const dyn::Tensor& t) {
  std::vector<Name> all;
  for (const Mapping& m : t.levels().at)
    for (int a = 0; a < m.axes; ++a) all.push_back(m.axis[a].name);
  return all;
}
bool counts(const Ty& t, const Name& axis) {
  for (const MappingPtr& m : t->level) {
    if (!m) continue;
    for (int a = 0; a < m->axes; ++a)
      if (m->axis[a].name == axis) return true;
  }
  return false;
}

std::string name_text(const Name& n) { return std::string(text(n).view()); }

RustValue gathered(Evaluator& e, MethodCall& c, const dyn::Tensor& table, const std::function<Name(const Ty&)>& axis,
                   const dyn::Picks& picks, Memory memory) {
  WantedTensor wanted(c, memory);
  if (memory == Memory::Dm) wanted.arguments({Level::chip, Level::cluster, Level::slice, Level::element});
  else wanted.arguments({Level::chip, Level::element});
  wanted.expected();
  bool const complete = memory == Memory::Dm ? wanted.has({Level::cluster, Level::slice, Level::element}) : wanted.has({Level::element});
  return e.deferred(c.name(), c.expr->name_span, complete ? wanted.type() : Ty{}, [&](const Ty& t) -> RustValue {
    std::string const key = name_text(axis(t));
    const Mapping& element = level_of(t, Level::element, c);
    if (memory == Memory::Hbm) return TensorValue{table.gather_to_hbm(e.context().tdma, key, picks, element, address_of(e, c), c.at)};
    return TensorValue{table.gather_to_dm(e.context().tdma, key, picks, level_of(t, Level::cluster, c), level_of(t, Level::slice, c),
                                          element, address_of(e, c), c.at)};
  });
}

/// The axis that the result lacks is the one that the index names.
Name missing_axis(const dyn::Tensor& table, const Ty& result, const MethodCall& c) {
  auto const all = axes_of(table);
  for (const Name& axis : all)
    if (!counts(result, axis)) return axis;
  if (!all.empty()) return all[0];
  Evaluator::fail(Wrong::type_mismatch, c.expr->name_span, "the table counts no axis", "an index names steps of one",
                  "give the table an axis");
}

RustValue dma_gather(Evaluator& e, MethodCall& c) {
  const RustValue* const index = first_tensor(e, c);
  if (index == nullptr) refuse_form(c, "the index tensor is not given");
  dyn::Tensor const rows = e.tensor(*index, c.expr->name_span, "the index");
  bool const bytes = c.name() == "dma_gather_unscaled";
  dyn::Tensor const table = self(c);
  Memory const memory = c.expected && c.expected->kind == TypeOf::Kind::tensor ? c.expected->memory : Memory::Dm;
  return gathered(
      e, c, table, [&](const Ty& t) { return missing_axis(table, t, c); }, bytes ? dyn::by_byte_offsets(rows) : dyn::by_positions(rows),
      memory);
}

/// The key is the axis of the table that what is scattered lacks.
RustValue scatter(Evaluator& e, MethodCall& c) {
  const RustValue* const index = first_tensor(e, c);
  const RustValue* const table = first_tensor(e, c, 1);
  if (index == nullptr || table == nullptr) refuse_form(c, "an index tensor and a table are needed");
  dyn::Tensor const to = e.tensor(*table, c.expr->name_span, "the table");
  Name axis{};
  if (MappingPtr const named = mapping_at(c, 0); named && named->axes > 0) axis = named->axis[0].name;
  else axis = missing_axis(to, e.type_of(c.receiver), c);
  self(c).scatter(e.context().tdma, name_text(axis), dyn::by_positions(e.tensor(*index, c.expr->name_span, "the index")), to, c.at);
  return {};
}

RustValue gather(Evaluator&, MethodCall& c) {
  MappingPtr const axis = mapping_at(c, 0);
  if (!axis || axis->axes == 0) refuse_form(c, "the axis that the index names is not said");
  auto g = std::make_shared<GatherState>();
  g->table = self(c);
  g->axis = axis->axis[0].name;
  return g;
}

GatherState& gather_of(const MethodCall& c) { return **c.receiver.as<std::shared_ptr<GatherState>>(); }

RustValue gather_by(Evaluator& e, MethodCall& c) {
  const RustValue* const index = first_tensor(e, c);
  if (index == nullptr) refuse_form(c, "the index tensor is not given");
  GatherState& g = gather_of(c);
  g.index = e.tensor(*index, c.expr->name_span, "the index");
  g.byte_offsets = c.name() == "by_byte_offsets";
  return c.receiver;
}
RustValue gather_prefix(Evaluator& e, MethodCall& c) {
  if (c.arguments.empty()) refuse_form(c, "the count is not given");
  gather_of(c).count = e.integer(c.arguments[0], c.expr->name_span, "the count");
  return c.receiver;
}
RustValue gather_to(Evaluator& e, MethodCall& c) {
  GatherState& g = gather_of(c);
  if (!g.index) refuse_form(c, "the index is not said: by_positions(&index) or by_byte_offsets(&index) comes before");
  dyn::Picks picks = g.byte_offsets ? dyn::by_byte_offsets(*g.index) : dyn::by_positions(*g.index);
  if (g.count) picks = picks.first(*g.count);
  return gathered(e, c, g.table, [&](const Ty&) { return g.axis; }, picks, c.name() == "to_hbm" ? Memory::Hbm : Memory::Dm);
}

// Between chips and clusters.

RustValue shuffle(Evaluator& e, MethodCall& c) {
  bool const swap = c.name() == "cluster_swap", chips = c.name().find("chip") != std::string_view::npos;
  std::vector<std::int64_t> source{1, 0};
  if (!swap) {
    source.clear();
    for (const RustValue& given : c.arguments) {
      const Aggregate* const a = e.plain(given).as<Aggregate>();
      if (a == nullptr) continue;
      for (const RustValue& each : a->items) source.push_back(e.integer(each, c.expr->name_span, "a source"));
      break;
    }
    if (source.empty()) refuse_form(c, "the list of sources is not given: chip c takes what chip list[c] has");
  }
  dyn::Tensor const from = self(c);
  Levels const levels = from.levels();
  Level const level = chips ? Level::chip : Level::cluster;
  MappingPtr to = mapping_at(c, 0);
  if (!to && c.expected && c.expected->kind == TypeOf::Kind::tensor) to = c.expected->level[static_cast<std::size_t>(level)];
  const Mapping& over = to ? *to : levels[level];
  if (chips) return TensorValue{from.chip_shuffle(e.context().tdma, source, over, address_of(e, c), c.at)};
  return TensorValue{from.cluster_shuffle(e.context().tdma, source, over, address_of(e, c), c.at)};
}

/// Calls whose arguments the vendor has not published: what each of them may mean is known, how it is written is not.
RustValue unpublished(Evaluator&, MethodCall& c) {
  std::string help = "write the same transfer with to_dm, to_hbm or a view";
  if (c.name() == "chip_slice")
    help =
        "go through HBM: to_hbm, and to_dm of the tile of each chip; or print the kernel with --emit cpp, and call chip_slice<Index, "
        "Length, "
        "Chip, Element>(ctx.tdma, {starts}) there";
  if (c.name() == "cluster_slice") help = "take the part with tile or cluster_tile, and move it with to_dm_view";
  if (c.name() == "hbm_chip_shuffle") help = "load it with to_dm, and write chip_shuffle([sources])";
  if (c.name().starts_with("parallel_copy")) help = "write one to_dm_view for each part";
  Evaluator::fail(Wrong::unsupported, c.expr->name_span,
                  "`" + std::string(c.name()) + "` is a call of the vendor's whose arguments are not published",
                  "its name is in the crate, and no document says in which order it takes what; a guess could move other elements", help);
}

// Contexts.

/// A stream that begins in the context which the call is made on.
RustValue new_stream(const MethodCall& c) {
  auto s = std::make_shared<StreamState>();
  s->in_main = c.receiver.as<ContextPart>()->kind == ContextPart::Kind::main;
  return s;
}
StreamState& begun(RustValue& made) { return **made.as<std::shared_ptr<StreamState>>(); }

dyn::TuContext unit_of(Evaluator& e, const MethodCall& c) {
  ContextPart const part = *c.receiver.as<ContextPart>();
  if (part.kind == ContextPart::Kind::main) return dyn::main(e.context());
  if (part.kind == ContextPart::Kind::sub) return dyn::sub(e.context());
  Evaluator::fail(Wrong::unknown_method, c.expr->name_span, in_words(c.receiver) + " has no method `" + std::string(c.name()) + "`",
                  "passes begin in a context of the Tensor Unit", "write ctx.main." + std::string(c.name()) + "(...)");
}

RustValue begin(Evaluator& e, MethodCall& c) {
  const RustValue* const from = first_tensor(e, c);
  if (from == nullptr && c.arguments.empty()) refuse_form(c, "the view to begin with is not given");
  dyn::Tensor const t = e.tensor(from == nullptr ? c.arguments[0] : *from, c.expr->name_span, "what a pass begins with");
  RustValue made = new_stream(c);
  StreamState& s = begun(made);
  s.begin = unit_of(e, c).begin(t, c.at);
  s.source = t.levels();
  s.source_type = t.type();
  return made;
}

RustValue begin_interleaved(Evaluator& e, MethodCall& c) {
  MappingPtr const axis = mapping_at(c, 0);
  if (!axis || axis->axes == 0) refuse_form(c, "the axis that tells the two tensors apart is not said");
  if (axis->size != 2)
    Evaluator::fail(
        Wrong::arguments, c.expr->name_span,
        "`begin_interleaved` tells two tensors apart by " + text_of(*axis) + ", which has " + std::to_string(axis->size) + " steps",
        "each step of the axis stands for one of the tensors", "declare an axis of two steps, axes![I = 2], and name that");
  const RustValue *const first = first_tensor(e, c), *const second = first_tensor(e, c, 1);
  if (first == nullptr || second == nullptr) refuse_form(c, "two views are needed");
  dyn::Tensor const a = e.tensor(*first, c.expr->name_span, "the first tensor"),
                    b = e.tensor(*second, c.expr->name_span, "the second tensor");
  RustValue made = new_stream(c);
  StreamState& s = begun(made);
  s.begin = unit_of(e, c).begin_interleaved(name_text(axis->axis[0].name), a, b, c.at);
  s.source = a.levels();
  s.source[Level::time] = *axis;
  s.source_type = a.type();
  s.interleaved = true;
  return made;
}

constexpr Binding rows[] = {
    {Receiver::tensor, "view", april, latest, "", "view()", view},
    {Receiver::tensor, "view_mut", april, latest, "", "view_mut()", view},
    {Receiver::tensor, "tile", april, latest, "", "tile::<m![factor], N, _>(start)", tile},
    {Receiver::tensor, "reshape", april, latest, "", "reshape()", reshape},
    {Receiver::tensor, "transmute", april, latest, "", "transmute()", reshape},
    {Receiver::tensor, "to_dm", april, latest, "", "to_dm::<Cluster, Slice, Element>(&mut ctx.tdma)", to_dm},
    {Receiver::tensor, "to_hbm", april, latest, "", "to_hbm::<Element>(&mut ctx.tdma)", to_hbm},
    {Receiver::tensor, "to_spm", april, latest, "", "to_spm::<Cluster, Pe, Element>(&mut ctx.tdma)", to_spm},
    {Receiver::tensor, "to_dm_view", april, latest, "", "to_dm_view(&mut ctx.tdma, view)", to_view},
    {Receiver::tensor, "to_hbm_view", april, latest, "", "to_hbm_view(&mut ctx.tdma, view)", to_view},
    {Receiver::tensor, "memset", april, latest, "", "memset(value, &mut ctx.sub)", memset},
    {Receiver::tensor, "dma_gather", april, 8, "gather", "dma_gather(&index, &mut ctx.tdma)", dma_gather},
    {Receiver::tensor, "dma_gather_scaled", april, 8, "gather", "dma_gather_scaled(&index, &mut ctx.tdma)", dma_gather},
    {Receiver::tensor, "dma_gather_unscaled", april, 8, "gather", "dma_gather_unscaled(&index, &mut ctx.tdma)", dma_gather},
    {Receiver::tensor, "dma_scatter", april, 8, "scatter", "dma_scatter(&index, &mut table, &mut ctx.tdma)", scatter},
    {Receiver::tensor, "gather", 9, latest, "dma_gather_scaled", "gather::<Axis, Payload>().by_positions(&index).to_dm()", gather},
    {Receiver::tensor, "scatter", 9, latest, "dma_scatter", "scatter::<Axis>(&index, &mut table)", scatter},
    {Receiver::gather, "by_positions", 9, latest, "", "by_positions(&index)", gather_by},
    {Receiver::gather, "by_byte_offsets", 9, latest, "", "by_byte_offsets(&index)", gather_by},
    {Receiver::gather, "sparse_prefix", 9, latest, "", "sparse_prefix(count)", gather_prefix},
    {Receiver::gather, "to_dm", 9, latest, "", "to_dm::<Cluster, Slice, Element>()", gather_to},
    {Receiver::gather, "to_hbm", 9, latest, "", "to_hbm::<Element>()", gather_to},
    {Receiver::tensor, "dm_chip_shuffle", april, 7, "chip_shuffle", "dm_chip_shuffle([sources])", shuffle},
    {Receiver::tensor, "dm_cluster_shuffle", april, 7, "cluster_swap", "dm_cluster_shuffle([sources])", shuffle},
    {Receiver::tensor, "chip_shuffle", 8, latest, "dm_chip_shuffle", "chip_shuffle([sources])", shuffle},
    {Receiver::tensor, "cluster_swap", 8, latest, "dm_cluster_shuffle", "cluster_swap()", shuffle},
    {Receiver::tensor, "hbm_chip_shuffle", april, latest, "", "hbm_chip_shuffle([sources])", unpublished},
    {Receiver::tensor, "chip_slice", 8, latest, "", "chip_slice(...)", unpublished},
    {Receiver::tensor, "cluster_slice", 8, latest, "", "cluster_slice(...)", unpublished},
    {Receiver::tensor, "parallel_copy", april, 7, "", "parallel_copy(...)", unpublished},
    {Receiver::tensor, "slice_tile", april, latest, "", "slice_tile::<m![factor], N, _>(start)", unit_tile},
    {Receiver::tensor, "cluster_tile", april, latest, "", "cluster_tile::<m![factor], N, _>(start)", unit_tile},
    {Receiver::context, "begin", april, latest, "", "begin(tensor.view())", begin},
    {Receiver::context, "begin_interleaved", april, latest, "", "begin_interleaved::<Axis, ...>(first.view(), second.view())",
     begin_interleaved},
};

}  // namespace
}  // namespace tensor_calls

std::span<const Binding> tensor_bindings() { return tensor_calls::rows; }

}  // namespace tcp::rust
