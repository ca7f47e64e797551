import type { IncomingMessage } from "node:http";

/** The parts of a request that are checked. */
interface IncomingRequest {
  readonly headers: { readonly host?: string | undefined };
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly localAddress?: string | undefined;
  };
}

const isLoopbackAddress = (address: string): boolean =>
  /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === "::1" || address === "[::1]";

/** The host name of a request, in the form that URLs use; `undefined` when it has none. */
const hostNameOf = ({ headers }: IncomingRequest): string | undefined => {
  const url = URL.parse(`http://${headers.host ?? ""}`);
  return url === null ? undefined : url.hostname.replace(/\.$/, "");
};

/**
 * Whether a request comes from this machine and uses a name that no other host can have. A web page can have its own
 * host name resolve to 127.0.0.1 (DNS rebinding) and then access every server of this machine; the browser still
 * sends that name.
 */
export const isFromThisMachine = (request: IncomingRequest): boolean => {
  const { remoteAddress = "", localAddress = "" } = request.socket;
  const hostName = hostNameOf(request);
  if (hostName === undefined || (!isLoopbackAddress(remoteAddress) && remoteAddress !== localAddress)) {
    return false;
  }
  return (
    isLoopbackAddress(hostName) ||
    hostName === "localhost" ||
    hostName.endsWith(".localhost") ||
    // A server that listens to the network is also reached from this machine by its address, which no name can take.
    hostName === localAddress.replace(/^::ffff:/, "")
  );
};

/**
 * Whether a web page of another site, or of another port of this machine, sent a request. Browsers send some requests without
 * permission and only hide the response, such as a `POST` of plain text. Links from other pages may be followed.
 */
export const isFromAnotherSite = ({
  method,
  headers,
}: Pick<IncomingMessage, "method" | "headers">): boolean => {
  const { origin, host } = headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) return true;
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  const isFollowed = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return method !== "GET" || !isFollowed;
};
