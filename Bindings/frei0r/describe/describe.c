// Prints the library's description as JSON, for generate.py.
#include <backdrop.h>
#include <stdio.h>

int main(void) {
  char *text = NULL;
  return bd_describe(&text) != BD_OK || puts(text) < 0;
}
