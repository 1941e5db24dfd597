// Everything about single numbers: formats, casts, packing, zero points, arithmetic.
#pragma once

#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/scalar/integer_formats.hpp"
#include "tcp/scalar/numeric_model.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/scalar/zero_point.hpp"
