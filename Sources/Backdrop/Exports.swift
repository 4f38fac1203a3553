// Importing the engine also imports its pictures, depth, mattes, looks and files.
@_exported import BackdropCameras
@_exported import BackdropClouds
@_exported import BackdropCodecs
@_exported import BackdropDepth
@_exported import BackdropFFmpeg
@_exported import BackdropImaging
@_exported import BackdropLooks
@_exported import BackdropMatting
@_exported import BackdropModels
@_exported import BackdropPhotos
@_exported import BackdropRecordings
@_exported import BackdropSandbox
@_exported import BackdropSimulation
@_exported import BackdropVideo
