import { library } from "../../tsdown.base.ts";

export default library(["src/main.ts"], { dts: false });
