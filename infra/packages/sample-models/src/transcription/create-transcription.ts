import type { ServerResponse } from "node:http";
import * as z from "zod";
import { ApiError, type Endpoint } from "../endpoint.ts";
import { requireModel, sampleModels } from "../models.ts";
import { parseRequest, requireFormat } from "../read-request.ts";
import { sendJson } from "../send-response.ts";
import { readForm } from "./read-form.ts";
import { readRecording } from "./read-recording.ts";
import { type TranscriptSegment, transcribe, wordsOf } from "./transcript.ts";

const granularity = z.enum(["segment", "word"]);

/**
 * The fields of a request for a transcription, without the file. Hints for a model (`prompt`, `temperature`) are
 * ignored.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const transcriptionRequest = z.looseObject({
  model: z.string(),
  language: z.string().max(100).optional(),
  response_format: z.string().optional(),
  "timestamp_granularities[]": z.array(granularity).optional(),
  stream: z.enum(["true", "false"]).optional(),
});

/**
 * Sends a transcription as a stream of events, sentence by sentence.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event
 */
const sendTranscriptEvents = (
  response: ServerResponse,
  text: string,
  segments: readonly TranscriptSegment[],
): void => {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  segments.forEach((segment, index) => {
    send({ type: "transcript.text.delta", delta: index === 0 ? segment.text : ` ${segment.text}` });
  });
  send({ type: "transcript.text.done", text });
  response.end();
};

/** The language reported for a request without one: the code of ISO 639-3 for an undetermined language. */
const undetermined = "und";

/**
 * `POST /v1/audio/transcriptions`: reads back what this server has spoken, and says that it cannot do more.
 *
 * Source: https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const createTranscription: Endpoint = {
  method: "POST",
  path: "/v1/audio/transcriptions",
  handle: async ({ request, response }) => {
    const { fields, file: recording } = await readForm(request, readRecording);
    const {
      model,
      language = undetermined,
      response_format,
      stream,
      "timestamp_granularities[]": granularities = [],
    } = parseRequest(transcriptionRequest, fields);
    const format = requireFormat(response_format ?? "json", ["json", "verbose_json", "text"]);
    requireModel(model, [sampleModels.transcription]);
    if (recording === undefined) {
      const message = "Missing required parameter: 'file', a part with a file name.";
      throw new ApiError(400, message, { param: "file", code: "missing_required_parameter" });
    }
    const { text, durationSeconds: duration, segments } = transcribe(recording);
    if (format === "text") {
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(text);
      return;
    }
    if (stream === "true" && format === "json") {
      sendTranscriptEvents(response, text, segments);
      return;
    }
    const words = granularities.includes("word") ? { words: wordsOf(segments) } : {};
    const details = { task: "transcribe", language, duration, text, segments, ...words };
    sendJson(response, 200, format === "json" ? { text } : details);
  },
};
