import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { localCredentials } from "../src/iam/local-account.ts";
import { isFromAnotherSite, isFromThisMachine } from "../src/loopback.ts";
import { type StandIns, sdkVariables, startStandIns } from "../src/stand-ins.ts";

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "this-machine-"));
});
afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

/** What a page at `host` gets whose name resolves to 127.0.0.1 all of a sudden. */
const askAs = (endpoint: string, host: string | undefined): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const headers = {
      Authorization: "AWS4-HMAC-SHA256 Credential=local/20261122/us-east-1/service/aws4_request",
      "X-Amz-Target": "Any.Operation",
      ...(host === undefined ? {} : { Host: host }),
    };
    request(endpoint, { method: "POST", headers, setHost: false }, (response) => {
      void text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    })
      .on("error", reject)
      .end("{}");
  });

describe("the stand-ins", () => {
  let standIns: StandIns;
  beforeEach(async () => {
    standIns = await startStandIns({ dataDirectory });
  });
  afterEach(() => standIns.close());

  it("respond only to this machine's own names, so that no web page reaches them under its name", async () => {
    for (const [name, endpoint] of Object.entries(standIns.endpoints)) {
      const { port } = new URL(endpoint);
      for (const host of [`rebound.example:${port}`, `localhost.example:${port}`, `192.0.2.1:${port}`]) {
        const { status, body } = await askAs(endpoint, host);
        expect(`${name} ${host} ${status} ${body}`).toMatch(
          / (?:400|403) .*(?:AccessDenied|"message":"This server)/s,
        );
      }
      for (const host of [
        `localhost:${port}`,
        `127.0.0.1:${port}`,
        `LOCALHOST.:${port}`,
        `s3.localhost:${port}`,
      ]) {
        expect((await askAs(endpoint, host)).body, `${name} ${host}`).not.toMatch(
          /AccessDenied|this machine alone/,
        );
      }
    }
  });
});

describe("stand-ins that others on the network may reach", () => {
  it("are the storage alone, with secret keys", async () => {
    const network = { listen: "0.0.0.0", address: "127.0.0.2" };
    const standIns = await startStandIns({ dataDirectory, network });
    const { s3, ...others } = standIns.endpoints;
    const { AWS_SECRET_ACCESS_KEY } = sdkVariables(standIns);
    await standIns.close();
    expect(s3).toMatch(/^http:\/\/127\.0\.0\.2:/);
    for (const endpoint of Object.values(others)) expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(AWS_SECRET_ACCESS_KEY).toHaveLength(40);
    expect(AWS_SECRET_ACCESS_KEY).not.toBe(localCredentials.secretAccessKey);
  });

  it.each([
    ["a phone that calls it by its address", "192.168.1.9", "192.168.1.5", "192.168.1.5:3000", false],
    ["a phone that says localhost", "192.168.1.9", "192.168.1.5", "localhost:3000", false],
    ["this machine, by its own address", "192.168.1.5", "192.168.1.5", "192.168.1.5:3000", true],
    ["this machine, by a page's own name", "192.168.1.5", "192.168.1.5", "rebound.example", false],
    ["this machine over IPv6", "::ffff:127.0.0.1", "::ffff:127.0.0.1", "[::1]:3000", true],
  ])("tell %s from the other", (_, remoteAddress, localAddress, host, isOurs) => {
    expect(isFromThisMachine({ headers: { host }, socket: { remoteAddress, localAddress } })).toBe(isOurs);
  });
});

describe("a request of a web page", () => {
  const host = "127.0.0.1:3000";
  const followed = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  it.each([
    ["a program", "POST", {}, false],
    ["a page of the service", "POST", { origin: `http://${host}`, "sec-fetch-site": "same-origin" }, false],
    ["an address that a person typed", "GET", { "sec-fetch-site": "none", ...followed }, false],
    ["a link on another site", "GET", { "sec-fetch-site": "cross-site", ...followed }, false],
    ["a form on another site", "POST", { "sec-fetch-site": "cross-site", ...followed }, true],
    ["a frame", "GET", { "sec-fetch-site": "cross-site", ...followed, "sec-fetch-dest": "iframe" }, true],
    ["a script of another site", "GET", { "sec-fetch-site": "cross-site" }, true],
    ["a script of another port", "POST", { "sec-fetch-site": "same-site" }, true],
    ["a browser without Sec-Fetch-Site", "POST", { origin: "https://evil.example" }, true],
    ["a page without an origin", "POST", { origin: "null" }, true],
    ["another port", "POST", { origin: "http://127.0.0.1:8080" }, true],
  ])("is refused when it is from elsewhere: %s", (_, method, headers, isRefused) => {
    expect(isFromAnotherSite({ method, headers: { host, ...headers } })).toBe(isRefused);
  });
});

describe("a damaged file", () => {
  it.each([
    ["s3/metadata.sqlite", /metadata\.sqlite is damaged/],
    ["sqs/sqs.sqlite", /sqs\.sqlite is damaged/],
    ["ses/mail.sqlite", /mail\.sqlite is damaged/],
    ["secrets/secrets.json", /secrets\.json is not a valid file/],
    ["dynamodb/CURRENT", /dynamodb cannot be opened/],
  ])("%s is named, with what to do about it", async (file, sentence) => {
    const path = join(dataDirectory, file);
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, "This is no database, and it is long enough to be taken for none. ".repeat(40));
    const failure = startStandIns({ dataDirectory }).then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(await failure).toMatch(sentence);
    expect(await failure).toMatch(/delete it/);
    expect(await failure).not.toContain("\n");
  });

  it("is named when it is only cut short", async () => {
    await (await startStandIns({ dataDirectory })).close();
    const path = join(dataDirectory, "sqs/sqs.sqlite");
    const whole = await readFile(path);
    await writeFile(path, whole.subarray(0, 8_192));
    await expect(startStandIns({ dataDirectory })).rejects.toThrow(/sqs\.sqlite is damaged/);
  });
});
