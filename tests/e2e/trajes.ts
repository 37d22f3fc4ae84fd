import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import { textoPara } from '../valores.ts'
import { expectAccessible } from './accessible.ts'
import { type Archivo, foto, hydrated, pdf } from './documentos.ts'
import { expect, type Site } from './site.ts'

export const CAMPOS = {
  'Nombre del diseñador o diseñadora': 'Rosa Clavel Prueba',
  'Correo electrónico': 'rosa@ejemplo.mx',
  Celular: '33 1234 5678',
  Ciudad: 'Azahares, Jalisco',
  'Nombre del traje': 'Flor de azahar',
  Temática: 'El azahar',
  Descripción: 'Falda amplia',
  Materiales: 'Manta',
  'Altura (cm)': '150',
}
export const PARTICIPO = '¿Ha participado en otros concursos?'
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

export async function fill(page: Page, change: Partial<typeof CAMPOS> = {}) {
  for (const [label, text] of Object.entries({ ...CAMPOS, ...change })) await field(page, label).fill(text)
  for (const campo of FORMAS.traje.campos)
    if (campo.etiqueta !== PARTICIPO && !Object.hasOwn(CAMPOS, campo.etiqueta) && campo.control.como !== 'casilla')
      await field(page, campo.etiqueta).fill(textoPara(campo))
}

interface Archivos {
  frontal: Archivo
  posterior: Archivo
  identificacion: Archivo
}
export async function choose(page: Page, change: Partial<Archivos> = {}) {
  const files = { frontal: foto('frente.jpg'), posterior: pdf('atras.pdf'), identificacion: foto('ine.jpg'), ...change }
  await field(page, 'Boceto frontal').setInputFiles(files.frontal)
  await field(page, 'Boceto posterior').setInputFiles(files.posterior)
  await field(page, 'Identificación').setInputFiles(files.identificacion)
}

export async function openTraje(page: Page) {
  await page.goto('/registro-traje-tipico')
  await hydrated(page)
}

/** Nothing is held against the screen, and nothing is pushed out of it. */
export async function expectFits(page: Page) {
  await expectAccessible(page, { targets: true })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}

/** A costume that is registered by a form without JavaScript, for tests of what comes after. @returns its folio */
export async function registerTraje({ url }: Site): Promise<string> {
  const form = new FormData()
  form.set('entrega', randomUUID())
  for (const campo of FORMAS.traje.campos)
    if (campo.control.como !== 'casilla')
      form.set(campo.nombre, (CAMPOS as Record<string, string>)[campo.etiqueta] ?? textoPara(campo))
  for (const [clase, { name, mimeType, buffer }] of Object.entries({
    bocetoFrontal: foto('frente.jpg'),
    bocetoPosterior: pdf('atras.pdf'),
    identificacion: foto('ine.jpg'),
  }))
    form.set(clase, new File([new Uint8Array(buffer)], name, { type: mimeType }))
  const answer = await fetch(`${url}/registro-traje-tipico`, { method: 'POST', body: form })
  const folio = />([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})</.exec(await answer.text())?.[1]
  expect(folio, String(answer.status)).toBeDefined()
  return folio!
}
