#ifndef BUILD_INFO_H
#define BUILD_INFO_H

/// The version: of the program, the libraries and the packages.
const char *bd_build_version(void);

/// The commit that the program was built from, with `-dirty` where files were changed; empty if that was not said.
const char *bd_build_commit(void);

/// The day of that commit, as 2026-11-22; empty if that was not said.
const char *bd_build_date(void);

#endif
