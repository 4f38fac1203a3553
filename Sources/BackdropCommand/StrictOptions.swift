import ArgumentParser

/// Whether a job fails if a look shows the real background that it should hide, or if nobody is recognized.
struct StrictOptions: ParsableArguments {
  @Flag(
    help:
      "Fail and write nothing if the room would show or if Backdrop recognizes no person in a picture; without this flag, both are warnings."
  )
  var strict = false
}
