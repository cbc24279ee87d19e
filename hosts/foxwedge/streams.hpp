// The three standard streams, however the program was started.
#pragma once

namespace foxwedge::cli {

/// Before anything is opened: a stream that the caller closed leads to /dev/null, or the next file
/// to be opened, the journal's perhaps, would get its number and what is printed would be written
/// into it. And a limit on file sizes (ulimit -f) makes a write fail instead of ending the process.
void prepare_streams();

/// After all is printed: `exit`, or a fault where standard output did not take it all, which is
/// said. A reader who went away wanted no more of it and is no fault.
int finish_streams(int exit);

} // namespace foxwedge::cli
