/** What is known of a row that is missed: why, and what the limit is. By row id; said only where it is missed. */
export const reasons: Readonly<Record<string, string>> = {
  B1:
    "four fifths of it is sync-in, near its floor: a bare loop over undici that reads the thousand objects and " +
    "drops them takes 480 ms here, their MD5s 130 ms and writing them 80 ms; on two cores lakeFS, JIT and this " +
    "thread take 1.1 s of CPU together, and lakectl's clone 1.2 to 1.4 s. Beside it are 160 ms",
  B2:
    "half of it is sync-in from the cache: the listing is read again, and a thousand files are copied and " +
    "checked, for ext4 has no reflinks; new files are made where the stock of a host that had no rest is empty; " +
    "the rest is what B5 measures",
  "B3/memory":
    "19 MiB of it are the same for any number of files (code that gets compiled, the first pages); 200 bytes a file " +
    "stay while files come, and the rest is a peak at the end that the garbage collector has not taken yet",
  B4:
    "half of it is lakeFS storing the upload, for lakectl alike; the other half is the download, which is hashed " +
    "as it comes (rule T2): MD5 runs at 0.5 to 0.7 GB/s in one thread, and lakectl does not hash",
  "B4/memory": "a connection reads into one buffer and a body sends from one: what grows beside them is not known",
  B5:
    "1.94 in a quiet hour and 2.1 to 2.2 in others. The bare sum has no Conductor in it: two reads of the attempt " +
    "(A2), one before the report (R8) and the report are 12 ms. The target's head is read three times (P5), the " +
    "staging commit is compared and looked at (T13, H3), and the published one (C6): 15 ms, which the protocol asks " +
    "for. Sync-in waits up to 4 ms for the disk's clock (T5), which hashing so small a tree would spare",
  B6:
    "one request more a task than the SDK makes: each is read back after its report (rule R6), and tasks are " +
    "polled for, where the SDK gets the next one with its report; and its body runs in another process",
  "B6/cpu":
    "a bare loop that polls, reports, reads back (rule R6) and asks another process takes 1.2 ms a task; schemas, " +
    "the state machine, the lease, checks of every message and two log lines are the rest. The SDK makes one " +
    "request a task and runs the body in its own thread",
  "B6/thread":
    "one request more a task than the SDK makes: each is read back after its report (rule R6), and tasks are " +
    "polled for, where the SDK gets the next one with its report",
  "B6/thread-cpu":
    "a bare loop that polls, reports and reads back (rule R6) takes 0.85 ms a task; messages to the executor's " +
    "thread, schemas, the state machine, the lease and two log lines are the rest",
  B7: "the machine was shared: an idle process beside it is late, too",
  B8:
    "each evaluation reads the branch before its log (rule P6), one request more than the bare log, and " +
    "judges each commit's metadata",
  "B8/classifier": "nothing but CPU: 1.56 and 2.47 in two shorter runs of the same evening; the machine was shared",
  B10:
    "an executor is 39 MiB (plain Node 22, zod 9 more, then the task's module and what they leave in the heap) and " +
    "the host 85; Node's own pages count less where other Node processes run beside it, which gave 0.60 on the same " +
    "machine. Node's --optimize-for-size takes 4 MiB off each executor, and makes bodies slower",
  B11: "two processes: the command, and the child that imports the module and describes it",
  "B11/start":
    "both servers are looked at, the module is described in a child, and the executors are warm before " +
    "the first poll",
  B13: "see B1: the ratio to lakectl is what is missing",
};
