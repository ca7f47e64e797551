import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { webhookEndpoints } from "../../../functions/webhook/endpoints.ts";
import { equalSecrets } from "../../../functions/webhook/verify-platform.ts";
import { createReadingLimit } from "../../../shared/accounts/limits/reading-limit.ts";
import type { InboundMessage } from "../../../shared/messaging/inbound-message.ts";
import { send } from "../../support/send.ts";

const queued: (readonly InboundMessage[])[] = [];

/** The webhook of a stage whose app secret is this one. */
const webhookWith = (appSecret: string) => {
  const secrets = {
    current: { app_secret: appSecret, verify_token: "verify", access_token: "access" },
    previous: {},
  };
  return webhookEndpoints({
    secrets: { get: async () => secrets, reload: async () => secrets },
    signatureMode: "enforce",
    queue: { send: async (messages) => void queued.push(messages) },
    unsigned: createReadingLimit(),
    saveReceipt: async () => undefined,
  });
};

const hmac = (algorithm: string, body: Uint8Array | string, secret: string): string =>
  createHmac(algorithm, secret).update(body).digest("hex");
const sign = (body: Uint8Array | string, secret: string): string => `sha256=${hmac("sha256", body, secret)}`;

const request = { path: "/tasks/webhook" };
const signed = (signature: string) => ({ "X-Hub-Signature-256": signature });

/** The status of a delivery, and whether it came as far as the queue. */
const deliver = async (
  appSecret: string,
  delivery: Partial<Parameters<typeof send>[1]>,
): Promise<{ status: number; passed: boolean }> => {
  queued.length = 0;
  const { status } = await send(webhookWith(appSecret), { ...request, ...delivery });
  return { status, passed: queued.length > 0 };
};

const refused = { status: 403, passed: false };
const accepted = { status: 200, passed: true };

const secret = fc.string({ minLength: 1, maxLength: 64 });
const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));

/** A delivery and another one that differs a little: in a bit, by a byte more or less, in the order of two bytes. */
const bodyAndForgery = fc
  .tuple(bytes, fc.nat(), fc.integer({ min: 0, max: 7 }), fc.constantFrom("flip", "drop", "add", "swap"))
  .map(([body, position, bit, kind]) => {
    const at = position % body.length;
    const forged = Buffer.from(body);
    if (kind === "flip") forged.writeUInt8(body.readUInt8(at) ^ (1 << bit), at);
    if (kind === "swap") forged.subarray(at, at + 2).reverse();
    if (kind === "drop")
      return { body, forged: Buffer.concat([body.subarray(0, at), body.subarray(at + 1)]) };
    if (kind === "add") return { body, forged: Buffer.concat([body, Buffer.from([bit])]) };
    return { body, forged };
  })
  .filter(({ body, forged }) => !body.equals(forged));

const replaceAt = (text: string, at: number, by: string): string =>
  text.slice(0, at) + by + text.slice(at + 1);

/** Ways from the right signature to a wrong one. */
const forgeSignature: Record<string, (right: string, position: number, junk: string) => string> = {
  "another digit": (right, position) => {
    const at = "sha256=".length + (position % 64);
    const digit = Number.parseInt(right.charAt(at), 16);
    return replaceAt(right, at, ((digit + 1 + (position % 15)) % 16).toString(16));
  },
  "cut off": (right, position) => right.slice(0, position % right.length),
  longer: (right, position) => right + "0".repeat(1 + (position % 64)),
  "in capitals": (right) => `sha256=${right.slice("sha256=".length).toUpperCase()}`,
  "in capitals altogether": (right) => right.toUpperCase(),
  "without its prefix": (right) => right.slice("sha256=".length),
  "with another prefix": (right, position) =>
    right.replace(
      "sha256=",
      ["sha1=", "sha512=", "SHA256=", "sha256:", "sha256==", "md5="][position % 6] ?? "",
    ),
  "twice in a line": (right) => `${right}, ${right}`,
  "in Base64": (right) => `sha256=${Buffer.from(right.slice(7), "hex").toString("base64")}`,
  "made up": (_right, _position, junk) => junk,
};

