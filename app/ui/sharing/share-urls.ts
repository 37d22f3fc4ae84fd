/**
 * Encodes a text for a query, but leaves colons and slashes, which a query may contain, so that the site's URL stays readable.
 */
const encodeQuery = (text: string) => encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%2F', '/')

/** Returns the URLs that share a link with one click. @param url absolute */
export const shareUrlsOf = (text: string, url: string) => ({
  whatsapp: `https://wa.me/?text=${encodeQuery(`${text} ${url}`)}`,
  facebook: `https://www.facebook.com/sharer/sharer.php?u=${encodeQuery(url)}`,
})
