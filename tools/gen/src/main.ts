import { writeFile } from "node:fs/promises";
import { lakefsTypes, lakefsTypesFile } from "./lakefs-types.ts";

await writeFile(lakefsTypesFile, await lakefsTypes());
