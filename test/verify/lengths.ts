import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bufferSource, inspectAudio } from "../../shared/audio/read-audio.ts";
import { withTemporaryDirectory } from "../infra/synthesized-service.ts";
import { type Part, ToolMissing, verdictOf } from "./run-parts.ts";

/** Syllables and pauses: loud noise and voice, which encoders find hard at the rates of speech. */
const audio =
  "aevalsrc='(0.5*sin(2*PI*t*(120+40*sin(2*PI*t)))+0.3*random(0))*gt(sin(2*PI*4*t),-0.4)*lt(mod(t,3),2.6)':s=48000:d=6";

const combine = (...lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>(
    (rows, list) => rows.flatMap((row) => list.map((entry) => `${row} ${entry}`.trim())),
    [""],
  );

const rates = combine(["-ar"], ["8000", "11025", "16000", "22050", "24000", "32000", "44100", "48000"]);
const channels = ["-ac 1", "-ac 2"];

interface Files {
  readonly options: readonly string[];
  readonly extensions: readonly string[];
}

/** Everything that is taken, as options of ffmpeg and names of files. */
const taken: readonly Files[] = [
  {
    options: combine(["-c:a aac"], rates, channels, ["-b:a 24k", "-b:a 64k", "-b:a 128k"]),
    extensions: ["aac", "m4a", "mka"],
  },
  {
    options: combine(
      ["-c:a aac"],
      ["-ar 16000", "-ar 48000"],
      ["-movflags"],
      [
        "frag_keyframe -frag_duration 1000000",
        "frag_keyframe+empty_moov -frag_duration 1000000",
        "+faststart",
      ],
    ),
    extensions: ["m4a"],
  },
  {
    options: combine(["-c:a libmp3lame"], ["-ar 8000", "-ar 16000", "-ar 24000", "-ar 44100"], channels, [
      "-b:a 24k",
      "-q:a 5",
      "-b:a 64k -write_xing 0",
    ]),
    extensions: ["mp3", "mka"],
  },
  { options: combine(["-c:a mp2"], ["-ar 24000", "-ar 48000"], channels), extensions: ["mp2"] },
  {
    options: combine(["-c:a libopus"], channels, ["-b:a 12k", "-b:a 64k"]),
    extensions: ["ogg", "opus", "webm", "mka", "mp4"],
  },
  {
    options: combine(["-c:a libvorbis"], ["-ar 16000", "-ar 44100"], channels),
    extensions: ["ogg", "webm", "mka"],
  },
  {
    options: combine(["-c:a flac"], ["-ar 16000", "-ar 48000"], channels),
    extensions: ["flac", "ogg", "mka"],
  },
  { options: combine(["-c:a alac"], ["-ar 16000", "-ar 44100"]), extensions: ["m4a"] },
  {
    options: combine(
      ["-c:a"],
      ["pcm_s16le", "pcm_u8", "pcm_f32le", "pcm_mulaw", "adpcm_ms", "adpcm_ima_wav"],
      ["-ar 8000", "-ar 16000"],
    ),
    extensions: ["wav"],
  },
];

/** What is refused, with its name. */
const refused = [
  ["wma", "-c:a wmav2", "a Windows Media file"],
  ["ts", "-c:a aac", "an MPEG transport stream"],
  ["aiff", "", "an AIFF file"],
  ["au", "", "a Sun audio file"],
  ["caf", "", "a Core Audio file"],
  ["w64", "", "a Wave64 file"],
] as const;

const runFfmpeg = (...options: readonly string[]): Buffer => {
  const { stdout, stderr, status, error } = spawnSync("ffmpeg", ["-v", "error", "-y", ...options], {
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  if (error) throw new ToolMissing("there is no ffmpeg on this machine");
  if (status !== 0) throw new Error(`${options.join(" ")}: ${stderr.toString()}`);
  return stdout;
};

const decodedSeconds = (path: string): number =>
  runFfmpeg("-i", path, "-f", "s16le", "-ac", "1", "-ar", "16000", "-").length / 32_000;

const maxDifference = (seconds: number): number => Math.max(0.1, seconds / 100);

/** How long recordings are, by ffmpeg: as its encoders write them, in every container. */
export const lengthsPart: Part = {
  name: "ffmpeg: lengths of recordings",
  paths: ["shared/audio"],
  run: () =>
    withTemporaryDirectory(async (directory) => {
      const speech = join(directory, "speech.wav");
      runFfmpeg("-f", "lavfi", "-i", audio, speech);
      const write = async (extension: string, options: string) => {
        const path = join(directory, `recording.${extension}`);
        runFfmpeg("-i", speech, ...options.split(" ").filter(Boolean), path);
        return { path, source: bufferSource(await readFile(path)) };
      };
      const findings: string[] = [];
      let files = 0;
      for (const { options, extensions } of taken) {
        for (const extension of extensions) {
          for (const option of options) {
            const { path, source } = await write(extension, option);
            const expected = decodedSeconds(path);
            const found = await inspectAudio(source).catch(String);
            files += 1;
            const name = `${extension} ${option}`;
            if (typeof found === "string") findings.push(`${name}: ${found}`);
            else if (
              Math.abs(found.durationSeconds - expected) > maxDifference(expected) ||
              found.hasWrongTimes
            )
              findings.push(`${name}: ${found.durationSeconds} s, and ffmpeg decodes ${expected}`);
          }
        }
      }
      for (const [extension, option, kind] of refused) {
        const { source } = await write(extension, option);
        const refusal = await inspectAudio(source).then(() => "it was taken", String);
        if (!refusal.includes(`This is ${kind}`)) findings.push(`${extension}: ${refusal}`);
      }
      return verdictOf(findings, `${files} recordings, and ${refused.length} that are refused by name`);
    }),
};
