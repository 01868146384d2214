import manifest from "../package.json" with { type: "json" };

/** Version of this package; `perago.writer` is `ts/<version>` (rule C1). */
export const VERSION: string = manifest.version;
