/** What a router needs to know about a route. */
interface Routed {
  readonly method: string;
  readonly path: string;
}

/** A node in the tree of paths, one segment below its parent. */
interface Node<Route> {
  readonly statics: Map<string, Node<Route>>;
  /** `{name}`: exactly one segment. API Gateway allows one name at each node. */
  parameter: { readonly name: string; readonly node: Node<Route> } | undefined;
  /** `{name+}`: all that is left, at least one character. */
  greedy: { readonly name: string; readonly node: Node<Route> } | undefined;
  readonly routes: Map<string, Route>;
}

export interface Match<Route> {
  readonly route: Route;
  /** Percent-decoded; null when the route has none, as in the event. */
  readonly pathParameters: Record<string, string> | null;
}

const createNode = <Route>(): Node<Route> => ({
  statics: new Map(),
  parameter: undefined,
  greedy: undefined,
  routes: new Map(),
});

const segmentsOf = (path: string): string[] => (path === "/" ? [] : path.slice(1).split("/"));

const descend = <Route>(node: Node<Route>, segment: string): Node<Route> => {
  const { name, plus } = /^\{(?<name>[^+}]+)(?<plus>\+?)\}$/.exec(segment)?.groups ?? {};
  if (name === undefined) {
    const child = node.statics.get(segment) ?? createNode();
    node.statics.set(segment, child);
    return child;
  }
  if (plus === "+") {
    node.greedy ??= { name, node: createNode() };
    return node.greedy.node;
  }
  node.parameter ??= { name, node: createNode() };
  return node.parameter.node;
};

type Captured = readonly (readonly [name: string, value: string])[];

const find = <Route>(
  node: Node<Route>,
  segments: readonly string[],
  captured: Captured,
): [Node<Route>, Captured] | undefined => {
  const [segment, ...rest] = segments;
  const isAtEnd = segment === undefined || (segment === "" && rest.length === 0);
  if (isAtEnd && node.routes.size > 0) return [node, captured];
  if (segment === undefined) return undefined;
  const { statics, parameter, greedy } = node;
  const child = statics.get(segment);
  const foundStatic = child && find(child, rest, captured);
  if (foundStatic !== undefined) return foundStatic;
  const foundParameter =
    parameter && segment !== ""
      ? find(parameter.node, rest, [...captured, [parameter.name, segment]])
      : undefined;
  if (foundParameter !== undefined) return foundParameter;
  const remainder = segments.join("/");
  return greedy && remainder !== "" ? [greedy.node, [...captured, [greedy.name, remainder]]] : undefined;
};

/**
 * Finds the route of a request: the most specific path wins (a literal segment before `{name}` before `{name+}`),
 * then the method, then `ANY`. A trailing slash changes nothing, except what `{name+}` captures: API Gateway's REST
 * APIs serve `/pets/` with the resource `/pets`, and leave the slash in the event's `path` (aws/aws-sam-cli#1495).
 */
export class Router<Route extends Routed> {
  readonly #root = createNode<Route>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      segmentsOf(route.path).reduce(descend, this.#root).routes.set(route.method, route);
    }
  }

  /** @throws URIError when the path is not valid percent-encoding. */
  match(method: string, path: string): Match<Route> | undefined {
    const [node, captured] = find(this.#root, segmentsOf(path).map(decodeURIComponent), []) ?? [];
    const route = node?.routes.get(method) ?? node?.routes.get("ANY");
    if (route === undefined || captured === undefined) return undefined;
    return { route, pathParameters: captured.length === 0 ? null : Object.fromEntries(captured) };
  }
}
