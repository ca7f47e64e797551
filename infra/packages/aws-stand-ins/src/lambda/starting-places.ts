/**
 * How many processes may be starting at a time, over all functions.
 *
 * A start takes a core for some hundred milliseconds. When many callers come at once, starting a process for each of them
 * would slow down those at work, so that still more callers would find nobody free, and the machine would in the end do
 * nothing but start processes. Whoever waits for a place is often served before by a process that has become free.
 */
export class StartingPlaces {
  readonly #places: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /** @param places how many there are; at least 1 */
  constructor(places: number) {
    this.#places = places;
  }

  /**
   * Takes a place, if there is one.
   *
   * @param whenFree called once, when the place was refused and one may be free.
   */
  take(whenFree: () => void): boolean {
    if (this.#taken < this.#places) {
      this.#taken += 1;
      return true;
    }
    this.#waiting.add(whenFree);
    return false;
  }

  /** Gives a place back. */
  leave(): void {
    this.#taken -= 1;
    for (const whenFree of this.#waiting) {
      if (this.#taken >= this.#places) return;
      this.#waiting.delete(whenFree);
      whenFree();
    }
  }
}
