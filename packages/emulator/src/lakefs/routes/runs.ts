import type { Row } from "../../store/database.ts";
import type { Context } from "../context.ts";
import { notFound } from "../errors.ts";
import { amount, pageBody, text } from "../http/query.ts";
import { cutPage } from "../pages.ts";
import { getRepository } from "../repositories.ts";
import { pathParam, type Request, type Routes } from "./env.ts";

function runBody(row: Row): object {
  return {
    branch: row["branch"],
    commit_id: row["commit_id"],
    end_time: new Date(Number(row["end_ms"])).toISOString(),
    event_type: row["event"],
    run_id: row["id"],
    start_time: new Date(Number(row["start_ms"])).toISOString(),
    status: row["passed"] === 1 ? "completed" : "failed",
  };
}

const neverStarted = "0001-01-01T00:00:00Z";

function hookBody(row: Row): object {
  const isSkipped = row["status"] === "skipped";
  return {
    action: row["action"],
    ...(isSkipped ? {} : { end_time: new Date(Number(row["end_ms"])).toISOString() }),
    hook_id: row["hook_id"],
    hook_run_id: row["id"],
    start_time: isSkipped ? neverStarted : new Date(Number(row["start_ms"])).toISOString(),
    status: row["status"],
  };
}

const idOf = (row: Row): string => String(row["id"]);

/** What hooks did: runs, their hooks, what those printed. */
export function runRoutes(app: Routes, context: Context): void {
  app.get("/repositories/:repository/actions/runs", (http) => {
    const limit = amount(http);
    const { name } = getRepository(context, pathParam(http, "repository"));
    const [branch, commit] = [text(http, "branch"), text(http, "commit")];
    const rows = context.db.all(
      `SELECT * FROM runs WHERE repository = ? AND id > ? AND (? = '' OR branch = ?) AND (? = '' OR commit_id = ?)
       ORDER BY id LIMIT ?`,
      name,
      text(http, "after"),
      branch,
      branch,
      commit,
      commit,
      limit + 1,
    );
    return http.json(pageBody(cutPage(rows, limit), runBody, idOf));
  });
  app.get("/repositories/:repository/actions/runs/:run", (http) => http.json(runBody(runOf(context, http))));
  app.get("/repositories/:repository/actions/runs/:run/hooks", (http) => {
    const limit = amount(http);
    const { name } = getRepository(context, pathParam(http, "repository"));
    const rows = context.db.all(
      "SELECT * FROM hook_runs WHERE repository = ? AND run_id = ? AND id > ? ORDER BY id LIMIT ?",
      name,
      pathParam(http, "run"),
      text(http, "after"),
      limit + 1,
    );
    return http.json(pageBody(cutPage(rows, limit), hookBody, idOf));
  });
  app.get("/repositories/:repository/actions/runs/:run/hooks/:hook/output", (http) => {
    const run = runOf(context, http);
    const row = context.db.get(
      "SELECT output FROM hook_runs WHERE repository = ? AND run_id = ? AND id = ?",
      String(run["repository"]),
      idOf(run),
      pathParam(http, "hook"),
    );
    if (row === undefined) throw notFound("not found: not found");
    return http.body(String(row["output"]), 200, { "Content-Type": "application/octet-stream" });
  });
}

function runOf(context: Context, http: Request): Row {
  const { name } = getRepository(context, pathParam(http, "repository"));
  const row = context.db.get("SELECT * FROM runs WHERE repository = ? AND id = ?", name, pathParam(http, "run"));
  if (row === undefined) throw notFound("not found: not found");
  return row;
}
