#pragma once

/* Registers the filter with OBS. */
void filter_register(void);
