import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { doubledExports } from "../house/doubled-exports.ts";
import { brokenLayers, brokenRules } from "../house/imports/check-rules.ts";
import { readImports } from "../house/imports/read-imports.ts";
import { fileRings, folderRings } from "../house/imports/rings.ts";
import { singleUsers } from "../house/imports/single-users.ts";
import { isProduction, readRepository, sourceModule } from "../house/sources.ts";
import { importRules, rooms } from "./import-rules.ts";

const root = join(import.meta.dirname, "../..");
const { paths, modules } = readRepository(root);
const imports = modules.flatMap(readImports);
const known = new Set(paths);
const own = imports.filter(({ to }) => known.has(to));

const importsOf = (path: string, source: string) => readImports(sourceModule(path, source));

describe("The modules of this repository", () => {
  it("import each other as the table of rules allows", () => {
    expect(imports.length).toBeGreaterThan(5_000);
    expect(brokenRules(imports, importRules)).toEqual([]);
  });

  it("do not import each other in a ring, types included", () => {
    expect(own.length).toBeGreaterThan(modules.length);
    expect(fileRings(own)).toEqual([]);
  });

  it("have no ring between their folders, types included", () => {
    expect(folderRings(own)).toEqual([]);
  });

  it("of a room of shared/ import only rooms below it", () => {
    expect(readdirSync(join(root, "shared")).toSorted()).toEqual(Object.keys(rooms).toSorted());
    expect(brokenLayers(own, rooms)).toEqual([]);
  });

  it("of shared/ have more than one user", () => {
    const found = singleUsers(own);
    expect(found).toEqual([]);
  });

  it("export each name once", () => {
    expect(doubledExports(modules)).toEqual([]);
  });

  it("give each kind of error a name in writing, because bundles shorten the names of classes", () => {
    const kinds = modules
      .filter(({ path }) => isProduction(path) && !path.startsWith("infra/"))
      .flatMap(
        ({ text }) =>
          text.match(/^(?:export )?class \w+ extends Error\b.*?^\}|^class .* extends Error \{\}/gms) ?? [],
      );
    expect(kinds.length).toBeGreaterThan(10);
    expect(kinds.filter((text) => !/^\s+override readonly name\b/m.test(text))).toEqual([]);
  });
});

/** Modules that break a rule, by what they do. */
const refused = {
  "the product reaching into a package's source": [
    "infra/local/reach-in.ts",
    'export * from "../packages/aws-stand-ins/src/s3/s3-server.ts";',
  ],
  "the product reaching into a package at run time": [
    "infra/local/reach-in-later.ts",
    'export const later = () => import("../packages/aws-stand-ins/src/index.ts");',
  ],
  "the product reaching past a package's entry by its name": [
    "infra/commands/reach-past.ts",
    'export * from "@language-ai/aws-stand-ins/src/s3/s3-server.ts";',
  ],
  "a test using a package's test fixture": [
    "test/integration/borrow.ts",
    'export * from "../../infra/packages/aws-stand-ins/test/s3-fixture.ts";',
  ],
  "shared code using a package": ["shared/http/stand-in.ts", 'export * from "@language-ai/aws-stand-ins";'],
  "shared code reaching into a package": [
    "shared/http/reach-in.ts",
    'export * from "../../infra/packages/aws-stand-ins/src/index.ts";',
  ],
  "shared code using a type of a feature": [
    "shared/platform/storage/deep/feature.ts",
    'export type Message = import("../../../../functions/chat/contract.ts").Message;',
  ],
  "a feature using a package": ["functions/chat/stand-in.ts", 'export * from "@language-ai/sample-models";'],
  "a feature's deeper module importing another feature's types": [
    "functions/chat/v1/deep/contract.ts",
    'import type { A } from "../../../auth/contract.ts";',
  ],
  "a feature importing another feature at run time": [
    "functions/chat/later.ts",
    'export const later = () => import("../auth/contract.ts");',
  ],
  "a feature importing a deprecated route": [
    "functions/chat/legacy.ts",
    'export { route } from "../legacy/contract.ts";',
  ],
  "a feature importing infrastructure": [
    "functions/chat/stages.ts",
    'import { stages } from "../../infra/stages.ts";',
  ],
  "production code importing a test's support": [
    "functions/chat/wav.ts",
    'import { wav } from "../support/wav.ts";',
  ],
  "a repository importing a client of the table": [
    "shared/accounts/repositories/table.ts",
    'import { GetCommand } from "@aws-sdk/lib-dynamodb";',
  ],
  "a feature opening a connection of its own": [
    "functions/callback/open.ts",
    'import { connect } from "node:net";',
  ],
  "a client of its own beside the others": [
    "shared/platform/outbound/third-client.ts",
    'import * as https from "node:https";',
  ],
  "a client with agents of its own": [
    "functions/messaging/agent.ts",
    'import { Agent, type IncomingMessage } from "node:http";',
  ],
  "a package's entry importing the product's infrastructure": [
    "infra/packages/aws-stand-ins/src/product.ts",
    'export * from "../../../local/settings.ts";',
  ],
  "a package's module importing shared code": [
    "infra/packages/aws-stand-ins/src/gateway/product.ts",
    'export * from "../../../../../shared/http/operation.ts";',
  ],
  "a package's deeper module importing shared code": [
    "infra/packages/sample-models/src/chat/skills/deeper/still/product.ts",
    'export * from "../../../../../../../../shared/http/operation.ts";',
  ],
  "a package's test importing the product's test support": [
    "infra/packages/sample-models/test/product.ts",
    'export * from "../../../../test/support/wav.ts";',
  ],
  "a package importing another one's inside": [
    "infra/packages/sample-models/src/other-package.ts",
    'export * from "../../aws-stand-ins/src/s3/s3-server.ts";',
  ],
  "a package importing another one's inside by its name": [
    "infra/packages/sample-models/src/other-package-by-name.ts",
    'export * from "@language-ai/aws-stand-ins/src/s3/s3-server.ts";',
  ],
  "the training importing more of the product than the model": [
    "infra/packages/language-id-training/src/training/product.ts",
    'export * from "../../../../../shared/http/operation.ts";',
  ],
} as const;

