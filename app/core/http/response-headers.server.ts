/** Content security policy of responses that are not documents: they may load nothing. */
export const NO_DOCUMENT_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** Content security policy of pictures and videos. If opened directly, they are shown in a document that the browser styles. */
export const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** Cache-Control of files whose content never changes under their name. */
export const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable'
