import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

import { RAW_FOLDER } from "../scripts/lib/data-folder.ts";
import { type AudioFeatures, createMeter, measureWav } from "../src/audio/features.ts";

/** Samples are rounded to one part in 32,767 and scaled by 32,768: levels are this exact. */
const LEVEL_TOLERANCE = 1e-4;
/** What a Hann window leaks beyond a tone's own bins moves a centroid by less than this. */
const HZ_TOLERANCE = 0.05;

function measure(song: string): Promise<AudioFeatures> {
  const path = fileURLToPath(new URL(`${song}.wav`, RAW_FOLDER));
  return measureWav(path, song, new AbortController().signal);
}

function expectNear(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected), `${actual} near ${expected}`).toBeLessThanOrEqual(tolerance);
}

test("a sine of amplitude a and frequency f for t seconds: RMS a/sqrt(2), peak a, 2ft zero crossings, centroid f", async () => {
  const features = await measure("harbour-lights");
  expect(features).toMatchObject({ sampleRateHz: 8000, sampleCount: 16_000, durationSeconds: 2 });
  expectNear(features.rms, 0.5 / Math.SQRT2, LEVEL_TOLERANCE);
  expectNear(features.peak, 0.5, LEVEL_TOLERANCE);
  expect(features.zeroCrossings).toBe(2 * 440 * 2);
  expectNear(features.spectralCentroidHz, 440, HZ_TOLERANCE);
});

test("two tones a and b: RMS sqrt((aa + bb)/2), centroid (aa f + bb g)/(aa + bb), crossings of the stronger tone", async () => {
  const features = await measure("glass-stairs");
  expect(features.durationSeconds).toBe(1);
  expectNear(features.rms, Math.sqrt((0.4 ** 2 + 0.1 ** 2) / 2), LEVEL_TOLERANCE);
  // Where a > 3b the sum's phase never turns back, so a tone and its third harmonic cross zero twice a cycle.
  expect(features.zeroCrossings).toBe(2 * 500);
  expectNear(features.spectralCentroidHz, (0.4 ** 2 * 500 + 0.1 ** 2 * 1500) / (0.4 ** 2 + 0.1 ** 2), HZ_TOLERANCE);
  expect(features.peak).toBeGreaterThan(0.4 - 0.1);
  expect(features.peak).toBeLessThanOrEqual(0.4 + 0.1 + LEVEL_TOLERANCE);
});

test("a square wave of amplitude a: RMS and peak a, a crossing every half period, centroid of its sampled harmonics", async () => {
  const features = await measure("iron-march");
  const periodSamples = 64;
  const frequencyHz = 16_000 / periodSamples;
  expectNear(features.rms, 0.25, LEVEL_TOLERANCE);
  expectNear(features.peak, 0.25, LEVEL_TOLERANCE);
  expect(features.zeroCrossings).toBe(2 * frequencyHz * 2 - 1);
  // The k-th harmonic (k odd) of a square wave of P samples has power in proportion to 1/sin(pi k/P) squared.
  const harmonics = Array.from({ length: periodSamples / 4 }, (_, i) => 2 * i + 1);
  const power = (k: number): number => 1 / Math.sin((Math.PI * k) / periodSamples) ** 2;
  const total = harmonics.reduce((sum, k) => sum + power(k), 0);
  const centroidHz = harmonics.reduce((sum, k) => sum + power(k) * k * frequencyHz, 0) / total;
  expectNear(features.spectralCentroidHz, centroidHz, HZ_TOLERANCE);
});

test("silence has no level, no crossing and the centroid 0", async () => {
  expect(await measure("long-pause")).toEqual({
    sampleRateHz: 8000,
    sampleCount: 8000,
    durationSeconds: 1,
    rms: 0,
    peak: 0,
    zeroCrossings: 0,
    spectralCentroidHz: 0,
  });
});

test("a sweep from f to g for t seconds: RMS a/sqrt(2), (f + g) t crossings, centroid near the middle", async () => {
  const features = await measure("night-train");
  expect(features.durationSeconds).toBe(3);
  expectNear(features.rms, 0.6 / Math.SQRT2, 1e-3); // not whole cycles at every frequency
  expectNear(features.peak, 0.6, 1e-3);
  expect(features.zeroCrossings).toBe((200 + 1800) * 3);
  expectNear(features.spectralCentroidHz, 1000, 10); // the last half frame is not seen
});

test("even noise of amplitude a: RMS a/sqrt(3), a crossing at every second sample, centroid half of Nyquist", async () => {
  const features = await measure("weather-front");
  const count = 2 * 11_025;
  expect(features.sampleCount).toBe(count);
  expectNear(features.rms, 0.3 / Math.sqrt(3), 0.003);
  expectNear(features.peak, 0.3, 1e-3);
  expectNear(features.zeroCrossings, count / 2, 4 * Math.sqrt(count / 4)); // four standard deviations
  expectNear(features.spectralCentroidHz, 11_025 / 4, 100);
});

test("zeros between two samples of opposite sign are one crossing, zeros between equal signs are none", () => {
  const meter = createMeter(8000);
  meter.push(Float64Array.of(0, 0.5, 0, 0, -0.5, 0, -0.5, 0.5, 0));
  expect(meter.finish().zeroCrossings).toBe(2);
});

test("a sound shorter than one spectrum frame has a centroid too", () => {
  const meter = createMeter(8000);
  meter.push(Float64Array.from({ length: 800 }, (_, i) => Math.sin((2 * Math.PI * 1000 * i) / 8000)));
  const features = meter.finish();
  expect(features.durationSeconds).toBe(0.1);
  expectNear(features.spectralCentroidHz, 1000, 5);
});

test("a constant offset has a level and no centroid of its own", () => {
  const meter = createMeter(8000);
  meter.push(new Float64Array(8192).fill(0.25));
  const features = meter.finish();
  expect(features.rms).toBe(0.25);
  expect(features.zeroCrossings).toBe(0);
});

test("how samples are cut into blocks changes nothing", () => {
  const samples = Float64Array.from({ length: 10_000 }, (_, i) => Math.sin(i * 0.37) * 0.8);
  const whole = createMeter(22_050);
  whole.push(samples);
  const pieces = createMeter(22_050);
  for (let start = 0; start < samples.length; start += 777) pieces.push(samples.subarray(start, start + 777));
  expect(pieces.finish()).toEqual(whole.finish());
});
