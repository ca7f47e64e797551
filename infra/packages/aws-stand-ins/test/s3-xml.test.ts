import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { childrenNamed, readXml } from "../src/s3/xml-reader.ts";
import { writeXml } from "../src/s3/xml-writer.ts";

describe("A document", () => {
  it("says the same after it was written and read, for any texts", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (keys) => {
        const document = readXml(writeXml("Delete", { Object: keys.map((Key) => ({ Key })) }), "Delete");
        const read = childrenNamed(document, "Object").map(({ children }) => children[0]?.text);
        expect(read).toEqual(keys);
      }),
    );
  });

  it("may be written the way other clients write it", () => {
    const document = `<?xml version="1.0"?><!-- a list -->
      <Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
        <Object a='1' ><Key>a &#38; b &#x26; &quot;c&quot;</Key></Object>
        <Object/>
      </Delete>`;
    const [first, second] = childrenNamed(readXml(document, "Delete"), "Object");
    expect(first?.children).toEqual([{ name: "Key", text: 'a & b & "c"', children: [] }]);
    expect(second?.children).toEqual([]);
  });

  it.each([
    "",
    "Delete",
    "<Delete>",
    "<Delete></delete>",
    "<Delete/><Delete/>",
    "<Delete/>and more",
    "<Tagging/>",
    "<Delete><Object></Delete></Object>",
    "</Delete>",
    "<Delete>&unknown;</Delete>",
    "<Delete>&amp</Delete>",
    "<Delete>&#x110000;</Delete>",
    "<Delete><![CDATA[x]]></Delete>",
    '<!DOCTYPE Delete [<!ENTITY a "b">]><Delete>&a;</Delete>',
  ])("is refused when it is %j", (document) => {
    expect(() => readXml(document, "Delete")).toThrow(expect.objectContaining({ code: "MalformedXML" }));
  });
});
