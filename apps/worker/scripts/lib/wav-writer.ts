/** Largest 16-bit sample; amplitude 1 means this. */
const MAX_SAMPLE = 32_767;
const HEADER_BYTES = 44;

/** A WAV file (PCM, 16 bits, one channel) of samples in [-1, 1], in the plain form with a 44-byte header. */
export function encodeWav(sampleRateHz: number, samples: ArrayLike<number>): Buffer {
  const dataBytes = samples.length * 2;
  const wav = Buffer.alloc(HEADER_BYTES + dataBytes);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16); // length of the fmt chunk
  wav.writeUInt16LE(1, 20); // PCM
  wav.writeUInt16LE(1, 22); // channels
  wav.writeUInt32LE(sampleRateHz, 24);
  wav.writeUInt32LE(sampleRateHz * 2, 28); // bytes a second
  wav.writeUInt16LE(2, 32); // bytes a block
  wav.writeUInt16LE(16, 34); // bits a sample
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(dataBytes, 40);
  for (let i = 0; i < samples.length; i += 1) {
    wav.writeInt16LE(Math.round((samples[i] ?? 0) * MAX_SAMPLE), HEADER_BYTES + i * 2);
  }
  return wav;
}
