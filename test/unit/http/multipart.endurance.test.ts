import fc from "fast-check";
import { expect, it } from "vitest";
import { endurance } from "../../support/endurance.ts";
import { damagedBody, oddlyDescribedForm, statusWithin, watchProcess } from "./multipart-fixture.ts";

it("Damaged multipart bodies never take the process down", async () => {
  const unexpected = watchProcess();
  await fc.assert(
    fc.asyncProperty(damagedBody, async (body) => {
      expect([200, 400, 413, 422]).toContain(
        await statusWithin(5_000, body, "multipart/form-data; boundary=b"),
      );
    }),
    { numRuns: endurance(4_000, 20_000) },
  );
  expect(unexpected()).toEqual([]);
});

it("Multipart bodies with odd headers never take the process down", async () => {
  const unexpected = watchProcess();
  await fc.assert(
    fc.asyncProperty(oddlyDescribedForm, async ([body, contentType]) => {
      expect([200, 400, 422]).toContain(await statusWithin(5_000, body, contentType));
    }),
    { numRuns: endurance(600, 3_000) },
  );
  expect(unexpected()).toEqual([]);
});
