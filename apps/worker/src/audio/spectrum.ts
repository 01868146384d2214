import rfft from "fourier-transform";

/** Samples a spectrum is taken over: 256 ms at 8 kHz, 93 ms at 22 kHz. */
export const FRAME_SAMPLES = 2048;
/** Each frame starts half a frame after the one before it. */
const HOP_SAMPLES = FRAME_SAMPLES / 2;
const BIN_COUNT = FRAME_SAMPLES / 2;

/** Collects samples and knows the spectral centroid of what it has seen. */
export interface Spectrum {
  /** Takes the next sample, in [-1, 1]. */
  readonly push: (sample: number) => void;
  /** The centroid in Hz; 0 for silence. Nothing may be pushed after it. */
  readonly centroidHz: () => number;
}

/**
 * The spectral centroid as the mean frequency weighted by power (not by magnitude, which lets the rounding noise of
 * 16-bit samples pull a pure tone upwards), over Hann-windowed frames with half overlap. Bin 0, a constant offset, is
 * left out. A last frame that is not full is left out too, unless it is the only one.
 */
export function createSpectrum(sampleRateHz: number): Spectrum {
  const frame = new Float64Array(FRAME_SAMPLES);
  const windowed = new Float64Array(FRAME_SAMPLES);
  const magnitudes = new Float64Array(BIN_COUNT);
  const powers = new Float64Array(BIN_COUNT);
  let filled = 0;
  let frameCount = 0;

  function addFrame(): void {
    for (let i = 0; i < FRAME_SAMPLES; i += 1) windowed[i] = (frame[i] ?? 0) * (HANN[i] ?? 0);
    rfft(windowed, magnitudes);
    for (let bin = 1; bin < BIN_COUNT; bin += 1) powers[bin] = (powers[bin] ?? 0) + (magnitudes[bin] ?? 0) ** 2;
    frameCount += 1;
  }

  return {
    push(sample) {
      frame[filled] = sample;
      filled += 1;
      if (filled < FRAME_SAMPLES) return;
      addFrame();
      frame.copyWithin(0, HOP_SAMPLES);
      filled = HOP_SAMPLES;
    },
    centroidHz() {
      if (frameCount === 0) addFrame(); // The rest of a frame never filled is zeros.
      let total = 0;
      let weighted = 0;
      powers.forEach((power, bin) => {
        total += power;
        weighted += power * bin;
      });
      return total === 0 ? 0 : (weighted / total) * (sampleRateHz / FRAME_SAMPLES);
    },
  };
}

/** Periodic Hann window: a tone in the middle of a bin stays within that bin and its two neighbours. */
const HANN = Float64Array.from(
  { length: FRAME_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME_SAMPLES),
);
