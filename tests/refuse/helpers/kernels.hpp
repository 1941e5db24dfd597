// The names that the kernels of tests/refuse, and so the pages made from them, share.
#pragma once

#include "tcp/tcp.hpp"

using Chip = tcp::m<1>;
using Cluster = tcp::m<tcp::one.pad(2)>;
using Idle = tcp::m<tcp::one.pad(256)>;
