/** The policy of answers that are no documents: they may load nothing. */
export const NO_DOCUMENT_POLICY = "default-src 'none'; frame-ancestors 'none'"

/**
 * The policy of pictures and videos: opened by themselves, they stand in a document that the browser makes and styles.
 */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Caching of files that never change under their name. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
