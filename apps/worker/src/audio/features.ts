import { open } from "node:fs/promises";

import { createSpectrum } from "./spectrum.ts";
import { readWavBlocks, readWavFormat } from "./wav.ts";

/** What is measured of one song. Levels are parts of full scale (1 = 0 dBFS). */
export interface AudioFeatures {
  readonly sampleRateHz: number;
  readonly sampleCount: number;
  readonly durationSeconds: number;
  /** Root mean square of all samples. */
  readonly rms: number;
  /** Largest absolute sample. */
  readonly peak: number;
  /** How often the sign changes between one sample that is not zero and the next such one. */
  readonly zeroCrossings: number;
  /** Mean frequency weighted by power, 0 for silence; see `createSpectrum`. */
  readonly spectralCentroidHz: number;
}

/** Takes samples block by block and measures them in one pass. */
export interface Meter {
  readonly push: (samples: Float64Array) => void;
  /** The features of all samples pushed; at least one. Called once. */
  readonly finish: () => AudioFeatures;
}

/** Six decimals: finer than 16-bit samples resolve, coarse enough that the text does not depend on summing order. */
const DECIMALS = 1e6;

/** A meter for samples in [-1, 1] at the given rate. Its numbers are rounded to six decimals. */
export function createMeter(sampleRateHz: number): Meter {
  const spectrum = createSpectrum(sampleRateHz);
  let sampleCount = 0;
  let sumOfSquares = 0;
  let peak = 0;
  let zeroCrossings = 0;
  let lastSign = 0;
  return {
    push(samples) {
      for (const sample of samples) {
        sumOfSquares += sample * sample;
        peak = Math.max(peak, Math.abs(sample));
        const sign = Math.sign(sample);
        if (sign !== 0 && lastSign !== 0 && sign !== lastSign) zeroCrossings += 1;
        if (sign !== 0) lastSign = sign;
        spectrum.push(sample);
      }
      sampleCount += samples.length;
    },
    finish: () => ({
      sampleRateHz,
      sampleCount,
      durationSeconds: rounded(sampleCount / sampleRateHz),
      rms: rounded(Math.sqrt(sumOfSquares / sampleCount)),
      peak: rounded(peak),
      zeroCrossings,
      spectralCentroidHz: rounded(spectrum.centroidHz()),
    }),
  };
}

/**
 * Measures one WAV file, block by block. `song` is the name that errors use; `signal` stops it between two blocks.
 * @throws {WavError} where the file is not a WAV file that this application reads.
 */
export async function measureWav(path: string, song: string, signal: AbortSignal): Promise<AudioFeatures> {
  const file = await open(path);
  try {
    const format = await readWavFormat(file, song);
    const meter = createMeter(format.sampleRateHz);
    for await (const block of readWavBlocks(file, song, format)) {
      signal.throwIfAborted();
      meter.push(block);
    }
    return meter.finish();
  } finally {
    await file.close();
  }
}

/** A number rounded to the six decimals that feature files and reports carry. */
export function rounded(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}
