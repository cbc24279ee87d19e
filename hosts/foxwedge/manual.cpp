#include "manual.hpp"

#include <CLI/CLI.hpp>

namespace foxwedge::cli {
namespace {

/// Text in troff: backslashes, hyphens and a leading dot have meanings of their own.
std::string troff(std::string_view text) {
    std::string out;
    bool line_start = true;
    for (const char c : text) {
        if (line_start && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
        line_start = c == '\n';
    }
    return out;
}

/// What an option takes, as --help tells it; nothing for a flag.
std::string value_of(const CLI::Option& option) {
    const auto value = option.get_type_name();
    if (option.get_positional() || value.empty()) return "";
    return " \\fI" + troff(value) + "\\fR" + (option.get_expected_max() > 1 ? " ..." : "");
}

void add_options(const CLI::App& app, std::string& out) {
    for (const auto* option : app.get_options()) {
        if (option->get_group().empty() || option->get_description().empty()) continue;
        auto name =
            option->get_positional() ? option->get_name(true) : option->get_name(false, true);
        out += ".TP\n\\fB" + troff(name) + "\\fR" + value_of(*option) + "\n" +
               troff(option->get_description()) + "\n";
    }
}

void add_command(const CLI::App& app, const std::string& prefix, std::string& out) {
    const auto name = prefix + " " + app.get_name();
    out += ".SS " + troff(name.substr(1)) + "\n" + troff(app.get_description()) + ".\n";
    add_options(app, out);
    if (const auto& footer = app.get_footer(); !footer.empty())
        out += ".PP\n.nf\n" + troff(footer) + "\n.fi\n";
    for (const auto* inner : app.get_subcommands({})) add_command(*inner, name, out);
}

} // namespace

std::string manual_page(const CLI::App& app) {
    std::string out = ".TH FOXWEDGE 1\n.SH NAME\nfoxwedge \\- a durable agent host\n"
                      ".SH SYNOPSIS\n.B foxwedge\n[\\fIoptions\\fR] \\fIcommand\\fR …\n"
                      ".SH DESCRIPTION\n" +
                      troff(app.get_description()) + "\n.SH OPTIONS\n";
    add_options(app, out);
    out += ".SH COMMANDS\n";
    for (const auto* command : app.get_subcommands({})) add_command(*command, "", out);
    out += ".SH EXIT STATUS\n.nf\n"
           "0  succeeded with stop reason final, or with a workflow's value\n"
           "1  failed or stuck\n"
           "2  bad usage or config\n"
           "3  waiting for a decision; the run's id is printed\n"
           "4  cancelled\n"
           "5  ended with any other stop reason\n"
           "6  replay mismatch\n"
           "7  host fault: journal, plugin, I/O\n"
           "8  another process holds the run\n.fi\n"
           ".SH ENVIRONMENT\n.TP\n\\fBFOXWEDGE_JOURNAL\\fR\nthe journal's folder\n"
           ".TP\n\\fBFOXWEDGE_PLUGIN_PATH\\fR\nfolders of plugins, separated by colons\n"
           ".TP\n\\fBXDG_STATE_HOME\\fR\nwhere journals lie by default\n"
           ".TP\n\\fBNO_COLOR\\fR\nno colour, whatever the terminal\n";
    return out;
}

} // namespace foxwedge::cli
