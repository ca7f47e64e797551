import { dirname } from "node:path/posix";
import { isTest } from "../sources.ts";
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

/** Rings of modules that import each other, types included. Tests may describe each other's types. */
export const fileRings = (imports: readonly Import[]): string[] =>
  ringsIn(
    graphOf(
      imports.filter(({ from, isTypeOnly }) => !(isTypeOnly && isTest(from))),
      (path) => path,
    ),
  ).map((ring) => ring.join(" → "));

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
 * Rings of folders within an area, imports of types included, each with an import for every step.
 *
 * @param nodeOf the folder that a file counts to.
 * @param counts whether a step from one folder to another counts; by default every step does.
 */
const ringsOfFolders = (
  imports: readonly Import[],
  area: string,
  nodeOf: (path: string) => string,
  counts: (from: string, to: string) => boolean = () => true,
): string[] => {
  const isIn = (path: string): boolean => path.startsWith(area) && !isTest(path);
  const within = imports.filter(({ from, to }) => isIn(from) && isIn(to) && counts(nodeOf(from), nodeOf(to)));
  return ringsIn(graphOf(within, nodeOf)).map((ring) => {
    const steps = ring.slice(1).map((to, index) => exampleOf(within, nodeOf, ring[index] ?? "", to));
    return `${ring.join(" → ")} (${steps.join("; ")})`;
  });
};

/** A feature's own folder has its entries as well as what the folders below it share, so a step between the two says nothing. */
const areApart = (from: string, to: string): boolean =>
  !`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`);

/**
 * Rings between the folders of `shared/` at any depth, and between its rooms, the folders of the first level; between folders of
 * `functions/` and of `infra/` of which neither contains the other.
 */
export const folderRings = (imports: readonly Import[]): string[] => [
  ...new Set([
    ...ringsOfFolders(imports, "shared/", dirname),
    ...ringsOfFolders(imports, "shared/", (path) => path.split("/").slice(0, 2).join("/")),
    ...["functions/", "infra/"].flatMap((area) => ringsOfFolders(imports, area, dirname, areApart)),
  ]),
];
