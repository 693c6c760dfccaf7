// exp, log and pow that give the same bits on every CPU and compiler: results feed reports and must not depend on which libm
// variant (FMA or not) was dispatched. Accurate to about 1 ulp over the ranges that moesim uses.
#pragma once

namespace moesim {

double portable_exp(double x);
double portable_log(double x);             // x > 0
double portable_pow(double x, double y);   // x > 0

}  // namespace moesim
