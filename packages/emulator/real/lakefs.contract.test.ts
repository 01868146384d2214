import { lakefsContract } from "../contract/lakefs/index.ts";

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "")
    throw new Error(`${name} is not set: this suite needs the real lakeFS server`);
  return value;
}

await lakefsContract(async () => ({
  url: setting("LAKECTL_SERVER_ENDPOINT_URL").replace(/\/$/, ""),
  accessKeyId: setting("LAKECTL_CREDENTIALS_ACCESS_KEY_ID"),
  secretAccessKey: setting("LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY"),
  close: async () => undefined,
}));
