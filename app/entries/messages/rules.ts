import type { EstadoInscripcion } from '#app/entries/schema.ts'
import type { Carta, Pieza } from '#app/mail/schema.ts'
import { HUECOS, type Hueco, huecosDe, MAXIMOS, OCASIONES, type Ocasion, type Palabras } from './schema.ts'

export const readOcasion = (text: unknown): Ocasion | undefined => OCASIONES.find((ocasion) => ocasion === text)

/** What is told by mail of an entry in this state. */
export const ocasionDe = (estado: EstadoInscripcion): Ocasion | undefined => readOcasion(estado)

/** The words that come with the site. */
export const PALABRAS_DEL_SITIO: Readonly<Record<Ocasion, Palabras>> = {
  aceptada: {
    asunto: 'Tu registro para {certamen} fue aceptado',
    titulo: '¡Felicidades, {nombre}!',
    texto:
      'El comité revisó tu registro, con el folio {folio}, y lo aceptó.\n\n{nota}\n\nPronto te buscamos para decirte lo que sigue. Con tu folio puedes ver tu registro cuando quieras:\n\n{enlace}',
  },
  rechazada: {
    asunto: 'Sobre tu registro para {certamen}',
    titulo: 'Hola, {nombre}',
    texto:
      'El comité revisó tu registro, con el folio {folio}, y esta vez no fue aceptado.\n\n{nota}\n\nGracias por tu interés y por el tiempo que le diste. Con tu folio puedes ver tu registro mientras lo conservamos:\n\n{enlace}',
  },
  'falta-documento': {
    asunto: 'Necesitamos un documento de tu registro para {certamen}',
    titulo: 'Falta un documento',
    texto:
      'Hola, {nombre}. Para seguir con tu registro necesitamos que subas otra vez:\n\n{documentos}\n\n{nota}\n\nCon tu folio {folio} subes sólo lo que falta; lo demás ya lo tenemos:\n\n{enlace}',
  },
}

/** Something to mend in what an organiser wrote. */
export interface Reparo {
  campo: keyof Palabras
  mensaje: string
}

const VACIO: Readonly<Record<keyof Palabras, string>> = {
  asunto: 'Escribe el asunto: es lo primero que se lee.',
  titulo: 'Escribe el título de la carta.',
  texto: 'Escribe lo que dice la carta.',
}

const HUECO = /\{([^{}\n]*)\}/g

/** What is wrong with words before they are kept; the first fault of each field. */
export function revisarPalabras(ocasion: Ocasion, palabras: Palabras): Reparo[] {
  return (['asunto', 'titulo', 'texto'] as const).flatMap((campo) => {
    const mensaje = reparoDe(ocasion, campo, palabras[campo])
    return mensaje === undefined ? [] : [{ campo, mensaje }]
  })
}

function reparoDe(ocasion: Ocasion, campo: keyof Palabras, text: string): string | undefined {
  if (text.trim() === '') return VACIO[campo]
  const max = MAXIMOS[campo]
  const length = [...text].length
  if (length > max) return `Escríbelo más corto: caben ${max} caracteres y lleva ${length}.`
  const huecos = huecosDe(ocasion)
  const known = huecos.map((hueco) => `{${hueco}}`).join(', ')
  for (const [whole, name] of text.matchAll(HUECO)) {
    if ((huecos as string[]).includes(name!)) {
      if (campo !== 'texto' && ['enlace', 'nota', 'documentos'].includes(name!))
        return `${whole} sólo puede ir en el texto de la carta. Quítalo de aquí.`
      continue
    }
    return Object.hasOwn(HUECOS, name!)
      ? `${whole} no se conoce en esta carta. Los que hay son ${known}.`
      : `${whole} no es un dato que se pueda poner. Los que hay son ${known}. Escríbelo igual que ahí, o quita las llaves.`
  }
  if (/[{}]/.test(text.replace(HUECO, '')))
    return `Hay una llave suelta. Cada dato va entre dos llaves, como {nombre}; quita la que sobra.`
  return undefined
}

/** What stands in the place of each. */
export type Valores = Readonly<Record<Exclude<Hueco, 'certamen' | 'enlace'>, string>>

