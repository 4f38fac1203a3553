import BackdropImaging

extension GLB {
  /// sRGB's curve (IEC 61966-2-1), from a code value to light in 16 bits.
  static func linear(_ code: Int) -> UInt16 {
    UInt16((ToneCurve.srgb.light(Double(code) / 255) * 65_535).rounded())
  }

  static let axes = "x right, y up, z backward, from the camera"

  /// Unlit, so that it looks like the picture (KHR_materials_unlit); readers without that extension show it matt.
  static func material(_ texture: String) -> String {
    ",\"extensionsUsed\":[\"KHR_materials_unlit\"],\"materials\":[{\"pbrMetallicRoughness\":{\(texture)"
      + "\"metallicFactor\":0,\"roughnessFactor\":1},\"doubleSided\":true,\"extensions\":{\"KHR_materials_unlit\":{}}}]"
  }
}

extension PointCloud {
  /// The cloud as binary glTF 2.0 with a primitive of points; colours are linear, as glTF requires.
  package func glb() -> [UInt8] {
    var file = GLB()
    let attributes = file.add(self)
    return file.file(
      primitive: "{\"attributes\":{\(attributes)},\"mode\":0,\"material\":0}", remarks: remarks(axes: GLB.axes),
      extra: GLB.material(""))
  }
}

extension DepthMesh {
  /// The mesh as binary glTF 2.0, with a JPEG or PNG file of a picture with the depth map's view, or a grey surface.
  ///
  /// - Throws: `wrongArgument` if the texture is neither, `overLimit` for a file of 4 GiB or more.
  package func glb(texture: [UInt8]?) throws(BackdropError) -> [UInt8] {
    let most = 1 << 32
    let size = 36 * cloud.count + 4 * triangles.count + (texture?.count ?? 0) + (1 << 16)
    guard size < most else {
      throw BackdropError(
        .overLimit, "a mesh of \(cloud.count) points is too large for one file", hint: "scale the depth down first")
    }
    var file = GLB()
    var attributes = file.add(cloud)
    let coordinates = file.add(.float, .vector2, count: cloud.count) { to in
      for (index, value) in textureCoordinates.enumerated() { to.put(value, at: 4 * index) }
    }
    attributes += ",\"TEXCOORD_0\":\(coordinates)"
    let indices = file.add(.uint32, .scalar, count: triangles.count) { to in
      for (index, value) in triangles.enumerated() {
        to.storeBytes(of: value.littleEndian, toByteOffset: 4 * index, as: UInt32.self)
      }
    }
    var extra = GLB.material(texture == nil ? "" : "\"baseColorTexture\":{\"index\":0},")
    if let texture {
      guard let kind = texture.starts(with: [0xFF, 0xD8]) ? "jpeg" : texture.starts(with: [0x89, 0x50]) ? "png" : nil
      else {
        throw BackdropError(.wrongArgument, "a texture must be a JPEG or PNG file", hint: "encode the picture first")
      }
      let view = file.add(texture)
      extra +=
        ",\"images\":[{\"bufferView\":\(view),\"mimeType\":\"image/\(kind)\"}],\"textures\":[{\"source\":0,"
        + "\"sampler\":0}],\"samplers\":[{\"magFilter\":9729,\"minFilter\":9987,\"wrapS\":33071,\"wrapT\":33071}]"
    }
    return file.file(
      primitive: "{\"attributes\":{\(attributes)},\"indices\":\(indices),\"mode\":4,\"material\":0}",
      remarks: cloud.remarks(axes: GLB.axes), extra: extra)
  }
}
