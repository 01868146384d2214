import { hash as hashOnce } from "node:crypto";
import { parseEndpoint, type LakefsConnection } from "../client/http.ts";
import type { ObjectStats } from "../client/types.ts";

/** Bytes of a content id: 160 bits of SHA-256. */
export const contentIdSizeBytes = 20;

/** Who asks whom: contents of one server and one key are never given out for another's. */
export function realmOf({ endpoint, accessKeyId }: LakefsConnection): string {
  const { origin, basePath } = parseEndpoint(endpoint);
  return hashOnce("sha256", `${origin}${basePath}\0${accessKeyId}`, "hex");
}

/**
 * What names an object's bytes in the cache, lower-case hex: server, access key, repository, physical address, checksum
 * and size. lakeFS writes every upload to an address of its own and never writes there again; checksums alone are no
 * name, because they are MD5s at best (case B07). Undefined where the record has no address or no checksum. Pure.
 */
export function contentIdOf(realm: string, repository: string, stats: ObjectStats): string | undefined {
  const { physical_address: address, checksum, size_bytes: sizeBytes } = stats;
  if (address === "" || checksum === "") return undefined;
  const parts = [realm, repository, address, checksum, String(sizeBytes)];
  const digest = hashOnce("sha256", parts.map((part) => `${part.length}:${part}`).join(""), "hex");
  return digest.slice(0, contentIdSizeBytes * 2);
}
