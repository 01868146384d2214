/** The tables of the Conductor part. Times are ms since 1970. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS conductor_task_def (
  name TEXT PRIMARY KEY, json TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS conductor_workflow_def (
  name TEXT NOT NULL, version INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (name, version)
) STRICT;
CREATE TABLE IF NOT EXISTS conductor_workflow (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, correlation_id TEXT, created_ms INTEGER NOT NULL,
  due_ms INTEGER, json TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS conductor_workflow_due ON conductor_workflow (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX IF NOT EXISTS conductor_workflow_name ON conductor_workflow (name, created_ms);
CREATE TABLE IF NOT EXISTS conductor_task (
  id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, seq INTEGER NOT NULL, def_name TEXT NOT NULL, status TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS conductor_task_workflow ON conductor_task (workflow_id, seq);
CREATE INDEX IF NOT EXISTS conductor_task_running ON conductor_task (def_name) WHERE status = 'IN_PROGRESS';
CREATE TABLE IF NOT EXISTS conductor_queue (
  position INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, task_id TEXT NOT NULL UNIQUE,
  priority INTEGER NOT NULL,
  deliver_ms INTEGER NOT NULL, popped_ms INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS conductor_queue_waiting ON conductor_queue (queue, priority DESC, deliver_ms, position)
  WHERE popped_ms IS NULL;
CREATE INDEX IF NOT EXISTS conductor_queue_popped ON conductor_queue (popped_ms) WHERE popped_ms IS NOT NULL;
CREATE TABLE IF NOT EXISTS conductor_queue_name (queue TEXT PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS conductor_task_log (
  position INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL, created_ms INTEGER NOT NULL, log TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS conductor_task_log_task ON conductor_task_log (task_id, position);
CREATE TABLE IF NOT EXISTS conductor_poll (
  task_type TEXT NOT NULL, domain TEXT NOT NULL, worker_id TEXT, polled_ms INTEGER NOT NULL,
  PRIMARY KEY (task_type, domain)
) STRICT;
`;
