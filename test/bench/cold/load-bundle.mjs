/** Loads one bundle as the Lambda runtime does and prints what that cost. Plain JavaScript, so that nothing else is loaded. */
globalThis.awslambda = { streamifyResponse: (handler) => handler, HttpResponseStream: {} };
const before = { at: performance.now(), cpu: process.cpuUsage() };
await import(process.argv[2]);
const importMilliseconds = performance.now() - before.at;
const { user, system } = process.cpuUsage(before.cpu);
const whole = process.cpuUsage();
process.stdout.write(
  JSON.stringify({
    importMilliseconds,
    importCpuMilliseconds: (user + system) / 1_000,
    startMilliseconds: performance.now(),
    startCpuMilliseconds: (whole.user + whole.system) / 1_000,
  }),
  () => process.exit(),
);
