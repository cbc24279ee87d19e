#include "plugin/elf.hpp"

#include <algorithm>
#include <cstring>

#include <foxwedge/abi.h>

#include "plugin/elf_file.hpp"
#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

static_assert(entry_symbol == FOXWEDGE_ENTRY_SYMBOL);

constexpr std::uint64_t largest_notes = 1 << 20;
constexpr std::uint64_t largest_table = 1 << 24; // of names; a plugin exports one symbol
constexpr std::uint32_t most_buckets = 1 << 16;
constexpr std::uint64_t most_symbols = 1 << 18;

Error bad_descriptor(const char* what) {
    return refusal("bad_descriptor", what, "build it again with foxwedge's note.py or macro");
}
Error odd(const char* what) {
    return refusal("not_a_library", what, "build it with an ordinary linker");
}

template <class T>
T read_as(const std::string& bytes, std::uint64_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// Appends the descriptor found in one segment of notes.
Status scan_notes(const std::string& notes, std::uint64_t align, std::string& descriptor) {
    const auto padded = [&](std::uint64_t n) { return (n + align - 1) / align * align; };
    const auto holds = [&](std::uint64_t at, std::uint64_t n) {
        return at <= notes.size() && n <= notes.size() - at;
    };
    for (std::uint64_t at = 0; at < notes.size();) {
        if (!holds(at, sizeof(Elf64_Nhdr))) return bad_descriptor("a note is cut off");
        const auto n = read_as<Elf64_Nhdr>(notes, at);
        const auto name = at + sizeof n, text = name + padded(n.n_namesz);
        if (!holds(name, n.n_namesz) || !holds(text, n.n_descsz))
            return bad_descriptor("a note is cut off");
        if (n.n_type == FOXWEDGE_NOTE_TYPE && n.n_namesz == sizeof FOXWEDGE_NOTE_NAME &&
            std::memcmp(notes.data() + name, FOXWEDGE_NOTE_NAME, n.n_namesz) == 0) {
            if (!descriptor.empty()) return bad_descriptor("it has more than one descriptor");
            descriptor = notes.substr(text, n.n_descsz);
            if (descriptor.empty()) return bad_descriptor("its descriptor is empty");
        }
        at = text + padded(n.n_descsz);
    }
    return {};
}

Status read_notes(const ElfFile& file, std::string& descriptor) {
    for (const auto& s : file.segments()) {
        if (s.p_type != PT_NOTE) continue;
        if (s.p_filesz > largest_notes) return bad_descriptor("its notes are too large");
        FOXWEDGE_TRY(notes, file.at_offset(s.p_offset, s.p_filesz));
        FOXWEDGE_CHECK(scan_notes(notes, s.p_align == 8 ? 8 : 4, descriptor));
    }
    if (descriptor.empty())
        return refusal(
            "no_descriptor", "it has no descriptor (the note .note.foxwedge)",
            "if it is a foxwedge plugin, link its descriptor.json in; else move it away");
    return {};
}

/// The values of the dynamic section that matter here; 0 where absent.
struct Dynamic {
    std::uint64_t names = 0, names_size = 0, symbols = 0, hash = 0, gnu_hash = 0, flags_1 = 0;
    std::vector<std::uint64_t> needed, paths;
};

Result<Dynamic> read_dynamic(const ElfFile& file) {
    Dynamic d;
    for (const auto& s : file.segments()) {
        if (s.p_type != PT_DYNAMIC) continue;
        if (s.p_filesz > largest_table) return odd("its dynamic section is too large");
        FOXWEDGE_TRY(bytes, file.at_offset(s.p_offset, s.p_filesz));
        for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= bytes.size();
             at += sizeof(Elf64_Dyn)) {
            const auto entry = read_as<Elf64_Dyn>(bytes, at);
            if (entry.d_tag == DT_NULL) return d;
            switch (entry.d_tag) {
            case DT_STRTAB:
                d.names = entry.d_un.d_ptr;
                break;
            case DT_STRSZ:
                d.names_size = entry.d_un.d_val;
                break;
            case DT_SYMTAB:
                d.symbols = entry.d_un.d_ptr;
                break;
            case DT_HASH:
                d.hash = entry.d_un.d_ptr;
                break;
            case DT_GNU_HASH:
                d.gnu_hash = entry.d_un.d_ptr;
                break;
            case DT_FLAGS_1:
                d.flags_1 = entry.d_un.d_val;
                break;
            case DT_NEEDED:
                d.needed.push_back(entry.d_un.d_val);
                break;
            case DT_RPATH:
            case DT_RUNPATH:
                d.paths.push_back(entry.d_un.d_val);
                break;
            default:
                break;
            }
        }
        return d;
    }
    return odd("it has no dynamic section");
}

/// Where in the symbol table the defined symbols stand.
struct SymbolRange {
    std::uint64_t from = 0, to = 0;
};

