import { describe, expect, it } from "vitest";
import { functionsOf } from "../../house/sizes/functions.ts";
import { sourceModule } from "../../house/sources.ts";

const linesOf = (source: string): Record<string, number> =>
  Object.fromEntries(
    functionsOf(sourceModule("shared/a.ts", source)).map(({ name, ownLines }) => [name, ownLines]),
  );

describe("The length of a function", () => {
  it("counts every line of its own, with comments and empty ones", () => {
    expect(linesOf("const run = () => {\n  // Why.\n\n  work();\n};")).toEqual({ run: 5 });
    expect(linesOf("function run() { work(); }")).toEqual({ run: 1 });
  });

  it("leaves out a function that it returns, which counts alone", () => {
    const source =
      "const create = () => {\n  start();\n  return function run() {\n    a();\n    b();\n  };\n};";
    expect(linesOf(source)).toEqual({ create: 3, run: 4 });
  });

  it("leaves out the members of an object that it returns, directly or by the name of a constant", () => {
    const members = "{\n  read: () => {\n    a();\n  },\n  write() {\n    b();\n  },\n}";
    expect(linesOf(`const create = () => (${members});`)).toEqual({ create: 2, read: 3, write: 3 });
    expect(linesOf(`const create = () => {\n  const made = ${members};\n  return made;\n};`)).toEqual({
      create: 5,
      read: 3,
      write: 3,
    });
  });

  it("leaves out what it returns as part of a list, a choice, a type assertion or a new instance", () => {
    const inner = "() => {\n  a();\n}";
    for (const value of [
      `[${inner}]`,
      `flag ? ${inner} : undefined`,
      `known ?? (${inner})`,
      `(${inner}) satisfies Run`,
      `new Promise(${inner})`,
    ]) {
      expect(linesOf(`const create = () => {\n  start();\n  return ${value};\n};`)["create"], value).toBe(3);
    }
  });

  it("counts a function inside that it uses itself or hands to another one", () => {
    const inner = "() => {\n    a();\n  }";
    expect(linesOf(`const run = () => {\n  const step = ${inner};\n  step();\n};`)).toEqual({
      run: 6,
      step: 3,
    });
    expect(linesOf(`const run = () => {\n  return once(${inner});\n};`)["run"]).toBe(5);
  });

  it("does not take what an inner function returns for its own result", () => {
    expect(
      linesOf("const run = () => {\n  each(() => {\n    return () => {\n      a();\n    };\n  });\n};")[
        "run"
      ],
    ).toBe(7);
  });

  it("is found in methods, constructors and fields of classes", () => {
    const source =
      "class A {\n  constructor() {\n    a();\n  }\n  run = () => {\n    b();\n  };\n  get c() {\n    return 1;\n  }\n}";
    expect(linesOf(source)).toEqual({ constructor: 3, run: 3, c: 3 });
  });
});
