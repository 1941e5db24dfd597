// `tcp llama`: what the options are, and what is answered. Values are the business of tests/kernels/llama.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "answer.hpp"

namespace {

using namespace tcp::tool;
using nlohmann::json;

class LlamaCommand : public Scratch {
 protected:
  LlamaCommand() {
    std::string const command = TCP_SOURCE_DIR "/scripts/tiny-llama " + model() + " --size tied 2>/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  std::string model() const { return file("model"); }
  Answer run(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"llama", model(), "--prompt-ids", "3,17,99"};
    all.insert(all.end(), more.begin(), more.end());
    return tcp_command(all);
  }
  std::vector<std::int64_t> ids(std::vector<std::string> more) const {
    more.emplace_back("--json");
    Answer const a = run(more);
    EXPECT_EQ(a.code, 0) << a.err;
    return a.code == 0 ? json::parse(a.out)["ids"].get<std::vector<std::int64_t>>() : std::vector<std::int64_t>{};
  }
};

TEST_F(LlamaCommand, answers_in_words_and_in_json) {
  Answer const words = run({"--max-new", "2"});
  EXPECT_EQ(words.code, 0) << words.err;
  json const answer = json::parse(run({"--max-new", "2", "--json"}).out);
  auto const found = answer["ids"].get<std::vector<std::int64_t>>();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(words.out.substr(0, words.out.find('\n')), "ids: " + std::to_string(found[0]) + "," + std::to_string(found[1]));
  EXPECT_NE(words.out.find("\nstopped: as many as asked for\n"), std::string::npos);
  EXPECT_NE(words.out.find("tokens/s"), std::string::npos);
  EXPECT_EQ(answer["prompt_ids"], json({3, 17, 99}));
  EXPECT_EQ(answer["stopped"], "as many as asked for");
  EXPECT_GT(answer["tokens_per_second"]["decode"].get<double>(), 0);
}
TEST_F(LlamaCommand, stops_and_seeds) {
  auto const greedy = ids({"--max-new", "3"});
  ASSERT_EQ(greedy.size(), 3u);
  auto const cut = ids({"--max-new", "3", "--stop-ids", "1," + std::to_string(greedy[0])});
  EXPECT_EQ(cut, std::vector<std::int64_t>{greedy[0]});
  EXPECT_EQ(ids({"--max-new", "3", "--temperature", "0.5", "--top-k", "1"}), greedy);  // the likeliest is all there is to choose from
  EXPECT_EQ(ids({"--max-new", "3", "--temperature", "2", "--seed", "5"}), ids({"--max-new", "3", "--temperature", "2", "--seed", "5"}));
  EXPECT_EQ(ids({"--max-new", "9", "--context", "4"}).size(), 2u);  // room for one more token; behind that one, the last
}
TEST_F(LlamaCommand, the_folder_by_its_place_or_by_name) {
  Answer const a = tcp_command({"llama", "--model", model(), "--prompt-ids", "3,17,99", "--max-new", "2", "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(json::parse(a.out)["ids"].get<std::vector<std::int64_t>>(), ids({"--max-new", "2"}));
  expect_refused(tcp_command({"llama", "--prompt-ids", "3"}), 2, "tool-usage");
}
TEST_F(LlamaCommand, ids_may_have_blanks_between) {
  Answer const a = tcp_command({"llama", model(), "--prompt-ids", " 3, 17 ,99", "--max-new", "1", "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(json::parse(a.out)["prompt_ids"], json({3, 17, 99}));
  expect_refused(tcp_command({"llama", model(), "--prompt-ids", "3, ,4"}), 2, "tool-usage");
  expect_refused(tcp_command({"llama", model(), "--prompt-ids", "3 4"}), 2, "tool-usage");
}
TEST_F(LlamaCommand, a_context_that_is_full_ends_the_answer) {
  json const answer = json::parse(run({"--max-new", "9", "--context", "4", "--json"}).out);
  EXPECT_EQ(answer["stopped"], "the context is full");
  EXPECT_EQ(answer["ids"].get<std::vector<std::int64_t>>(), ids({"--max-new", "2"}));
}
TEST_F(LlamaCommand, several_files_answer_as_one) {
  std::string const shards = file("shards"),
                    command = TCP_SOURCE_DIR "/scripts/tiny-llama " + shards + " --size tied --shards 4 2>/dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  Answer const a = tcp_command({"llama", shards, "--prompt-ids", "3,17,99", "--max-new", "2", "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(json::parse(a.out)["ids"].get<std::vector<std::int64_t>>(), ids({"--max-new", "2"}));
}
TEST_F(LlamaCommand, a_prompt_in_words_is_answered_in_words) {
  Answer const words = tcp_command({"llama", model(), "the cat", "--max-new", "4"});
  ASSERT_EQ(words.code, 0) << words.err;
  EXPECT_NE(words.err.find("stopped: as many as asked for\nprefill: "), std::string::npos) << words.err;
  json const answer = json::parse(tcp_command({"llama", model(), "the cat", "--max-new", "4", "--json"}).out);
  EXPECT_EQ(words.out, answer["text"].get<std::string>() + "\n");
  // The script's tokenizer: <s> is 0, then letters in pairs: "th", "e", " c", "at" or as many as 128 words have room for.
  EXPECT_EQ(answer["prompt_ids"][0], 0);
  std::string list;
  for (auto const& id : answer["prompt_ids"]) list += (list.empty() ? "" : ",") + id.dump();
  Answer const numbers = tcp_command({"llama", model(), "--prompt-ids", list, "--max-new", "4", "--json"});
  EXPECT_EQ(json::parse(numbers.out)["ids"], answer["ids"]);
  EXPECT_FALSE(json::parse(numbers.out).contains("text"));
  std::string const line = tcp_command({"llama", model(), "--prompt", "the cat", "--max-new", "4", "--tokens"}).out;
  std::string ids;
  for (auto const& id : answer["ids"]) ids += (ids.empty() ? "" : ",") + id.dump();
  EXPECT_EQ(line.substr(0, line.find('\n')), "ids: " + ids);
}
TEST_F(LlamaCommand, one_prompt_in_words_or_in_numbers) {
  expect_refused(run({"the cat"}), 2, "tool-usage");
  std::filesystem::remove(model() + "/tokenizer.json");
  expect_refused(tcp_command({"llama", model(), "the cat"}), 1, "llama-tokenizer-missing");
  EXPECT_EQ(run({"--max-new", "1"}).code, 0);
}
TEST_F(LlamaCommand, plans_a_step_by_layer_and_region) {
  json const plan = json::parse(tcp_command({"llama", model(), "--plan", "--past", "9", "--json"}).out);
  EXPECT_EQ(plan["tokens"], 1);
  EXPECT_EQ(plan["past"], 9);
  // The model is the sum of its parts, and a layer's regions are on its critical path.
  std::int64_t cycles = 0, critical = 0;
  for (auto const& part : plan["parts"]) cycles += part["times"].get<std::int64_t>() * part["cycles"].get<std::int64_t>();
  for (auto const& region : plan["regions"]) critical += region["critical"].get<std::int64_t>();
  EXPECT_EQ(plan["models"]["book"]["cycles"], cycles);
  EXPECT_LE(critical, cycles);
  EXPECT_GT(critical, cycles / 2);
  EXPECT_NEAR(plan["models"]["book"]["tokens_per_second"].get<double>(), 1e9 / static_cast<double>(cycles), 1);
  for (const char* name : {"planned", "calibrated"})
    EXPECT_GT(plan["models"][name]["cycles"].get<std::int64_t>(), cycles) << name;  // they know more that takes time
  // A prompt is prefilled.
  json const prefill = json::parse(tcp_command({"llama", model(), "--plan", "--prompt-ids", "1,2,3,4", "--json"}).out);
  EXPECT_EQ(prefill["tokens"], 4);
  EXPECT_EQ(prefill["past"], 0);
  // No weight is read.
  std::filesystem::remove(model() + "/model.safetensors");
  Answer const words = tcp_command({"llama", model(), "--plan", "--timing", "calibrated", "--chips", "2"});
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_NE(words.out.find("calibrated: region"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("sum over chips"), std::string::npos) << words.out;
}
TEST_F(LlamaCommand, a_plan_says_how_much_of_hbm_it_takes) {
  auto const bytes = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"llama", model(), "--plan", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(tcp_command(words).out)["hbm"]["bytes"].get<std::int64_t>();
  };
  std::int64_t const one = bytes({"--past", "9"});
  EXPECT_LT(bytes({"--past", "9", "--chips", "2"}), one);
  EXPECT_GT(bytes({"--past", "9", "--context", "120"}), one) << "longer caches";

  std::ifstream in(std::filesystem::path(model()) / "config.json");
  json deep = json::parse(in);
  constexpr std::int64_t layers = 1024, hidden = 1024, between = 16384;
  deep["num_hidden_layers"] = layers;
  deep["hidden_size"] = hidden;
  deep["intermediate_size"] = between;
  std::filesystem::create_directory(file("deep"));
  std::ofstream(file("deep/config.json")) << deep;
  std::int64_t const of_queries = deep["num_attention_heads"].get<std::int64_t>() * deep["head_dim"].get<std::int64_t>(),
                     of_keys = deep["num_key_value_heads"].get<std::int64_t>() * deep["head_dim"].get<std::int64_t>();
  auto const weights = static_cast<double>(2 * layers * hidden * (3 * between + 2 * of_queries + 2 * of_keys));  // but for what is small
  std::vector<std::string> const ask{"llama", file("deep"), "--plan", "--past", "9"};
  std::vector<std::string> in_json = ask;
  in_json.push_back("--json");
  EXPECT_NEAR(json::parse(tcp_command(in_json).out)["hbm"]["bytes"].get<double>(), weights, 0.02 * weights);
  EXPECT_NE(tcp_command(ask).out.find("that is more than it has"), std::string::npos);
  EXPECT_EQ(tcp_command({"llama", model(), "--plan"}).out.find("that is more than it has"), std::string::npos);
}

TEST_F(LlamaCommand, a_plan_sets_what_was_published_beside_the_same_load) {
  std::filesystem::create_directory(file("8b"));
  std::ofstream(file("8b/config.json")) << R"({"model_type": "llama", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336,
    "max_position_embeddings": 8192, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-05,
    "rope_theta": 500000.0, "vocab_size": 128256, "tie_word_embeddings": false, "eos_token_id": 1})";
  auto const published = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"llama", file("8b"), "--plan", "--json", "--past", "9"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(tcp_command(words).out).value("published_tokens_per_second", "");
  };
  EXPECT_EQ(published({}), "55 for one user");
  EXPECT_EQ(published({"--sequences", "2"}), "3,935 at high batch");
  EXPECT_EQ(published({"--prompt-ids", "1,2,3"}), "") << "of prefill nothing was published";
}

TEST_F(LlamaCommand, a_plan_is_one_timeline) {
  Answer const a = tcp_command({"llama", model(), "--plan", "--trace", file("step.json"), "--json"});
  ASSERT_EQ(a.code, 0) << a.err;
  json const plan = json::parse(a.out), report = json::parse(tcp_command({"report", file("step.json"), "--json"}).out);
  EXPECT_EQ(report["makespan"], plan["models"]["book"]["cycles"]);
  std::ifstream in(file("step.json"));
  json const timeline = json::parse(in);
  std::vector<std::string> names;
  for (json const& launch : timeline["launches"]) names.push_back(launch["name"].get<std::string>());
  ASSERT_GE(names.size(), 3u);
  EXPECT_EQ(names.front(), "embedding");
  EXPECT_EQ(names.back(), "head");
  EXPECT_TRUE(std::all_of(names.begin() + 1, names.end() - 1, [](const std::string& n) { return n == "layer"; }));
  expect_refused(run({"--trace", file("step.json")}), 2, "tool-usage");
  expect_refused(run({"--past", "3"}), 2, "tool-usage");
}
TEST_F(LlamaCommand, chips_share_a_model) {
  EXPECT_EQ(ids({"--max-new", "3", "--chips", "2"}).size(), 3u);
  expect_refused(run({"--chips", "3"}), 1, "llama-step");
  expect_refused(run({"--sequences", "3"}), 2, "tool-usage");
  expect_refused(run({"--prompts", file("prompts.txt")}), 2, "tool-usage");
}
TEST_F(LlamaCommand, prompts_of_a_file_are_answered_in_their_order) {
  std::ofstream(file("prompts.txt")) << "the cat\n\nan example\r\nzero\n";
  std::vector<std::string> const ask{"llama", model(), "--prompts", file("prompts.txt"), "--sequences", "2", "--max-new", "3"};
  auto with = [&](const char* more) {
    auto all = ask;
    all.emplace_back(more);
    return tcp_command(all);
  };
  json const answers = json::parse(with("--json").out)["answers"];
  ASSERT_EQ(answers.size(), 3u);
  std::string lines;
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(answers[i]["ids"].size(), 3u);
    auto const& ids = answers[i]["ids"];
    lines += std::to_string(i + 1) + ": " + ids[0].dump() + "," + ids[1].dump() + "," + ids[2].dump() + "\n";
  }
  json const alone = json::parse(tcp_command({"llama", model(), "an example", "--max-new", "1", "--json"}).out);
  EXPECT_EQ(answers[1]["prompt_ids"], alone["prompt_ids"]);
  EXPECT_EQ(with("--tokens").out, lines);
  EXPECT_NE(with("--tokens").err.find("3 prompts: 9 tokens in "), std::string::npos);
  expect_refused(tcp_command({"llama", model(), "--prompts", file("absent.txt")}), 2, "tool-usage");
}
TEST_F(LlamaCommand, nothing_but_the_answer_is_written_where_nobody_looks) {
  Answer const a = run({"--max-new", "2"});
  EXPECT_EQ(a.err, "");
  EXPECT_EQ(a.out.find('\r'), std::string::npos);
}
TEST_F(LlamaCommand, what_is_refused) {
  expect_refused(tcp_command({"llama", model(), "--prompt-ids", "3,,4"}), 2, "tool-usage");
  expect_refused(tcp_command({"llama", model(), "--prompt-ids", "3,x"}), 2, "tool-usage");
  expect_refused(tcp_command({"llama", model()}), 2, "tool-usage");
  expect_refused(run({"--temperature", "warm"}), 2, "tool-usage");
  expect_refused(run({"--temperature", "-1"}), 1, "llama-sampling");
  expect_refused(run({"--top-p", "1.5"}), 1, "llama-sampling");
  expect_refused(run({"--context", "2"}), 1, "llama-prompt");
  expect_refused(run({"--context", "100000"}), 1, "llama-step");
  expect_refused(tcp_command({"llama", model(), "--prompt-ids", "128"}), 1, "llama-prompt");
  expect_refused(tcp_command({"llama", file("absent"), "--prompt-ids", "1"}), 1, "io-file-unreadable");
  expect_refused(run({"--stop-ids", "128"}), 1, "llama-prompt");
  expect_refused(run({"--seed", "-1"}), 2, "tool-usage");
  expect_refused(tcp_command({"llama", model(), "--prompt-ids", ""}), 2, "tool-usage");
  expect_refused(tcp_command({"llama", model(), "--prompt-ids", "99999999999999999999"}), 2, "tool-usage");
  std::filesystem::remove(model() + "/model.safetensors");
  // What can be known beforehand is said before weights are looked for.
  expect_refused(run({"--stop-ids", "128"}), 1, "llama-prompt");
  expect_refused(run({"--context", "129"}), 1, "llama-step");
  expect_refused(run({}), 1, "llama-checkpoint-missing");
}

}  // namespace
