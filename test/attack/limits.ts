import { randomBytes } from "node:crypto";
import { functionPath } from "../../infra/local/running-service.ts";
import { lambdaEvent } from "../support/lambda-event.ts";
import { sendOverWire } from "../support/wire.ts";
import { type Attack, attacksOf, heldIf, type Target } from "./attack.ts";

/** More than the minute of the account that all visitors share. */
const flood = 60;

const askAsVisitor = async ({ url }: Target, localAddress: string, body: object): Promise<number> => {
  const { status } = await sendOverWire(url, {
    method: "POST",
    path: "/console/playground/visitor/identify",
    headers: {
      "Content-Type": "application/json",
      Origin: new URL(url).origin,
      "Sec-Fetch-Site": "same-origin",
    },
    body: Buffer.from(JSON.stringify(body)),
    localAddress,
  });
  return status;
};

/** Sends a visitor's request from any address, as API Gateway would pass it on. */
const askFrom = async ({ url }: Target, sourceAddress: string): Promise<number> => {
  const event = lambdaEvent({
    path: "/console/playground/visitor/identify",
    headers: {
      "Content-Type": "application/json",
      Origin: new URL(url).origin,
      "Sec-Fetch-Site": "same-origin",
    },
    body: JSON.stringify({ text: "Oli otya ssebo?" }),
    sourceAddress,
  });
  const response = await fetch(`${url}${functionPath("console")}`, {
    method: "POST",
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(60_000),
  });
  return Number(/"statusCode":(\d+)/.exec(await response.text())?.[1]);
};

/** Fewer than the minute of the account that all visitors share, and more than a network may send in a day. */
const networks = 40;

/** What one caller uses up for others: number 18. */
export const limitAttacks: readonly Attack[] = [
  ...attacksOf({ number: 18, needs: ["addresses"] })({
    "60 failing requests in the playground from one address, to close it for others": async (target) => {
      const sent = [];
      for (let count = 0; count < flood; count += 1) {
        sent.push(await askAsVisitor(target, "127.0.0.3", { text: 7 }));
      }
      const other = await askAsVisitor(target, "127.0.0.4", { text: "Oli otya ssebo?" });
      const forwarded = sent.filter((status) => status === 422).length;
      return heldIf(other === 200, `${forwarded} of ${flood} forwarded, then ${other} for another address`);
    },
  }),
  ...attacksOf({ number: 18, needs: ["events"] })({
    "a visitor who sends each request from another network of their /48": async (target) => {
      const site = `2001:db8:${randomBytes(2).toString("hex")}`;
      const sent = [];
      for (let network = 1; network <= networks; network += 1) {
        sent.push(await askFrom(target, `${site}:${network}::1`));
      }
      const admitted = sent.filter((status) => status === 200).length;
      return heldIf(
        sent[0] === 200 && sent.at(-1) === 429,
        `${admitted} of ${networks} admitted, the last ${sent.at(-1)}`,
      );
    },
  }),
];
