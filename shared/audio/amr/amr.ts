import { frameReader } from "../mpeg/frame-reader.ts";
import type { FrameFormat } from "../mpeg/frames.ts";
import { amrBytes, amrWideBytes } from "../packets/packet-clock.ts";
import { UnreadableAudioError } from "../reading/audio-errors.ts";
import { byteAt, hasText } from "../reading/bytes.ts";

/** A frame plays 20 ms; the mode in its first byte says how long it is (RFC 4867, section 5.3). */
const formatOf = (bytesByMode: readonly number[], sampleRate: number): FrameFormat => ({
  maxFrameBytes: 1 + bytesByMode.reduce((most, bytes) => Math.max(most, bytes), 0),

  parse(bytes, offset) {
    if (offset >= bytes.length) return undefined;
    const length = 1 + (bytesByMode[(byteAt(bytes, offset) >> 3) & 15] ?? 0);
    return { length, samples: sampleRate / 50, sampleRate, channels: 1, signature: 0 };
  },
});

/** The first bytes of a file (RFC 4867, section 5.1), the longer name first. */
const kinds = [
  { codec: "amr-wb", magic: "#!AMR-WB\n", format: formatOf(amrWideBytes, 16_000) },
  { codec: "amr", magic: "#!AMR\n", format: formatOf(amrBytes, 8_000) },
] as const;

const kindOf = (bytes: Uint8Array) => kinds.find(({ magic }) => hasText(bytes, 0, magic));

export const isAmr = (bytes: Uint8Array): boolean => kindOf(bytes) !== undefined;

const maxMagicBytes = 9;

/** AMR and AMR-WB of one channel, as older phones record it. */
export const amrReader = frameReader(async ({ window }) => {
  const kind = kindOf(await window.read(0, maxMagicBytes));
  if (!kind) throw new UnreadableAudioError("The audio is damaged: it contains no frame.");
  return { ...kind, head: Buffer.from(kind.magic), start: kind.magic.length };
});
