// Reads config.json, and rejects what the kernels would compute otherwise than the file asks.
#include "kernels/llama/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tcp/io/file.hpp"
#include "tcp/scalar/float_formats.hpp"

namespace tcp::kernels {
namespace {

using nlohmann::json;

std::string shown_json(const json& value) { return shown(value.dump(-1, ' ', true, json::error_handler_t::replace), 40); }

Expected<json> parse_object(std::string_view text, std::string_view file_name) {
  // Nesting is bounded: the parser does not recurse, but printing or destroying a deep value does.
  constexpr int deepest = 16;
  bool too_deep = false;
  auto const shallow = [&](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > deepest;
    return depth <= deepest;
  };
  auto object = json::parse(text.begin(), text.end(), shallow, false);
  if (object.is_object() && !too_deep) return object;
  const char* const problem = too_deep                ? "objects and lists are nested too deep"
                              : object.is_discarded() ? "it is not JSON"
                                                      : "it is JSON, but no object";
  return refuse("llama-json")
      .what(shown_file(file_name), problem)
      .why("next to the weights there are JSON objects: config.json, and model.safetensors.index.json if there are several files")
      .help("copy the file again from where the checkpoint was published");
}

/// What a file's text says, by the function that reads it.
template <class What>
Expected<What> read_with(Expected<What> (*parse)(std::string_view, std::string_view), const std::string& path) {
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  auto const bytes = (*file)->bytes();
  return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

/// Names of files stand in the index, which came from elsewhere: none of them may lead out of the folder.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == name.npos && name.find('\0') == name.npos && name != "." && name != "..";
}

/// Reads fields one after the other; the first that cannot be read is the one that is refused.
class Fields {
 public:
  Fields(const json& object, std::string_view file_name, std::string_view inside = "")
      : object_(object), file_(file_name), prefix_(inside.empty() ? "" : std::string(inside) + ".") {}

  /// A field that is null is one that is not there: files in circulation write both.
  const json* find(const char* name) const {
    auto const at = object_.find(name);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }
  /// Whether the field is there, also as null.
  bool names(const char* name) const { return object_.contains(name); }
  std::int64_t whole(const char* name, std::int64_t least, std::int64_t most) {
    const json* const field = needed(name);
    return field == nullptr ? least : whole_of(*field, name, least, most);
  }
  std::int64_t whole_or(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
    const json* const field = find(name);
    return field == nullptr ? otherwise : whole_of(*field, name, least, most);
  }
  double number(const char* name, double least, double most) {
    const json* const field = needed(name);
    return field == nullptr ? least : number_of(*field, name, least, most);
  }
  double number_or(const char* name, double otherwise, double least, double most) {
    const json* const field = find(name);
    return field == nullptr ? otherwise : number_of(*field, name, least, most);
  }
  bool flag_or(const char* name, bool otherwise) {
    const json* const field = find(name);
    if (field == nullptr) return otherwise;
    if (!field->is_boolean()) wrong(name, *field, "true or false");
    return field->is_boolean() ? field->get<bool>() : otherwise;
  }
  /// One number or a list of them.
  std::vector<std::int64_t> ids_or_none(const char* name, std::int64_t most) {
    const json* const field = find(name);
    std::vector<std::int64_t> ids;
    if (field == nullptr) return ids;
    if (!field->is_array()) return {whole_of(*field, name, 0, most)};
    for (const json& id : *field) ids.push_back(whole_of(id, name, 0, most));
    return ids;
  }
  /// A word that must be this one, where it stands at all.
  void only(const char* name, std::string_view word) {
    const json* const field = find(name);
    if (field == nullptr || (field->is_string() && field->get<std::string>() == word)) return;
    not_computed(name, *field, std::string(word));
  }
  void never(const char* name) {
    const json* const field = find(name);
    if (field == nullptr || (field->is_boolean() && !field->get<bool>())) return;
    not_computed(name, *field, "false");
  }
  void one(const char* name) {
    const json* const field = find(name);
    if (field == nullptr || (field->is_number() && field->get<double>() == 1)) return;
    not_computed(name, *field, "1");
  }
  void absent(const char* name) {
    if (const json* const field = find(name); field != nullptr) not_computed(name, *field, "null");
  }
  void not_computed(const char* name, const json& field, const std::string& only_this) {
    refuse_with(refuse("llama-config-unsupported")
                    .what(shown_file(file_), prefix_, name, " is ", shown_json(field), ", and only ", only_this, " is computed here")
                    .why("a model that is computed otherwise than its file asks gives other tokens without any sign of it")
                    .help("take a checkpoint of Llama 3, Mistral, Qwen 2 or 3, Gemma 2 or 3, or Mixtral, or write ", prefix_, name, ": ",
                          only_this, " if that is what it was trained with"));
  }
  void wrong(const char* name, const json& field, const std::string& wanted) {
    refuse_with(refuse("llama-config-value")
                    .what(shown_file(file_), prefix_, name, " is ", shown_json(field), "; it should be ", wanted)
                    .why("the sizes of every weight and every kernel follow from this field")
                    .help("take the config.json that was published with the checkpoint, or correct ", prefix_, name));
  }
  void refuse_with(const Refusal& r) {
    if (verdict_) verdict_ = r;
  }
  const Verdict& verdict() const { return verdict_; }

