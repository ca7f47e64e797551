import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureTable } from "../src/dynamodb/ensure-table.ts";
import {
  clientOf,
  type ServerProcess,
  spawnServer,
  tableName,
  tableProperties,
  temporaryDirectory,
} from "./dynamodb-fixture.ts";

/** Sets how long files of a process may become; it ends writes in the middle as a full disk does. Linux only. */
const prlimit = "/usr/bin/prlimit";
const limitFiles = ({ processId }: ServerProcess, bytes: number | "unlimited") =>
  execFileSync(prlimit, ["--pid", String(processId), `--fsize=${bytes}:unlimited`]);

let dataDirectory: string;
let server: ServerProcess;
beforeEach(async () => {
  dataDirectory = await temporaryDirectory();
});
afterEach(async () => {
  await server.kill();
  await rm(dataDirectory, { recursive: true });
});

const start = async () => {
  server = await spawnServer(dataDirectory);
  const client = clientOf(server.endpoint);
  await ensureTable(client, tableName, tableProperties);
  const documents = DynamoDBDocumentClient.from(client);
  return {
    put: (pk: string, length: number) =>
      documents.send(
        new PutCommand({ TableName: tableName, Item: { pk, sk: "-", text: "x".repeat(length) } }),
      ),
    has: async (pk: string) =>
      (await documents.send(new GetCommand({ TableName: tableName, Key: { pk, sk: "-" } }))).Item !==
      undefined,
  };
};

describe.skipIf(!existsSync(prlimit))("a disk that was full for a while", () => {
  it("loses nothing that was acknowledged afterwards, and the next start finds no damage", async () => {
    const table = await start();
    await table.put("before", 1_000);
    limitFiles(server, 20_000);
    await expect(table.put("too long", 50_000)).rejects.toThrow("File too large");
    await expect(table.put("also while it is full", 1_000)).rejects.toThrow("no space on the disk");
    expect(await table.has("before")).toBe(true);

    limitFiles(server, "unlimited");
    const later = Array.from({ length: 40 }, (_, number) => `later ${number}`);
    for (const pk of later) await table.put(pk, 1_500);
    expect(await table.has("before")).toBe(true);
    await server.kill();

    const again = await start();
    const found = await Promise.all(["before", ...later].map((pk) => again.has(pk)));
    expect(found).toEqual(found.map(() => true));
    expect(await again.has("too long")).toBe(false);
  });

  it("acknowledges none of several simultaneous writes unless it is stored", async () => {
    const table = await start();
    limitFiles(server, 20_000);
    const names = Array.from({ length: 30 }, (_, number) => `together ${number}`);
    const outcomes = await Promise.allSettled(
      names.map((pk, number) => table.put(pk, number === 9 ? 60_000 : 900)),
    );
    limitFiles(server, "unlimited");
    await table.put("afterwards", 900);
    await server.kill();

    const again = await start();
    const acknowledged = names.filter((_, number) => outcomes[number]?.status === "fulfilled");
    for (const pk of [...acknowledged, "afterwards"]) expect(await again.has(pk), pk).toBe(true);
    expect(acknowledged.length).toBeLessThan(names.length);
  });
});
