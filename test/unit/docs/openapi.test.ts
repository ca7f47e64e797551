import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildOpenApi } from "../../../functions/docs/build-openapi.ts";
import { operations } from "../../../functions/manifest.ts";

const file = new URL("../../../functions/docs/openapi.json", import.meta.url);

describe("the API's description", () => {
  it("is what the contracts say; npm run openapi writes it anew", () => {
    expect(buildOpenApi(operations)).toEqual(JSON.parse(readFileSync(file, "utf8")));
  });
});
