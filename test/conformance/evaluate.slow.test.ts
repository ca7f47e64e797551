import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { evaluationSchema } from "../../functions/site/quality/evaluation.ts";
import { baseUrl, sharedAccount, speak } from "../support/client.ts";
import { runCommand } from "../support/run-service.ts";
import { wavHeaderBytes } from "../support/wav.ts";

const evaluate = async (args: readonly string[], variables: Record<string, string> = {}) => {
  const running = runCommand("infra/commands/evaluate.ts", ["--base-url", `${baseUrl}/`, ...args], variables);
  return { code: await running.ended, output: running.output() };
};

const linesOf = (...rows: readonly object[]): string =>
  `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;

describe("npm run evaluate", () => {
  let folder: string;
  let token: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "evaluate-"));
    ({ token } = await sharedAccount());
  });
  afterAll(() => rm(folder, { recursive: true }));

  const writeData = async (name: string, files: Readonly<Record<string, string | Uint8Array>>) => {
    const data = join(folder, name);
    await mkdir(data);
    for (const [file, content] of Object.entries(files)) await writeFile(join(data, file), content);
    return data;
  };

  const readEvaluation = async (out: string) =>
    evaluationSchema.parse(JSON.parse(await readFile(join(out, "evaluation.json"), "utf8")));

  it.runIf(inject("isLocal"))(
    "scores translations, transcriptions and languages of the service, and says what it did not measure",
    async () => {
      const data = await writeData("data", {
        "pairs.tsv": [
          "source_language\ttarget_language\tsource\ttarget",
          "eng\tlug\tHow are you?\tOli otya?",
          "English\tlg\tThank you\tWebale nnyo",
          "eng\tfra\tThank you\tMerci",
          "",
        ].join("\n"),
        "clip.wav": await speak("Webale nnyo", token),
        "speech.jsonl": linesOf({ audio: "clip.wav", transcript: "Webale nnyo ssebo", language: "lug" }),
        "texts.jsonl": linesOf(
          { text: "Where are you going today, my friend?", language: "eng" },
          { text: "Where do you live these days, my friend?", language: "lug" },
        ),
      });
      const out = join(folder, "out");
      const { code, output } = await evaluate(["--data", data, "--out", out], { EVALUATE_KEY: token });
      expect(output).toContain("6 of 6 items (100%)");
      expect(output).toContain("1 item refused with 400 unsupported_language: ");
      expect(code).toBe(0);
      const evaluation = await readEvaluation(out);
      // By sacreBLEU and jiwer. No text has four tokens in a row, so BLEU is 0.
      expect(evaluation).toMatchObject({
        base_url: baseUrl,
        data: { name: "data" },
        translation: [
          {
            source_language: "eng",
            target_language: "lug",
            items: 2,
            without_output: 0,
            chrf: { score: 73.0532, interval: null },
            bleu: { score: 0, interval: null },
          },
        ],
        transcription: [{ language: "lug", items: 1, wer: { score: 33.3333 }, cer: { score: 35.2941 } }],
        language_identification: [
          { language: "eng", items: 1, accuracy: { score: 100 } },
          { language: "lug", items: 1, accuracy: { score: 0 } },
        ],
      });
      const [translation] = evaluation.translation;
      expect(translation?.cost_per_item).toMatchObject({
        characters: 10.5,
        audio_seconds: null,
        dollars: null,
      });
      expect(translation?.cost_per_item.tokens).toBeGreaterThan(0);
      expect(evaluation.transcription[0]?.cost_per_item.audio_seconds).toBeGreaterThan(0.3);
      expect(output).toContain("English → Luganda: chrF++ 73.1, BLEU 0.0; 2 items");
      expect(output).toMatch(/Not measured: .*Acholi/);

      const outputs = (await readFile(join(out, "outputs.jsonl"), "utf8")).trim().split("\n");
      const written = outputs.map((line): unknown => JSON.parse(line));
      expect(written).toHaveLength(6);
      expect(written).toContainEqual(
        expect.objectContaining({ source: "Thank you", target: "Webale nnyo", output: "Webale" }),
      );
      expect(written).toContainEqual(
        expect.objectContaining({
          target_language: "fra",
          output: null,
          refused: expect.objectContaining({ status: 400, code: "unsupported_language" }),
        }),
      );
      const page = await readFile(join(out, "index.html"), "utf8");
      expect(page).toContain('<th scope="row">English → Luganda</th><td data-label="chrF++">73.1</td>');
      expect(page).toContain("<strong>Not measured:</strong> Acholi, ");
      for (const text of [page, ...outputs, output]) expect(text).not.toContain(token);
    },
    60_000,
  );

  it("uploads a recording that is too large for a request", async () => {
    const bytes = 4_200_000;
    const data = await writeData("long", {
      "silence.wav": Buffer.concat([wavHeaderBytes(bytes, { stated: true }), Buffer.alloc(bytes)]),
      "speech.tsv": "audio\ttranscript\tlanguage\nsilence.wav\tWebale\tlug\n",
    });
    const out = join(folder, "long-out");
    const args = ["--data", data, "--out", out, "--key", token, "--dollars-per-audio-hour", "0.36"];
    const { code, output } = await evaluate(args);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect((await readEvaluation(out)).transcription).toMatchObject([
      { items: 1, cost_per_item: { audio_seconds: 87.5, dollars: 0.00875 } },
    ]);
  });

  it("ends at once when the key is refused, and names no key", async () => {
    const out = join(folder, "refused");
    const { code, output } = await evaluate(["--out", out, "--key", "lai_wrong"]);
    expect(code).toBe(1);
    expect(output).toContain("The service refuses the key (401 ");
    expect(output).not.toContain("lai_wrong");
  });

  it.each([
    [["--key", "k", "--data", "/missing"], "There is no folder /missing"],
    [["--key", "k", "--base-url", "ftp://example.org"], "Name the service with --base-url"],
    [["--key", "k", "--parallel", "0"], "--parallel must be a number above 0."],
    [["--key", "k", "--timeout", "soon"], "--timeout must be a number above 0."],
    [[], "Name a key with --key"],
  ])("says what is wrong with %j", async (args, sentence) => {
    const { code, output } = await evaluate(args);
    expect(code).toBe(1);
    expect(output).toContain(sentence);
  });
});
