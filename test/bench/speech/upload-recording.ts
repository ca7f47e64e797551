import * as z from "zod";
import { wavHeaderBytes } from "../../support/wav.ts";
import type { PreparedService } from "../compare/gateways.ts";

const link = z.object({ upload_url: z.url(), file_id: z.string() });

/** 100 MB are an hour. */
const sampleRate = 13_888;

/** Uploads a WAV file of this size through the service, as callers do. @returns its id. */
export const uploadRecording = async (
  { url, token }: PreparedService,
  megabytes: number,
): Promise<string> => {
  const response = await fetch(`${url}/tasks/generate-upload-url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify({ file_name: "recording.wav", content_type: "audio/wav" }),
  });
  const { upload_url: uploadUrl, file_id: fileId } = link.parse(await response.json());
  const header = wavHeaderBytes(megabytes * 1_000_000 - 1_000, { stated: true, sampleRate });
  const file = Buffer.concat([header, Buffer.alloc(megabytes * 1_000_000 - 1_000)]);
  const stored = await fetch(uploadUrl, {
    method: "PUT",
    headers: { "Content-Type": "audio/wav" },
    body: file,
  });
  if (!stored.ok) throw new Error(`The upload failed: ${stored.status} ${await stored.text()}`);
  return fileId;
};
