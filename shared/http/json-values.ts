/**
 * The most values that a JSON body may have, counted at every depth. No valid request comes near it; without it, a
 * body of 6 MB can hold three million wrong elements, and what validation notes about each of them fills the
 * function's memory.
 */
export const maximumValues = 100_000;

/** Whether a parsed JSON document has more values than are looked at. */
export const hasTooManyValues = (document: unknown): boolean => {
  const open = [document];
  let seen = 1;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const members: readonly unknown[] = Object.values(value);
    seen += members.length;
    if (seen > maximumValues) return true;
    for (const member of members) open.push(member);
  }
  return false;
};
