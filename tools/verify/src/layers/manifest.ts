/** The parts of a package.json that the layer check reads. */
export interface Manifest {
  readonly name: string;
  /** What an installed copy may import: dependencies and peerDependencies. */
  readonly runtime: ReadonlySet<string>;
  /** All of the above and devDependencies. */
  readonly all: ReadonlySet<string>;
}

/** Reads a package.json. Throws where it is no JSON object: that is a broken checkout. */
export function parseManifest(text: string): Manifest {
  const json: unknown = JSON.parse(text);
  if (!isRecord(json)) throw new Error("package.json is not an object");
  const runtime = [...keysOf(json["dependencies"]), ...keysOf(json["peerDependencies"])];
  const all = [...runtime, ...keysOf(json["devDependencies"])];
  return { name: typeof json["name"] === "string" ? json["name"] : "", runtime: new Set(runtime), all: new Set(all) };
}

function keysOf(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
