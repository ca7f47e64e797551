import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AwsSigner } from "../../../../shared/platform/outbound/aws-signature.ts";
import { createSdkSigner } from "../../../support/sdk-signer.ts";

const region = "us-east-1";
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const temporary = { ...credentials, sessionToken: "a+b/c=" };

const anyDate = fc.date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });

describe("a signature", () => {
  it("is that of AWS's test suite (post-vanilla)", () => {
    const url = new URL("https://example.amazonaws.com/");
    const signer = new AwsSigner("service", { region, credentials });
    expect(signer.sign({ url, headers: {}, body: "" }, new Date("2015-08-30T12:36:00Z"))).toEqual({
      "x-amz-date": "20150830T123600Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " +
        "SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    });
  });

  it.each([credentials, temporary])("of any request is the SDK's (%#)", async (given) => {
    const signer = new AwsSigner("dynamodb", { region, credentials: given });
    const sdkSigner = createSdkSigner("dynamodb", { region, credentials: given });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("https://dynamodb.af-south-1.amazonaws.com/", "http://127.0.0.1:4566/v1/aws"),
        fc.constantFrom("plain", "a/b; c=d"),
        fc.string({ unit: "binary" }),
        anyDate,
        async (address, value, body, now) => {
          const url = new URL(address);
          const own = signer.sign({ url, headers: { "content-type": value }, body }, now);
          const theirs = await sdkSigner.sign(
            {
              method: "POST",
              protocol: url.protocol,
              hostname: url.hostname,
              path: url.pathname,
              headers: { host: url.host, "content-type": value },
              body,
            },
            { signingDate: now },
          );
          const { host: _host, ...expected } = theirs.headers;
          expect(own).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("changes with the day, and with the day before it again", () => {
    const signer = new AwsSigner("dynamodb", { region, credentials });
    const request = { url: new URL("https://dynamodb.us-east-1.amazonaws.com/"), headers: {}, body: "" };
    const on = (day: string, by: AwsSigner) => by.sign(request, new Date(`${day}T00:00:00Z`));
    const days = ["2026-11-21", "2026-11-22", "2026-11-21"];
    expect(days.map((day) => on(day, signer))).toEqual(
      days.map((day) => on(day, new AwsSigner("dynamodb", { region, credentials }))),
    );
  });
});
