// `tcp llama`: a checkpoint from a folder, run token by token. A prompt in words is answered in words, as they come.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>

#include "command.hpp"
#include "kernels/llama/batch.hpp"
#include "kernels/llama/model.hpp"
#include "line_costs.hpp"
#include "llama_plan.hpp"
#include "machine.hpp"
#include "on_interrupt.hpp"
#include "options.hpp"
#include "read_text.hpp"
#include "tcp/runtime/interrupt.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/support/progress_line.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/sort_stably.hpp"
#include "tcp/tokens/tokenizer.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"
#include "tcp/trace/trace.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

constexpr const char* llama_help = "tcp llama --help";
using Ids = std::vector<std::int64_t>;

struct LlamaCommand {
  std::string folder, text, trace, prompts, prompt_ids, stop_ids, backend = "vector", chip = "rngd", temperature = "0", top_p = "1",
                                                                  timing = "book";
  std::vector<std::string> settings;
  std::int64_t most = 16, context = 0, top_k = 0, past = -1, sequences = 1, chips = 1;
  std::uint64_t seed = 0;
  bool has_text = false, ids = false, json = false, plan = false;

  /// Words as they come; otherwise the ids when all are there.
  bool in_words() const { return has_text && !ids && !json; }
};

/// Lists come from elsewhere, too: 3, 17, 99 is one.
std::string_view without_blanks(std::string_view word) {
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  return word;
}
Expected<Ids> read_ids(const std::string& option, const std::string& text) {
  Ids ids;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t const comma = std::min(text.find(',', at), text.size());
    std::string_view const word = without_blanks(std::string_view(text).substr(at, comma - at));
    std::int64_t id = 0;
    auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size())
      return misuse("--" + option + " has '" + std::string(word.substr(0, 20)) + "' among its ids", llama_help);
    ids.push_back(id);
    at = comma + 1;
  }
  return ids;
}
Expected<double> read_number(const std::string& option, const std::string& text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return misuse("'" + text.substr(0, 40) + "' is not what --" + option + " takes: a number", llama_help);
  return value;
}

/// What the options ask for, read.
struct Asked {
  Ids prompt;                                    // of several, the longest
  std::vector<Ids> prompts{};                    // of --prompts
  std::optional<tokens::Tokenizer> tokenizer{};  // of a prompt in words
  kernels::GenerationOptions generation;
};
/// The prompts of a file, one per line.
Verdict encode_lines(const std::string& file, const tokens::Tokenizer& tokenizer, Asked& asked) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    auto const ids = tokenizer.encode(line);
    if (!ids) return ids.refusal();
    asked.prompts.push_back(*ids);
    if (ids->size() > asked.prompt.size()) asked.prompt = *ids;
  }
  if (asked.prompts.empty()) return misuse("--prompts names a file without a line, or none that can be read: " + plain(file), llama_help);
  return accept();
}
Verdict read_prompt(const LlamaCommand& o, Asked& asked) {
  if (!o.has_text && o.prompts.empty()) {
    auto const prompt = read_ids("prompt-ids", o.prompt_ids);
    if (!prompt) return prompt.refusal();
    asked.prompt = *prompt;
    return accept();
  }
  std::filesystem::path const file = std::filesystem::path(o.folder) / "tokenizer.json";
  std::error_code failed;
  if (!std::filesystem::exists(file, failed))
    return refuse("llama-tokenizer-missing")
        .what("there is no tokenizer.json beside the weights, and the prompt is a text")
        .why("which number stands for which piece of a text is known to the model's own tokenizer alone")
        .help("copy tokenizer.json from where the checkpoint was published, or give the numbers: --prompt-ids ID,ID,...");
  auto const tokenizer = tokens::Tokenizer::open(file.string());
  if (!tokenizer) return tokenizer.refusal();
  asked.tokenizer = *tokenizer;
  if (!o.prompts.empty()) return encode_lines(o.prompts, *tokenizer, asked);
  auto const ids = tokenizer->encode(o.text);
  if (!ids) return ids.refusal();
  asked.prompt = *ids;
  return accept();
}
Expected<Asked> read_options(const LlamaCommand& o, const kernels::LlamaConfig& config) {
  Asked asked;
  if (auto v = read_prompt(o, asked); !v) return v.refusal();
  kernels::GenerationOptions& g = asked.generation;
  g.most = o.most;
  g.stop_ids = config.stop_ids;
  if (!o.stop_ids.empty()) {
    auto const stops = read_ids("stop-ids", o.stop_ids);
    if (!stops) return stops.refusal();
    g.stop_ids = *stops;
  }
  auto const temperature = read_number("temperature", o.temperature), top_p = read_number("top-p", o.top_p);
  if (!temperature) return temperature.refusal();
  if (!top_p) return top_p.refusal();
  g.sampling = {.temperature = *temperature, .top_k = o.top_k, .top_p = *top_p, .seed = o.seed};
  return asked;
}

