import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitKeys } from "../../shared/accounts/limits/keys.ts";
import { createLimitCounters, createLimiter } from "../../shared/accounts/limits/limiter.ts";
import { createAccountsRepository } from "../../shared/accounts/repositories/accounts-repository.ts";
import { createPasswordAttemptsRepository } from "../../shared/accounts/sign-in/password-attempts.ts";
import { createPasswordGuard } from "../../shared/accounts/sign-in/password-guard.ts";
import { hashPassword } from "../../shared/accounts/sign-in/passwords.ts";
import { createSignInAddresses } from "../../shared/accounts/sign-in/sign-in-addresses.ts";
import { createBufferedHandler } from "../../shared/http/pipeline.ts";
import { accountsOver } from "../support/accounts-over.ts";
import { lambdaContext, lambdaEvent } from "../support/lambda-event.ts";
import { startTestTable, type TestTable } from "../support/test-table.ts";

let table: TestTable;
beforeAll(async () => {
  table = await startTestTable();
});
afterAll(() => table.close());

const home = "203.0.113.7";
const right = "seven storks by the lake";
let people = 0;

/** A name, an adjustable clock, and the guard in several instances of the function. */
const setup = (instances = 1) => {
  people += 1;
  const name = `Person-${people}`;
  let now = Date.parse("2026-11-20T10:00:00Z");
  const guards = Array.from({ length: instances }, () =>
    createPasswordGuard(
      createPasswordAttemptsRepository(table.open(), () => now),
      createSignInAddresses(table.open(), () => now),
    ),
  );
  let looked = 0;
  const attempt = async (password: string, index = 0, as = name, sourceAddress = home): Promise<string> => {
    try {
      const opened = await guards[index % instances]?.attempt({ name: as, sourceAddress }, async () => {
        looked += 1;
        return password === right ? "an account" : undefined;
      });
      return opened ?? "wrong";
    } catch (error) {
      if (error instanceof Error && "retryAfterSeconds" in error) return `wait ${error.retryAfterSeconds}`;
      throw error;
    }
  };
  return {
    name,
    attempt,
    guard: guards[0],
    passwordsLookedAt: () => looked,
    wait: (seconds: number) => {
      now += seconds * 1_000;
    },
  };
};

const guess = async (attempt: (password: string) => Promise<string>, times: number) => {
  const results: string[] = [];
  for (let tried = 0; tried < times; tried += 1) results.push(await attempt("wrong"));
  return results;
};

describe("a workshop behind one address", () => {
  const handler = () =>
    createBufferedHandler(accountsOver(table.open()), {
      limiter: createLimiter(createLimitCounters(table.openForRequests()), {
        now: () => Date.parse("2026-11-20T10:00:00Z"),
      }),
    });
  const logIn = async (handle: ReturnType<typeof handler>, username: string, sourceAddress: string) => {
    const { statusCode } = await handle(
      lambdaEvent({
        path: "/auth/token",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ username, password: right }).toString(),
        sourceAddress,
      }),
      lambdaContext(),
    );
    return statusCode;
  };

  it("logs in sixty times a minute, and the sixty-first has to wait", async () => {
    const username = "workshop";
    await createAccountsRepository(table.open()).create({
      username,
      email: "workshop@example.com",
      password_hash: await hashPassword(right),
      organization: "Unknown",
    });
    const handle = handler();
    const statuses: number[] = [];
    for (let count = 0; count < 61; count += 1) statuses.push(await logIn(handle, username, "203.0.113.61"));
    expect(statuses).toEqual([...Array<number>(60).fill(200), 429]);
  });

  it("cannot be used to guess: a name has to wait after five wrong passwords", async () => {
    const handle = handler();
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) statuses.push(await logIn(handle, "unknown", "203.0.113.62"));
    expect(statuses).toEqual([...Array<number>(5).fill(401), 429]);
    expect(await logIn(handle, "another-name", "203.0.113.62")).toBe(401);
  });
});

describe("guessing the password of a name", () => {
  it("is refused as wrong five times, then must wait; the right password waits too, unchecked", async () => {
    const { attempt, passwordsLookedAt } = setup();
    expect(await guess(attempt, 6)).toEqual(["wrong", "wrong", "wrong", "wrong", "wrong", "wait 5"]);
    expect(await attempt(right)).toBe("wait 5");
    expect(passwordsLookedAt()).toBe(5);
  });

  it("ends for the owner with the right password after the wait, and everything is forgotten", async () => {
    const { attempt, wait, name } = setup();
    await guess(attempt, 5);
    wait(5);
    expect(await attempt(right)).toBe("an account");
    expect(await table.read(limitKeys.passwordAttemptsFrom(name, home))).toBeUndefined();
    expect(await guess(attempt, 5)).toEqual(Array(5).fill("wrong"));
  });

  it("waits longer each time", async () => {
    const { attempt, wait } = setup();
    await guess(attempt, 5);
    const waits: string[] = [];
    for (const seconds of [5, 10, 20]) {
      wait(seconds);
      expect(await attempt("wrong")).toBe("wrong");
      waits.push(await attempt("wrong"));
    }
    expect(waits).toEqual(["wait 10", "wait 20", "wait 40"]);
  });

  it("is the same in any case of the name, and separate for another name", async () => {
    const { attempt, name } = setup();
    await guess(attempt, 5);
    expect(await attempt(right, 0, name.toUpperCase())).toBe("wait 5");
    expect(await attempt(right, 0, `${name}-2`)).toBe("an account");
  });

  it("is forgotten a day after the first wrong password", async () => {
    const { attempt, wait } = setup();
    await guess(attempt, 4);
    wait(24 * 60 * 60);
    expect(await guess(attempt, 5)).toEqual(Array(5).fill("wrong"));
    expect(await attempt("wrong")).toBe("wait 5");
  });

  it("ends at once when the owner has shown to be the owner in another way", async () => {
    const { attempt, guard, name } = setup();
    await guess(attempt, 6);
    await guard?.forgive([name], home);
    expect(await attempt(right)).toBe("an account");
  });

  it("gains nothing from many simultaneous guesses: five are wrong, all others wait", async () => {
    const { attempt } = setup(4);
    const results = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt("wrong", index)));
    expect(results.filter((result) => result === "wrong")).toHaveLength(5);
    expect(results.filter((result) => result === "wait 5")).toHaveLength(25);
  });

  it("gains one guess from each wait, in any number of requests afterwards", async () => {
    const { attempt, wait } = setup(4);
    await guess(attempt, 5);
    wait(5);
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => attempt("wrong", index)));
    expect(results.filter((result) => result === "wrong")).toHaveLength(1);
  });
});

