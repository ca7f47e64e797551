/**
 * How much a test does: what `npm run test:all` has time for, or everything, in `npm run test:release`. Files that ask are called
 * `*.endurance.test.ts`.
 */
export const endurance = <Amount>(usual: Amount, everything: Amount): Amount =>
  process.env["ENDURANCE"] ? everything : usual;
