import ArgumentParser

/// What is done where the room is seen that a look is to hide.
struct RoomOptions: ParsableArguments {
  @Flag(
    help: "Fail, and write nothing, where the room would be seen that is to be hidden; without it that is a warning.")
  var strict = false
}
