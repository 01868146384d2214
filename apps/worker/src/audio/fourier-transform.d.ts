/** The one function that this application uses of fourier-transform 2, which ships no types. */
declare module "fourier-transform" {
  /**
   * Magnitudes of the bins 0 .. N/2 - 1 of a real signal, N a power of two. A sine of amplitude a that fills bin k
   * exactly gives a there. Without `output` the answer is a buffer that the next call overwrites.
   */
  export default function rfft(input: Float64Array, output?: Float64Array): Float64Array;
}
