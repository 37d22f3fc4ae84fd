import type { CSSProperties, ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { EditionCard } from '#app/cms/editions/displayed-edition.server.ts'
import type { Letter, LetterPiece, MailText } from './schema.ts'

// Colours, mostly of app/ui/styles/tokens.css, are written out, since mail programs support neither CSS variables nor transparency.
const NIGHT = '#0a0608'
const VELVET = '#170a11'
const IVORY = '#f7f0e6'
const SMOKE = '#c8b9b0'
const GOLD = '#d9b25f'
const GOLD_TEXT = '#efd79c'
const ACCENT_TEXT = '#ff6fb2'
const THREAD = '#4a3a29'
const BUTTON = '#c21064'
const PAPER_COLOURS = ['#ff2d8f', '#a3257c', '#d9b25f', '#e4502e', '#1fa99b']

const HEADING_FONT = 'Bodoni Moda, Didot, Bodoni MT, Georgia, Times New Roman, serif'
const TEXT_FONT = 'Instrument Sans, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'
const CODE_FONT = 'Menlo, Consolas, DejaVu Sans Mono, monospace'

/** Composes a mail's subject and both its bodies. @param siteUrl the site's own origin */
export function composeMail(
  letter: Pick<Letter, 'compose'>,
  siteUrl: string,
  edition: EditionCard,
): { subject: string; text: string; html: string } {
  const mailText = letter.compose(edition, siteUrl)
  const html = `<!doctype html>${renderToStaticMarkup(<Mail mailText={mailText} siteUrl={siteUrl} edition={edition} />)}`
  return { subject: toOneLine(mailText.subject), text: plainTextOf(mailText, siteUrl, edition), html }
}

/** Joins the lines of a subject, since a line break would begin another header. */
const toOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const postalAddressOf = ({ lugar }: EditionCard) => [
  lugar.domicilio,
  `${lugar.ciudad}, ${lugar.estado} · C.P. ${lugar.codigoPostal}`,
]

export function pieceAsText(piece: LetterPiece): string {
  if ('paragraph' in piece) return piece.paragraph
  if ('code' in piece) return `    ${piece.code}`
  if ('link' in piece) return `${piece.label}:\n${piece.link}`
  return `${piece.name} ${piece.value}`
}

function plainTextOf({ title, body, note }: MailText, siteUrl: string, edition: EditionCard): string {
  const pieces = body.map(pieceAsText)
  const signature = [`${edition.nombre} ${edition.anio}`, ...postalAddressOf(edition), siteUrl].join('\n')
  return `${[title, ...pieces, note].join('\n\n')}\n\n-- \n${signature}\n`
}

/** Distance of the text from the card's sides; more would leave phones of 320 px too little. */
const SIDE_PADDING_PX = 24

const cellStyle: CSSProperties = { padding: 0, fontFamily: TEXT_FONT, color: IVORY }
const paragraphStyle: CSSProperties = { margin: '0 0 24px', fontSize: 16, lineHeight: '26px', color: IVORY }

function LayoutTable({
  children,
  style,
  width = '100%',
}: {
  children: ReactNode
  style?: CSSProperties
  width?: string
}) {
  return (
    <table role="presentation" width={width} cellPadding={0} cellSpacing={0} border={0} style={style}>
      <tbody>{children}</tbody>
    </table>
  )
}

function Mail({
  mailText: { subject, preheader, title, body, note },
  siteUrl,
  edition,
}: {
  mailText: MailText
  siteUrl: string
  edition: EditionCard
}) {
  const [firstWord, secondWord] = edition.rotulo
  return (
    <html lang="es-MX">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {/* The mail is dark already, so that a mail program need not invert it. */}
        <meta name="color-scheme" content="dark" />
        <meta name="supported-color-schemes" content="dark" />
        <title>{subject}</title>
      </head>
      <body style={{ margin: 0, padding: 0, backgroundColor: NIGHT, color: IVORY }}>
        <div style={{ display: 'none', maxHeight: 0, overflow: 'hidden' }}>
          {preheader}
          {/* Invisible characters fill the preview, so that no other text follows the preheader there. */}
          {' \u200c\u00a0'.repeat(60)}
        </div>
        <LayoutTable style={{ backgroundColor: NIGHT }}>
          <tr>
            <td align="center" style={{ ...cellStyle, padding: '32px 12px 40px', backgroundColor: NIGHT }}>
              <LayoutTable style={{ maxWidth: 560, margin: '0 auto' }}>
                <tr>
                  <td align="center" style={{ ...cellStyle, padding: '0 0 24px', backgroundColor: NIGHT }}>
                    <StageBulbs />
                    <p
                      style={{
                        margin: '16px 0 0',
                        fontFamily: HEADING_FONT,
                        fontSize: 30,
                        lineHeight: '36px',
                        color: IVORY,
                      }}
                    >
                      {firstWord} <i style={{ color: GOLD_TEXT }}>{secondWord}</i>
                    </p>
                    <p style={{ margin: '4px 0 0', fontSize: 14, lineHeight: '20px', color: SMOKE }}>
                      {edition.feria.nombre} {edition.anio}
                    </p>
                  </td>
                </tr>
                <tr>
                  <td
                    style={{
                      ...cellStyle,
                      padding: `36px ${SIDE_PADDING_PX}px 20px`,
                      backgroundColor: VELVET,
                      border: `1px solid ${THREAD}`,
                      borderTop: `2px solid ${GOLD}`,
                    }}
                  >
                    <h1
                      style={{
                        margin: '0 0 20px',
                        fontFamily: HEADING_FONT,
                        fontSize: 28,
                        lineHeight: '34px',
                        fontWeight: 400,
                        color: IVORY,
                      }}
                    >
                      {title}
                    </h1>
                    {body.map((piece, index) => (
                      <MailPiece key={index} piece={piece} />
                    ))}
                  </td>
                </tr>
                <tr>
                  <td style={{ ...cellStyle, backgroundColor: NIGHT }}>
                    <PapelPicado />
                  </td>
                </tr>
                <tr>
                  <td style={{ ...cellStyle, padding: `28px ${SIDE_PADDING_PX}px 0`, backgroundColor: NIGHT }}>
                    <p style={{ margin: '0 0 20px', fontSize: 14, lineHeight: '22px', color: SMOKE }}>{note}</p>
                    <p style={{ margin: 0, fontSize: 14, lineHeight: '22px', color: SMOKE }}>
                      {postalAddressOf(edition).map((line) => (
                        <span key={line}>
                          {line}
                          <br />
                        </span>
                      ))}
                      <a href={siteUrl} style={{ color: ACCENT_TEXT }}>
                        {siteUrl.replace(/^https?:\/\//, '')}
                      </a>
                    </p>
                  </td>
                </tr>
              </LayoutTable>
            </td>
          </tr>
        </LayoutTable>
      </body>
    </html>
  )
}

/** A seal or a key, which people compare figure by figure. */
const UNBROKEN_VALUE = /^[\w+/=-]{40,}$/

/** Parts a value into two equal lines by its width, since a tag in it would split it where the saved mail is read as text. */
const twoLineStyle = (value: string): CSSProperties => ({
  display: 'block',
  maxWidth: `${Math.ceil(value.length / 2) + 0.5}ch`,
  // 32 figures fit a phone of 320 px.
  fontFamily: CODE_FONT,
  fontSize: 12,
  lineHeight: '20px',
  color: GOLD_TEXT,
  wordBreak: 'break-all',
})

function MailPiece({ piece }: { piece: LetterPiece }) {
  if ('paragraph' in piece) return <p style={paragraphStyle}>{piece.paragraph}</p>
  if ('name' in piece)
    return (
      <p style={{ ...paragraphStyle, fontSize: 15, color: SMOKE }}>
        {piece.name}{' '}
        {UNBROKEN_VALUE.test(piece.value) ? (
          <code style={twoLineStyle(piece.value)}>{piece.value}</code>
        ) : (
          <strong style={{ fontWeight: 600, color: GOLD_TEXT, wordBreak: 'break-word' }}>{piece.value}</strong>
        )}
      </p>
    )
  if ('code' in piece)
    return (
      <LayoutTable style={{ margin: '0 0 28px' }}>
        <tr>
          <td
            align="center"
            style={{
              padding: '18px 8px',
              backgroundColor: NIGHT,
              border: `1px solid ${THREAD}`,
              fontFamily: TEXT_FONT,
              fontSize: 24,
              lineHeight: '32px',
              fontWeight: 500,
              color: GOLD_TEXT,
              // A wide receipt breaks by this style; a tag in it would split the receipt where the saved mail is read as text.
              overflowWrap: 'anywhere',
              // A code is large, since it is read on one device and typed on another.
              ...(piece.code.length === 6 && { fontSize: 38, lineHeight: '46px', letterSpacing: 6, textIndent: 6 }),
            }}
          >
            {piece.code}
          </td>
        </tr>
      </LayoutTable>
    )
  return (
    <>
      <LayoutTable width="auto" style={{ margin: '0 0 16px' }}>
        <tr>
          <td style={{ backgroundColor: BUTTON, borderRadius: 999 }}>
            <a
              href={piece.link}
              style={{
                display: 'inline-block',
                padding: '14px 24px',
                fontFamily: TEXT_FONT,
                fontSize: 17,
                lineHeight: '24px',
                fontWeight: 600,
                textAlign: 'center',
                color: '#ffffff',
                textDecoration: 'none',
              }}
            >
              {piece.label}
            </a>
          </td>
        </tr>
      </LayoutTable>
      <p style={{ ...paragraphStyle, fontSize: 14, lineHeight: '22px', color: SMOKE }}>
        O copia esta dirección en tu navegador:
        <br />
        <a href={piece.link} style={{ color: ACCENT_TEXT, wordBreak: 'break-word' }}>
          {piece.link}
        </a>
      </p>
    </>
  )
}

function StageBulbs() {
  return (
    <LayoutTable width="auto">
      <tr>
        {Array.from({ length: 9 }, (_, index) => (
          <td key={index} style={{ padding: '0 5px' }}>
            <div
              style={{ width: 6, height: 6, borderRadius: 6, fontSize: 0, lineHeight: 0, backgroundColor: '#fff0c4' }}
            />
          </td>
        ))}
      </tr>
    </LayoutTable>
  )
}

/** Draws a scalloped papel picado of table cells, since most mail programs block pictures. */
function PapelPicado() {
  return (
    <LayoutTable style={{ tableLayout: 'fixed' }}>
      <tr>
        {Array.from({ length: 15 }, (_, index) => (
          <td
            key={index}
            style={{
              height: 14,
              fontSize: 0,
              lineHeight: 0,
              backgroundColor: PAPER_COLOURS[index % PAPER_COLOURS.length],
              borderRadius: '0 0 12px 12px',
              borderLeft: `2px solid ${NIGHT}`,
              borderRight: `2px solid ${NIGHT}`,
            }}
          />
        ))}
      </tr>
    </LayoutTable>
  )
}
