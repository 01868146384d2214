/** How many rules each letter of the protocol has, numbered from 1. */
const ruleCounts = { I: 7, T: 13, A: 6, P: 10, C: 9, H: 4, X: 3, R: 8, S: 14 } as const;

/** Every rule id of the publication protocol, in its order. */
export const ruleIds: readonly string[] = numbered(ruleCounts);

/** The cases from the field that must be shown as tests: by the main job, and by the proof of the protocol. */
export const caseIds: readonly string[] = (
  "N01 N02 N03 N04 N07 N09 N10 N11 N12 N15 N16 N17 N19 N20 B07 B08 B10 B12 B13 B17 T01 T02 T04 T05 T06 T07 T08 " +
  "L01 L02 L05 L16 L17 R03 R05 R06 R09 J05 J07 J08 S05 P03 " +
  "L04 L06 L07 L08 L09 L10 L11 L12 L14 L15 L19 L20 L21 L22 G01 G02 G03 G05 G06 " +
  "R01 R02 R04 R07 R08 R10 R11 R13 R14 R16 R17 R18 S01 S03 S06 S07 S08"
).split(" ");

/** How many failure scenarios each section of the list of faults has, numbered from 1. */
const faultCounts = { A: 9, B: 11, C: 14, D: 14, E: 9, F: 4, G: 8, H: 5, J: 7, K: 4 } as const;

/** Every failure scenario that reliability must show, in its order. */
export const faultIds: readonly string[] = numbered(faultCounts);

function numbered(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
  );
}
