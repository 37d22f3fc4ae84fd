import type { CSSProperties, ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Ficha } from '#app/contenido/contenido.server.ts'
import { enMexico } from '#app/platform/fechas.ts'
import type { ContenidoCorreo } from './schema.ts'

/** As in app/ui/tokens.css; mail knows no variables, no transparency that all agree on, and no faces of ours. */
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

interface Palabras {
  subject: string
  /** What stands beside the subject in a list of messages. */
  preheader: string
  titulo: string
  /** Paragraphs and pieces in between, as text and as a picture of it. */
  cuerpo: Pieza[]
  /** Why somebody gets this, and what to do if it was not them. */
  nota: string
}

type Pieza =
  | { parrafo: string }
  | { codigo: string }
  | { enlace: string; rotulo: string }
  /** Name and value, on a line of its own. */
  | { dato: string; valor: string }

function palabras(contenido: ContenidoCorreo, sitio: string, { nombre, anio }: Ficha): Palabras {
  switch (contenido.kind) {
    case 'codigo': {
      // Together: so phones find it in the notification and offer it to the page.
      const { codigo } = contenido
      const vence = contenido.minutos === 1 ? '1 minuto' : `${contenido.minutos} minutos`
      return {
        subject: `${codigo} es tu código de ${nombre}`,
        preheader: `${codigo}: escríbelo en la página que lo pidió. Vence en ${vence}.`,
        titulo: 'Este es tu código',
        cuerpo: [
          { parrafo: 'Escríbelo en la página que te lo pidió:' },
          { codigo },
          {
            parrafo: `Vence en ${vence} y sirve una sola vez. No lo compartas con nadie: nosotros nunca te lo pediremos.`,
          },
        ],
        nota: 'Si no pediste un código, ignora este correo: sin él nadie puede entrar con tu dirección.',
      }
    }
    case 'puerta':
      return {
        subject: `Tu cuenta de ${nombre} entra con contraseña`,
        preheader: 'Alguien pidió un código para tu dirección; tu cuenta no los usa.',
        titulo: 'Tu cuenta entra con contraseña',
        cuerpo: [
          {
            parrafo:
              'Alguien pidió un código para entrar con tu dirección. Tu cuenta es de prensa o de la organización, y esas entran con su contraseña:',
          },
          { enlace: `${sitio}/medios`, rotulo: 'Entrar a la sala de prensa' },
        ],
        nota: 'Si no fuiste tú, ignora este correo: nadie entró.',
      }
    case 'acreditacion':
      return {
        subject: `Tu acreditación de prensa para ${nombre} ${anio}`,
        preheader: `${contenido.medio}: elige tu contraseña y entra a la sala de prensa.`,
        titulo: 'Tu medio está acreditado',
        cuerpo: [
          {
            parrafo: `${contenido.medio} ya puede entrar a la sala de prensa de ${nombre} ${anio}: convocatoria oficial, galería de candidatas y sus archivos para descargar.`,
          },
          { parrafo: 'Sólo falta que elijas tu contraseña:' },
          { enlace: contenido.enlace, rotulo: 'Elegir mi contraseña' },
          { dato: 'El enlace sirve una vez, hasta el', valor: enMexico(contenido.vence) },
        ],
        nota: 'El enlace es personal: quien lo tenga puede elegir la contraseña de tu medio. Si no pediste una acreditación, ignora este correo.',
      }
    case 'vigencia':
      return {
        subject: `Tu acreditación de prensa para ${nombre} ${anio} cambió`,
        preheader: `${contenido.medio}: sigues entrando con tu contraseña de siempre.`,
        titulo: 'Tu acreditación cambió',
        cuerpo: [
          { parrafo: `Tu acreditación para la sala de prensa de ${nombre} ${anio} quedó así:` },
          { dato: 'Medio', valor: contenido.medio },
          contenido.hasta
            ? { dato: 'Vale hasta el', valor: enMexico(contenido.hasta) }
            : { parrafo: 'No tiene último día.' },
          { parrafo: 'Sigues entrando con tu contraseña de siempre:' },
          { enlace: `${sitio}/medios`, rotulo: 'Entrar a la sala de prensa' },
        ],
        nota: 'Recibes este correo porque tu medio está acreditado. Si algo no es correcto, avisa al comité organizador.',
      }
    case 'inscripcion':
      return {
        subject: `Recibimos tu registro de traje típico para ${nombre} ${anio}`,
        preheader: `Tu folio es ${contenido.folio}. Guárdalo: con él ves cómo va tu registro.`,
        titulo: 'Recibimos tu registro',
        cuerpo: [
          {
            parrafo: `Los datos y los archivos de tu traje típico ya están con el comité de ${nombre} ${anio}.`,
          },
          { dato: 'Tu folio es', valor: contenido.folio },
          {
            parrafo:
              'Con él puedes ver qué recibimos y cómo va tu registro. Si el comité necesita un documento otra vez, ahí mismo lo subes:',
          },
          { enlace: `${sitio}/folio#${contenido.folio}`, rotulo: 'Consultar mi folio' },
        ],
        nota: 'El folio es personal: quien lo tenga puede ver el estado de tu registro. Si no registraste un traje, ignora este correo.',
      }
    case 'invitacion':
      return {
        subject: `Elige tu contraseña de la organización de ${nombre} ${anio}`,
        preheader: 'Con ella entras al panel: inscripciones, documentos, resultados.',
        titulo: 'Ya eres de la organización',
        cuerpo: [
          {
            parrafo: `Tu cuenta abre el panel de ${nombre} ${anio}: inscripciones y sus documentos, prensa acreditada y resultados.`,
          },
          { parrafo: 'Elige tu contraseña:' },
          { enlace: contenido.enlace, rotulo: 'Elegir mi contraseña' },
          { dato: 'El enlace sirve una vez, hasta el', valor: enMexico(contenido.vence) },
        ],
        nota: 'El enlace es personal: quien lo tenga entra con tu cuenta, y verá documentos privados. Si no lo esperabas, avisa al comité organizador.',
      }
    case 'documento':
      return {
        subject: `Necesitamos un documento de tu registro para ${nombre} ${anio}`,
        preheader: `Sube otra vez: ${contenido.documento}.`,
        titulo: 'Falta un documento',
        cuerpo: [
          { parrafo: `Para seguir con tu registro necesitamos que subas otra vez: ${contenido.documento}.` },
          { parrafo: contenido.nota },
          { dato: 'Tu folio es', valor: contenido.folio },
          { parrafo: 'Con él subes sólo ese archivo; lo demás ya lo tenemos:' },
          { enlace: `${sitio}/folio#${contenido.folio}`, rotulo: 'Subir el documento' },
        ],
        nota: 'Recibes este correo porque diste esta dirección al registrarte. Si no fuiste tú, ignóralo.',
      }
    case 'clave':
      return {
        subject: `Tu contraseña de ${nombre} cambió`,
        preheader: 'Cerramos todas tus sesiones. Si no fuiste tú, avísanos cuanto antes.',
        titulo: 'Tu contraseña cambió',
        cuerpo: [
          { dato: 'Cambió el', valor: enMexico(contenido.cuando) },
          {
            parrafo: 'Por seguridad cerramos todas las sesiones de tu cuenta. Entra de nuevo con tu contraseña nueva:',
          },
          { enlace: `${sitio}/medios`, rotulo: 'Iniciar sesión' },
        ],
        nota: 'Si no fuiste tú, avisa cuanto antes al comité organizador: alguien más conoce tu cuenta.',
      }
    case 'recibo':
      return {
        subject: `Tu voto por Señorita Popularidad ${anio} quedó registrado`,
        preheader: `Tu recibo es ${contenido.recibo}.`,
        titulo: '¡Gracias por tu voto!',
        cuerpo: [
          { parrafo: 'Este es tu recibo:' },
          { codigo: contenido.recibo },
          { parrafo: 'Cuando cierre la votación, búscalo en el acta: ahí verás que tu voto está en la cuenta.' },
          { enlace: `${sitio}/misspopularidad/acta`, rotulo: 'Ver el acta' },
        ],
        nota: 'Quien tenga tu recibo puede ver por quién votaste; por eso este correo no lo dice. Si no fuiste tú quien votó, avisa al comité organizador.',
      }
  }
}

