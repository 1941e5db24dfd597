// Messages of the language server protocol: JSON, each after a header with its length.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tcp/support/expected.hpp"

namespace tcp::tool {

/// Reads from a descriptor and writes to another.
class MessageChannel {
 public:
  MessageChannel(int in, int out) : in_(in), out_(out) {}

  /// The next message; nothing at the end of the input. A message that is no JSON is answered, and the next one is
  /// taken. Refused: a header that does not say how long its message is, and one of more than 256 MiB.
  Expected<std::optional<nlohmann::json>> next();
  /// Whether a message is there, or comes within this time.
  bool waits(int milliseconds) const;
  /// False: nobody reads any more.
  bool send(const nlohmann::json& message);

 private:
  bool fill();

  int in_, out_;
  std::string read_;
};

/// An editor that ended without `shutdown`.
Refusal editor_gone();

}  // namespace tcp::tool
