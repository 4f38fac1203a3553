"""Coarse mattes of MediaPipe's selfie network, the same file that `backdrop models install` installs, run by OpenVINO."""

import hashlib
import importlib.util
import os
import pathlib
import subprocess
import sys
import zipfile

import cv2
import numpy as np
import openvino

SIDE = 256
WHEEL, WHEEL_SHA256 = "mediapipe==0.10.21", "05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3"
NETWORK, SCHEMA = "mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite", "mediapipe/tasks/metadata/schema_py_generated.py"
CACHE = pathlib.Path(os.environ.get("BACKDROP_TRAINING_CACHE", pathlib.Path(__file__).parent / "Cache"))


def fetched():
    """The folder with the network and the schema of its file, from MediaPipe's wheel on PyPI."""
    folder = CACHE / "mediapipe"
    files = [folder / pathlib.Path(each).name for each in (NETWORK, SCHEMA)]
    if not all(each.exists() for each in files):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--python-version", "3.11", "--platform",
                        "manylinux_2_28_x86_64", "--only-binary=:all:", "-d", folder, WHEEL], check=True)
        wheel = next(folder.glob("mediapipe-*.whl"))
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SHA256:
            sys.exit(f"error: {wheel} is not the wheel that was expected")
        with zipfile.ZipFile(wheel) as archive:
            for member, file in zip((NETWORK, SCHEMA), files):
                file.write_bytes(archive.read(member))
        wheel.unlink()
    return files


def read_model():
    """The network with MediaPipe's transposed convolutions replaced by those of TensorFlow Lite, as `TFLiteRewrite` does."""
    import flatbuffers

    network, schema = fetched()
    rewritten = network.with_suffix(".builtin.tflite")
    if not rewritten.exists():
        specification = importlib.util.spec_from_file_location("schema", schema)
        tflite = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(tflite)
        model = tflite.ModelT.InitFromObj(tflite.Model.GetRootAs(network.read_bytes()))
        custom = {index for index, code in enumerate(model.operatorCodes) if code.customCode == b"Convolution2DTransposeBias"}
        code = tflite.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = tflite.BuiltinOperator.TRANSPOSE_CONV
        code.version = 3
        model.operatorCodes.append(code)
        for graph in model.subgraphs:
            for operation in graph.operators:
                if operation.opcodeIndex not in custom:
                    continue
                same, across, down = np.frombuffer(bytes(operation.customOptions[:12]), np.int32)
                shape, buffer = tflite.TensorT(), tflite.BufferT()
                buffer.data = np.frombuffer(np.array(graph.tensors[operation.outputs[0]].shape, np.int32).tobytes(), np.uint8)
                model.buffers.append(buffer)
                shape.shape, shape.type, shape.buffer = [4], tflite.TensorType.INT32, len(model.buffers) - 1
                shape.name = b"shape"
                graph.tensors.append(shape)
                picture, weights, bias = operation.inputs
                operation.inputs = [len(graph.tensors) - 1, weights, picture, bias]
                operation.opcodeIndex, operation.customOptions = len(model.operatorCodes) - 1, None
                operation.builtinOptionsType, options = tflite.BuiltinOptions.TransposeConvOptions, tflite.TransposeConvOptionsT()
                options.padding = tflite.Padding.SAME if same == 1 else tflite.Padding.VALID
                options.strideW, options.strideH = int(across), int(down)
                operation.builtinOptions = options
        for index in custom:
            model.operatorCodes[index].customCode = b"unused"
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), b"TFL3")
        partial = rewritten.with_suffix(f".{os.getpid()}.tflite")
        partial.write_bytes(builder.Output())
        partial.replace(rewritten)
    return openvino.Core().read_model(rewritten)


class Selfie:
    """Makes the coarse matte of a picture; one thread."""

    def __init__(self):
        self.network = openvino.Core().compile_model(
            read_model(), "CPU", {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"})

    def __call__(self, picture):
        """The matte of an RGB picture in 0…255, stretched to the network's square, in 0…1 at that size."""
        small = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        return self.network(small[None].astype(np.float32) / 255)[0].reshape(SIDE, SIDE)
