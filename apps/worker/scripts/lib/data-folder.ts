/** What `load-data` uploads: the repository's content, as folders. */
export const DATA_FOLDER = new URL("../../data/", import.meta.url);

/** The songs, as WAV files. */
export const RAW_FOLDER = new URL("audio/render/raw/", DATA_FOLDER);

/** What is known about the songs, outside the workspace prefix of `features.build`. */
export const CATALOG_FILE = new URL("catalog/songs.json", DATA_FOLDER);
