/** Under this content security policy, answers that are not documents may load nothing. */
export const NO_DOCUMENT_POLICY = "default-src 'none'; frame-ancestors 'none'"

/**
 * This content security policy is for pictures and videos: opened directly, they stand in a document that the browser makes and
 * styles.
 */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** This Cache-Control is for files whose content never changes under their name. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
