// The statements of a text, in any order that declares before it uses.
//
//   text      = { module | axes | using | table | tensor | list | region | in | transfer | host_move | memset | pass }
//   module    = "module" name [ "(" [ "chips" ":" integer ] [ "numeric" ":" ( "rngd" | "ieee" ) ] ")" ]
//   axes      = "axes" axis "=" integer { "," axis "=" integer }
//   using     = "using" word "=" mapping
//   table     = "table" name ":" type "->" type "(" bits { "," bits } ")"
//   tensor    = [ role ] memory name ":" type { level mapping } [ half ] [ "at" integer ] [ "=" name "." view ]
//   list      = ( "arguments" | "results" ) "(" [ name { "," name } ] ")"
//   region    = "region" name [ "index" integer ] [ "inside" name ] [ "kept" ]
//   in        = "in" name ":"
//   transfer  = kind name "->" name [ "(" … ")" ] [ "Time" mapping ] [ "Packet" mapping ]
//   host_move = "host_move" name "->" name
//   memset    = "memset" name "=" bits
//   pass      = ( "main" | "sub" ) [ "." "dual" ] "." ( "begin" | "begin_interleaved" ) "(" … ")" { stage }
//
// docs/text-form.md says the same in sentences. Stages are read by parse_pass.cpp.
#include <algorithm>

#include "ir/reader.hpp"
#include "tcp/ir/text.hpp"

namespace tcp::ir {
namespace {

using namespace words;

class ModuleReader {
 public:
  ModuleReader(Reader& in, Module& module) : in_(in), module_(module) {}

  void read() {
    while (!in_.at_end()) statement();
    if (!arguments_given_) list_by_role(module_.arguments, Role::argument);
    if (!results_given_) list_by_role(module_.results, Role::result);
  }

 private:
  void statement() {
    at_ = in_.here();
    if (in_.take_word("module")) return module();
    if (in_.take_word("axes")) return in_.declare_axes();
    if (in_.take_word("using")) return in_.declare_mapping();
    if (in_.take_word("table")) return table();
    if (in_.take_word("arguments")) return list(module_.arguments, arguments_given_, "arguments");
    if (in_.take_word("results")) return list(module_.results, results_given_, "results");
    if (in_.take_word("region")) return region();
    if (in_.take_word("in")) return inside();
    if (in_.take_word("host_move")) return host_move();
    if (in_.take_word("memset")) return memset();
    for (const auto& role : roles)
      if (in_.take_word(role.name)) return tensor(role.value, in_.one_of(memories, "the memory of the tensor"));
    for (const auto& memory : memories)
      if (in_.take_word(memory.name)) return tensor(Role::temporary, memory.value);
    for (const auto& kind : transfers)
      if (in_.take_word(kind.name)) return transfer(kind.value);
    for (const auto& context : contexts)
      if (in_.take_word(context.name)) return pass(context.value);
    not_a_statement();
  }

  void not_a_statement() {
    std::vector<std::string_view> candidates{"module",  "axes",   "using", "table",     "arguments",
                                             "results", "region", "in",    "host_move", "memset"};
    for (const auto& w : roles) candidates.emplace_back(w.name);
    for (const auto& w : memories) candidates.emplace_back(w.name);
    for (const auto& w : transfers) candidates.emplace_back(w.name);
    for (const auto& w : contexts) candidates.emplace_back(w.name);
    in_.unknown("a statement", candidates);
  }

  void module() {
    if (module_given_) return in_.given_twice("module");
    module_given_ = true;
    module_.name = in_.name("the name of the module is needed");
    Reader::Given given(in_);
    in_.arguments([&](int) {
      if (in_.take_named("chips")) {
        given.once("chips");
        module_.chips = in_.integer("a number of chips is needed");
      } else if (in_.take_named("numeric")) {
        given.once("numeric");
        module_.numeric = in_.one_of(numeric_models, "a numeric model");
      } else {
        in_.unknown("an argument of module", {"chips", "numeric"});
      }
    });
  }

