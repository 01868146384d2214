/** A lakeFS server that the contract is held against. */
export interface LakefsTarget {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Ends what was started for it. */
  close(): Promise<void>;
}
