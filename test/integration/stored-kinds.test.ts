import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { archiveEntries, archiveLimits } from "../../functions/export/archive-entries.ts";
import { writeArchive } from "../../functions/export/write-archive.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { AppError } from "../../shared/platform/errors/app-error.ts";
import {
  type DataOwner,
  type ItemKind,
  kindOfItem,
  kindOfObject,
  onlyAttributes,
  type StoredKinds,
} from "../../shared/platform/storage/stored-kinds.ts";
import type { ItemKey } from "../../shared/platform/storage/table.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { retentionTable } from "../../shared/wiring/retention.ts";
import { storedKinds } from "../../shared/wiring/stored-kinds.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";
import { contradiction } from "../support/unlisted-data.ts";

const root = join(import.meta.dirname, "../..");
let server: TestTable;
beforeAll(async () => {
  server = await startTestTable();
});
afterAll(() => server.close());

const [address, day, job] = ["203.0.113.7", 20_777, "018f3a5e-1111-7111-8111-111111111111"];

/** How each function of the key modules is called for an account; those that return no key are left out. */
const samples = ({ id, username, email }: DataOwner): Readonly<Record<string, readonly unknown[]>> => ({
  "accountKeys.profile": [id],
  "accountKeys.usernameClaim": [username],
  "accountKeys.emailClaim": [email],
  "accountKeys.idCounter": [],
  "accountKeys.access": [id],
  "accountKeys.apiKey": [id, "k1"],
  "accountKeys.identity": [`digest-${id}`],
  "accountKeys.ownIdentity": [id, `digest-${id}`],
  "accountKeys.returnedLogIn": ["state"],
  "accountKeys.erasure": ["2026-11-20T10:00:00.000Z", id],
  "accountKeys.listedUsername": [username],
  "accountKeys.listedEmail": [email],
  "accountKeys.audit": ["2026-11-20T10:00:00.000Z", "act"],
  "accountKeys.owned": [id, `UPLOAD#${id}`],
  "accountKeys.link": ["secret"],
  "exportKeys.state": [id],
  "sessionKeys.session": [id, "digest"],
  "limitKeys.address": [address, "anonymous", 29_919_481],
  "limitKeys.visitorAttempts": [address, day],
  "limitKeys.passwordAttempts": [username],
  "limitKeys.passwordAttemptsFrom": [username, address],
  "limitKeys.signedInFrom": [username, address],
  "limitKeys.confirmations": [id],
  "limitKeys.codeConfirmations": [id],
  "limitKeys.codeAttempts": [id],
  "limitKeys.codeAttemptsFrom": [id, address],
  "limitKeys.usage": ["2026-11-20", id],
  "limitKeys.mails": [email],
  "limitKeys.withheldMail": [email],
  "idempotencyKeys.request": [id, "translate", "key"],
  "jobKeys.job": [{ userId: id, jobId: job }],
  "jobKeys.waiting": [{ userId: id, jobId: job }],
  "jobKeys.slot": [id, 0],
  "jobKeys.open": [{ jobId: job }],
  "jobKeys.failed": [{ jobId: job }],
  "jobKeys.speed": ["transcription", 497_512],
  "callbackKeys.secret": [id],
  "callbackKeys.deliveries": [id, job],
  "callbackKeys.slots": [id],
  "callbackKeys.failed": [job],
  "noticeKeys.routesEnd": [id, "2027-12-01", 90],
  "noticeKeys.monthUsed": [id, "2026-11", { percent: 80 }],
  "requestKeys.byTime": [id, "2026-11-20T10:00:00.000Z", "r1"],
  "requestKeys.byId": [id, "2026-11-20T10:00:00.000Z", "r1"],
  "statusKeys.day": ["2026-11-20"],
  "tierRequestKeys.request": [id],
  "modelKeys.slice": [{ task: "chat", server: "gpu" }, 2_777_777],
  "uploadKeys.upload": [`${id}`],
  "transcriptionKeys.transcription": [1_000 + id],
  "transcriptionKeys.recording": [`transcriptions/${id}.wav`],
  "transcriptionKeys.idCounter": [],
  "messagingKeys.conversation": ["256700000001"],
  "messagingKeys.message": ["256700000001", "wamid.A"],
  "messagingKeys.feedback": ["256700000001", "wamid.A"],
  "messagingKeys.alias": ["256700000001"],
  "messagingKeys.stopped": ["256700000001"],
  "messagingKeys.translation": ["256700000001", { month: "2026-11", id: "t1" }],
  "messagingKeys.translationFeedback": [{ month: "2026-11", id: "t1" }],
  "messagingKeys.forgotten": ["digest"],
});

