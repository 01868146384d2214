/** How a disk compares names. Linux disks do neither. */
export interface DiskTraits {
  /** `A` and `a` are one entry (case N06). */
  readonly foldsCase: boolean;
  /** Composed and decomposed accents are one entry (case N07). */
  readonly normalises: boolean;
}

/** A disk that takes names as bytes. */
export const exactDisk: DiskTraits = { foldsCase: false, normalises: false };

/** What a path is to the disk: two paths with one identity are one entry. Pure. */
export function pathIdentity(path: string, traits: DiskTraits): string {
  const normal = traits.normalises ? path.normalize("NFC") : path;
  return traits.foldsCase ? normal.toLowerCase() : normal;
}
