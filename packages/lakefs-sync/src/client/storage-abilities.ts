import { listOf, recordOf, textOf } from "./shapes.ts";
import type { ServerConfig, StorageAbilities } from "./types.ts";

/**
 * What the storage of a repository can do, by its `storage_id` ("" where it names none, which is the default storage).
 * A server with several storages lists them, and the settings of one say nothing about another (case L21): of a storage
 * that is not listed nothing is expected. Pure.
 */
export function storageAbilities({ storages }: Pick<ServerConfig, "storages">, storageId: string): StorageAbilities {
  const found = storages.find((storage) => storage.storageId === storageId);
  return found ?? { storageId, presign: false, presignMultipart: false };
}

/** Reads the storages of lakeFS' `/config`: `storage_config_list`, then `storage_config`, the default one. */
export function storagesOf(config: Record<string, unknown>): readonly StorageAbilities[] {
  const several = (config["storage_config_list"] ?? null) === null ? [] : listOf(config, "storage_config_list");
  return [...several, config["storage_config"]].map((entry) => {
    const storage = recordOf(entry, "storage_config");
    return {
      storageId: textOf(storage, "blockstore_id", ""),
      presign: storage["pre_sign_support"] === true,
      presignMultipart: storage["pre_sign_multipart_upload"] === true,
    };
  });
}