/**
 * A message's subject and both its bodies, in Spanish, in the site's look.
 * @param sitio the site's own origin
 */
export function componerCorreo(
  contenido: ContenidoCorreo,
  sitio: string,
  edicion: Ficha,
): { subject: string; text: string; html: string } {
  const words = palabras(contenido, sitio, edicion)
  const html = `<!doctype html>${renderToStaticMarkup(<Correo palabras={words} sitio={sitio} edicion={edicion} />)}`
  return { subject: oneLine(words.subject), text: asText(words, sitio, edicion), html }
}

/** A name that holds a line break must not begin another header. */
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
        {/* It is dark already: nothing to turn around. */}
        <meta name="color-scheme" content="dark" />
        <meta name="supported-color-schemes" content="dark" />
        <title>{subject}</title>
      </head>
      <body style={{ margin: 0, padding: 0, backgroundColor: NOCHE, color: MARFIL }}>
        <div style={{ display: 'none', maxHeight: 0, overflow: 'hidden' }}>
          {preheader}
          {/* What follows in the message stays out of the preview. */}
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
        {pieza.dato} <strong style={{ fontWeight: 600, color: ORO_TEXTO }}>{pieza.valor}</strong>.
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

/** The stage's bulbs. */
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

/** Its scalloped hem, in plain cells: pictures are mostly blocked. */
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
