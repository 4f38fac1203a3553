import BackdropCodecs
import BackdropImaging
import TestSupport
import Testing

@testable import BackdropPhotos

/// Rules for every kind of photo file.
struct PhotoContainerTests {
  @Test func namesAndExtensionsTellThemApart() {
    let containers = DepthPhoto.containers
    #expect(Set(containers.map(\.name)).count == containers.count)
    let fileExtensions = containers.flatMap(\.fileExtensions)
    #expect(Set(fileExtensions).count == fileExtensions.count && containers.allSatisfy { !$0.fileExtensions.isEmpty })
    #expect((fileExtensions + containers.map(\.name)).allSatisfy { $0 == $0.lowercased() && !$0.contains(".") })
  }

  @Test(arguments: DepthPhoto.containers.indices) func readsWhatItWrites(index: Int) throws {
    guard let container = DepthPhoto.containers[index] as? any WritablePhotoContainer else { return }
    let photo = try MadePhoto.photo()
    let bytes = try container.encode(photo, options: PhotoFileOptions())
    for other in DepthPhoto.containers { #expect(other.matches(bytes.span) == (other.name == container.name)) }
    let read = try DepthPhoto.read(bytes)
    #expect(read.container?.name == container.name)
    #expect((read.width, read.height) == (photo.width, photo.height))
    #expect((try read.depth() != nil) == container.holdsDepth)
    for fileExtension in container.fileExtensions {
      #expect(DepthPhoto.pictureContainer(named: "a/b.\(fileExtension.uppercased())")?.name == container.name)
      do throws(BackdropError) {
        #expect(try DepthPhoto.container(named: "b.\(fileExtension)").name == container.name && container.holdsDepth)
      } catch {
        #expect(
          !container.holdsDepth && error.message == "Backdrop does not write photos with depth as .\(fileExtension)")
      }
    }
  }

  @Test(arguments: [
    ("a.gif", "photos with depth as .gif"), ("a", "has no file extension"), ("a.jpg/", "has no file extension"),
  ])
  func refusesOtherNames(path: String, message: String) throws {
    let error = refusal { try DepthPhoto.container(named: path) }
    #expect(error?.kind == .wrongArgument && error?.message.contains(message) == true)
    #expect(error?.hint?.text == "end the name in .jpg or .heic" && error?.path == path)
  }

  @Test(arguments: [
    (
      "only words", "this is not", BackdropError.Kind.badData,
      "give a .jpg, .heic, .png, .webp, .avif, .tif or .bmp file"
    ),
    (
      "%PDF-1.7", "this is a PDF document, not", .unsupported,
      "save it as a PNG, JPEG or TIFF picture in a program that opens it"
    ),
    (
      "FUJIFILMCCD-RAW ", "this is a Fujifilm raw file (RAF), not", .unsupported,
      "develop it first, for example in darktable or RawTherapee, and save it as a TIFF picture"
    ),
  ]) func refusesOtherFiles(text: String, says: String, kind: BackdropError.Kind, hint: String) {
    let error = refusal { try DepthPhoto.read(Array(text.utf8)) }
    #expect(error?.kind == kind && error?.message == says + " a JPEG, HEIC, PNG, WebP, AVIF, TIFF or BMP photo")
    #expect(error?.hint?.text == hint)
  }

  /// For a picture without extras, the photo writer and the codec write the same file.
  @Test func picturesAloneAreTheCodecs() throws {
    let image = try MadePhoto.photo().image(as: .rgb8)
    let photo = DepthPhoto(picture: DecodedPicture(image))
    #expect(
      try JPEGContainer().encode(photo, options: PhotoFileOptions(quality: 80)) == JPEG.encode(image, quality: 80))
    #expect(try CodedPictureContainer(format: .png).encode(photo, options: PhotoFileOptions()) == PNG.encode(image))
  }
}
