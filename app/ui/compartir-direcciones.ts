/** Colons and slashes may stand in a query as they are; so the site's own address stays readable in it. */
const enConsulta = (texto: string) => encodeURIComponent(texto).replaceAll('%3A', ':').replaceAll('%2F', '/')

/** Where a link is shared with one press. @param url absolute */
export const direccionesDe = (texto: string, url: string) => ({
  whatsapp: `https://wa.me/?text=${enConsulta(`${texto} ${url}`)}`,
  facebook: `https://www.facebook.com/sharer/sharer.php?u=${enConsulta(url)}`,
})
