import { join } from "node:path";
import { Hono } from "hono";
import type { App, AppOptions } from "../app.ts";
import { openDatabase } from "../store/database.ts";
import { ConductorControls } from "./engine/controls.ts";
import { Core } from "./engine/core.ts";
import { jsonAnswer, refusalAnswer, refuseLargeBodies } from "./routes/answers.ts";
import { answerUnknown, refuseElsewhere } from "./routes/elsewhere.ts";
import { taskDefRoutes, workflowDefRoutes } from "./routes/metadata.ts";
import { pollRoutes, queueRoutes, taskRoutes } from "./routes/tasks.ts";
import { workflowAdminRoutes, workflowRoutes } from "./routes/workflows.ts";

/** The Conductor-shaped server without its socket. */
export interface ConductorApp extends App {
  /** Test controls for what only a dying or slow server does. */
  readonly controls: ConductorControls;
  /** SQLite's own check of the state; no findings where it is sound. */
  integrityFindings(): string[];
}

/** Opens the Conductor-shaped server on `conductor.db` of the folder. */
export function createConductorApp(options: AppOptions): ConductorApp {
  const db = openDatabase(join(options.folder, "conductor.db"), options.durable);
  const core = new Core(db, options.clock);
  const controls = new ConductorControls();
  const app = routes(core, controls);
  return {
    controls,
    fetch: (request) => app.fetch(request),
    integrityFindings: () => db.integrityFindings(),
    close() {
      core.close();
      db.close();
    },
  };
}

function routes(core: Core, controls: ConductorControls): Hono {
  const app = new Hono();
  app.onError((error) => refusalAnswer(error));
  refuseLargeBodies(app);
  refuseElsewhere(app);
  const health = (): Response => jsonAnswer({ healthResults: [], suppressedHealthResults: [], healthy: true });
  app.get("/health", health);
  app.get("/api/health", health);
  taskDefRoutes(app, core);
  workflowDefRoutes(app, core);
  workflowRoutes(app, core);
  workflowAdminRoutes(app, core);
  queueRoutes(app, core);
  pollRoutes(app, core, controls);
  taskRoutes(app, core, controls);
  answerUnknown(app, (path) => knownMethods(app, path));
  return app;
}

const METHODS = ["GET", "POST", "PUT", "DELETE"];

function knownMethods(app: Hono, path: string): string[] {
  // Middleware matches every path: a route of the method itself is wanted.
  return METHODS.filter((method) => app.router.match(method, path)[0].some(([[, route]]) => route.method === method));
}
