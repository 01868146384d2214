/** Something wrong, or worth a word, in the settings. Never carries the value of a secret. */
export interface SettingFinding {
  /** The variable or flag. */
  readonly name: string;
  readonly message: string;
  /** The mend. */
  readonly hint: string;
}

/** The settings cannot be used; lists everything that was found at once. */
export class SettingsError extends Error {
  readonly code = "settings_invalid";
  readonly hint: string;
  readonly findings: readonly SettingFinding[];

  constructor(findings: readonly SettingFinding[]) {
    super(findings.map((finding) => `${finding.name}: ${finding.message}`).join("\n"));
    this.name = "SettingsError";
    this.hint = findings.map((finding) => `${finding.name}: ${finding.hint}`).join("\n");
    this.findings = findings;
  }
}
