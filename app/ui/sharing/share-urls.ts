/**
 * Encodes a text for a query. Colons and slashes may stand in one as they are, so the site's own address stays
 * readable.
 */
const encodeQuery = (text: string) => encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%2F', '/')

/** Addresses at which a link is shared with one press. @param url absolute */
export const shareUrlsOf = (text: string, url: string) => ({
  whatsapp: `https://wa.me/?text=${encodeQuery(`${text} ${url}`)}`,
  facebook: `https://www.facebook.com/sharer/sharer.php?u=${encodeQuery(url)}`,
})
