import { ESTADOS, type EstadoInscripcion, type Filtro, MAX_TEXTO_CARACTERES } from './schema.ts'

/** Years, both included: a hint of the form, a mark in the panel. @source specification §5; decision 14 */
export const EDAD_DESDE = 18
export const EDAD_HASTA = 26

export const fueraDeEdad = (edad: number | null): boolean => edad !== null && (edad < EDAD_DESDE || edad > EDAD_HASTA)

const MAX_IDS = 500

/**
 * What the panel's addresses say of which entries they mean; whatever they say wrongly counts as not said.
 * @param edicion the year that is shown
 */
export function readFiltro(params: URLSearchParams, edicion: number): Filtro {
  const tipo = params.get('tipo')
  const texto = params.get('buscar')?.trim().slice(0, MAX_TEXTO_CARACTERES)
  const ids = params.getAll('id').map(Number).filter(isId).slice(0, MAX_IDS)
  return {
    edicion,
    tipo: tipo === 'candidata' || tipo === 'traje' ? tipo : undefined,
    estado: readEstado(params.get('estado')),
    fueraDeEdad: params.get('edad') === 'fuera' || undefined,
    texto: texto || undefined,
    ids: ids.length > 0 ? ids : undefined,
  }
}

const isId = (id: number): boolean => Number.isSafeInteger(id) && id > 0

/** An id, or a version, as an address or a form names it; 0, which none is, for anything else. */
export const toId = (text: unknown): number => (isId(Number(text)) ? Number(text) : 0)

/** A field of a form or of an address, without what the database has no place for. */
export const campoDe = (from: FormData | URLSearchParams, name: string): string =>
  String(from.get(name) ?? '')
    .replaceAll('\0', '')
    .trim()

/** The same filter as an address, with something changed; undefined takes a part away. */
export function toParams({ tipo, estado, fueraDeEdad, texto }: Omit<Filtro, 'edicion'>): string {
  const params = new URLSearchParams()
  if (tipo) params.set('tipo', tipo)
  if (estado) params.set('estado', estado)
  if (fueraDeEdad) params.set('edad', 'fuera')
  if (texto) params.set('buscar', texto)
  const said = params.toString()
  return said && `?${said}`
}

const ZONA = 'America/Mexico_City'
const dia = new Intl.DateTimeFormat('en-CA', { timeZone: ZONA })
const hora = new Intl.DateTimeFormat('es-MX', { timeZone: ZONA, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const diaYMes = new Intl.DateTimeFormat('es-MX', { timeZone: ZONA, day: 'numeric', month: 'short' })
const diaMesYAnio = new Intl.DateTimeFormat('es-MX', {
  timeZone: ZONA,
  day: 'numeric',
  month: 'short',
  year: 'numeric',
})
const DAY_MS = 86_400_000

/** When something happened, as short as it is clear, in Mexico City's time: «hace 4 min», «ayer 19:02», «12 jun 10:08». */
export function cuando(at: Date, ahora: Date): string {
  const minutes = Math.floor((ahora.getTime() - at.getTime()) / 60_000)
  if (minutes >= 0 && minutes < 1) return 'hace un momento'
  if (minutes >= 0 && minutes < 60) return `hace ${minutes} min`
  if (dia.format(at) === dia.format(ahora)) return `hoy ${hora.format(at)}`
  if (dia.format(at) === dia.format(new Date(ahora.getTime() - DAY_MS))) return `ayer ${hora.format(at)}`
  const sameYear = dia.format(at).slice(0, 4) === dia.format(ahora).slice(0, 4)
  return `${(sameYear ? diaYMes : diaMesYAnio).format(at)} ${hora.format(at)}`
}

/** Day and hour in Mexico City's time, for tables that machines read: «2025-06-12 10:08». */
export const fechaYHora = (at: Date): string => `${dia.format(at)} ${hora.format(at)}`

const alMinuto = new Intl.DateTimeFormat('en-CA', {
  timeZone: ZONA,
  dateStyle: 'short',
  timeStyle: 'short',
  hourCycle: 'h23',
})

/** A moment as a field for day and hour takes it, in Mexico City's time: «2025-09-25T23:59». */
export const aqui = (iso: string): string => alMinuto.format(new Date(iso)).replace(', ', 'T')

/** The moment that such a field means; undefined for none that there is. */
export function momentoDe(local: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return undefined
  // Its summer time ended in 2022.
  return ['-06:00', '-05:00']
    .map((offset) => `${local}:00${offset}`)
    .find((iso) => !Number.isNaN(Date.parse(iso)) && aqui(iso) === local)
}

/**
 * What a line of the log is about, for people to read: settings as the panel shows them, entries by their name.
 * @param sobre as it is kept
 * @returns the words, and the entry among them
 */
export function sobreEnPalabras(que: string, sobre: string): { texto: string; inscripcion: number | undefined } {
  const inscripcion = toId(/\binscripcion (\d+)/.exec(sobre)?.[1]) || undefined
  const periodo = /^\{"abre": ?"([^"]+)", ?"cierra": ?"([^"]+)"\}$/.exec(sobre)
  const texto = periodo
    ? `de ${fechaYHora(new Date(periodo[1]!))} a ${fechaYHora(new Date(periodo[2]!))}`
    : que === 'ajuste.prensa.publica' && /^(true|false)$/.test(sobre)
      ? sobre === 'true'
        ? 'cualquiera, sin cuenta'
        : 'sólo prensa acreditada'
      : que === 'ajuste.privacidad.dias' && /^\d+$/.test(sobre)
        ? `${sobre} días`
        : sobre.replace('inscripcion ', 'inscripción ').replace(/\b1 elegidas/, '1 elegida')
  return { texto, inscripcion }
}

/** Whoever was too late sees what the others made of it. */
export const revalidateAfterClash = ({
  actionStatus,
  defaultShouldRevalidate,
}: {
  actionStatus?: number
  defaultShouldRevalidate: boolean
}): boolean => actionStatus === 409 || defaultShouldRevalidate

/** 2025-10-05 as people write it. */
export const fechaDe = (dia: string) => dia.split('-').toReversed().join('/')
