import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSavedTranscriptions } from "../../functions/legacy/saved-transcriptions.ts";
import type { StoredAccount } from "../../shared/accounts/access/account.ts";
import { accountKeys } from "../../shared/accounts/access/keys.ts";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createIdentitiesRepository } from "../../shared/accounts/repositories/identities-repository.ts";
import { createTokensRepository } from "../../shared/accounts/repositories/tokens-repository.ts";
import { createPasswordAttemptsRepository } from "../../shared/accounts/sign-in/password-attempts.ts";
import { createIdempotencyStore } from "../../shared/http/idempotency/idempotency-store.ts";
import { idempotencyKeys } from "../../shared/http/idempotency/keys.ts";
import type { Table } from "../../shared/platform/storage/table.ts";
import { transcriptionKeys } from "../../shared/recordings/saved-transcriptions/keys.ts";
import { createUploadsRepository } from "../../shared/recordings/uploads/uploads-repository.ts";
import { eraseAccount } from "../../shared/wiring/erase-account.ts";
import { aroundCalls, startTestTable, type TestTable } from "../support/test-table.ts";

let server: TestTable;
beforeAll(async () => {
  server = await startTestTable();
});
afterAll(() => server.close());

const never = new AbortController().signal;
const day = (date: Date): string => date.toISOString().slice(0, 10);

/** Objects in memory, where one chosen call fails. */
class Trouble {
  readonly objects = new Set<string>();
  /** The list of what was erased. */
  readonly noted = new Set<string>();
  private calls = 0;
  failing = 0;

  step(): void {
    this.calls += 1;
    if (this.calls === this.failing) throw new Error("This call fails.");
  }

  restart(failing: number): void {
    this.calls = 0;
    this.failing = failing;
  }

  readonly store = {
    put: async (name: string) => {
      this.step();
      this.noted.add(name);
    },
    list: (prefix: string) => this.list(prefix),
    delete: async (name: string) => {
      this.step();
      this.objects.delete(name);
    },
  };

  private async *list(prefix: string) {
    this.step();
    for (const name of this.objects) if (name.startsWith(prefix)) yield { name, size: 0 };
  }

  /** A table of which each call is a step. */
  openTable(): Table {
    return aroundCalls(server.openForRequests(), async (work) => {
      this.step();
      return work();
    });
  }
}

let people = 0;

/** How many requests every account has made on 2026-11-20 and on the day after. */
const usedOn = [3, 4];

/** An account with something of every kind. */
const makeAccount = async (trouble: Trouble) => {
  people += 1;
  const username = `person-${people}`;
  const table = server.open();
  const account = await createAccountsRepository(table).create({
    username,
    email: `${username}@example.com`,
    password_hash: "none",
    organization: "Unknown",
    full_name: undefined,
    organization_type: undefined,
    sector: undefined,
  });
  const { id: userId } = account;
  await createTokensRepository(table).revoke({ userId, tokenId: "one", tokenEpoch: 0 });
  const identities = createIdentitiesRepository(table);
  await identities.join({ userId, tokenEpoch: 0 }, { issuer: "https://id.example.com", subject: username });
  const [identity] = await identities.list(userId);
  const upload = `uploads/${people}/a.wav`;
  await createUploadsRepository(server.openForRequests()).add(`file-${people}`, {
    objectKey: upload,
    contentType: "audio/wav",
    userId,
  });
  const saved = createSavedTranscriptions(server.openForRequests());
  const recording = `transcriptions/${people}.wav`;
  const ids = [await saved.begin(recording), await saved.begin(recording)];
  for (const id of ids) {
    await saved.save(id, { userId, text: "Wasuze otya nno?", language: "lug", objectKey: recording });
  }
  const attempts = createPasswordAttemptsRepository(table);
  await attempts.addWrong(limitKeys.passwordAttempts(username), 5);
  await attempts.addWrong(limitKeys.confirmations(userId), 5);
  const used = Object.fromEntries(
    usedOn.map((counted, index) => [`u${20_777 + index}:translate:-:r`, counted]),
  );
  const access = { ...(await server.read(accountKeys.access(userId))), ...used };
  await table.put(access);
  const idempotencyStore = createIdempotencyStore({
    table: server.openForRequests(),
    store: {
      put: async (name) => {
        trouble.objects.add(name);
      },
      delete: () => Promise.reject(new Error("The answer is kept.")),
      stream: () => {
        throw new Error("No answer is asked for again.");
      },
    },
  });
  const started = await idempotencyStore.begin({
    userId,
    operationId: "translate",
    idempotencyKey: "one",
    content: {},
    isConfidential: false,
    milliseconds: 1_000,
  });
  if (started.kind === "first")
    await started.lock.keep({ status: 200, headers: {}, body: "x".repeat(1_000_000) });
  const speech = [new Date(), new Date(Date.now() - 86_400_000)].map(
    (date) => `speech/${day(date)}/${userId}/0123456789abcdef0123456789abcdef.wav`,
  );
  for (const name of [upload, recording, ...speech]) trouble.objects.add(name);
  return {
    account: { ...account, created_at: new Date(Date.now() - 86_400_000).toISOString() },
    partitions: [
      accountKeys.profile(userId).PK,
      accountKeys.identity(identity?.id ?? "").PK,
      accountKeys.access(userId).PK,
      accountKeys.owned(userId, "").PK,
      accountKeys.usernameClaim(username).PK,
      accountKeys.emailClaim(account.email).PK,
      idempotencyKeys.ofAccount(userId),
      limitKeys.ofAccount(userId),
      limitKeys.ofName(username),
      `UPLOAD#file-${people}`,
      transcriptionKeys.recording(recording).PK,
      ...ids.map((id) => transcriptionKeys.transcription(id).PK),
    ],
  };
};

