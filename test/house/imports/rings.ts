import { dirname } from "node:path/posix";
import type { Import } from "./read-imports.ts";

/** What each node of a graph leads to. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Each ring of a graph, as the nodes along it; the first is also the last. */
export const ringsIn = (graph: Graph): string[][] => {
  const done = new Set<string>();
  const rings: string[][] = [];
  const visit = (node: string, way: readonly string[]): void => {
    const at = way.indexOf(node);
    if (at >= 0) rings.push([...way.slice(at), node]);
    if (at >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...way, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return rings;
};

const graphOf = (imports: readonly Import[], nodeOf: (path: string) => string): Graph => {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [source, target] = [nodeOf(from), nodeOf(to)];
    if (source === target) continue;
    const targets = graph.get(source) ?? new Set();
    graph.set(source, targets.add(target));
  }
  return graph;
};

/** Rings of modules that load each other. Types do not count: they load nothing. */
export const fileRings = (imports: readonly Import[]): string[] =>
  ringsIn(
    graphOf(
      imports.filter(({ isTypeOnly }) => !isTypeOnly),
      (path) => path,
    ),
  ).map((ring) => ring.join(" → "));

const isShared = (path: string): boolean => path.startsWith("shared/");

/** An import by which one folder depends on another. */
const exampleOf = (
  imports: readonly Import[],
  nodeOf: (path: string) => string,
  from: string,
  to: string,
) => {
  const found = imports.find((entry) => nodeOf(entry.from) === from && nodeOf(entry.to) === to);
  return found ? `${found.from} imports ${found.to}` : "";
};

/**
 * Rings of folders in `shared/`, imports of types included, each with an import for every step.
 *
 * @param nodeOf the folder that a file counts to.
 */
const sharedRings = (imports: readonly Import[], nodeOf: (path: string) => string): string[] => {
  const within = imports.filter(({ from, to }) => isShared(from) && isShared(to));
  return ringsIn(graphOf(within, nodeOf)).map((ring) => {
    const steps = ring.slice(1).map((to, index) => exampleOf(within, nodeOf, ring[index] ?? "", to));
    return `${ring.join(" → ")} (${steps.join("; ")})`;
  });
};

/** Rings between the folders of `shared/` at any depth, and between its rooms, the folders of the first level. */
export const folderRings = (imports: readonly Import[]): string[] => [
  ...new Set([
    ...sharedRings(imports, dirname),
    ...sharedRings(imports, (path) => path.split("/").slice(0, 2).join("/")),
  ]),
];
