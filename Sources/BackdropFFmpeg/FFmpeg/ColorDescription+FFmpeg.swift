import BackdropImaging
import CFFmpeg

extension ColorDescription {
  /// Players' assumption for video without marks: BT.709 from 1280 wide or above 576 lines, BT.601 below; limited range.
  package static func assumed(width: Int, height: Int) -> ColorDescription {
    ColorDescription(matrix: width >= 1280 || height > 576 ? .bt709 : .bt601, range: .limited)
  }

  package init(_ frame: AVFrame, fallback: ColorDescription) {
    self.init(
      space: frame.colorspace, range: frame.color_range, primaries: frame.color_primaries, transfer: frame.color_trc,
      format: AVPixelFormat(frame.format), fallback: fallback)
  }

  package init(_ stream: AVCodecParameters, fallback: ColorDescription) {
    self.init(
      space: stream.color_space, range: stream.color_range, primaries: stream.color_primaries,
      transfer: stream.color_trc, format: AVPixelFormat(stream.format), fallback: fallback)
  }

  private init(
    space: AVColorSpace, range: AVColorRange, primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic,
    format: AVPixelFormat, fallback: ColorDescription
  ) {
    let matrix: Matrix
    switch space {
    case AVCOL_SPC_BT709: matrix = .bt709
    // FCC and SMPTE 240M differ from these by less than BT.601 and BT.709 from each other.
    case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M, AVCOL_SPC_FCC: matrix = .bt601
    case AVCOL_SPC_SMPTE240M: matrix = .bt709
    case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: matrix = .bt2020
    default: matrix = fallback.matrix
    }
    // Without a mark, older matrices get the colours of screens: webcams, phones and screen recorders write such files, and no device in
    // use has BT.601's own primaries. BT.2020's matrix gets its own primaries.
    let wide = matrix == .bt2020 && fallback.space == .sRGB
    let colors = ColorSpace(
      primaries: Int(primaries.rawValue), transfer: Int(transfer.rawValue), fallback: wide ? .bt2020 : fallback.space)
    let known: Range =
      switch range {
      case AVCOL_RANGE_JPEG: .full
      case AVCOL_RANGE_MPEG: .limited
      default: format.isFullRangeByName ? .full : fallback.range
      }
    self.init(matrix: matrix, range: known, space: colors)
  }

  package var avSpace: AVColorSpace {
    switch matrix {
    case .bt601: AVCOL_SPC_SMPTE170M
    case .bt709: AVCOL_SPC_BT709
    case .bt2020: AVCOL_SPC_BT2020_NCL
    }
  }

  package var avRange: AVColorRange { range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG }

  /// The mark of the primaries; their numbers are the code points.
  package var avPrimaries: AVColorPrimaries {
    space.codePoints.map { AVColorPrimaries(UInt32($0.primaries)) } ?? AVCOL_PRI_UNSPECIFIED
  }

  /// The mark of the transfer curve: for screen curves the one that usually goes with the matrix.
  package var avTransfer: AVColorTransferCharacteristic {
    guard space.transfer == .srgb else {
      return space.codePoints.map { AVColorTransferCharacteristic(UInt32($0.transfer)) } ?? AVCOL_TRC_UNSPECIFIED
    }
    return switch matrix {
    case .bt601: AVCOL_TRC_SMPTE170M
    case .bt709: AVCOL_TRC_BT709
    case .bt2020: AVCOL_TRC_BT2020_10
    }
  }

  var swsSpace: Int32 {
    switch matrix {
    case .bt601: SWS_CS_ITU601
    case .bt709: SWS_CS_ITU709
    case .bt2020: SWS_CS_BT2020
    }
  }
}

extension AVPixelFormat {
  /// The old "J" formats, whose names imply full range.
  var isFullRangeByName: Bool { self != withoutRange }

  package var withoutRange: AVPixelFormat {
    switch self {
    case AV_PIX_FMT_YUVJ420P: AV_PIX_FMT_YUV420P
    case AV_PIX_FMT_YUVJ422P: AV_PIX_FMT_YUV422P
    case AV_PIX_FMT_YUVJ444P: AV_PIX_FMT_YUV444P
    case AV_PIX_FMT_YUVJ440P: AV_PIX_FMT_YUV440P
    case AV_PIX_FMT_YUVJ411P: AV_PIX_FMT_YUV411P
    default: self
    }
  }

  package var name: String { av_get_pix_fmt_name(self).map { String(cString: $0) } ?? "unknown" }
}

extension PixelFormat {
  package var av: AVPixelFormat {
    switch self {
    case .bgra8: AV_PIX_FMT_BGRA
    case .rgba8: AV_PIX_FMT_RGBA
    case .rgb8: AV_PIX_FMT_RGB24
    case .i420: AV_PIX_FMT_YUV420P
    case .nv12: AV_PIX_FMT_NV12
    case .yuyv: AV_PIX_FMT_YUYV422
    case .gray8: AV_PIX_FMT_GRAY8
    case .gray16: UInt16(1).littleEndian == 1 ? AV_PIX_FMT_GRAY16LE : AV_PIX_FMT_GRAY16BE
    case .grayFloat: UInt16(1).littleEndian == 1 ? AV_PIX_FMT_GRAYF32LE : AV_PIX_FMT_GRAYF32BE
    }
  }
}
