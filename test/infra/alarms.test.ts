import { beforeAll, describe, expect, it } from "vitest";
import { ringingMinutes, type Sample, type Series } from "./evaluate-alarm.ts";
import {
  everyOption,
  exampleStage,
  resourcesOfType,
  type SynthesizedService,
  synthesizeService,
  type Template,
} from "./synthesized-service.ts";

let service: SynthesizedService;
beforeAll(async () => {
  service = await synthesizeService(exampleStage("prod", { ...everyOption, CANARY: "on" }));
}, 30_000);

const alarmIn = ({ Resources }: Template, name: string): unknown => {
  const alarms = resourcesOfType({ Resources, Outputs: {} }, "AWS::CloudWatch::Alarm");
  const found = [...alarms].find(([id]) => id.replace(/[0-9A-F]{8}$/, "") === name);
  if (!found) throw new Error(`There is no alarm ${name}.`);
  return found[1].Properties;
};

/** The minutes at which an alarm of the monitoring stack rings. */
const rings = (name: string, series: Series, to: number): number[] =>
  ringingMinutes(alarmIn(service.monitoring, `Alarms${name}`), series, { to });

const at = (minutes: readonly number[], value: number): Sample[] =>
  minutes.map((minute) => ({ minute, value }));
const every = (step: number, to: number): number[] =>
  Array.from({ length: Math.floor(to / step) }, (_, index) => index * step);
/** This many samples in each minute. */
const many = (count: number, to: number, value: number): Sample[] =>
  at(
    every(1, to).flatMap((minute) => Array.from({ length: count }, () => minute)),
    value,
  );

describe("An outage", { timeout: 30_000 }, () => {
  const thrice = [5, 25, 45];

  it("that three requests an hour meet rings within the hour", () => {
    const series = { Count: at(thrice, 1), "5XXError": at(thrice, 1) };
    expect(rings("ServerErrorsInHour", series, 90)[0]).toBe(46);
    expect(rings("ServerErrors", series, 90)).toEqual([]);
    const url = { UrlRequestCount: at(thrice, 1), Url5xxCount: at(thrice, 1) };
    expect(rings("ChatUrlErrorsInHour", url, 90)[0]).toBe(46);
  });

  it("does not ring for one failure, or for three among many requests", () => {
    const one = { Count: at(thrice, 1), "5XXError": [...at([5, 25], 0), ...at([45], 1)] };
    expect(rings("ServerErrorsInHour", one, 120)).toEqual([]);
    const three = { Count: many(10, 120, 1), "5XXError": [...many(10, 120, 0), ...at(thrice, 1)] };
    expect(rings("ServerErrorsInHour", three, 120)).toEqual([]);
    expect(rings("ServerErrors", three, 120)).toEqual([]);
  });

  it("of one in ten requests rings within ten minutes", () => {
    const failing = every(1, 60).filter((minute) => minute >= 30);
    const series = { Count: many(10, 60, 1), "5XXError": [...many(10, 60, 0), ...at(failing, 1)] };
    expect(rings("ServerErrors", series, 60)[0]).toBeGreaterThan(30);
    expect(rings("ServerErrors", series, 60)[0]).toBeLessThanOrEqual(40);
  });

  it("without callers rings when the canary stops", () => {
    const running = at(every(5, 60), 1);
    expect(rings("CanaryStopped", { Invocations: running }, 60).filter((minute) => minute > 15)).toEqual([]);
    const [first] = rings("CanaryStopped", { Invocations: running }, 120).filter((minute) => minute > 15);
    expect(first).toBeGreaterThan(60);
    expect(first).toBeLessThanOrEqual(85);
  });
});

