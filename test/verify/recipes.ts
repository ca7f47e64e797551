import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { ToolMissing } from "./run-parts.ts";

/** Runs a program to its end. @returns what it wrote. @throws ToolMissing when there is none */
export const runTool = (program: string, ...options: readonly string[]): Buffer => {
  const { stdout, stderr, status, error } = spawnSync(program, options, {
    maxBuffer: 1 << 28,
    timeout: 120_000,
  });
  if (error) throw new ToolMissing(`there is no ${program} on this machine`);
  if (status !== 0) throw new Error(`${program} ${options.join(" ")}: ${stderr.toString()}`);
  return stdout;
};

export const runFfmpeg = (...options: readonly string[]): Buffer =>
  runTool("ffmpeg", "-v", "error", "-y", ...options);

/** How a program writes a recording, from a WAV file. */
export interface Recipe {
  readonly name: string;
  readonly extension: string;
  /** Whether it is also written with eleven minutes. */
  readonly isLong: boolean;
  make(speech: string, path: string): void;
}

const combine = (...lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>(
    (rows, list) => rows.flatMap((row) => list.map((entry) => `${row} ${entry}`.trim())),
    [""],
  );

const rates = combine(["-ar"], ["8000", "11025", "16000", "22050", "24000", "32000", "44100", "48000"]);
const channels = ["-ac 1", "-ac 2"];
const fragmented = "frag_keyframe+empty_moov -frag_duration 1000000";
const later = "frag_keyframe -frag_duration 1000000";

/** Options of ffmpeg, and extensions of the files that it makes with them. */
const ffmpegFiles: readonly (readonly [options: readonly string[], extensions: readonly string[]])[] = [
  [combine(["-c:a aac"], rates, channels, ["-b:a 24k", "-b:a 64k", "-b:a 128k"]), ["aac", "m4a", "mka"]],
  [combine(["-c:a aac -ar 16000 -movflags"], [fragmented]), ["m4a"]],
  [combine(["-c:a aac -ar 16000 -movflags"], [later]), ["mp4"]],
  [combine(["-c:a aac -ar 48000 -movflags"], [fragmented, later, "+faststart"]), ["m4a"]],
  [
    combine(["-c:a libmp3lame"], ["-ar 8000", "-ar 16000", "-ar 24000", "-ar 44100"], channels, [
      "-b:a 24k",
      "-q:a 5",
      "-b:a 64k -write_xing 0",
    ]),
    ["mp3", "mka", "wav"],
  ],
  [combine(["-c:a mp2"], ["-ar 24000", "-ar 48000"], channels), ["mp2", "wav"]],
  [combine(["-c:a libopus"], channels, ["-b:a 12k", "-b:a 64k"]), ["ogg", "opus", "webm", "mka", "mp4"]],
  [combine(["-c:a libvorbis"], ["-ar 16000", "-ar 44100"], channels), ["ogg", "webm", "mka"]],
  [combine(["-c:a flac"], ["-ar 16000", "-ar 48000"], channels), ["flac", "ogg", "mka"]],
  [combine(["-c:a alac"], ["-ar 16000", "-ar 44100"]), ["m4a", "mov"]],
  [combine(["-c:a"], ["adpcm_ms", "adpcm_ima_wav"], ["-ar 8000", "-ar 16000"]), ["wav", "w64"]],
  [
    combine(["-c:a"], ["pcm_s16le", "pcm_u8", "pcm_f32le", "pcm_mulaw", "pcm_alaw"], ["-ar 8000"], channels),
    ["wav", "w64"],
  ],
  [
    combine(
      ["-c:a"],
      ["pcm_s16be", "pcm_s24be", "pcm_f32be", "pcm_mulaw", "pcm_alaw"],
      ["-ar 8000"],
      channels,
    ),
    ["au"],
  ],
  [
    combine(["-c:a"], ["pcm_s16be", "pcm_s24be", "pcm_s16le", "pcm_f32be", "pcm_mulaw"], ["-ar 16000"]),
    ["aiff"],
  ],
  [combine(["-c:a"], ["pcm_s16be", "pcm_s16le", "pcm_f32le", "pcm_mulaw"], ["-ar 16000"], channels), ["caf"]],
  [combine(["-c:a"], ["alac", "adpcm_ima_qt"], ["-ar 16000"], channels), ["caf"]],
  [["-c:a libopus -ar 48000"], ["caf"]],
  [combine(["-c:a"], ["pcm_s16be", "pcm_s16le", "pcm_mulaw", "aac"], ["-ar 16000"]), ["mov"]],
];

/** Options of SoX for the files that it makes. Its AMR is left out: ffmpeg does not decode the silence in it. */
const soxFiles = [
  ["wav", "-r 8000 -c 1 -e gsm-full-rate"],
  ["wav", "-r 8000 -c 1 -e ima-adpcm"],
  ["wav", "-r 8000 -c 1 -e ms-adpcm"],
  ["wav", "-r 16000 -c 2 -e signed -b 24"],
  ["aiff", "-r 16000 -c 2 -b 16"],
  ["aifc", "-r 16000 -c 1 -b 24"],
  ["au", "-r 8000 -c 1 -e u-law"],
  ["au", "-r 16000 -c 2 -e signed -b 32"],
  ["w64", "-r 16000 -c 1 -b 16"],
  ["caf", "-r 16000 -c 1 -b 16"],
  ["flac", "-r 16000 -c 1 -C 8"],
  ["ogg", "-r 16000 -c 1 -C 3"],
  ["mp3", "-r 22050 -c 1 -C 32"],
] as const;

const opusencOptions = [
  ...combine(["--framesize"], ["2.5", "5", "10", "40", "60"]),
  "--bitrate 8 --downmix-mono",
  "--hard-cbr --bitrate 32",
  "--bitrate 24 --max-delay 20",
];

const ffmpegRecipe = (options: string, extension: string, isLong: boolean): Recipe => ({
  name: `${extension}: ffmpeg ${options}`,
  extension,
  isLong,
  make: (speech, path) => void runFfmpeg("-i", speech, ...options.split(" "), path),
});

/** A file whose bytes are changed after an encoder has made it. */
const changed = (
  name: string,
  extension: string,
  options: string,
  change: (file: Buffer) => Buffer,
): Recipe => ({
  name: `${extension}: ${name}`,
  extension,
  isLong: true,
  make(speech, path) {
    runFfmpeg("-i", speech, ...options.split(" "), path);
    writeFileSync(path, change(readFileSync(path)));
  },
});

const tag = Buffer.from("ID3\x03\0\0\0\0\x02\0".padEnd(266, "\0"), "latin1");

const patched = (file: Buffer, ...bytes: readonly (readonly [offset: number, text: string])[]): Buffer => {
  for (const [offset, text] of bytes) file.write(text, offset, "latin1");
  return file;
};

/** A WAV file with its format behind its audio. */
const formatLast = (wav: Buffer): Buffer => {
  const [format, data] = [wav.subarray(12, 36), wav.subarray(wav.indexOf("data"))];
  return Buffer.concat([wav.subarray(0, 12), data, Buffer.alloc(data.length % 2), format]);
};

const plainWav = "-c:a pcm_s16le -ar 16000 -ac 1 -bitexact";
const oddities: readonly Recipe[] = [
  changed("300 kB of zeros before it", "mp3", "-c:a libmp3lame -b:a 32k -ar 16000", (file) =>
    Buffer.concat([Buffer.alloc(300_000), file]),
  ),
  changed("300 kB of zeros behind it", "mp3", "-c:a libmp3lame -b:a 32k -ar 16000", (file) =>
    Buffer.concat([file, Buffer.alloc(300_000)]),
  ),
  changed("an ID3 tag before it", "wav", plainWav, (file) => Buffer.concat([tag, file])),
  changed("no rate of bytes", "wav", plainWav, (file) => patched(file, [28, "\0\0\0\0"])),
  changed("its format behind its audio", "wav", plainWav, formatLast),
  changed("no type of file", "mov", "-c:a pcm_s16be -ar 16000", (file) => patched(file, [4, "wide"])),
  changed("no type of file", "m4a", "-c:a aac -ar 16000", (file) => patched(file, [4, "free"])),
];

/** Two streams, one after the other, as captures of radio streams have them. */
const chained = (codec: string): Recipe => ({
  name: `ogg: two recordings of ${codec}`,
  extension: "ogg",
  isLong: true,
  make(speech, path) {
    const parts = [1, 2].map((serial) => {
      runFfmpeg("-i", speech, "-c:a", codec, "-serial_offset", String(serial * 1_000), path);
      return readFileSync(path);
    });
    writeFileSync(path, Buffer.concat(parts));
  },
});

/** Every kind of recording that is read, as common programs make it. */
export const recipes: readonly Recipe[] = [
  ...ffmpegFiles.flatMap(([options, extensions]) =>
    extensions.flatMap((extension) =>
      options.map((option, index) => ffmpegRecipe(option, extension, index === 0)),
    ),
  ),
  ...soxFiles.map(
    ([extension, options], index): Recipe => ({
      name: `${extension}: sox ${options}`,
      extension,
      isLong: index < 3,
      make: (speech, path) => void runTool("sox", speech, ...options.split(" "), path),
    }),
  ),
  ...opusencOptions.map(
    (options, index): Recipe => ({
      name: `opus: opusenc ${options}`,
      extension: "opus",
      isLong: index === 4,
      make: (speech, path) => void runTool("opusenc", "--quiet", ...options.split(" "), speech, path),
    }),
  ),
  ...oddities,
  chained("libopus"),
  chained("libvorbis"),
  chained("flac"),
];

/** What is refused, with its name. */
export const refusedRecipes: readonly (Recipe & { readonly kind: string })[] = [
  { ...ffmpegRecipe("-c:a wmav2", "wma", false), kind: "a Windows Media file" },
  { ...ffmpegRecipe("-c:a aac", "ts", false), kind: "an MPEG transport stream" },
  { ...ffmpegRecipe("-c:a wavpack", "wv", false), kind: "a WavPack file" },
  { ...ffmpegRecipe("-c:a libspeex -ar 16000 -ac 1", "spx", false), kind: "a Speex file" },
  {
    name: "nist: sox",
    extension: "sph",
    isLong: false,
    make: (speech, path) => void runTool("sox", speech, path),
    kind: "a NIST Sphere file",
  },
];
