// Tests the stubs of FFmpeg's functions: the first call and later calls must pass arguments and results unchanged, in registers, on the
// stack and through the register for large results. The prototypes are those of stand_in.c.
//
//   ffmpeg_loader found      with the stand-in on the library path
//   ffmpeg_loader missing    without it
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct large {
  long numbers[4];
};
long av_gcd(long, long, long, long, long, long, long, long, long);
double av_rescale_q(double, double, double, double, double, double, double, double);
struct large av_strdup(long);
void *av_malloc(unsigned long);
int av_opt_set_int(void *, const char *, long, int);

static int failures;
static void expect(int holds, const char *what) {
  if (holds) return;
  printf("ffmpeg_loader: %s\n", what);
  failures++;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "found") == 0) {
    for (int call = 0; call < 3; call++) {
      expect(av_gcd(1, 20, 300, 4, 50, 600, 7, 80, 9) == 1 + 40 + 900 + 16 + 250 + 3600 + 49 + 640 + 81, "whole numbers");
      expect(av_rescale_q(1, 20, 300, 4, 50, 600, 7, 80) == 1 + 40 + 900 + 16 + 250 + 3600 + 49 + 640, "fractions");
      const struct large made = av_strdup(5);
      expect(made.numbers[0] == 5 && made.numbers[3] == 8, "a large result");
    }
  } else {
    for (int call = 0; call < 3; call++) {
      expect(av_malloc(64) == NULL, "a pointer where there is no library");
      expect(av_opt_set_int(NULL, "", 1, 0) == -ENOSYS, "a number where there is no library");
    }
  }
  return failures != 0;
}
