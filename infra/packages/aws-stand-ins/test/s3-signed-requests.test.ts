import {
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { bucket, clientOf, credentials, refusalOf, sendRaw, startTestS3, type TestS3 } from "./s3-fixture.ts";

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.close());

/** The parts of a request that can be changed between signing and sending. */
interface SignedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
}

const isSignedRequest = (request: unknown): request is SignedRequest =>
  typeof request === "object" && request !== null && "headers" in request && "query" in request;

/** Sends what the SDK signed after `tamper` has changed it, as a proxy on the way could. */
const putTampered = (tamper: (request: SignedRequest) => void, key = "tampered"): Promise<unknown> => {
  const client = clientOf(s3.server.endpoint, { requestChecksumCalculation: "WHEN_REQUIRED" });
  client.middlewareStack.add(
    (next) => async (args) => {
      if (isSignedRequest(args.request)) tamper(args.request);
      return next(args);
    },
    { step: "finalizeRequest", priority: "low", name: "tamper" },
  );
  const command = new PutObjectCommand({
    Bucket: bucket,
    Key: key,
    Body: "what was signed",
    ContentType: "text/plain",
    Metadata: { account: "1" },
  });
  return client.send(command).finally(() => client.destroy());
};

const authorizationWith = (request: SignedRequest, pattern: RegExp, replacement: string): void => {
  const { authorization = "" } = request.headers;
  expect(authorization).toMatch(pattern);
  request.headers["authorization"] = authorization.replace(pattern, replacement);
};

describe("A signed request", () => {
  it("is accepted as it was signed", async () => {
    await putTampered(() => {}, "untouched");
    expect(await s3.get("untouched")).toBe("what was signed");
  });

  it.each<[string, string, (request: SignedRequest) => void]>([
    [
      "the signature",
      "403 SignatureDoesNotMatch",
      (request) => authorizationWith(request, /Signature=.{8}/, "Signature=00000000"),
    ],
    [
      "the access key",
      "403 InvalidAccessKeyId",
      (request) => authorizationWith(request, /local-access-key/, "local-access-kez"),
    ],
    [
      "the region",
      "400 AuthorizationHeaderMalformed",
      (request) => authorizationWith(request, /eu-west-1/, "eu-west-2"),
    ],
    [
      "the service",
      "400 AuthorizationHeaderMalformed",
      (request) => authorizationWith(request, /\/s3\//, "/sqs/"),
    ],
    [
      "the day",
      "400 AuthorizationHeaderMalformed",
      (request) => authorizationWith(request, /\/\d{8}\//, "/20200101/"),
    ],
    [
      "the list of signed headers",
      "403 SignatureDoesNotMatch",
      (request) => authorizationWith(request, /content-type;/, ""),
    ],
    [
      "the form of the header",
      "400 AuthorizationHeaderMalformed",
      (request) => authorizationWith(request, /AWS4-HMAC-SHA256/, "AWS4-HMAC-SHA512"),
    ],
    [
      "the method",
      "403 SignatureDoesNotMatch",
      (request) => {
        request.method = "DELETE";
      },
    ],
    [
      "the key",
      "403 SignatureDoesNotMatch",
      (request) => {
        request.path += "2";
      },
    ],
    [
      "the query",
      "403 SignatureDoesNotMatch",
      (request) => {
        request.query["tagging"] = "";
      },
    ],
    [
      "the content type",
      "403 SignatureDoesNotMatch",
      (request) => {
        request.headers["content-type"] = "text/html";
      },
    ],
    [
      "signed metadata",
      "403 SignatureDoesNotMatch",
      (request) => {
        request.headers["x-amz-meta-account"] = "2";
      },
    ],
    [
      "the digest of the body",
      "403 SignatureDoesNotMatch",
      (request) => {
        request.headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD";
      },
    ],
    [
      "the body",
      "400 XAmzContentSHA256Mismatch",
      (request) => {
        request.body = "what was forged";
      },
    ],
    [
      "additional metadata",
      "403 AccessDenied",
      (request) => {
        request.headers["x-amz-meta-role"] = "admin";
      },
    ],
    [
      "tags that were not there",
      "403 AccessDenied",
      (request) => {
        request.headers["x-amz-tagging"] = "a=b";
      },
    ],
  ])("is refused after a change of %s", async (_part, refusal, tamper) => {
    expect(await refusalOf(putTampered(tamper))).toBe(refusal);
    expect(await refusalOf(s3.get("tampered"))).toBe("404 NoSuchKey");
  });

  it.each<[string, S3ClientConfig, string]>([
    [
      "another secret",
      { credentials: { ...credentials, secretAccessKey: "guessed" } },
      "403 SignatureDoesNotMatch",
    ],
    [
      "an unknown access key",
      { credentials: { ...credentials, accessKeyId: "nobody" } },
      "403 InvalidAccessKeyId",
    ],
    ["another region", { region: "us-east-1" }, "400 AuthorizationHeaderMalformed"],
    ["a clock an hour slow", { systemClockOffset: -3_600_000 }, "403 RequestTimeTooSkewed"],
    ["a clock an hour fast", { systemClockOffset: 3_600_000 }, "403 RequestTimeTooSkewed"],
  ])("is refused with %s", async (_difference, config, refusal) => {
    const client = clientOf(s3.server.endpoint, config);
    expect(await refusalOf(client.send(new ListBucketsCommand({})))).toBe(refusal);
    client.destroy();
  });

  it("may carry a session token, as requests from a Lambda function do", async () => {
    const client = clientOf(s3.server.endpoint, { credentials: { ...credentials, sessionToken: "session" } });
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: "from-lambda", Body: "x" }));
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: "from-lambda" }));
    expect(await Body?.transformToString()).toBe("x");
    client.destroy();
  });
});

describe("An anonymous request", () => {
  it.each([
    ["GET", "/"],
    ["GET", `/${bucket}?list-type=2`],
    ["GET", `/${bucket}/secret`],
    ["HEAD", `/${bucket}/secret`],
    ["PUT", `/${bucket}/secret`],
    ["DELETE", `/${bucket}/secret`],
    ["POST", `/${bucket}?delete`],
    ["POST", `/${bucket}/secret?uploads`],
    ["GET", "/no-such-bucket/secret"],
    ["PATCH", `/${bucket}/secret`],
  ])("%s %s is refused", async (method, target) => {
    await s3.put("secret", "x");
    const refusal = method === "HEAD" ? "403 OK" : "403 AccessDenied";
    expect(await sendRaw(s3.server.endpoint, target, { method })).toBe(refusal);
    expect(await s3.get("secret")).toBe("x");
  });
});
