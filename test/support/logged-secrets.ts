/** What lets its bearer in: tokens, keys, webhook secrets, signatures of links, the passwords of these tests and their hashes. */
const secrets = [
  /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{20,}/,
  /lai_\w{20,}/,
  /whsec_[\w+/]{20,}/,
  /X-Amz-Signature=/,
  /\$argon2/,
  /storks by the lake|cranes over the hill|herons at the shore/,
];

/** What callers send to models in these tests, and what the sample models return. */
const texts = /Wasuze otya|Oli otya|Webale|Thank you|How are you/;

/** The lines of a log that no operator may read: those with a secret, or with the text of a request or response. */
export const forbiddenLines = (lines: readonly string[]): string[] =>
  lines.filter((line) => texts.test(line) || secrets.some((secret) => secret.test(line)));