/** They return a partition, or the beginning of keys. */
const noKeys = [
  ...["limitKeys.ofAccount", "limitKeys.ofName", "limitKeys.usageOfMonth", "idempotencyKeys.ofAccount"],
  ...["jobKeys.ofAccount", "jobKeys.speeds", "callbackKeys.ofAccount", "messagingKeys.sender"],
  ...["noticeKeys.ofAccount", "requestKeys.ofAccount", "requestKeys.ids"],
];

const keyModules = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "shared/**/keys.ts", "functions/**/keys.ts"],
  { cwd: root, encoding: "utf8" },
)
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)));

const itemKey = z.object({ PK: z.string(), SK: z.string() });
const keyFunctions = z.record(z.string(), z.unknown());

/** Every function that makes a key, by its name. */
const findKeyFunctions = async (): Promise<Map<string, (...args: readonly unknown[]) => unknown>> => {
  const found = new Map<string, (...args: readonly unknown[]) => unknown>();
  for (const file of keyModules) {
    const module: Readonly<Record<string, unknown>> = await import(join(root, file));
    for (const [name, value] of Object.entries(module)) {
      if (!name.endsWith("Keys") || typeof value !== "object") continue;
      for (const [method, make] of Object.entries(keyFunctions.parse(value))) {
        if (typeof make === "function") found.set(`${name}.${method}`, (...args) => make(...args));
      }
    }
  }
  return found;
};

const keysOf = async (owner: DataOwner): Promise<ItemKey[]> => {
  const functions = await findKeyFunctions();
  return Object.entries(samples(owner)).map(([name, args]) => itemKey.parse(functions.get(name)?.(...args)));
};

describe("The modules of keys", () => {
  it("are all described: each has its kinds next to it, and this test calls each of its functions", async () => {
    for (const file of keyModules)
      expect(existsSync(join(root, file.replace("keys.ts", "stored-kinds.ts"))), file).toBe(true);
    const owner = { id: 7, username: "amina", email: "amina@example.com", created_at: "2026-11-20" };
    expect([...(await findKeyFunctions()).keys()].toSorted()).toEqual(
      [...Object.keys(samples(owner)), ...noKeys].toSorted(),
    );
  });

  it("make no key that is not listed, and the list has no kind that nothing makes", async () => {
    const owner = { id: 7, username: "amina", email: "amina@example.com", created_at: "2026-11-20" };
    const kinds = (await keysOf(owner)).map((key) => kindOfItem(key, storedKinds.items)?.id);
    expect(kinds).not.toContain(undefined);
    const ofAssistant = kindOfItem({ PK: "JOBS#0", SK: `JOB#${job}` }, storedKinds.items)?.id;
    expect(new Set([...kinds, ofAssistant])).toEqual(new Set(storedKinds.items.map(({ id }) => id)));
  });
});

/** A bucket in memory. */
const openObjects = () => {
  const objects = new Map<string, Uint8Array>();
  const store = {
    describe: async (name: string) => {
      const found = objects.get(name);
      return found && { size: found.length, contentType: "audio/wav" };
    },
    async *list(prefix: string) {
      for (const [name, { length: size }] of objects) if (name.startsWith(prefix)) yield { name, size };
    },
    async *stream(name: string) {
      yield objects.get(name) ?? new Uint8Array();
    },
    put: async (name: string) => void objects.set(name, new Uint8Array()),
    delete: async (name: string) => {
      objects.delete(name);
    },
  };
  return { objects, store };
};

let people = 0;

