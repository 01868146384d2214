import { posix } from "node:path";
import { normalisePrefix as fencePrefix } from "@perago/fence";
import { normalisePrefix, SyncError, validateListing } from "@perago/lakefs-sync";
import { normalizePrefix as taskPrefix } from "@perago/taskdef";
import * as fc from "fast-check";
import { demand, demandError } from "../kit/judge.ts";
import { hostileText } from "../kit/hostile.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const segment = fc.oneof(
  { weight: 5, arbitrary: fc.stringMatching(/^[a-zA-Z][a-z0-9._-]{0,6}$/) },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.constantFrom("a", "A", "a.txt", "e\u0301", "\u00e9", "_lakefs_actions", "ü".repeat(128)) },
);
const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

/** Whether a disk takes a name as one entry of a folder, and nothing else. */
function isEntryName(name: string): boolean {
  const isDots = name === "" || name === "." || name === "..";
  return !isDots && !name.includes("\0") && name.isWellFormed() && Buffer.byteLength(name) <= 255;
}

/** Rule T11, case N16. */
export function prefixTarget(normalise = normalisePrefix): FuzzTarget {
  return fuzzTarget({
    name: "prefix",
    claim: "a prefix is one directory or refused, and every package means the same one",
    share: 8,
    input: fc.oneof(key, hostileText),
    check: (text) => {
      let normal: string;
      try {
        normal = normalise(text);
      } catch (error) {
        return demandError(error, SyncError);
      }
      demand(normal === "" || (normal.endsWith("/") && !normal.startsWith("/")), "not in its one form", normal);
      demand(normal === "" || normal.slice(0, -1).split("/").every(isEntryName), "a segment that is no name", normal);
      demand(fencePrefix(text) === normal && fencePrefix(taskPrefix(text)) === normal, "three meanings", text);
    },
  });
}

const listing = fc.record({
  prefix: fc.constantFrom("", "data/"),
  keys: fc.array(fc.tuple(key, fc.boolean(), fc.boolean()), { maxLength: 8 }),
  foldsCase: fc.boolean(),
  normalises: fc.boolean(),
});

const NOTHING = { sizeBytes: 0, checksum: "", contentType: "", metadata: {} };

/** Rule I5, T6, T10; cases N01, N02, N04, N06, N12; fault G3. */
export function listingTarget(validate = validateListing): FuzzTarget {
  const root = "/srv/root";
  return fuzzTarget({
    name: "listing",
    claim: "an accepted listing is one tree of files below the root, each key in it once, and none left out",
    share: 12,
    input: listing,
    check: ({ prefix, keys, foldsCase, normalises }) => {
      const entries = keys.map(([path, isBelow, isMarker]) => {
        return { key: `${isBelow ? prefix : ""}${path}${isMarker ? "/" : ""}`, ...NOTHING };
      });
      const excludedPaths = new Set([".perago-attempt.json"]);
      const checked = validate(entries, { prefix, excludedPaths, disk: { foldsCase, normalises } });
      if (checked.defects.length > 0) return;
      const asNamed = (path: string): string => {
        const composed = normalises ? path.normalize("NFC") : path;
        return foldsCase ? composed.toLowerCase() : composed;
      };
      const seen = new Set<string>();
      for (const { path, key: named } of checked.objects.entries()) {
        demand(named === prefix + path, "a file that is not its key", named);
        demand(posix.join(root, path) === `${root}/${path}`, "a path that means another one", path);
        demand(posix.resolve(root, path).startsWith(`${root}/`), "a path out of the root", path);
        demand(path.split("/").every(isEntryName), "a name that no disk takes", path);
        demand(!path.startsWith("_lakefs_actions/") || prefix !== "", "a hook in the projection", path);
        seen.add(asNamed(path));
      }
      demand(seen.size === checked.objects.count, "two keys in one place", entries);
      for (const directory of checked.markerDirectories) {
        demand(posix.resolve(root, directory).startsWith(`${root}/`), "a directory out of the root", directory);
        demand(!seen.has(asNamed(directory)), "a file where a directory stands", directory);
      }
      for (const path of seen) {
        for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1))
          demand(!seen.has(path.slice(0, at)), "a file in the way of a directory", path);
      }
      const markers = entries.filter(({ key: named }) => named === prefix || named.endsWith("/"));
      const actions = entries.filter(({ key: named }) => named.startsWith("_lakefs_actions/"));
      demand(checked.leftOutCount >= actions.length, "a hook was not left out", entries);
      demand(
        checked.objects.count + markers.length + checked.leftOutCount >= entries.length,
        "keys went away without a word",
        entries,
      );
    },
  });
}
