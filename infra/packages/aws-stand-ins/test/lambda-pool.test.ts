import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EnvironmentListener } from "../src/lambda/execution-environment.ts";
import { FunctionPool, type PooledEnvironment, StartingSlots } from "../src/lambda/function-pool.ts";
import { Invocation } from "../src/lambda/invocation.ts";

/** An environment without a process: the test says what it does. */
class FakeEnvironment implements PooledEnvironment {
  readonly listener: EnvironmentListener;
  readonly invocations: Invocation[] = [];
  readonly #exited = Promise.withResolvers<void>();
  stopped = false;

  constructor(listener: EnvironmentListener) {
    this.listener = listener;
  }

  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  invoke(invocation: Invocation): void {
    this.invocations.push(invocation);
  }

  stop(): void {
    this.stopped = true;
    this.#exited.resolve();
    this.listener.exited(undefined);
  }

  /** Responds and requests the next invocation, as a runtime does. */
  complete(): void {
    this.listener.responded();
    this.listener.ready();
  }
}

const setUp = (slots = new StartingSlots(10)) => {
  const environments: FakeEnvironment[] = [];
  const pool = new FunctionPool((listener) => {
    const environment = new FakeEnvironment(listener);
    environments.push(environment);
    return environment;
  }, slots);
  const submit = (): Invocation => {
    const invocation = new Invocation({
      functionArn: "arn:aws:lambda:::function:one",
      payload: Buffer.from("{}"),
    });
    pool.submit(invocation);
    return invocation;
  };
  const at = (index: number): FakeEnvironment => {
    const environment = environments[index];
    if (environment === undefined) throw new Error(`Environment ${index} has not been started.`);
    return environment;
  };
  return { pool, environments, submit, at };
};

describe("The environments of a function", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("are started one for each invocation that waits", () => {
    const { environments, submit } = setUp();
    for (let count = 0; count < 3; count += 1) submit();
    expect(environments).toHaveLength(3);
  });

  it("serve invocations in order of arrival, not of readiness", () => {
    const { submit, at } = setUp();
    const [first, second] = [submit(), submit()];
    at(1).listener.ready();
    at(0).listener.ready();
    expect(at(1).invocations).toEqual([first]);
    expect(at(0).invocations).toEqual([second]);
  });

  it("are reused, the one used last before all others", () => {
    const { environments, submit, at } = setUp();
    for (let count = 0; count < 3; count += 1) submit();
    for (const environment of environments) environment.listener.ready();
    for (const index of [1, 2, 0]) at(index).complete();
    const next = submit();
    expect(at(0).invocations.at(-1)).toBe(next);
    expect(environments).toHaveLength(3);
  });

  it("are used when one is about to return, and no process is started", () => {
    const { environments, submit, at } = setUp();
    submit();
    at(0).listener.ready();
    at(0).listener.responded();
    const next = submit();
    expect(environments).toHaveLength(1);
    at(0).listener.ready();
    expect(at(0).invocations.at(-1)).toBe(next);
  });

  it("are skipped when the handler continues long after its response", () => {
    const { environments, submit, at } = setUp();
    submit();
    at(0).listener.ready();
    at(0).listener.responded();
    submit();
    vi.advanceTimersByTime(50);
    expect(environments).toHaveLength(2);
  });

  it("start a few at a time, and are not started for who has been served meanwhile", () => {
    const { environments, submit, at } = setUp(new StartingSlots(2));
    for (let count = 0; count < 5; count += 1) submit();
    expect(environments).toHaveLength(2);
    at(0).listener.ready();
    expect(environments).toHaveLength(3);
    at(0).complete();
    at(0).complete();
    // The first has served three; the two that are starting are enough for the rest.
    for (const index of [1, 2]) at(index).listener.ready();
    expect(environments.map(({ invocations }) => invocations.length)).toEqual([3, 1, 1]);
  });

  it("of several functions share the slots in which they start, in turn", () => {
    const slots = new StartingSlots(1);
    const [one, other] = [setUp(slots), setUp(slots)];
    for (let count = 0; count < 2; count += 1) one.submit();
    other.submit();
    expect([one.environments.length, other.environments.length]).toEqual([1, 0]);
    one.at(0).listener.ready();
    expect([one.environments.length, other.environments.length]).toEqual([2, 0]);
    one.at(1).listener.exited({ errorType: "TypeError", errorMessage: "no such table" });
    expect([one.environments.length, other.environments.length]).toEqual([2, 1]);
  });

  it("are stopped after a minute without work, but for two", () => {
    const { pool, environments, submit } = setUp();
    for (let count = 0; count < 4; count += 1) submit();
    for (const environment of environments) environment.listener.ready();
    for (const environment of environments) environment.complete();
    vi.advanceTimersByTime(59_000);
    expect(pool.size).toBe(4);
    vi.advanceTimersByTime(1_000);
    expect(environments.map(({ stopped }) => stopped)).toEqual([true, true, false, false]);
    vi.advanceTimersByTime(600_000);
    expect(pool.size).toBe(2);
  });

  it("that fail to start fail one invocation each, and the others still wait for theirs", async () => {
    const { environments, submit, at } = setUp();
    const [first, second] = [submit(), submit()];
    at(0).listener.exited({ errorType: "TypeError", errorMessage: "no such table" });
    expect(await first.result).toEqual({
      kind: "error",
      errorType: "TypeError",
      errorMessage: "no such table",
    });
    at(1).listener.ready();
    expect(at(1).invocations).toEqual([second]);
    expect(environments).toHaveLength(2);
  });

  it("are replaced when they end while an invocation waits for them", () => {
    const { environments, submit, at } = setUp();
    submit();
    at(0).listener.ready();
    at(0).listener.responded();
    const next = submit();
    at(0).listener.exited(undefined);
    expect(environments).toHaveLength(2);
    at(1).listener.ready();
    expect(at(1).invocations).toEqual([next]);
  });

  it("are recycled: at once when idle or starting, after the invocation when at work", async () => {
    const { pool, environments, submit, at } = setUp();
    for (let count = 0; count < 3; count += 1) submit();
    at(0).listener.ready();
    at(1).listener.ready();
    at(1).complete();
    // 0 is at work, 1 has taken the third invocation and completes it below, 2 is still starting.
    at(1).complete();
    const recycled = pool.recycle();
    expect(environments.map(({ stopped }) => stopped)).toEqual([false, true, true]);
    at(0).complete();
    await recycled;
    expect(at(0).stopped).toBe(true);
    submit();
    expect(environments).toHaveLength(4);
  });
});
