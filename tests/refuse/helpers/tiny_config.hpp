// The config.json of a tiny model, as published ones are written, with one field as the test has it.
#pragma once

#include <string>

#include "kernels/llama/checkpoint.hpp"
#include "kernels/llama/configuration.hpp"
#include "refuse/helpers/file_bytes.hpp"

namespace tcp::llama_test {

inline std::string config_with(const std::string& fields) {
  return R"({"model_type": "llama", "vocab_size": 8, "hidden_size": 4, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2,
             "num_key_value_heads": 1, "max_position_embeddings": 16, "rms_norm_eps": 1e-05)" +
         fields + "}";
}
inline Refusal refused_config(const std::string& fields) {
  return kernels::parse_llama_config(config_with(fields), "config.json").refusal();
}

/// A checkpoint of the tiny model with this embedding, and nothing else.
inline Refusal refused_embedding(const std::string& dtype, const std::string& shape, std::size_t bytes, const std::string& fields = "") {
  std::string const entry = R"("dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": [0, )" + std::to_string(bytes) + "]";
  std::string const file = io_test::safetensors_file(R"({"model.embed_tokens.weight": {)" + entry + "}}", std::string(bytes, '\0'));
  auto const config = kernels::parse_llama_config(config_with(fields), "config.json").value();
  return kernels::Checkpoint::of({io::parse_safetensors(io_test::bytes_of(file), "model.safetensors").value()}, config).refusal();
}

}  // namespace tcp::llama_test