 private:
  const json* needed(const char* name) {
    const json* const field = find(name);
    if (field == nullptr)
      refuse_with(refuse("llama-config-missing")
                      .what(shown_file(file_), "there is no field ", prefix_, name)
                      .why("without it the model's shape is not known, and a guess would be found out only by its tokens")
                      .help("take the config.json that was published with the checkpoint"));
    return field;
  }
  std::int64_t whole_of(const json& field, const char* name, std::int64_t least, std::int64_t most) {
    if (field.is_number_integer()) {
      auto const v = field.get<std::int64_t>();
      bool const fits = !field.is_number_unsigned() || field.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
      if (fits && v >= least && v <= most) return v;
    }
    wrong(name, field, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return least;
  }
  double number_of(const json& field, const char* name, double least, double most) {
    if (field.is_number())
      if (double const v = field.get<double>(); std::isfinite(v) && v >= least && v <= most) return v;
    wrong(name, field, "a number from " + json(least).dump() + " to " + json(most).dump());
    return least;
  }

  const json& object_;
  std::string_view file_;
  std::string prefix_;
  Verdict verdict_ = accept();
};

/// Only `llama3` is computed, Gemma 3's `linear`, and `default`, which stretches nothing. Files call the kind
/// `rope_type` or, before Llama 3.1, `type`.
void read_scaling(Fields& f, const json& object, LlamaConfig& c) {
  const char* const name = f.find("rope_type") == nullptr && f.find("type") != nullptr ? "type" : "rope_type";
  const json* const kind = f.find(name);
  if (kind == nullptr ? f.find("factor") == nullptr : *kind == "default") return;
  if (kind != nullptr && *kind == "linear" && c.architecture == Architecture::gemma3) {
    c.rope_factor = f.number("factor", 1, 1e6);
    return;
  }
  if (kind == nullptr || *kind != "llama3") return f.not_computed(name, kind == nullptr ? json(nullptr) : *kind, "llama3");
  RopeScaling s;
  s.factor = f.number("factor", 1, 1e6);
  s.low_freq_factor = f.number("low_freq_factor", 1e-6, 1e6);
  s.high_freq_factor = f.number("high_freq_factor", 1e-6, 1e6);
  s.original_positions = f.whole("original_max_position_embeddings", 1, std::int64_t{1} << 30);
  if (f.verdict() && s.high_freq_factor <= s.low_freq_factor)
    f.wrong("high_freq_factor", object["high_freq_factor"], "larger than low_freq_factor");
  c.scaling = s;
}
/// The youngest files of Gemma 3 have an object for each kind of layer.
void read_rotations_by_kind(Fields& f, Fields& rotations, LlamaConfig& c, std::string_view file_name) {
  for (const char* kind : {"full_attention", "sliding_attention"}) {
    const json* const object = rotations.find(kind);
    if (object == nullptr || !object->is_object()) {
      rotations.wrong(kind, object == nullptr ? json() : *object, "an object with rope_type and rope_theta");
      return f.refuse_with(rotations.verdict().refusal());
    }
    bool const local = std::string_view(kind) == "sliding_attention";
    Fields inside(*object, file_name, kind);
    if (c.architecture != Architecture::gemma3) {
      rotations.not_computed(kind, *object, "one kind of rotations for all layers");
      return f.refuse_with(rotations.verdict().refusal());
    }
    inside.one("partial_rotary_factor");
    (local ? c.local_rope_theta : c.rope_theta) = inside.number("rope_theta", 1, 1e12);
    if (local) inside.only("rope_type", "default");
    else read_scaling(inside, *object, c);
    if (!inside.verdict()) return f.refuse_with(inside.verdict().refusal());
  }
}
/// `rope_scaling` with `rope_theta` beside it or, in younger files, `rope_parameters` with `rope_theta` inside.
void read_rotations(Fields& f, LlamaConfig& c, std::string_view file_name) {
  c.rope_theta = f.number_or("rope_theta", c.rope_theta, 1, 1e12);
  f.one("partial_rotary_factor");
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    const json* const object = f.find(name);
    if (object == nullptr || !f.verdict()) continue;
    if (!object->is_object()) return f.wrong(name, *object, "null or an object");
    Fields inside(*object, file_name, name);
    if (inside.find("full_attention") != nullptr || inside.find("sliding_attention") != nullptr) {
      read_rotations_by_kind(f, inside, c, file_name);
      continue;
    }
    c.rope_theta = inside.number_or("rope_theta", c.rope_theta, 1, 1e12);
    inside.one("partial_rotary_factor");
    read_scaling(inside, *object, c);
    if (!inside.verdict()) return f.refuse_with(inside.verdict().refusal());
  }
}
struct KnownArchitecture {
  Architecture which;
  const char *type, *name;
};
constexpr KnownArchitecture known_architectures[] = {
    {Architecture::llama, "llama", "LlamaForCausalLM"},      {Architecture::mistral, "mistral", "MistralForCausalLM"},
    {Architecture::qwen2, "qwen2", "Qwen2ForCausalLM"},      {Architecture::qwen3, "qwen3", "Qwen3ForCausalLM"},
    {Architecture::gemma2, "gemma2", "Gemma2ForCausalLM"},   {Architecture::gemma3, "gemma3_text", "Gemma3ForCausalLM"},
    {Architecture::mixtral, "mixtral", "MixtralForCausalLM"}};

/// Files that do not say are Llama's; those that name architectures name the one of their type among them.
Architecture read_architecture(Fields& f) {
  const json* const type = f.find("model_type");
  const KnownArchitecture* found = type == nullptr ? &known_architectures[0] : nullptr;
  std::string all;
  for (const KnownArchitecture& each : known_architectures) {
    all += (all.empty() ? "" : ", ") + std::string(each.type);
    if (type != nullptr && *type == each.type) found = &each;
  }
  if (found == nullptr) {
    f.not_computed("model_type", *type, all);
    return Architecture::llama;
  }
  const json* const names = f.find("architectures");
  if (names != nullptr && !(names->is_array() && (names->empty() || std::find(names->begin(), names->end(), found->name) != names->end())))
    f.not_computed("architectures", *names, found->name);
  return found->which;
}

/// Which layers have the window: `layer_types` where a file has it, otherwise as the model was published.
template <class IsLocal>
void read_window(Fields& f, LlamaConfig& c, const IsLocal& is_local) {
  c.window = f.whole_or("sliding_window", 0, 1, std::int64_t{1} << 30);
  if (c.window == 0 || !f.verdict()) return;
  const json* const types = f.find("layer_types");
  if (types != nullptr && (!types->is_array() || static_cast<std::int64_t>(types->size()) != c.layers))
    return f.wrong("layer_types", *types, "a list with the kind of each of " + std::to_string(c.layers) + " layers");
  for (std::int64_t layer = 0; layer < c.layers; ++layer) {
    if (types == nullptr) {
      c.local.push_back(is_local(layer));
      continue;
    }
    const json& type = (*types)[static_cast<std::size_t>(layer)];
    if (type != "sliding_attention" && type != "full_attention")
      return f.not_computed("layer_types", type, "sliding_attention or full_attention");
    c.local.push_back(type == "sliding_attention");
  }
}
void read_gemma(Fields& f, LlamaConfig& c) {
  bool const third = c.architecture == Architecture::gemma3;
  c.outer_norms = c.norms_from_one = c.gelu = true;
  c.head_norms = third;
  for (const char* name : {"hidden_activation", "hidden_act"}) f.only(name, "gelu_pytorch_tanh");
  c.embedding_scale = bf16::from_double(std::sqrt(static_cast<double>(c.hidden))).to_float();
  c.attention_scale = 1 / std::sqrt(f.number_or("query_pre_attn_scalar", 256, 1e-6, 1e9));
  c.score_cap = f.number_or("attn_logit_softcapping", third ? 0 : 50, 1e-3, 1e6);
  c.logit_cap = f.number_or("final_logit_softcapping", third ? 0 : 30, 1e-3, 1e6);
  // A cap that is null is none; one that is not there has its default.
  if (f.names("attn_logit_softcapping") && f.find("attn_logit_softcapping") == nullptr) c.score_cap = 0;
  if (f.names("final_logit_softcapping") && f.find("final_logit_softcapping") == nullptr) c.logit_cap = 0;
  f.absent("use_bidirectional_attention");
  std::int64_t const pattern = third ? f.whole_or("sliding_window_pattern", 6, 1, 1024) : 2;
  read_window(f, c, [&](std::int64_t layer) { return (layer + 1) % pattern != 0; });
  if (third) {
    c.rope_theta = 1e6;
    c.local_rope_theta = f.number_or("rope_local_base_freq", 10000, 1, 1e12);
  }
}
/// What the architecture adds to Llama's frame.
void read_differences(Fields& f, LlamaConfig& c) {
  bool const gemma = c.architecture == Architecture::gemma2 || c.architecture == Architecture::gemma3;
  if (!gemma) f.only("hidden_act", "silu");
  switch (c.architecture) {
    case Architecture::llama: break;
    case Architecture::mistral: read_window(f, c, [](std::int64_t) { return true; }); break;
    case Architecture::qwen2:
    case Architecture::qwen3:
      c.qkv_bias = c.architecture == Architecture::qwen2;
      c.head_norms = c.architecture == Architecture::qwen3;
      if (f.flag_or("use_sliding_window", false)) {
        std::int64_t const first = f.whole_or("max_window_layers", 28, 0, 1024);
        read_window(f, c, [&](std::int64_t layer) { return layer >= first; });
      }
      break;
    case Architecture::gemma2:
    case Architecture::gemma3: read_gemma(f, c); break;
    case Architecture::mixtral:
      read_window(f, c, [](std::int64_t) { return true; });
      c.experts = f.whole("num_local_experts", 1, 1024);
      c.experts_per_token = f.whole("num_experts_per_tok", 1, 1024);
      break;
  }
}

void check_shape(Fields& f, const LlamaConfig& c, std::string_view file_name) {
  auto const refused = [&](const std::string& what, const char* why) {
    f.refuse_with(refuse("llama-config-shape")
                      .what(shown_file(file_name), what)
                      .why(why)
                      .help("take the config.json that was published with the checkpoint: 8B has 32 query and 8 key heads of 128"));
  };
  if (c.heads % c.kv_heads != 0)
    refused(std::to_string(c.heads) + " query heads do not share " + std::to_string(c.kv_heads) + " key heads evenly",
            "each key and value head serves a group of query heads, and all groups are of one size");
  if (c.head_dim % 2 != 0)
    refused("a head has " + std::to_string(c.head_dim) + " elements", "elements are rotated in pairs, so their number is even");
}

/// compressed-tensors: one group of weights of 4 bits, in groups of columns.
Quantization read_groups(const json& at, Fields& q) {
  q.only("format", "pack-quantized");
  const json* const groups = q.find("config_groups");
  bool const one = groups != nullptr && groups->is_object() && groups->size() == 1 && groups->begin()->is_object();
  const json* const weights = one && groups->begin()->contains("weights") ? &(*groups->begin())["weights"] : nullptr;
  auto const is = [&](const char* name, const json& value) { return weights->is_object() && weights->value(name, json()) == value; };
  bool const known = weights != nullptr && is("num_bits", 4) && is("type", "int") && is("symmetric", true) && is("strategy", "group") &&
                     weights->contains("group_size") && (*weights)["group_size"].is_number_integer() && (*weights)["group_size"] > 0 &&
                     (*weights)["group_size"] <= 65536;
  if (!known)
    q.not_computed("config_groups", at.contains("config_groups") ? at["config_groups"] : json(),
                   "one group of symmetric 4-bit integers with a scale for each group_size columns");
  return {Quantization::Kind::i4, 1, known ? (*weights)["group_size"].get<std::int64_t>() : 1};
}
void read_quantization(Fields& f, LlamaConfig& c, std::string_view file_name) {
  const json* const field = f.find("quantization_config");
  if (field == nullptr) return;
  if (!field->is_object()) return f.wrong("quantization_config", *field, "an object");
  Fields q(*field, file_name, "quantization_config");
  std::string const method = field->contains("quant_method") && (*field)["quant_method"].is_string() ? (*field)["quant_method"] : "";
  if (method == "fp8") {
    q.only("fmt", "e4m3");
    json const block = field->value("weight_block_size", json());
    bool const pair = block.is_array() && block.size() == 2 && block[0].is_number_integer() && block[1].is_number_integer() &&
                      block[0] > 0 && block[1] > 0 && block[0] <= 65536 && block[1] <= 65536;
    if (pair) c.quantization = {Quantization::Kind::f8, block[0], block[1]};
    else q.not_computed("weight_block_size", block, "two sizes of a block");
  } else if (method == "compressed-tensors") {
    c.quantization = read_groups(*field, q);
  } else {
    q.not_computed("quant_method", json(method), "fp8 or compressed-tensors");
  }
  if (!q.verdict()) f.refuse_with(q.verdict().refusal());
}

LlamaConfig read_fields(Fields& f, std::string_view file_name) {
  constexpr std::int64_t many = std::int64_t{1} << 20;
  LlamaConfig c;
  c.architecture = read_architecture(f);
  read_quantization(f, c, file_name);
  for (const char* name : {"attention_bias", "mlp_bias"}) f.never(name);
  c.vocabulary = f.whole("vocab_size", 1, many);
  c.hidden = f.whole("hidden_size", 1, many);
  c.intermediate = f.whole("intermediate_size", 1, many);
  c.layers = f.whole("num_hidden_layers", 1, 1024);
  c.heads = f.whole("num_attention_heads", 1, 1024);
  c.kv_heads = f.whole_or("num_key_value_heads", c.heads, 1, 1024);
  if (f.verdict() && f.find("head_dim") == nullptr && c.hidden % c.heads != 0)
    f.refuse_with(refuse("llama-config-shape")
                      .what(shown_file(file_name), "hidden_size ", c.hidden, " does not fall into ", c.heads, " heads")
                      .why("without head_dim a head has hidden_size / num_attention_heads elements")
                      .help("write head_dim, or take the config.json that was published with the checkpoint"));
  c.head_dim = f.whole_or("head_dim", std::max<std::int64_t>(1, c.hidden / c.heads), 1, 4096);
  c.positions = f.whole("max_position_embeddings", 1, std::int64_t{1} << 30);
  c.norm_epsilon = f.number("rms_norm_eps", 1e-12, 1);
  c.tied = f.flag_or("tie_word_embeddings", c.architecture == Architecture::gemma2 || c.architecture == Architecture::gemma3);
  c.stop_ids = f.ids_or_none("eos_token_id", c.vocabulary - 1);
  if (f.verdict()) check_shape(f, c, file_name);
  if (f.verdict()) read_differences(f, c);
  if (f.verdict()) read_rotations(f, c, file_name);
  return c;
}

}  // namespace

std::int64_t LlamaConfig::parameters() const {
  std::int64_t attention = 2 * hidden * query_columns() + 2 * hidden * kv_columns(), ffn = 3 * hidden * intermediate;
  if (qkv_bias) attention += query_columns() + 2 * kv_columns();
  if (head_norms) attention += 2 * head_dim;
  if (experts > 0) ffn = experts * (ffn + hidden);
  return vocabulary * hidden * (tied ? 1 : 2) + layers * (attention + ffn + (outer_norms ? 4 : 2) * hidden) + hidden;
}

LlamaConfig llama_3_8b() {
  LlamaConfig c;
  c.vocabulary = 128256;
  c.hidden = 4096;
  c.intermediate = 14336;
  c.layers = 32;
  c.heads = 32;
  c.kv_heads = 8;
  c.head_dim = 128;
  c.positions = 8192;
  c.rope_theta = 500000;
  c.stop_ids = {128001};
  return c;
}
LlamaConfig llama_3_70b() {
  LlamaConfig c = llama_3_8b();
  c.hidden = 8192;
  c.intermediate = 28672;
  c.layers = 80;
  c.heads = 64;
  return c;
}

namespace {

/// A Gemma 3 that sees pictures, too, has its text part in an object of its own, and leaves out what is as in the
/// smallest of them.
bool has_text_part(const json& object) {
  return object.contains("model_type") && object["model_type"] == "gemma3" && object.contains("text_config") &&
         object["text_config"].is_object();
}
json text_part_of(const json& object) {
  json text = {{"vocab_size", 262208},     {"hidden_size", 2304},      {"intermediate_size", 9216}, {"num_hidden_layers", 26},
               {"num_attention_heads", 8}, {"num_key_value_heads", 4}, {"head_dim", 256},           {"max_position_embeddings", 131072},
               {"rms_norm_eps", 1e-6},     {"sliding_window", 4096}};
  for (const char* name : {"eos_token_id", "quantization_config", "tie_word_embeddings"})
    if (object.contains(name)) text[name] = object[name];
  text.update(object["text_config"]);
  text["model_type"] = "gemma3_text";
  text.erase("architectures");
  return text;
}

}  // namespace

Expected<LlamaConfig> parse_llama_config(std::string_view text, std::string_view file_name) {
  auto const object = parse_object(text, file_name);
  if (!object) return object.refusal();
  bool const in_part = has_text_part(*object);
  json const of_text = in_part ? text_part_of(*object) : *object;
  Fields f(of_text, file_name);
  LlamaConfig c = read_fields(f, file_name);
  c.text_part = in_part;
  if (!f.verdict()) return f.verdict().refusal();
  return c;
}
Expected<LlamaConfig> read_llama_config(const std::string& path) { return read_with(parse_llama_config, path); }

Refusal bad_index(std::string_view path, const std::string& what) {
  return refuse("llama-index")
      .what(shown_file(path), what)
      .why("the index of a checkpoint in several files names, for each tensor, the file in the same folder that holds it")
      .help("copy the index again from where the checkpoint was published");
}
Expected<WeightMap> parse_weight_map(std::string_view text, std::string_view file_name) {
  auto const object = parse_object(text, file_name);
  if (!object) return object.refusal();
  auto const map = object->find("weight_map");
  if (map == object->end() || !map->is_object()) return bad_index(file_name, "there is no object weight_map");
  WeightMap out;
  for (auto const& [tensor, where] : map->items()) {
    std::string const name = where.is_string() ? where.get<std::string>() : "";
    if (!is_plain_name(name)) return bad_index(file_name, "weight_map has " + shown_json(where) + " for the file of " + shown(tensor, 60));
    out[tensor] = name;
  }
  return out;
}
Expected<WeightMap> read_weight_map(const std::string& path) { return read_with(parse_weight_map, path); }

}  // namespace tcp::kernels

