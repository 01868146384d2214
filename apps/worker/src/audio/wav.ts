import type { FileHandle } from "node:fs/promises";

import { WavError } from "./wav-error.ts";

/** Samples lie in [-1, 1): a 16-bit value divided by this. */
export const FULL_SCALE = 32_768;

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FMT_BYTES = 16;
const BYTES_PER_SAMPLE = 2;
const PCM_FORMAT = 1;
/** Real files have about five chunks; more than this is not a file worth walking through. */
const MAX_CHUNKS = 64;
/** The highest rate that sound hardware knows. */
const MAX_SAMPLE_RATE_HZ = 768_000;
const BLOCK_BYTES = 64 * 1024;

/** Where the samples of a WAV file lie and how fast they go. */
export interface WavFormat {
  readonly sampleRateHz: number;
  readonly sampleCount: number;
  readonly dataOffsetBytes: number;
}

/**
 * Reads the header of a RIFF/WAVE file: PCM, 16 bits, one channel. Chunks that it does not know are skipped.
 * `song` is the name that errors use.
 * @throws {WavError} where the file is something else, is cut short, or has no samples.
 */
export async function readWavFormat(file: FileHandle, song: string): Promise<WavFormat> {
  const sizeBytes = (await file.stat()).size;
  const riff = await readExactly(file, 0, RIFF_HEADER_BYTES);
  if (riff === undefined || ascii(riff, 0) !== "RIFF" || ascii(riff, 8) !== "WAVE") {
    throw new WavError(song, "is not a RIFF/WAVE file");
  }
  let sampleRateHz: number | undefined;
  let offset = RIFF_HEADER_BYTES;
  for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
    const header = await readExactly(file, offset, CHUNK_HEADER_BYTES);
    if (header === undefined) break;
    const chunkBytes = header.readUInt32LE(4);
    const start = offset + CHUNK_HEADER_BYTES;
    if (ascii(header, 0) === "fmt ") sampleRateHz = await readFmt(file, start, chunkBytes, song);
    if (ascii(header, 0) === "data") {
      if (sampleRateHz === undefined) throw new WavError(song, "has its data chunk before any fmt chunk");
      return checkData(song, { start, chunkBytes, sizeBytes }, sampleRateHz);
    }
    // Chunks start at even offsets: an odd one is followed by one byte of padding.
    offset = start + chunkBytes + (chunkBytes % 2);
  }
  throw new WavError(song, "has no data chunk");
}

/**
 * The samples of a WAV file in blocks of at most 32,768, scaled to [-1, 1). Never holds the whole file.
 * @throws {WavError} where the file became shorter since its header was read.
 */
export async function* readWavBlocks(file: FileHandle, song: string, format: WavFormat): AsyncGenerator<Float64Array> {
  const endBytes = format.dataOffsetBytes + format.sampleCount * BYTES_PER_SAMPLE;
  for (let offset = format.dataOffsetBytes; offset < endBytes; offset += BLOCK_BYTES) {
    const bytes = await readExactly(file, offset, Math.min(BLOCK_BYTES, endBytes - offset));
    if (bytes === undefined) throw new WavError(song, "became shorter while it was read");
    const samples = new Float64Array(bytes.length / BYTES_PER_SAMPLE);
    for (let i = 0; i < samples.length; i += 1) samples[i] = bytes.readInt16LE(i * BYTES_PER_SAMPLE) / FULL_SCALE;
    yield samples;
  }
}

async function readFmt(file: FileHandle, start: number, chunkBytes: number, song: string): Promise<number> {
  const fmt = chunkBytes < FMT_BYTES ? undefined : await readExactly(file, start, FMT_BYTES);
  if (fmt === undefined) throw new WavError(song, "has a fmt chunk that is cut short");
  const format = fmt.readUInt16LE(0);
  const channels = fmt.readUInt16LE(2);
  const sampleRateHz = fmt.readUInt32LE(4);
  const blockBytes = fmt.readUInt16LE(12);
  const bits = fmt.readUInt16LE(14);
  if (format !== PCM_FORMAT) throw new WavError(song, `has format ${format}, expected 1 (PCM)`);
  if (channels !== 1) throw new WavError(song, `has ${channels} channels, expected 1`);
  if (bits !== 16) throw new WavError(song, `has ${bits} bits a sample, expected 16`);
  if (blockBytes !== BYTES_PER_SAMPLE) throw new WavError(song, `has blocks of ${blockBytes} bytes, expected 2`);
  if (sampleRateHz < 1 || sampleRateHz > MAX_SAMPLE_RATE_HZ) {
    throw new WavError(song, `has a sample rate of ${sampleRateHz} Hz, expected 1 to ${MAX_SAMPLE_RATE_HZ}`);
  }
  return sampleRateHz;
}

function checkData(
  song: string,
  data: { start: number; chunkBytes: number; sizeBytes: number },
  sampleRateHz: number,
): WavFormat {
  const presentBytes = data.sizeBytes - data.start;
  if (data.chunkBytes > presentBytes) {
    const problem = `is cut short: its header says ${data.chunkBytes} bytes of samples, ${presentBytes} are there`;
    throw new WavError(song, problem, "Copy or render it again.");
  }
  if (data.chunkBytes % BYTES_PER_SAMPLE !== 0) throw new WavError(song, "ends inside a sample");
  if (data.chunkBytes === 0) throw new WavError(song, "has no samples", "Render it again, or remove it.");
  return { sampleRateHz, sampleCount: data.chunkBytes / BYTES_PER_SAMPLE, dataOffsetBytes: data.start };
}

/** Exactly `lengthBytes` bytes from `offset`, or undefined where the file ends before. */
async function readExactly(file: FileHandle, offset: number, lengthBytes: number): Promise<Buffer | undefined> {
  const bytes = Buffer.alloc(lengthBytes);
  let filled = 0;
  // Each turn reads at least one byte or ends, so lengthBytes bounds it.
  while (filled < lengthBytes) {
    const { bytesRead } = await file.read(bytes, filled, lengthBytes - filled, offset + filled);
    if (bytesRead === 0) return undefined;
    filled += bytesRead;
  }
  return bytes;
}

function ascii(bytes: Buffer, offset: number): string {
  return bytes.toString("latin1", offset, offset + 4);
}
