// Inside the codec: the parts that several rows share.
#pragma once
#include "journal/bytes.hpp"
#include "journal/codec.hpp"

namespace foxwedge::journal {

/// A text in its place, or its digest where it is stored by digest.
void put_value(ByteWriter&, std::string_view, std::vector<Content>&, bool shared);
bool get_value(ByteReader&, ContentSource*, std::string& into);

void put_time(ByteWriter&, Time);
Time get_time(ByteReader&);
void put_key(ByteWriter&, const StepKey&);
void get_key(ByteReader&, StepKey& into);
void put_error(ByteWriter&, const Error&);
Error get_error(ByteReader&);
void put_attempt(ByteWriter&, const Attempt&);
void get_attempt(ByteReader&, Attempt& into);
void put_outcome(ByteWriter&, const Outcome&, std::vector<Content>&, bool shared);
bool get_outcome(ByteReader&, ContentSource&, Outcome& into);
void put_effect(ByteWriter&, const Effect&);
Effect get_effect(ByteReader&);

/// Notes which digests are asked for, and gives nothing.
class DigestCollector : public ContentSource {
public:
    explicit DigestCollector(std::vector<Digest>& into) : into_(into) {}
    bool read(const Digest& digest, std::size_t, std::string&) override {
        into_.push_back(digest);
        return true;
    }

private:
    std::vector<Digest>& into_;
};

} // namespace foxwedge::journal
