import type { Behaviour } from "./fake-backend.ts";

/** Sends headers, then nothing. */
export const silentAfterHeaders: Behaviour = (response) => {
  response.writeHead(200, { "Content-Type": "application/json" });
  response.flushHeaders();
};

/** Sends one byte after the other, each well before the server would count as silent. */
export const dripping =
  (contentType: string, bytes: () => Uint8Array): Behaviour =>
  (response) => {
    response.writeHead(200, { "Content-Type": contentType });
    const content = bytes();
    let sent = 0;
    const timer = setInterval(() => {
      response.write(content.subarray(sent, sent + 1));
      sent += 1;
    }, 50);
    response.once("close", () => clearInterval(timer));
  };

/** Sends the same piece as long as there is a reader. */
export const endless =
  (contentType: string): Behaviour =>
  (response) => {
    response.writeHead(200, { "Content-Type": contentType });
    const piece = Buffer.alloc(1024 * 1024, "a");
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  };
