// `tcp completion`: the script that makes a shell complete the words of this command.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "option_checks.hpp"
#include "shells.hpp"

namespace tcp::tool {

Action declare_completion(CLI::App& command) {
  auto const shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish")->type_name("")->required()->check(one_of(shells()));
  command.footer(
      "The installed package brings the scripts along; this is for a shell that does not look there.\n"
      "Examples:\n"
      "  source <(tcp completion bash)  # this shell only\n"
      "  tcp completion bash | install -Dm644 /dev/stdin ~/.local/share/bash-completion/completions/tcp\n"
      "  tcp completion zsh | install -Dm644 /dev/stdin ~/.zfunc/_tcp  # a folder of fpath\n"
      "  tcp completion fish | install -Dm644 /dev/stdin ~/.config/fish/completions/tcp.fish\n"
      "Exit codes: 0 done, 2 wrong usage; see tcp --help.");
  return [shell, root = command.get_parent()](Terminal& terminal) {
    terminal.out << completion_for(*shell, describe(*root));
    return accept();
  };
}

}  // namespace tcp::tool
