import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  announceService,
  claimDataDirectory,
  findRunningService,
} from "../../../infra/local/running-service.ts";

let dataDirectory: string;
let server: Server;
let url: string;

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "running-service-"));
  // What responds at the address in the file.
  server = createServer((request, response) => {
    const isRequested = request.url === "/_local/service";
    response.writeHead(isRequested ? 200 : 404).end(isRequested ? '{"instance":"one"}' : "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(dataDirectory, { recursive: true, force: true });
});

const announce = (instance: string) =>
  announceService(dataDirectory, { instance, url, tableName: "table", sdkVariables: {} });

describe("a service file", () => {
  it("refuses a second service while the first one responds", async () => {
    await announce("one");
    expect(await findRunningService(dataDirectory)).toMatchObject({ url });
    await expect(claimDataDirectory(dataDirectory)).rejects.toThrow(
      `is already running from ${dataDirectory}, at ${url}`,
    );
  });

  it("of a killed service refuses no one, though its process id is in use again", async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const left = { instance: "one", processId: process.pid, url, tableName: "table", sdkVariables: {} };
    await writeFile(join(dataDirectory, "service.json"), JSON.stringify(left));
    expect(await findRunningService(dataDirectory)).toBeUndefined();
    await expect(claimDataDirectory(dataDirectory)).resolves.toBeUndefined();
  });

  it("of a killed service refuses no one when another program has its port", async () => {
    await announce("another");
    expect(await findRunningService(dataDirectory)).toBeUndefined();
  });

  it.each([
    ["cut", '{"instance":"one","url":"http://127.0.0.1:30'],
    ["empty", ""],
    ["something else", '{"name":"x"}'],
  ])("that is %s is named, with what to do about it", async (_, content) => {
    await writeFile(join(dataDirectory, "service.json"), content);
    const expected = new RegExp(`^${join(dataDirectory, "service.json")} is damaged.*delete the file\\.$`);
    await expect(claimDataDirectory(dataDirectory)).rejects.toThrow(expected);
    await expect(findRunningService(dataDirectory)).rejects.toThrow(expected);
  });

  it("is written under another name and renamed, so that it is never truncated", async () => {
    await announce("one");
    expect(await readdir(dataDirectory)).toEqual(["service.json"]);
  });
});

describe("a data directory", () => {
  it("is created with its parent folders", async () => {
    const deep = join(dataDirectory, "a", "b", "c");
    await claimDataDirectory(deep);
    await claimDataDirectory(deep);
    expect(await readdir(join(dataDirectory, "a", "b"))).toEqual(["c"]);
  });

  it.runIf(process.platform === "linux")("that cannot be created is refused at once", async () => {
    await expect(claimDataDirectory("/proc/no/such")).rejects.toThrow(
      /^The data directory \/proc\/no\/such cannot be created or used \(ENOENT.*Set DATA_DIR to a writable folder/,
    );
  });

  it("that is a file is refused with a message", async () => {
    const file = join(dataDirectory, "file");
    await writeFile(file, "");
    await mkdir(join(dataDirectory, "other"));
    await expect(claimDataDirectory(file)).rejects.toThrow(
      /^The data directory .* cannot be created or used/,
    );
  });
});
