import { accountTypes } from "../../../../shared/accounts/access/account.ts";
import { accountPoliciesWith, defaultAddressLimits } from "../../../../shared/accounts/limits/policies.ts";
import { errorCatalogue } from "../../../../shared/platform/errors/catalogue.ts";
import { apiVariable, bearer } from "./beginning.ts";
import type { Guide } from "./guide.ts";

export const webhooksGuide: Guide = {
  name: "webhooks",
  title: "Webhooks",
  summary: "Be told when a job has ended, and know that it was us who told you.",
  parts: (baseUrl) => [
    {
      text: "A job with a `callback_url` posts its end there: `job.completed`, `job.failed` or `job.cancelled`. The address begins with `https://` and is one of the public internet. Callbacks follow [Standard Webhooks](https://www.standardwebhooks.com), for which there are packages in most languages.",
    },
    { heading: "Your secret" },
    {
      kind: "sh",
      code: `${apiVariable(baseUrl)}
curl -s $API/auth/webhook-secret ${bearer}`,
    },
    {
      text: "`POST` to the same address makes a new one. The old one signs too for a day, so that nothing is lost while you change it.",
    },
    { heading: "What comes" },
    {
      kind: "output",
      code: `POST /transcripts HTTP/1.1
content-type: application/json
webhook-id: msg_019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69_job_completed
webhook-timestamp: 1795339800
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{"type":"job.completed","timestamp":"2026-11-22T09:30:00.000Z","data":{"id":"019ab0c4-5e5e-7c3a-9f0e-2f1d3c4b5a69","type":"transcription","status":"completed",…}}`,
    },
    {
      text: "`data` is the job, as `GET /tasks/jobs/{id}` shows it. The transcript is not in it: ask for it.",
    },
    { heading: "A receiver" },
    {
      kind: "typescript",
      code: `import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    // Throws when the signature is wrong, or the message older than five minutes.
    const { type, data } = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
    console.log(type, data.id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(process.env.PORT ?? 8080);`,
    },
    {
      kind: "python",
      code: `import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["WEBHOOK_SECRET"])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            message = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except Exception:
            self.send_response(400)
        else:
            print(message["type"], message["data"]["id"])
            self.send_response(204)
        self.end_headers()


HTTPServer(("", 8080), Receiver).serve_forever()`,
    },
    {
      list: [
        "Verify the bytes as they came, before anything parses them.",
        "Answer with a status of 200 to 299 within some seconds, and do the work afterwards. Any other answer is tried again, for about a day; 410 ends it.",
        "The same message may come twice. Its `webhook-id` is the same then: keep those that you have seen.",
        "What became of the callback is told by `GET /tasks/jobs/{id}`.",
      ],
    },
  ],
};

const count = new Intl.NumberFormat("en");

const tier = (type: (typeof accountTypes)[number]): string[] => {
  const policy = accountPoliciesWith(1)({ account_type: type, email_verified: true });
  const limitText = (limit: number | undefined) => (limit === undefined ? "no limit" : count.format(limit));
  const hours = policy.audioSecondsPerMonth === undefined ? undefined : policy.audioSecondsPerMonth / 3_600;
  return [
    type,
    limitText(policy.perMinute),
    limitText(policy.perDay),
    limitText(policy.perMonth),
    limitText(policy.streamsAtOnce),
    hours === undefined ? "no limit" : `${limitText(hours)} hours`,
  ];
};

export const limitsGuide: Guide = {
  name: "limits",
  title: "Limits",
  summary: "How much an account may do, and how a program keeps within it.",
  parts: (baseUrl) => [
    {
      caption: "What an account may do",
      columns: [
        "Account",
        "Requests a minute",
        "Tasks a day",
        "Tasks a month",
        "Streams at a time",
        "Jobs: sound a month",
      ],
      rows: accountTypes.map(tier),
    },
    {
      list: [
        "A request to `/tasks` or `/v1` that asks a model is a task. Each text of a batch is one.",
        "Until its e-mail address is verified, an account has a tenth of the tasks, unless a stage decides otherwise.",
        `Without an account: ${defaultAddressLimits.anonymous} requests a minute from one address, and ${defaultAddressLimits.credentials} that take a password, unless a stage decides otherwise.`,
        "Minutes, days and months are those of UTC. What fails before a model began to work is given back.",
      ],
    },
    { heading: "Every answer tells" },
    {
      text: "`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` are those of the minute. A refusal is 429 with `Retry-After`, in seconds: `rate_limited` for the minute, `quota_exceeded` for the day, the month or a key's own limit.",
    },
    { heading: "What is left" },
    { kind: "sh", code: `${apiVariable(baseUrl)}\ncurl -s $API/auth/usage ${bearer}` },
    {
      text: "[The usage page](/console/usage) shows the same with a chart. `format=csv` gives a table for a spreadsheet.",
    },
    { heading: "Wait as long as you are told" },
    {
      kind: "typescript",
      code: `const patiently = async (send) => {
  for (let tries = 1; ; tries += 1) {
    const response = await send();
    const seconds = Number(response.headers.get("retry-after") ?? tries);
    if (![429, 502, 503].includes(response.status) || tries === 5 || seconds > 60) return response;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
};

const response = await patiently(() => fetch("${baseUrl}/languages"));
console.log(response.status);`,
    },
  ],
};

export const errorsGuide: Guide = {
  name: "errors",
  title: "Errors",
  summary: "What an error looks like, what each code means, and what may be tried again.",
  parts: (baseUrl) => [
    {
      text: "Every error is JSON of one form, whichever way it came. `error.code` is for programs and does not change; `detail` and `error.message` are for people.",
    },
    {
      kind: "sh",
      code: `${apiVariable(baseUrl)}
curl -s $API/tasks/translate ${bearer} -H 'Content-Type: application/json' \\
  -d '{"source_language": "eng", "target_language": "fra", "text": "How are you?"}'`,
    },
    {
      kind: "output",
      code: '{"detail":"…","error":{"supported_languages":[…],"code":"unsupported_language","message":"…","type":"invalid_request_error","param":"target_language"},"request_id":"…"}',
    },
    {
      list: [
        "A request that is not valid is 422. Its `detail` is a list: `loc` says where, `msg` what is wrong.",
        "`/auth/token` tells errors as OAuth 2.0 does: `error` is a word such as `invalid_grant`.",
        "`request_id` is in every answer, also as the header `X-Request-Id`. Name it when you ask us about an error.",
      ],
    },
    { heading: "Trying again" },
    {
      text: "429, 502 and 503 are worth another try, after `Retry-After`. A 500 may be. All others come again until the request is changed. Send an `Idempotency-Key` with a task that must not be done, or counted, twice: the same request with the same key gets the first answer again for 24 hours.",
    },
    {
      kind: "sh",
      code: `curl -s $API/tasks/translate ${bearer} -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: order-$$" \\
  -d '{"source_language": "eng", "target_language": "lug", "text": "How are you?"}'`,
    },
    { heading: "All codes" },
    {
      caption: "Codes of errors",
      isStacked: true,
      columns: ["Code", "Status", "Sentence"],
      rows: Object.entries(errorCatalogue)
        .toSorted(([, one], [, other]) => one.status - other.status)
        .map(([code, { status, message }]) => [`\`${code}\``, String(status), message]),
    },
  ],
};
