import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openMarkup } from "../../../shared/documents/document-tools.ts";
import type { XmlOptions } from "../../../shared/documents/formats/xml.ts";
import "../../support/property-seed.ts";

/** Translates by shouting, and returns what the model saw. */
const translate = async (source: string, options: XmlOptions = {}) => {
  const requested: string[] = [];
  const { text, untranslated } = await openMarkup(source, "xml", options).translate(async (passage) => {
    requested.push(passage);
    return passage.toUpperCase();
  });
  return { text, untranslated, requested };
};

describe("A text in XML", () => {
  it.each<[string, string, string[], XmlOptions?]>([
    ["words without tags", "one", ["one"]],
    ["words around an element", "one <b>two</b> three", ["one <1>two</1> three"]],
    ["elements that have words next to them only inside", "<a><b>one</b> <b>two</b></a>", ["one", "two"]],
    [
      "an element that splits",
      "one <s>two</s> three",
      ["one", "two", "three"],
      { splitting: new Set(["s"]) },
    ],
    ["an empty element that splits", "one<s/>two", ["one", "two"], { splitting: new Set(["s"]) }],
    [
      "an element that does not",
      "<a><b>one</b><b>two</b></a>",
      ["<1>one</1><2>two</2>"],
      { nonSplitting: new Set(["b"]) },
    ],
    ["no outline", "<a><b>one</b><b>two</b></a>", ["<1>one</1><2>two</2>"], { hasOutline: false }],
    [
      "an ignored element among words",
      "one <x>two <x>three</x></x> four",
      ["one <1/> four"],
      { ignored: new Set(["x"]) },
    ],
    ["an ignored element alone", "<a><x>two</x><b>one</b></a>", ["one"], { ignored: new Set(["x"]) }],
    ["what must not be translated", '<a translate="no">one</a>', []],
    ["comments, instructions and CDATA", "one<!-- two --><?three four?><![CDATA[five]]>", ["one"]],
    ["references", "one &lt; two &amp;amp;", ["one < two &amp;"]],
  ])("is divided by %s", async (_what, source, requested, options) => {
    const { text, requested: found, untranslated } = await translate(source, options);
    expect(found).toEqual(requested);
    expect(untranslated).toEqual([]);
    expect(text.toLowerCase()).toBe(source.toLowerCase());
  });

  it("keeps escapes, attributes and prefixes", async () => {
    const source = '<p:a xml:id="a">one &amp; <p:b href="c">two</p:b></p:a>\n';
    expect((await translate(source)).text).toBe('<p:a xml:id="a">ONE &amp; <p:b href="c">TWO</p:b></p:a>\n');
  });

  it("escapes what the model adds", async () => {
    const { text } = await openMarkup("<a>one</a>", "xml").translate(async () => "1 < 2 & 3");
    expect(text).toBe("<a>1 &lt; 2 &amp; 3</a>");
  });

  it.each([
    "<a>",
    "</a>",
    "<a></b>",
    "a & b",
    "&nbsp;",
    '<!DOCTYPE x [<!ENTITY a "b">]><x/>',
    "a < b",
    "\u0000",
  ])("is refused when it is not well-formed: %j", (source) => {
    expect(() => openMarkup(source, "xml")).toThrow(/^The XML is invalid: line 1: /);
  });

  it("is the same when the model repeats, however its elements are nested", async () => {
    const element = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("words here", " ", "a &amp; b", "{name}", "<e/>", "<!-- c -->"),
        fc
          .tuple(fc.constantFrom("a", "b", "x", "s"), fc.array(tie("node"), { maxLength: 4 }))
          .map(([name, children]) => `<${name} k="v">${children.join("")}</${name}>`),
      ),
    })).node;
    const options = { ignored: new Set(["x"]), splitting: new Set(["s"]) };
    await fc.assert(
      fc.asyncProperty(fc.array(element, { maxLength: 5 }), async (nodes) => {
        const source = nodes.join("");
        const { text, untranslated } = await openMarkup(source, "xml", options).translate(
          async (passage) => passage,
        );
        expect(untranslated).toEqual([]);
        expect(text).toBe(source);
      }),
      { numRuns: 300 },
    );
  });
});
