import { createHash } from "node:crypto";
import * as z from "zod";
import { authorization, callGraph, type GraphApi } from "./graph-request.ts";
import { type Media, MediaError } from "./messaging-platform.ts";

/** The platform's own limit for audio. */
const maximumBytes = 16 * 1024 * 1024;

/** The platform keeps files on this host; the token is sent to no other. */
const mediaHosts: readonly string[] = ["lookaside.fbsbx.com"];

const mediaFacts = z.object({
  url: z.string(),
  sha256: z.string().optional(),
  file_size: z.coerce.number().optional(),
});

const tooLarge = (): MediaError => new MediaError("too-large", "The file is larger than 16 MB.");

/** @throws MediaError for an address that is not the platform's: a forged one must not get the token. */
const checkAddress = (address: string, baseUrl: string): URL => {
  const url = URL.parse(address);
  const isPlatform = url?.protocol === "https:" && mediaHosts.includes(url.host);
  if (url && !url.username && !url.password && (isPlatform || url.origin === new URL(baseUrl).origin))
    return url;
  throw new MediaError("unreachable", "The platform named an address for the file that is not its own.");
};

const readBytes = async (response: Response): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > maximumBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

const isDamaged = (bytes: Buffer, sha256: string | undefined): boolean =>
  sha256 !== undefined && createHash("sha256").update(bytes).digest("hex") !== sha256.toLowerCase();

/**
 * Fetches a file that somebody sent: looks up where it is, which is good for five minutes, and reads it.
 *
 * @throws MediaError `gone` when the platform does not have it (any more), `too-large`, or `unreachable`.
 */
export const fetchMedia = async (api: GraphApi, mediaId: string, signal: AbortSignal): Promise<Media> => {
  const answer = await callGraph(api, `/${encodeURIComponent(mediaId)}`, { method: "GET", signal });
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
    throw new MediaError("gone", `The platform does not give the file (status ${answer.status}).`);
  }
  const facts = mediaFacts.safeParse(answer.body).data;
  if (answer.status !== 200 || !facts) {
    throw new MediaError(
      "unreachable",
      `The platform did not say where the file is (status ${answer.status}).`,
    );
  }
  if ((facts.file_size ?? 0) > maximumBytes) throw tooLarge();
  const response = await fetch(checkAddress(facts.url, api.baseUrl), {
    headers: { Authorization: await authorization(api.secrets) },
    redirect: "manual",
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    const isGone = response.status === 404 || response.status === 410;
    throw new MediaError(isGone ? "gone" : "unreachable", `The file was answered with ${response.status}.`);
  }
  const bytes = await readBytes(response);
  if (isDamaged(bytes, facts.sha256)) throw new MediaError("unreachable", "The file came damaged.");
  return { bytes };
};
