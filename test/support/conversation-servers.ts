import { hearSeconds } from "./numbered-recording.ts";
import { type RecordingServer, startRecordingServer } from "./recording-server.ts";

/** Two people speak in turn, for three and two seconds. */
export const speakerOfSecond = (second: number): "A" | "B" => (second % 5 < 3 ? "A" : "B");

const fieldOf = (form: Buffer, name: string): string | undefined =>
  new RegExp(`name="${name}"\r\n\r\n([^\r]*)`).exec(form.toString("latin1"))?.[1];

const secondOf = (text: string): number => Number(text.replace("second-", ""));

type Heard = ReturnType<typeof hearSeconds>["segments"];

const joined = (segments: Heard) => ({
  start: segments[0]?.start ?? 0,
  end: segments.at(-1)?.end ?? 0,
  text: segments.map(({ text }) => text).join(" "),
});

/** A server that hears numbered recordings. @param reply what it says; `undefined` refuses. */
const startHearing = (reply: (heard: Heard, form: Buffer) => object | undefined): Promise<RecordingServer> =>
  startRecordingServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = Buffer.concat(chunks);
    const body = reply(hearSeconds(form).segments, form);
    const refusal = { error: { message: "response_format must be one of json, verbose_json" } };
    response
      .writeHead(body ? 200 : 400, { "Content-Type": "application/json" })
      .end(JSON.stringify(body ?? refusal));
  });

/** Hears words, in segments of seven seconds, and does not know who says them. */
export const startWordServer = (): Promise<RecordingServer> =>
  startHearing((heard, form) => {
    if (fieldOf(form, "response_format") === "diarized_json") return undefined;
    const groups = Map.groupBy(heard, (_, index) => Math.floor(index / 7));
    return {
      text: joined(heard).text,
      segments: [...groups.values()].map(joined),
      words: heard.map(({ text, ...times }) => ({ word: text, ...times })),
    };
  });

/** Hears who speaks, without words, and calls people otherwise in each recording. */
export const startTurnServer = (): Promise<RecordingServer> => {
  let calls = 0;
  return startHearing((heard) => {
    calls += 1;
    const turns: Heard[] = [];
    for (const second of heard) {
      const last = turns.at(-1)?.at(-1);
      const isSame = last && speakerOfSecond(secondOf(last.text)) === speakerOfSecond(secondOf(second.text));
      if (isSame) turns.at(-1)?.push(second);
      else turns.push([second]);
    }
    const segments = turns.map((turn) => {
      const { start, end, text } = joined(turn);
      const isFirst = speakerOfSecond(Number.parseInt(text.replace("second-", ""), 10)) === "A";
      return { start, end, speaker: `speaker_${(Number(isFirst) + calls) % 2}` };
    });
    return { segments };
  });
};
