import BackdropImaging
import NIOCore
import NIOEmbedded
import Testing

@testable import BackdropHTTP

/// Which connection goes when there are too many, and how uploads share their room.
@Suite struct ConnectionsTests {
  private func connect(_ list: Connections, _ peer: String) throws -> (
    slot: Connections.Slot?, channel: EmbeddedChannel
  ) {
    let channel = EmbeddedChannel()
    try channel.connect(to: try SocketAddress(ipAddress: peer, port: 1)).wait()
    channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 1)
    return (list.slot(for: channel), channel)
  }

  @Test func strangersGoFirst() throws {
    let list = Connections(maximum: 3)
    let (idle, busy, stranger) = (
      try connect(list, "10.0.0.1"), try connect(list, "10.0.0.1"), try connect(list, "10.0.0.2")
    )
    idle.slot?.isKnown = true
    busy.slot?.isKnown = true
    busy.slot?.begin()
    let next = try connect(list, "10.0.0.3")
    #expect(next.slot != nil && !stranger.channel.isActive && idle.channel.isActive)
    next.slot?.isKnown = true
    next.slot?.begin()
    let last = try connect(list, "10.0.0.4")
    #expect(last.slot != nil && !idle.channel.isActive && list.count == 3)
    last.slot?.isKnown = true
    last.slot?.begin()
    // All are busy, and no address has more than half.
    #expect(try connect(list, "10.0.0.5").slot == nil)
    busy.slot?.end()
    #expect(try connect(list, "10.0.0.5").slot != nil && !busy.channel.isActive && next.channel.isActive)
  }

  @Test func anAddressHasAtMostHalfIfOthersCome() throws {
    let list = Connections(maximum: 4)
    let many = try (0..<4).map { _ in try connect(list, "10.0.0.1") }
    for one in many {
      one.slot?.isKnown = true
      one.slot?.begin()
    }
    #expect(try connect(list, "10.0.0.1").slot == nil)
    for peer in ["10.0.0.2", "10.0.0.3"] {
      let other = try connect(list, peer)
      #expect(other.slot != nil)
      other.slot?.isKnown = true
      other.slot?.begin()
    }
    #expect(many.map(\.channel.isActive) == [false, false, true, true])
    #expect(try connect(list, "10.0.0.4").slot == nil)
    // A page's socket always stays.
    for one in many { one.slot?.isKept = true }
    #expect(try connect(list, "10.0.0.4").slot == nil)
  }

  /// Among strangers, the oldest of the address with most goes.
  @Test func theAddressWithMostGoesFirst() throws {
    let list = Connections(maximum: 3)
    let (one, first, second) = (
      try connect(list, "10.0.0.1"), try connect(list, "10.0.0.2"), try connect(list, "10.0.0.2")
    )
    #expect(try connect(list, "10.0.0.3").slot != nil)
    #expect(one.channel.isActive && !first.channel.isActive && second.channel.isActive)
  }

  @Test func uploadsLeaveAsMuchFreeAsTheyTake() throws {
    let quota = UploadQuota(limit: 120, hint: "try again", isShared: true)
    let first = try quota.reservation(for: 60, of: "a")
    #expect(throws: BackdropError.self) { try first.grow(by: 1) }
    #expect(!quota.hasRoom(for: 31, of: "b") && quota.hasRoom(for: 30, of: "b"))
    var second: UploadReservation? = try quota.reservation(for: 20, of: "b")
    try second?.grow(by: 10)
    #expect(quota.bytesInUse == 90 && !quota.hasRoom(for: 1, of: "b") && quota.hasRoom(for: 15, of: "c"))
    second = nil
    _ = second
    #expect(quota.bytesInUse == 60 && quota.hasRoom(for: 30, of: "b"))
  }
}
