// `tcp view` was asked to serve its page on a port that it cannot have: another program listens there, or the system keeps it for itself.
//
// Without `--port` the system chooses a free one, which the command prints. A page that is written to a file with `-o` needs no port at all.
// run time only: ports are taken when the program runs
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME {
  // If somebody else has the port already, so much the better.
  int const taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(49151);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  [[maybe_unused]] bool const ours = ::bind(taken, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && ::listen(taken, 1) == 0;
  tcp::Refusal const r = refused_command({"view", "trace.json", "--port", "49151"});
  ::close(taken);
  return r;
}
