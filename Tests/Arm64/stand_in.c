// Stands in for FFmpeg's libraries with functions that compute results from all their arguments.
struct large {
  long numbers[4];
};

long av_gcd(long a, long b, long c, long d, long e, long f, long g, long h, long i) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

double av_rescale_q(double a, double b, double c, double d, double e, double f, double g, double h) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

struct large av_strdup(long a) { return (struct large){{a, a + 1, a + 2, a + 3}}; }
