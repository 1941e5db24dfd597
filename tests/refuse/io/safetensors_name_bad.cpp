// Names of tensors are the keys of a JSON object, so each stands there once and is valid UTF-8; `__metadata__` is the key of the author's remarks, whose texts must be
// UTF-8 as well.
// run time only: files are written when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  io::TensorToWrite const tensor{"__metadata__", ScalarType::i8, {1}, bytes_of("a")};
  return io::write_safetensors("w.safetensors", std::span(&tensor, 1)).refusal();
}
