#include "completion.hpp"

#include <CLI/CLI.hpp>

namespace foxwedge::cli {
namespace {

/// What the script looks up.
struct Tables {
    std::string words;  ///< lines: path of a command -> the words that may follow it
    std::string valued; ///< options that take a value
};

std::string options_of(const CLI::App& app, Tables& out) {
    std::string words;
    for (const auto* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        for (const auto& name : option->get_lnames()) {
            words += " --" + name;
            if (option->get_items_expected_max() > 0) out.valued += " --" + name;
        }
    }
    return words;
}

/// `globals`: the options that may stand after any command.
void add_path(const CLI::App& app, const std::string& path, const std::string& globals,
              Tables& out) {
    auto words = options_of(app, out);
    if (app.get_parent()) words += globals;
    const auto inner = app.get_subcommands({});
    for (const auto* command : inner) words += " " + command->get_name();
    out.words += "    [\"" + path + "\"]=\"" + words.substr(1) + "\"\n";
    for (const auto* command : inner)
        add_path(*command, path + " " + command->get_name(), globals, out);
}

} // namespace

std::string bash_completion(const CLI::App& app) {
    Tables tables;
    const auto globals = options_of(app, tables);
    add_path(app, app.get_name(), globals, tables);
    return "# bash completion of foxwedge, made by foxwedge --completion\n"
           "_foxwedge() {\n"
           "  local -A words=(\n" +
           tables.words +
           "  )\n"
           "  local valued=\"" +
           tables.valued + " \"\n" +
           R"(  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local path=foxwedge i next
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="$path ${COMP_WORDS[i]}"
    [[ ${words[$next]+set} ]] && path=$next
  done
  COMPREPLY=()
  # A value, or a plain argument: most of them name files.
  if [[ $valued == *" $before "* ]]; then
    compopt -o default 2>/dev/null
    return
  fi
  COMPREPLY=($(compgen -W "${words[$path]}" -- "$current"))
  [[ $current == -* || ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default 2>/dev/null
}
complete -F _foxwedge foxwedge
)";
}

} // namespace foxwedge::cli
