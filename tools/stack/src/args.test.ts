import { expect, it } from "vitest";
import { parseCommand } from "./args.ts";

it("takes ports from options, then from the environment, else leaves them open", () => {
  const environment = { PERAGO_STACK_LAKEFS_PORT: "9000", PERAGO_STACK_CONDUCTOR_PORT: "", PERAGO_STACK_NAME: "ci" };
  expect(parseCommand(["up"], environment)).toMatchObject({ name: "ci", lakefsPort: 9000, conductorPort: undefined });
  expect(parseCommand(["up", "--lakefs-port", "9001", "--name", "x"], environment)).toEqual({
    verb: "up",
    name: "x",
    lakefsPort: 9001,
    conductorPort: undefined,
    freePorts: false,
    fresh: false,
  });
});

it("accepts each command and its flags", () => {
  expect(parseCommand(["up", "--fresh", "--free-ports"], {})).toMatchObject({ fresh: true, freePorts: true });
  expect(parseCommand(["down"], {})).toEqual({ verb: "down", name: "default" });
  expect(parseCommand(["status"], {})).toEqual({ verb: "status", name: "default" });
  expect(parseCommand(["env"], {})).toEqual({ verb: "env", name: "default" });
  expect(parseCommand(["--help"], {})).toEqual({ verb: "help" });
});

it.each([
  [[], "needs a command"],
  [["start"], '"start"'],
  [["up", "twice"], '"twice"'],
  [["up", "--port", "1"], "--port"],
  [["up", "--lakefs-port", "0"], "--lakefs-port"],
  [["up", "--lakefs-port", "65536"], "65535"],
  [["up", "--lakefs-port", "8e3"], "8e3"],
  [["up", "--lakefs-port", "8080", "--conductor-port", "8080"], "both"],
  [["up", "--name", "../x"], "../x"],
  [["up", "--name", ""], "not allowed"],
])("refuses %j as usage, naming what is wrong", (argv, text) => {
  const refused = expect.objectContaining({ code: "USAGE", exitCode: 2, message: expect.stringContaining(text) });
  expect(() => parseCommand(argv, {})).toThrow(refused);
});

it("names the variable, not an option, when the environment holds the bad port", () => {
  expect(() => parseCommand(["up"], { PERAGO_STACK_CONDUCTOR_PORT: "http" })).toThrow("PERAGO_STACK_CONDUCTOR_PORT");
});
