import fc from "fast-check";

/** Starts every text that stands for a secret: no error may repeat one. */
export const marker = "zq7secret";

const secrets = fc.stringMatching(/^[a-z0-9]{6}$/).map((end) => `${marker}${end}`);

const oddTexts = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "a\udc00b",
    "\u202e\u200d\ufeff",
    "\ufffe",
    "a\uffff\ufdd0b",
    "__proto__",
    "constructor",
    "../../etc/passwd",
    "%2e%2e%2f%00",
    "NaN",
    "Infinity",
    "1e400",
    "true",
    "null",
    "İıſK",
    "\r\nX-Injected: 1",
    "<script>alert(1)</script>",
    "#{jndi:ldap://127.0.0.1/}",
    "' OR 1=1 --",
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .constantFrom("a", "é", "𞤀", "e\u0301", " ", "[", "\\")
    .chain((unit) => fc.constantFrom(65, 257, 5_001, 20_000).map((length) => unit.repeat(length))),
);

const nested = fc.integer({ min: 1, max: 200 }).map((depth) => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
});

/** An object as a parser makes it: here `__proto__` is a member like any other. */
const polluting = fc.constantFrom<unknown>(
  JSON.parse('{"__proto__":{"polluted":true}}'),
  JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
);

const oddNumbers = fc.constantFrom(0, -0, -1, 1.5, 2 ** 53, 2 ** 60, 1e308, -1e308, 5e-324);

/** Values that are wrong almost everywhere. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: secrets, weight: 3 },
  { arbitrary: oddTexts, weight: 3 },
  oddNumbers,
  fc.constantFrom<unknown>(null, true, false, [], {}),
  polluting,
  nested,
  fc.array(secrets, { minLength: 1, maxLength: 100 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A server refuses addresses of 16 kB early; percent-encoding turns one character into 12. */
const maxAddressLength = 400;

/** Texts for positions with a short maximum: queries and paths. */
export const junkTexts: fc.Arbitrary<string> = fc
  .oneof(secrets, oddTexts)
  .map((text) => text.slice(0, maxAddressLength).toWellFormed());

const isMembers = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The same value with one thing wrong: a member that is missing, replaced, added or given as null. */
export const spoil = (value: unknown, wrong: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  if (!isMembers(value)) return wrong;
  const names = Object.keys(value);
  const name = names.length > 0 ? fc.constantFrom(...names) : fc.constant("text");
  return fc.oneof(
    name.map((left) => Object.fromEntries(Object.entries(value).filter(([member]) => member !== left))),
    { arbitrary: fc.tuple(name, wrong).map(([one, junk]) => ({ ...value, [one]: junk })), weight: 4 },
    fc
      .tuple(fc.constantFrom("model", "platform", "account_type", "constructor", "toString", "org"), wrong)
      .map(([one, junk]) => ({ ...value, [one]: junk })),
    name.map((one) => ({ ...value, [one]: null })),
  );
};
