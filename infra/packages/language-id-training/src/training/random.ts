/** Returns a number from 0 up to, not including, 1. */
export type Random = () => number;

/** A seeded source of random numbers (a 32-bit Weyl sequence, scrambled), the same on every machine. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
};

/** Picks one of the items, each as likely as the others. */
export const pick = <Item>(items: readonly Item[], random: Random): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
};

/** A copy of the items in random order. */
export const shuffled = <Item>(items: readonly Item[], random: Random): readonly Item[] =>
  items
    .map((item) => ({ item, rank: random() }))
    .sort((one, another) => one.rank - another.rank)
    .map(({ item }) => item);

/** A fixed number from 0 to `parts` - 1 for a text, by which a corpus is parted the same way every time. */
export const partOf = (text: string, parts: number): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % parts;
};
