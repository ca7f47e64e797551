import { sendOverWire } from "../support/wire.ts";
import { type Attack, attacksOf, refusedIf } from "./attack.ts";

/** What a browser sends for a page of another site, newer browsers and older ones, and for a page whose name resolves to here. */
const pages = [
  { origin: "https://evil.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
  { origin: "https://evil.example" },
  { origin: "http://127.0.0.1:8080", "sec-fetch-site": "same-site" },
  { host: "rebound.example" },
];

/** Routes of a developer's machine, called without a preflight: a text for a function, a file, the mails. */
const requests = [
  { method: "POST", path: "/_local/functions/auth/invocations", body: Buffer.from("{}") },
  { method: "POST", path: "/_local/media", body: Buffer.from("a voice message") },
  { method: "GET", path: "/_local/mail" },
];

/** What web pages do to the service of a developer who has them open: a part of number 15. */
export const localAttacks: readonly Attack[] = attacksOf({ number: 15, needs: ["mails"] })({
  "a web page that invokes functions, stores files and reads mails on its reader's machine": async ({
    url,
  }) => {
    const responses = await Promise.all(
      pages.flatMap((headers) =>
        requests.map((request) =>
          sendOverWire(url, { ...request, headers: { "content-type": "text/plain", ...headers } }),
        ),
      ),
    );
    const refused = responses.filter(({ status }) => status === 403);
    return refusedIf(
      refused.length === responses.length,
      `${refused.length} of ${responses.length} requests refused`,
    );
  },
});