const allowed = {
  "a feature naming the type of a response": [
    "functions/messaging/response.ts",
    'import type { IncomingMessage } from "node:http";',
  ],
  "the product using a package by its entry": [
    "infra/local/entry.ts",
    'export * from "@language-ai/aws-stand-ins";',
  ],
  "a test using a package by its entry": [
    "test/integration/entry.ts",
    'export * from "@language-ai/aws-stand-ins";',
  ],
  "a package's module importing another folder of its own": [
    "infra/packages/aws-stand-ins/src/gateway/inside.ts",
    'export * from "../lambda/invocation.ts";',
  ],
  "a package's test importing its source": [
    "infra/packages/aws-stand-ins/test/inside.ts",
    'export * from "../src/lambda/invocation.ts";',
  ],
  "the training importing the model": [
    "infra/packages/language-id-training/src/training/model.ts",
    'export * from "../../../../../shared/models/language-id/model.ts";',
  ],
  "a deprecated route importing a feature": [
    "functions/legacy/speech.ts",
    'export * from "../speech/contract.ts";',
  ],
  "a feature's deeper module importing its own contract": [
    "functions/chat/v1/deep.ts",
    'export * from "../contract.ts";',
  ],
} as const;

describe("The table of rules", () => {
  it.each(Object.entries(refused))("refuses %s", (_what, [path, source]) => {
    expect(brokenRules(importsOf(path, source), importRules)).not.toEqual([]);
  });

  it.each(Object.entries(allowed))("allows %s", (_what, [path, source]) => {
    const found = importsOf(path, source);
    expect(found).toHaveLength(1);
    expect(brokenRules(found, importRules)).toEqual([]);
  });

  it("names a rule once for each import that breaks it, with its reason", () => {
    expect(brokenRules(importsOf(...refused["a feature importing infrastructure"]), importRules)).toEqual([
      "functions/chat/stages.ts imports infra/stages.ts: A function knows nothing of its deployment.",
    ]);
  });

  it("refuses an import of a room above", () => {
    const upwards = importsOf("shared/platform/errors/x.ts", 'import type { A } from "../../http/a.ts";');
    expect(brokenLayers(upwards, rooms)).toEqual([
      "shared/platform/errors/x.ts imports shared/http/a.ts: platform may not import http.",
    ]);
    expect(brokenLayers(importsOf("shared/http/x.ts", 'import "../platform/a.ts";'), rooms)).toEqual([]);
  });
});

