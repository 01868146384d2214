import { LakefsClient } from "@perago/lakefs-sync";
import { realServers } from "@perago/e2e/support/settings.ts";

/** A client of the real lakeFS, or of a proxy before it. */
export function openLakefs(endpoint = realServers().lakefsUrl): LakefsClient {
  const { accessKeyId, secretAccessKey } = realServers();
  return new LakefsClient({ endpoint, accessKeyId, secretAccessKey });
}

/** Whether any worker has polled a queue yet, by the engine's own record. */
export async function hasBeenPolled(taskName: string): Promise<boolean> {
  const query = `taskType=${encodeURIComponent(taskName)}`;
  const answer = await fetch(`${realServers().conductorUrl}/tasks/queue/polldata?${query}`);
  const polls: unknown = await answer.json();
  return Array.isArray(polls) && polls.length > 0;
}
