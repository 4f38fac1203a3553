// Importing photos also imports their pictures and depth.
@_exported import BackdropCodecs
@_exported import BackdropDepth
@_exported import BackdropImaging