describe("a delivery that is not signed with the app secret", () => {
  it("is refused when its body is another one, by as little as a bit", () =>
    fc.assert(
      fc.asyncProperty(bodyAndForgery, secret, async ({ body, forged }, appSecret) => {
        const headers = signed(sign(body, appSecret));
        expect(await deliver(appSecret, { body, headers })).toEqual(accepted);
        expect(await deliver(appSecret, { body: forged, headers })).toEqual(refused);
      }),
    ));

  it.each(Object.entries(forgeSignature))("is refused when its signature is %s", (_name, forge) =>
    fc.assert(
      fc.asyncProperty(bytes, secret, fc.nat(), fc.string(), async (body, appSecret, position, junk) => {
        const right = sign(body, appSecret);
        const wrong = forge(right, position, junk);
        // A digest in capitals is no other when it has no letters.
        fc.pre(wrong !== right);
        expect(await deliver(appSecret, { body, headers: signed(wrong) })).toEqual(refused);
      }),
      { numRuns: 30 },
    ),
  );

  it("is refused when it was signed with another secret", () =>
    fc.assert(
      fc.asyncProperty(bytes, secret, secret, async (body, appSecret, other) => {
        fc.pre(appSecret !== other);
        expect(await deliver(appSecret, { body, headers: signed(sign(body, other)) })).toEqual(refused);
      }),
    ));

  it("is refused when it has no signature, an empty one, or one under another name", async () => {
    const body = Buffer.from("{}");
    const right = sign(body, "app-secret");
    const headers = [
      {},
      signed(""),
      { "X-Hub-Signature": right },
      { "X-Hub-Signature": `sha1=${hmac("sha1", body, "app-secret")}` },
      { "X-Hub-Signature-512": `sha512=${hmac("sha512", body, "app-secret")}` },
      signed(`sha1=${hmac("sha1", body, "app-secret")}`),
      signed(`sha256=${hmac("sha1", body, "app-secret")}`),
    ];
    for (const each of headers) {
      expect(await deliver("app-secret", { body, headers: each })).toEqual(refused);
    }
  });

  it("is refused when it brings several signatures, be the right one among them", async () => {
    const body = Buffer.from("{}");
    const [right, wrong] = [sign(body, "app-secret"), sign(body, "other")];
    const several = [
      { "X-Hub-Signature-256": [right, wrong] },
      { "X-Hub-Signature-256": [wrong, right] },
      { "X-Hub-Signature-256": [right, right] },
      { "X-Hub-Signature-256": [wrong], "x-hub-signature-256": [right] },
    ];
    for (const repeatedHeaders of several) {
      expect(await deliver("app-secret", { body, repeatedHeaders })).toEqual(refused);
    }
  });
});

describe("a delivery that is signed", () => {
  it("is accepted for its bytes, whether API Gateway hands them on as text or in Base64", () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", minLength: 1 }), secret, async (body, appSecret) => {
        const headers = signed(sign(body, appSecret));
        expect(await deliver(appSecret, { body, headers })).toEqual(accepted);
        expect(await deliver(appSecret, { body: Buffer.from(body), headers })).toEqual(accepted);
      }),
    ));

  it("is accepted however its header's name is written", async () => {
    const body = Buffer.from("{}");
    for (const name of ["x-hub-signature-256", "X-HUB-SIGNATURE-256", "X-Hub-Signature-256"]) {
      const headers = { [name]: sign(body, "app-secret") };
      expect(await deliver("app-secret", { body, headers })).toEqual(accepted);
    }
  });
});

describe("the comparison of secrets", () => {
  // timingSafeEqual throws for lengths that differ: only digests of both sides can be compared without a look at them.
  it("never fails, for any lengths, and holds for equal texts only", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.string({ maxLength: 200 }), (given, expected) => {
        expect(equalSecrets(given, expected)).toBe(given === expected);
        expect(equalSecrets(expected, expected)).toBe(true);
      }),
    );
  });
});
