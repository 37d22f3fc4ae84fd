import type { CSSProperties, ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Ficha } from '#app/cms/editions/displayed-edition.server.ts'
import type { Carta, Palabras, Pieza } from './schema.ts'

/**
 * Colours of app/ui/styles/tokens.css, written out: mail knows no variables, no transparency that all programs agree on, and
 * none of our faces.
 */
const NOCHE = '#0a0608'
const TERCIOPELO = '#170a11'
const MARFIL = '#f7f0e6'
const HUMO = '#c8b9b0'
const ORO = '#d9b25f'
const ORO_TEXTO = '#efd79c'
const ROSA_TEXTO = '#ff6fb2'
const HILO = '#4a3a29'
const BOTON = '#c21064'
const PAPEL = ['#ff2d8f', '#a3257c', '#d9b25f', '#e4502e', '#1fa99b']

const TITULOS = 'Bodoni Moda, Didot, Bodoni MT, Georgia, Times New Roman, serif'
const TEXTO = 'Instrument Sans, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif'

/**
 * A message's subject and both its bodies, in Spanish, in the site's look.
 * @param sitio the site's own origin
 */
export function componerCorreo(
  { palabras }: Pick<Carta, 'palabras'>,
  sitio: string,
  edicion: Ficha,
): { subject: string; text: string; html: string } {
  const words = palabras(edicion, sitio)
  const html = `<!doctype html>${renderToStaticMarkup(<Correo palabras={words} sitio={sitio} edicion={edicion} />)}`
  return { subject: oneLine(words.subject), text: asText(words, sitio, edicion), html }
}

/** Keeps a name with a line break from beginning another header. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

const domicilio = ({ lugar }: Ficha) => [
  lugar.domicilio,
  `${lugar.ciudad}, ${lugar.estado} · C.P. ${lugar.codigoPostal}`,
]

function asText({ titulo, cuerpo, nota }: Palabras, sitio: string, edicion: Ficha): string {
  const piezas = cuerpo.map((pieza) => {
    if ('parrafo' in pieza) return pieza.parrafo
    if ('codigo' in pieza) return `    ${pieza.codigo}`
    if ('enlace' in pieza) return `${pieza.rotulo}:\n${pieza.enlace}`
    return `${pieza.dato} ${pieza.valor}.`
  })
  const firma = [`${edicion.nombre} ${edicion.anio}`, ...domicilio(edicion), sitio].join('\n')
  return `${[titulo, ...piezas, nota].join('\n\n')}\n\n-- \n${firma}\n`
}

const celda: CSSProperties = { padding: 0, fontFamily: TEXTO, color: MARFIL }
const parrafo: CSSProperties = { margin: '0 0 24px', fontSize: 16, lineHeight: '26px', color: MARFIL }

function Tabla({ children, style, width = '100%' }: { children: ReactNode; style?: CSSProperties; width?: string }) {
  return (
    <table role="presentation" width={width} cellPadding={0} cellSpacing={0} border={0} style={style}>
      <tbody>{children}</tbody>
    </table>
  )
}

function Correo({
  palabras: { subject, preheader, titulo, cuerpo, nota },
  sitio,
  edicion,
}: {
  palabras: Palabras
  sitio: string
  edicion: Ficha
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
      <body style={{ margin: 0, padding: 0, backgroundColor: NOCHE, color: MARFIL }}>
        <div style={{ display: 'none', maxHeight: 0, overflow: 'hidden' }}>
          {preheader}
          {/* Fills the preview, so that nothing after the preheader shows in it. */}
          {' \u200c\u00a0'.repeat(60)}
        </div>
        <Tabla style={{ backgroundColor: NOCHE }}>
          <tr>
            <td align="center" style={{ ...celda, padding: '32px 12px 40px', backgroundColor: NOCHE }}>
              <Tabla style={{ maxWidth: 560, margin: '0 auto' }}>
                <tr>
                  <td align="center" style={{ ...celda, padding: '0 0 24px', backgroundColor: NOCHE }}>
                    <Focos />
                    <p
                      style={{
                        margin: '16px 0 0',
                        fontFamily: TITULOS,
                        fontSize: 34,
                        lineHeight: '38px',
                        color: MARFIL,
                      }}
                    >
                      {primero} <i style={{ color: ORO_TEXTO }}>{segundo}</i>
                    </p>
                    <p style={{ margin: '4px 0 0', fontSize: 14, lineHeight: '20px', color: HUMO }}>
                      {edicion.feria.nombre} {edicion.anio}
                    </p>
                  </td>
                </tr>
                <tr>
                  <td
                    style={{
                      ...celda,
                      padding: '40px 32px 24px',
                      backgroundColor: TERCIOPELO,
                      border: `1px solid ${HILO}`,
                      borderTop: `2px solid ${ORO}`,
                    }}
                  >
                    <h1
                      style={{
                        margin: '0 0 20px',
                        fontFamily: TITULOS,
                        fontSize: 32,
                        lineHeight: '38px',
                        fontWeight: 400,
                        color: MARFIL,
                      }}
                    >
                      {titulo}
                    </h1>
                    {cuerpo.map((pieza, at) => (
                      <Trozo key={at} pieza={pieza} />
                    ))}
                  </td>
                </tr>
                <tr>
                  <td style={{ ...celda, backgroundColor: NOCHE }}>
                    <PapelPicado />
                  </td>
                </tr>
                <tr>
                  <td style={{ ...celda, padding: '28px 32px 0', backgroundColor: NOCHE }}>
                    <p style={{ margin: '0 0 20px', fontSize: 14, lineHeight: '22px', color: HUMO }}>{nota}</p>
                    <p style={{ margin: 0, fontSize: 14, lineHeight: '22px', color: HUMO }}>
                      {domicilio(edicion).map((renglon) => (
                        <span key={renglon}>
                          {renglon}
                          <br />
                        </span>
                      ))}
                      <a href={sitio} style={{ color: ROSA_TEXTO }}>
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

function Trozo({ pieza }: { pieza: Pieza }) {
  if ('parrafo' in pieza) return <p style={parrafo}>{pieza.parrafo}</p>
  if ('dato' in pieza)
    return (
      <p style={{ ...parrafo, fontSize: 15, color: HUMO }}>
        {pieza.dato}{' '}
        <strong style={{ fontWeight: 600, color: ORO_TEXTO, wordBreak: 'break-word' }}>{pieza.valor}</strong>.
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
              backgroundColor: NOCHE,
              border: `1px solid ${HILO}`,
              fontFamily: TITULOS,
              fontSize: 52,
              lineHeight: '60px',
              color: ORO_TEXTO,
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
          <td style={{ backgroundColor: BOTON, borderRadius: 999 }}>
            <a
              href={pieza.enlace}
              style={{
                display: 'inline-block',
                padding: '14px 32px',
                fontFamily: TEXTO,
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
      <p style={{ ...parrafo, fontSize: 14, lineHeight: '22px', color: HUMO }}>
        O copia esta dirección en tu navegador:
        <br />
        <a href={pieza.enlace} style={{ color: ROSA_TEXTO, wordBreak: 'break-all' }}>
          {pieza.enlace}
        </a>
      </p>
    </>
  )
}

/** A row of stage bulbs. */
function Focos() {
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
              backgroundColor: PAPEL[at % PAPEL.length],
              borderRadius: '0 0 12px 12px',
              borderLeft: `2px solid ${NOCHE}`,
              borderRight: `2px solid ${NOCHE}`,
            }}
          />
        ))}
      </tr>
    </Tabla>
  )
}
