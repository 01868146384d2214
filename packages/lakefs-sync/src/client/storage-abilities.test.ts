import { expect, test } from "vitest";
import { answerJson, fakeHttp } from "../../test/fake-http.ts";
import { LakefsClient } from "./client.ts";
import { storageAbilities } from "./storage-abilities.ts";

const one = { blockstore_type: "s3", pre_sign_support: true, pre_sign_multipart_upload: true };
const listed = [
  { blockstore_type: "local", blockstore_id: "cellar", pre_sign_support: false },
  { blockstore_type: "gs", blockstore_id: "attic", pre_sign_support: true, pre_sign_multipart_upload: false },
];

/** What the client makes of a server's `/config`. */
async function configOf(answer: Record<string, unknown>) {
  const whole = { storage_config: one, version_config: { version: "1.84.0" }, ...answer };
  const { endpoint } = await fakeHttp((_request, response) => answerJson(response, whole));
  const client = new LakefsClient({ endpoint, accessKeyId: "id", secretAccessKey: "secret" });
  try {
    return await client.getConfig();
  } finally {
    await client.close();
  }
}

test.for([
  { storageId: "", presign: true, presignMultipart: true },
  { storageId: "cellar", presign: false, presignMultipart: false },
  { storageId: "attic", presign: true, presignMultipart: false },
  { storageId: "not listed", presign: false, presignMultipart: false },
])("case L21: of several storages the entry of the repository's storage id counts: $storageId", async (abilities) => {
  const config = await configOf({ storage_config_list: listed });
  expect(storageAbilities(config, abilities.storageId)).toEqual(abilities);
});

test.for([{ storage_config_list: [] }, {}])(
  "case L21: a server that lists none has the default storage",
  async (list) => {
    const config = await configOf(list);
    expect(config).toMatchObject({ version: "1.84.0", blockstoreType: "s3" });
    expect(storageAbilities(config, "")).toEqual({ storageId: "", presign: true, presignMultipart: true });
    expect(storageAbilities(config, "cellar")).toMatchObject({ presign: false, presignMultipart: false });
  },
);
