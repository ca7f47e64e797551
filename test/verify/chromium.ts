import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { createAccount } from "../load/accounts.ts";
import { chromiumArguments, findChromium } from "../support/chromium.ts";
import { speak, withLocalService } from "./local-service.ts";
import { type Part, ToolMissing, verdictOf } from "./run-parts.ts";

const formats = ["wav", "mp3", "opus"] as const;
const sentence = "Wasuze otya nno, ssebo? Nsanyuse okukulaba wano leero.";

/** The page's report about each audio file that it has decoded. */
const heard = z.array(
  z.object({ format: z.enum(formats), seconds: z.number(), channels: z.number(), loudness: z.number() }),
);
type Heard = z.infer<typeof heard>;
const outcome = z.union([z.object({ error: z.string() }), heard]);

/** Decodes the audio as any page would play it. */
const page = `<!doctype html><script type="module">
  const hear = async (format) => {
    const bytes = await (await fetch("/" + format)).arrayBuffer();
    const audio = await new OfflineAudioContext(1, 48_000, 48_000).decodeAudioData(bytes);
    const samples = audio.getChannelData(0);
    const loudness = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    return { format, seconds: audio.duration, channels: audio.numberOfChannels, loudness };
  };
  let report;
  try {
    report = await Promise.all(${JSON.stringify(formats)}.map(hear));
  } catch (error) {
    report = { error: String(error) };
  }
  await fetch("/heard", { method: "POST", body: JSON.stringify(report) });
</script>`;

/** What a page in Chromium hears in this audio. */
const hearIn = async (
  program: string,
  recordings: ReadonlyMap<string, Buffer>,
  profile: string,
): Promise<z.infer<typeof outcome>> => {
  const { promise, resolve, reject } = Promise.withResolvers<z.infer<typeof outcome>>();
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      text(request)
        .then((body) => resolve(outcome.parse(JSON.parse(body))))
        .catch(reject);
    }
    const audio = recordings.get(request.url?.slice(1) ?? "");
    response.setHeader("Content-Type", audio ? "application/octet-stream" : "text/html; charset=utf-8");
    response.end(audio ?? page);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = z.object({ port: z.int() }).parse(server.address());
  const browser = spawn(
    program,
    [
      "--headless=new",
      ...chromiumArguments,
      "--no-first-run",
      `--user-data-dir=${profile}`,
      `http://127.0.0.1:${port}/`,
    ],
    { stdio: "ignore", timeout: 60_000, killSignal: "SIGKILL" },
  );
  const ended = once(browser, "close");
  void ended.then(() =>
    reject(new Error("Chromium ended, or was ended after a minute, and had heard nothing.")),
  );
  try {
    return await promise;
  } finally {
    browser.kill("SIGKILL");
    await ended;
    server.close().closeAllConnections();
  }
};

const findingsIn = (recordings: Heard): string[] => {
  const wav = recordings.find(({ format }) => format === "wav");
  return recordings.flatMap(({ format, seconds, channels, loudness }) => {
    const isLong = Math.abs(seconds - (wav?.seconds ?? 0)) < 0.15;
    const isLoud = Math.abs(loudness / (wav?.loudness ?? 0) - 1) < 0.2;
    return isLong && isLoud && channels === 1
      ? []
      : [
          `${format}: ${seconds} s, ${channels} channels, loudness ${loudness}; WAV ${wav?.seconds} s, ${wav?.loudness}`,
        ];
  });
};

/** A browser that decodes speech in each format: it must be as long and as loud as the original WAV. */
export const chromiumPart: Part = {
  name: "Chromium: speech in each format",
  paths: ["shared/audio/encode", "functions/speech"],
  run: async () => {
    const program = findChromium();
    if (program === undefined) throw new ToolMissing("there is no Chromium on this machine");
    return withLocalService(async ({ url, directory }) => {
      const { token } = await createAccount(url, directory);
      const recordings = new Map<string, Buffer>();
      for (const format of formats)
        recordings.set(format, await speak(url, token, { text: sentence, audio_format: format }));
      const result = await hearIn(program, recordings, join(directory, "profile"));
      if ("error" in result) return { kind: "failed", findings: [result.error] };
      const said = result.map(({ format, seconds }) => `${format} ${seconds.toFixed(2)} s`).join(", ");
      return verdictOf(findingsIn(result), said);
    });
  },
};
