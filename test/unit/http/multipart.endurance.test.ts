import fc from "fast-check";
import { expect, it } from "vitest";
import { damagedBody, oddlyDescribedForm, statusWithin, watchProcess } from "./multipart-fixture.ts";

it("20,000 damaged multipart bodies never take the process down", async () => {
  const unexpected = watchProcess();
  await fc.assert(
    fc.asyncProperty(damagedBody, async (body) => {
      expect([200, 400, 413, 422]).toContain(
        await statusWithin(5_000, body, "multipart/form-data; boundary=b"),
      );
    }),
    { numRuns: 20_000 },
  );
  expect(unexpected()).toEqual([]);
});

it("3,000 multipart bodies with odd headers never take the process down", async () => {
  const unexpected = watchProcess();
  await fc.assert(
    fc.asyncProperty(oddlyDescribedForm, async ([body, contentType]) => {
      expect([200, 400, 422]).toContain(await statusWithin(5_000, body, contentType));
    }),
    { numRuns: 3_000 },
  );
  expect(unexpected()).toEqual([]);
});
