import Foundation

/// LZFSE streams of PyPI's pyliblzfse 0.4.1, which is Apple's reference implementation; the `bvx1` stream, which no encoder writes, is one
/// of its `bvx2` streams with the header unpacked, checked with its decoder.
enum GoldenLZFSE {
  static let small = decode(
    """
    YnZ4LQMAAABhYmNidngk
    """)
  static let lzvn = decode(
    """
    YnZ4bmABAABqAAAA4A90aGUgcXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgCB/qbGF6eSBkb2cuIDgt8OXgGAABAgMEBQYHCAkK
    CwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJicwVONmb3gGAAAAAAAAAGJ2eCQ=
    """)
  static let depth = decode(
    """
    YnZ4MgASAAAYBiBQADUAEJJHbpc6gwBAwQAAAD8EoAVXgAAAcDCOHoAEAAAAmF/AD8D/cAJnAAAAsP4BAL4D4DEAAAAAAAAAAGBR
    FouyKIPFoNQ0SZK2TZKExWJQFovBYrD4X0i0TUzbdq21VmZ3d3d3dnd3d3d311prrbXWWmutNdYaa52si3WxbtbFulgX62JdrJO1
    9z7YqzFJ2iSxZTBYlMViUBaDpkltkyRtahoWg8WgLAaLwaBNkpomTUxbAAAAAMMAUEoC4gSpM0ndYCTC49yoV3Zjg6QbPDozo/9m
    TqjUGaJMCCPaoF3SRpGSm1bnmS49Mw5bl4HrIsOyoAxbB3VBxKWo+87Qs2EGWlUMlawYEnplsDDIgqDeLSCr0S+0VBPMySGqygxx
    hRQ8lS7otFXBU02/XjYJlsPc549e/RMgtX7Pwbt6BQhq6J9jBJZd79ea1X/yUy+jp1zsrPKR8NXrxA/wO2Pfrb96V57k75jk/nPK
    s2G7rol0fYJG1xpwanlR8KiX5TFuy6MwuF61SOs7kGVqpOVXd5ZPcW6330p1t6r7Na9rMB4uM95RnmdxeUPU7pwqu1+vXncBecWi
    XX3tRuFrTnYXl+sedFJXKLArHBCvcWd9lp/5zDCfciSiTv4cOAABrixYXwd+5zMrjJ53KPpUqTKJFczkvjqDseca7B2zFdvEVpGS
    ra1OdWmX0maMPjkjTpLFSJ7PN9kMDoMhJQ3uN2OQApq7noPdFRdY+s6GJbQqN5Us9WaCFjl4Tv7gLFhpCoJuae2WDtxFCnIXqeNs
    3aAz4XG26it3M47QyqeSlZ221JWelHjF+u4Gh9p9u7p7gKPZFzj1LKGYBDR4zNFHy673YW1te9tqdgy9s50mWmnCtpIOoS5NpyJb
    /w+uPAfeMeWA/6mQkbTi0V06+k/pCRUlker1phN9mLYBURjMq1rknHcHlOHrbLgubZYF3dw6VInYpa5Mjw/Gg3DGO+HzLFy4RqEW
    ClEZ1HsVshoeQksfcxrUjz+2GZlRG3SymjBwuUx2izxrPy6HecgfvYcnQB32pOpA1dAA3xProRjX1fB8lR1FJ74OMnoHxM4SGAm/
    PPGROi8bWkwSqZo/mArJ2XYato/NmjxN5HkTNJLXgBNeNF+Fs85dyij81Z1wU5yn5rcytWo9tWk6V6p9vVoW9wex+SAmN7Xm4rGD
    RhdQ7GwjXOVf4TrnvvJ/FlXPcJ18t+m0WzKpNJII3o36B2VrXdmjAu+a00tck2QvJbU+SYSo9ueYoDqHWtVxpq7JZAJpciLR/ohG
    qvmRDdEZxV2Td5sw+ubC7EldkVmrNplKyIIwnbINNW4PYNj6u9Ke6Uq7rQmFiYYQ3ctxfFnNIdSM029WwJ5hAp6kSRhUCH2LHDpR
    vcgdyItbjBIdhbrBGBLpj4VMoc9hnZ4XLFkv8RpGCRUpNvhzFwGuY0lg8FA1oYAaPUwJiJut4XP8BhA4Q+BWK4FRoAC6herbM5eP
    p1PfR6EFyJNFIAFagpjBCQhDnx6tcO/q+XqPrpQr+GW70LfoxC1F/8o6/ur1CqQzu9m42RrgpKqffO6XMik3SON8NJabMuixU14m
    ibfNH3hDcio7lNv6WFKUaL+oI9WOZENBj+LMzLtNSn1zKfekPsqsVXFqYUF60gCEEOqPTL3fukf57pbKuQXb1asXPePoGPfpuMye
    Xkm82dVwS914V+qDyOdesUxabWtsltHg8q8Gzzl5/Z956xmuzHebsrslW6WRqPBuHKV0dXRBKOiyjZluDynZ+vvYnulju60ihYkW
    Et0LeHxZQKFg/3KzlD+tbEdfsv15WzRzWMdTfvROvehNyWA2PlSqKjw+/1R8LiAw6QevMQ9Fg1dDednTyXtl9wbeVdmXuLbKXmy1
    PomKqHZ0TFDQoVZBOzNT5iVlVG8fwZ6pCJ6kYhhkIX2LgDpR/csdyL9bjHwdhXnj6AMAAAAAAAAAAACYYizFWI15MeZijAsxF2Nc
    iLkY44IJBCkCOVoZAYRSsKKVEUAoBWIaLYoIlAAyiDZFdEqAGESbIjoldgymTRGdEiAG0aaIT0nCRRER5QkmRSTKE0zQK4fazBmS
    YB6EkinDQpivjOsYF2Osx7gYcyHGxZgLhhhxkE7/H2J2eCQ=
    """)
  static let zeros = decode(
    """
    YnZ4MnARAQAEAAAAAB8AcAAAAAAANQAAggAAAD3o8A9PQggAAABAAAAAAOBNeHAOAAAAAAAAAAAAAAAAAAAA4NEHAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAOTT////////////
    ///////////////3//////////////////////8P/18BYnZ4JA==
    """)
  static let words = decode(
    """
    YnZ4MnAXAAAYAaADAKMDAAsvnWRDswVgkwAAAD/kgAFfwaEACAAgCPT2+GZFBQBMbEbnWOvg5Ojg7u7k6Pj26ub45mStJokKAAAA
    AAAAAAAAAAAAAAC8VAAAAAAAAAAAAAAAAAAAAAAv0JMFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP
    PEsH1E11mK2k2FPxN9+hZAk6099E9MgIfcjSvEgST5PUfdQozdc/2Dokz2JzBXM+6vmwjl1iAQAAAAAAAAAAAAA4AyWg40VaSrDt
    idAWb+TTzABBdcn9WIR0gWPAJllbfdvTE86ziN3R96LbGqxfYGKfXwWhOGJ4y11WsSy5Wt51CMcOfKe68Piu4uofeIRRaxd28IOw
    w6MDDV+QX+rtau3nt+bOcUgxemuwW/NK/cQulrpIztgvqIMbqdZS/2TvpNsNIurzfJ8B+EQZ039ty1YUmYpB8AnwKje6BY9qcKBU
    eASl1h7maJXKXbrZTU0zzs8Dod+D2FPp1kFJ4gO34ASA6pVApRNgP4nzndmv5FbGtScfLVqMwhRu6YV9W/3HtkdZPEZ5SoZBES7i
    Ozpyoglc5f4sStm0fg3kxFPEoiDRq5PcAWkKgYZhcvTB9RtRj3J7Uh6VMBS/9ylddiWfWDJmW1MHgOnaY8yZY0szm31cQdxjX+Lz
    mn17nhZK7bUvD6kKzCRQ3vJFxCGzhgP69k2o5N8dDlxzX8IAhvxaW5nrknfInDtYPRCX04m61cKaJ59zc+Y/6BRO8IihXyPW69vM
    KciDjuBYGfg8RKWa3XVj60DVY5w12ryWW/Fg8V3mUG4Gis4inFrDVS2pwFSpgetJf9epZlRVqK7sUWr5YmpdpdOCMjYYd9ihwnvC
    uwcrHzI1E5INd8eAk3tkgN1GmBTytAhpKe4Cm9loiHNzZM4et0vrB8nrHB0XIysmLTndxkZRllG1sEUcDXwXH2M8QIgHs4sXyWHd
    QYa7GHaoIY6HEiLeSDdSUDV46kAQdy3bxARChCYzuhyKvxdktuUH1zQi0Pt8kihMfhPfPRrQt5D+aKDtELFBHC14P36VUKPIYTpa
    G64v0x+JQ++I890wi4ooMgKcV274NqKACgbpzIOjofAwzcDQwYexmxpkA40xKQebgJxDqxRiZuDAKl2YLkunm4IPKAeR5gOvxFCU
    +eYZDqCI3CH+tP3T43NpKZbJDIr0UbY1Or8tBg5K84ta6bYagHuYsdkD7w8DKhD7nm2N1Z7rtF6q79WKWUhEluRgq5lzZLEKwSyM
    vngUWrBuQdP3ZUU8D78uSSy/TIvnxykVAYokqmzQVJSsUYnzJ0wnUNi2WBqAGWZT3tNDJF83BOo7ZUv31dyDH+rcwEyq8ZZ7Mnm3
    0eJs/SVJMUVuqz5BtemMeGMGA9ZGchSlouh3oUYsd8/49o8Qdp6N/CgVfYCbWfhVqvo4fXpIp0EKa6wlSkeq440WK7mGypoGVEIG
    17MjyRbwzjEmF284DOzuG00uuqcKCpReD5qYEooIiIUNOvyj9tb7rw+wRKdVCyoSMr8Lq3MyxMfEy9Syf2kAzKiRuUBNVICM/p0P
    MJh7Z+4SeRsQ7Dw4rrcbXW3m83ncdq8Wfq0i9pmfoo8RuV9s5/BrWgysPYe+gkG5XTCTibJPiK0ppPJTH+Asn4na2XwT9pgi8YI9
    1DUAjgnwi4nh5DotB1A5DD8s0puJnrUjaSprOFIvg4opD3YTAeU5HoVyj1+81uLFpdKZNeD9GuYAXKZBdK4XFx+1OA+KBugkoCWN
    eYhKa61kQoE+q0IrziH5NQLsuW0fGrMC/PhugpLeeVRF2idKVqPQFn2zbQyAhohaupCZacUW9QplSyUFNGLwGDjWZixZPxmwIMIs
    vXpyoxIco5Xa7aHspg1D/hLD5aPLF/o2Jj2v2Y9RF9id6kiQ7APvSHzQeHAI9SsbOdrBfTURKRqWrpo/CTjdwZbZHSmTMw6HzZVn
    T+wGYpSU6Hw9tUJV+ZIWIVRixPU+iV/xoWOkfzUFUyM2RWgTphwfZbRxIPPwa+Ab7whpnDtuR4PiMDgxx7YEFEm9ZVDbeaTZ1Cho
    rLWZgYiPFsU6JDSneWE7UDSmU9CcqQTNW0BGoR4Exc0PBGupUPWAXNY2BLMzL64TaIYS2QhSFciAWg6Kpyu0AYoOxWP3JEECeIfl
    TxdOxNDoK7kQEaSfmnpidngk
    """)
  static let bvx1 = decode(
    """
    YnZ4MQASAACFBQAAGAYAADUAAAACBQAAgwAAAPr///+SA5EDdgHqAP3///8/AAEAWgANAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAIAAQADAAYAAIAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGAB0AGwAAAFcACgAAAAAADgAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAABQAnAAAAAAAAAAAAAAA1AAAAAAAAADAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABQAAAAMAAAAFAAAABQAAAAMAAAAFAAAAAwAAAAQAAAAFAAAABAAAAAMA
    AAADAAEAAgADAAIAAgACAAIAAgACAAMAAwADAAMAAgACAAIAAgACAAIAAAAFAAAABQAAAAQAAAADAAAABQAAAAUAAAAEAAAABQAA
    AAQAAAAFAAAA1wAAAAIAAgABAAEAAwADAAIAAgABAAIAAwADAAMAAwADAAUABQAFAAUABQACAAYAAwAHAAMABwADAAcAAwAHAAIA
    BwADAAcAAwAHAAMABwADAAcAAwAHAAMABQAFAAUABQAFAAUABQAFAAUABQAFAAUABQAFAAUABAAFAAUABAAFAAUACgAFAAkABQAJ
    AAUACwAFAAkABQAJAAUACQAFAAkABQAJAAUACgAFAAcABwAHAAgABwAFAAMAAgABAAIAAgACAAIAAwADAAIAAgACAAIAAQADAAMA
    AAAEAAAABAAAAAUAAAADAAAABQAAAAUAAAAEAAAAAwAAAAUAAAAEAAAAAwACAAMAAgACAAMAAQADAAMAAgACAAIAAgACAAMAAwAC
    AAMAAQACAAMAAgAAAAUAAAAEAAAABQAAAAQAAAADAAAABQAAAAQAAAAFAAAABAAAAAQAAAADAAMAAgACAAIAAgADAAEAAgADAAIA
    AgADAAIAAgABAAIAAwADAAMAAAAAAAAAAMMAUEoC4gSpM0ndYCTC49yoV3Zjg6QbPDozo/9mTqjUGaJMCCPaoF3SRpGSm1bnmS49
    Mw5bl4HrIsOyoAxbB3VBxKWo+87Qs2EGWlUMlawYEnplsDDIgqDeLSCr0S+0VBPMySGqygxxhRQ8lS7otFXBU02/XjYJlsPc549e
    /RMgtX7Pwbt6BQhq6J9jBJZd79ea1X/yUy+jp1zsrPKR8NXrxA/wO2Pfrb96V57k75jk/nPKs2G7rol0fYJG1xpwanlR8KiX5TFu
    y6MwuF61SOs7kGVqpOVXd5ZPcW6330p1t6r7Na9rMB4uM95RnmdxeUPU7pwqu1+vXncBecWiXX3tRuFrTnYXl+sedFJXKLArHBCv
    cWd9lp/5zDCfciSiTv4cOAABrixYXwd+5zMrjJ53KPpUqTKJFczkvjqDseca7B2zFdvEVpGSra1OdWmX0maMPjkjTpLFSJ7PN9kM
    DoMhJQ3uN2OQApq7noPdFRdY+s6GJbQqN5Us9WaCFjl4Tv7gLFhpCoJuae2WDtxFCnIXqeNs3aAz4XG26it3M47QyqeSlZ221JWe
    lHjF+u4Gh9p9u7p7gKPZFzj1LKGYBDR4zNFHy673YW1te9tqdgy9s50mWmnCtpIOoS5NpyJb/w+uPAfeMeWA/6mQkbTi0V06+k/p
    CRUlker1phN9mLYBURjMq1rknHcHlOHrbLgubZYF3dw6VInYpa5Mjw/Gg3DGO+HzLFy4RqEWClEZ1HsVshoeQksfcxrUjz+2GZlR
    G3SymjBwuUx2izxrPy6HecgfvYcnQB32pOpA1dAA3xProRjX1fB8lR1FJ74OMnoHxM4SGAm/PPGROi8bWkwSqZo/mArJ2XYato/N
    mjxN5HkTNJLXgBNeNF+Fs85dyij81Z1wU5yn5rcytWo9tWk6V6p9vVoW9wex+SAmN7Xm4rGDRhdQ7GwjXOVf4TrnvvJ/FlXPcJ18
    t+m0WzKpNJII3o36B2VrXdmjAu+a00tck2QvJbU+SYSo9ueYoDqHWtVxpq7JZAJpciLR/ohGqvmRDdEZxV2Td5sw+ubC7EldkVmr
    NplKyIIwnbINNW4PYNj6u9Ke6Uq7rQmFiYYQ3ctxfFnNIdSM029WwJ5hAp6kSRhUCH2LHDpRvcgdyItbjBIdhbrBGBLpj4VMoc9h
    nZ4XLFkv8RpGCRUpNvhzFwGuY0lg8FA1oYAaPUwJiJut4XP8BhA4Q+BWK4FRoAC6herbM5ePp1PfR6EFyJNFIAFagpjBCQhDnx6t
    cO/q+XqPrpQr+GW70LfoxC1F/8o6/ur1CqQzu9m42RrgpKqffO6XMik3SON8NJabMuixU14mibfNH3hDcio7lNv6WFKUaL+oI9WO
    ZENBj+LMzLtNSn1zKfekPsqsVXFqYUF60gCEEOqPTL3fukf57pbKuQXb1asXPePoGPfpuMyeXkm82dVwS914V+qDyOdesUxabWts
    ltHg8q8Gzzl5/Z956xmuzHebsrslW6WRqPBuHKV0dXRBKOiyjZluDynZ+vvYnulju60ihYkWEt0LeHxZQKFg/3KzlD+tbEdfsv15
    WzRzWMdTfvROvehNyWA2PlSqKjw+/1R8LiAw6QevMQ9Fg1dDednTyXtl9wbeVdmXuLbKXmy1PomKqHZ0TFDQoVZBOzNT5iVlVG8f
    wZ6pCJ6kYhhkIX2LgDpR/csdyL9bjHwdhXnj6AMAAAAAAAAAAACYYizFWI15MeZijAsxF2NciLkY44IJBCkCOVoZAYRSsKKVEUAo
    BWIaLYoIlAAyiDZFdEqAGESbIjoldgymTRGdEiAG0aaIT0nCRRER5QkmRSTKE0zQK4fazBmSYB6EkinDQpivjOsYF2Osx7gYcyHG
    xZgLhhhxkE7/H2J2eCQ=
    """)

