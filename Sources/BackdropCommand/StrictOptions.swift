import ArgumentParser
import Backdrop

/// The flag that makes a job fail if the result would show the real background that a look should hide, or if Backdrop
/// recognizes no person.
struct StrictOptions: ParsableArguments {
  @Flag(
    help:
      "Fail and write nothing if the room would show or if Backdrop recognizes no person in a picture; without this flag, both are warnings."
  )
  var strict = false

  var audience: Audience { strict ? .others : .oneself }
}
