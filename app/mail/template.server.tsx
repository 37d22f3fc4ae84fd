import type { CSSProperties, ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Card } from '#app/cms/editions/displayed-edition.server.ts'
import type { Letter, Piece, Words } from './schema.ts'

/**
 * Colours of app/ui/styles/tokens.css, written out: mail programs know no variables, no common transparency and none of
 * the site's fonts.
 */
const NIGHT = '#0a0608'
const VELVET = '#170a11'
const IVORY = '#f7f0e6'
const SMOKE = '#c8b9b0'
const GOLD = '#d9b25f'
const GOLD_TEXT = '#efd79c'
const PINK_TEXT = '#ff6fb2'
const THREAD = '#4a3a29'
const BUTTON = '#c21064'
const PAPER = ['#ff2d8f', '#a3257c', '#d9b25f', '#e4502e', '#1fa99b']

const HEADING_FONT = 'Bodoni Moda, Didot, Bodoni MT, Georgia, Times New Roman, serif'
const TEXT = 'Instrument Sans, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'

/**
 * A message's subject and both its bodies, in Spanish, in the site's look.
 * @param site the site's own origin
 */
export function composeMail(
  { palabras }: Pick<Letter, 'palabras'>,
  site: string,
  edition: Card,
): { subject: string; text: string; html: string } {
  const words = palabras(edition, site)
  const html = `<!doctype html>${renderToStaticMarkup(<Mail palabras={words} sitio={site} edicion={edition} />)}`
  return { subject: oneLine(words.subject), text: asText(words, site, edition), html }
}

/** Keeps a line break in a name from beginning another header. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const postalAddress = ({ lugar }: Card) => [
  lugar.domicilio,
  `${lugar.ciudad}, ${lugar.estado} · C.P. ${lugar.codigoPostal}`,
]

function asText({ titulo, cuerpo, nota }: Words, site: string, edition: Card): string {
  const pieces = cuerpo.map((piece) => {
    if ('parrafo' in piece) return piece.parrafo
    if ('codigo' in piece) return `    ${piece.codigo}`
    if ('enlace' in piece) return `${piece.rotulo}:\n${piece.enlace}`
    return `${piece.dato} ${piece.valor}.`
  })
  const firma = [`${edition.nombre} ${edition.anio}`, ...postalAddress(edition), site].join('\n')
  return `${[titulo, ...pieces, nota].join('\n\n')}\n\n-- \n${firma}\n`
}

const cell: CSSProperties = { padding: 0, fontFamily: TEXT, color: IVORY }
const paragraph: CSSProperties = { margin: '0 0 24px', fontSize: 16, lineHeight: '26px', color: IVORY }

function Tabla({ children, style, width = '100%' }: { children: ReactNode; style?: CSSProperties; width?: string }) {
  return (
    <table role="presentation" width={width} cellPadding={0} cellSpacing={0} border={0} style={style}>
      <tbody>{children}</tbody>
    </table>
  )
}

function Mail({
  palabras: { subject, preheader, titulo, cuerpo, nota },
  sitio,
  edicion,
}: {
  palabras: Words
  sitio: string
  edicion: Card
}) {
  const [primero, segundo] = edicion.rotulo
  return (
    <html lang="es-MX">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {/* The message is dark already: a mail program need not invert it. */}
        <meta name="color-scheme" content="dark" />
        <meta name="supported-color-schemes" content="dark" />
        <title>{subject}</title>
      </head>
      <body style={{ margin: 0, padding: 0, backgroundColor: NIGHT, color: IVORY }}>
        <div style={{ display: 'none', maxHeight: 0, overflow: 'hidden' }}>
          {preheader}
          {/* Fills the preview, so that no text after the preheader shows. */}
          {' \u200c\u00a0'.repeat(60)}
        </div>
        <Tabla style={{ backgroundColor: NIGHT }}>
          <tr>
            <td align="center" style={{ ...cell, padding: '32px 12px 40px', backgroundColor: NIGHT }}>
              <Tabla style={{ maxWidth: 560, margin: '0 auto' }}>
                <tr>
                  <td align="center" style={{ ...cell, padding: '0 0 24px', backgroundColor: NIGHT }}>
                    <StageBulbs />
                    <p
                      style={{
                        margin: '16px 0 0',
                        fontFamily: HEADING_FONT,
                        fontSize: 34,
                        lineHeight: '38px',
                        color: IVORY,
                      }}
                    >
                      {primero} <i style={{ color: GOLD_TEXT }}>{segundo}</i>
                    </p>
                    <p style={{ margin: '4px 0 0', fontSize: 14, lineHeight: '20px', color: SMOKE }}>
                      {edicion.feria.nombre} {edicion.anio}
                    </p>
                  </td>
                </tr>
                <tr>
                  <td
                    style={{
                      ...cell,
                      padding: '40px 32px 24px',
                      backgroundColor: VELVET,
                      border: `1px solid ${THREAD}`,
                      borderTop: `2px solid ${GOLD}`,
                    }}
                  >
                    <h1
                      style={{
                        margin: '0 0 20px',
                        fontFamily: HEADING_FONT,
                        fontSize: 32,
                        lineHeight: '38px',
                        fontWeight: 400,
                        color: IVORY,
                      }}
                    >
                      {titulo}
                    </h1>
                    {cuerpo.map((piece, at) => (
                      <Chunk key={at} pieza={piece} />
                    ))}
                  </td>
                </tr>
                <tr>
                  <td style={{ ...cell, backgroundColor: NIGHT }}>
                    <PapelPicado />
                  </td>
                </tr>
                <tr>
                  <td style={{ ...cell, padding: '28px 32px 0', backgroundColor: NIGHT }}>
                    <p style={{ margin: '0 0 20px', fontSize: 14, lineHeight: '22px', color: SMOKE }}>{nota}</p>
                    <p style={{ margin: 0, fontSize: 14, lineHeight: '22px', color: SMOKE }}>
                      {postalAddress(edicion).map((line) => (
                        <span key={line}>
                          {line}
                          <br />
                        </span>
                      ))}
                      <a href={sitio} style={{ color: PINK_TEXT }}>
                        {sitio.replace(/^https?:\/\//, '')}
                      </a>
                    </p>
                  </td>
                </tr>
              </Tabla>
            </td>
          </tr>
        </Tabla>
      </body>
    </html>
  )
}

