import { describe, expect, it } from "vitest";
import * as z from "zod";
import { operations } from "../../../../functions/manifest.ts";
import type { LimitClass } from "../../../../shared/accounts/limits/policies.ts";
import { requireLimits } from "../../../../shared/http/limit-requests.ts";
import { defineOperation, limitClassOf, type Operation } from "../../../../shared/http/operation.ts";
import { exampleOperation } from "../../../support/example-operation.ts";
import { unlimited } from "../../../support/unlimited.ts";

const ofClass = (...classes: LimitClass[]) =>
  operations.filter((operation: Operation) => classes.includes(limitClassOf(operation)));

describe("every route", () => {
  it("has a limit, and the webhook one that can lose no delivery", () => {
    expect(ofClass("delivery").map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /tasks/webhook",
    ]);
  });

  it("that reads what is the same for everyone has a high limit, which needs no table", () => {
    // The operations behind the tools of /mcp have the limits of accounts.
    const readable = operations.filter(
      ({ method, path, auth }) =>
        path === "/mcp" || (auth === "public" && method === "GET" && !path.startsWith("/auth/")),
    );
    expect(ofClass("reading")).toEqual(readable);
  });

  it("that accepts a password, a link or an account from anyone is limited strictly", () => {
    const strict = operations.filter(
      ({ id, path, auth }) => id === "deleteAccount" || (auth === "public" && path.startsWith("/auth/")),
    );
    expect(ofClass("credentials")).toEqual(strict);
  });

  it("about accounts and tokens is never cached", () => {
    const cacheable = operations.filter(
      ({ path, confidential }: Operation) => path.startsWith("/auth/") && !confidential,
    );
    expect(cacheable.map(({ id }) => id)).toEqual([]);
  });

  it("of an account about itself takes nothing from its quota", () => {
    const own = ofClass("account").filter(({ path }) => path.startsWith("/auth/"));
    expect(own).toEqual(operations.filter(({ path, auth }) => path.startsWith("/auth/") && auth === "user"));
  });

  it("that has a model work, or might, is a task", () => {
    const tasks = ofClass("task");
    const isForModels = (path: string): boolean => /^\/(?:tasks|v1|deepl|libretranslate)\//.test(path);
    expect(tasks.every(({ path, auth }) => isForModels(path) && auth === "user")).toBe(true);
    const posts = operations.filter(
      ({ method, path, auth, tag }) =>
        method === "POST" &&
        isForModels(path) &&
        auth === "user" &&
        tag !== "Uploads" &&
        !/^\/deepl\/v2\/(?:languages|document\/)/.test(path),
    );
    expect(posts.length).toBeGreaterThan(0);
    // By their names: schemas that are compared member by member may refuse to be read.
    expect(tasks.map(({ id }) => id)).toEqual(expect.arrayContaining(posts.map(({ id }) => id)));
  });
});

describe("an operation that requires a token", () => {
  const operation = operations.find(({ auth }) => auth === "user");
  if (!operation) throw new Error("No operation asks for a token.");
  const open = operations.find(({ auth }) => auth === "public");
  if (!open) throw new Error("All operations ask for a token.");

  it.each(["delivery", "reading", "anonymous", "credentials"] as const)(
    "is not started when it is limited as %s: nothing would check its token",
    (limit) => {
      expect(() => requireLimits([{ ...operation, limit }], unlimited)).toThrow(operation.id);
    },
  );

  it("is not started without a limiter", () => {
    expect(() => requireLimits([operation], undefined)).toThrow("needs a limiter");
    expect(() => requireLimits([{ ...open, limit: "delivery" }], undefined)).not.toThrow();
  });

  it("is alone in being limited by account", () => {
    expect(() => requireLimits([{ ...open, limit: "task" }], unlimited)).toThrow(open.id);
    expect(() => requireLimits(operations, unlimited)).not.toThrow();
  });
});

describe("the scopes of a key", () => {
  const common = {
    ...exampleOperation,
    method: "GET",
    path: "/example",
    auth: "user",
    response: { status: 200, description: "It", schema: z.string() },
  } as const;

  it("is said by every task, or it does not compile", () => {
    // @ts-expect-error a task without a scope
    const silent: Operation = defineOperation(common);
    // @ts-expect-error a task that every key may call
    const open: Operation = defineOperation({ ...common, limit: "task", scope: "any" });
    expect([silent, open].map(limitClassOf)).toEqual(["task", "task"]);
    expect(limitClassOf(defineOperation({ ...common, scope: "translate" }))).toBe("task");
    expect(limitClassOf(defineOperation({ ...common, limit: "account" }))).toBe("account");
  });

  it("is nothing about the account but to look at it", () => {
    const ofAccounts = operations.filter(
      ({ path, scope }: Operation) => path.startsWith("/auth/") && scope !== undefined,
    );
    expect(ofAccounts.map(({ method, path, scope }: Operation) => [method, path, scope])).toEqual([
      ["GET", "/auth/me", "any"],
    ]);
  });
});
