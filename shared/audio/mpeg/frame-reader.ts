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

/** Frames that do not depend on earlier ones, or only a little, behind bytes that say what they are. */
export interface BareFrames {
  readonly codec: string;
  readonly format: FrameFormat;
  /** What each piece starts with. */
  readonly head: Uint8Array;
  /** Of the first frame, in the file. */
  readonly start: number;
}

type OpenFrames = (file: ContainerFile) => Promise<BareFrames>;

export const noHead: Uint8Array = new Uint8Array(0);

export const frameReader = (open: OpenFrames): ContainerReader => ({
  async measure(file) {
    const { codec, stream } = await openStream(file, open);
    const { sampleRate, channels } = stream.reference;
    const samples = await countSamples(file.window, stream);
    return { codec, durationSeconds: samples / sampleRate, sampleRate, channels };
  },

  ticksAt: async (file, seconds) => seconds * (await openStream(file, open)).stream.reference.sampleRate,

  async cutPoints(file) {
    const { head, stream } = await openStream(file, open);
    const toPoint = ({ offset, samples, bytes }: FramePoint): CutPoint => {
      const seconds = samples / stream.reference.sampleRate;
      return { position: { offset, ticks: samples }, bytes, startsAt: seconds, endsAt: seconds };
    };
    return { headBytes: head.length, points: framePoints(file.window, stream, toPoint) };
  },

  cut: (file, cut) => cutFrames(file, cut, open),
});

/** The first frame of a piece fades in, like the first of any stream. */
async function* cutFrames(
  file: ContainerFile,
  { from, until }: Cut,
  open: OpenFrames,
): AsyncGenerator<Uint8Array, void> {
  const { head, stream } = await openStream(file, open);
  const start = from?.offset ?? stream.start;
  if (head.length > 0) yield head;
  yield* copyFrames(file.window, { ...stream, start }, until - (from?.ticks ?? 0));
}

const openStream = async (
  file: ContainerFile,
  open: OpenFrames,
): Promise<BareFrames & { readonly stream: FrameStream }> => {
  const frames = await open(file);
  const { format, start } = frames;
  const reference = format.parse(await file.window.read(start, format.maxFrameBytes), 0);
  if (!reference) throw new UnreadableAudioError("The audio is damaged: it contains no frame.");
  return { ...frames, stream: { format, start, reference } };
};
