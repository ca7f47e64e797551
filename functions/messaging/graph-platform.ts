import * as z from "zod";
import { describeError, logger } from "../../shared/platform/telemetry/logger.ts";
import { fetchMedia } from "./graph-media.ts";
import { renderMessage } from "./graph-message.ts";
import { readOutcome } from "./graph-outcome.ts";
import { callGraph, type GraphApi, NotSent, uploadToGraph } from "./graph-request.ts";
import { MediaError, type MessagingPlatform } from "./messaging-platform.ts";

/** The platform's timeouts in milliseconds. `media` covers all requests for one file. */
export interface GraphTimeouts {
  readonly send: number;
  readonly typing: number;
  readonly media: number;
}

const usualTimeouts: GraphTimeouts = { send: 30_000, typing: 10_000, media: 60_000 };

const notSentSeconds = 15;

const uploaded = z.object({ id: z.string() });

const withTimeout = (signal: AbortSignal, milliseconds: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);

const numberPath = (phoneNumberId: string): string => `/${encodeURIComponent(phoneNumberId)}`;

/** The messaging platform behind Meta's Graph API (WhatsApp Cloud API). */
export const createGraphPlatform = (api: GraphApi, timeouts = usualTimeouts): MessagingPlatform => ({
  send: async (recipient, content, options) => {
    const body = renderMessage(recipient, content, options);
    try {
      const response = await callGraph(api, `${numberPath(recipient.phoneNumberId)}/messages`, {
        body,
        signal: AbortSignal.timeout(timeouts.send),
      });
      const outcome = readOutcome(response);
      if (outcome.kind !== "accepted")
        logger.warn("answer.not_accepted", { status: response.status, outcome });
      return outcome;
    } catch (error) {
      const isSure = error instanceof NotSent;
      logger.warn("answer.not_sent", { sure: isSure, reason: describeError(error) });
      return isSure ? { kind: "postponed", seconds: notSentSeconds, code: -1 } : { kind: "unknown" };
    }
  },

  showTyping: async ({ phoneNumberId }, messageId) => {
    await callGraph(api, `${numberPath(phoneNumberId)}/messages`, {
      body: {
        messaging_product: "whatsapp",
        status: "read",
        message_id: messageId,
        typing_indicator: { type: "text" },
      },
      signal: AbortSignal.timeout(timeouts.typing),
    });
  },

  download: async (mediaId, { signal }) => {
    try {
      return await fetchMedia(api, mediaId, withTimeout(signal, timeouts.media));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof MediaError) throw error;
      throw new MediaError("unreachable", "The file could not be fetched.", { cause: error });
    }
  },

  upload: async ({ phoneNumberId }, media, { signal }) => {
    const response = await uploadToGraph(
      api,
      `${numberPath(phoneNumberId)}/media`,
      [
        ["messaging_product", "whatsapp"],
        ["type", media.contentType],
      ],
      media,
      withTimeout(signal, timeouts.media),
    );
    const id = uploaded.safeParse(response.body).data?.id;
    if (response.status !== 200 || id === undefined) {
      throw new Error(`The platform did not take the file (status ${response.status}).`);
    }
    return id;
  },
});
