import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { corsAllowedHeaders } from "../../../shared/http/cors.ts";

const allowed = corsAllowedHeaders.map((name) => name.toLowerCase());
const openai = new URL("../../../node_modules/openai/", import.meta.url).pathname;

/** The names of headers that OpenAI's own package may add, as its files spell them. */
const headersOfOpenAi = (): Set<string> => {
  const files = readdirSync(openai, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".mjs"),
  );
  return new Set(
    files.flatMap((file) =>
      Array.from(
        readFileSync(join(openai, file), "utf8").matchAll(
          /['"](x-stainless-[a-z-]+|openai-(?:organization|project))['"]/gi,
        ),
        ([, name = ""]) => name.toLowerCase(),
      ),
    ),
  );
};

describe("A browser", () => {
  it("may send every header that OpenAI's package adds", () => {
    const sent = headersOfOpenAi();
    expect([...sent]).toEqual(expect.arrayContaining(["x-stainless-retry-count", "openai-project"]));
    expect([...sent].filter((name) => !allowed.includes(name))).toEqual([]);
  });
});
