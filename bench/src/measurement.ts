import type { RowSpec, Samples } from "./row.ts";
import type { Session } from "./world/session.ts";

/** How much is measured. */
export interface Extent {
  /** Fewer runs and smaller inputs: for a look, not for the table. */
  readonly quick: boolean;
}

/** What a measurement is made with. */
export interface Surroundings extends Extent {
  readonly session: Session;
  /** One line on where it is. */
  readonly say: (line: string) => void;
}

/** Rows that are measured in one go, such as the cold and the warm attempt on the same tree. */
export interface Measurement {
  readonly rows: readonly RowSpec[];
  /** Samples by row id. */
  measure(around: Surroundings): Promise<Readonly<Record<string, Samples>>>;
}
