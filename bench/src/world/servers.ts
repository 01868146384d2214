import { LakefsClient } from "@perago/lakefs-sync";
import { realServers } from "@perago/e2e/support/settings.ts";

/** A client of the real lakeFS, or of a proxy before it. */
export function openLakefs(endpoint = realServers().lakefsUrl): LakefsClient {
  const { accessKeyId, secretAccessKey } = realServers();
  return new LakefsClient({ endpoint, accessKeyId, secretAccessKey });
}
