#pragma once

/* Makes the filter known to OBS. */
void filter_register(void);
