// Shared by the cases of kernels.c: pseudo-random inputs, and the file of results.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "BackdropKernels.h"

// Inputs and plans are the same on all processors: only the kernels may add products unrounded.
#pragma STDC FP_CONTRACT OFF

extern const struct bd_kernels bd_kernels_baseline;
static const struct bd_kernels *const k = &bd_kernels_baseline;

/// The next pseudo-random number, and one from 0 to 1.
uint32_t next(void);
float fraction(void);
/// Zeroed memory with a margin on both sides; a block of bytes begins at an odd address.
void *zeroed(size_t count);
uint8_t *bytes(size_t n);
/// Mattes: a third 0, a third 1.
uint16_t *opacities(size_t n);
float *floats(size_t n, float low, float high);
/// Distances in metres on two surfaces, one in ten unknown.
float *distances(size_t n, float none);

enum kind { BYTES, SHORTS, INTS, FLOATS };
/// Writes a kernel's result to the file, or compares it with the file.
void made(const char *name, int size, const void *found, enum kind kind, size_t n);
#define MADE(name, p, kind, n) made(name, size, p, kind, (size_t)(n))

// The cases, for pictures `size` pixels wide.
void pixels(int size);
void conversions(int size);
void rows(int size);
void mattes(int size);
void filters(int size);
void alignment(int size);
void clouds(int size);
void shapes(int size);
void foregrounds(int size);
void laplacians(int size);
void lenses(int size);
void rendering(int size);
void discs(int size);
void apertures(int size);
void refining(int size);
void lighting(int size);
void views(int size);
void sprites(int size);
void scaling(int size);
