import type { Context } from "../context.ts";
import { notInEmulator } from "../errors.ts";
import { readObject, readObjects } from "../http/body.ts";
import { amount, flag, pageBody, text } from "../http/query.ts";
import { repositoryBody } from "../http/shapes.ts";
import { cutPage } from "../pages.ts";
import { getRules, setRules } from "../protection.ts";
import { createRepository, deleteRepository, getRepository, listRepositories } from "../repositories.ts";
import { pathParam, type Routes } from "./env.ts";

/** Repositories and their settings. */
export function repositoryRoutes(app: Routes, context: Context): void {
  app.get("/repositories", (http) => {
    const limit = amount(http);
    const page = cutPage(listRepositories(context, text(http, "prefix"), text(http, "after")), limit);
    return http.json(pageBody(page, repositoryBody, (one) => one.name));
  });
  app.post("/repositories", async (http) => {
    const body = await readObject(http);
    if (flag(http, "bare")) throw notInEmulator("a bare repository");
    if (body.flag("sample_data")) throw notInEmulator("sample data");
    const wish = {
      name: body.string("name"),
      storageNamespace: body.string("storage_namespace"),
      defaultBranch: body.optionalString("default_branch") ?? "main",
      readOnly: body.flag("read_only"),
    };
    const repository = context.db.transaction(() => createRepository(context, wish));
    return http.json(repositoryBody(repository), 201);
  });
  app.get("/repositories/:repository", (http) =>
    http.json(repositoryBody(getRepository(context, pathParam(http, "repository")))),
  );
  app.delete("/repositories/:repository", (http) => {
    const name = pathParam(http, "repository");
    const force = flag(http, "force");
    context.db.transaction(() => deleteRepository(context, name, force));
    context.forgetTrees(name);
    return http.body(null, 204);
  });
  app.get("/repositories/:repository/settings/branch_protection", (http) => {
    const rules = getRules(context, getRepository(context, pathParam(http, "repository")).name);
    http.header("ETag", rules.etag);
    return http.json(rules.patterns.map((pattern) => ({ pattern })));
  });
  app.put("/repositories/:repository/settings/branch_protection", async (http) => {
    const patterns = (await readObjects(http)).map((rule) => rule.string("pattern"));
    const { name } = getRepository(context, pathParam(http, "repository"));
    context.db.transaction(() => setRules(context, name, patterns, http.req.header("if-match")));
    return http.body(null, 204);
  });
}
