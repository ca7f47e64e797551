import { describe, expect, it } from "vitest";
import { functionDefinitions, operations } from "../../../functions/manifest.ts";
import { limitClassOf, type Operation } from "../../../shared/http/operation.ts";
import type { LimitClass } from "../../../shared/limits/policies.ts";

const ofClass = (...classes: LimitClass[]) =>
  operations.filter((operation: Operation) => classes.includes(limitClassOf(operation)));
const routesOf = (limitClass: LimitClass) =>
  ofClass(limitClass)
    .map(({ method, path }) => `${method} ${path}`)
    .toSorted();

const functionsWith = (...classes: LimitClass[]) =>
  functionDefinitions.filter(({ operations: own }: { readonly operations: readonly Operation[] }) =>
    own.some((operation) => classes.includes(limitClassOf(operation))),
  );
const variablesOf = ({ environment }: (typeof functionDefinitions)[number]) => Object.keys(environment.shape);

describe("every route", () => {
  it("without a limit is one that costs nothing, or is limited by the platform that calls it", () => {
    expect(routesOf("none")).toEqual([
      "GET /health",
      "GET /openapi.json",
      "GET /tasks/modal/health",
      "GET /tasks/webhook",
      "POST /tasks/webhook",
    ]);
  });

  it("that takes a password, a link or an account from anybody is limited strictly", () => {
    expect(routesOf("credentials")).toEqual([
      "DELETE /auth/me",
      "GET /auth/reset-password",
      "GET /auth/verify-email",
      "POST /auth/forgot-password",
      "POST /auth/register",
      "POST /auth/reset-password",
      "POST /auth/token",
      "POST /auth/verify-email",
    ]);
  });

  it("about accounts and tokens is kept by no cache", () => {
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
    expect(tasks.every(({ path, auth }) => path.startsWith("/tasks/") && auth === "user")).toBe(true);
    const posts = operations.filter(
      ({ method, path, auth }) => method === "POST" && path.startsWith("/tasks/") && auth === "user",
    );
    expect(posts.length).toBeGreaterThan(0);
    expect(tasks).toEqual(expect.arrayContaining(posts));
  });
});

describe("every function that counts", () => {
  it.each(functionsWith("task", "account", "anonymous", "credentials"))(
    "has the table: $name",
    (definition) => {
      expect(variablesOf(definition)).toContain("TABLE_NAME");
    },
  );

  it.each(functionsWith("anonymous"))("by address knows its stage's limit: $name", (definition) => {
    expect(variablesOf(definition)).toContain("LIMIT_ANONYMOUS_PER_MINUTE");
  });

  it.each(functionsWith("credentials"))(
    "by address, strictly, knows its stage's limit: $name",
    (definition) => {
      expect(variablesOf(definition)).toContain("LIMIT_CREDENTIALS_PER_MINUTE");
    },
  );
});
