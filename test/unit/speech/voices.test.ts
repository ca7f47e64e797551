import { describe, expect, it } from "vitest";
import { allVoices, synthesisLanguages } from "../../../shared/platform/catalogue/voices.ts";
import { speechInMemory } from "../../support/fake-speech.ts";
import { authorizedCaller, send } from "../../support/send.ts";

const list = (query: Record<string, string> = {}) =>
  send(speechInMemory().endpoints, {
    method: "GET",
    path: "/tasks/voice/speakers",
    query,
    authorizer: authorizedCaller,
  });

describe("the catalogue of voices", () => {
  it("has 48 voices in 20 languages, three of which have none", () => {
    expect(synthesisLanguages).toHaveLength(20);
    expect(new Set(allVoices).size).toBe(48);
    const voiceless = synthesisLanguages.filter(({ voices }) => voices.length === 0);
    expect(voiceless.map(({ code }) => code)).toEqual(["lgg", "sot", "tsn"]);
  });

  it("names each voice after its corpus, its language and a number", () => {
    for (const { code, voices } of synthesisLanguages) {
      for (const voice of voices) {
        expect(voice).toMatch(new RegExp(`^(salt|waxal|slr32|slr129|bateesa)_${code}_\\d{4}$`));
      }
    }
  });
});

describe("GET /tasks/voice/speakers", () => {
  it("lists the voices by language", async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      default: "salt_lug_0001",
      total: 48,
      by_language: { afr: ["slr32_afr_0009"], eng: expect.any(Array), lgg: [], sot: [], tsn: [] },
    });
    expect(body.languages).toEqual(Object.keys(body.by_language));
    expect(body.languages).toHaveLength(20);
    expect(body.languages).toEqual(body.languages.toSorted());
  });

  it.each([
    ["swa", ["waxal_swa_0006", "waxal_swa_0007"]],
    ["lgg", []],
  ])("lists those of %s", async (language, speakers) => {
    expect(await list({ language })).toMatchObject({
      status: 200,
      body: { language: language.toLowerCase(), speakers, count: speakers.length },
    });
  });

  it.each(["SWA", "sw", "sw-KE", "Kiswahili"])("knows Swahili as %s", async (language) => {
    expect(await list({ language })).toMatchObject({ status: 200, body: { language: "swa", count: 2 } });
  });

  it.each(["fra", "xxx", ""])("does not know the language %j", async (language) => {
    expect(await list({ language })).toMatchObject({
      status: 400,
      body: { error: { code: "unknown_language", param: "language" } },
    });
  });
});
