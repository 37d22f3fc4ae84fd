import { readFile } from 'node:fs/promises'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sanitizeWordDocument } from './word.server.ts'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const NAMES = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${OFFICE}" xmlns:a="a" xmlns:wp="wp" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"`
const relations = (...them: [id: string, kind: string, target: string, outside?: 'fuera'][]) =>
  `<Relationships xmlns="x">${them.map(([id, kind, target, outside]) => `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}"${outside ? ' TargetMode="External"' : ''}/>`).join('')}</Relationships>`

/** A Word document with this body and these relationships. */
const word = (body: string, rels = relations(), more: Record<string, string | Uint8Array> = {}) =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries({
          '[Content_Types].xml': '<Types/>',
          'word/document.xml': `<?xml version="1.0"?><w:document ${NAMES}><w:body>${body}</w:body></w:document>`,
          'word/_rels/document.xml.rels': rels,
          ...more,
        }).map(([name, said]) => [name, typeof said === 'string' ? strToU8(said) : said]),
      ),
    ),
  )
const parts = (docx: Buffer | undefined) => unzipSync(docx!)
const said = (docx: Buffer | undefined) =>
  Object.entries(parts(docx))
    .map(([name, bytes]) => `${name}\n${Buffer.from(bytes).toString('latin1')}`)
    .join('\n')
const run = (text: string, looks = '') => `<w:r><w:rPr>${looks}</w:rPr><w:t>${text}</w:t></w:r>`

test('of a Word document text and pictures stay: no author, date, change, comment or hidden text', async () => {
  const picture = sharp({ create: { width: 9, height: 9, channels: 3, background: '#888' } }).withExif({
    IFD0: { Artist: 'SECRETO' },
  })
  const by = 'w:author="SECRETO" w:date="2025-01-01T00:00:00Z" w:rsidR="00SECRET"'
  const body = `
    <w:p ${by}>${run('Boletín')}<w:ins ${by}>${run(' nuevo')}</w:ins><w:del ${by}><w:r><w:delText>SECRETO</w:delText></w:r></w:del></w:p>
    <w:p><w:pPr><w:rPr><w:ins ${by}/></w:rPr><w:pPrChange ${by}><w:pPr/></w:pPrChange></w:pPr><w:commentRangeStart w:id="1"/>${run(' de prensa')}<w:commentRangeEnd w:id="1"/><w:r><w:commentReference w:id="1"/></w:r></w:p>
    <w:moveFrom ${by}>${run('SECRETO')}</w:moveFrom>${run('SECRETO', '<w:vanish/>')}${run(' visible', '<w:vanish w:val="0"/>')}
    <w:sdt><w:sdtPr><w:alias w:val="SECRETO"/><w:dataBinding w:xpath="SECRETO"/></w:sdtPr><w:sdtContent>${run(' del campo')}</w:sdtContent></w:sdt>
    <w:hyperlink r:id="rIdWeb">${run('la feria')}</w:hyperlink><w:hyperlink r:id="rIdDisco">${run('el disco')}</w:hyperlink>
    <w:r><w:fldChar w:fldCharType="begin"/><w:instrText> PA</w:instrText><w:instrText>GE </w:instrText><w:fldChar w:fldCharType="separate"/><w:t>7</w:t><w:fldChar w:fldCharType="end"/></w:r>
    <w:drawing><wp:docPr id="1" name="C:/Users/SECRETO.jpg" descr="La reina"/><a:blip r:embed="rIdFoto"/><a:blip r:embed="rIdLogo"/></w:drawing>
    <w:pict><v:imagedata r:id="rIdFoto" o:href="file:///SECRETO" o:title="SECRETO"/></w:pict><!-- SECRETO -->`
  const given = word(
    body,
    relations(
      ['rIdWeb', 'hyperlink', 'https://feria.ejemplo.mx/?a=1&amp;b=2', 'fuera'],
      ['rIdDisco', 'hyperlink', 'file:///C:/SECRETO', 'fuera'],
      ['rIdFoto', 'image', 'media/SECRETO.jpg'],
      ['rIdLogo', 'image', '/word/media/logo.png'],
      ['rIdAjustes', 'settings', 'settings.xml'],
      ['rIdNotas', 'comments', 'comments.xml'],
      ['rIdDatos', 'customXml', '../customXml/item1.xml'],
    ),
    {
      'docProps/core.xml': '<a>SECRETO</a>',
      'docProps/app.xml': '<a>SECRETO</a>',
      'customXml/item1.xml': '<a>SECRETO</a>',
      'word/comments.xml': `<w:comments ${NAMES}><w:comment ${by}/></w:comments>`,
      'word/settings.xml': `<w:settings ${NAMES}><w:attachedTemplate r:id="rId1"/><w:rsids><w:rsid w:val="00SECRET"/></w:rsids><w:defaultTabStop w:val="720"/><w:docVars><w:docVar w:name="SECRETO"/></w:docVars></w:settings>`,
      'word/_rels/settings.xml.rels': relations(['rId1', 'attachedTemplate', 'https://SECRETO/x.dotm', 'fuera']),
      'word/media/SECRETO.jpg': await picture.clone().jpeg().toBuffer(),
      'word/media/logo.png': await picture.clone().png().toBuffer(),
      'word/embeddings/oleObject1.bin': 'SECRETO',
      '_rels/.rels': relations(
        ['rId1', 'officeDocument', 'word/document.xml'],
        ['rId2', 'core-properties', 'docProps/core.xml'],
      ),
    },
  )
  const clean = sanitizeWordDocument(given)
  expect(said(clean)).not.toMatch(/SECRET|2025-01-01|comment|docProps|template|file:/i)
  const document = strFromU8(parts(clean)['word/document.xml']!)
  const words = document
    .replace(/<w:instrText>.*?<\/w:instrText>/g, '')
    .replace(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ')
  expect(words.trim()).toBe('Boletín nuevo de prensa visible del campo la feriael disco 7')
  expect(document).toContain('descr="La reina"')
  const rels = strFromU8(parts(clean)['word/_rels/document.xml.rels']!)
  expect(rels).toContain('Target="https://feria.ejemplo.mx/?a=1&amp;b=2" TargetMode="External"')
  const pictures = Object.entries(parts(clean)).filter(([name]) => name.startsWith('word/media/'))
  expect(pictures).toHaveLength(2)
  for (const [, bytes] of pictures) expect((await sharp(bytes).metadata()).exif).toBeUndefined()
  expect(sanitizeWordDocument(clean!)?.equals(clean!)).toBe(true)
})

test('a Word document that embeds, loads or runs foreign content is refused', async () => {
  const field = (code: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>${code}</w:instrText><w:fldChar w:fldCharType="end"/></w:r>`
  const bad: [string, Buffer][] = [
    [
      'a chunk',
      word('<w:altChunk r:id="rId1"/>', relations(['rId1', 'aFChunk', 'chunk.html']), { 'word/chunk.html': 'x' }),
    ],
    ['an object', word('<w:object><o:OLEObject r:id="rId1"/></w:object>', relations(['rId1', 'oleObject', 'x.bin']))],
    [
      'a remote picture',
      word('<a:blip r:link="rId1"/>', relations(['rId1', 'image', 'https://malo.example/x.png', 'fuera'])),
    ],
    [
      'a drawing of other kinds',
      word('<a:blip r:embed="rId1"/>', relations(['rId1', 'image', 'x.svg']), { 'word/x.svg': '<svg/>' }),
    ],
    [
      'a chart',
      word('<a:chart r:id="rId1"/>', relations(['rId1', 'chart', 'chart.xml']), { 'word/chart.xml': '<a/>' }),
    ],
    ['a field that fetches', word(field('INCLUDEPICTURE "https://malo.example/x"'))],
    ['one in pieces', word(field('INCLU</w:instrText><w:instrText>DETEXT "//malo/x"'))],
    ['one that runs', word(field('DDEAUTO c:\\\\x'))],
    ['a simple one', word('<w:fldSimple w:instr="LINK Excel.Sheet x"/>')],
    ['a link to a disk', word(field('HYPERLINK "file:///x"'))],
    ['entities', word('').subarray(0, 40)],
    ['no document', Buffer.from(zipSync({ 'word/otro.xml': strToU8('<a/>') }))],
    [
      'a declaration',
      Buffer.from(
        zipSync({ 'word/document.xml': strToU8('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>') }),
      ),
    ],
    ['depth', word('<w:p>'.repeat(5_000) + '</w:p>'.repeat(5_000))],
  ]
  for (const [what, docx] of bad) expect([what, sanitizeWordDocument(docx)]).toEqual([what, undefined])
  expect(sanitizeWordDocument(word(field('HYPERLINK "https://feria.ejemplo.mx"')))).toBeDefined()
})

test('the sample’s bulletin in content/ is clean', async () => {
  const sample = await readFile('content/2025/convocatoria/boletin.docx')
  expect(sanitizeWordDocument(sample)?.equals(sample)).toBe(true)
  const names = Object.keys(parts(sample))
  expect(names.filter((name) => /(header|footer|styles|numbering|theme|fontTable)\d+\.xml$/.test(name))).toHaveLength(6)
})
