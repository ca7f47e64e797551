import type { CDPSession, Page } from "playwright-core";
import * as z from "zod";

/** What a first visit to a page costs and how it feels. */
export interface FirstLoad {
  /** All that comes over the wire, headers included. */
  readonly bytes: number;
  /** Largest contentful paint, in milliseconds after the request. */
  readonly contentfulPaint: number;
  /** How far what was already painted moves, by the definition of the Layout Instability API. */
  readonly layoutShift: number;
}

/** A phone at the edge of a village: each request is delayed, and all of them share the speed. */
export const slowNetwork = { bitsPerSecond: 150_000, latencyMilliseconds: 400 };

/** Slows a page's network down. */
export const throttle = async (session: CDPSession): Promise<void> => {
  const bytesPerSecond = slowNetwork.bitsPerSecond / 8;
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: slowNetwork.latencyMilliseconds,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
};

const paintSchema = z.object({ contentfulPaint: z.number(), layoutShift: z.number() });

/** Runs in the page; a text, because its names are the browser's. */
const readPaint = `new Promise((resolve) => {
  const seen = { contentfulPaint: 0, layoutShift: 0 };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.contentfulPaint = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.layoutShift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => resolve(seen), 100));
})`;

/** Counts the bytes that a page loads, always without a cache. @returns a function with the bytes since its last call. */
export const countBytes = async (page: Page): Promise<() => number> => {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  let bytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => {
    const counted = bytes;
    bytes = 0;
    return counted;
  };
};

/** Loads a page for the first time, on a slow network. */
export const measureFirstLoad = async (page: Page, url: string): Promise<FirstLoad> => {
  const bytes = await countBytes(page);
  await throttle(await page.context().newCDPSession(page));
  await page.goto(url);
  const paint = paintSchema.parse(await page.evaluate(readPaint));
  return { bytes: bytes(), ...paint };
};
