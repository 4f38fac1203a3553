/// A network's file that its publisher offers for download.
package struct ModelDownload: Sendable {
  package let network: NetworkDescription
  /// Its publisher's checksum.
  package let md5: String

  package init(_ network: NetworkDescription, md5: String) { (self.network, self.md5) = (network, md5) }

  /// The name for installing it.
  package var id: String { network.id }
  package var address: String { Self.folder + "/" + network.file }

  /// The address of the files' folder.
  package static let folder = "https://github.com/danielgatis/rembg/releases/download/v0.0.0"

  /// The files available this way. The checksums are those in the code of rembg 2.0.86, which has none for RMBG 2.0.
  package static let all = [
    ModelDownload(.biRefNet, md5: "7a35a0141cbbc80de11d9c9a28f52697"),
    ModelDownload(.biRefNetLite, md5: "4fab47adc4ff364be1713e97b7e66334"),
    ModelDownload(.biRefNetPortrait, md5: "c3a64a6abf20250d090cd055f12a3b67"),
    ModelDownload(.isNet, md5: "fc16ebd8b0c10d971d3513d564d01e29"),
    ModelDownload(.u2Net, md5: "60024c5c889badc19c04ad937298a77b"),
    ModelDownload(.u2NetHuman, md5: "c09ddc2e0104f800e3e1bb4652583d1f"),
  ]
}
