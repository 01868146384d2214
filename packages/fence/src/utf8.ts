/** The UTF-8 bytes of a text, by hand: this package uses no platform API. A lone surrogate counts as U+FFFD, as every encoder writes it. */
export function utf8Bytes(text: string): number[] {
  const bytes: number[] = [];
  for (const letter of text.toWellFormed()) {
    const point = letter.codePointAt(0) ?? 0;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), tail(point));
    else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), tail(point >> 6), tail(point));
    else bytes.push(0xf0 | (point >> 18), tail(point >> 12), tail(point >> 6), tail(point));
  }
  return bytes;
}

function tail(bits: number): number {
  return 0x80 | (bits & 0x3f);
}