// The frequencies of RoPE, stretched as Llama 3.1 asks.

namespace tcp::kernels {
namespace {

/// Waves that fit often into the first training's context stay, those that do not fit are slowed by the factor, and
/// those between are mixed.
double stretched(double frequency, const RopeScaling& s) {
  double const original = static_cast<double>(s.original_positions), waves = original * frequency / (2 * std::numbers::pi);
  if (waves > s.high_freq_factor) return frequency;
  if (waves < s.low_freq_factor) return frequency / s.factor;
  double const share = (waves - s.low_freq_factor) / (s.high_freq_factor - s.low_freq_factor);
  return (1 - share) * frequency / s.factor + share * frequency;
}

}  // namespace

std::vector<double> rope_frequencies(const LlamaConfig& c, bool local) {
  std::vector<double> out;
  bool const own = local && c.local_rope_theta > 0;
  double const theta = own ? c.local_rope_theta : c.rope_theta, factor = own ? 1 : c.rope_factor;
  for (std::int64_t i = 0; i < c.pairs(); ++i) {
    double const plain = std::pow(theta, -2.0 * static_cast<double>(i) / static_cast<double>(c.head_dim)) / factor;
    out.push_back(c.scaling ? stretched(plain, *c.scaling) : plain);
  }
  return out;
}

}  // namespace tcp::kernels

// Only printable characters, and no more of them than a message has room for.

namespace tcp::kernels {

std::string shown(std::string_view text, std::size_t room) {
  std::string out;
  for (char c : text.substr(0, room)) out += c >= ' ' && c < 0x7f ? c : '?';
  if (text.size() > room) out += "...";
  return out;
}
std::string shown_file(std::string_view path) {
  constexpr std::size_t room = 60;
  std::string const end = path.size() > room ? "..." + shown(path.substr(path.size() - room), room) : shown(path, room);
  return end.empty() ? "" : end + ": ";
}

}  // namespace tcp::kernels
