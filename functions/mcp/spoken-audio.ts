import type { AudioContent } from "@modelcontextprotocol/server";
import * as z from "zod";
import { audioKinds } from "../../shared/audio/encode/audio-formats.ts";
import type { ObjectStore } from "../../shared/platform/storage/object-store.ts";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";

/** In bytes. Larger audio is only linked: agents would pay for every byte of it. */
const maxAudioBytes = 200_000;

const stored = z.object({ storage_object: z.string() });

/** The audio of stored speech, unless it is too large or cannot be read: the result has a link to it as well. */
export const readAudio = async (
  speech: Readonly<Record<string, unknown>>,
  store: Pick<ObjectStore, "open">,
): Promise<AudioContent[]> => {
  const { storage_object: key } = stored.parse(speech);
  const kind = Object.values(audioKinds).find(({ fileExtension }) => key.endsWith(`.${fileExtension}`));
  if (!kind) throw new Error(`The audio ${key} has an unknown type.`);
  try {
    const audio = await store.open(key);
    if (!audio || audio.size > maxAudioBytes) return [];
    const bytes = await audio.read(0, audio.size);
    return [{ type: "audio", data: Buffer.from(bytes).toString("base64"), mimeType: kind.contentType }];
  } catch (error) {
    logger.warn("mcp.audio_not_read", { reason: describeError(error) });
    return [];
  }
};
