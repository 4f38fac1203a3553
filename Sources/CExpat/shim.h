#pragma once
#include <expat.h>

// Expat 2.9 deprecates the functions that return a long and an int.
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
static inline long long bd_xml_index(XML_Parser parser) { return XML_GetCurrentByteIndex64(parser); }
static inline long long bd_xml_count(XML_Parser parser) { return XML_GetCurrentByteCount64(parser); }
#else
static inline long long bd_xml_index(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }
static inline long long bd_xml_count(XML_Parser parser) { return XML_GetCurrentByteCount(parser); }
#endif
