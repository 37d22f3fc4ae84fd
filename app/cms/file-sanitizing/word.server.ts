import { posix } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { sniffFileType } from '#app/core/uploads/sniff-file-type.ts'
import { withoutJpegMetadata } from './jpeg-metadata.server.ts'
import { withoutPngMetadata } from './png-metadata.server.ts'
import { cleanWordXml, escapeXml, parseXml, UnpublishableDocumentError } from './word-xml.server.ts'

const PACKAGE_NAMESPACE = 'http://schemas.openxmlformats.org/package/2006'
const RELATIONSHIP_NAMESPACE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml'
/** Visible parts, which are kept: relationship type → content type. @source ECMA-376 parts 1 and 2 */
const PART_TYPES: Readonly<Record<string, string>> = {
  officeDocument: `${WORD_TYPE}.document.main+xml`,
  styles: `${WORD_TYPE}.styles+xml`,
  numbering: `${WORD_TYPE}.numbering+xml`,
  fontTable: `${WORD_TYPE}.fontTable+xml`,
  settings: `${WORD_TYPE}.settings+xml`,
  header: `${WORD_TYPE}.header+xml`,
  footer: `${WORD_TYPE}.footer+xml`,
  footnotes: `${WORD_TYPE}.footnotes+xml`,
  endnotes: `${WORD_TYPE}.endnotes+xml`,
  theme: 'application/vnd.openxmlformats-officedocument.theme+xml',
}
const LINK_PATTERN = /^(https?:|mailto:|tel:)/i
/** A document that unzips to more bytes is refused (zip bomb). */
const MAX_UNZIPPED_BYTES = 80 * 1_048_576

/** Rewrites a Word document from its visible parts; undefined for one that is unreadable, too large or has foreign content. */
export function sanitizeWordDocument(bytes: Buffer): Buffer | undefined {
  try {
    let unzippedBytes = 0
    const partByPath = unzipSync(bytes, {
      filter({ originalSize }) {
        unzippedBytes += originalSize
        if (unzippedBytes > MAX_UNZIPPED_BYTES) throw new UnpublishableDocumentError('too many unzipped bytes')
        return true
      },
    })
    return rewriteDocument(partByPath)
  } catch {
    // An invalid archive, invalid XML and foreign content have the same result.
    return undefined
  }
}

function rewriteDocument(partByPath: Record<string, Uint8Array>): Buffer {
  const files: Record<string, Uint8Array> = {}
  const types: string[] = []
  const nameByPath = new Map<string, string>()

  /**
   * Copies a part, cleaned, and the kept parts to which it refers.
   * @returns the part's path in the new document; undefined for a missing part, or one that is not kept
   */
  function takePart(path: string, kind: string): string | undefined {
    const knownName = nameByPath.get(path)
    if (knownName !== undefined) return knownName
    const source = partByPath[path]
    if (!source) return undefined
    if (kind === 'image') return takePicture(path, Buffer.from(source))
    const type = PART_TYPES[kind]
    if (type === undefined) return undefined
    const name = kind === 'officeDocument' ? 'word/document.xml' : `word/${kind}${nameByPath.size}.xml`
    nameByPath.set(path, name)
    // The relationships of settings lead to templates and mail-merge data, so none is kept.
    const relations = kind === 'settings' ? [] : keptRelationshipsOf(path)
    files[name] = cleanWordXml(Buffer.from(source).toString(), kind, new Set(relations.map(({ id }) => id)))
    types.push(`<Override PartName="/${name}" ContentType="${type}"/>`)
    if (relations.length > 0)
      files[relsPath(name)] = toXmlBytes(
        `<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships">${relations.map(({ relationXml }) => relationXml).join('')}</Relationships>`,
      )
    return name
  }

  function takePicture(path: string, picture: Buffer): string | undefined {
    const type = sniffFileType(picture)
    if (type !== 'image/png' && type !== 'image/jpeg') return undefined
    const name = `word/media/imagen${nameByPath.size}.${type === 'image/png' ? 'png' : 'jpeg'}`
    files[name] = type === 'image/png' ? withoutPngMetadata(picture) : withoutJpegMetadata(picture)
    nameByPath.set(path, name)
    return name
  }

  /** Returns the kept relationships of a part, rewritten. */
  function keptRelationshipsOf(path: string): { id: string; relationXml: string }[] {
    const source = partByPath[relsPath(path)]
    const relationNodes = source ? parseXml(Buffer.from(source).toString()).children : []
    return relationNodes.flatMap((node) => {
      if (typeof node !== 'object') return []
      const [id, type, target, mode] = ['Id', 'Type', 'Target', 'TargetMode'].map(
        (name) => node.attributes.find((attribute) => attribute.name === name)?.value ?? '',
      ) as [string, string, string, string]
      const kind = type.slice(type.lastIndexOf('/') + 1)
      const isExternal = mode === 'External'
      if (isExternal && !(kind === 'hyperlink' && LINK_PATTERN.test(target))) return []
      const targetPath = isExternal
        ? target
        : takePart(posix.join(target.startsWith('/') ? '/' : posix.dirname(path), target).replace(/^\//, ''), kind)
      if (targetPath === undefined) return []
      const targetXml = isExternal ? `${escapeXml(targetPath)}" TargetMode="External` : `/${targetPath}`
      return {
        id,
        relationXml: `<Relationship Id="${escapeXml(id)}" Type="${RELATIONSHIP_NAMESPACE}/${kind}" Target="${targetXml}"/>`,
      }
    })
  }

  if (takePart('word/document.xml', 'officeDocument') === undefined) throw new UnpublishableDocumentError('no document')
  files['_rels/.rels'] = toXmlBytes(
    `<Relationships xmlns="${PACKAGE_NAMESPACE}/relationships"><Relationship Id="rId1" Type="${RELATIONSHIP_NAMESPACE}/officeDocument" Target="word/document.xml"/></Relationships>`,
  )
  const defaultTypes = [
    ['rels', 'application/vnd.openxmlformats-package.relationships+xml'],
    ['xml', 'application/xml'],
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
  ].map(([extension, type]) => `<Default Extension="${extension}" ContentType="${type}"/>`)
  const contentTypes = {
    '[Content_Types].xml': toXmlBytes(
      `<Types xmlns="${PACKAGE_NAMESPACE}/content-types">${[...defaultTypes, ...types].join('')}</Types>`,
    ),
  }
  return Buffer.from(zipSync({ ...contentTypes, ...files }, { mtime: '1980-01-01T00:00:00' }))
}

const relsPath = (path: string) => `${posix.dirname(path)}/_rels/${posix.basename(path)}.rels`
const toXmlBytes = (text: string): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${text}`)