class Clock {
 public:
  /// Seconds since the last lap.
  double lap() {
    auto const now = std::chrono::steady_clock::now();
    double const seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// What the run took, in seconds.
struct Times {
  double load = 0, prefill = 0, decode = 0;
};

/// What the launches took on the simulated chip.
struct ChipTime {
  Cycles cycles{};
  std::int64_t launches = 0;
  std::string model;

  static void add(void* user, const trace::Trace& t) {
    ChipTime& all = *static_cast<ChipTime*>(user);
    all.cycles += t.makespan;
    all.model = t.model;
    ++all.launches;
  }
};

std::string joined(const Ids& ids) {
  std::string out;
  for (std::int64_t id : ids) out += (out.empty() ? "" : ",") + std::to_string(id);
  return out;
}
double per_second(std::size_t tokens, double seconds) { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }

void show(const LlamaCommand& o, const Asked& asked, const kernels::Generated& made, const Times& t, const ChipTime& chip,
          Terminal& terminal) {
  std::size_t const decoded = made.ids.size() - 1;
  if (o.json) {
    nlohmann::ordered_json answer = {
        {"prompt_ids", asked.prompt},
        {"ids", made.ids},
        {"stopped", kernels::in_words(made.reason)},
        {"seconds", {{"load", t.load}, {"prefill", t.prefill}, {"decode", t.decode}}},
        {"tokens_per_second", {{"prefill", per_second(asked.prompt.size(), t.prefill)}, {"decode", per_second(decoded, t.decode)}}}};
    if (asked.tokenizer) answer["text"] = asked.tokenizer->decode(made.ids);
    if (chip.launches > 0) answer["chip"] = {{"launches", chip.launches}, {"cycles", chip.cycles.value}, {"model", chip.model}};
    terminal.out << answer.dump(2) << '\n';
    return;
  }
  char line[160];
  std::snprintf(line, sizeof line, "prefill: %zu tokens in %.2f s, %.1f tokens/s\ndecode: %zu tokens in %.2f s, %.1f tokens/s\n",
                asked.prompt.size(), t.prefill, per_second(asked.prompt.size(), t.prefill), decoded, t.decode,
                per_second(decoded, t.decode));
  std::string said = "stopped: " + std::string(kernels::in_words(made.reason)) + "\n" + line;
  if (chip.launches > 0)
    said += "chip: " + with_commas(chip.cycles.value) + " cycles in " + with_commas(chip.launches) + " launches by the model " +
            std::string(chip.model) + "\n";
  // Words are the answer, and are alone on the standard output.
  if (o.in_words()) terminal.err << said;
  else terminal.out << "ids: " << joined(made.ids) << '\n' << said;
}

/// What an answer of several is shown as: a line.
std::string on_a_line(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return out;
}
void show_each(const LlamaCommand& o, const Asked& asked, const std::vector<kernels::Generated>& made, double load, double seconds,
               const ChipTime& chip, Terminal& terminal) {
  std::size_t tokens = 0;
  for (const kernels::Generated& each : made) tokens += each.ids.size();
  if (o.json) {
    nlohmann::ordered_json answers = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < made.size(); ++i)
      answers.push_back({{"prompt_ids", asked.prompts[i]},
                         {"ids", made[i].ids},
                         {"text", asked.tokenizer->decode(made[i].ids)},
                         {"stopped", kernels::in_words(made[i].reason)}});
    nlohmann::ordered_json answer = {
        {"answers", answers}, {"seconds", {{"load", load}, {"generate", seconds}}}, {"tokens_per_second", per_second(tokens, seconds)}};
    if (chip.launches > 0) answer["chip"] = {{"launches", chip.launches}, {"cycles", chip.cycles.value}, {"model", chip.model}};
    terminal.out << answer.dump(2) << '\n';
    return;
  }
  for (std::size_t i = 0; i < made.size(); ++i)
    terminal.out << i + 1 << ": " << (o.ids ? joined(made[i].ids) : on_a_line(asked.tokenizer->decode(made[i].ids))) << '\n';
  char line[120];
  std::snprintf(line, sizeof line, "%zu prompts: %zu tokens in %.2f s, %.1f tokens/s\n", made.size(), tokens, seconds,
                per_second(tokens, seconds));
  terminal.err << line;
}

ContextOptions context_options(const LlamaCommand& o, const Device& device, ChipTime& chip) {
  ContextOptions options;
  options.device = &device;
  options.chips = std::max<std::int64_t>(o.chips, 1);
  if (o.backend == "device") {
    options.on_trace = ChipTime::add;
    options.trace_user = &chip;
    if (!o.trace.empty()) options.trace = o.trace.c_str();
  }
  for (BackendKind kind : backends)
    if (o.backend == name_of(kind)) options.backend = kind;
  return options;
}

/// No more room than will be needed: caches of a model's whole context may be larger than this machine.
std::int64_t context_of(const LlamaCommand& o, const Asked& asked, const kernels::LlamaConfig& config) {
  if (o.context != 0) return o.context;
  return std::min(config.positions, static_cast<std::int64_t>(asked.prompt.size()) + std::min(o.most, config.positions));
}

/// The cycles of a region in one layer, and in all.
struct RegionCycles {
  std::string name;
  std::int64_t critical = 0, all = 0;
};
std::vector<RegionCycles> regions_of(const PlannedStep& step) {
  std::vector<RegionCycles> out;
  for (const PlannedPart& part : step.parts)
    for (const trace::RegionUse& use : trace::make_report(part.trace).regions) {
      auto at = std::find_if(out.begin(), out.end(), [&](const RegionCycles& r) { return r.name == use.name; });
      if (at == out.end()) at = out.insert(out.end(), {use.name, 0, 0});
      at->critical += use.critical.value;
      at->all += part.times * use.critical.value;
    }
  sort_many_stably(out, [](const RegionCycles& a, const RegionCycles& b) { return a.all > b.all; });
  return out;
}
double tokens_per_second(const PlannedStep& step, std::int64_t tokens) {
  std::int64_t const cycles = step.cycles();
  return cycles == 0 ? 0 : static_cast<double>(tokens) * static_cast<double>(step.core_mhz) * 1e6 / static_cast<double>(cycles);
}

void show_plan(const Device& device, const kernels::LlamaStep& step, const std::vector<PlannedStep>& models, const PlannedStep& chosen,
               const std::string& published, Terminal& terminal) {
  char line[200];
  auto const put = [&](auto... values) {
    std::snprintf(line, sizeof line, values...);
    terminal.out << line;
  };
  put("%s of %lld token%s after %lld, %lld chip%s\n\n", step.tokens > 1 ? "prefill" : "decode", static_cast<long long>(step.rows()),
      step.rows() == 1 ? "" : "s", static_cast<long long>(step.past), static_cast<long long>(step.chips), step.chips == 1 ? "" : "s");
  put("%-12s %16s %12s\n", "model", "cycles", "tokens/s");
  for (const PlannedStep& each : models)
    put("%-12s %16s %12s\n", each.model.c_str(), with_commas(each.cycles()).c_str(),
        with_commas(std::llround(tokens_per_second(each, step.rows()))).c_str());
  put("%-12s %16s %12s\n\n", "published", "", published.empty() ? "unknown" : published.c_str());
  std::int64_t const room = device.hbm.capacity.value;
  auto const gib = [](std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); };
  put("HBM of %s: %.*f of %.0f GiB\n", step.chips == 1 ? "the chip" : "each chip", gib(chosen.bytes()) < 0.1 ? 4 : 1, gib(chosen.bytes()),
      gib(room));
  if (chosen.bytes() > room)
    terminal.out
        << "note: that is more than it has; the cycles are those of a chip with more room. Share the model out with --chips, up to 8\n";
  terminal.out << "\n";
  put("%-28s %5s %14s %14s\n", (chosen.model + ": part").c_str(), "times", "cycles each", "cycles");
  for (const PlannedPart& part : chosen.parts)
    put("%-28s %5lld %14s %14s\n", part.name.c_str(), static_cast<long long>(part.times), with_commas(part.trace.makespan.value).c_str(),
        with_commas(part.times * part.trace.makespan.value).c_str());
  put("\n%-34s %14s %7s\n", (chosen.model + ": region").c_str(), "critical", "share");
  for (const RegionCycles& r : regions_of(chosen))
    put("%-34s %14s %6.1f%%\n", r.name.c_str(), with_commas(r.all).c_str(),
        100.0 * static_cast<double>(r.all) / static_cast<double>(chosen.cycles()));
}
void show_plan_json(const Device& device, const kernels::LlamaStep& step, const std::vector<PlannedStep>& models, const PlannedStep& chosen,
                    const std::string& published, Terminal& terminal) {
  nlohmann::ordered_json answer = {{"tokens", step.rows()}, {"past", step.past}, {"chips", step.chips}};
  for (const PlannedStep& each : models)
    answer["models"][each.model] = {{"cycles", each.cycles()}, {"tokens_per_second", tokens_per_second(each, step.rows())}};
  answer["hbm"] = {{"bytes", chosen.bytes()}, {"capacity", device.hbm.capacity.value}};
  if (!published.empty()) answer["published_tokens_per_second"] = published;
  answer["model"] = chosen.model;
  for (const PlannedPart& part : chosen.parts)
    answer["parts"].push_back({{"name", part.name}, {"times", part.times}, {"cycles", part.trace.makespan.value}});
  for (const RegionCycles& r : regions_of(chosen)) answer["regions"].push_back({{"name", r.name}, {"critical", r.all}});
  terminal.out << answer.dump(2) << '\n';
}

