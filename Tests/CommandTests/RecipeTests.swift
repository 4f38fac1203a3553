import Foundation
import TestSupport
import Testing

/// Runs the recipes of `docs/recipes.md` unchanged, on files with the names in them.
@Suite struct RecipeTests {
  struct Recipe: Sendable, CustomTestStringConvertible {
    var title: String
    var script: String
    var testDescription: String { title }
  }

  /// The shell blocks, each with its heading.
  static let recipes: [Recipe] = {
    let text = (try? String(contentsOfFile: GeneratedDocumentation.page("docs/recipes.md"), encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n## ").dropFirst().compactMap { section in
      let parts = section.components(separatedBy: "```sh\n")
      guard parts.count == 2, let script = parts[1].components(separatedBy: "```").first else { return nil }
      return Recipe(title: String(section.prefix { $0 != "\n" }), script: script)
    }
  }()

  @Test func thereAreRecipes() {
    #expect(Self.recipes.count >= 8, "\(Self.recipes.map(\.title))")
  }

  @Test(.enabled(if: RecipeFolder.isReady, "needs the network runtime"), arguments: recipes)
  func runs(_ recipe: Recipe) throws {
    let folder = try RecipeFolder(for: recipe.script)
    let outcome = try folder.run(recipe.script)
    #expect(outcome.status == 0, "\(recipe.title): \(outcome.errors)")
    // Each named output exists.
    for name in recipe.script.matches(of: /-o (\S+)/).map({ String($0.1) }) {
      #expect(FileManager.default.fileExists(atPath: folder.work.path(name)), "\(recipe.title): \(name)")
    }
    for name in recipe.script.matches(of: /pictures\/.*? --output-dir (\S+)/).map({ String($0.1) }) {
      let results = try FileManager.default.contentsOfDirectory(atPath: folder.work.path(name)).sorted()
      #expect(results == ["1.png", "2.png", "3.png"], "\(recipe.title): \(results)")
    }
  }
}
