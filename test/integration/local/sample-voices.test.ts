import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModels } from "../../../infra/local/models.ts";
import { synthesisLanguages } from "../../../shared/platform/catalogue/voices.ts";

let models: Awaited<ReturnType<typeof startModels>>;
beforeAll(async () => {
  models = await startModels(0, { MODELS: "sample" });
});
afterAll(() => models.close());

const speakingLanguages = synthesisLanguages.filter(({ voices }) => voices.length > 0);

describe("the sample models of the local service", () => {
  it.each(speakingLanguages)(
    "speak $name with the last voice that the catalogue has for it",
    async ({ voices }) => {
      const response = await fetch(`${models.variables["CHAT_BASE_URL"]}/audio/speech`, {
        method: "POST",
        body: JSON.stringify({
          model: models.variables["SPEECH_MODEL"],
          input: "Maama.",
          voice: voices.at(-1),
          response_format: "pcm",
        }),
      });
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10_000);
    },
  );
});
