import * as z from "zod";
import { describeErrorName, logger } from "../../shared/telemetry/logger.ts";
import { fetchMedia } from "./graph-media.ts";
import { renderMessage } from "./graph-message.ts";
import { readOutcome } from "./graph-outcome.ts";
import { callGraph, type GraphApi, NotSent } from "./graph-request.ts";
import { MediaError, type MessagingPlatform } from "./messaging-platform.ts";

const sendMilliseconds = 30_000;
const typingMilliseconds = 10_000;
const mediaMilliseconds = 60_000;
const notSentSeconds = 15;

const uploaded = z.object({ id: z.string() });

const within = (signal: AbortSignal, milliseconds: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);

const numberPath = (phoneNumberId: string): string => `/${encodeURIComponent(phoneNumberId)}`;

/** The messaging platform behind Meta's Graph API (WhatsApp Cloud API). */
export const createGraphPlatform = (api: GraphApi): MessagingPlatform => ({
  send: async (recipient, content, options) => {
    const body = renderMessage(recipient, content, options);
    try {
      const answer = await callGraph(api, `${numberPath(recipient.phoneNumberId)}/messages`, {
        method: "POST",
        body,
        signal: AbortSignal.timeout(sendMilliseconds),
      });
      const outcome = readOutcome(answer);
      if (outcome.kind !== "accepted") logger.warn("answer.not_accepted", { status: answer.status, outcome });
      return outcome;
    } catch (error) {
      const isSure = error instanceof NotSent;
      logger.warn("answer.not_sent", {
        sure: isSure,
        reason: describeErrorName(error),
      });
      return isSure ? { kind: "postponed", seconds: notSentSeconds, code: -1 } : { kind: "unknown" };
    }
  },

  showTyping: async ({ phoneNumberId }, messageId) => {
    await callGraph(api, `${numberPath(phoneNumberId)}/messages`, {
      method: "POST",
      body: {
        messaging_product: "whatsapp",
        status: "read",
        message_id: messageId,
        typing_indicator: { type: "text" },
      },
      signal: AbortSignal.timeout(typingMilliseconds),
    });
  },

  download: async (mediaId, { signal }) => {
    try {
      return await fetchMedia(api, mediaId, within(signal, mediaMilliseconds));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof MediaError) throw error;
      throw new MediaError("unreachable", "The file could not be fetched.", { cause: error });
    }
  },

  upload: async ({ phoneNumberId }, { bytes, contentType, fileName }, { signal }) => {
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", contentType);
    form.set("file", new Blob([Uint8Array.from(bytes)], { type: contentType }), fileName);
    const answer = await callGraph(api, `${numberPath(phoneNumberId)}/media`, {
      method: "POST",
      body: form,
      signal: within(signal, mediaMilliseconds),
    });
    const id = uploaded.safeParse(answer.body).data?.id;
    if (answer.status !== 200 || id === undefined) {
      throw new Error(`The platform did not take the file (status ${answer.status}).`);
    }
    return id;
  },
});
