import { threadSurroundings } from "./child-channel.ts";
import { startChild } from "./child-main.ts";

startChild(threadSurroundings());