/** Addresses of machines that guess, each of another network. */
const machines = Array.from({ length: 30 }, (_, index) => `198.51.100.${index + 1}`);

describe("a person who sends wrong passwords for another person's name", () => {
  it("makes only their own address wait: the owner gets in from everywhere else, known or not", async () => {
    const { attempt, wait, name } = setup();
    for (let hour = 0; hour < 12; hour += 1) {
      for (let guess = 0; guess < 6; guess += 1) await attempt("wrong", 0, name, machines[0]);
      wait(60 * 60);
    }
    expect(await attempt("wrong", 0, name, machines[0])).toBe("wrong");
    expect(await attempt(right, 0, name, machines[0])).toBe("wait 900");
    expect(await attempt(right)).toBe("an account");
  });

  it("reaches others only with many networks: what one of them guesses in a day counts for ten of the hundred", async () => {
    const { attempt, wait, name } = setup();
    const results: string[] = [];
    for (let hour = 0; hour < 23; hour += 1) {
      for (const machine of machines.slice(0, 9)) results.push(await attempt("wrong", 0, name, machine));
      wait(60 * 60);
    }
    expect(results.filter((result) => result === "wrong").length).toBeGreaterThan(200);
    expect(await attempt(right, 0, name, "192.0.2.1")).toBe("an account");
  });

  it("gains nothing from other addresses of their own network", async () => {
    const { attempt, name } = setup();
    for (let guess = 1; guess <= 5; guess += 1) await attempt("wrong", 0, name, `2001:db8::${guess}`);
    expect(await attempt("wrong", 0, name, "2001:db8::ffff")).toBe("wait 5");
  });

  it("cannot lock out an address from which the owner has signed in within 30 days, with however many machines", async () => {
    const { attempt, guard, wait, name } = setup();
    await guard?.rememberAddress([name], home);
    const results: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const machine of machines) results.push(await attempt("wrong", 0, name, machine));
    }
    expect(results.filter((result) => result === "wrong")).toHaveLength(100);
    expect(await attempt(right, 0, name, "192.0.2.1")).toMatch(/^wait/);
    expect(await attempt(right)).toBe("an account");
    // Its own count is as strict as any.
    expect(await guess(attempt, 6)).toEqual(["wrong", "wrong", "wrong", "wrong", "wrong", "wait 5"]);
    // And after 30 days it is an address like any other.
    wait(30 * 24 * 60 * 60 + 1);
    for (let round = 0; round < 4; round += 1) {
      for (const machine of machines) await attempt("wrong", 0, name, machine);
    }
    expect(await attempt(right)).toMatch(/^wait/);
  });

  it("does not reach the other name of the account", async () => {
    const { attempt, name } = setup();
    for (let round = 0; round < 4; round += 1) {
      for (const machine of machines) await attempt("wrong", 0, name, machine);
    }
    expect(await attempt(right)).toMatch(/^wait/);
    expect(await attempt(right, 0, `${name}@example.com`)).toBe("an account");
  });

  it("leaves alone who has a token of the account, whose own wrong passwords are counted apart", async () => {
    const { attempt, guard, name } = setup();
    const confirm = async (password: string) => {
      const opened = guard?.confirm(people, async () => (password === right ? "confirmed" : undefined));
      return opened?.catch((error: unknown) => (error instanceof Error ? error.message : error));
    };
    await guess(attempt, 6);
    expect(await confirm(right)).toBe("confirmed");
    for (let guesses = 0; guesses < 5; guesses += 1) expect(await confirm("wrong")).toBeUndefined();
    expect(await confirm(right)).toMatch(/try again in 5 seconds/);
    expect(await attempt(right, 0, name, "192.0.2.1")).toBe("an account");
  });
});

describe("the right password", () => {
  it("may be sent many times at the same moment", async () => {
    const { attempt } = setup(4);
    const results = await Promise.all(Array.from({ length: 30 }, (_, index) => attempt(right, index)));
    expect(results).toEqual(Array(30).fill("an account"));
  });
});

describe("what is stored of a name", () => {
  it("does not show it: people type their password into that field too", async () => {
    const { attempt, guard, name } = setup();
    await attempt("wrong");
    await guard?.rememberAddress([name], home);
    const keys = [
      limitKeys.passwordAttempts(name),
      limitKeys.passwordAttemptsFrom(name, home),
      limitKeys.signedInFrom(name, home),
    ];
    const items = await Promise.all(keys.map((key) => table.read(key)));
    const [item] = items;
    expect(item).toMatchObject({ failures: 1, expires_at: expect.any(Number) });
    expect(JSON.stringify(items).toLowerCase()).not.toContain(name.toLowerCase());
    expect(JSON.stringify(items)).not.toContain(home);
    expect(items).not.toContain(undefined);
  });
});
