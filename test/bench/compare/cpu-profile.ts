import type { Session } from "node:inspector/promises";

const samplingMicroseconds = 200;
let session: Session | undefined;

/** Begins a CPU profile of this process. The inspector is loaded only now. */
export const startProfile = async (): Promise<void> => {
  const inspector = await import("node:inspector/promises");
  session = new inspector.Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: samplingMicroseconds });
  await session.post("Profiler.start");
};

/** Ends the profile. @returns it, as V8 writes it. */
export const stopProfile = async (): Promise<unknown> => {
  if (!session) throw new Error("No profile was started.");
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return profile;
};
