import { mix, noise, silence, sine, square, sweep, type Tone } from "./tones.ts";
import { encodeWav } from "./wav-writer.ts";

interface Song {
  readonly name: string;
  readonly sampleRateHz: number;
  readonly seconds: number;
  /** Made anew for each rendering, because noise remembers where it is. */
  readonly tone: () => Tone;
}

/** The six songs of `data/`. Their features are known by mathematics; `test/features.test.ts` says how. */
const SONGS: readonly Song[] = [
  {
    name: "glass-stairs",
    sampleRateHz: 16_000,
    seconds: 1,
    tone: () => mix(sine(0.4, 500, 16_000), sine(0.1, 1500, 16_000)),
  },
  { name: "harbour-lights", sampleRateHz: 8000, seconds: 2, tone: () => sine(0.5, 440, 8000) },
  { name: "iron-march", sampleRateHz: 16_000, seconds: 2, tone: () => square(0.25, 64) },
  { name: "long-pause", sampleRateHz: 8000, seconds: 1, tone: () => silence },
  {
    name: "night-train",
    sampleRateHz: 22_050,
    seconds: 3,
    tone: () => sweep(0.6, { fromHz: 200, toHz: 1800, sampleCount: 66_150 }, 22_050),
  },
  { name: "weather-front", sampleRateHz: 11_025, seconds: 2, tone: () => noise(0.3, 20_260_101) },
];

/** The bytes of every song, by name. The same on every run. */
export function renderSongs(): Map<string, Buffer> {
  return new Map(
    SONGS.map(({ name, sampleRateHz, seconds, tone }) => [
      name,
      encodeWav(sampleRateHz, Float64Array.from({ length: sampleRateHz * seconds }, sampleNumbers(tone()))),
    ]),
  );
}

function sampleNumbers(tone: Tone): (value: unknown, sample: number) => number {
  return (_, sample) => tone(sample);
}