function Chunk({ pieza }: { pieza: Piece }) {
  if ('parrafo' in pieza) return <p style={paragraph}>{pieza.parrafo}</p>
  if ('dato' in pieza)
    return (
      <p style={{ ...paragraph, fontSize: 15, color: SMOKE }}>
        {pieza.dato}{' '}
        <strong style={{ fontWeight: 600, color: GOLD_TEXT, wordBreak: 'break-word' }}>{pieza.valor}</strong>.
      </p>
    )
  if ('codigo' in pieza)
    return (
      <Tabla style={{ margin: '0 0 28px' }}>
        <tr>
          <td
            align="center"
            style={{
              padding: '20px 8px 22px',
              backgroundColor: NIGHT,
              border: `1px solid ${THREAD}`,
              fontFamily: HEADING_FONT,
              fontSize: 52,
              lineHeight: '60px',
              color: GOLD_TEXT,
              whiteSpace: 'nowrap',
              ...(pieza.codigo.length === 6 && { letterSpacing: 8, textIndent: 8 }),
            }}
          >
            {pieza.codigo}
          </td>
        </tr>
      </Tabla>
    )
  return (
    <>
      <Tabla width="auto" style={{ margin: '0 0 16px' }}>
        <tr>
          <td style={{ backgroundColor: BUTTON, borderRadius: 999 }}>
            <a
              href={pieza.enlace}
              style={{
                display: 'inline-block',
                padding: '14px 32px',
                fontFamily: TEXT,
                fontSize: 17,
                lineHeight: '24px',
                fontWeight: 600,
                color: '#ffffff',
                textDecoration: 'none',
              }}
            >
              {pieza.rotulo}
            </a>
          </td>
        </tr>
      </Tabla>
      <p style={{ ...paragraph, fontSize: 14, lineHeight: '22px', color: SMOKE }}>
        O copia esta dirección en tu navegador:
        <br />
        <a href={pieza.enlace} style={{ color: PINK_TEXT, wordBreak: 'break-all' }}>
          {pieza.enlace}
        </a>
      </p>
    </>
  )
}

function StageBulbs() {
  return (
    <Tabla width="auto">
      <tr>
        {Array.from({ length: 9 }, (_, at) => (
          <td key={at} style={{ padding: '0 5px' }}>
            <div
              style={{ width: 6, height: 6, borderRadius: 6, fontSize: 0, lineHeight: 0, backgroundColor: '#fff0c4' }}
            />
          </td>
        ))}
      </tr>
    </Tabla>
  )
}

/** A scalloped papel picado in plain cells: mail programs mostly block pictures. */
function PapelPicado() {
  return (
    <Tabla style={{ tableLayout: 'fixed' }}>
      <tr>
        {Array.from({ length: 15 }, (_, at) => (
          <td
            key={at}
            style={{
              height: 14,
              fontSize: 0,
              lineHeight: 0,
              backgroundColor: PAPER[at % PAPER.length],
              borderRadius: '0 0 12px 12px',
              borderLeft: `2px solid ${NIGHT}`,
              borderRight: `2px solid ${NIGHT}`,
            }}
          />
        ))}
      </tr>
    </Tabla>
  )
}
