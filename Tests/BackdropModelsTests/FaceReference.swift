/// The results of MediaPipe 0.10.21 for real photos, in pixels of the picture: `mediapipe.solutions.face_detection` in Python with
/// `model_selection=0`, with pictures read by OpenCV 4.11.0.
enum FaceReference {
  /// A face: left, top, width and height of its box.
  typealias Face = (score: Double, box: [Double])

  /// The faces of each picture in order of decreasing score.
  static let pictures: [(name: String, faces: [Face])] = text.split(separator: "\n").reduce(into: []) {
    pictures, line in
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    if numbers.isEmpty { return pictures.append((String(line), [])) }
    pictures[pictures.count - 1].faces.append((numbers[0], Array(numbers[1...])))
  }

  private static let text = """
    skimage/data/astronaut.png
    0.9217 177.57 82.87 95.34 95.34
    matplotlib/mpl-data/sample_data/grace_hopper.jpg
    0.9354 171.35 146.92 194.49 194.48
    skimage/data/chelsea.png
    matting/p3m/p_22fc0130.jpg
    0.6247 298.46 558.9 559.6 559.53
    matting/p3m/p_514ca06a.jpg
    0.7756 326.37 412.17 415.75 415.73
    matting/p3m/p_71bcce3a.jpg
    matting/p3m/p_818e689d.jpg
    0.7534 882.76 202.27 258.81 258.81
    matting/p3m/p_819ea202.jpg
    matting/p3m/p_bac3c1ff.jpg
    0.8612 1151.51 215.8 260.63 260.63
    matting/p3m/p_bd6af989.jpg
    matting/p3m/p_d684dae3.jpg
    0.5919 835.84 197.25 468.26 468.26
    matting/humanseg/112.jpg
    0.9813 213.34 134.26 103.55 103.55
    matting/humanseg/114.jpg
    0.9154 164.72 98.24 94.85 94.85
    matting/humanseg/126.jpg
    0.9454 151.79 165.77 102.09 102.09
    matting/humanseg/127.jpg
    0.9232 158.66 128.26 141.94 141.94
    matting/humanseg/130.jpg
    0.862 181.03 112.41 84.74 84.74
    matting/humanseg/131.jpg
    matting/humanseg/133.jpg
    0.9334 188.67 110.46 82.03 82.03
    matting/humanseg/144.jpg
    0.8509 204.82 87.01 79.16 79.16
    matting/humanseg/157.jpg
    0.9597 238.78 162.53 190.12 190.11
    matting/humanseg/166.jpg
    0.9208 313.42 186.53 106.89 106.89
    matting/humanseg/177.jpg
    0.9679 227.35 196.46 122.63 122.63
    matting/humanseg/188.jpg
    0.9401 225.29 107.94 80.96 80.96
    matting/humanseg/217.jpg
    0.7675 266.95 138.33 93.39 93.39
    matting/humanseg/254.jpg
    0.8984 222.23 152.54 97.75 97.75
    0.862 341.3 86.9 95.81 95.81
    matting/humanseg/73.jpg
    0.934 154.97 132.4 152.08 152.08
    matting/humanseg/78.jpg
    0.9367 338.03 99.01 131.82 131.82
    matting/humanseg/84.jpg
    0.9552 336.68 269.41 216.7 216.7
    matting/humanseg/86.jpg
    rgbd/person_turntable/0000000000.jpg
    0.9548 278.85 129.96 95.38 95.38
    rgbd/person_turntable/0000000006.jpg
    0.9471 294.9 132.21 94.65 94.65
    rgbd/person_turntable/0000000012.jpg
    0.9097 301.23 130.96 100.23 100.23
    rgbd/person_turntable/0000000018.jpg
    0.8024 329.29 136.49 86.17 86.17
    matting/known_background/0001_img.jpg
    0.9376 681.65 452.62 289.64 289.64
    matting/known_background/0500_img.jpg
    0.917 635.55 429.49 269.76 269.76
    photos/iphonex_person_depth_matte.jpg
    0.6607 1431.78 383.51 572.29 572.29
    rgbd/livingroom/color/00000.jpg
    """
}
