import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Database } from "../store/database.ts";
import { LakefsError } from "./errors.ts";

/** Credentials of the first user. */
export interface LakefsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Who asks. */
export interface User {
  readonly name: string;
  readonly createdS: number;
}

const FIRST_USER = "perago";
const KEY_BYTES = 8;
const SECRET_BYTES = 30;

/** The first user's credentials: those of the folder; on a new folder the given ones, or random ones. */
export function ensureUser(db: Database, createdS: number, given: LakefsCredentials | undefined): LakefsCredentials {
  const made = given ?? {
    accessKeyId: `AKIA${randomBytes(KEY_BYTES).toString("hex").toUpperCase()}`,
    secretAccessKey: randomBytes(SECRET_BYTES).toString("base64"),
  };
  return db.transaction(() => {
    const row = db.get("SELECT access_key_id, secret_access_key FROM users WHERE name = ?", FIRST_USER);
    if (row !== undefined) {
      return { accessKeyId: String(row["access_key_id"]), secretAccessKey: String(row["secret_access_key"]) };
    }
    db.run(
      "INSERT INTO users (access_key_id, secret_access_key, name, created_s) VALUES (?, ?, ?, ?)",
      made.accessKeyId,
      made.secretAccessKey,
      FIRST_USER,
      createdS,
    );
    return made;
  });
}

/** The user of a Basic authorization header; 401 without one. */
export function authenticate(db: Database, header: string | undefined): User {
  const match = /^Basic\s+(\S+)$/i.exec(header ?? "");
  const pair = Buffer.from(match?.[1] ?? "", "base64").toString("utf8");
  const colon = pair.indexOf(":");
  const row = db.get("SELECT * FROM users WHERE access_key_id = ?", colon < 0 ? "" : pair.slice(0, colon));
  const expected = Buffer.from(String(row?.["secret_access_key"] ?? ""));
  const actual = Buffer.from(colon < 0 ? "" : pair.slice(colon + 1));
  if (row === undefined || expected.length !== actual.length || !timingSafeEqual(expected, actual)) {
    throw new LakefsError(401, "error authenticating request");
  }
  return { name: String(row["name"]), createdS: Number(row["created_s"]) };
}
