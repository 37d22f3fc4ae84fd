/** For answers that are no documents: they may load nothing. */
export const NO_DOCUMENT_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** For pictures and videos: opened by themselves, they stand in a document of the browser's, which has styles of its own. */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** For what never changes under its name. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
