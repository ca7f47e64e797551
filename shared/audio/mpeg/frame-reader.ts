import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { ContainerFile, ContainerReader } from "../reading/container.ts";
import type { Cut, CutPoint } from "../reading/piece.ts";
import {
  copyFrames,
  countSamples,
  type FrameFormat,
  type FramePoint,
  type FrameStream,
  framePoints,
} from "./frames.ts";

/** A file of nothing but frames that do not depend on earlier ones, behind a few bytes that say what they are. */
export interface BareFrames {
  readonly codec: string;
  readonly format: FrameFormat;
  /** What each piece starts with, as the file does. */
  readonly head: Uint8Array;
}

export const noHead: Uint8Array = new Uint8Array(0);

/** @param kindOf by the first bytes of the file */
export const frameReader = (kindOf: (bytes: Uint8Array) => BareFrames | undefined): ContainerReader => ({
  async measure(file) {
    const { codec, stream } = await openStream(file, kindOf);
    const { sampleRate, channels } = stream.reference;
    const samples = await countSamples(file.window, stream);
    return { codec, durationSeconds: samples / sampleRate, sampleRate, channels };
  },

  ticksAt: async (file, seconds) => seconds * (await openStream(file, kindOf)).stream.reference.sampleRate,

  async cutPoints(file) {
    const { head, stream } = await openStream(file, kindOf);
    const toPoint = ({ offset, samples, bytes }: FramePoint): CutPoint => {
      const seconds = samples / stream.reference.sampleRate;
      return { position: { offset, ticks: samples }, bytes, startsAt: seconds, endsAt: seconds };
    };
    return { headBytes: head.length, points: framePoints(file.window, stream, toPoint) };
  },

  cut: (file, cut) => cutFrames(file, cut, kindOf),
});

/** The first frame of a piece fades in, like the first of any stream. */
async function* cutFrames(
  file: ContainerFile,
  { from, until }: Cut,
  kindOf: (bytes: Uint8Array) => BareFrames | undefined,
): AsyncGenerator<Uint8Array, void> {
  const { head, stream } = await openStream(file, kindOf);
  const start = from?.offset ?? stream.start;
  if (head.length > 0) yield head;
  yield* copyFrames(file.window, { ...stream, start }, until - (from?.ticks ?? 0));
}

interface OpenFrames extends BareFrames {
  readonly stream: FrameStream;
}

const maxHeadBytes = 16;

const openStream = async (
  { window, start }: Pick<ContainerFile, "window" | "start">,
  kindOf: (bytes: Uint8Array) => BareFrames | undefined,
): Promise<OpenFrames> => {
  const kind = kindOf(await window.read(start, maxHeadBytes));
  const first = start + (kind?.head.length ?? 0);
  const reference = kind?.format.parse(await window.read(first, kind.format.maxFrameBytes), 0);
  if (!kind || !reference) throw new UnreadableAudioError("The audio is damaged: it contains no frame.");
  return { ...kind, stream: { format: kind.format, start: first, reference } };
};
