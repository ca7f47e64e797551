import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThoughtFilter, withoutThoughts } from "../../../../shared/models/inference/openai/thinking.ts";

const filterPieces = (pieces: readonly string[], filter = new ThoughtFilter()): string =>
  pieces.map((piece) => filter.push(piece)).join("") + filter.end();

describe("a reply without the model's thoughts", () => {
  it.each([
    ["Oli otya?", "Oli otya?"],
    ["<think>Luganda.</think>Oli otya?", "Oli otya?"],
    ["<think>Luganda,\nI suppose.</think>\n\nOli otya?\n", "Oli otya?\n"],
    ["<think></think>\n<think>again</think>\n Oli otya?", "Oli otya?"],
    ["Oli <think>Hmm.</think> otya?", "Oli  otya?"],
    ["Oli otya?<think>That was it.", "Oli otya?"],
    ["<think>Hmm", ""],
    ["  Oli otya?", "  Oli otya?"],
    ["\n<think>x</think>\nOli otya?", "\nOli otya?"],
    ["a < b <thin", "a < b <thin"],
    ["a <think", "a <think"],
    ["<thi<think>x</think>nk>kept", "<thi" + "nk>kept"],
    ["<<think>x</think>y", "<y"],
    ["", ""],
  ])("%j reads %j", (text, visible) => {
    expect(withoutThoughts(text)).toBe(visible);
  });

  it.each([
    ["an end without a beginning", "Luganda, I suppose.\n</think>\n\nOli otya?"],
    ["several of them", "Luganda.</think> Or not.</think>Oli otya?"],
    ["other letters", "<Think>Hmm.</THINK>Oli otya?"],
    ["blanks inside", "< think >Hmm.</ think>Oli otya?"],
    ["another name", "<thinking>Hmm.</thinking>Oli otya?"],
    ["two names", "<thinking>Hmm.</think>Oli otya?"],
    ["a name with a space of its own", "<seed:think>Hmm.</seed:think>Oli otya?"],
    ["a name for reasons", "<reasoning>Hmm.</reasoning>Oli otya?"],
    ["a name for a single thought", "<thought>Hmm.</thought>Oli otya?"],
    ["attributes", '<think lang="en" depth="[2]">Hmm.</think>Oli otya?'],
    ["nothing inside", "<think/>Oli otya?"],
    ["thoughts inside", "<think>a<think>b</think>c</think>Oli otya?"],
    ["a mention inside", "<think>I use <think> for this.</think>Oli otya?"],
    ["two mentions inside", "<think>Is it <think> or <think>?</think>Oli otya?"],
    ["square brackets", "[THINK]Hmm.[/THINK]Oli otya?"],
    ["triangles", "◁think▷Hmm.◁/think▷Oli otya?"],
    ["tokens", "<|START_THINKING|>Hmm.<|END_THINKING|>Oli otya?"],
    ["longer tokens", "<|begin_of_thought|>Hmm.<|end_of_thought|>Oli otya?"],
    [
      "channels",
      "<|channel|>analysis<|message|>Hmm.<|end|><|start|>assistant<|channel|>final<|message|>Oli otya?",
    ],
    [
      "channels and an end",
      "<|channel|>analysis<|message|>Hmm.<|channel|>final<|message|>Oli otya?<|return|>",
    ],
    [
      "several channels",
      "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>analysis<|message|>A <think>?<|end|><|start|>assistant<|channel|>final<|message|>Oli otya?",
    ],
    [
      "a channel in which the template begins",
      "Hmm.<|end|><|start|>assistant<|channel|>final<|message|>Oli otya?",
    ],
  ])("leaves out thoughts that are marked by %s, whole and character by character", (_case, text) => {
    expect(withoutThoughts(text)).toBe("Oli otya?");
    const filter = new ThoughtFilter();
    const streamed = filterPieces(text.split(""), filter);
    // What could not be recognised in time is at least reported afterwards.
    expect(streamed.endsWith("Oli otya?")).toBe(true);
    expect(streamed === "Oli otya?").toBe(!filter.hasShownThought);
  });

  it.each([
    "Amanya: <thinker>, [think], <b>think</b>.",
    "2 < 3, [1], <think about it> and ◁",
    `<think ${"x".repeat(300)}=1>`,
    "<|im_start|>",
  ])("keeps what only looks like a marker: %j", (text) => {
    expect(withoutThoughts(text)).toBe(text);
    expect(filterPieces(text.split(""))).toBe(text);
  });

  const parts = [
    "<think>",
    "</think>",
    "<Thinking a=1>",
    "[THINK]",
    "[/THINK]",
    "<thi",
    "<",
    ">",
    "/",
    "think",
    " ",
  ];
  const text = fc
    .array(fc.constantFrom(...parts, "\n", "a", "Ŋ😀", "<|channel|>", "final", "analysis", "<|message|>"), {
      maxLength: 14,
    })
    .map((chosen) => chosen.join(""));

  it("is the same for any pieces of the text, except for unannounced thoughts", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 60 }), { maxLength: 12 }), (whole, cuts) => {
        const offsets = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b)];
        const cutPieces = offsets.map((start, index) =>
          whole.slice(start, offsets[index + 1] ?? whole.length),
        );
        for (const pieces of [cutPieces, whole.split("")]) {
          const filter = new ThoughtFilter();
          const streamed = filterPieces(pieces, filter);
          if (!filter.hasShownThought) expect(streamed.trimStart()).toBe(withoutThoughts(whole).trimStart());
          expect(streamed.endsWith(withoutThoughts(whole).trimStart())).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("is, but for the white space, what a search for pairs in the whole text leaves", () => {
    const pair = /<think>(?:(?!<\/?think>)[\s\S])*<\/think>/;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("<think>", "</think>", "a", "b", " "), { maxLength: 14 }),
        (chosen) => {
          let left = chosen.join("");
          while (pair.test(left)) left = left.replace(pair, "\0");
          const [first = "", ...thoughts] = left.slice(left.lastIndexOf("</think>") + 1).split("<think>");
          const before = first.startsWith("/think>") ? first.slice("/think>".length) : first;
          const shown = thoughts.map((thought) => thought.split("\0").slice(1).join(""));
          const expected = (before + shown.join("")).replaceAll("\0", "");
          expect(withoutThoughts(chosen.join("")).replaceAll(" ", "")).toBe(expected.replaceAll(" ", ""));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("leaves piece by piece after the last of several channels", () => {
    const filter = new ThoughtFilter();
    const channels = ["analysis", "commentary", "analysis", "final"];
    const before = channels.map((name) => filter.push(`<|channel|>${name}<|message|>`)).join("");
    expect([before, filter.push("Oli"), filter.push(" otya?")]).toEqual(["", "Oli", " otya?"]);
  });

  describe("of whose channels only the names are left", () => {
    it.each([
      ["is its reply", "analysisWe need Luganda.assistantfinalOli otya?"],
      ["is its reply after more channels", "analysisHm.assistantcommentaryI look.assistantfinal\nOli otya?"],
      ["is its reply also after tags", "analysisIs it <think>?</think> No.assistantfinalOli otya?"],
    ])("%s, whole and token by token", (_case, text) => {
      expect(withoutThoughts(text)).toBe("Oli otya?");
      const tokens = ["analysis", ...text.slice("analysis".length)];
      const filter = new ThoughtFilter();
      expect(filterPieces(tokens, filter)).toBe("Oli otya?");
      expect(filter.hasShownThought).toBe(false);
      expect(withoutThoughts(text, { thinksFirst: true })).toBe("Oli otya?");
    });

    it("is its reply, shown piece by piece once that has started", () => {
      const filter = new ThoughtFilter();
      const pieces = ["analysis", "We", " need", " Luganda", ".assist", "antfinal", "Oli", " otya?"];
      expect(pieces.map((piece) => filter.push(piece))).toEqual(["", "", "", "", "", "", "Oli", " otya?"]);
    });

    it("is empty when the token limit came before its reply", () => {
      expect(withoutThoughts("analysisWe need", { isCut: true })).toBe("");
      expect(withoutThoughts("analysis", { isCut: true })).toBe("analysis");
    });

    it.each([
      "analysisResults = 3",
      "analysis of a poem",
      "analysis",
      "Analysis: an assistantfinal word",
      "analyses",
      "The analysisWe have: assistantfinal",
    ])("is not mistaken for it: %j", (text) => {
      expect(withoutThoughts(text)).toBe(text);
      expect(filterPieces(["analysis".startsWith(text) ? text : text.slice(0, 8), text.slice(8)])).toBe(text);
    });
  });

  it("is shown as soon as it can no longer be a thought", () => {
    const filter = new ThoughtFilter();
    expect(
      ["a", " <", "th", "e>", "<think>", "b", "</thin", "k>c"].map((piece) => filter.push(piece)),
    ).toEqual(["a", " ", "", "<the>", "", "", "", "c"]);
  });
});

describe("a reply of a model that thinks first", () => {
  const thinkingFirst = () => new ThoughtFilter({ thinksFirst: true });

  it.each([
    ["as its template begins", "Luganda, I suppose.\n</think>\n\nOli otya?"],
    ["when it begins its thought itself", "<think>Luganda.</think>Oli otya?"],
    ["with a thought inside", "Hmm <think>Luganda.</think> yes.</think>Oli otya?"],
    ["when it did not think", "Oli otya?"],
    ["with another thought later", "Hmm.</think>Oli <think>Hmm.</think>otya?"],
  ])("is held back until its thought ends, %s", (_case, text) => {
    expect(filterPieces(text.split(""), thinkingFirst())).toBe("Oli otya?");
    expect(withoutThoughts(text, { thinksFirst: true })).toBe("Oli otya?");
  });

  it("leaves piece by piece once the thought has ended", () => {
    const filter = thinkingFirst();
    expect(["Hmm", ".</thi", "nk>\n", "Oli", " otya?"].map((piece) => filter.push(piece))).toEqual([
      "",
      "",
      "",
      "Oli",
      " otya?",
    ]);
    expect(filter.hasShownThought).toBe(false);
  });

  it("is empty when the limit of tokens came before the end of the thought", () => {
    const filter = thinkingFirst();
    expect(filter.push("Luganda, I supp") + filter.end(true)).toBe("");
    expect(withoutThoughts("Luganda, I supp", { thinksFirst: true, isCut: true })).toBe("");
    expect(withoutThoughts("Hmm.</think>Oli", { thinksFirst: true, isCut: true })).toBe("Oli");
  });
});

describe("a thought that has started and not ended", () => {
  it.each([
    "<think>",
    "<Think>",
    '<think lang="en">',
    "<thinking>",
    "<thought>",
    "<reasoning>",
    "<reflection>",
    "<seed:think>",
    "[THINK]",
    "◁think▷",
    "<|START_THINKING|>",
    "<|begin_of_thought|>",
    "<|channel|>analysis<|message|>",
    "<|channel|>commentary<|message|>",
  ])("is known by its beginning alone, so that nothing of it leaves a stream: %s", (start) => {
    expect(filterPieces([..."Oli ", ...start, ..."Hmm, I suppose"])).toBe("Oli ");
    expect(withoutThoughts(`${start}Hmm`)).toBe("");
  });
});