  private static func decode(_ base64: String) -> [UInt8] {
    // The first test detects a text in this file that is not base64.
    Array(Data(base64Encoded: base64, options: .ignoreUnknownCharacters) ?? Data())
  }

  /// The uncompressed contents of the streams.
  static let cases: [(name: String, packed: [UInt8], plain: [UInt8])] = [
    ("small", small, Array("abc".utf8)), ("lzvn", lzvn, lzvnText), ("depth", depth, depthBytes),
    ("zeros", zeros, [UInt8](repeating: 0, count: 70_000)), ("words", words, wordBytes), ("bvx1", bvx1, depthBytes),
  ]

  private static let lzvnText: [UInt8] = {
    let line = Array("the quick brown fox jumps over the lazy dog. ".utf8)
    return Array((0..<8).flatMap { _ in line }.prefix(300)) + (0..<40) + Array("the lazy fox".utf8)
  }()

  /// 36×32 distances in metres that fall away, with a hole.
  private static let depthBytes: [UInt8] = (0..<32).flatMap { y in
    (0..<36).flatMap { x -> [UInt8] in
      let isHole = (10..<20).contains(y) && (20..<30).contains(x)
      let metres = isHole ? Float.nan : Float(800 + 10 * y + 3 * x) / 1000
      return withUnsafeBytes(of: metres.bitPattern.littleEndian) { Array($0) }
    }
  }

  /// 6000 letters from a linear congruential generator.
  private static let wordBytes: [UInt8] = {
    var state = 1
    return (0..<6000).map { _ in
      state = (state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
      return Array("aab ".utf8)[state >> 16 & 3]
    }
  }()
}
