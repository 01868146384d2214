/** A WAV file that this application does not read. `message` names the file and what is wrong, `hint` says the mend. */
export class WavError extends Error {
  readonly code = "wav_invalid";
  readonly hint: string;

  constructor(song: string, problem: string, hint = "Save it as PCM, 16 bits, one channel.") {
    super(`${song}: ${problem}`);
    this.name = "WavError";
    this.hint = hint;
  }
}
