/// The results of MediaPipe 0.10.21 for real photos, in pixels of the picture: the graph `pose_landmark_cpu` in Python with
/// `model_complexity=1`, without smoothing or earlier frames, with pictures read by OpenCV 4.11.0.
enum PoseReference {
  /// The score; left, top, width and height of the head, then x and y of the hips and of the point above them; and the part of the
  /// picture in which the outline's probability is above one half.
  typealias Body = (score: Double, coordinates: [Double], outline: Double)

  /// The most certain body of each picture; `nil` if there is none.
  static let pictures: [(name: String, body: Body?)] = text.split(separator: "\n").map { line in
    let words = line.split(separator: " ")
    let numbers = words.compactMap { Double($0) }
    return (String(words[0]), numbers.isEmpty ? nil : (numbers[0], Array(numbers[1..<9]), numbers[9]))
  }

  private static let text = """
    skimage/data/astronaut.png 0.8071 158.98 133.3 102.34 102.32 158.73 524.01 238.75 28.46 0.43349
    matplotlib/mpl-data/sample_data/grace_hopper.jpg 0.665 201.53 254.15 119.94 119.91 230.46 865.53 260.43 94.58 0.58006
    skimage/data/coffee.png
    matting/humanseg/112.jpg 0.9386 200.87 167.27 127.96 127.93 256.86 588.92 260.69 106.53 0.41573
    matting/humanseg/157.jpg 0.8305 265.46 292.84 127.91 127.89 363.07 1071.22 324.94 64.87 0.34854
    matting/humanseg/254.jpg 0.7519 339.62 120.56 127.92 127.9 365.06 498.42 392.1 66.39 0.35128
    matting/humanseg/84.jpg 0.8102 320.43 385.84 170.46 170.43 340.08 1128.5 480.86 133.93 0.37818
    matting/p3m/p_22fc0130.jpg 0.7196 446.2 755.86 268.36 268.3 353.35 2572.49 674.6 5.38 0.58115
    matting/p3m/p_819ea202.jpg 0.9835 390.45 144.73 324.25 324.19 577.19 745.68 540.2 194.01 0.14868
    matting/p3m/p_bac3c1ff.jpg 0.9005 1076.92 255 345.54 345.45 1168.23 1162.15 1309.85 152.12 0.26364
    matting/known_background/0001_img.jpg 0.9714 669.87 498.62 383.8 383.72 865.07 1552.77 829.46 326.68 0.16965
    rgbd/person_turntable/0000000000.jpg 0.9749 262.33 148 127.91 127.88 314.26 526.61 329.03 126.85 0.23917
    rgbd/person_turntable/0000000023.jpg 0.8306 301.18 156.78 127.88 127.85 340.88 484.57 375.51 133.45 0.14825
    video/davis_parkour/00022.jpg 0.9437 441.14 -34.72 170.76 170.73 510.67 158.85 529.16 24 0.03971
    video/davis_parkour/00040.jpg 0.9859 416.07 39.18 170.76 170.73 481.75 251.67 505.2 71.62 0.05632
    photos/iphonex_person_depth_matte.jpg 0.9671 1346.28 456.13 805.98 805.82 1751.24 2535.31 1737.34 448.69 0.29692
    backgrounds/city.jpg
    rgbd/livingroom/color/00000.jpg
    """
}
