#include <algorithm>
#include <array>
#include <cstdio>

#include "base/pattern_translate.hpp"

namespace foxwedge::ecma {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

/// General categories: ECMA-262's long names beside the short ones, which RE2 knows.
constexpr std::array categories{Names{"Letter", "L"},
                                Names{"Uppercase_Letter", "Lu"},
                                Names{"Lowercase_Letter", "Ll"},
                                Names{"Titlecase_Letter", "Lt"},
                                Names{"Modifier_Letter", "Lm"},
                                Names{"Other_Letter", "Lo"},
                                Names{"Mark", "M"},
                                Names{"Combining_Mark", "M"},
                                Names{"Nonspacing_Mark", "Mn"},
                                Names{"Spacing_Mark", "Mc"},
                                Names{"Enclosing_Mark", "Me"},
                                Names{"Number", "N"},
                                Names{"Decimal_Number", "Nd"},
                                Names{"digit", "Nd"},
                                Names{"Letter_Number", "Nl"},
                                Names{"Other_Number", "No"},
                                Names{"Punctuation", "P"},
                                Names{"punct", "P"},
                                Names{"Connector_Punctuation", "Pc"},
                                Names{"Dash_Punctuation", "Pd"},
                                Names{"Open_Punctuation", "Ps"},
                                Names{"Close_Punctuation", "Pe"},
                                Names{"Initial_Punctuation", "Pi"},
                                Names{"Final_Punctuation", "Pf"},
                                Names{"Other_Punctuation", "Po"},
                                Names{"Symbol", "S"},
                                Names{"Math_Symbol", "Sm"},
                                Names{"Currency_Symbol", "Sc"},
                                Names{"Modifier_Symbol", "Sk"},
                                Names{"Other_Symbol", "So"},
                                Names{"Separator", "Z"},
                                Names{"Space_Separator", "Zs"},
                                Names{"Line_Separator", "Zl"},
                                Names{"Paragraph_Separator", "Zp"},
                                Names{"Control", "Cc"},
                                Names{"cntrl", "Cc"},
                                Names{"Format", "Cf"},
                                Names{"Surrogate", "Cs"},
                                Names{"Private_Use", "Co"}};

/// ECMA-262 properties that RE2 has no tables for: valid, but not expressible.
constexpr std::array<std::string_view, 56> without_table{"Other",
                                                         "C",
                                                         "Unassigned",
                                                         "Cn",
                                                         "Assigned",
                                                         "Alphabetic",
                                                         "Alpha",
                                                         "Lowercase",
                                                         "Lower",
                                                         "Uppercase",
                                                         "Upper",
                                                         "Bidi_Control",
                                                         "Bidi_C",
                                                         "Bidi_Mirrored",
                                                         "Bidi_M",
                                                         "Case_Ignorable",
                                                         "CI",
                                                         "Cased",
                                                         "Changes_When_Casefolded",
                                                         "CWCF",
                                                         "Changes_When_Lowercased",
                                                         "CWL",
                                                         "Dash",
                                                         "Default_Ignorable_Code_Point",
                                                         "DI",
                                                         "Deprecated",
                                                         "Dep",
                                                         "Diacritic",
                                                         "Dia",
                                                         "Emoji",
                                                         "Emoji_Component",
                                                         "EComp",
                                                         "Emoji_Modifier",
                                                         "EMod",
                                                         "Emoji_Modifier_Base",
                                                         "EBase",
                                                         "Emoji_Presentation",
                                                         "EPres",
                                                         "Extended_Pictographic",
                                                         "ExtPict",
                                                         "Extender",
                                                         "Ext",
                                                         "Grapheme_Base",
                                                         "Grapheme_Extend",
                                                         "ID_Continue",
                                                         "IDC",
                                                         "ID_Start",
                                                         "IDS",
                                                         "Ideographic",
                                                         "Ideo",
                                                         "Math",
                                                         "Quotation_Mark",
                                                         "QMark",
                                                         "Variation_Selector",
                                                         "XID_Continue",
                                                         "XID_Start"};

/// Script codes of ISO 15924 for the scripts met in practice; RE2 wants the long names.
constexpr std::array scripts{
    Names{"Arab", "Arabic"},   Names{"Armn", "Armenian"},   Names{"Beng", "Bengali"},
    Names{"Bopo", "Bopomofo"}, Names{"Cher", "Cherokee"},   Names{"Copt", "Coptic"},
    Names{"Cyrl", "Cyrillic"}, Names{"Deva", "Devanagari"}, Names{"Ethi", "Ethiopic"},
    Names{"Geor", "Georgian"}, Names{"Grek", "Greek"},      Names{"Gujr", "Gujarati"},
    Names{"Guru", "Gurmukhi"}, Names{"Hang", "Hangul"},     Names{"Hani", "Han"},
    Names{"Hebr", "Hebrew"},   Names{"Hira", "Hiragana"},   Names{"Kana", "Katakana"},
    Names{"Khmr", "Khmer"},    Names{"Knda", "Kannada"},    Names{"Laoo", "Lao"},
    Names{"Latn", "Latin"},    Names{"Mlym", "Malayalam"},  Names{"Mong", "Mongolian"},
    Names{"Mymr", "Myanmar"},  Names{"Orya", "Oriya"},      Names{"Sinh", "Sinhala"},
    Names{"Syrc", "Syriac"},   Names{"Taml", "Tamil"},      Names{"Telu", "Telugu"},
    Names{"Thai", "Thai"},     Names{"Tibt", "Tibetan"},    Names{"Zinh", "Inherited"},
    Names{"Zyyy", "Common"}};

Property of_ranges(const std::vector<Range>& ranges) {
    Property property{Property::Kind::known, {}, {}};
    append_ranges(property.positive, ranges);
    append_ranges(property.negative, complement(ranges));
    return property;
}

Property named(std::string_view name) {
    return {Property::Kind::known, "\\p{" + std::string(name) + "}",
            "\\P{" + std::string(name) + "}"};
}

Property category(std::string_view name) {
    if (name == "Cased_Letter" || name == "LC")
        return {Property::Kind::unsupported, {}, {}}; // a union has no negation inside brackets
    for (auto [full, brief] : categories)
        if (name == full || name == brief) return named(brief);
    return {};
}

bool is_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    });
}

} // namespace

