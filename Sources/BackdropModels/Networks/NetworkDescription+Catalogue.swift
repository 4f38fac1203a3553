extension NetworkDescription {
  /// The networks recognized by their file names, the default ones first.
  package static let all: [NetworkDescription] = [
    selfieLandscape, selfieGeneral, selfieMLKit, meetFull, meetLite, meetONNX, selfieONNX, deepLab257, deepLab513,
    modNet, robustVideoMatting, ppHumanSeg, siNet, salientObjects, u2Net, u2NetHuman, isNet, biRefNet, biRefNetPortrait,
    biRefNetLite, ben2, rmbg1, rmbg2, inSPyReNet,
  ]

  package static func named(_ id: String) -> NetworkDescription? { all.first { $0.id == id } }

  package static let selfieLandscape = NetworkDescription(
    id: "selfie-landscape", summary: "MediaPipe selfie segmentation, landscape: the fastest; the default for video",
    licence: "Apache-2.0", file: "selfie_segmentation_landscape.tflite", width: 256, height: 144)

  package static let selfieGeneral = NetworkDescription(
    id: "selfie-general", summary: "MediaPipe selfie segmentation, square", licence: "Apache-2.0",
    file: "selfie_segmentation.tflite", width: 256, height: 256)

  static let selfieMLKit = NetworkDescription(
    id: "selfie-mlkit", summary: "ML Kit selfie segmentation: the general network in its first release",
    licence: "Apache-2.0", file: "selfiesegmentation_mlkit-256x256-2021_01_19-v1215.f16.tflite", width: 256,
    height: 256)

  static let meetFull = NetworkDescription(
    id: "meet-full", summary: "Google Meet's segmentation, full", licence: "Apache-2.0",
    file: "segm_full_v679.tflite", width: 256, height: 144, meaning: .backgroundAndForeground(areLogits: true))

  static let meetLite = NetworkDescription(
    id: "meet-lite", summary: "Google Meet's segmentation, lite", licence: "Apache-2.0",
    file: "segm_lite_v681.tflite", width: 160, height: 96, meaning: .backgroundAndForeground(areLogits: true))

  static let meetONNX = NetworkDescription(
    id: "meet-onnx", summary: "Google Meet's segmentation, full, converted", licence: "Apache-2.0",
    file: "mediapipe.onnx", width: 256, height: 144, meaning: .backgroundAndForeground(areLogits: true))

  static let selfieONNX = NetworkDescription(
    id: "selfie-onnx", summary: "MediaPipe selfie segmentation, square, converted", licence: "Apache-2.0",
    file: "selfie_segmentation.onnx", width: 256, height: 256)

  /// The classes of PASCAL VOC 2012, in order.
  package static let vocClasses = [
    "background", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow", "diningtable",
    "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
  ]

  static let deepLab257 = NetworkDescription(
    id: "deeplab-257", summary: "DeepLabV3 on MobileNetV2, 21 classes", licence: "Apache-2.0",
    file: "deeplabv3_257_mv_gpu.tflite", width: 257, height: 257, mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5],
    meaning: .classes(vocClasses))

  static let deepLab513 = NetworkDescription(
    id: "deeplab-513", summary: "DeepLabV3 on MobileNetV2, 21 classes, larger", licence: "Apache-2.0",
    file: "deeplabv3_513_mv_gpu.tflite", width: 513, height: 513, mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5],
    meaning: .classes(vocClasses))

  static let modNet = NetworkDescription(
    id: "modnet", summary: "MODNet portrait matting", licence: "Apache-2.0",
    file: "modnet_photographic_portrait_matting.onnx", width: 512, height: 512, layout: .channelHeightWidth,
    mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5], input: "input", output: "output")

  /// Its sizes match the shapes of pictures and their parts, without its own downsampling, because stretching would cost half its quality.
  /// Its memory has 16, 20, 40 and 64 channels at 1/2 … 1/16. If a side is not a multiple of 16 samples, its mattes are worse and flicker
  /// more: at 480×272 those of `davis_parkour` are as good as at 512×288.
  package static let robustVideoMatting = NetworkDescription(
    id: "rvm", summary: "Robust Video Matting on MobileNetV3, with memory from frame to frame", licence: "GPL-3.0",
    file: "rvm_mobilenetv3_fp32.onnx", width: 512, height: 288,
    otherSizes: Array(wideSizes.dropFirst()) + squareSizes + wideSizes.map { Size($0.height, $0.width) },
    precision: .bf16, layout: .channelHeightWidth, input: "src", output: "pha",
    states: [
      "r1i": State(output: "r1o", channels: 16, divisor: 2), "r2i": State(output: "r2o", channels: 20, divisor: 4),
      "r3i": State(output: "r3o", channels: 40, divisor: 8), "r4i": State(output: "r4o", channels: 64, divisor: 16),
    ], constants: ["downsample_ratio": [1]])

  private static let wideSizes = [
    Size(512, 288), Size(480, 272), Size(448, 256), Size(400, 224), Size(336, 192), Size(288, 160), Size(256, 144),
    Size(448, 336), Size(384, 288), Size(336, 256), Size(320, 240), Size(256, 192), Size(192, 144),
  ]
  private static let squareSizes = [384, 352, 320, 288, 256, 192].map { Size($0, $0) }

  static let ppHumanSeg = NetworkDescription(
    id: "pp-humanseg", summary: "PP-HumanSeg, as in OpenCV's model zoo", licence: "Apache-2.0",
    file: "human_segmentation_pphumanseg_2023mar.onnx", width: 192, height: 192, layout: .channelHeightWidth,
    mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5], meaning: .backgroundAndForeground(areLogits: false))

  /// Normalised by its training set's BGR means and deviations, then divided by 255 again, as in its authors' code.
  static let siNet = NetworkDescription(
    id: "sinet", summary: "SINet portrait segmentation", licence: "GPL-3.0", file: "SINet_Softmax_simple.onnx",
    width: 320, height: 320, layout: .channelHeightWidth, order: .bgr,
    mean: [102.890434 / 255, 111.25247 / 255, 126.91212 / 255] as [Float], std: [62.93292, 62.82138, 66.355705],
    meaning: .backgroundAndForeground(areLogits: false))

  /// The small U²-Net, for anything that stands out in a picture. bfloat16 halves its time and costs no picture a measurable part of its
  /// quality.
  static let salientObjects = likeImageNet(
    id: "u2netp", summary: "U²-Net-P: salient things, animals and people", licence: "Apache-2.0",
    file: "u2netp.onnx", side: 320, precision: .bf16)

  // The following networks process pictures and mattes like rembg's sessions, unless noted otherwise. Those also stretch each matte to 0…1.
  // Here the matte stays unchanged, because a picture without people has an empty one.

  static let u2Net = likeImageNet(
    id: "u2net", summary: "U²-Net: salient things, animals and people", licence: "Apache-2.0", file: "u2net.onnx",
    side: 320)

  static let u2NetHuman = likeImageNet(
    id: "u2net-human", summary: "U²-Net, trained on people", licence: "Apache-2.0", file: "u2net_human_seg.onnx",
    side: 320)

  /// The first of its twelve outputs is the matte.
  static let isNet = NetworkDescription(
    id: "isnet", summary: "IS-Net for general use, trained on pictures for non-commercial use", licence: "Apache-2.0",
    file: "isnet-general-use.onnx", width: 1024, height: 1024, layout: .channelHeightWidth, mean: [0.5, 0.5, 0.5])

  static let biRefNet = likeImageNet(
    id: "birefnet-general", summary: "BiRefNet for general use", licence: "MIT",
    file: "BiRefNet-general-epoch_244.onnx", side: 1024, meaning: .logit)

  static let biRefNetPortrait = likeImageNet(
    id: "birefnet-portrait", summary: "BiRefNet, trained on portraits", licence: "MIT",
    file: "BiRefNet-portrait-epoch_150.onnx", side: 1024, meaning: .logit)

  static let biRefNetLite = likeImageNet(
    id: "birefnet-lite", summary: "BiRefNet for general use, on the small Swin transformer", licence: "MIT",
    file: "BiRefNet-general-bb_swin_v1_tiny-epoch_232.onnx", side: 1024, meaning: .logit)

  /// Not normalised, as in its authors' code for this file; their code for PyTorch normalises with ImageNet's values.
  static let ben2 = NetworkDescription(
    id: "ben2", summary: "BEN2, base: fine edges of people and things", licence: "MIT", file: "BEN2_Base.onnx",
    width: 1024, height: 1024, layout: .channelHeightWidth)

  /// As in its authors' code. They publish it as `onnx/model.onnx`; this is the name that other programs give it.
  static let rmbg1 = NetworkDescription(
    id: "rmbg-1.4", summary: "BRIA RMBG 1.4, for non-commercial use", licence: "bria-rmbg-1.4", file: "rmbg-1.4.onnx",
    width: 1024, height: 1024, layout: .channelHeightWidth, mean: [0.5, 0.5, 0.5])

  /// BiRefNet with the sigmoid inside the network.
  static let rmbg2 = likeImageNet(
    id: "rmbg-2", summary: "BRIA RMBG 2.0, for non-commercial use", licence: "CC-BY-NC-4.0", file: "bria-rmbg-2.0.onnx",
    side: 1024)

  /// As in the code of transparent-background, by the network's authors. They publish no such file, so others convert it.
  static let inSPyReNet = likeImageNet(
    id: "inspyrenet", summary: "InSPyReNet on Swin-B", licence: "MIT", file: "inspyrenet.onnx", side: 1024)

  /// A network for square pictures, normalised with ImageNet's values.
  private static func likeImageNet(
    id: String, summary: String, licence: String, file: String, side: Int, precision: Precision = .f32,
    meaning: Meaning = .probability
  ) -> NetworkDescription {
    NetworkDescription(
      id: id, summary: summary, licence: licence, file: file, width: side, height: side, precision: precision,
      layout: .channelHeightWidth, mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225], meaning: meaning)
  }
}
