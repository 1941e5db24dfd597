// Reads a trace of a file.
#include "trace_file.hpp"

#include <filesystem>

#include "tcp/io/file.hpp"
#include "tcp/trace/json.hpp"

namespace tcp::tool {

Expected<trace::Trace> read_trace(const std::string& path) {
  auto const file = io::MappedFile::open(path);
  if (!file) return file.refusal();
  std::string_view const text(reinterpret_cast<const char*>((*file)->bytes().data()), (*file)->bytes().size());
  return trace::read_json(text, std::filesystem::path(path).filename().string());
}

}  // namespace tcp::tool
