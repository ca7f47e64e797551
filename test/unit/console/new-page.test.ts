import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPageHandler } from "../../../shared/pages/server/page-handler.ts";
import { filesListedBelow, filesMovedTo, findingsWith, withLineBehind } from "../../support/added-files.ts";
import { lambdaContext, lambdaEvent } from "../../support/lambda-event.ts";
import { invokeStreaming, stubStreamingRuntime } from "../../support/lambda-stream.ts";
import { unlimited } from "../../support/unlimited.ts";
import { riddlePages } from "./riddle/riddle-pages.tsx";

const list = "functions/console/console-pages.ts";

const added = new Map([
  ...filesMovedTo("functions/console/riddle", "test/unit/console/riddle"),
  withLineBehind(list, "recordings-pages.tsx", 'import { riddlePages } from "./riddle/riddle-pages.tsx";'),
]);

beforeEach(stubStreamingRuntime);
afterEach(() => vi.unstubAllGlobals());

describe("A new page", () => {
  it("touches what CONTRIBUTING.md lists, and no rule of imports or names objects", () => {
    const touched = [...added.keys()].map((path) =>
      path
        .replace(/^functions\/console\/riddle\/.*/, "functions/<function>/<folder>/")
        .replace(list, "functions/<function>/<function>-pages.ts"),
    );
    expect(new Set([...touched, "shared/pages/texts/<language>.json", "CHANGELOG.md"])).toEqual(
      new Set(filesListedBelow("What a new page touches")),
    );
    expect(findingsWith(added)).toEqual([]);
  });

  it("is served in the frame of all pages, in the language of its reader", async () => {
    const site = {
      baseUrl: "https://api.example.com/prod",
      origins: { storage: [], stream: [] },
      assets: [],
      languages: ["en", "sw"] as const,
    };
    const handler = createPageHandler(
      riddlePages(),
      { site },
      { limiter: unlimited, metricsNamespace: undefined },
    );
    const request = {
      method: "GET",
      path: "/console/riddle",
      headers: { Accept: "text/html", "Accept-Language": "sw" },
    };
    const { status, body } = await invokeStreaming(handler, lambdaEvent(request), lambdaContext());
    expect(status).toBe(200);
    expect(body).toContain('<html lang="sw"');
    expect(body).toContain("<h1>Tafsiri");
  });
});
