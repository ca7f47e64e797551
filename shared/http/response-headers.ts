interface ApiHeader {
  readonly description: string;
  readonly example: string | number;
  /** CORS leaves out headers that only browsers, proxies and caches read, and those that scripts may always read. */
  readonly isHidden?: true;
}

/** Every header of the API's responses. The list for CORS derives from it, and those of the OpenAPI document. */
export const apiHeaders = {
  "Access-Control-Allow-Origin": {
    description: "Allows scripts of every site to call the service.",
    example: "*",
    isHidden: true,
  },
  "Access-Control-Expose-Headers": {
    description: "The response headers that scripts in a browser can read.",
    example: "RateLimit, Retry-After, X-Request-Id",
    isHidden: true,
  },
  "Cache-Control": {
    description:
      "`no-store` on responses about accounts and tokens and on refusals; `no-cache, no-transform` on streams of events.",
    example: "no-store",
    isHidden: true,
  },
  "Content-Disposition": {
    description: "A name for the response as a file.",
    example: 'attachment; filename="usage.csv"',
  },
  "Content-Encoding": {
    description: "`br` or `gzip`, for responses of more than a kilobyte to clients that accept it.",
    example: "br",
    isHidden: true,
  },
  Deprecation: {
    description: "When this operation was deprecated, as Unix time after an `@` (RFC 9745).",
    example: "@1780272000",
  },
  "Idempotent-Replayed": {
    description:
      "`true` when this is the stored response to an earlier request with the same `Idempotency-Key`.",
    example: "true",
  },
  Link: {
    description: 'The operation that replaces this one, with `rel="successor-version"` (RFC 5829).',
    example: '</tasks/audio/transcriptions>; rel="successor-version"',
  },
  Location: {
    description: "Where to continue: the created resource, or the page for browsers.",
    example: "/tasks/jobs/019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69",
  },
  RateLimit: {
    description:
      "For each window, the requests that remain (`r`) and the seconds until it is renewed (`t`). Absent when the request was not counted.",
    example: '"minute";r=49;t=32, "day";r=488;t=52032',
  },
  "RateLimit-Policy": {
    description: "For each window, the number of requests allowed (`q`) and its length in seconds (`w`).",
    example: '"minute";q=50;w=60, "day";q=500;w=86400',
  },
  "Referrer-Policy": {
    description: "Keeps the token in the link from other sites.",
    example: "no-referrer",
    isHidden: true,
  },
  "Retry-After": { description: "Seconds until another attempt makes sense.", example: 5 },
  Sunset: {
    description: "When this operation is going to be removed (RFC 8594).",
    example: "Wed, 01 Dec 2027 00:00:00 GMT",
  },
  Vary: {
    description: "The request headers that change the response, for caches.",
    example: "Accept-Encoding",
    isHidden: true,
  },
  "WWW-Authenticate": { description: "How to authenticate: with a bearer token.", example: "Bearer" },
  "X-Accel-Buffering": {
    description: "Makes proxies such as nginx pass on each event at once.",
    example: "no",
    isHidden: true,
  },
  "X-Audio-Url": {
    description:
      "The link to the stored audio. It returns 404 until the stream is complete, and works for 30 minutes.",
    example: "https://audio.example.com/speech/1/5e2a9c4f.wav?X-Amz-Signature=…",
  },
  "X-Content-Type-Options": {
    description: "Makes browsers trust the response's `Content-Type`.",
    example: "nosniff",
    isHidden: true,
  },
  "X-Diarization": {
    description: "`unavailable` when speakers were requested and the model cannot distinguish them.",
    example: "unavailable",
  },
  "X-Platform": { description: "Where the speech model runs.", example: "gpu" },
  "X-Request-Id": {
    description:
      "The id of the request, to name when you report a problem: the one that you sent, or a new one.",
    example: "8c1f6a52-3a4e-4d0b-9d27-5f2b1c7e9a10",
  },
  "X-Sample-Rate": { description: "The sample rate of the audio, in hertz.", example: 24_000 },
  "X-Speaker-ID": { description: "The number of the speaker.", example: 248 },
  "X-Speaker-Name": { description: "The name of the speaker.", example: "Luganda (female)" },
  "X-Storage-Object": {
    description: "The name of the stored audio, for a fresh link from `GET /tasks/audio/speech/url`.",
    example: "speech/1/5e2a9c4f-7b1d-4e3f-8a6c-0b9d2e1f7a54.wav",
  },
  "X-Text-Length": { description: "The length of the text, in characters.", example: 16 },
  "X-Usage-Characters": {
    description: "The length of the text, in characters, as it counts in your usage.",
    example: 16,
  },
  "X-Usage-Seconds": {
    description: "The length of the audio in seconds, if the model states it before the audio.",
    example: 1.8,
  },
  "X-Whisper": {
    description: "`unavailable` when `whisper` was requested and this stage has no alternative model.",
    example: "unavailable",
  },
  "x-ratelimit-limit-requests": { description: "The number of requests allowed in a minute.", example: 50 },
  "x-ratelimit-remaining-requests": {
    description: "The number of requests that remain in this minute.",
    example: 49,
  },
  "x-ratelimit-reset-requests": {
    description: "The time until the minute is renewed, in seconds.",
    example: "32s",
  },
} as const satisfies Readonly<Record<string, ApiHeader>>;

/** The name of a header of the API's responses. */
export type ApiHeaderName = keyof typeof apiHeaders;

/** The response headers that scripts in a browser may read. */
export const corsExposedHeaders: readonly string[] = Object.entries(apiHeaders).flatMap(([name, header]) =>
  "isHidden" in header ? [] : name,
);
