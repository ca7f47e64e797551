/**
 * How much a test does: what `npm test` has time for, or everything, with `npm run test:endurance`.
 *
 * The files that ask are named in `vitest.config.ts`, whose project "endurance" runs them once more.
 */
export const endurance = <Amount>(usual: Amount, everything: Amount): Amount =>
  process.env["ENDURANCE"] ? everything : usual;
