import { createHash } from "node:crypto";
import * as z from "zod";
import { isRefusal } from "./graph-outcome.ts";
import { callGraph, fetchFile, type GraphApi } from "./graph-request.ts";
import { type Media, MediaError } from "./messaging-platform.ts";

const maxBytes = 16 * 1024 * 1024;

/** The platform's file host. We send the token to no other host. */
const mediaHosts: readonly string[] = ["lookaside.fbsbx.com"];

const mediaFacts = z.object({
  url: z.string(),
  sha256: z.string().optional(),
  file_size: z.coerce.number().optional(),
});

const tooLarge = (): MediaError => new MediaError("too-large", "The file is larger than 16 MB.");

/** @throws MediaError unless the address is on the platform's host: a forged one must not get the token. */
export const checkFileAddress = (address: string, baseUrl: string): URL => {
  const url = URL.parse(address);
  const isPlatform = url?.protocol === "https:" && mediaHosts.includes(url.host);
  if (url && !url.username && !url.password && (isPlatform || url.origin === new URL(baseUrl).origin))
    return url;
  throw new MediaError("unreachable", "The file's address is not on the platform's host.");
};

const isDamaged = (bytes: Buffer, sha256: string | undefined): boolean =>
  sha256 !== undefined && createHash("sha256").update(bytes).digest("hex") !== sha256.toLowerCase();

/**
 * Fetches a file that a person sent: looks up its address, which is valid for five minutes, and downloads it.
 *
 * @throws MediaError `gone` when the platform does not have the file, `too-large`, or `unreachable` when it cannot be fetched now;
 * or the connection's error.
 */
export const fetchMedia = async (api: GraphApi, mediaId: string, signal: AbortSignal): Promise<Media> => {
  const lookup = await callGraph(api, `/${encodeURIComponent(mediaId)}`, { signal });
  const facts = mediaFacts.safeParse(lookup.body).data;
  if (lookup.status !== 200 || !facts) {
    const reason = isRefusal(lookup) ? "gone" : "unreachable";
    throw new MediaError(reason, `The platform did not return the file's address (status ${lookup.status}).`);
  }
  if ((facts.file_size ?? 0) > maxBytes) throw tooLarge();
  const file = await fetchFile(api, checkFileAddress(facts.url, api.baseUrl), maxBytes, signal);
  if (file.status !== 200) {
    const reason = isRefusal(file) ? "gone" : "unreachable";
    throw new MediaError(reason, `The platform did not return the file (status ${file.status}).`);
  }
  if (!file.bytes) throw tooLarge();
  if (isDamaged(file.bytes, facts.sha256)) throw new MediaError("unreachable", "The file is damaged.");
  return { bytes: file.bytes };
};
