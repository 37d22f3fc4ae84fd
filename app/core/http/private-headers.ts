/** Headers of an answer that no cache may keep, since it is for one person. */
export const PRIVATE_HEADERS = { 'cache-control': 'private, no-store' }
