type Access = "shared" | "exclusive";

interface Waiting {
  readonly access: Access;
  readonly enter: () => void;
}

/**
 * Lets any number of shared visitors in at once, or one exclusive visitor alone, in the order of their arrival: a
 * stream of shared visitors cannot keep an exclusive one waiting for ever.
 */
export class AccessGate {
  #inside = 0;
  #exclusive = false;
  readonly #queue: Waiting[] = [];

  /** Runs `work` once the gate admits it and gives its result. */
  async run<Result>(access: Access, work: () => Promise<Result>): Promise<Result> {
    if (this.#queue.length > 0 || !this.#admits(access)) {
      await new Promise<void>((enter) => this.#queue.push({ access, enter }));
    } else {
      this.#admit(access);
    }
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #admits(access: Access): boolean {
    return access === "shared" ? !this.#exclusive : this.#inside === 0;
  }

  #admit(access: Access): void {
    this.#inside += 1;
    this.#exclusive = access === "exclusive";
  }

  #leave(): void {
    this.#inside -= 1;
    this.#exclusive = false;
    for (let next = this.#queue[0]; next && this.#admits(next.access); next = this.#queue[0]) {
      this.#queue.shift();
      this.#admit(next.access);
      next.enter();
    }
  }
}
