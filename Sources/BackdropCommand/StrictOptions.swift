import ArgumentParser

/// Whether a job fails where a look shows the real background that it is to hide, or where nobody is recognized.
struct StrictOptions: ParsableArguments {
  @Flag(
    help:
      "Fail, and write nothing, where the room would be seen that is to be hidden, or where nothing in a picture is recognized as a person; without it both are warnings."
  )
  var strict = false
}
