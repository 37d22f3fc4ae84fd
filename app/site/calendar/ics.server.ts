/** Something that takes place, in a calendar's own terms. */
export interface Evento {
  uid: string
  titulo: string
  descripcion?: string
  /** A moment with its zone, or a day «2025-09-12». */
  inicia: string
  /** The last day of an event of whole days; the moment at which another one ends. */
  termina?: string
  lugar: string
  url: string
}

/** Octets of a line, its end not counted (RFC 5545 §3.1). */
const RENGLON_OCTETOS = 75

/**
 * A calendar file (RFC 5545).
 * @param sello when the file was made
 */
export function icsDe(nombre: string, eventos: Evento[], sello: Date): string {
  const renglones = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${texto(nombre)}//ES`,
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${texto(nombre)}`,
    ...eventos.flatMap((evento) => [
      'BEGIN:VEVENT',
      `UID:${evento.uid}`,
      `DTSTAMP:${enUtc(sello)}`,
      ...cuando(evento),
      `SUMMARY:${texto(evento.titulo)}`,
      ...(evento.descripcion ? [`DESCRIPTION:${texto(evento.descripcion)}`] : []),
      `LOCATION:${texto(evento.lugar)}`,
      `URL:${evento.url}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ]
  return renglones.map((renglon) => `${doblado(renglon)}\r\n`).join('')
}

function cuando({ inicia, termina }: Evento): string[] {
  if (inicia.includes('T'))
    return [`DTSTART:${enUtc(new Date(inicia))}`, ...(termina ? [`DTEND:${enUtc(new Date(termina))}`] : [])]
  // iCalendar's end of whole days is the day after the last.
  return [`DTSTART;VALUE=DATE:${enDias(inicia, 0)}`, `DTEND;VALUE=DATE:${enDias(termina ?? inicia, 1)}`]
}

const enUtc = (momento: Date) => `${momento.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`

function enDias(dia: string, despues: number): string {
  const fecha = new Date(`${dia}T00:00Z`)
  fecha.setUTCDate(fecha.getUTCDate() + despues)
  return fecha.toISOString().slice(0, 10).replaceAll('-', '')
}

const texto = (valor: string) =>
  valor
    .trim()
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r?\n/g, '\\n')

/** A long line goes on in the next, after a space; no character is cut in two. */
function doblado(renglon: string): string {
  const partes = ['']
  let octetos = 0
  for (const letra of renglon) {
    const suyos = Buffer.byteLength(letra)
    if (octetos + suyos > RENGLON_OCTETOS) {
      partes.push('')
      // The space at its beginning counts.
      octetos = 1
    }
    partes[partes.length - 1] += letra
    octetos += suyos
  }
  return partes.join('\r\n ')
}

/** A calendar file to be saved under a name. */
export const answerIcs = (ics: string, nombre: string): Response =>
  new Response(ics, {
    headers: {
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': `attachment; filename="${nombre}.ics"`,
    },
  })
