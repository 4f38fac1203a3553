@usableFromInline package struct IntegerRect: Sendable, Hashable {
  /// Left and top edge, width and height.
  @usableFromInline package var x, y, width, height: Int

  @usableFromInline package init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Whether it lies in a picture of that size and has pixels.
  package func fits(width pictureWidth: Int, height pictureHeight: Int) -> Bool {
    x >= 0 && y >= 0 && width > 0 && height > 0 && x <= pictureWidth - width && y <= pictureHeight - height
  }
}

extension Image {
  /// The rectangle of all pixels.
  package var bounds: IntegerRect { IntegerRect(x: 0, y: 0, width: width, height: height) }
}
