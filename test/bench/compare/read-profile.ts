import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { projectDirectory } from "../../../infra/bundling/bundle-options.ts";

const node = z.object({
  id: z.int(),
  callFrame: z.object({
    functionName: z.string(),
    url: z.string(),
    lineNumber: z.int(),
    columnNumber: z.int(),
  }),
  children: z.array(z.int()).optional(),
});

/** A CPU profile as V8 writes it: the calls that were seen as a tree, and which of them ran at each sample. */
export const cpuProfile = z.object({
  nodes: z.array(node),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});
type CpuProfile = z.infer<typeof cpuProfile>;

/** A source map, in the form that `SourceMap` takes. */
export const sourceMapFile = z.object({
  version: z.int(),
  file: z.string().default(""),
  sources: z.array(z.string()),
  names: z.array(z.string()).default([]),
  sourcesContent: z.array(z.string()).default([]),
  sourceRoot: z.string().default(""),
  mappings: z.string(),
});

/** A bundle whose code is shown by its sources. */
export interface Bundle {
  readonly file: string;
  readonly map: z.infer<typeof sourceMapFile>;
}

/** The share of the time that a function ran itself, and that it ran or waited for what it called. */
export interface Share {
  readonly origin: string;
  readonly self: number;
  readonly inclusive: number;
}

const idle = "(idle)";

/** A package by its name, a file of this repository by its path, a module of Node's by its name. */
const nameOf = (path: string): string => {
  const inPackage = /.*node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(path)?.groups?.["name"];
  return inPackage ?? path;
};

const originIn = ({ file, map }: Bundle) => {
  const positions = new SourceMap(map);
  return ({
    functionName,
    url,
    lineNumber,
    columnNumber,
  }: CpuProfile["nodes"][number]["callFrame"]): string => {
    if (url === "") return functionName.startsWith("(") ? functionName : "(native)";
    if (!url.startsWith("file:")) return nameOf(url);
    const path = fileURLToPath(url);
    if (path !== file) return nameOf(relative(projectDirectory, path));
    const entry = positions.findEntry(lineNumber, columnNumber);
    if (!("originalSource" in entry)) return "(bundle)";
    const source = entry.originalSource;
    return source.includes("built-in-module:")
      ? "(bundle)"
      : nameOf(relative(projectDirectory, resolve(dirname(file), source)));
  };
};

/**
 * Where the time of a profile went, largest first; idling is left out. What called itself over a detour counts once.
 *
 * @param isByFunction by the functions in each file instead of whole files
 */
export const sharesOf = (profile: CpuProfile, bundle: Bundle, isByFunction: boolean): Share[] => {
  const originOf = originIn(bundle);
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const names = new Map(
    profile.nodes.map(({ id, callFrame }) => {
      const origin = originOf(callFrame);
      const isFunction = isByFunction && origin !== callFrame.functionName;
      return [id, isFunction ? `${origin} ${callFrame.functionName || "(anonymous)"}` : origin];
    }),
  );
  const self = new Map<string, number>();
  const inclusive = new Map<string, number>();
  const add = (sums: Map<string, number>, name: string, amount: number) =>
    sums.set(name, (sums.get(name) ?? 0) + amount);
  let total = 0;
  profile.samples.forEach((sample, index) => {
    const microseconds = profile.timeDeltas[index] ?? 0;
    const name = names.get(sample) ?? "";
    if (name === idle) return;
    total += microseconds;
    add(self, name, microseconds);
    const onStack = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      onStack.add(names.get(id) ?? "");
    }
    for (const each of onStack) add(inclusive, each, microseconds);
  });
  return [...inclusive]
    .filter(([origin]) => origin !== "(root)")
    .map(([origin, time]) => ({ origin, self: (self.get(origin) ?? 0) / total, inclusive: time / total }))
    .toSorted((one, other) => other.self - one.self);
};
