// `tcp completion`: the scripts that shells read.
#include "shells.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <ostream>

#include "command.hpp"
#include "options.hpp"
#include "tcp/support/bug.hpp"

namespace tcp::tool {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (std::string const& w : words) text.append(text.empty() ? "" : between).append(w);
  return text;
}

/// The first argument decides for all: no command has arguments of two kinds.
Choice choice_for_arguments(const CommandText& command) {
  for (const OptionText& o : command.options)
    if (o.argument) return choice_for(o.value);
  return {};
}

std::vector<std::string> option_names(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& o : options)
    if (!o.argument) names.insert(names.end(), o.names.begin(), o.names.end());
  return names;
}

std::vector<std::string> command_names(const ToolText& tool) {
  std::vector<std::string> names;
  for (const CommandText& c : tool.commands) names.push_back(c.name);
  return names;
}

/// Prints the codes of all diagnostics, one per line.
constexpr const char* list_of_codes = "tcp explain 2>/dev/null | sed -n 's/^  \\([a-z0-9-]*\\) .*/\\1/p'";

// bash

std::string bash_choice(const Choice& c) {
  std::string text;
  if (!c.words.empty()) text += "_tcp_words '" + joined(c.words, " ") + "'; ";
  if (c.codes) text += std::string("_tcp_words \"$(") + list_of_codes + ")\"; ";
  if (c.files) text += "_tcp_files -f; ";
  if (c.folders) text += "_tcp_files -d; ";
  return text.empty() ? ": ; " : text;  // something that only the user knows
}

std::string bash(const ToolText& tool) {
  std::string text = R"bash(# Completion of the tcp command for bash; made by `tcp completion bash`.
_tcp_words() { COMPREPLY+=($(compgen -W "$1" -- "$cur")); }
_tcp_files() {
  local found
  compopt -o filenames 2> /dev/null
  mapfile -t found < <(compgen "$1" -- "$cur")
  COMPREPLY+=("${found[@]}")
}
_tcp() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=
  COMPREPLY=()
  # bash hands --option=value and name=file over as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = && COMP_CWORD -ge 2 ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
    if [[ $prev != -* ]]; then
      _tcp_files -f
      return
    fi
  fi
  if [[ COMP_CWORD -gt 1 ]]; then command=${COMP_WORDS[1]}; fi
  case "$command $prev" in
)bash";
  for (const CommandText& c : tool.commands)
    for (const OptionText& o : c.options) {
      if (o.argument || o.value.empty()) continue;
      std::vector<std::string> patterns;
      for (std::string const& name : o.names) patterns.push_back("'" + c.name + " " + name + "'");
      text += "    " + joined(patterns, " | ") + ") " + bash_choice(choice_for(o.value)) + "return ;;\n";
    }
  text += "  esac\n  case \"$command\" in\n";
  text += "    '') _tcp_words '" + joined(command_names(tool), " ") + " " + joined(option_names(tool.options), " ") + "' ;;\n";
  for (const CommandText& c : tool.commands)
    text += "    " + c.name + ") if [[ $cur == -* ]]; then _tcp_words '" + joined(option_names(c.options), " ") + "'; else " +
            bash_choice(choice_for_arguments(c)) + "fi ;;\n";
  return text + "  esac\n}\ncomplete -F _tcp tcp\n";
}

// zsh

/// Inside single quotes of a specification of _arguments.
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\'') out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\') out += std::string("\\") + c;
    else out += c;
  }
  return out;
}

std::string zsh_choice(const OptionText& o) {
  Choice const c = choice_for(o.value);
  std::string const message = zsh_quoted(o.value);
  if (c.codes) return ":" + message + ":_tcp_codes";
  if (!c.words.empty() && c.files) return ":" + message + ":_tcp_words_or_files " + joined(c.words, " ");
  if (!c.words.empty()) return ":" + message + ":(" + joined(c.words, " ") + ")";
  if (c.files) return ":" + message + ":_files";
  if (c.folders) return ":" + message + ":_files -/";
  return ":" + message + ":";
}

std::string zsh(const ToolText& tool) {
  std::string text = R"zsh(#compdef tcp
# Completion of the tcp command for zsh; made by `tcp completion zsh`.
_tcp_codes() {
  local -a codes
  codes=(${(f)"$()zsh";
  text += list_of_codes;
  text += R"zsh()"})
  compadd -a codes
}
_tcp_words_or_files() {
  compadd -- "$@"
  _files
}
_tcp() {
  local -a commands
  commands=(
)zsh";
  for (const CommandText& c : tool.commands) text += "    '" + c.name + ":" + zsh_quoted(c.does) + "'\n";
  text += R"zsh(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- )zsh";
  text += joined(option_names(tool.options), " ");
  text += R"zsh(
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)zsh";
  for (const CommandText& c : tool.commands) {
    text += "    " + c.name + ")\n      _arguments";
    int place = 0;
    for (const OptionText& o : c.options) {
      if (o.argument) {
        text += " \\\n        '" + std::to_string(++place) + (o.required ? ":" : "::") + zsh_choice(o).substr(1) + "'";
        continue;
      }
      for (std::string const& name : o.names) {
        text += " \\\n        '*" + name + "[" + zsh_quoted(o.does) + "]";
        for (int i = 0; i < o.values && !o.value.empty(); ++i) text += zsh_choice(o);
        text += "'";
      }
    }
    text += " ;;\n";
  }
  return text + "  esac\n}\nif [[ $funcstack[1] == _tcp ]]; then _tcp \"$@\"; else compdef _tcp tcp; fi\n";
}

// fish

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_choice(const Choice& c) {
  std::string text = c.files ? " -F" : "";
  if (!c.words.empty()) text += " -a " + fish_quoted(joined(c.words, " "));
  if (c.codes) text += std::string(" -a ") + fish_quoted(std::string("(") + list_of_codes + ")");
  if (c.folders) text += " -a '(__fish_complete_directories)'";
  return text;
}

std::string fish_names(const OptionText& o) {
  std::string text;
  for (std::string const& name : o.names) text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text;
}

std::string fish(const ToolText& tool) {
  std::string text =
      "# Completion of the tcp command for fish; made by `tcp completion fish`.\n"
      "complete -c tcp -f\n";
  for (const OptionText& o : tool.options)
    text += "complete -c tcp -n __fish_use_subcommand" + fish_names(o) + " -d " + fish_quoted(o.does) + "\n";
  for (const CommandText& c : tool.commands) {
    text += "complete -c tcp -n __fish_use_subcommand -a " + c.name + " -d " + fish_quoted(c.does) + "\n";
    std::string const here = "complete -c tcp -n '__fish_seen_subcommand_from " + c.name + "'";
    if (std::string const choice = fish_choice(choice_for_arguments(c)); !choice.empty()) text += here + choice + "\n";
    for (const OptionText& o : c.options) {
      if (o.argument) continue;
      text +=
          here + fish_names(o) + (o.value.empty() ? "" : " -r" + fish_choice(choice_for(o.value))) + " -d " + fish_quoted(o.does) + "\n";
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> shells() { return {"bash", "zsh", "fish"}; }

std::string completion_for(const std::string& shell, const ToolText& tool) {
  if (shell == "bash") return bash(tool);
  if (shell == "zsh") return zsh(tool);
  TCP_BUG_UNLESS(shell == "fish", "no such shell");
  return fish(tool);
}

}  // namespace tcp::tool

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
