// Reads tokenizer.json, and rejects what would be computed otherwise than the file asks.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tcp/io/file.hpp"
#include "tokens/parts.hpp"

namespace tcp::tokens {
namespace {

using nlohmann::json;

constexpr std::int64_t most_ids = std::int64_t{1} << 24;
/// The regular expression of GPT-2, which `ByteLevel` stands for unless it says otherwise.
constexpr const char* gpt2_words = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

std::string shown_value(const json& value) { return shown(value.dump(-1, ' ', true, json::error_handler_t::replace), 40); }

Expected<json> parse_file(std::string_view text, std::string_view file_name) {
  // Nesting is bounded: the parser does not recurse, but printing or destroying a deep value does.
  constexpr int deepest = 24;
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
  return refuse("tokens-json")
      .what(shown_file(file_name), problem)
      .why("a tokenizer.json is one JSON object: added_tokens, normalizer, pre_tokenizer, post_processor, decoder and model")
      .help("copy the file again from where the model was published; tokenizer.model is another format");
}

/// Walks through the file; what is wrong first is kept.
class TokenizerReader {
 public:
  explicit TokenizerReader(std::string_view file_name) : file_(shown_file(file_name)) {}

  Expected<std::shared_ptr<const TokenizerParts>> read(const json& object) {
    for (const char* name : {"truncation", "padding"})
      if (auto const at = object.find(name); at != object.end() && !at->is_null()) unsupported(name, shown_value(*at), "null");
    read_model(need(object, "model", "model", json::value_t::object));
    read_rewriting(object, "normalizer");
    read_added(object);
    if (const json* const cut = optional_object(object, "pre_tokenizer", "pre_tokenizer")) read_cutting(*cut, "pre_tokenizer");
    if (const json* const around = optional_object(object, "post_processor", "post_processor")) read_around(*around, "post_processor");
    if (const json* const decoder = optional_object(object, "decoder", "decoder")) read_decoder(*decoder, "decoder");
    if (!verdict_) return verdict_.refusal();
    return std::shared_ptr<const TokenizerParts>(std::make_shared<TokenizerParts>(std::move(parts_)));
  }

 private:
  bool ok() const { return verdict_.ok(); }
  void refuse_with(const Refusal& r) {
    if (verdict_) verdict_ = r;
  }
  void wrong(const std::string& field, const std::string& is, const std::string& wanted) {
    refuse_with(refuse("tokens-field")
                    .what(file_, field, " is ", is, "; it should be ", wanted)
                    .why("the file says how texts become numbers, and a guess would be found out only by what the model answers")
                    .help("take the tokenizer.json that was published with the model"));
  }
  void unsupported(const std::string& field, const std::string& is, const std::string& only) {
    refuse_with(refuse("tokens-unsupported")
                    .what(file_, field, " is ", is, ", and only ", only, " is computed here")
                    .why("a text that is cut otherwise than in training gives other numbers without any sign of it")
                    .help("give the numbers themselves (tcp llama --prompt-ids), from the tokenizer that the model came with"));
  }
  void bad_id(const std::string& what) {
    refuse_with(refuse("tokens-id")
                    .what(file_, what)
                    .why("a number stands for one token, and a token has one number")
                    .help("take the tokenizer.json that was published with the model"));
  }

  const json& need(const json& object, const char* name, const std::string& path, json::value_t kind) {
    static const json none_object = json::object(), none_array = json::array(), none_text = "";
    auto const at = object.find(name);
    if (at != object.end() && at->type() == kind) return *at;
    const char* const wanted = kind == json::value_t::object ? "an object" : kind == json::value_t::array ? "a list" : "a text";
    wrong(path, at == object.end() ? "not there" : shown_value(*at), wanted);
    return kind == json::value_t::object ? none_object : kind == json::value_t::array ? none_array : none_text;
  }
  std::string text(const json& object, const char* name, const std::string& inside) {
    return need(object, name, inside + "." + name, json::value_t::string).get<std::string>();
  }
  const json* optional_object(const json& object, const char* name, const std::string& path) {
    auto const at = object.find(name);
    if (at == object.end() || at->is_null()) return nullptr;
    if (at->is_object()) return &*at;
    wrong(path, shown_value(*at), "null or an object");
    return nullptr;
  }
  bool flag(const json& object, const char* name, const std::string& inside, bool otherwise) {
    auto const at = object.find(name);
    if (at == object.end() || at->is_null()) return otherwise;
    if (!at->is_boolean()) wrong(inside + "." + name, shown_value(*at), "true or false");
    return at->is_boolean() ? at->get<bool>() : otherwise;
  }
  std::int64_t count(const json& object, const char* name, const std::string& inside) {
    auto const at = object.find(name);
    if (at != object.end() && at->is_number_unsigned() && at->get<std::uint64_t>() <= 1000) return at->get<std::int64_t>();
    wrong(inside + "." + name, at == object.end() ? "not there" : shown_value(*at), "a whole number from 0 to 1000");
    return 0;
  }
  /// An id, or -1.
  std::int32_t id(const json& value, const std::string& path) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() < static_cast<std::uint64_t>(most_ids)) return value.get<std::int32_t>();
    wrong(path, shown_value(value), "a number from 0 to " + std::to_string(most_ids - 1));
    return -1;
  }
  std::string element(const std::string& path, std::size_t i) { return path + "[" + std::to_string(i) + "]"; }

