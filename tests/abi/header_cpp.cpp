// Compiled once for each C++ header alone: -DHEADER='<foxwedge/plugin.hpp>'.
#include HEADER
int main() {}
