import { afterEach, expect } from "vitest";
import { takeUndeclared } from "./undeclared-headers.ts";

afterEach(() => {
  expect(takeUndeclared(), "headers that the OpenAPI document does not declare").toEqual([]);
});