/** An account with an item of every kind and a file in every folder, and one note of a kind that only this test knows. */
const storeEverything = async () => {
  people += 1;
  const table = server.open();
  const account = await createAccountsRepository(table).create({
    username: `owner-${people}`,
    email: `owner-${people}@example.com`,
    password_hash: "$argon2id$secret",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  const { id } = account;
  const { objects, store } = openObjects();
  const uploaded = [`uploads/${id}/a.wav`, `transcriptions/${id}.wav`];
  const today = new Date().toISOString().slice(0, 10);
  for (const name of [
    ...uploaded,
    ...[`speech/${today}/${id}/b.wav`, `answers/${id}/c`, `exports/${id}/d.zip`],
    ...[`jobs/${id}/${job}/result.json`, `jobs/${id}/${job}/plan.json`],
  ])
    objects.set(name, Buffer.from(name));
  const keys = await keysOf(account);
  const note = { PK: `NOTES#${id}`, SK: "NOTE#1" };
  const created = [accountKeys.profile(id), accountKeys.access(id)].map(({ PK, SK }) => `${PK} ${SK}`);
  for (const key of [...keys, note]) {
    // The counters are those of other accounts too.
    const isOthers = kindOfItem(key, storedKinds.items)?.about === "service";
    if (isOthers || created.includes(`${key.PK} ${key.SK}`)) continue;
    const owned = kindOfItem(key, storedKinds.items)?.id === "O1";
    const links = keys.filter((other) => kindOfItem(other, storedKinds.items)?.erased.by === "record");
    const items = links.filter(({ PK }) => PK !== key.PK);
    await table.put({
      ...key,
      ...{ user_id: id, text: `text of ${key.PK}`, name: "kiosk", status: "done", secret: "a secret" },
      ...(owned ? { items, objects: uploaded } : {}),
    });
  }
  return { account, table, keys, note, objects, store };
};

type World = Awaited<ReturnType<typeof storeEverything>>;

/** The files of the account's archive. */
const archiveOf = async ({ account, table, store }: World, kinds: StoredKinds) => {
  const pieces: Uint8Array[] = [];
  const writer = {
    write: async (bytes: Uint8Array) => void pieces.push(bytes.slice()),
    complete: async () => undefined,
    abort: async () => undefined,
  };
  const sources = {
    ...{ table, store, kinds },
    limits: archiveLimits,
    async *usageCsv() {
      yield "date\r\n";
    },
    linkTo: (name: string) => `https://api.example.com/${name}`,
    hasTime: () => true,
    signal: new AbortController().signal,
  };
  await writeArchive(archiveEntries(account, sources), writer);
  const files = unzipSync(Buffer.concat(pieces));
  return new Map(Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
};

/** What is wrong with an item for each of those that read the list. */
const problemsOf = async (world: World, key: ItemKey, kinds: StoredKinds) => {
  const kind = kindOfItem(key, kinds.items);
  const archive = await archiveOf(world, kinds);
  const { exported } = kind ?? {};
  const isExported = exported && ("file" in exported ? archive.get(exported.file) : "never" in exported);
  const rows = retentionTable(kinds).rows.map(([what]) => what);
  await eraseAccount(
    world.account,
    { table: world.table, store: world.store, kinds },
    new AbortController().signal,
  );
  const stays = (await world.table.read({ Key: key })) !== undefined;
  return {
    erasure: stays && kind?.erased.by !== "none",
    export: !isExported,
    table: kind === undefined || !rows.includes(kind.what),
    lifetime: contradiction({ ...key }, kinds) !== undefined,
  };
};

const note: ItemKind = {
  id: "N1",
  what: "A note about an account",
  about: "account",
  keys: ["NOTES#", "NOTE#"],
  lasts: { until: "the account is deleted" },
  erased: { by: "partition", of: ({ id }) => [`NOTES#${id}`] },
  exported: { file: "notes.json", row: onlyAttributes("text") },
};

describe("What is stored and not listed", () => {
  it("fails for the deletion, the export, the table and the lifetimes, until it is listed", async () => {
    const first = await storeEverything();
    expect(await problemsOf(first, first.note, storedKinds)).toEqual({
      erasure: true,
      export: true,
      table: true,
      lifetime: true,
    });
    const second = await storeEverything();
    const listed = { ...storedKinds, items: [...storedKinds.items, note] };
    expect((await archiveOf(second, listed)).get("notes.json")).toContain(
      `text of NOTES#${second.account.id}`,
    );
    expect(await problemsOf(second, second.note, listed)).toEqual({
      erasure: false,
      export: false,
      table: false,
      lifetime: false,
    });
  });

  it("is noticed when it stays longer than its kind", () => {
    const key = { PK: "UPLOAD#a", SK: "UPLOAD" };
    const inDays = (days: number) => ({ ...key, expires_at: Date.now() / 1_000 + days * 86_400 });
    expect(contradiction(inDays(1), storedKinds)).toBeUndefined();
    expect(contradiction(inDays(4), storedKinds)).toContain("expires later than its kind U1");
  });
});

describe("Everything that is stored about an account", () => {
  it("is in its export, or is one of the exceptions, which each have a reason", async () => {
    const world = await storeEverything();
    const archive = await archiveOf(world, storedKinds);
    for (const { id, about, exported } of storedKinds.items) {
      if ("never" in exported) expect(exported.never, id).toMatch(/^[A-Z].{10,}\.$/);
      else if (about === "account" && "row" in exported)
        expect(JSON.parse(archive.get(exported.file) ?? "[]"), id).toHaveLength(1);
    }
    const exportedObjects = [...world.objects.keys()].filter((name) => archive.has(name));
    expect(exportedObjects.map((name) => name.split("/")[0]).toSorted()).toEqual(
      storedKinds.objects
        .flatMap(({ folder, exported }) => ("folder" in exported ? [folder.slice(0, -1)] : []))
        .toSorted(),
    );
    expect(archive.has(`jobs/${world.account.id}/${job}/plan.json`)).toBe(false);
    for (const [name, text] of archive) {
      if (name.endsWith(".json") && !name.startsWith("jobs/"))
        expect(text, name).not.toMatch(/argon2|a secret|digest-/);
    }
    for (const { what } of storedKinds.items.filter(({ about }) => about === "account"))
      expect(archive.get("README.txt")).toContain(what);
  });

  it("is deleted with it, or is one of the exceptions, which each have a reason", async () => {
    const { account, table, store, keys, objects } = await storeEverything();
    await eraseAccount(account, { table, store }, new AbortController().signal);
    for (const key of keys) {
      const kind = kindOfItem(key, storedKinds.items);
      const isLeft = (await table.read({ Key: key })) !== undefined;
      // Neither is stored: the counters, and A10, which the function `erasure` deletes itself.
      if (kind?.about === "service" || kind?.id === "A10") continue;
      expect(isLeft, `${key.PK} ${key.SK}`).toBe(kind?.erased.by === "none");
      if (kind?.erased.by === "none") expect(kind.erased.why).toMatch(/^[A-Z].{10,}/);
    }
    const left = [...objects.keys()].map((name) => ({ name, kind: kindOfObject(name, storedKinds.objects) }));
    expect(left.filter(({ kind }) => kind && kind.erased.by !== "none")).toEqual([]);
    // What keeps it from coming back with a backup.
    expect(left.map(({ name }) => name)).toContain(`erased/accounts/${account.id}`);
  });

  it("has links to the files for which the archive has no room or no time", async () => {
    const world = await storeEverything();
    const { account, table, store } = world;
    const entries = async (limits: Partial<typeof archiveLimits>, hasTime = true) => {
      const sources = {
        ...{ table, store, kinds: storedKinds, limits: { ...archiveLimits, ...limits } },
        async *usageCsv() {
          yield "date\r\n";
        },
        linkTo: (name: string) => `https://api.example.com/${name}`,
        hasTime: () => hasTime,
        signal: new AbortController().signal,
      };
      const names: string[] = [];
      for await (const { name } of archiveEntries(account, sources)) names.push(name);
      return names;
    };
    const all = await entries({});
    expect(all).not.toContain("links.json");
    const files = all.filter((name) => name.includes("/")).length;
    expect(files).toBe(4);
    expect((await entries({ maxFiles: 1 })).filter((name) => name.includes("/"))).toHaveLength(1);
    for (const limits of [{ maxFileBytes: 1 }, { maxBytes: 1 }, { maxFiles: 0 }]) {
      const names = await entries(limits);
      expect(names.filter((name) => name.includes("/"))).toEqual([]);
      expect(names).toContain("links.json");
    }
    expect(await entries({}, false)).toContain("links.json");
  });

  it("is exported without a file that is deleted meanwhile, and not at all when the store fails", async () => {
    const world = await storeEverything();
    const { objects, store } = world;
    const failing = (fails: (name: string) => boolean) => ({
      ...store,
      async *stream(name: string) {
        if (fails(name)) throw new AppError("storage_unavailable");
        yield* store.stream(name);
      },
    });
    const [gone = ""] = [...objects.keys()].filter((name) => name.endsWith("/result.json"));
    const listed = {
      ...failing((name) => name === gone),
      describe: async (name: string) => (name === gone ? undefined : store.describe(name)),
    };
    const whole = await archiveOf(world, storedKinds);
    const archive = await archiveOf({ ...world, store: listed }, storedKinds);
    expect([...whole.keys()].filter((name) => !archive.has(name))).toEqual([gone]);
    const broken = { ...world, store: failing((name) => name === gone) };
    await expect(archiveOf(broken, storedKinds)).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});
