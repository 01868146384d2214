import type { Context } from "../context.ts";
import type { Request, Routes } from "./env.ts";

/** The version that the emulator answers as. */
export const lakefsVersion = "1.84.0";

const storage = {
  blockstore_description: "",
  blockstore_id: "",
  blockstore_namespace_ValidityRegex: "^local://",
  blockstore_namespace_example: "local://example-bucket/",
  blockstore_type: "local",
  default_namespace_prefix: "local://",
  import_support: false,
  import_validity_regex: "^local://",
  pre_sign_multipart_upload: false,
  pre_sign_support: false,
  pre_sign_support_ui: false,
};
const version = { version: lakefsVersion, version_context: "lakeFS" };

/** Configuration, version and the user who asks. */
export function serverRoutes(app: Routes, _context: Context): void {
  app.get("/config", (http) =>
    http.json({
      capabilities_config: {},
      storage_config: storage,
      storage_config_list: [],
      ui_config: {},
      version_config: version,
    }),
  );
  app.get("/config/storage", (http) => http.json(storage));
  app.get("/config/version", (http) => http.json(version));
  app.get("/user", (http) => http.json({ user: userBody(http) }));
}

function userBody(http: Request): object {
  const { name, createdS } = http.get("user");
  return { creation_date: createdS, email: "", friendly_name: "", id: name };
}
