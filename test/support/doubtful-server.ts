import { hearSeconds } from "./numbered-recording.ts";
import { type RecordingServer, startRecordingServer } from "./recording-server.ts";

const vocabulary =
  "omusomesa essomero ekitabo amazzi omugga olusozi ekyalo akatale omusawo omulimi amakungula enkuba obudde akawungeezi abaana maama " +
  "taata muganda mwannyina ensi ekibuga olukiiko olukungaana ekibuuzo okuddamu ennamba ebbaluwa ebyafaayo ennyimba okuzina okudduka";
const words = vocabulary.split(" ");

/** A number from 0 to 1 that looks random and is the same for the same numbers. */
const chance = (second: number, salt: number): number => {
  const sine = Math.sin(second * 12.9898 + salt * 78.233) * 43_758.5453;
  return sine - Math.floor(sine);
};

const pick = (at: number): string => words[Math.floor(at * words.length) % words.length] ?? "";

/** What is said in a second of a numbered recording. */
export const saidIn = (second: number): string => pick(chance(second, 1));

/** What is said in a numbered recording. */
export const saidFrom = (from: number, seconds: number): string =>
  Array.from({ length: seconds }, (_, index) => saidIn(from + index)).join(" ");

/** How sure the model of a server is of a word, and whether that says how often it is right. */
const probabilityOf = (second: number): number => 0.1 + 0.9 * chance(second, 2);

/** Of words with a probability of 0.9, two in ten are wrong. */
const isRight = (second: number, isHonest: boolean): boolean =>
  chance(second, 3) < (isHonest ? probabilityOf(second) ** 2 : 0.7);

const heardIn = (second: number, isHonest: boolean): string =>
  isRight(second, isHonest) ? saidIn(second) : pick(chance(second, 1) + 0.37);

const segmentWords = 4;

export interface DoubtfulServer extends RecordingServer {
  /** The forms that it got, as text. */
  readonly forms: string[];
  /** Until it is called again, its probabilities say nothing about what is right. */
  beHonest(isHonest: boolean): void;
}

/** A server whose model mishears words, and knows about each how probable it is; about segments, only their mean. */
export const startDoubtfulServer = async (): Promise<DoubtfulServer> => {
  const forms: string[] = [];
  let isHonest = true;
  const server = await startRecordingServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = Buffer.concat(chunks);
    const text = form.toString("latin1");
    forms.push(text.slice(0, text.indexOf("RIFF")));
    const heard = hearSeconds(form).segments.map(({ text: second, ...times }) => {
      const number = Number(second.replace("second-", ""));
      return { ...times, word: heardIn(number, isHonest), probability: probabilityOf(number) };
    });
    const groups = Map.groupBy(heard, (_, index) => Math.floor(index / segmentWords));
    const segments = [...groups.values()].map((group) => ({
      start: group[0]?.start,
      end: group.at(-1)?.end,
      text: group.map(({ word }) => word).join(" "),
      avg_logprob: Math.log(group.reduce((sum, { probability }) => sum + probability, 0) / group.length),
      compression_ratio: 1,
      no_speech_prob: 0.01,
    }));
    const body = {
      text: heard.map(({ word }) => word).join(" "),
      segments,
      ...(/granularities\[\]"\r\n\r\nword/.test(text) ? { words: heard } : {}),
    };
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  return {
    ...server,
    forms,
    beHonest: (honest) => {
      isHonest = honest;
    },
  };
};