const leftIn = async (partitions: readonly string[]): Promise<unknown[]> =>
  (
    await Promise.all(
      partitions.map((name) => server.open().query({ partition: name, attributes: ["PK", "SK"] })),
    )
  ).flat();

const claimsOf = ({ username, email }: StoredAccount) =>
  Promise.all([server.read(accountKeys.usernameClaim(username)), server.read(accountKeys.emailClaim(email))]);

describe("the deletion of an account", () => {
  it("continues where it failed, at any call, and reserves the name until nothing remains", async () => {
    const trouble = new Trouble();
    const table = trouble.openTable();
    let failures = 0;
    for (let failing = 1; ; failing += 1) {
      const { account, partitions } = await makeAccount(trouble);
      const stranger = `speech/${day(new Date())}/${account.id}0/0123456789abcdef0123456789abcdef.wav`;
      trouble.objects.add(stranger);
      expect([...trouble.objects].filter((name) => name.startsWith(`answers/${account.id}/`))).toHaveLength(
        1,
      );
      expect(await leftIn(partitions)).toHaveLength(16);
      trouble.restart(failing);
      const outcome = await eraseAccount(account, { table, store: trouble.store }, never).then(
        () => "done",
        () => "failed",
      );
      trouble.restart(0);
      if (outcome === "failed") {
        failures += 1;
        expect(await claimsOf(account)).toEqual([
          expect.objectContaining({ user_id: account.id }),
          expect.objectContaining({ user_id: account.id }),
        ]);
        const profile = await createAccountsRepository(server.open()).find({ id: account.id });
        // The first call is what closes the account.
        expect(profile).toMatchObject(failing === 1 ? { token_epoch: 0 } : { token_epoch: 1 });
        expect(profile?.deletion_began).toEqual(failing === 1 ? undefined : expect.any(String));
        await eraseAccount(account, { table, store: trouble.store }, never);
      }
      expect(await leftIn(partitions)).toEqual([]);
      expect([...trouble.objects]).toEqual([stranger]);
      // What bills need is moved, once, and contains only the amounts.
      expect(await server.read(limitKeys.usage("2026-11-20", account.id))).toEqual({
        ...limitKeys.usage("2026-11-20", account.id),
        "translate:-:r": 3,
        expires_at: (20_777 + 400) * 86_400,
      });
      expect(await server.read(limitKeys.usage("2026-11-21", account.id))).toMatchObject({
        "translate:-:r": 4,
      });
      trouble.objects.delete(stranger);
      if (outcome === "done") break;
    }
    expect(failures).toBeGreaterThan(20);
  });

  it("has nothing left to do when another request has finished it", async () => {
    const trouble = new Trouble();
    const { account, partitions } = await makeAccount(trouble);
    const erase = () => eraseAccount(account, { table: server.open(), store: trouble.store }, never);
    await erase();
    await expect(erase()).resolves.toBeUndefined();
    expect(await leftIn(partitions)).toEqual([]);
  });

  it("stops between two steps when its time has passed", async () => {
    const trouble = new Trouble();
    const { account, partitions } = await makeAccount(trouble);
    const { store } = trouble;
    await expect(
      eraseAccount(account, { table: server.open(), store }, AbortSignal.abort()),
    ).rejects.toThrow();
    expect(await leftIn(partitions)).toHaveLength(16);
    expect(trouble.objects.size).toBe(5);
  });

  it("prevents requests that started before it from storing anything for the account", async () => {
    const trouble = new Trouble();
    const { account } = await makeAccount(trouble);
    const saved = createSavedTranscriptions(server.openForRequests());
    const late = {
      userId: account.id,
      text: "Wasuze otya nno?",
      language: "lug",
      objectKey: "transcriptions/l.wav",
    };
    const [during, after] = [await saved.begin(late.objectKey), await saved.begin(late.objectKey)];
    const { store } = trouble;
    await expect(
      eraseAccount(account, { table: server.open(), store }, AbortSignal.abort()),
    ).rejects.toThrow();
    await expect(saved.save(during, late)).rejects.toMatchObject({ code: "unauthenticated" });
    await eraseAccount(account, { table: server.open(), store }, never);
    await expect(saved.save(after, late)).rejects.toMatchObject({ code: "unauthenticated" });
    expect(
      await leftIn([
        accountKeys.owned(account.id, "").PK,
        transcriptionKeys.transcription(during).PK,
        transcriptionKeys.transcription(after).PK,
      ]),
    ).toEqual([]);
  });

  it("leaves alone what the account itself has deleted, and what expires before", async () => {
    const trouble = new Trouble();
    const { account } = await makeAccount(trouble);
    const owned = await server.open().query({
      partition: accountKeys.owned(account.id, "").PK,
      attributes: ["SK", "expires_at"],
    });
    expect(owned).toHaveLength(3);
    const saved = createSavedTranscriptions(server.openForRequests());
    for (const { SK } of owned) {
      const id = /^TRANSCRIPTION#(\d+)$/.exec(String(SK))?.[1];
      if (id !== undefined) await saved.delete(Number(id), account.id);
    }
    expect(await leftIn([accountKeys.owned(account.id, "").PK])).toHaveLength(1);
    const days = owned.map(({ expires_at: expiry }) =>
      Math.round((Number(expiry) - Date.now() / 1_000) / 86_400),
    );
    expect(days.toSorted((one, other) => one - other)).toEqual([1, 30, 30]);
  });
});