const std::vector<Range>& shorthand(char letter) {
    static const std::vector<Range> digits{{'0', '9'}};
    static const std::vector<Range> words{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    static const std::vector<Range> blanks{
        {0x09, 0x0d},     {0x20, 0x20},     {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
        {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}};
    static const auto not_digits = complement(digits);
    static const auto not_words = complement(words);
    static const auto not_blanks = complement(blanks);
    switch (letter) {
    case 'd':
        return digits;
    case 'D':
        return not_digits;
    case 'w':
        return words;
    case 'W':
        return not_words;
    case 's':
        return blanks;
    default:
        return not_blanks;
    }
}

std::vector<Range> complement(const std::vector<Range>& ranges) {
    std::vector<Range> rest;
    std::uint32_t next = 0;
    for (auto [from, to] : ranges) {
        if (from > next) rest.emplace_back(next, from - 1);
        next = to + 1;
    }
    if (next <= last_code_point) rest.emplace_back(next, last_code_point);
    return rest;
}

std::vector<Range> normalised(std::vector<Range> ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::vector<Range> merged;
    for (auto [from, to] : ranges) {
        if (!merged.empty() && from <= merged.back().second + 1)
            merged.back().second = std::max(merged.back().second, to);
        else
            merged.emplace_back(from, to);
    }
    return merged;
}

void append_code_point(std::string& out, std::uint32_t code) {
    bool plain = (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
                 (code >= 'A' && code <= 'Z');
    if (plain) {
        out += static_cast<char>(code);
        return;
    }
    char text[16];
    std::snprintf(text, sizeof text, "\\x{%x}", code);
    out += text;
}

void append_ranges(std::string& out, const std::vector<Range>& ranges) {
    for (auto [from, to] : ranges) {
        append_code_point(out, from);
        if (from == to) continue;
        out += '-';
        append_code_point(out, to);
    }
}

Property property(std::string_view name) {
    auto equals = name.find('=');
    if (equals != std::string_view::npos) {
        auto kind = name.substr(0, equals);
        auto value = name.substr(equals + 1);
        if (kind == "General_Category" || kind == "gc") {
            auto found = category(value);
            bool known = std::find(without_table.begin(), without_table.begin() + 4, value) !=
                         without_table.begin() + 4;
            return known ? Property{Property::Kind::unsupported, {}, {}} : found;
        }
        bool extensions = kind == "Script_Extensions" || kind == "scx";
        if ((kind != "Script" && kind != "sc" && !extensions) || !is_name(value)) return {};
        // RE2 has no table of script extensions.
        if (extensions) return {Property::Kind::unsupported, {}, {}};
        for (auto [code, full] : scripts)
            if (value == code) return named(full);
        return named(value); // RE2 refuses names that do not exist
    }
    if (auto found = category(name); found.kind != Property::Kind::none) return found;
    if (name == "Any") return of_ranges({{0, last_code_point}});
    if (name == "ASCII") return of_ranges({{0, 0x7f}});
    if (name == "ASCII_Hex_Digit" || name == "AHex")
        return of_ranges({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});
    if (name == "White_Space" || name == "space")
        return of_ranges({{0x09, 0x0d},
                          {0x20, 0x20},
                          {0x85, 0x85},
                          {0xa0, 0xa0},
                          {0x1680, 0x1680},
                          {0x2000, 0x200a},
                          {0x2028, 0x2029},
                          {0x202f, 0x202f},
                          {0x205f, 0x205f},
                          {0x3000, 0x3000}});
    bool known = std::find(without_table.begin(), without_table.end(), name) != without_table.end();
    return {known ? Property::Kind::unsupported : Property::Kind::none, {}, {}};
}

} // namespace foxwedge::ecma