  void table() {
    LookupTable t;
    Names::Label const name = in_.label("the name of the table is needed");
    t.name = name.name;
    in_.need_sign(":", "a table says its types: table name: i8 -> f32 (0x0, ...)");
    t.from = in_.scalar_type();
    in_.need_sign("->", "a table says its types: table name: i8 -> f32 (0x0, ...)");
    t.to = in_.scalar_type();
    if (!in_.at_sign("(")) in_.unexpected("the entries of the table are needed, in parentheses");
    in_.arguments([&](int) { t.bits.push_back(in_.bits()); });
    in_.declare(in_.tables, name, module_.tables.size(), at_);
    module_.tables.push_back(std::move(t));
  }

  void tensor(Role role, Memory memory) {
    Tensor t;
    t.role = role;
    t.memory = memory;
    t.at = at_;
    Names::Label const name = in_.label("the name of the tensor is needed");
    t.name = name.name;
    in_.need_sign(":", "a tensor says its type: dm x: i32 Slice[A / 8] Element[A % 8]");
    t.type = in_.scalar_type();
    Reader::Given given(in_);
    while (tensor_part(t, given)) {
    }
    if (in_.take_sign("=")) t.view = view();
    in_.declare(in_.tensors, name, module_.tensors.size(), at_);
    module_.tensors.push_back(std::move(t));
  }
  bool tensor_part(Tensor& t, Reader::Given& given) {
    for (const auto& level : tensor_levels) {
      bool const pe = t.memory == Memory::Spm && level.value == &Tensor::slice && in_.take_word("Pe");
      if (!pe && !in_.take_word(level.name)) continue;
      given.once(level.name);
      t.*level.value = in_.mapping();
      return !in_.refused();
    }
    for (const auto& half : trf_addresses) {
      if (!in_.take_word(half.name)) continue;
      given.once("the half of the TRF");
      t.trf = half.value;
      return !in_.refused();
    }
    if (!in_.take_word("at")) return false;
    given.once("the address");
    t.address = in_.integer("an address is needed");
    return !in_.refused();
  }
  ViewOf view() {
    ViewOf v;
    v.tensor = in_.tensor();
    in_.need_sign(".", "a view is written x.tile([A / 8], length: 4, start: 2), x.reshape or x.whole");
    v.kind = in_.one_of(views, "a kind of view");
    Reader::Given given(in_);
    in_.arguments([&](int) {
      if (in_.at_sign("[")) {
        given.once("the dimension");
        v.dimension = in_.mapping();
      } else if (in_.take_named("length")) {
        given.once("length");
        v.length = in_.integer("a number of steps is needed");
      } else if (in_.take_named("start")) {
        given.once("start");
        v.start = in_.integer("the first step is needed");
      } else {
        in_.unknown("a mapping or an argument of the view", {"length", "start"});
      }
    });
    return v;
  }

  void list(std::vector<TensorId>& ids, bool& is_given, const char* what) {
    if (is_given) return in_.given_twice(what);
    is_given = true;
    if (!in_.at_sign("(")) in_.unexpected("a list of tensors is needed, in parentheses");
    in_.arguments([&](int) { ids.push_back(in_.tensor()); });
  }
  void list_by_role(std::vector<TensorId>& ids, Role role) const {
    for (TensorId id : module_.tensors.ids())
      if (module_.tensor(id).role == role) ids.push_back(id);
  }

  void region() {
    Region r;
    Names::Label const name = in_.label("the name of the region is needed");
    r.name = name.name;
    if (in_.take_word("index")) r.index = in_.integer("a number is needed");
    if (in_.take_word("inside")) r.inside = in_.reference(in_.regions);
    r.kept = in_.take_word("kept");
    in_.declare(in_.regions, name, module_.regions.size(), at_);
    module_.regions.push_back(std::move(r));
  }
  void inside() {
    region_ = in_.reference(in_.regions);
    in_.need_sign(":", "the commands of a region follow a colon");
  }

  template <class What>
  void add(What what) {
    module_.commands.push_back({std::move(what), at_, region_});
  }

