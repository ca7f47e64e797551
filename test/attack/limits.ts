import { sendOverWire } from "../support/wire.ts";
import { type Attack, heldIf, type Target } from "./attack.ts";

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

/** What one caller uses up for others: number 17. */
export const limitAttacks: readonly Attack[] = [
  {
    number: 18,
    name: "60 failing requests in the playground from one address, to close it for others",
    needs: ["addresses"],
    attempt: async (target) => {
      const sent = [];
      for (let count = 0; count < flood; count += 1) {
        sent.push(await askAsVisitor(target, "127.0.0.3", { text: 7 }));
      }
      const other = await askAsVisitor(target, "127.0.0.4", { text: "Oli otya ssebo?" });
      const forwarded = sent.filter((status) => status === 422).length;
      return heldIf(other === 200, `${forwarded} of ${flood} forwarded, then ${other} for another address`);
    },
  },
];