/// A line of our source says nothing to the user of the command.
Refusal without_place(Refusal r) {
  r.at = {};
  return r;
}

/// Nothing but the configuration is read, and the tokenizer for a prompt in words: a prompt is prefilled, and without
/// one per token is decoded.
Verdict plan_model(const LlamaCommand& o, Terminal& terminal) {
  auto const config = kernels::read_llama_config((std::filesystem::path(o.folder) / "config.json").string());
  if (!config) return config.refusal();
  Asked asked;
  bool const prompt = o.has_text || !o.prompt_ids.empty();
  if (prompt)
    if (auto v = read_prompt(o, asked); !v) return v;
  kernels::LlamaStep step{
      .tokens = prompt ? static_cast<std::int64_t>(asked.prompt.size()) : 1, .sequences = o.sequences, .chips = o.chips};
  step.past = o.past >= 0 ? o.past : prompt ? 0 : std::min<std::int64_t>(1023, config->positions - 1);
  step.capacity = o.context != 0 ? o.context : std::min(config->positions, step.past + step.tokens);
  if (auto v = kernels::check_step(*config, step); !v) return without_place(v.refusal());
  auto const device = chosen_device(o.chip, o.settings);
  if (!device) return device.refusal();
  std::vector<PlannedStep> models;
  for (std::string_view model : {"book", "planned", "calibrated"}) models.push_back(planned_step(*device, *config, step, model));
  auto const same = [&](const PlannedStep& each) { return each.model == o.timing; };
  if (std::none_of(models.begin(), models.end(), same)) models.push_back(planned_step(*device, *config, step, o.timing));
  const PlannedStep& chosen = *std::find_if(models.begin(), models.end(), same);
  for (const std::string& setting : o.settings) {
    std::vector<std::string> others = o.settings;
    std::erase(others, setting);
    auto const without = chosen_device(o.chip, others);
    if (without && planned_step(*without, *config, step, o.timing).cycles() == chosen.cycles())
      terminal.err << "note: " << plain(setting) << " has no effect here: " << chosen.cycles() << " cycles with it and without it\n";
  }
  if (!o.trace.empty()) {
    std::ostringstream text;
    trace::write_json(timeline_of(chosen), text);
    if (auto v = write_file(o.trace, text.view()); !v) return v;
  }
  (o.json ? show_plan_json : show_plan)(*device, step, models, chosen, published_rate(*config, step), terminal);
  return accept();
}

