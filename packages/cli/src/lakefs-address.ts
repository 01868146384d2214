/** A repository, or a branch of it, as `lakectl` names them. */
export interface LakefsAddress {
  readonly repository: string;
  readonly branch?: string;
}

/** Reads `lakefs://repository` or `lakefs://repository/branch`; undefined where the text is neither. */
export function parseLakefsAddress(text: string): LakefsAddress | undefined {
  const match = /^lakefs:\/\/([a-z0-9][a-z0-9-]*)(?:\/(\w[-\w]*)?)?$/.exec(text);
  const [, repository, branch] = match ?? [];
  if (repository === undefined) return undefined;
  return branch === undefined ? { repository } : { repository, branch };
}
