// A checkpoint has JSON files beside its weights: `config.json`, which says what the model is made of, and, where the weights lie in several files,
// `model.safetensors.index.json`. This one cannot be read as a JSON object. Most often it is a page of a web site that was saved instead of the file.
//
// run time only: files are values
#include "kernels/llama/configuration.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::parse_llama_config("<!doctype html>", "config.json").refusal(); }
