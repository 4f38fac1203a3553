import ArgumentParser

/// Whether a job fails where a look shows the real background that it is to hide, or where nobody is recognized.
struct StrictOptions: ParsableArguments {
  @Flag(
    help:
      "Fail and write nothing if the room would show or if Backdrop recognizes no person in a picture; without this flag, both are warnings."
  )
  var strict = false
}
