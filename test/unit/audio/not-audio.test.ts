import { deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bufferSource, inspectAudio } from "../../../shared/audio/read-audio.ts";
import { NotAudioError } from "../../../shared/audio/reading/audio-errors.ts";
import { makeMp3 } from "../../fixtures/audio/make-mpeg.ts";
import { makeOggPage } from "../../fixtures/audio/make-ogg.ts";
import { Random } from "../../fixtures/audio/random.ts";
import { fixture } from "../../fixtures/audio/sources.ts";

const refusalOf = async (bytes: Buffer): Promise<NotAudioError> => {
  const error = await inspectAudio(bufferSource(bytes)).catch((thrown: unknown) => thrown);
  if (error instanceof NotAudioError) return error;
  throw new Error(`It was not refused as no audio: ${String(error)}`);
};

const withHead = (head: string, encoding: BufferEncoding = "latin1"): Buffer =>
  Buffer.concat([Buffer.from(head, encoding), new Random(1).bytes(2_000)]);

describe("A file that is not audio", () => {
  it.each([
    ["image/png", withHead("\x89PNG\r\n\x1a\n")],
    ["image/jpeg", withHead("\xff\xd8\xff\xe0")],
    ["image/gif", withHead("GIF89a")],
    ["image/webp", withHead("RIFF\x10\0\0\0WEBPVP8 ")],
    ["image/heic", withHead("\0\0\0\x18ftypheic")],
    ["application/pdf", withHead("%PDF-1.7\n")],
    ["application/zip", Buffer.concat([Buffer.from("PK\x03\x04"), deflateRawSync("document")])],
    ["application/gzip", gzipSync("archive")],
    ["video/x-msvideo", withHead("RIFF\x10\0\0\0AVI LIST")],
    ["application/x-executable", withHead("\x7fELF\x02\x01\x01")],
    ["text/html", Buffer.from("  <!DOCTYPE html><html><body>404</body></html>")],
    ["application/json", Buffer.from('{"detail": "not found"}')],
    ["application/xml", Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>')],
    ["text/plain", Buffer.from("Webale nnyo ssebo, ŋŋenda.", "utf8")],
    ["application/x-empty", Buffer.alloc(0)],
    ["video/mp4", fixture("silent-video.mp4")],
    ["video/webm", fixture("silent-video.webm")],
    ["application/octet-stream", new Random(2).bytes(5_000)],
  ])("is named: %s", async (mediaType, bytes) => {
    const error = await refusalOf(bytes);
    expect(error.looksLike).toBe(mediaType);
    expect(error.message).toMatch(
      /^The file is .+; send WAV, MP3, M4A, MP4, AAC, Ogg, WebM, AMR, AIFF or FLAC\.$/,
    );
  });

  const transportStream = Buffer.alloc(188 * 8);
  for (let packet = 0; packet < 8; packet += 1) transportStream[packet * 188] = 0x47;
  const speex = makeOggPage({ isFirst: true, packets: [Buffer.from("Speex   1.2.0".padEnd(80, "\0"))] });

  it.each([
    ["a Windows Media file", withHead("0&\xb2u\x8ef\xcf\x11")],
    ["an AMR file of several channels", withHead("#!AMR_MC1.0\n")],
    ["a big-endian WAV file", withHead("RIFX\0\0\x10\0WAVE")],
    ["a NIST Sphere file", withHead("NIST_1A\n   1024\n")],
    ["a DSS dictation", withHead("\x03dss")],
    ["a DS2 dictation", withHead("\x03ds2")],
    ["a Speex file", speex],
    ["an MPEG transport stream", transportStream],
    ["a RealAudio file", withHead(".ra\xfd")],
    ["a WavPack file", withHead("wvpk")],
  ])("but a recording is named, with what to convert it to: %s", async (kind, bytes) => {
    const error = await refusalOf(bytes);
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(
      new RegExp(`^This is ${kind} \\(audio/.+\\); convert it to MP3, M4A or WAV\\.$`),
    );
  });

  it("stays what it is when it holds music somewhere", async () => {
    expect((await refusalOf(Buffer.concat([withHead("%PDF-1.7\n"), makeMp3(50)]))).looksLike).toBe(
      "application/pdf",
    );
  });

  it("is not taken for audio because it looks random", async () => {
    const random = new Random(3);
    for (let count = 0; count < 500; count += 1) {
      const bytes = Buffer.concat([Buffer.from([0x80]), random.bytes(1 + random.below(6_000))]);
      expect(await refusalOf(bytes)).toBeInstanceOf(NotAudioError);
    }
  });
});
