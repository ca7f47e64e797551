import { describe, expect, it } from "vitest";
import { allAttacks } from "../attack/all-attacks.ts";
import { type Attack, heldIf, refusedIf, type Target } from "../attack/attack.ts";
import { runAttacks } from "../attack/run-attacks.ts";

const target: Target = {
  url: "http://127.0.0.1:1",
  means: new Set(["mails"]),
  failCounters: () => undefined,
  audioSent: () => 0,
  disable: async () => undefined,
  operate: async () => undefined,
  holdTranscriptions: () => ({ calls: () => 0, release: () => undefined }),
  modelMilliseconds: 1,
};

const run = async (...attacks: readonly Partial<Attack>[]) => {
  const lines: string[] = [];
  const whole = attacks.map(
    (attack): Attack => ({
      number: 3,
      name: "a mail to everybody",
      attempt: async () => heldIf(true, "0 sent"),
      ...attack,
    }),
  );
  const summary = await runAttacks(whole, target, (line) => lines.push(line));
  return { lines, summary };
};

describe("the attacks", () => {
  it("are of every number, and of some there are several", () => {
    const numbers = allAttacks.map(({ number }) => number);
    expect([...new Set(numbers)]).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
    ]);
    for (const several of [1, 6, 7, 12, 14, 15, 16, 17]) {
      expect(numbers.filter((number) => number === several).length).toBeGreaterThan(3);
    }
  });

  it("have names of their own", () => {
    const names = allAttacks.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("a run of attacks", () => {
  it("says of each whether it was refused or the service held, and what shows it", async () => {
    const { lines, summary } = await run(
      { attempt: async () => refusedIf(true, "413 after 12 ms") },
      { number: 12, name: "a link that is looked at" },
    );
    expect(lines).toEqual([
      " 3  refused    a mail to everybody: 413 after 12 ms",
      "12  held       a link that is looked at: 0 sent",
    ]);
    expect(summary).toEqual({ withstood: 2, leftOut: 0, succeeded: 0 });
  });

  it("counts one that succeeds, in capital letters, and continues", async () => {
    const { lines, summary } = await run({ attempt: async () => refusedIf(false, "46 sent") }, {});
    expect(lines[0]).toBe(" 3  SUCCEEDED  a mail to everybody: 46 sent");
    expect(summary).toEqual({ withstood: 1, leftOut: 0, succeeded: 1 });
  });

  it("counts one that cannot be completed: it may have succeeded", async () => {
    const { lines, summary } = await run({ attempt: () => Promise.reject(new Error("no answer")) });
    expect(lines[0]).toContain("SUCCEEDED");
    expect(lines[0]).toContain("no answer");
    expect(summary.succeeded).toBe(1);
  });

  it("leaves out what its attacker has no means for, and says why", async () => {
    const { lines, summary } = await run({ needs: ["mails", "models"] }, { needs: ["mails"] });
    expect(lines[0]).toBe(" 3  left out   a mail to everybody: the models of this service are not ours");
    expect(summary).toEqual({ withstood: 1, leftOut: 1, succeeded: 0 });
  });
});
