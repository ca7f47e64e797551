import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import type { ContainerReader, Measurement } from "../reading/container.ts";
import { compareWithPackets } from "../reading/packet-tally.ts";
import { cutOgg, oggPoints } from "./ogg-cut.ts";
import { describeLink, findLinks, type OggLink } from "./ogg-links.ts";
import { countOggPackets } from "./ogg-packets.ts";
import { AnotherRecording } from "./ogg-stream.ts";

/** Ogg with Opus, Vorbis or FLAC. Pages carry positions, so the first and the last ones state the duration. */
export const oggReader: ContainerReader = {
  async measure({ window }) {
    const only = await describeLink(window);
    if (!only) return measureLinks(window);
    return measureLink(window, only).catch((error: unknown) => {
      if (error instanceof AnotherRecording) return measureLinks(window);
      throw error;
    });
  },

  async ticksAt({ window }, seconds) {
    const only = await describeLink(window);
    if (only) return only.origin + Math.round(seconds * only.stream.sampleRate);
    let [passed, base, ticks] = [0, 0, 0];
    for (const { start, end } of await findLinks(window)) {
      const { stream, origin, last, seconds: played } = await requireLink(window.part(start, end));
      ticks = base + origin + Math.round((seconds - passed) * stream.sampleRate);
      if (passed + played >= seconds) break;
      passed += played;
      base += last;
    }
    return ticks;
  },

  cutPoints: oggPoints,
  cut: cutOgg,
};

const requireLink = async (window: SourceWindow): Promise<OggLink> => {
  const link = await describeLink(window);
  if (link) return link;
  throw new UnreadableAudioError("The Ogg file is damaged: it has no intact page at its end.");
};

const measureLink = async (
  window: SourceWindow,
  { stream, seconds: stated }: OggLink,
): Promise<Measurement> => {
  const { codec, sampleRate, channels, preSkip } = stream;
  const length = await compareWithPackets(window, { stated, unheard: preSkip / sampleRate }, (tally, parts) =>
    countOggPackets(window, stream, tally, parts),
  );
  return { codec, ...length, sampleRate, channels };
};

/** All recordings together, described as the first. */
const measureLinks = async (window: SourceWindow): Promise<Measurement> => {
  let all: Measurement | undefined;
  for (const { start, end } of await findLinks(window)) {
    const part = window.part(start, end);
    const one = await measureLink(part, await requireLink(part));
    const hasWrongTimes = (all?.hasWrongTimes ?? false) || (one.hasWrongTimes ?? false);
    all = {
      ...(all ?? one),
      durationSeconds: (all?.durationSeconds ?? 0) + one.durationSeconds,
      ...(hasWrongTimes && { hasWrongTimes }),
    };
  }
  if (!all) throw new UnreadableAudioError("The Ogg file contains no audio.");
  return all;
};