const ROTULO: Readonly<Record<Ocasion, string>> = {
  aceptada: 'Consultar mi folio',
  rechazada: 'Consultar mi folio',
  'falta-documento': 'Subir lo que falta',
}

/** By which the log and the outbox know it. */
const KIND: Readonly<Record<Ocasion, string>> = {
  aceptada: 'aceptada',
  rechazada: 'rechazada',
  'falta-documento': 'documento',
}

const MAX_PREHEADER = 120

/**
 * The message of an occasion. Each line of the text is a paragraph; one that says nothing but the link is a button, and
 * one with a note or with documents is left out where there are none.
 */
export const cartaDeAviso = (ocasion: Ocasion, { asunto, titulo, texto }: Palabras, valores: Valores): Carta => ({
  kind: KIND[ocasion],
  palabras({ nombre, anio }, sitio) {
    const certamen = `${nombre} ${anio}`
    const enlace = `${sitio}/folio#${valores.folio}`
    const all: Readonly<Record<string, string>> = { ...valores, certamen, enlace }
    // In one pass: what stands in the place of one is looked through for no other.
    const fill = (text: string) => text.replace(HUECO, (whole, name: string) => all[name] ?? whole)
    const lines = texto
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    const isEmpty = (line: string) =>
      (['nota', 'documentos'] as const).some((hueco) => line.includes(`{${hueco}}`) && valores[hueco] === '')
    const cuerpo = lines
      .filter((line) => !isEmpty(line))
      .flatMap((line): Pieza[] =>
        line === '{enlace}'
          ? [{ enlace, rotulo: ROTULO[ocasion] }]
          : fill(line)
              .split('\n')
              .map((parrafo) => ({ parrafo })),
      )
    const first = cuerpo.find((pieza) => 'parrafo' in pieza)
    return {
      subject: fill(asunto),
      preheader: first && 'parrafo' in first ? first.parrafo.slice(0, MAX_PREHEADER) : fill(titulo),
      titulo: fill(titulo),
      cuerpo,
      nota: `Recibes este correo porque diste esta dirección al registrarte para ${certamen}. Tu folio es personal: quien lo tenga puede ver cómo va tu registro. Si no fuiste tú, ignora este correo.`,
    }
  },
})

/** An example by which an organiser sees how words read. */
export const EJEMPLO: Valores = {
  nombre: 'Lucía',
  folio: '7K2M-9QXR-4TBD',
  nota: 'Aquí va la nota que el comité escribe para la persona. Si no hay nota, este renglón no sale.',
  documentos: 'Credencial de elector, reverso: no se lee el número.',
}

const PARTICULAS = new Set(['de', 'del', 'la', 'las', 'los', 'y', 'e'])

/**
 * The given names of a whole name: what is left of it without two surnames. «Ana Sofía Ramírez Luna» is Ana Sofía, «Ana
 * Ramírez» is Ana.
 */
export function nombreDePila(titular: string): string {
  const words = titular.trim().split(/\s+/)
  const given = words.slice(0, Math.max(1, words.length - 2))
  while (given.length > 1 && PARTICULAS.has(given.at(-1)!.toLowerCase())) given.pop()
  return given.join(' ')
}

const DE_WHATSAPP: Readonly<Record<EstadoInscripcion, string>> = {
  recibida: 'Recibimos tu registro y pronto lo revisamos.',
  'en-revision': 'Estamos revisando tu registro.',
  'falta-documento': 'Para seguir con tu registro nos falta un documento. Súbelo aquí, con tu folio:',
  aceptada: '¡Felicidades! El comité aceptó tu registro.',
  rechazada: 'El comité revisó tu registro y esta vez no fue aceptado. Gracias por tu interés.',
}

/** What an organiser finds written when WhatsApp opens. @param enlace to the page of her folio */
export function textoDeWhatsApp(
  { titular, estado }: { titular: string; estado: EstadoInscripcion },
  certamen: string,
  enlace: string,
): string {
  const { [estado]: dicho } = DE_WHATSAPP
  const lead = dicho.endsWith(':') ? '' : ' Aquí puedes ver tu registro:'
  return `Hola, ${nombreDePila(titular)}. Te escribimos del comité de ${certamen}. ${dicho}${lead} ${enlace}`
}
