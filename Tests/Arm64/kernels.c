// Runs every baseline kernel on pseudo-random inputs of small sizes at odd addresses, and writes or compares the results. Plans that Swift
// computes (of taps, discs, apertures, meshes) are computed here in a simpler way that meets the headers' requirements.
//
//   kernels record FILE     writes the results of this processor's kernels
//   kernels compare FILE    compares them with the results of another processor
//
// Bytes may differ by one, opacities in Q15 by two and fractions by a hundred-thousandth, because one processor rounds a product that
// another adds unrounded. Run without a sanitizer: kernels may read past the end of a row without using the values.
#include "kernels.h"

static FILE *file;
static int compares, cases, failures, equal;

static uint64_t state;
uint32_t next(void) {
  // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (uint32_t)((z ^ z >> 31) >> 32);
}
float fraction(void) { return (float)(next() >> 8) / 16777216; }

// Memory with a margin on both sides, at an odd address for bytes.
enum { MARGIN = 4096 };
void *zeroed(size_t bytes) {
  char *memory = calloc(1, bytes + 2 * MARGIN);
  if (!memory) exit(2);
  return memory + MARGIN;
}
uint8_t *bytes(size_t n) {
  uint8_t *p = (uint8_t *)zeroed(n + 1) + 1;
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)next();
  return p;
}
// Mattes: a third 0, a third 1.
uint16_t *opacities(size_t n) {
  uint16_t *p = zeroed(2 * n);
  for (size_t i = 0; i < n; i++) p[i] = i / 40 % 3 == 0 ? (uint16_t)(next() % 32769) : i / 40 % 3 == 1 ? 32768 : 0;
  return p;
}
float *floats(size_t n, float low, float high) {
  float *p = zeroed(4 * n);
  for (size_t i = 0; i < n; i++) p[i] = low + (high - low) * fraction();
  return p;
}
// Distances in metres on two surfaces, one in ten unknown.
float *distances(size_t n, float none) {
  float *p = floats(n, 0, 1);
  for (size_t i = 0; i < n; i++) p[i] = next() % 10 == 0 ? none : (i / 23 % 2 ? 1 : 2.5f) + 0.01f * p[i];
  return p;
}

static const int widths[] = {1, 2, 4, 4};

static double value(const void *p, enum kind kind, size_t i) {
  switch (kind) {
    case BYTES: return ((const uint8_t *)p)[i];
    case SHORTS: return ((const uint16_t *)p)[i];
    case INTS: return ((const int32_t *)p)[i];
    default: return ((const float *)p)[i];
  }
}

void made(const char *name, int size, const void *found, enum kind kind, size_t n) {
  cases++;
  if (!compares) {
    fwrite(found, (size_t)widths[kind], n, file);
    return;
  }
  void *other = zeroed(n * (size_t)widths[kind]);
  if (fread(other, (size_t)widths[kind], n, file) != n) {
    printf("%s: the other has no such case\n", name);
    exit(2);
  }
  equal += memcmp(other, found, n * (size_t)widths[kind]) == 0;
  for (size_t i = 0; i < n; i++) {
    const double a = value(found, kind, i), b = value(other, kind, i);
    const double most = kind == FLOATS ? 1e-5 * fmax(1, fabs(b)) : kind == SHORTS ? 2 : 1;
    if (isnan(a) ? isnan(b) : a == b || fabs(a - b) <= most) continue;
    printf("%s, size %d: %.9g at %zu, where the other has %.9g\n", name, size, a, i, b);
    failures++;
    break;
  }
}

int main(int count, char **arguments) {
  if (count != 3 || (strcmp(arguments[1], "record") && strcmp(arguments[1], "compare"))) {
    fputs("usage: kernels record|compare FILE\n", stderr);
    return 2;
  }
  compares = arguments[1][0] == 'c';
  file = fopen(arguments[2], compares ? "rb" : "wb");
  if (!file) {
    perror(arguments[2]);
    return 2;
  }
  static const int sizes[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 64, 70, 129};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    static void (*const topics[])(int) = {pixels,      conversions, rows,   mattes,    filters, alignment, clouds,   shapes,
                                          foregrounds, laplacians,  lenses, rendering, discs,   apertures, refining, lighting,
                                          views,       sprites,     scaling};
    for (size_t t = 0; t < sizeof topics / sizeof *topics; t++) {
      state = 1000 * t + i;
      topics[t](sizes[i]);
    }
  }
  if (fclose(file)) return 2;
  if (compares) printf("%d cases, %d of them equal to the last bit, %d wrong\n", cases, equal, failures);
  return failures != 0;
}
