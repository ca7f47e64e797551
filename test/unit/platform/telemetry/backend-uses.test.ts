import { describe, expect, it } from "vitest";
import { BackendUses, backendMetricDefinitions } from "../../../../shared/platform/telemetry/backend-uses.ts";

describe("What a request had to do with backends", () => {
  it("is missing without calls", () => {
    const fields = new BackendUses().fields();
    expect(fields).toEqual({});
    expect(backendMetricDefinitions(fields)).toEqual([]);
  });

  it("is one figure for a call that went well", () => {
    const uses = new BackendUses();
    uses.noteCall("translation", 812.4, false);
    expect(uses.fields()).toEqual({ translation_milliseconds: 812 });
    expect(backendMetricDefinitions(uses.fields())).toEqual([
      { Name: "translation_milliseconds", Unit: "Milliseconds" },
    ]);
  });

  it("is listed for each backend, with every call and its failures", () => {
    const uses = new BackendUses();
    uses.noteCall("transcription", 2_000, false);
    uses.noteCall("chat", 300, true);
    uses.noteCall("chat", 200, true);
    uses.noteCall("chat", 100, false);
    uses.noteCircuitOpened("chat");
    expect(uses.fields()).toEqual({
      transcription_milliseconds: 2_000,
      chat_milliseconds: [300, 200, 100],
      chat_failures: 2,
      chat_circuit_opened: 1,
    });
    expect(backendMetricDefinitions(uses.fields()).map(({ Name }) => Name)).toEqual([
      "transcription_milliseconds",
      "chat_milliseconds",
      "chat_failures",
      "chat_circuit_opened",
    ]);
  });

  it("has no more times than CloudWatch takes from one line, and all of the failures", () => {
    const uses = new BackendUses();
    for (let call = 0; call < 128; call += 1) uses.noteCall("speech", call, true);
    expect(uses.fields()["speech_milliseconds"]).toHaveLength(100);
    expect(uses.fields()["speech_failures"]).toBe(128);
  });
});