  void add_token(const std::string& token, std::int32_t number) {
    if (number < 0) return;
    auto const [at, is_new] = parts_.token_of.try_emplace(number, token);
    if (!is_new && at->second != token)
      bad_id("id " + std::to_string(number) + " is " + shown(at->second, 30) + " and " + shown(token, 30));
    parts_.size = std::max<std::int64_t>(parts_.size, number + 1);
  }

  // --- the model

  void read_model(const json& object) {
    if (!ok()) return;
    ModelParts& m = parts_.model;
    // Old files of BPE do not name their kind.
    std::string const type = object.contains("type") ? text(object, "type", "model") : object.contains("merges") ? "BPE" : "nothing";
    if (ok() && type != "BPE" && type != "Unigram") unsupported("model.type", shown(type, 30), "BPE or Unigram");
    if (!ok()) return;
    m.kind = type == "BPE" ? ModelParts::Kind::bpe : ModelParts::Kind::unigram;
    m.byte_fallback = flag(object, "byte_fallback", "model", false);
    if (m.kind == ModelParts::Kind::bpe) read_bpe(object);
    else read_unigram(object);
    for (int byte = 0; byte < 256; ++byte) {
      constexpr const char* digits = "0123456789ABCDEF";
      auto const at = m.vocabulary.find(std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">");
      m.byte_tokens[byte] = at == m.vocabulary.end() ? -1 : at->second;
    }
  }
  void read_bpe(const json& object) {
    ModelParts& m = parts_.model;
    for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (auto const at = object.find(name); at != object.end() && !at->is_null() && *at != json(std::string()))
        unsupported(std::string("model.") + name, shown_value(*at), "null");
    if (auto const at = object.find("dropout"); at != object.end() && !at->is_null() && *at != 0)
      unsupported("model.dropout", shown_value(*at), "null");
    m.fuse_unknown = flag(object, "fuse_unk", "model", false);
    m.ignore_merges = flag(object, "ignore_merges", "model", false);
    const json& vocabulary = need(object, "vocab", "model.vocab", json::value_t::object);
    for (auto const& [token, number] : vocabulary.items()) {
      if (!ok()) return;
      std::int32_t const n = id(number, "model.vocab of " + shown(token, 30));
      m.vocabulary.emplace(token, n);
      add_token(token, n);
    }
    if (auto const at = object.find("unk_token"); at != object.end() && !at->is_null()) {
      if (!at->is_string()) return wrong("model.unk_token", shown_value(*at), "null or a text");
      auto const unknown = m.vocabulary.find(at->get<std::string>());
      if (unknown == m.vocabulary.end()) return bad_id("model.unk_token is " + shown_value(*at) + ", which is no token of model.vocab");
      m.unknown = unknown->second;
    }
    read_merges(need(object, "merges", "model.merges", json::value_t::array));
  }
  /// A merge is `"left right"`, as neither can have a blank in it, or `["left", "right"]`.
  void read_merges(const json& merges) {
    ModelParts& m = parts_.model;
    for (std::size_t i = 0; i < merges.size() && ok(); ++i) {
      const json& merge = merges[i];
      std::string left, right;
      if (merge.is_string()) {
        auto const& both = merge.get_ref<const std::string&>();
        std::size_t const blank = both.find(' ');
        if (blank == both.npos || both.find(' ', blank + 1) != both.npos)
          return bad_merge(i, merge, "it is no two tokens with a blank between");
        left = both.substr(0, blank), right = both.substr(blank + 1);
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        left = merge[0].get<std::string>(), right = merge[1].get<std::string>();
      } else {
        return bad_merge(i, merge, "it is neither a text nor a pair of texts");
      }
      auto const a = m.vocabulary.find(left), b = m.vocabulary.find(right), both = m.vocabulary.find(left + right);
      if (a == m.vocabulary.end()) return bad_merge(i, merge, shown(left, 30) + " is no token of model.vocab");
      if (b == m.vocabulary.end()) return bad_merge(i, merge, shown(right, 30) + " is no token of model.vocab");
      if (both == m.vocabulary.end()) return bad_merge(i, merge, shown(left + right, 30) + " is no token of model.vocab");
      m.merges[pair_key(a->second, b->second)] = {static_cast<std::int32_t>(i), both->second};
    }
  }
  void bad_merge(std::size_t i, const json& merge, const std::string& problem) {
    refuse_with(refuse("tokens-merge")
                    .what(file_, element("model.merges", i), " is ", shown_value(merge), ": ", problem)
                    .why("a merge joins two tokens to a third, and all three have their numbers in model.vocab")
                    .help("take the tokenizer.json that was published with the model"));
  }
  void read_unigram(const json& object) {
    ModelParts& m = parts_.model;
    const json& vocabulary = need(object, "vocab", "model.vocab", json::value_t::array);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < vocabulary.size() && ok(); ++i) {
      const json& row = vocabulary[i];
      bool const fits = row.is_array() && row.size() == 2 && row[0].is_string() && row[1].is_number();
      if (!fits || i >= static_cast<std::size_t>(most_ids)) return wrong(element("model.vocab", i), shown_value(row), "[token, score]");
      auto const token = row[0].get<std::string>();
      double const score = row[1].get<double>();
      if (!std::isfinite(score)) return wrong(element("model.vocab", i), shown_value(row), "[token, score], with a finite score");
      auto const number = static_cast<std::int32_t>(i);
      if (!m.vocabulary.emplace(token, number).second) return bad_id("model.vocab has " + shown(token, 30) + " twice");
      m.scores.emplace(number, score);
      m.longest = std::max(m.longest, token.size());
      least = std::min(least, score);
      add_token(token, number);
    }
    m.unknown_score = vocabulary.empty() ? 0 : least - 10;  // SentencePiece's: less likely than any token
    auto const at = object.find("unk_id");
    if (at == object.end() || at->is_null()) return;
    m.unknown = id(*at, "model.unk_id");
    if (m.unknown >= static_cast<std::int64_t>(vocabulary.size()))
      bad_id("model.unk_id is " + shown_value(*at) + ", and model.vocab has " + std::to_string(vocabulary.size()) + " tokens");
  }

  // --- added tokens

  void read_added(const json& object) {
    auto const list = object.find("added_tokens");
    if (list == object.end() || list->is_null() || !ok()) return;
    if (!list->is_array()) return wrong("added_tokens", shown_value(*list), "a list");
    for (std::size_t i = 0; i < list->size() && ok(); ++i) {
      std::string const path = element("added_tokens", i);
      const json& row = (*list)[i];
      if (!row.is_object()) return wrong(path, shown_value(row), "an object");
      AddedToken token;
      token.content = text(row, "content", path);
      token.id = id(row.contains("id") ? row["id"] : json(), path + ".id");
      token.special = flag(row, "special", path, false);
      token.single_word = flag(row, "single_word", path, false);
      token.left_blanks = flag(row, "lstrip", path, false);
      token.right_blanks = flag(row, "rstrip", path, false);
      token.normalized = flag(row, "normalized", path, !token.special);
      if (!ok()) return;
      if (token.content.empty()) return wrong(path + ".content", "empty", "a text");
      if (auto const at = parts_.model.vocabulary.find(token.content); at != parts_.model.vocabulary.end() && at->second != token.id)
        return bad_id(path + " has " + shown(token.content, 30) + " with id " + std::to_string(token.id) + "; in model.vocab it is " +
                      std::to_string(at->second));
      add_token(token.content, token.id);
      parts_.special[token.id] = token.special;
      if (!token.normalized) {
        parts_.added.insert(token.content, token);
        continue;
      }
      auto const normal = rewritten(parts_.rewrite, token.content);
      if (!normal) return refuse_with(normal.refusal());
      parts_.added_normalized.insert(*normal, token);
    }
  }

  // --- patterns and sequences

  Pattern pattern(const json& object, const std::string& inside) {
    std::string const path = inside + ".pattern";
    const json& p = need(object, "pattern", path, json::value_t::object);
    if (!ok()) return {};
    if (p.size() == 1 && p.contains("String") && p["String"].is_string()) return Pattern::literal(p["String"].get<std::string>());
    if (p.size() == 1 && p.contains("Regex") && p["Regex"].is_string()) return regex(p["Regex"].get<std::string>(), path);
    wrong(path, shown_value(p), R"({"String": text} or {"Regex": text})");
    return {};
  }
  Pattern regex(const std::string& of, const std::string& path) {
    auto compiled = Pattern::regex(of, file_ + path);
    if (compiled) return *std::move(compiled);
    refuse_with(compiled.refusal());
    return {};
  }
  /// The steps of a sequence one by one, or the only one.
  template <class Step>
  void each_step(const json& object, const std::string& path, const char* list, const Step& step) {
    std::string const type = text(object, "type", path);
    if (!ok()) return;
    if (type != "Sequence") return step(object, path, type);
    const json& steps = need(object, list, path + "." + list, json::value_t::array);
    for (std::size_t i = 0; i < steps.size() && ok(); ++i) {
      std::string const inside = element(path + "." + list, i);
      if (!steps[i].is_object()) return wrong(inside, shown_value(steps[i]), "an object");
      each_step(steps[i], inside, list, step);
    }
  }

  // --- the steps of a text

  void read_rewriting(const json& object, const char* name) {
    const json* const normalizer = optional_object(object, name, name);
    if (normalizer == nullptr || !ok()) return;
    each_step(*normalizer, name, "normalizers", [&](const json& one, const std::string& path, const std::string& type) {
      constexpr const char* forms[] = {"NFC", "NFD", "NFKC", "NFKD"};
      RewriteStep step;
      auto const form = std::find(std::begin(forms), std::end(forms), type);
      if (form != std::end(forms)) {
        step.form = static_cast<NormalForm>(form - std::begin(forms));
      } else if (type == "Prepend") {
        step.kind = RewriteStep::Kind::prepend;
        step.content = text(one, "prepend", path);
      } else if (type == "Replace") {
        step.kind = RewriteStep::Kind::replace;
        step.pattern = pattern(one, path);
        step.content = text(one, "content", path);
      } else {
        return unsupported(path + ".type", shown(type, 30), "Sequence, NFC, NFD, NFKC, NFKD, Prepend or Replace");
      }
      parts_.rewrite.push_back(std::move(step));
    });
  }
  Prepend read_prepend(const json& object, const std::string& path) {
    if (!object.contains("prepend_scheme"))  // older files
      return flag(object, "add_prefix_space", path, true) ? Prepend::always : Prepend::never;
    std::string const scheme = text(object, "prepend_scheme", path);
    if (ok() && scheme != "always" && scheme != "first" && scheme != "never")
      wrong(path + ".prepend_scheme", shown(scheme, 20), "always, first or never");
    return scheme == "always" ? Prepend::always : scheme == "first" ? Prepend::first : Prepend::never;
  }
  std::string read_mark(const json& object, const std::string& path) {
    std::string const mark = text(object, "replacement", path);
    if (ok() && (mark.empty() || characters_of(mark).size() != 1))
      wrong(path + ".replacement", shown_value(object["replacement"]), "one character");
    return mark;
  }
  void read_cutting(const json& object, const char* name) {
    if (!ok()) return;
    each_step(object, name, "pretokenizers", [&](const json& one, const std::string& path, const std::string& type) {
      CutStep step;
      if (type == "Split") {
        step.pattern = pattern(one, path);
        step.invert = flag(one, "invert", path, false);
        constexpr const char* behaviors[] = {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
        std::string const behavior = text(one, "behavior", path);
        auto const at = std::find(std::begin(behaviors), std::end(behaviors), behavior);
        if (at == std::end(behaviors))
          return wrong(path + ".behavior", shown(behavior, 30), "Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
        step.behavior = static_cast<SplitBehavior>(at - std::begin(behaviors));
      } else if (type == "ByteLevel") {
        step.kind = CutStep::Kind::byte_level;
        step.prefix_blank = flag(one, "add_prefix_space", path, true);
        step.cuts = flag(one, "use_regex", path, true);
        if (step.cuts) step.pattern = regex(gpt2_words, path);
      } else if (type == "Metaspace") {
        step.kind = CutStep::Kind::metaspace;
        step.mark = read_mark(one, path);
        step.prepend = read_prepend(one, path);
        step.cuts = flag(one, "split", path, true);
      } else if (type == "Digits") {
        step.kind = CutStep::Kind::digits;
        step.single_digits = flag(one, "individual_digits", path, false);
      } else {
        return unsupported(path + ".type", shown(type, 30), "Sequence, Split, ByteLevel, Metaspace or Digits");
      }
      parts_.cut.push_back(std::move(step));
    });
  }
  void read_around(const json& object, const char* name) {
    if (!ok()) return;
    each_step(object, name, "processors", [&](const json& one, const std::string& path, const std::string& type) {
      if (type == "ByteLevel") return;  // about the places of tokens in the text, which are not needed
      if (type != "TemplateProcessing") return unsupported(path + ".type", shown(type, 30), "Sequence, TemplateProcessing or ByteLevel");
      const json& single = need(one, "single", path + ".single", json::value_t::array);
      const json& known = need(one, "special_tokens", path + ".special_tokens", json::value_t::object);
      bool seen = false;
      Ids before, after;
      for (std::size_t i = 0; i < single.size() && ok(); ++i) {
        std::string const inside = element(path + ".single", i);
        const json& part = single[i];
        if (part.is_object() && part.contains("Sequence") && !seen) {
          seen = true;
          continue;
        }
        bool const token = part.is_object() && part.contains("SpecialToken") && part["SpecialToken"].is_object();
        if (!token) return wrong(inside, shown_value(part), "{\"SpecialToken\": ...}, or once {\"Sequence\": ...}");
        std::string const word = text(part["SpecialToken"], "id", inside + ".SpecialToken");
        auto const at = known.find(word);
        if (at == known.end() || !at->is_object() || !at->contains("ids") || !(*at)["ids"].is_array())
          return wrong(path + ".special_tokens of " + shown(word, 30), at == known.end() ? "not there" : shown_value(*at),
                       "an object with a list ids");
        for (const json& number : (*at)["ids"])
          (seen ? after : before).push_back(id(number, path + ".special_tokens of " + shown(word, 30)));
      }
      if (ok() && !seen) return wrong(path + ".single", shown_value(single), "a list with {\"Sequence\": ...} in it");
      parts_.before.insert(parts_.before.begin(), before.begin(), before.end());
      parts_.after.insert(parts_.after.end(), after.begin(), after.end());
    });
  }
  void read_decoder(const json& object, const char* name) {
    if (!ok()) return;
    bool fused = false;
    int replaces = 0;
    each_step(object, name, "decoders", [&](const json& one, const std::string& path, const std::string& type) {
      DecodeStep step;
      if (type == "Fuse") {
        fused = true;
        return;
      }
      if (type == "Strip") {
        step.kind = DecodeStep::Kind::strip;
        step.content = text(one, "content", path);
        step.left = count(one, "start", path);
        step.right = count(one, "stop", path);
        if (ok() && step.content.empty()) wrong(path + ".content", "empty", "a character");
        if (!fused) return parts_.decode.push_back(std::move(step));
        if (step.right != 0) unsupported(path + ".stop", std::to_string(step.right), "0 after Fuse");
        if (parts_.strip_most != 0) unsupported(path + ".type", "Strip", "one Strip after Fuse");
        parts_.strip = step.content;
        parts_.strip_most = step.left;
        return;
      }
      if (fused) return unsupported(path + ".type", shown(type, 30), "Strip after Fuse");
      if (type == "ByteLevel") {
        parts_.byte_level = true;
      } else if (type == "ByteFallback") {
        step.kind = DecodeStep::Kind::byte_fallback;
        parts_.byte_fallback = true;
      } else if (type == "Replace") {
        step.kind = DecodeStep::Kind::replace;
        step.pattern = pattern(one, path);
        step.content = text(one, "content", path);
        // Decoding cannot fail: a token grows by few and short replacements.
        if (step.content.size() > 64 || ++replaces > 2) unsupported(path, "a Replace", "two Replace with at most 64 bytes each");
        if (ok() && one["pattern"].contains("Regex")) unsupported(path + ".pattern", "a Regex", R"({"String": text})");
      } else if (type == "Metaspace") {
        step.kind = DecodeStep::Kind::metaspace;
        step.pattern = Pattern::literal(read_mark(one, path));
        step.prepend = read_prepend(one, path);
      } else {
        return unsupported(path + ".type", shown(type, 30), "Sequence, ByteLevel, ByteFallback, Replace, Metaspace, Fuse or Strip");
      }
      parts_.decode.push_back(std::move(step));
    });
    if (ok() && parts_.byte_level && parts_.byte_fallback) unsupported(name, "ByteLevel with ByteFallback", "one of them");
  }

  std::string file_;
  Verdict verdict_ = accept();
  TokenizerParts parts_;
};

}  // namespace

Expected<Tokenizer> Tokenizer::parse(std::string_view text, std::string_view file_name) {
  auto const object = parse_file(text, file_name);
  if (!object) return object.refusal();
  auto parts = TokenizerReader(file_name).read(*object);
  if (!parts) return parts.refusal();
  return Tokenizer(*parts);
}
Expected<Tokenizer> Tokenizer::open(const std::string& path) {
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  auto const bytes = (*file)->bytes();
  return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace tcp::tokens
