import { cp, readdir, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import {
  DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureTable } from "../src/dynamodb/ensure-table.ts";
import {
  clientOf,
  spawnServer,
  startFixture,
  tableName,
  tableProperties,
  temporaryDirectory,
} from "./dynamodb-fixture.ts";

const transactionWriters = 6;
const parts = ["a", "b", "c"];

let dataDirectory: string;
beforeEach(async () => {
  dataDirectory = await temporaryDirectory();
});
afterEach(() => rm(dataDirectory, { recursive: true }));

/** The names under which the clients tried to write, and those of them that the server acknowledged. */
class Ledger {
  readonly attempted: string[] = [];
  readonly acknowledged: string[] = [];

  /** Writes under new names without pause until the server is gone. */
  async writeUntilGone(write: (name: string) => Promise<unknown>, onAcknowledged: () => void) {
    for (;;) {
      const name = `name#${crypto.randomUUID()}`;
      this.attempted.push(name);
      try {
        await write(name);
      } catch {
        return;
      }
      this.acknowledged.push(name);
      onAcknowledged();
    }
  }
}

const withServer = async (
  work: (documents: DynamoDBDocumentClient, kill: () => Promise<void>) => Promise<void>,
) => {
  const server = await spawnServer(dataDirectory);
  const client = clientOf(server.endpoint);
  try {
    await ensureTable(client, tableName, tableProperties);
    await work(DynamoDBDocumentClient.from(client), server.kill);
  } finally {
    client.destroy();
    await server.kill();
  }
};

const itemOf = (name: string, part: string) => ({
  pk: name,
  sk: part,
  email: name,
  createdAt: 1,
  text: "x".repeat(2_000),
});

/** The parts stored under each name, in order and in one string, read from the table or from one of its indexes. */
const storedParts = async (client: DynamoDBDocumentClient, index: { IndexName?: string } = {}) => {
  const stored = new Map<string, string>();
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName, ...index })) {
    for (const { pk, sk } of Items) stored.set(pk, [...(stored.get(pk) ?? ""), sk].sort().join(""));
  }
  return stored;
};

/** Kills a server with every writer at work, as often as given. */
export const testKilledServer = (rounds: number) =>
  describe("a server that is killed again and again", () => {
    it("loses no acknowledged write and leaves no transaction torn", async () => {
      const transactions = new Ledger();
      const singles = new Ledger();

      for (let round = 0; round < rounds; round += 1) {
        await withServer(async (documents, kill) => {
          let remaining = 40 + 17 * round;
          const onAcknowledged = () => {
            remaining -= 1;
            if (remaining === 0) void kill();
          };
          const putTogether = (name: string) => {
            const puts = parts.map((part) => ({ Put: { TableName: tableName, Item: itemOf(name, part) } }));
            return documents.send(new TransactWriteCommand({ TransactItems: puts }));
          };
          const putAlone = (name: string) =>
            documents.send(new PutCommand({ TableName: tableName, Item: itemOf(name, "-") }));
          await Promise.all([
            ...Array.from({ length: transactionWriters }, () =>
              transactions.writeUntilGone(putTogether, onAcknowledged),
            ),
            singles.writeUntilGone(putAlone, onAcknowledged),
          ]);
        });
      }

      await withServer(async (documents) => {
        const inTable = await storedParts(documents);
        const inIndex = await storedParts(documents, { IndexName: "by-email" });
        const torn = transactions.attempted.filter((name) => !["abc", undefined].includes(inTable.get(name)));
        const lost = [
          ...transactions.acknowledged.filter((name) => inTable.get(name) !== "abc"),
          ...singles.acknowledged.filter((name) => inTable.get(name) !== "-"),
        ];
        expect({ torn, lost }).toEqual({ torn: [], lost: [] });
        expect(inIndex).toEqual(inTable);
      });

      // It would prove nothing if the server had not died with every writer at work.
      expect(transactions.attempted.length - transactions.acknowledged.length).toBe(
        rounds * transactionWriters,
      );
      expect(transactions.acknowledged.length).toBeGreaterThan(rounds * 30);
    });
  });

/** Truncates the last write at this many positions. */
export const testCutLog = (cuts: number) =>
  describe("a server whose last write reached the disk in part", () => {
    const known = { pk: "known", sk: "-", email: "old", createdAt: 1 };

    /** LevelDB appends every change to its newest log file before anything else. */
    const newestLog = async () => {
      const logs = (await readdir(dataDirectory)).filter((file) => /^\d+\.log$/.test(file)).sort();
      const name = logs.at(-1) ?? "";
      return { name, size: (await stat(join(dataDirectory, name))).size };
    };

    /** `pk sk email` of everything stored, in the table or in one of its indexes. */
    const contents = async (client: DynamoDBDocumentClient, index: { IndexName?: string } = {}) => {
      const found: string[] = [];
      for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName, ...index })) {
        found.push(...Items.map(({ pk, sk, email }) => `${pk} ${sk} ${email}`));
      }
      return found.sort();
    };

    /** What a server finds whose log ends at `size`; the index must always agree with the table. */
    const contentsWithLogOf = async (name: string, size: number) => {
      const copy = await temporaryDirectory();
      await cp(dataDirectory, copy, { recursive: true });
      await truncate(join(copy, name), size);
      const { documents, stop } = await startFixture(copy);
      const inTable = await contents(documents);
      expect(await contents(documents, { IndexName: "by-email" })).toEqual(inTable);
      await stop();
      return inTable;
    };

    it.each([
      {
        name: "a transaction",
        write: (documents: DynamoDBDocumentClient) =>
          documents.send(
            new TransactWriteCommand({
              TransactItems: parts.map((part) => ({
                Put: { TableName: tableName, Item: { ...itemOf("new", part), text: "x".repeat(20_000) } },
              })),
            }),
          ),
        outcomes: [["known - old"], ["known - old", "new a new", "new b new", "new c new"]],
      },
      {
        name: "an update that moves an item in an index",
        write: (documents: DynamoDBDocumentClient) =>
          documents.send(
            new UpdateCommand({
              TableName: tableName,
              Key: { pk: known.pk, sk: known.sk },
              UpdateExpression: "SET email = :email",
              ExpressionAttributeValues: { ":email": "new" },
            }),
          ),
        outcomes: [["known - old"], ["known - new"]],
      },
    ])("has all or nothing of $name", async ({ write, outcomes }) => {
      const { documents, stop } = await startFixture(dataDirectory);
      await documents.send(new PutCommand({ TableName: tableName, Item: known }));
      const before = await newestLog();
      await write(documents);
      const after = await newestLog();
      await stop({ keepData: true });
      expect(after.name).toBe(before.name);

      const seen = new Set<string>();
      for (let cut = 0; cut <= cuts; cut += 1) {
        const size = before.size + Math.round(((after.size - before.size) * cut) / cuts);
        seen.add(JSON.stringify(await contentsWithLogOf(after.name, size)));
      }
      expect([...seen]).toEqual(outcomes.map((outcome) => JSON.stringify(outcome)));
    });
  });
