import ArgumentParser

/// What is done where the room is seen that a look is to hide, or where nobody is recognized.
struct RoomOptions: ParsableArguments {
  @Flag(
    help:
      "Fail, and write nothing, where the room would be seen that is to be hidden, or where nothing in a picture is recognized as a person; without it both are warnings."
  )
  var strict = false
}
