import fc from "fast-check";

/**
 * Where property tests and the fuzz start from. Fixed, so that a failure is one of the code and not of the day;
 * `PROPERTY_SEED=$RANDOM npm test` and `npm run fuzz` look further.
 */
export const propertySeed = Number(process.env["PROPERTY_SEED"] ?? 20_261_120);

fc.configureGlobal({ seed: propertySeed });
