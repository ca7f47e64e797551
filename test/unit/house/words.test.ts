import { describe, expect, it } from "vitest";
import { WordSearch } from "../../house/words/find-words.ts";
import { readNamingPage } from "../../house/words/naming-page.ts";

const naming = (section: string, row: string): string =>
  `# Naming\n\n## ${section}\n\n| Do not write | Write | Where it may stay, and why |\n| --- | --- | --- |\n${row}\n`;

/** The words that a page with a single rule finds in a file. */
const found = (section: string, row: string, text: string, path = "shared/http/a.ts"): string[] =>
  new WordSearch(readNamingPage(naming(section, row)))
    .find({ path, text })
    .map(({ line, word }) => `${line}: ${word}`);

const both = "Names and sentences";

describe("A retired word", () => {
  it("is found in names in any notation", () => {
    const row = "| `give back` | return | |";
    for (const name of ["giveBack", "giveBackForm", "GiveBack", "GIVE_BACK", "mayGiveBack"]) {
      expect(found(both, row, `\nexport const ${name} = 1;`), name).toEqual(["2: give back"]);
    }
    for (const name of ["giveback", "givenBack", "backGive", "give"]) {
      expect(found(both, row, `export const ${name} = 1;`), name).toEqual([]);
    }
  });

  it("is found once for a name of a file, which counts its occurrences", () => {
    const search = new WordSearch(readNamingPage(naming(both, "| `owed` | pending | |")));
    const [finding, ...others] = search.find({
      path: "shared/a.ts",
      text: "const owed = 1;\nexport const twice = owed + owed;",
    });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ line: 1, around: "owed, 3 times", write: "pending" });
  });

  it("is found in the name of a file, a type, a property, a private field and an element", () => {
    const row = "| `owed` | pending | |";
    expect(found(both, row, "", "shared/owed-usage.ts")).toEqual(["1: owed"]);
    expect(found(both, row, "export interface OwedUsage {\n  owedTasks: number;\n}")).toEqual([
      "1: owed",
      "2: owed",
    ]);
    expect(found(both, row, "class A {\n  #owed = 1;\n}")).toEqual(["2: owed"]);
    expect(found(both, row, "export const a = <Owed />;", "functions/console/a.tsx")).toEqual(["1: owed"]);
  });

  it("of a name's beginning or end is found nowhere else", () => {
    expect(found("Names", "| `most…` | max… | |", "const mostBytes = 1;")).toEqual(["1: most…"]);
    expect(found("Names", "| `most…` | max… | |", "const most = [atMost, utmost];")).toEqual([]);
    expect(found("Names", "| `…try` | attempt | |", "const [lastTry, tryAgain, retry] = [];")).toEqual([
      "1: …try",
    ]);
  });

  it("may have any ending", () => {
    const row = "| `answer*` | response | |";
    const text = "// It answers.\nconst answeredOnce = 1;";
    expect(found(both, row, text)).toEqual(["1: answers", "2: answer*"]);
  });

  it("is found in comments, also across their lines, in any case", () => {
    const row = "| `by itself` | automatically | |";
    expect(found("Sentences", row, "/**\n * It ends by\n * itself.\n */")).toEqual(["2: by itself"]);
    expect(found("Sentences", row, "// It ends by\n// itself. By itself!")).toEqual([
      "1: by itself",
      "2: By itself",
    ]);
  });

  it("is found in strings of several words, templates and the texts of elements, but not in keys", () => {
    const row = "| `told` | said | |";
    expect(found(both, row, 'throw new Error("Nothing was told.");')).toEqual(["1: told"]);
    expect(found(both, row, `const a = \`\${name} was\ntold \${b}.\`;`)).toEqual(["2: told"]);
    expect(found(both, row, "const a = <p>You are told.</p>;", "functions/console/a.tsx")).toEqual([
      "1: told",
    ]);
    expect(found(both, row, 'log("message.told", { [key]: "told" });')).toEqual([]);
  });

  it("is found in a text of the pages that is a single word", () => {
    const [row, text] = ['| `"Made"` | Created | |', '{ "on": "Made", "at": "Made here" }'];
    expect(found("Pages", row, text, "shared/pages/texts/en.json")).toEqual(["1: Made"]);
    expect(found("Pages", row, text)).toEqual([]);
  });

  it("is found in the titles of tests and in the names of their cases, but not in their data", () => {
    const row = "| `told` | said | |";
    const text = [
      'describe("is told", () => {',
      '  it.each([["was told", "he told me"]])("says %s", () => expect(ask("he told me")));',
      '  it("tells what was told", () => {});',
      "});",
    ].join("\n");
    expect(found(both, row, text, "test/unit/a.test.ts")).toEqual(["1: told", "2: told", "3: told"]);
  });

  it("is found in the output of programs below test/", () => {
    expect(found(both, "| `told` | said | |", 'print("What was told");', "test/bench/a.ts")).toEqual([
      "1: told",
    ]);
  });

  it("is found in documents, workflows and the comments of style sheets", () => {
    const row = "| `told` | said | |";
    expect(found(both, row, "# A\n\nIt is told.", "README.md")).toEqual(["3: told"]);
    expect(found(both, row, "on: push\n# It is told.", ".github/workflows/a.yml")).toEqual(["2: told"]);
    expect(found(both, row, "/* It is\n told. */\n.told {}", "functions/console/view/a.css")).toEqual([
      "2: told",
    ]);
  });

  it("is not found in code that a sentence quotes, in addresses", () => {
    const row = "| `told`, `the code` | said | |";
    expect(found(both, row, "// See `told`, {@link told} and https://example.com/told\n")).toEqual([]);
    expect(found(both, row, "Run `told`:\n\n```sh\ntold the code\n```\n\n[a](told.md)", "README.md")).toEqual(
      [],
    );
    expect(found(both, row, "the `x` code", "README.md")).toEqual([]);
  });

  it("is not part of another word", () => {
    expect(found("Sentences", "| `sound` | audio | |", "// Soundness, sound-proof, ultrasound.")).toEqual([]);
  });
});

