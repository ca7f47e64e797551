import { afterAll, expect } from "vitest";
import { rowProblems } from "./client-table.ts";

/** As much of a test or a group of tests as its row needs. */
interface Task {
  readonly name: string;
  readonly type: string;
  readonly mode: string;
  readonly tasks?: readonly Task[];
  readonly result?: { readonly state: string } | undefined;
}

const testsOf = (task: Task, path: string): { title: string; state: string }[] => {
  const title = `${path} ${task.name}`;
  if (task.tasks) return task.tasks.flatMap((inner) => testsOf(inner, title));
  return [{ title, state: task.mode === "skip" ? "skip" : (task.result?.state ?? "skip") }];
};

const suiteProblems = (
  { tasks }: { readonly tasks: readonly Task[] },
  clients: Readonly<Record<string, RegExp>>,
): string[] => {
  const tests = tasks.flatMap((task) => testsOf(task, ""));
  if (tests.some(({ state }) => state === "skip")) return [];
  return Object.entries(clients).flatMap(([client, name]) =>
    rowProblems(
      client,
      tests
        .filter(({ title }) => name.test(title.trim()))
        .map(({ title, state }) => ({ title, passed: state === "pass" })),
    ),
  );
};

/**
 * Compares the README's rows with what the tests of this file say of these clients, once they have run: by client, what the
 * names of its tests begin with. Nothing is compared when tests were left out, as against a deployment.
 */
export const compareWithReadme = (clients: Readonly<Record<string, RegExp>>): void => {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest wants to see a pattern in this place
  afterAll(({}, suite) => {
    expect(suiteProblems(suite, clients)).toEqual([]);
  });
};
