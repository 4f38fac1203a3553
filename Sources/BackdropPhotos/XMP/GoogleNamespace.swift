import BackdropImaging

enum GoogleNamespace {
  /// "Depthmap metadata" (developers.google.com/depthmap-metadata), GDepth.
  static let depth = "http://ns.google.com/photos/1.0/depthmap/"
  static let image = "http://ns.google.com/photos/1.0/image/"
  static let panorama = "http://ns.google.com/photos/1.0/panorama/"

  // "Dynamic Depth", version 1.0.
  static let device = "http://ns.google.com/photos/dd/1.0/device/"
  static let profile = "http://ns.google.com/photos/dd/1.0/profile/"
  static let camera = "http://ns.google.com/photos/dd/1.0/camera/"
  static let container = "http://ns.google.com/photos/dd/1.0/container/"
  static let item = "http://ns.google.com/photos/dd/1.0/item/"
  static let depthMap = "http://ns.google.com/photos/dd/1.0/depthmap/"
  static let cameraImage = "http://ns.google.com/photos/dd/1.0/image/"
  static let imagingModel = "http://ns.google.com/photos/dd/1.0/imagingmodel/"

  static let prefixes = [
    depth: "GDepth", image: "GImage", device: "Device", profile: "Profile", camera: "Camera", container: "Container",
    item: "Item", depthMap: "DepthMap", cameraImage: "Image", imagingModel: "ImagingModel",
  ]

  static func describesDepth(_ name: XMLName) -> Bool {
    [depth, device, profile, camera, container, item, depthMap, cameraImage, imagingModel].contains(name.namespace)
  }

  static func isMentioned(in packet: ArraySlice<UInt8>) -> Bool {
    String(decoding: packet, as: UTF8.self).contains("http://ns.google.com/photos/")
  }
}
