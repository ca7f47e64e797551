import { GraphError, invalidParameter } from "./accept-message.ts";
import type { MessageStore, StoredMedia } from "./message-store.ts";

/** The types of files that the platform accepts, of those that the service sends (reference, "Media": audio and documents). */
const mediaTypes: readonly string[] = [
  "audio/aac",
  "audio/amr",
  "audio/mpeg",
  "audio/mp4",
  "audio/ogg",
  "text/plain",
];

const mediaType = (contentType: string): string => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** @throws GraphError for an id that does not exist, like the platform. */
export const findMedia = (id: string, store: MessageStore): StoredMedia => {
  const media = store.findMedia(id);
  if (media) return media;
  throw new GraphError(
    400,
    100,
    `Unsupported get request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    "GraphMethodException",
  );
};

/** Returns the platform's description of a file, with its address. */
export const describeMedia = (
  id: string,
  { contentType, sha256, bytes }: StoredMedia,
  endpoint: string,
): object => ({
  messaging_product: "whatsapp",
  url: `${endpoint}/files/${id}`,
  mime_type: contentType,
  sha256,
  file_size: bytes.length,
  id,
});

/** Stores an uploaded file from a `multipart/form-data` body. @throws GraphError */
export const takeUpload = async (
  contentType: string,
  body: Buffer,
  store: MessageStore,
): Promise<{ readonly id: string }> => {
  const form = await new Response(Uint8Array.from(body), { headers: { "Content-Type": contentType } })
    .formData()
    .catch(() => {
      throw invalidParameter("The body is not a valid form.");
    });
  const file = form.get("file");
  const type = form.get("type");
  if (form.get("messaging_product") !== "whatsapp") throw invalidParameter("messaging_product is required.");
  if (!(file instanceof Blob) || typeof type !== "string")
    throw invalidParameter("file and type are required.");
  if (!mediaTypes.includes(mediaType(type)) || mediaType(file.type) !== mediaType(type)) {
    throw invalidParameter(
      `Param file must be a file with one of the following types: ${mediaTypes.join(", ")}. Received file of type '${file.type}'.`,
    );
  }
  return { id: store.addMedia(type, Buffer.from(await file.arrayBuffer())) };
};
