/** The environment of this process, copied; the one place of this package that reads it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}
