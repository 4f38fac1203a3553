#ifndef BUILD_INFO_H
#define BUILD_INFO_H

/// The version of the program, the libraries and the packages.
const char *bd_build_version(void);

/// The commit that the program was built from, with `-dirty` if files were changed; empty if unknown.
const char *bd_build_commit(void);

/// The date of that commit, such as 2026-11-22; empty if unknown.
const char *bd_build_date(void);

#endif