Verdict run_model(const LlamaCommand& o, Terminal& terminal) {
  for (const std::string& setting : o.settings)
    if (!sets_chip(setting))
      return misuse("'" + plain(setting) + "' is not what --set takes here: a number of the chip, such as hbm.clock=1500", llama_help);
  if (!o.trace.empty() && o.backend != "device")
    return misuse("--trace takes the cycles of the simulated chip: add --backend device", llama_help);
  if (!o.settings.empty() && o.backend != "device")
    terminal.err << "note: --set changes cycles, which are counted with --backend device; tokens stay as they are\n";
  auto const device = chosen_device(o.chip, o.settings);
  if (!device) return device.refusal();
  auto const config = kernels::read_llama_config((std::filesystem::path(o.folder) / "config.json").string());
  if (!config) return config.refusal();
  auto const read = read_options(o, *config);
  if (!read) return read.refusal();
  Asked asked = *read;
  std::int64_t const context = context_of(o, asked, *config);
  // Before anything is loaded, which takes minutes for a large model.
  bool const several = !o.prompts.empty();
  std::int64_t const sequences = several ? std::min(o.sequences, static_cast<std::int64_t>(asked.prompts.size())) : 1;
  if (auto v = kernels::check_step(*config, {.capacity = context, .sequences = sequences, .chips = o.chips}); !v)
    return without_place(v.refusal());
  if (auto v = kernels::check_generation(config->vocabulary, context, asked.prompt, asked.generation); !v) return v;
  auto const weights = kernels::Checkpoint::open(o.folder, *config);
  if (!weights) return weights.refusal();
  OnInterrupt const stop(OnInterrupt::Do::end);
  Clock clock;
  Times times;
  ChipTime chip;
  Machine alone;
  Machine& machine = terminal.machine == nullptr ? alone : *terminal.machine;
  Context ctx = machine.acquire(context_options(o, *device, chip));
  std::unique_ptr<ProgressLine> line =
      std::make_unique<ProgressLine>("loading", static_cast<std::size_t>(config->layers), terminal.terminal, "layers");
  kernels::Llama llama(ctx, *device, *config, *weights,
                       {.context = context,
                        .chips = o.chips,
                        .first_chip = machine.first_chip(o.chips),
                        .chips_here = machine.chips_here(o.chips),
                        .sequences = sequences,
                        .on_progress = [&](std::int64_t done, std::int64_t) { line->done(static_cast<std::size_t>(done)); }});
  times.load = clock.lap();
  line = std::make_unique<ProgressLine>("generating", static_cast<std::size_t>(o.most), terminal.terminal, "tokens");
  if (several) {
    std::vector<kernels::TextRequest> requests;
    std::size_t ended = 0;
    asked.generation.on_token = [&](std::int64_t) {
      if (line) line->done(std::min<std::size_t>(++ended / asked.prompts.size(), static_cast<std::size_t>(o.most)));
      return true;
    };
    for (const Ids& prompt : asked.prompts) requests.push_back({prompt, asked.generation});
    auto const answers = kernels::generate_each(llama.batch_steps(), requests);
    line.reset();
    if (!answers) return answers.refusal();
    show_each(o, asked, *answers, times.load, clock.lap(), chip, terminal);
    return accept();
  }
  std::optional<tokens::DecodedStream> words;
  if (o.in_words()) words.emplace(*asked.tokenizer), line.reset();  // the words show how far it is
  std::size_t made = 0;
  asked.generation.on_token = [&](std::int64_t id) {
    (made == 0 ? times.prefill : times.decode) += clock.lap();
    ++made;
    if (line) line->done(made);
    if (words) terminal.out << words->add(id) << std::flush;
    return true;
  };
  auto const generated = kernels::generate(llama.steps(), asked.prompt, asked.generation);
  line.reset();
  if (!generated) return generated.refusal();
  if (words) terminal.out << words->finish() << '\n' << std::flush;
  show(o, asked, *generated, times, chip, terminal);
  return accept();
}

