import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";

import { encodeWav } from "../scripts/lib/wav-writer.ts";
import { FULL_SCALE, readWavBlocks, readWavFormat, type WavFormat } from "../src/audio/wav.ts";
import { WavError } from "../src/audio/wav-error.ts";
import { temporaryFolder } from "./helpers.ts";

interface Decoded {
  readonly format: WavFormat;
  readonly samples: number[];
}

async function decode(wav: Buffer): Promise<Decoded> {
  const path = join(await temporaryFolder(), "song.wav");
  await writeFile(path, wav);
  const file = await open(path);
  try {
    const format = await readWavFormat(file, "raw/song.wav");
    const samples: number[] = [];
    for await (const block of readWavBlocks(file, "raw/song.wav", format)) samples.push(...block);
    return { format, samples };
  } finally {
    await file.close();
  }
}

const plain = (): Buffer => encodeWav(8000, [0, 0.5, -0.5, 1, -1]);

function changed(change: (wav: Buffer) => void): Buffer {
  const wav = plain();
  change(wav);
  return wav;
}

function chunk(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, 0, "latin1");
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

test("a plain file gives its rate and its samples", async () => {
  const { format, samples } = await decode(plain());
  expect(format).toEqual({ sampleRateHz: 8000, sampleCount: 5, dataOffsetBytes: 44 });
  expect(samples.map((sample) => sample * FULL_SCALE)).toEqual([0, 16_384, -16_383, 32_767, -32_767]);
});

test("unknown chunks are skipped, odd ones with their padding, and what follows the samples is no sample", async () => {
  const wav = plain();
  const parts = [
    wav.subarray(0, 12),
    chunk("LIST", Buffer.from("odd")),
    wav.subarray(12),
    chunk("tail", Buffer.from("xx")),
  ];
  const { samples } = await decode(Buffer.concat(parts));
  expect(samples).toHaveLength(5);
});

test("a file of several blocks is read whole", async () => {
  const { samples } = await decode(
    encodeWav(
      8000,
      Float64Array.from({ length: 70_000 }, (_, i) => (i % 100) / 100),
    ),
  );
  expect(samples).toHaveLength(70_000);
  expect(samples[69_999]).toBeCloseTo(0.99, 3);
});

describe("a bad file is refused with its name and what is wrong:", () => {
  test.each<[string, Buffer, RegExp]>([
    ["an empty file", Buffer.alloc(0), /is not a RIFF\/WAVE file/],
    ["text", Buffer.from("no sound at all, just words"), /is not a RIFF\/WAVE file/],
    ["RIFF that is no WAVE", changed((wav) => wav.write("AVI ", 8, "latin1")), /is not a RIFF\/WAVE file/],
    ["no chunk at all", plain().subarray(0, 12), /has no data chunk/],
    ["no data chunk", plain().subarray(0, 36), /has no data chunk/],
    ["data before fmt", changed((wav) => wav.write("junk", 12, "latin1")), /data chunk before any fmt chunk/],
    ["a short fmt chunk", changed((wav) => wav.writeUInt32LE(8, 16)), /fmt chunk that is cut short/],
    ["a file that ends inside fmt", plain().subarray(0, 30), /fmt chunk that is cut short/],
    ["compressed samples", changed((wav) => wav.writeUInt16LE(17, 20)), /has format 17, expected 1 \(PCM\)/],
    ["two channels", changed((wav) => wav.writeUInt16LE(2, 22)), /has 2 channels, expected 1/],
    ["8 bits", changed((wav) => wav.writeUInt16LE(8, 34)), /has 8 bits a sample, expected 16/],
    ["odd blocks", changed((wav) => wav.writeUInt16LE(4, 32)), /has blocks of 4 bytes/],
    ["a rate of 0", changed((wav) => wav.writeUInt32LE(0, 24)), /has a sample rate of 0 Hz/],
    ["a rate beyond all hardware", changed((wav) => wav.writeUInt32LE(1e9, 24)), /has a sample rate of 1000000000 Hz/],
    [
      "fewer samples than said",
      plain().subarray(0, 48),
      /is cut short: its header says 10 bytes of samples, 4 are there/,
    ],
    ["half a sample", changed((wav) => wav.writeUInt32LE(9, 40)), /ends inside a sample/],
    ["no samples", encodeWav(8000, []), /has no samples/],
    ["more chunks than any real file", manyChunks(), /has no data chunk/],
  ])("%s", async (_, wav, message) => {
    const refusal = await decode(wav).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(WavError);
    expect(refusal).toMatchObject({ code: "wav_invalid", message: expect.stringMatching(/^raw\/song\.wav: /) });
    expect(refusal).toMatchObject({ message: expect.stringMatching(message), hint: expect.stringMatching(/\.$/) });
  });
});

function manyChunks(): Buffer {
  const wav = plain();
  const junk = Array.from({ length: 64 }, () => chunk("junk", Buffer.alloc(0)));
  return Buffer.concat([wav.subarray(0, 12), ...junk, wav.subarray(12)]);
}

property.prop([fc.array(fc.integer({ min: -32_767, max: 32_767 }), { minLength: 1, maxLength: 200 })], { numRuns: 50 })(
  "what is written is what is read",
  async (values) => {
    const { samples } = await decode(
      encodeWav(
        44_100,
        values.map((value) => value / 32_767),
      ),
    );
    expect(samples.map((sample) => sample * FULL_SCALE)).toEqual(values);
  },
);

property.prop([fc.uint8Array({ maxLength: 60 }), fc.nat(43)], { numRuns: 200 })(
  "any bytes either decode or are refused as a WavError, never otherwise",
  async (noise, at) => {
    const wav = Buffer.concat([plain().subarray(0, at), noise]);
    const outcome = await decode(wav).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(WavError);
  },
);
