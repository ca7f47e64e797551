import { describe, expect, it } from "vitest";
import {
  callbackUrlProblem,
  isPublicAddress,
  mayBeCalled,
} from "../../../../shared/recordings/callbacks/callback-url.ts";

const strict = { allowLoopback: false };
const local = { allowLoopback: true };

describe("An address for callbacks", () => {
  it.each([
    "https://example.org/transcripts?for=radio",
    "https://example.org:8443/",
    "https://93.184.216.34/hook",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/hook",
  ])("may be %s", (url) => {
    expect(callbackUrlProblem(url, strict)).toBeUndefined();
  });

  it.each([
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://10.1.2.3/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://100.64.0.1/",
    "https://0.0.0.0/",
    "https://224.0.0.1/",
    "https://192.0.2.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::10.0.0.1]/",
    "https://[::a9fe:a9fe]/",
    "https://[4000::1]/",
    "https://[64:ff9b::a00:1]/",
    "https://[2002:a00:1::]/",
    "https://[fd00:ec2::254]/",
    "https://[fe80::1]/",
    "https://localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://api.localhost./",
    "https://localhost../",
  ])("must be of the public internet, which %s is not", (url) => {
    expect(callbackUrlProblem(url, strict)).toBe("The URL is not on the public internet.");
  });

  it.each([
    ["http://example.org/", "The URL must start with https://."],
    ["ftp://example.org/", "The URL must start with https://."],
    ["http://127.0.0.1:8000/", "The URL must start with https://."],
    ["https://me:secret@example.org/", "The URL must not contain a username or password."],
    ["example.org/hook", "This is not a URL. Enter one such as https://example.org/transcripts."],
    ["", "This is not a URL. Enter one such as https://example.org/transcripts."],
    [" https://example.org/", "The URL must not contain spaces or control characters."],
    ["https://exa\tmple.org/", "The URL must not contain spaces or control characters."],
    ["https://example.org/\r\nX-Header: 1", "The URL must not contain spaces or control characters."],
    [`https://example.org/${"a".repeat(2_048)}`, "The URL is longer than 2048 characters."],
  ])("is refused with a message: %s", (url, problem) => {
    expect(callbackUrlProblem(url, strict)).toBe(problem);
  });

  it.each(["http://127.0.0.1:8000/hook", "http://localhost:8000/", "https://[::1]:8443/"])(
    "may be of this machine while developing: %s",
    (url) => {
      expect(callbackUrlProblem(url, local)).toBeUndefined();
    },
  );

  it.each(["http://127.0.0.1:3000/_local/functions", "http://localhost:3000/", "https://[::1]:3000/"])(
    "is never one of the service itself: %s",
    (url) => {
      const rules = { ...local, ownPorts: [3000, 3001] };
      expect(callbackUrlProblem(url, rules)).toBe("The URL is one of the service itself.");
      expect(mayBeCalled("127.0.0.1", new URL(url), rules)).toBe(false);
    },
  );

  it.each(["http://example.org/", "https://10.0.0.1/", "http://192.168.0.7:8000/", "https://0.0.0.0/"])(
    "of another machine keeps its rules while developing: %s",
    (url) => {
      expect(callbackUrlProblem(url, local)).toBeDefined();
    },
  );

  it("is public only when it is an address at all", () => {
    expect(["example.org", "", "8.8.8", "8.8.8.8"].filter(isPublicAddress)).toEqual(["8.8.8.8"]);
  });
});
