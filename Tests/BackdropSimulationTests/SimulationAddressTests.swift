import BackdropImaging
import TestSupport
import Testing

@testable import BackdropSimulation

@Suite struct SimulationAddressTests {
  @Test func nothingMeansTheDefaults() throws {
    let settings = try SimulatedCamera.Settings("sim:")
    #expect(settings.scenario == .talking && settings.seed == 1)
    #expect(settings.size == (1280, 720) && settings.depth == nil)
    #expect(settings.rate == 30 && settings.seconds == 10)
  }

  @Test(arguments: Scenario.allCases) func namesEveryScenario(_ name: Scenario) throws {
    #expect(try SimulatedCamera.Settings("sim:\(name.rawValue)").scenario == name)
    #expect(try SimulatedCamera.Settings("sim:\(name.rawValue)?").scenario == name)
  }

  @Test func readsEveryParameter() throws {
    let settings = try SimulatedCamera.Settings(
      "sim:mug?fps=25&seed=18446744073709551615&seconds=2.5&depth=64x48&size=128x72")
    #expect(settings.scenario == .mug && settings.seed == .max)
    #expect(settings.size == (128, 72) && settings.depth! == (64, 48))
    #expect(settings.rate == 25 && settings.seconds == 2.5)
  }

  @Test func makesTheCamera() throws {
    let camera = try SimulatedCamera(address: "sim:dark?size=64x36&depth=32x24&fps=25&seconds=2.5&seed=3")
    #expect(camera.scenario == .dark && camera.seed == 3)
    #expect(camera.width == 64 && camera.height == 36 && camera.depthWidth == 32 && camera.depthHeight == 24)
    // 62.5 frames round to the nearest whole number, away from zero.
    #expect(camera.frameCount == 63)
    let half = try SimulatedCamera(address: "sim:?size=65x37")
    #expect(half.depthWidth == 32 && half.depthHeight == 18)
  }

  @Test(arguments: [
    ("sim:kitchen", "there is no simulated scene 'kitchen'", "two-people"),
    ("sim:Talking", "there is no simulated scene 'Talking'", "talking"),
    ("sim:mug?volume=3", "no parameter 'volume'", "seconds"),
    ("sim:?seed=-1", "'-1' is not a value for 'seed'", "whole number"),
    ("sim:?seed=", "'' is not a value for 'seed'", "whole number"),
    ("sim:?seed", "'' is not a value for 'seed'", "whole number"),
    ("sim:?seed=18446744073709551616", "is not a value for 'seed'", "18446744073709551615"),
    ("sim:?seed=1&seed=2", "you gave 'seed' twice", "once"),
    ("sim:?fps=0", "is not a value for 'fps'", "240"),
    ("sim:?fps=nan", "is not a value for 'fps'", "240"),
    ("sim:?fps=inf", "is not a value for 'fps'", "240"),
    ("sim:?seconds=-1", "is not a value for 'seconds'", "86400"),
    ("sim:?seconds=1e9", "is not a value for 'seconds'", "86400"),
    ("sim:?size=1280", "is not a value for 'size'", "WIDTHxHEIGHT"),
    ("sim:?size=1280x720x3", "is not a value for 'size'", "WIDTHxHEIGHT"),
    ("sim:?size=x", "is not a value for 'size'", "WIDTHxHEIGHT"),
    ("sim:?size=15x16", "is not a value for 'size'", "16 to 4096"),
    ("sim:?depth=4097x16", "is not a value for 'depth'", "16 to 4096"),
    ("sim:?depth=99999999999999999999x16", "is not a value for 'depth'", "16 to 4096"),
    ("simulation", "not the address of a simulated camera", "sim:talking"),
    ("", "not the address of a simulated camera", "sim:talking"),
  ])
  func refuses(_ address: String, _ message: String, _ hint: String) {
    let error = refusal { try SimulatedCamera.Settings(address) }
    #expect(error?.kind == .wrongArgument)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.hint?.text.contains(hint) == true, "\(error?.hint?.text ?? "")")
    #expect(error?.path == address)
  }
}