describe("Slow calls", { timeout: 30_000 }, () => {
  it("are no alarm when they are few", () => {
    const oneInEachPeriod = at(every(5, 60), 90_000);
    expect(rings("ChatSlow", { chat_milliseconds: oneInEachPeriod }, 60)).toEqual([]);
    const oneOfMany = [...many(20, 60, 900), ...oneInEachPeriod];
    expect(rings("ChatSlow", { chat_milliseconds: oneOfMany }, 60)).toEqual([]);
    expect(rings("Latency", { own_milliseconds: at(every(5, 60), 4_000) }, 60)).toEqual([]);
  });

  it("are one when many are slow for a quarter of an hour", () => {
    const chats = [...many(20, 60, 900), ...many(3, 60, 90_000)];
    expect(rings("ChatSlow", { chat_milliseconds: chats }, 60)).not.toEqual([]);
    const requests = [...many(50, 60, 20), ...many(2, 60, 4_000)];
    expect(rings("Latency", { own_milliseconds: requests }, 60)).not.toEqual([]);
  });
});

describe("What no failing request shows", { timeout: 30_000 }, () => {
  it("rings when callers get 401 in a wave, and not for a few scanners", () => {
    const wave = { Count: many(20, 60, 1), unauthorized: many(15, 60, 1) };
    expect(rings("UnauthorizedWave", wave, 60)).not.toEqual([]);
    const scanner = { Count: many(5, 60, 1), unauthorized: many(5, 60, 1) };
    expect(rings("UnauthorizedWave", scanner, 60)).toEqual([]);
    const usual = { Count: many(20, 60, 1), unauthorized: many(2, 60, 1) };
    expect(rings("UnauthorizedWave", usual, 60)).toEqual([]);
  });

  it("rings when feedback about mails is lost", () => {
    expect(rings("MailFeedbackDropped", { AsyncEventsDropped: at([30], 1) }, 60)[0]).toBe(31);
    expect(rings("MailFeedbackUndelivered", { FailedInvocations: at([30], 1) }, 60)[0]).toBe(31);
  });

  it("rings three weeks before a certificate ends, and until it is replaced", () => {
    const day = 24 * 60;
    const days = every(day / 2, 40 * day);
    const left = days.map((minute) => ({ minute, value: Math.floor(40 - minute / day) }));
    for (const name of ["ApiCertificateEnds", "StreamCertificateEnds"]) {
      const ringing = rings(name, { DaysToExpiry: left }, 60 * day);
      expect(ringing[0]).toBeGreaterThan(18 * day);
      expect(ringing[0]).toBeLessThan(20.1 * day);
      // After the end ACM measures nothing.
      expect(ringing.at(-1)).toBe(60 * day);
    }
  }, 60_000);
});

describe("A release", { timeout: 30_000 }, () => {
  const ringsFor = (name: string, series: Series) =>
    ringingMinutes(alarmIn(service.withFunctions, name), series, { to: 10 });

  it("goes back within a minute of a new version's first fault", () => {
    expect(ringsFor("ReleaseAlarmsTranslateFaults", { faults: at([3], 1) })[0]).toBe(4);
    expect(ringsFor("ReleaseAlarmsMailFaults", { faults: at([3], 1) })[0]).toBe(4);
    const errors = [...at(every(1, 10), 0), ...at([3], 1)];
    expect(ringsFor("ReleaseAlarmsTranslateErrors", { Errors: errors })[0]).toBe(4);
  });

  it("goes back although the count of the fault arrives two minutes late", () => {
    const late = [{ minute: 3, value: 1, seenAt: 5 }];
    expect(ringsFor("ReleaseAlarmsTranslateFaults", { faults: late })[0]).toBe(6);
    expect(ringsFor("ReleaseAlarmsTranslateErrors", { Errors: [...at(every(1, 10), 0), ...late] })[0]).toBe(
      6,
    );
  });

  it("continues while a model is down: its failures are no faults", () => {
    expect(ringsFor("ReleaseAlarmsTranslateErrors", { Errors: at(every(1, 10), 0) })).toEqual([]);
    expect(ringsFor("ReleaseAlarmsTranslateFaults", {})).toEqual([]);
  });
});
