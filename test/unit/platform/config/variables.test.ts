import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  addressVariable,
  anyTextVariable,
  baseAddressVariable,
  countVariable,
  optionalVariable,
  presetVariable,
  readVariables,
  shareVariable,
  switchVariable,
  textVariable,
  type Variable,
} from "../../../../shared/platform/config/variables.ts";

describe("a variable of the environment", () => {
  it.each<[string, Variable<unknown>, [string, unknown][]]>([
    [
      "any text",
      anyTextVariable,
      [
        ["", ""],
        [" a ", " a "],
      ],
    ],
    [
      "a text",
      textVariable,
      [
        ["table", "table"],
        ["0", "0"],
      ],
    ],
    ["an address", addressVariable, [["http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/"]]],
    [
      "a base address",
      baseAddressVariable,
      [
        ["https://example.org/prod//", "https://example.org/prod"],
        ["http://[::1]:3000", "http://[::1]:3000"],
      ],
    ],
    [
      "a count",
      countVariable,
      [
        ["1", 1],
        ["60000", 60_000],
      ],
    ],
    [
      "a share",
      shareVariable,
      [
        ["1", 1],
        ["0.2", 0.2],
      ],
    ],
    [
      "a switch",
      switchVariable,
      [
        ["true", true],
        ["false", false],
      ],
    ],
    ["an optional one", optionalVariable(countVariable), [["2", 2]]],
    ["one with a preset", presetVariable(countVariable, 7), [["2", 2]]],
  ])("says what it means: %s", (_name, declared, texts) => {
    for (const [text, value] of texts)
      expect(readVariables({ V: declared }, { V: text })).toEqual({ V: value });
  });

  it.each<[string, Variable<unknown>, (string | undefined)[]]>([
    ["any text", anyTextVariable, [undefined]],
    ["a text", textVariable, [undefined, ""]],
    ["an address", addressVariable, [undefined, "", "example.org", "/v1"]],
    ["a base address", baseAddressVariable, [undefined, "", "example.org"]],
    ["a count", countVariable, [undefined, "", " ", "0", "-1", "1.5", "ten", "Infinity", "1e300"]],
    ["a share", shareVariable, [undefined, "", "0", "1.01", "-0.5", "half", "NaN"]],
    ["a switch", switchVariable, [undefined, "", "maybe"]],
    ["an optional one", optionalVariable(countVariable), ["", "0"]],
    ["one with a preset", presetVariable(countVariable, 7), ["", "0"]],
  ])("is refused when it means nothing: %s", (_name, declared, texts) => {
    for (const text of texts) {
      const read = () => readVariables({ V: declared }, { V: text });
      expect(read, String(text)).toThrow(/^The function's environment is not complete\. V: Expected /);
    }
  });

  it("may be absent, or say something by its absence", () => {
    expect(
      Object.entries(
        readVariables({ A: optionalVariable(textVariable), B: presetVariable(textVariable, "b") }, {}),
      ),
    ).toEqual([["B", "b"]]);
  });

  it("may be a schema", () => {
    const shape = { MODE: z.enum(["on", "off"]) };
    expect(readVariables(shape, { MODE: "on" })).toEqual({ MODE: "on" });
    expect(() => readVariables(shape, { MODE: "hunter2" })).toThrow(/MODE: (?!.*hunter2)/);
  });
});
