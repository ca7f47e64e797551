import { expect, it } from "vitest";
import { browserName } from "../../../functions/console/account/browser-name.ts";

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const iPhone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const macOs = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";

it.each([
  [`${windows} ${webKit} Chrome/131.0.0.0 Safari/537.36`, "Chrome, Windows"],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36`, "Chrome, Android"],
  [`${iPhone} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`, "Chrome, iPhone"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/131.0.0.0 Safari/537.36`, "Chrome, ChromeOS"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0", "Firefox, Linux"],
  ["Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0", "Firefox, Android"],
  [`${iPhone} FxiOS/132.0 Mobile/15E148 Safari/605.1.15`, "Firefox, iPhone"],
  [`${macOs} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`, "Safari, macOS"],
  [`${iPhone} Version/18.1 Mobile/15E148 Safari/604.1`, "Safari, iPhone"],
  [`${windows} ${webKit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, "Edge, Windows"],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36 EdgA/131.0.0.0`,
    "Edge, Android",
  ],
  [`${iPhone} Version/18.0 EdgiOS/131.0.2903.48 Mobile/15E148 Safari/604.1`, "Edge, iPhone"],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webKit} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet, Android",
  ],
  [
    "Opera/9.80 (Android; Opera Mini/80.0.2254/191.303; U; en) Presto/2.12.423 Version/12.16",
    "Opera Mini, Android",
  ],
  ["Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/191.303; U; en) Presto/2.12.423 Version/12.16", "Opera Mini"],
  [`${windows} ${webKit} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`, "Opera, Windows"],
  [`${iPhone} Version/18.1 Mobile/15E148 Safari/604.1 OPT/5.2.0`, "Opera, iPhone"],
  ["curl/8.5.0", "curl/8.5.0"],
  [undefined, "?"],
])("%s is %s", (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
