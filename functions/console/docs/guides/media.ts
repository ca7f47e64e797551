import { apiVariable, bearer } from "./beginning.ts";
import type { Guide } from "./guide.ts";

const json = "-H 'Content-Type: application/json'";

export const streamingGuide: Guide = {
  name: "streaming",
  title: "Answers while they are made",
  summary: "Chat token by token, and speech that plays before it is finished.",
  parts: (baseUrl) => [
    { heading: "Chat" },
    { text: "With `stream` set to true, the answer comes as server-sent events." },
    {
      kind: "sh",
      code: `${apiVariable(baseUrl)}
curl -sN $API/tasks/chat/completions ${bearer} ${json} \\
  -d '{"stream": true, "messages": [{"role": "user", "content": "How do you say thank you in Luganda?"}]}'`,
    },
    {
      text: "Each event is a line `data:` with JSON, whose `choices[0].delta.content` is the next piece of the text. The last one is `data: [DONE]`. Lines that begin with a colon keep the connection open; leave them out.",
    },
    { text: "With the package `openai`, which reads the events for you:" },
    {
      kind: "typescript",
      code: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${baseUrl}/v1", apiKey: process.env.TOKEN });
const stream = await client.chat.completions.create({
  model: "lang-14b",
  stream: true,
  messages: [{ role: "user", content: "How do you say thank you in Luganda?" }],
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? "");`,
    },
    { heading: "Speech" },
    {
      kind: "sh",
      code: `curl -s $API/v1/audio/speech ${bearer} ${json} \\
  -d '{"model": "tts-20", "input": "Oli otya?", "language": "lug", "response_format": "mp3"}' -o oli-otya.mp3`,
    },
    { text: "The sound leaves while it is made: a player that reads from the connection starts at once." },
    { heading: "When something goes wrong in the middle" },
    {
      text: "The status 200 has left by then. A stream of events tells the failure in an event with an `error`, which the OpenAI packages throw. Sound is broken off: the connection closes without its proper end, and your HTTP client reports that.",
    },
    {
      text: "An account has a number of streams at a time, which [limits](/docs/guides/limits) tells. One more is refused with `rate_limited`, until shortly after the last byte of another one. Close what you do not read any more: the model stops, too.",
    },
  ],
};

const upload = (baseUrl: string): string => `${apiVariable(baseUrl)}
ANSWER=$(curl -s $API/tasks/generate-upload-url ${bearer} ${json} \\
  -d "{\\"file_name\\": \\"recording.wav\\", \\"content_type\\": \\"audio/wav\\", \\"size\\": $(wc -c < recording.wav | tr -d ' ')}")
UPLOAD_URL=$(echo "$ANSWER" | sed 's/.*"upload_url":"\\([^"]*\\)".*/\\1/')
FILE_ID=$(echo "$ANSWER" | sed 's/.*"file_id":"\\([^"]*\\)".*/\\1/')
curl -s -X PUT "$UPLOAD_URL" -H 'Content-Type: audio/wav' -T recording.wav`;

/** Sends the recording in parts, of which only those that broke off are sent again. */
const uploadInParts = `UPLOAD=$(curl -s $API/tasks/uploads ${bearer} ${json} \\
  -d "{\\"file_name\\": \\"recording.wav\\", \\"content_type\\": \\"audio/wav\\", \\"size\\": $(wc -c < recording.wav | tr -d ' ')}")
UPLOAD_ID=$(echo "$UPLOAD" | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
PART_SIZE=$(echo "$UPLOAD" | sed 's/.*"part_size":\\([0-9]*\\).*/\\1/')
PART_COUNT=$(echo "$UPLOAD" | sed 's/.*"part_count":\\([0-9]*\\).*/\\1/')
for PART in $(seq $PART_COUNT); do
  PART_URL=$(curl -s $API/tasks/uploads/$UPLOAD_ID/parts ${bearer} ${json} -d "{\\"numbers\\": [$PART]}" \\
    | sed 's/.*"upload_url":"\\([^"]*\\)".*/\\1/')
  dd if=recording.wav bs=$PART_SIZE skip=$((PART - 1)) count=1 2>/dev/null \\
    | curl -s --retry 5 -X PUT "$PART_URL" --data-binary @-
done
curl -s $API/tasks/uploads/$UPLOAD_ID ${bearer}`;

const makeJob = `JOB=$(curl -s $API/tasks/jobs ${bearer} ${json} \\
  -d "{\\"type\\": \\"transcription\\", \\"file_id\\": \\"$FILE_ID\\", \\"language\\": \\"lug\\"}" \\
  | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`;

/** What a program does to have a long recording transcribed. */
export const longRecordingCommands = (baseUrl: string): string => `TOKEN=…\n${upload(baseUrl)}\n${makeJob}`;

export const uploadsGuide: Guide = {
  name: "uploads",
  title: "Uploads",
  summary: "Recordings that are too large for a request.",
  parts: (baseUrl) => [
    {
      text: "A request carries at most 4.4 MB of a file. Larger recordings are uploaded first, to a link that takes this one file, and are then named by their `file_id`.",
    },
    { heading: "1. Get a link, and send the file to it" },
    { kind: "sh", code: upload(baseUrl) },
    {
      text: "The link works for 30 minutes and takes exactly the type and the size that were asked for. The file is kept for a day. Ask with a token: then only your account can use the file.",
    },
    { heading: "2. Use it" },
    {
      kind: "sh",
      code: `curl -s $API/tasks/audio/transcriptions ${bearer} -F file_id=$FILE_ID -F language=lug`,
    },
    {
      text: "`/v1/audio/transcriptions` takes a `file_id` as well. What is longer than some minutes is better transcribed by [a job](/docs/guides/long-recordings): nobody has to hold a connection open.",
    },
    { heading: "Where connections break" },
    {
      text: "A file of up to 500 MB can go up in parts of 5 MB, each through a link of its own, in any order. A part that broke off is sent again, through the same link or a new one; what has arrived stays. This needs a token.",
    },
    { kind: "sh", code: uploadInParts },
    {
      text: "`arrived` in the last answer lists the parts that are whole: a program that was stopped goes on with the others. When all are there, make one file of them. This may be asked for twice.",
    },
    {
      kind: "sh",
      code: `FILE_ID=$(curl -s -X POST $API/tasks/uploads/$UPLOAD_ID/complete ${bearer} \\
  | sed 's/.*"file_id":"\\([^"]*\\)".*/\\1/')
curl -s $API/tasks/audio/transcriptions ${bearer} -F file_id=$FILE_ID -F language=lug`,
    },
    {
      text: "A request transcribes up to 100 MB, a job up to 500 MB. An upload that is not completed within a day is removed; `DELETE /tasks/uploads/{id}` removes it at once.",
    },
  ],
};

export const longRecordingsGuide: Guide = {
  name: "long-recordings",
  title: "Long recordings",
  summary: "Hours of sound, transcribed piece by piece while your program does something else.",
  parts: (baseUrl) => [
    { text: "Upload the recording, make a job of it, and come back for the transcript, or be called back." },
    { heading: "1. Upload" },
    { kind: "sh", code: upload(baseUrl) },
    { text: "Where connections break, send it [in parts](/docs/guides/uploads)." },
    { heading: "2. Make the job" },
    {
      kind: "sh",
      code: makeJob,
    },
    { heading: "3. See how far it is" },
    {
      kind: "sh",
      code: `STATUS=queued
while [ "$STATUS" = queued ] || [ "$STATUS" = running ]; do
  sleep 1
  STATUS=$(curl -s $API/tasks/jobs/$JOB ${bearer} | sed 's/.*"status":"\\([^"]*\\)".*/\\1/')
done
echo $STATUS`,
    },
    {
      text: "A job is `queued`, then `running`, at the end `completed` or `failed`. `progress` counts seconds of the recording; `waiting` says why nothing goes on at the moment, such as a model that cannot be reached. Such a job goes on by itself. For hours of sound, ask once a minute, or give the job a `callback_url` and be [called back](/docs/guides/webhooks).",
    },
    { heading: "4. Take the transcript" },
    {
      kind: "sh",
      code: `curl -s $API/tasks/jobs/$JOB/result ${bearer}
curl -s "$API/tasks/jobs/$JOB/result?format=srt" ${bearer} -o recording.srt`,
    },
    {
      text: "Formats are `json`, `text`, `srt` and `vtt`. Before the end the answer is 409 `job_not_completed`; with `partial=true` it is what there is so far, also of a job that has failed. Job and result are kept for 30 days.",
    },
    { heading: "5. Cancel, or clear away" },
    { kind: "sh", code: `curl -s -X DELETE $API/tasks/jobs/$JOB ${bearer}` },
    {
      text: "A job that runs stops within seconds, and calls back as `job.cancelled`. Its transcript is deleted as well: take what you want of it before, with `partial=true`.",
    },
    { heading: "How much, and how soon" },
    {
      list: [
        "An account has hours of recordings in a month, which [limits](/docs/guides/limits) tells. They are counted when a job is made; more is refused with 429 `quota_exceeded`. What is not transcribed in the end, because a job fails or is cancelled, is given back.",
        "`GET /auth/usage` tells what is left, as `recordings_this_month`, in seconds.",
        "A recording is cut into pieces of at most nine and a half minutes, which are transcribed side by side. Accounts take turns after each piece: somebody's ten hours do not hold up another's three minutes. Of one account, the oldest job is first.",
        "A piece that a model fails at is tried five times; then the job has failed. A model that is busy or out of reach is waited for, up to a day unless a stage decides otherwise; the job says so in `waiting`.",
      ],
    },
  ],
};
