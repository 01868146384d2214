/** A sound as a function of the sample number. */
export type Tone = (sample: number) => number;

/** A sine that starts an eighth of a cycle in, so that no sign change falls on the first or the last sample. */
export function sine(amplitude: number, frequencyHz: number, sampleRateHz: number): Tone {
  return (sample) => amplitude * Math.sin((2 * Math.PI * frequencyHz * sample) / sampleRateHz + Math.PI / 4);
}

/** Two sounds at once. */
export function mix(first: Tone, second: Tone): Tone {
  return (sample) => first(sample) + second(sample);
}

/** Nothing. */
export const silence: Tone = () => 0;

/** A square wave; the period must be an even number of samples, so that both halves are equally long. */
export function square(amplitude: number, periodSamples: number): Tone {
  return (sample) => (sample % periodSamples < periodSamples / 2 ? amplitude : -amplitude);
}

/** A sine whose frequency rises evenly from one value to another within the given number of samples. */
export function sweep(
  amplitude: number,
  range: { fromHz: number; toHz: number; sampleCount: number },
  sampleRateHz: number,
): Tone {
  const risePerSample = (range.toHz - range.fromHz) / range.sampleCount;
  return (sample) => {
    const cycles = (range.fromHz * sample + (risePerSample * sample * sample) / 2) / sampleRateHz;
    return amplitude * Math.sin(2 * Math.PI * cycles + Math.PI / 4);
  };
}

/**
 * White noise, evenly spread in [-amplitude, amplitude), the same for the same seed (a 32-bit xorshift; seed not 0).
 */
export function noise(amplitude: number, seed: number): Tone {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return amplitude * ((state >>> 0) / 2 ** 31 - 1);
  };
}