describe("An exception", () => {
  it("lets a name stay, everywhere or below a path", () => {
    const everywhere = "| `owed` | pending | `owedTotal`: a stored attribute |";
    expect(found(both, everywhere, "const owedTotal = owed;")).toEqual(["1: owed"]);
    const below = "| `owed` | pending | `shared/http/: owed`: a stored attribute |";
    expect(found(both, below, "const owed = 1;")).toEqual([]);
    expect(found(both, below, "const owed = 1;", "shared/httpd/a.ts")).toEqual(["1: owed"]);
    expect(found(both, below, "const owedTotal = 1;")).toEqual(["1: owed"]);
  });

  it("lets a phrase stay that contains the word", () => {
    const row = "| `stands` | is | `stands for`: the ordinary phrase |";
    expect(found("Sentences", row, "// A stands for\n// B. It stands there.")).toEqual(["2: stands"]);
  });

  it("lets all of a file stay", () => {
    const row = "| `told` | said | `functions/chat/a.ts`: sentences of a phrasebook |";
    expect(found(both, row, "// told", "functions/chat/a.ts")).toEqual([]);
    expect(found(both, row, "// told", "functions/chat/b.ts")).toEqual(["1: told"]);
  });

  it("that nothing needs is known", () => {
    const search = new WordSearch(
      readNamingPage(naming(both, "| `owed` | pending | `owedTotal`, `owedOnce`: stored attributes |")),
    );
    search.find({ path: "shared/a.ts", text: "const owedTotal = 1;" });
    expect(search.unusedExceptions()).toEqual([{ path: undefined, text: "owedOnce" }]);
  });

  it("needs a reason, and a row a replacement", () => {
    expect(() => readNamingPage(naming(both, "| `owed` | pending | `owedTotal` |"))).toThrow(
      "lacks its reason",
    );
    expect(() => readNamingPage(naming(both, "| `owed` | | |"))).toThrow("incomplete");
    expect(() => readNamingPage(naming(both, "| owed | pending | |"))).toThrow("incomplete");
  });
});

describe("A file that is not searched", () => {
  const page = (row: string) =>
    new WordSearch(
      readNamingPage(
        `${naming(both, "| `told` | said | |")}\n## Not searched\n\n| Files | Why |\n| --- | --- |\n${row}\n`,
      ),
    );

  it("has no findings, or none from a line on", () => {
    const text = "# Changes\n\n## 3.0.0\n\nIt is told.\n\n## 2.0.0\n\nIt was told.\n";
    expect(page("| `CHANGELOG.md` | Old. |").find({ path: "CHANGELOG.md", text })).toEqual([]);
    expect(page("| `CHANGELOG.md` `## 2.0.0` | Old. |").find({ path: "CHANGELOG.md", text })).toMatchObject([
      { line: 5 },
    ]);
  });
});
