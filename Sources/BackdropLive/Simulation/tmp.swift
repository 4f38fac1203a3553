import BackdropImaging
extension SimulatedCamera { convenience init(address: String) throws(BackdropError) { self.init() } }
