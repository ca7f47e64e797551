import { describe, expect, it } from "vitest";
import { routesOf } from "./synthesized-routes.ts";
import { exampleStage, synthesizeService } from "./synthesized-service.ts";

const pathsWith = async (variables: Record<string, string>): Promise<string[]> =>
  routesOf(await synthesizeService(exampleStage("prod", variables)))
    .filter(({ functionName, method }) => functionName === "legacy" && method !== "HEAD")
    .map(({ path }) => path);

describe("The providers' routes of version 1", () => {
  it("are called after the providers that a stage names", async () => {
    const paths = await pathsWith({ LEGACY_VENDOR_A: "acme", LEGACY_VENDOR_B: "other-gpu" });
    expect(paths).toHaveLength(21);
    expect(paths).toEqual(
      expect.arrayContaining([
        "/tasks/acme/stt",
        "/tasks/acme/orpheus/speakers/{language}",
        "/tasks/other-gpu/tts",
        "/tasks/org/stt",
      ]),
    );
    expect(paths.join()).not.toMatch(/modal|runpod/);
  });

  it("may not be called like another route", async () => {
    await expect(pathsWith({ LEGACY_VENDOR_A: "org" })).rejects.toThrow(
      "The route POST /tasks/org/stt is declared twice.",
    );
  });
});
