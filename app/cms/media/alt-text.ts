import { type FieldPath, valueAt } from '#app/cms/schema/field-path.ts'
import { normalizeText } from '#app/core/text/typed-text.ts'

const MEANINGLESS_PATTERN =
  /^(?:(?:una?|la|el|esta|mi)\s+)?(?:foto|fotos|fotograf[ií]as?|imagen|im[aá]genes|picture|image|photo|pic|captura|pantallazo|sin t[ií]tulo|untitled|alt|texto|descripci[oó]n)(?:\s+(?:de|del|\d+|\(\d+\)))?[\s.\d]*$/i
const FILE_NAME_PATTERN =
  /\.(?:jpe?g|png|webp|heic|heif|avif|gif|svg|mp4|mov|pdf)$|^(?:img|dsc[fn]?|pxl|mvimg|photo|image|whatsapp image|screenshot|captura de pantalla|fb_img|received)[\s_-]*[\d(]|^[\d_\-. ()]+$/i
const MIN_ALT_CHARACTERS = 8
/** Maximum length of an alternative text, enough for all the words on a poster. */
export const MAX_ALT_CHARACTERS = 500

const toPlainText = (text: string) =>
  normalizeText(text, 'NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

/**
 * Checks an alternative text, but not its maximum length.
 * @param fileName of the picture on the author's device, if known
 * @returns the fault, with advice, in Spanish; undefined for an acceptable text
 */
export function altTextFault(alt: string, fileName?: string): string | undefined {
  const text = alt.trim()
  if (text === '') return 'Falta el texto alternativo: describe la fotografía para quien no la ve.'
  const plainFileName = fileName && toPlainText(fileName.replace(/\.\w{1,5}$/, ''))
  if (FILE_NAME_PATTERN.test(text) || (plainFileName && toPlainText(text.replace(/\.\w{1,5}$/, '')) === plainFileName))
    return 'Ése es el nombre del archivo. Di qué se ve: quién, haciendo qué y dónde.'
  if (MEANINGLESS_PATTERN.test(text)) return 'Eso no dice qué se ve. Di quién aparece, haciendo qué y dónde.'
  if (text.length < MIN_ALT_CHARACTERS) return 'Es muy corto. Di quién aparece, haciendo qué y dónde.'
  return undefined
}

/**
 * Suggests an alternative text from the nearest item around a photograph that has a name or title: «Fotografía de Eva Ceiba».
 * @returns undefined without such an item
 */
export function suggestAltText(document: unknown, photoPath: FieldPath): string | undefined {
  for (let length = photoPath.length - 1; length >= 0; length--) {
    const item = valueAt(document, photoPath.slice(0, length))
    const [name, title] = ['nombre', 'titulo'].map((key) => String(valueAt(item, [key]) ?? '').trim())
    if (name) return `Fotografía de ${name}`
    if (title) return `Fotografía de «${title}»`
  }
  return undefined
}
