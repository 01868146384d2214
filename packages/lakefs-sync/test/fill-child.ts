// Fills a cache with one file in a process of its own and stops in the middle, to be killed there.
import { openCacheRoot } from "../src/cache/cache-root.ts";
import { fillContent } from "../src/cache/fill-content.ts";

const [root = "", contentId = "", absolutePath = "", sizeBytes = "", md5 = ""] = process.argv.slice(2);
let pieceCount = 0;
const pause = async (): Promise<void> => {
  pieceCount += 1;
  if (pieceCount < 2) return;
  process.send?.("in the middle");
  // The timer keeps the process alive until it is killed.
  await new Promise((resolve) => {
    setTimeout(resolve, 60_000);
  });
};
await fillContent(
  openCacheRoot(root),
  { contentId, absolutePath, sizeBytes: Number(sizeBytes), md5, mark: undefined },
  pause,
);