Result<SymbolRange> gnu_range(const ElfFile& file, std::uint64_t table) {
    FOXWEDGE_TRY(head, file.at_address(table, 16));
    const auto buckets = read_as<std::uint32_t>(head, 0), first = read_as<std::uint32_t>(head, 4),
               blooms = read_as<std::uint32_t>(head, 8);
    if (buckets > most_buckets || blooms > most_buckets) return odd("its symbol hash is too large");
    const auto buckets_at = table + 16 + std::uint64_t{blooms} * 8;
    FOXWEDGE_TRY(starts, file.at_address(buckets_at, std::uint64_t{buckets} * 4));
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < buckets; ++i)
        last = std::max<std::uint64_t>(last, read_as<std::uint32_t>(starts, i * 4));
    if (last < first) return SymbolRange{first, first};
    const auto chain = buckets_at + std::uint64_t{buckets} * 4;
    // A chain ends at the entry whose lowest bit is set.
    for (; last < most_symbols; ++last) {
        FOXWEDGE_TRY(link, file.at_address(chain + (last - first) * 4, 4));
        if (read_as<std::uint32_t>(link, 0) & 1) return SymbolRange{first, last + 1};
    }
    return odd("it has too many symbols");
}

Result<SymbolRange> symbol_range(const ElfFile& file, const Dynamic& d) {
    if (d.gnu_hash) return gnu_range(file, d.gnu_hash);
    if (!d.hash) return odd("it has no symbol hash");
    FOXWEDGE_TRY(head, file.at_address(d.hash, 8));
    return SymbolRange{0, read_as<std::uint32_t>(head, 4)};
}

Result<std::string> name_at(const std::string& names, std::uint64_t at) {
    if (at >= names.size()) return odd("a name lies outside its table");
    const auto end = names.find('\0', at);
    if (end == std::string::npos) return odd("a name does not end");
    return names.substr(at, end - at);
}

Status read_symbols(const ElfFile& file, const Dynamic& d, const std::string& names,
                    std::vector<std::string>& defined) {
    FOXWEDGE_TRY(range, symbol_range(file, d));
    if (range.to < range.from || range.to > most_symbols) return odd("it has too many symbols");
    FOXWEDGE_TRY(table, file.at_address(d.symbols + range.from * sizeof(Elf64_Sym),
                                        (range.to - range.from) * sizeof(Elf64_Sym)));
    for (std::uint64_t at = 0; at < table.size(); at += sizeof(Elf64_Sym)) {
        const auto symbol = read_as<Elf64_Sym>(table, at);
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS) continue;
        if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
        FOXWEDGE_TRY(name, name_at(names, symbol.st_name));
        if (name == entry_symbol && ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT)
            return refusal("no_entry", "its " + name + " is not data",
                           "define it as a constant foxwedge_entry");
        defined.push_back(std::move(name));
    }
    return {};
}

Status check_self_contained(const ElfFacts& facts, const std::vector<std::string>& paths) {
    const auto origin = [](const std::string& text) {
        return text.find("$ORIGIN") != std::string::npos ||
               text.find("${ORIGIN}") != std::string::npos;
    };
    for (const auto& name : facts.needed)
        if (name.find('/') != std::string::npos || origin(name))
            return refusal("not_self_contained", "it needs the library " + name + " by its path",
                           "link that library in statically: a plugin is one file");
    for (const auto& path : paths)
        if (origin(path))
            return refusal("not_self_contained",
                           "it looks for libraries beside itself (run path " + path + ")",
                           "link them in statically and build without a run path: a plugin is one "
                           "file, and it is loaded from a private copy");
    return {};
}

} // namespace

bool ElfFacts::has_entry() const {
    return std::find(defined.begin(), defined.end(), entry_symbol) != defined.end();
}

std::string_view ElfFacts::stray_symbol() const {
    for (const auto& name : defined)
        if (name != entry_symbol) return name;
    return {};
}

Result<ElfFacts> read_elf(int fd) {
    FOXWEDGE_TRY(file, ElfFile::open(fd));
    ElfFacts facts;
    FOXWEDGE_TRY(dynamic, read_dynamic(file));
    if (dynamic.flags_1 & DF_1_PIE)
        return refusal("not_a_library", "it is a program, not a shared library",
                       "put a shared library built for foxwedge here");
    FOXWEDGE_CHECK(read_notes(file, facts.descriptor));
    if (dynamic.names_size > largest_table) return odd("its table of names is too large");
    FOXWEDGE_TRY(names, file.at_address(dynamic.names, dynamic.names_size));
    for (const auto at : dynamic.needed) {
        FOXWEDGE_TRY(name, name_at(names, at));
        facts.needed.push_back(std::move(name));
    }
    std::vector<std::string> paths;
    for (const auto at : dynamic.paths) {
        FOXWEDGE_TRY(path, name_at(names, at));
        paths.push_back(std::move(path));
    }
    FOXWEDGE_CHECK(read_symbols(file, dynamic, names, facts.defined));
    FOXWEDGE_CHECK(check_self_contained(facts, paths));
    if (!facts.has_entry())
        return refusal("no_entry", "it does not export the symbol " + std::string(entry_symbol),
                       "define it, and keep it visible (FOXWEDGE_EXPORT)");
    return facts;
}

} // namespace foxwedge::plugin
