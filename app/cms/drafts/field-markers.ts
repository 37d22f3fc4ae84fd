import { type Camino, valorEn } from '#app/cms/schema/edits.ts'
import type { Descriptor } from '#app/cms/schema/field-descriptor.ts'

/**
 * Signs by which a preview's words and pictures are known again as fields of the form: characters that no screen shows
 * and no reader reads aloud, at the end of each text. They are added for one rendering and stand in nothing that is kept.
 */
const ORILLA = '\u2060'
const CIFRAS = ['\u2061', '\u2062', '\u2063', '\u2064']

const SENA = new RegExp(`${ORILLA}([${CIFRAS.join('')}]+)${ORILLA}`, 'gu')

/** @param numero of the field, from 0 */
export const senaDe = (numero: number): string =>
  ORILLA + [...numero.toString(CIFRAS.length)].map((digit) => CIFRAS[Number(digit)]).join('') + ORILLA

/** Numbers of the fields whose signs stand in a text. */
export const senasEn = (texto: string): number[] =>
  [...texto.matchAll(SENA)].map(([, digits]) =>
    Number.parseInt([...digits!].map((one) => CIFRAS.indexOf(one)).join(''), CIFRAS.length),
  )

export const sinSenas = (texto: string): string => texto.replace(SENA, '')

/** Classes whose text is only read: ids, dates, addresses and choices mean something to the code, too. */
const LEIDAS = ['texto', 'texto-largo', 'renglones', 'parrafo']

export interface Lugar {
  documento: string
  campo: Camino
}

/**
 * A document with a sign on every text that is read, and on every photograph's alternative text.
 * @param lugares the fields, by the number of their sign; those of this document are added
 */
export function conSenas(documento: string, descriptor: Descriptor, valor: unknown, lugares: Lugar[]): unknown {
  const visit = (here: Descriptor, value: unknown, campo: Camino): unknown => {
    if (value === undefined || value === null) return value
    if (here.clase === 'lista')
      return Array.isArray(value) ? value.map((item, at) => visit(here.de, item, [...campo, at])) : value
    if (here.clase === 'grupo') {
      const said = here.campos.map(
        ({ nombre, campo: one }) => [nombre, visit(one, valorEn(value, [nombre]), [...campo, nombre])] as const,
      )
      if (Array.isArray(value)) return said.map(([, item]) => item)
      return { ...(value as object), ...Object.fromEntries(said.filter(([, item]) => item !== undefined)) }
    }
    if (here.clase === 'foto') {
      const { alt, ...rest } = value as { alt: string }
      return { ...rest, alt: alt + sign(campo) }
    }
    if (here.oculto || !LEIDAS.includes(here.clase)) return value
    if (typeof value === 'string') return value + sign(campo)
    return Array.isArray(value) ? value.map((line) => (typeof line === 'string' ? line + sign(campo) : line)) : value
  }
  const sign = (campo: Camino) => senaDe(lugares.push({ documento, campo }) - 1)
  return visit(descriptor, valor, [])
}
