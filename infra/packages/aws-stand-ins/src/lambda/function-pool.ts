import type { EnvironmentListener } from "./execution-environment.ts";
import type { FunctionError, Invocation } from "./invocation.ts";

/**
 * How many processes may be starting at a time, over all functions.
 *
 * A start takes a core for some hundred milliseconds. When many callers come at once, starting a process for each of
 * them would slow down the running ones, so even more callers would find none free, and in the end the machine
 * would only start processes. A caller waiting for a slot is often served sooner by a process that has become free.
 */
export class StartingSlots {
  readonly #slots: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /** @param slots how many there are; at least 1 */
  constructor(slots: number) {
    this.#slots = slots;
  }

  /**
   * Takes a slot, if there is one.
   *
   *
   * @param whenFree called once, when the slot was refused and one may be free.
   */
  take(whenFree: () => void): boolean {
    if (this.#taken < this.#slots) {
      this.#taken += 1;
      return true;
    }
    this.#waiting.add(whenFree);
    return false;
  }

  /** Releases a slot. */
  leave(): void {
    this.#taken -= 1;
    for (const whenFree of this.#waiting) {
      if (this.#taken >= this.#slots) return;
      this.#waiting.delete(whenFree);
      whenFree();
    }
  }
}

/** What a pool needs of an execution environment. */
export interface PooledEnvironment {
  readonly exited: Promise<void>;
  invoke(invocation: Invocation): void;
  stop(): void;
}

/** This many idle environments stay for good, any beyond them for a minute: each uses 50 MB and more. */
const maxIdle = 2;
const idleLifetimeMilliseconds = 60_000;

/**
 * A runtime requests work within a millisecond after its response, unless its handler continues. Invocations wait
 * this long for it before another process is started.
 */
const returnMilliseconds = 50;

interface Member {
  readonly environment: PooledEnvironment;
  state: "starting" | "idle" | "busy" | "returning" | "retired";
  hasSlot: boolean;
  idleSince: number;
  timer: NodeJS.Timeout | undefined;
}

/** The execution environments of one function: started as invocations demand, reused while they are warm. */
export class FunctionPool {
  readonly #start: (listener: EnvironmentListener) => PooledEnvironment;
  readonly #slots: StartingSlots;
  readonly #maxMembers: number;
  readonly #members = new Set<Member>();
  /** The most recently used last. */
  readonly #idle: Member[] = [];
  readonly #waiting: Invocation[] = [];
  #closed = false;

  /**
   *
   * @param start starts an environment that reports to the listener
   * @param slots where an environment needs a slot during its start
   * @param maxMembers the maximum number of environments; invocations beyond them wait in order
   */
  constructor(
    start: (listener: EnvironmentListener) => PooledEnvironment,
    slots: StartingSlots,
    max: number = Number.POSITIVE_INFINITY,
  ) {
    this.#start = start;
    this.#slots = slots;
    this.#maxMembers = max;
  }

  /** How many environments there are, in any state. */
  get size(): number {
    return this.#members.size;
  }

  /** When the environment that has been idle longest became so, in milliseconds since 1970. */
  get idleSince(): number | undefined {
    return this.#idle[0]?.idleSince;
  }

  /** Runs the invocation in an environment that is free, or as soon as one is. */
  submit(invocation: Invocation): void {
    this.#waiting.push(invocation);
    if (this.#closed) this.#refuseWaiting();
    else this.#dispatch();
  }

  /** Starts an environment before there is an invocation for it, unless there is an environment. */
  warm(): void {
    if (this.#members.size === 0 && this.#slots.take(this.#dispatchLater)) this.#add();
  }

  stopLongestIdle(): void {
    if (this.#idle[0] !== undefined) this.#retire(this.#idle[0]);
  }

  /** Replaces every environment; those at work finish their invocation first. Resolved when the old are gone. */
  async recycle(): Promise<void> {
    const old = [...this.#members];
    for (const member of old) {
      if (member.state === "busy" || member.state === "returning") member.state = "retired";
      else this.#retire(member);
    }
    await Promise.all(old.map(({ environment }) => environment.exited));
  }

  /** Ends every environment at once; their invocations fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#refuseWaiting();
    const members = [...this.#members];
    for (const member of members) this.#retire(member);
    await Promise.all(members.map(({ environment }) => environment.exited));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const member = this.#idle.pop();
      if (member === undefined) break;
      const invocation = this.#waiting.shift();
      if (invocation !== undefined) this.#assign(member, invocation);
    }
    const expected = [...this.#members].filter(({ state }) => state === "starting" || state === "returning");
    const missing = Math.min(this.#waiting.length - expected.length, this.#maxMembers - this.#members.size);
    for (let started = 0; started < missing; started += 1) {
      if (!this.#slots.take(this.#dispatchLater)) return;
      this.#add();
    }
  }

  /** Always the same function, so that the pool waits for a slot once, for any number of missing environments. */
  readonly #dispatchLater = (): void => this.#dispatch();

  #add(): void {
    const member: Member = {
      environment: this.#start({
        ready: () => this.#onReady(member),
        responded: () => this.#onResponded(member),
        exited: (error) => this.#onExited(member, error),
      }),
      state: "starting",
      hasSlot: true,
      idleSince: 0,
      timer: undefined,
    };
    this.#members.add(member);
  }

  #assign(member: Member, invocation: Invocation): void {
    clearTimeout(member.timer);
    member.state = "busy";
    member.environment.invoke(invocation);
  }

  #onReady(member: Member): void {
    clearTimeout(member.timer);
    if (member.state === "retired") {
      member.environment.stop();
      return;
    }
    member.state = "idle";
    member.idleSince = Date.now();
    member.timer = setTimeout(() => {
      if (this.#idle.length > maxIdle) this.stopLongestIdle();
    }, idleLifetimeMilliseconds).unref();
    this.#idle.push(member);
    this.#dispatch();
    this.#leaveSlot(member);
  }

  #onResponded(member: Member): void {
    if (member.state !== "busy") return;
    member.state = "returning";
    member.timer = setTimeout(() => {
      member.state = "busy";
      this.#dispatch();
    }, returnMilliseconds);
  }

  #onExited(member: Member, initializationError: FunctionError | undefined): void {
    clearTimeout(member.timer);
    this.#members.delete(member);
    this.#leaveIdle(member);
    if (initializationError !== undefined) {
      const invocation = this.#waiting.shift();
      invocation?.fail(initializationError);
      invocation?.finish();
    }
    this.#dispatch();
    this.#leaveSlot(member);
  }

  #retire(member: Member): void {
    clearTimeout(member.timer);
    this.#leaveIdle(member);
    member.state = "retired";
    member.environment.stop();
  }

  #leaveSlot(member: Member): void {
    if (!member.hasSlot) return;
    member.hasSlot = false;
    this.#slots.leave();
  }

  #leaveIdle(member: Member): void {
    const index = this.#idle.indexOf(member);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #refuseWaiting(): void {
    for (const invocation of this.#waiting.splice(0)) {
      invocation.fail({ errorType: "ServiceException", errorMessage: "The local Lambda service is closed." });
      invocation.finish();
    }
  }
}