describe("The search for doubled exports", () => {
  it("finds a name that two modules export, but for the entries of functions", () => {
    const file = (path: string, text: string) => ({ path, text });
    expect(
      doubledExports([
        file("shared/a.ts", "export const pause = 1;\nexport const handler = 2;"),
        file("functions/chat/handler.ts", "export async function* pause() {}\nexport const handler = 3;"),
        file("functions/auth/handler.ts", "export const handler = 4;\nexport type Other = 1;"),
        file("test/a.ts", "export type Other = 2;"),
      ]),
    ).toEqual([{ name: "pause", paths: ["shared/a.ts", "functions/chat/handler.ts"] }]);
  });
});

describe("The search for rings", () => {
  it("finds modules that import each other, also by types alone, which tests may", () => {
    const text = (to: string) => `export { a } from "./${to}.ts";`;
    const ring = [
      ...importsOf("infra/a.ts", text("b")),
      ...importsOf("infra/b.ts", text("c")),
      ...importsOf("infra/c.ts", text("b")),
    ];
    expect(fileRings(ring)).toEqual(["infra/b.ts → infra/c.ts → infra/b.ts"]);
    const types = (folder: string) => [
      ...importsOf(`${folder}/a.ts`, text("b")),
      ...importsOf(`${folder}/b.ts`, 'import type { A } from "./a.ts";'),
    ];
    expect(fileRings(types("infra"))).toEqual(["infra/a.ts → infra/b.ts → infra/a.ts"]);
    expect(fileRings(types("test/support"))).toEqual([]);
  });

  it("finds folders that import each other, also by types and through a folder below", () => {
    const ring = [
      ...importsOf("shared/audio/wav/a.ts", 'import type { B } from "../mpeg/b.ts";'),
      ...importsOf("shared/audio/mpeg/c.ts", 'export const later = () => import("../d.ts");'),
      ...importsOf("shared/audio/e.ts", 'import type { A } from "./wav/a.ts";'),
    ];
    expect(folderRings(ring)).toEqual([
      "shared/audio/wav → shared/audio/mpeg → shared/audio → shared/audio/wav (shared/audio/wav/a.ts imports shared/audio/mpeg/b.ts; shared/audio/mpeg/c.ts imports shared/audio/d.ts; shared/audio/e.ts imports shared/audio/wav/a.ts)",
    ]);
  });

  it("finds folders of a feature that import each other, and leaves the feature's own folder out", () => {
    const own = importsOf("functions/chat/v1/a.ts", 'import type { A } from "../contract.ts";');
    const back = importsOf("functions/chat/endpoints.ts", 'import { a } from "./v1/a.ts";');
    const across = importsOf("functions/chat/v1/b.ts", 'import type { C } from "../v2/c.ts";');
    const returned = importsOf("functions/chat/v2/d.ts", 'import { b } from "../v1/b.ts";');
    expect(folderRings([...own, ...back, ...across])).toEqual([]);
    expect(folderRings([...own, ...back, ...across, ...returned])).toEqual([
      "functions/chat/v1 → functions/chat/v2 → functions/chat/v1 (functions/chat/v1/b.ts imports functions/chat/v2/c.ts; functions/chat/v2/d.ts imports functions/chat/v1/b.ts)",
    ]);
  });

  it("finds rooms that import each other through different folders", () => {
    const ring = [
      ...importsOf("shared/http/a/a.ts", 'import "../../audio/a/a.ts";'),
      ...importsOf("shared/audio/b/b.ts", 'import "../../http/b/b.ts";'),
    ];
    expect(folderRings(ring)).toHaveLength(1);
    expect(folderRings(ring)[0]).toContain("shared/http → shared/audio → shared/http");
  });
});

describe("The search for single users", () => {
  it("finds a file of shared/ that one feature uses, also through another file, and ignores tests", () => {
    const used = [
      ...importsOf("functions/chat/a.ts", 'import "../../shared/http/a.ts";'),
      ...importsOf("shared/http/a.ts", 'import "./b.ts";\nimport "./c.ts";'),
      ...importsOf("functions/auth/a.ts", 'import type { C } from "../../shared/http/c.ts";'),
      ...importsOf("test/unit/b.test.ts", 'import "../../shared/http/b.ts";'),
    ];
    expect(singleUsers(used)).toEqual([
      { file: "shared/http/a.ts", user: "functions/chat" },
      { file: "shared/http/b.ts", user: "functions/chat" },
    ]);
  });
});
