// Any bytes are the configuration of a Llama model, or its index, or are refused; and any configuration and any weights make a checkpoint or are refused. What is
// accepted has sizes that fit together, and gives every weight that they promise.
//
// The whole input is read as a configuration and as an index. Its first line is taken as the configuration of a checkpoint as well, the rest as its weights.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inputs.hpp"
#include "kernels/llama/checkpoint.hpp"

namespace {

using namespace tcp::kernels;
using tcp::fuzz::must;

void look_at(const LlamaConfig& c) {
  must(c.group() * c.kv_heads == c.heads && c.group() > 0);
  must(c.pairs() * 2 == c.head_dim && c.pairs() > 0);
  must(c.parameters() > c.vocabulary * c.hidden);
  for (std::int64_t id : c.stop_ids) must(id >= 0 && id < c.vocabulary);
}

std::size_t elements(const WeightShape& shape) { return static_cast<std::size_t>(shape.rows * shape.columns); }

/// As far as a file of this size can hold them, the weights have been counted before.
void look_at(const Checkpoint& checkpoint, const LlamaConfig& c) {
  for (ModelWeight which : {ModelWeight::embedding, ModelWeight::norm, ModelWeight::lm_head})
    must(checkpoint.read(which).size() == elements(shape_of(c, which)));
  for (std::int64_t layer = 0; layer < c.layers; ++layer)
    for (LayerTensor which : layer_tensors) must(checkpoint.read(which, layer).size() == elements(shape_of(c, which)));
}

void read_checkpoint(std::string_view first_line, std::string_view weights) {
  auto const config = parse_llama_config(first_line, "config.json");
  std::string const content = tcp::fuzz::with_length(weights);
  auto const file = tcp::io::parse_safetensors(std::as_bytes(std::span(content)), "fuzz.safetensors");
  if (!config || !file) return;
  auto const checkpoint = Checkpoint::of({*file}, *config);
  if (checkpoint) look_at(*checkpoint, *config);
  else tcp::fuzz::check_sentence(checkpoint.refusal());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view const input(reinterpret_cast<const char*>(data), size);
  auto const config = parse_llama_config(input, "config.json");
  if (config) look_at(*config);
  else tcp::fuzz::check_sentence(config.refusal());

  auto const map = parse_weight_map(input, "model.safetensors.index.json");
  if (!map) tcp::fuzz::check_sentence(map.refusal());
  else
    for (auto const& [tensor, file] : *map)
      must(!file.empty() && file != ".." && file.find_first_of(std::string_view("/\0", 2)) == file.npos);

  if (std::size_t const end = input.find('\n'); end != input.npos) read_checkpoint(input.substr(0, end), input.substr(end + 1));
  return 0;
}
