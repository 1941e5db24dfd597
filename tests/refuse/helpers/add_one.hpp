// A program in text form that can be run.
#pragma once

#include <string>

inline const std::string add_one = TCP_SOURCE_DIR "/tests/refuse/files/add_one.tcp";