  void transfer(Transfer::Kind kind) {
    Transfer t;
    t.kind = kind;
    endpoints(t);
    Reader::Given given(in_);
    in_.arguments([&](int) { transfer_argument(t, given); });
    for (;;) {
      if (in_.take_word("Time")) {
        given.once("Time");
        t.time = in_.mapping();
      } else if (in_.take_word("Packet")) {
        given.once("Packet");
        t.packet = in_.mapping();
      } else {
        break;
      }
    }
    add(std::move(t));
  }
  void transfer_argument(Transfer& t, Reader::Given& given) {
    if (in_.take_named("rows")) {
      given.once("rows");
      t.rows = in_.tensor();
    } else if (in_.take_named("axis")) {
      given.once("axis");
      t.row_axis = in_.axis();
    } else if (in_.take_named("keys")) {
      given.once("keys");
      t.keys = in_.one_of(row_keys, "what row numbers count");
    } else if (in_.take_named("permutation")) {
      given.once("permutation");
      t.permutation = in_.integers();
    } else if (in_.take_named("dimension")) {
      given.once("dimension");
      t.dimension = in_.mapping();
    } else if (in_.take_named("length")) {
      given.once("length");
      t.length = in_.integer("a number of steps is needed");
    } else {
      in_.unknown("an argument of the transfer", {"rows", "axis", "permutation", "dimension", "length"});
    }
  }
  template <class T>
  void endpoints(T& t) {
    t.source = in_.tensor();
    in_.need_sign("->", "a transfer says where to: move x -> y");
    t.destination = in_.tensor();
  }
  void host_move() {
    HostTransfer t;
    endpoints(t);
    add(t);
  }
  void memset() {
    Memset m;
    m.destination = in_.tensor();
    in_.need_sign("=", "a memset says its word: memset x = 0x0");
    m.word = in_.bits();
    add(m);
  }

  void pass(Tu context) {
    Pass p;
    p.context = context;
    in_.need_sign(".", "a pass begins with a tensor: main.begin(x)");
    if (in_.take_word("dual")) {
      p.dual = true;
      in_.need_sign(".", "a pass begins with a tensor: main.dual.begin(x)");
    }
    constexpr Word<bool> ways[] = {{"begin", false}, {"begin_interleaved", true}};
    bool const interleaved = in_.one_of(ways, "the begin of a pass");
    if (!in_.at_sign("(")) in_.unexpected("the sources of the pass are needed, in parentheses");
    in_.arguments([&](int i) {
      if (interleaved && i == 0) p.turns = in_.axis();
      else p.source.push_back(in_.tensor());
    });
    Where const at = at_;
    read_stages(in_, p);
    at_ = at;
    add(std::move(p));
  }

  Reader& in_;
  Module& module_;
  Where at_{};  // of the statement
  int region_ = none;
  bool module_given_ = false, arguments_given_ = false, results_given_ = false;
};

}  // namespace

Expected<Module> parse(std::string_view text, const char* file_name) {
  Module module;
  module.files.push_back(std::make_shared<const std::string>(file_name));
  Reader in(text, file_name, module.files.front()->c_str(), module);
  ModuleReader(in, module).read();
  if (in.refused()) return in.refusal();
  return module;
}

namespace {

bool begins_module(std::string_view line) {
  std::size_t const first = line.find_first_not_of(" \t");
  return first != line.npos && line.substr(first).starts_with("module ");
}

}  // namespace

Expected<std::vector<Module>> parse_all(std::string_view text, const char* file_name) {
  std::vector<std::size_t> begins;  // of the lines that begin a module
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    if (begins_module(text.substr(at, end - at))) begins.push_back(at);
    at = end + 1;
  }
  if (begins.empty()) begins.push_back(0);
  begins.front() = 0;  // what comes before the first module belongs to it
  begins.push_back(text.size());
  std::vector<Module> all;
  std::string blank;  // the lines before a module, so that it is read with its own line numbers
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    std::string_view const part = text.substr(begins[i], begins[i + 1] - begins[i]);
    auto module = blank.empty() ? parse(part, file_name) : parse(blank + std::string(part), file_name);
    if (!module) return module.refusal();
    all.push_back(*std::move(module));
    blank.append(static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n')), '\n');
  }
  return all;
}

}  // namespace tcp::ir
