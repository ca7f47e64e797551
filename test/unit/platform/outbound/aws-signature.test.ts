import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AwsSigner, percentEncode } from "../../../../shared/platform/outbound/aws-signature.ts";
import { createSdkSigner } from "../../../support/sdk-signer.ts";

const region = "us-east-1";
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const temporary = { ...credentials, sessionToken: "a+b/c=" };

const sdkSigner = (service: string) => createSdkSigner(service, { region, credentials: temporary });

/** A request in the SDK's form. */
const inSdkForm = (method: string, url: URL, headers: Readonly<Record<string, string>>, body?: string) => ({
  method,
  protocol: url.protocol,
  hostname: url.hostname,
  path: url.pathname,
  query: Object.fromEntries(url.searchParams),
  headers: { host: url.host, ...headers },
  ...(body === undefined ? {} : { body }),
});

const signatureIn = ({ authorization = "" }: Readonly<Record<string, string>>): string | undefined =>
  /Signature=([0-9a-f]{64})$/.exec(authorization)?.[1];

const anyText = fc
  .string({ unit: "binary", minLength: 1, maxLength: 8 })
  .filter((text) => text.isWellFormed());
const anyPath = fc
  .array(
    anyText.filter((segment) => !/^\.{1,2}$/.test(segment)),
    { maxLength: 3 },
  )
  .map((segments) => `/${segments.map(percentEncode).join("/")}`);
const anyQuery = fc
  .dictionary(anyText, anyText, { maxKeys: 3, noNullPrototype: true })
  .map((query) => new URLSearchParams(query).toString());
const anyUrl = fc
  .tuple(anyPath, anyQuery)
  .map(([path, query]) => new URL(`https://bucket.example.com${path}${query ? `?${query}` : ""}`));
const anyDate = fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });

describe("a signature", () => {
  it.each([
    ["get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    ["post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
    [
      "get-vanilla-query-order-key-case",
      "GET",
      "/?Param2=value2&Param1=value1",
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
  ])("is that of AWS's test suite: %s", (_name, method, path, signature) => {
    const url = new URL(path, "https://example.amazonaws.com");
    const signer = new AwsSigner("service", { region, credentials });
    const headers = signer.sign({ method, url, headers: {} }, new Date("2015-08-30T12:36:00Z"));
    expect(headers).toEqual({
      "x-amz-date": "20150830T123600Z",
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    });
  });

  it("is that of the documentation's call to IAM", () => {
    const url = new URL("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08");
    const headers = new AwsSigner("iam", { region, credentials }).sign(
      {
        method: "GET",
        url,
        headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      },
      new Date("2015-08-30T12:36:00Z"),
    );
    expect(signatureIn(headers)).toBe("5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
  });

  it.each(["dynamodb", "s3"])("of any request to %s is the SDK's", async (service) => {
    const signer = new AwsSigner(service, { region, credentials: temporary });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST", "PUT"),
        anyUrl,
        fc.constantFrom("plain", " spaced   out ", "a/b; c=d"),
        fc.string({ unit: "binary" }),
        anyDate,
        async (method, url, value, body, now) => {
          const own = signer.sign({ method, url, headers: { "content-type": value }, body }, now);
          const given = {
            "content-type": value,
            ...(service === "s3" ? { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" } : {}),
          };
          const theirs = await sdkSigner(service).sign(inSdkForm(method, url, given, body), {
            signingDate: now,
          });
          const { host: _host, ...expected } = theirs.headers;
          expect(own).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("changes with the day, and with the day before it again", () => {
    const signer = new AwsSigner("dynamodb", { region, credentials });
    const request = {
      method: "POST",
      url: new URL("https://dynamodb.us-east-1.amazonaws.com/"),
      headers: {},
    };
    const on = (day: string, by: AwsSigner) => by.sign(request, new Date(`${day}T00:00:00Z`));
    const days = ["2026-11-21", "2026-11-22", "2026-11-21"];
    expect(days.map((day) => on(day, signer))).toEqual(
      days.map((day) => on(day, new AwsSigner("dynamodb", { region, credentials }))),
    );
  });
});

describe("a signed link", () => {
  it("is that of the documentation's link to an object", () => {
    const signer = new AwsSigner("s3", {
      region,
      credentials: {
        accessKeyId: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      },
    });
    const link = signer.presign(
      { method: "GET", url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"), headers: {} },
      86_400,
      new Date("2013-05-24T00:00:00Z"),
    );
    expect(link).toBe(
      "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    );
  });

  it("for any object, method and signed header is the SDK's", async () => {
    const signer = new AwsSigner("s3", { region, credentials: temporary });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "PUT"),
        anyUrl,
        fc.constantFrom({}, { "content-type": "audio/wav" }),
        fc.integer({ min: 1, max: 604_800 }),
        anyDate,
        async (method, url, headers, lifetime, now) => {
          // The SDK's link marks its body as unsigned, as S3 allows.
          const revealing = new URL(url);
          revealing.searchParams.set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD");
          const own = new URL(signer.presign({ method, url: revealing, headers }, lifetime, now));
          const theirs = await sdkSigner("s3").presign(
            inSdkForm(method, url, { ...headers, "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD" }),
            { expiresIn: lifetime, signingDate: now, signableHeaders: new Set(["content-type"]) },
          );
          expect(own.pathname).toBe(url.pathname);
          expect(Object.fromEntries(own.searchParams)).toEqual(theirs.query);
        },
      ),
      { numRuns: 300 },
    );
  });
});
