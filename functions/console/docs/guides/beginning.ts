import type { Guide } from "./guide.ts";

const json = "-H 'Content-Type: application/json'";

/** A command that is sent with a token. */
export const bearer = '-H "Authorization: Bearer $TOKEN"';

/** The command that tells the others where the service is. */
export const apiVariable = (baseUrl: string): string => `API=${baseUrl}`;

export const firstCallGuide: Guide = {
  name: "first-call",
  title: "The first call",
  summary: "From nothing to a translation, in three commands.",
  parts: (baseUrl) => [
    { text: "Every command can be pasted into a terminal as it is. They need `curl` and nothing else." },
    { heading: "1. Make an account" },
    {
      text: "[Sign up on the page](/console/sign-up), or with a command. A password has at least 8 characters and is not one of the most common ones.",
    },
    {
      kind: "sh",
      code: `${apiVariable(baseUrl)}
curl -s $API/auth/register ${json} \\
  -d '{"username": "amina", "email": "amina@example.com", "password": "seven storks by the lake"}'`,
    },
    {
      text: "The account works at once. The mail that comes has a link: press its button, and the account may do ten times as much.",
    },
    { heading: "2. Get a token" },
    {
      kind: "sh",
      code: `TOKEN=$(curl -s $API/auth/token -d username=amina --data-urlencode 'password=seven storks by the lake' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    },
    {
      text: "A token does everything that the account may do. A program that stays should have [a key](/docs/guides/keys).",
    },
    { heading: "3. Translate" },
    {
      kind: "sh",
      code: `curl -s $API/tasks/translate ${bearer} ${json} \\
  -d '{"source_language": "eng", "target_language": "lug", "text": "How are you?"}'`,
    },
    {
      kind: "output",
      code: '{"id":"trans-…","status":"COMPLETED","output":{"translated_text":"Oli otya?","text":null,"source_language":"eng","target_language":"lug","Error":null},…}',
    },
    {
      text: "A language is named by its code (`lug`, `lg`), a tag (`lg-UG`) or its name. [The list of languages](/docs/languages) says what can be done in each.",
    },
    { heading: "Next" },
    {
      list: [
        "[Chat and speech while they are made](/docs/guides/streaming)",
        "[Recordings of more than 4.4 MB](/docs/guides/uploads)",
        "Programs for the OpenAI API work as they are: their base URL is the service's address with `/v1`, their API key is the token or a key. [What is there](/docs#openai-clients)",
      ],
    },
  ],
};

export const keysGuide: Guide = {
  name: "keys",
  title: "Tokens and keys",
  summary: "What a program proves itself with, and how to take it away again.",
  parts: (baseUrl) => [
    {
      caption: "Two kinds of proof",
      columns: ["", "Token", "Key"],
      rows: [
        [
          "comes from",
          "`POST /auth/token`, with user name and password",
          "`POST /auth/keys`, or [the page](/console/tokens)",
        ],
        [
          "may do",
          "everything that the account may",
          "tasks, or only those of its scopes; nothing about the account",
        ],
        ["ends with", "a new password, or its time", "its revocation, or its time; not with a new password"],
        ["limit", "the account's", "the account's, and one of its own if you set it"],
      ],
    },
    { text: "Both are sent in the same way: `Authorization: Bearer …`. Below, `TOKEN` is an access token." },
    { heading: "Make a key" },
    {
      kind: "sh",
      code: `${apiVariable(baseUrl)}
curl -s $API/auth/keys ${bearer} ${json} \\
  -d '{"name": "kiosk in Gulu", "scopes": ["speech"], "monthly_limit": 1000}'`,
    },
    {
      text: "The answer has the key in `key`. It is shown this once: only a digest of it is kept. A key without `scopes` does all tasks, one without `expires_at` works until it is revoked.",
    },
    { heading: "See what keys did" },
    { kind: "sh", code: `curl -s $API/auth/keys ${bearer}` },
    {
      text: "`last_used_at` and `used_this_month` of each key. [Usage](/docs/getUsage) has every day and operation.",
    },
    { heading: "Revoke" },
    {
      kind: "sh",
      code: `ID=$(curl -s $API/auth/keys ${bearer} | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -s -X DELETE $API/auth/keys/$ID ${bearer}`,
    },
    {
      text: "The next request with the key gets 401. `DELETE /auth/keys` revokes all of them; do that when you do not know which one leaked.",
    },
    {
      list: [
        "Keys belong in a variable or a store of secrets, never in code or in an app that you hand out.",
        "Give each program a key of its own: you can take one away without stopping the others.",
        "A token is replaced by `POST /auth/refresh-token`; the old one ends at once.",
      ],
    },
  ],
};
