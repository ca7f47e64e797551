/** What is looked at of a request. */
interface IncomingRequest {
  readonly headers: { readonly host?: string | undefined };
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly localAddress?: string | undefined;
  };
}

const isLoopbackAddress = (address: string): boolean =>
  /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address) || address === "::1" || address === "[::1]";

/** The host name that a request asks for, in the form in which a URL has it; `undefined` when it asks for none. */
const hostNameOf = ({ headers }: IncomingRequest): string | undefined => {
  const url = URL.parse(`http://${headers.host ?? ""}`);
  return url === null ? undefined : url.hostname.replace(/\.$/, "");
};

/**
 * Whether a request comes from this machine and calls it by a name that nobody else can give it. A web page can have its
 * own host name resolve to 127.0.0.1 (DNS rebinding) and then talk to every server of this machine as if it were its own;
 * the browser still sends that name.
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
