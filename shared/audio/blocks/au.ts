import { UnreadableAudioError } from "../reading/audio-errors.ts";
import type { SourceWindow } from "../reading/audio-source.ts";
import { hasText, uint32BigEndian } from "../reading/bytes.ts";
import { chosenReader } from "../reading/container.ts";
import { type BlockFile, blockReader, checkBlocks } from "./block-reader.ts";

/** Sun's and NeXT's audio. */
export const isAu = (head: Uint8Array): boolean => hasText(head, 0, ".snd");

/** By their number in the header: the codec, and the bytes of a sample. */
const encodings: ReadonlyMap<number, readonly [codec: string, bytes: number]> = new Map([
  [1, ["mulaw", 1]],
  [2, ["pcm", 1]],
  [3, ["pcm", 2]],
  [4, ["pcm", 3]],
  [5, ["pcm", 4]],
  [6, ["float", 4]],
  [7, ["float", 8]],
  [27, ["alaw", 1]],
]);

const headBytes = 24;
const unknownSize = 0xffffffff;

const readAu = async (window: SourceWindow): Promise<BlockFile> => {
  const head = await window.read(0, headBytes);
  const [codec, bytes] = encodings.get(uint32BigEndian(head, 12)) ?? [];
  if (!codec || !bytes) throw new UnreadableAudioError("The AU file's audio is in an unknown encoding.");
  const [dataBytes, channels] = [uint32BigEndian(head, 8), uint32BigEndian(head, 20)];
  const file: BlockFile = {
    codec,
    sampleRate: uint32BigEndian(head, 16),
    channels,
    blockBytes: channels * bytes,
    samplesPerBlock: 1,
    dataStart: Math.max(headBytes, uint32BigEndian(head, 4)),
    dataBytes: dataBytes === 0 || dataBytes === unknownSize ? undefined : dataBytes,
    writeHead(audioBytes) {
      const written = Buffer.from(head);
      written.writeUInt32BE(headBytes, 4);
      written.writeUInt32BE(audioBytes, 8);
      return written;
    },
  };
  return checkBlocks(file, "AU");
};

export const auReader = chosenReader(async ({ window }) => blockReader(await readAu(window)));
