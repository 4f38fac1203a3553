extension Renderer {
  func relit(_ scene: Scene, _ evidence: Evidence) -> (scene: Scene, evidence: Evidence) {
    guard options.light.isActive && request.needsSubject else {
      (subjectLight, relitScene) = (nil, nil)
      return (scene, evidence)
    }
    var (scene, evidence) = (scene, evidence)
    let picture = ObjectIdentifier(scene.image.storage)
    if options.isStill, let kept = relitScene, kept.picture == picture, kept.options == options.light {
      evidence.foreground = kept.foreground
      return (kept.scene, evidence)
    }
    if subjectLight == nil { subjectLight = LightFollower(options.light) }
    guard let light = subjectLight?.light(of: scene, evidence, isStill: options.isStill) else {
      return (scene, evidence)
    }
    scene.image = scene.image.relit(light, pool: pool)
    evidence.foreground = evidence.foreground?.relit(light)
    if options.isStill {
      relitScene = (picture, options.light, scene, evidence.foreground)
    }
    return (scene, evidence)
  }
}