Verdict run_refusing(const LlamaCommand& o, Terminal& terminal) {
  if (!o.plan && o.past >= 0) return misuse("--past is for --plan", llama_help);
  if (!o.plan && o.sequences != 1 && o.prompts.empty())
    return misuse("--sequences is for --plan, and for the prompts of --prompts", llama_help);
  if (!o.prompts.empty() && (o.plan || o.has_text || !o.prompt_ids.empty()))
    return misuse("--prompts is a file of prompts to be answered: without TEXT, --prompt-ids and --plan", llama_help);
  if (o.plan && terminal.machine != nullptr && terminal.machine->rank() != 0) return accept();  // nothing to share
  if (o.plan && !(o.has_text && !o.prompt_ids.empty())) {
    try {
      return plan_model(o, terminal);
    } catch (const Refused& refused) {
      return without_place(refused.refusal());
    }
  }
  if (o.prompts.empty() && o.has_text == !o.prompt_ids.empty())
    return misuse(o.has_text ? "TEXT and --prompt-ids are two prompts" : "there is no prompt: TEXT or --prompt-ids", llama_help);
  try {
    return run_model(o, terminal);
  } catch (const Refused& refused) {
    return without_place(refused.refusal());
  }
}

}  // namespace

Action declare_llama(CLI::App& command) {
  auto const options = std::make_shared<LlamaCommand>();
  LlamaCommand& o = *options;
  command.add_option("FOLDER,--model", o.folder, "a folder with config.json and the weights as safetensors; FOLDER or --model FOLDER")
      ->type_name("")
      ->required()
      ->check(not_empty("the name of the folder"));
  command.add_option("TEXT,--prompt", o.text, "what the answer follows, in words; the folder has the tokenizer.json of the model")
      ->type_name("")
      ->each([&o](const std::string&) { o.has_text = true; });
  command.add_option("--prompt-ids", o.prompt_ids, "the tokens that the answer follows, by their numbers")
      ->type_name("ID,ID,...")
      ->check(not_empty("the list of ids"));
  command.add_option("--prompts", o.prompts, "a file of prompts in words, one per line, answered side by side; see --sequences")
      ->type_name("FILE")
      ->check(file_name());
  command.add_option("--max-new", o.most, "the most tokens to add (16)")->type_name("N")->check(at_least(1));
  command.add_option("--temperature", o.temperature, "0: always the likeliest token (the default); 0.7 to 1 are usual")->type_name("T");
  command.add_option("--top-k", o.top_k, "choose among the K likeliest tokens; 0: among all (the default)")
      ->type_name("K")
      ->check(at_least(0));
  command.add_option("--top-p", o.top_p, "choose among the fewest tokens that have this probability together (1)")->type_name("P");
  command.add_option("--seed", o.seed, "of the choice; the same seed chooses the same tokens (0)")->type_name("SEED")->check(at_least(0));
  command.add_option("--stop-ids", o.stop_ids, "tokens that end the answer, instead of those in config.json")->type_name("ID,ID,...");
  command
      .add_option("--context", o.context,
                  "tokens that there is room for, the prompt's included; by default what the\nprompt and --max-new need")
      ->type_name("N")
      ->check(at_least(1));
  command
      .add_option("--backend", o.backend,
                  "vector: as fast as the machine can (the default);\nreference: one operation at a time;\n"
                  "device: compiled, and run on the simulated chip.\nThe bits are the same")
      ->type_name("vector|reference|device")
      ->check(one_of({"vector", "reference", "device"}));
  command.add_flag(
      "--plan", o.plan,
      "how long the chip takes, by layer and region, instead of an answer: of a prompt\nits prefill, otherwise one more token; "
      "no weight is read");
  command.add_option("--past", o.past, "--plan: tokens that came before (1023, or 0 before a prompt)")->type_name("N")->check(at_least(0));
  command
      .add_option("--sequences", o.sequences,
                  "--plan: sequences that get a token each; --prompts: prompts that are\nanswered at the same time (1)")
      ->type_name("N")
      ->check(at_least(1));
  command.add_option("--chips", o.chips, "chips that share heads, columns and words: 1, 2, 4 or 8 (1)")->type_name("N")->check(at_least(1));
  command.add_option("--timing", o.timing, "--plan: the timing model of parts, regions and the trace (book)")
      ->type_name("book|planned|calibrated|detailed")
      ->check(one_of({"book", "planned", "calibrated", "detailed"}));
  command.add_flag("--tokens", o.ids, "answer in ids, also where the prompt is a text");
  command.add_option("--chip", o.chip, "the chip: rngd (the default), rngd_s, logical, or a chip file")->type_name("CHIP");
  command.add_option("--set", o.settings, "a number of the chip, by its key in a chip file: hbm.clock=1500")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  command
      .add_option("--trace", o.trace,
                  "--plan: write all launches as one timeline, for tcp view and tcp report;\nwith --backend device, the trace of every "
                  "launch: FILE.json, FILE.2.json ...;\ntcp view FILE.json --launches shows them")
      ->type_name("FILE")
      ->check(file_name());
  command.add_flag("--json", o.json, "answer in JSON");
  command.footer(
      "A prompt in words is answered in words, as they come; what it took is printed to standard error.\n"
      "tiny-llama, which writes a small model of random weights, is in scripts of the sources, and installed in share/tcp.\n"
      "Examples:\n"
      "  scripts/tiny-llama tiny && tcp llama tiny \"the cat\" --max-new 8\n"
      "  tcp llama tiny --prompt-ids 3,17,99 --backend device --chip rngd_s --trace tiny.json\n"
      "  tcp llama tiny --plan --past 99 --timing calibrated --trace tiny.json\n"
      "  tcp llama tiny --prompt-ids 3,17,99 --temperature 0.8 --top-p 0.9 --seed 1 --json\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted; see tcp --help.");
  return [options](Terminal& terminal) { return run_refusing(*options, terminal); };
}

}  // namespace tcp::tool
