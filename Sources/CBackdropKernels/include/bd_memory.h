#pragma once

/// Gives memory that was freed back to the system, where the C library keeps it.
void bd_give_back_memory(void);
