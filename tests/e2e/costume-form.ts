import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { textFor } from '../support/entries/field-values.ts'
import { expectAccessible } from './accessible.ts'
import { expectNoSidewaysScroll } from './look-at-screen.ts'
import { type DocumentFile, hydrated, pdf, photo } from './registration-form.ts'
import { expect, type Site } from './site.ts'

export const FIELDS = {
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
export const PARTICIPATED_LABEL = '¿Ha participado en otros concursos?'
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

export async function fill(page: Page, change: Partial<typeof FIELDS> = {}) {
  for (const [label, text] of Object.entries({ ...FIELDS, ...change })) await field(page, label).fill(text)
  for (const one of FORMS.traje.fields)
    if (one.label !== PARTICIPATED_LABEL && !Object.hasOwn(FIELDS, one.label) && one.control.kind !== 'checkbox')
      await field(page, one.label).fill(textFor(one))
}

interface ChosenFiles {
  frontal: DocumentFile
  posterior: DocumentFile
  identification: DocumentFile
}
export async function choose(page: Page, change: Partial<ChosenFiles> = {}) {
  const files = {
    frontal: photo('frente.jpg'),
    posterior: pdf('atras.pdf'),
    identification: photo('ine.jpg'),
    ...change,
  }
  await field(page, 'Boceto frontal').setInputFiles(files.frontal)
  await field(page, 'Boceto posterior').setInputFiles(files.posterior)
  await field(page, 'Identificación').setInputFiles(files.identification)
}

export async function goToCostumeForm(page: Page) {
  await page.goto('/registro-traje-tipico')
  await hydrated(page)
}

/** Checks accessibility, target sizes and sideways scroll. */
export async function expectFits(page: Page) {
  await expectAccessible(page, { targets: true })
  await expectNoSidewaysScroll(page)
}

/** Registers a costume by a form without JavaScript. @returns its folio */
export async function registerCostume({ url }: Site): Promise<string> {
  const form = new FormData()
  form.set('entrega', randomUUID())
  for (const one of FORMS.traje.fields)
    if (one.control.kind !== 'checkbox')
      form.set(one.name, (FIELDS as Record<string, string>)[one.label] ?? textFor(one))
  for (const [kind, { name, mimeType, buffer }] of Object.entries({
    bocetoFrontal: photo('frente.jpg'),
    bocetoPosterior: pdf('atras.pdf'),
    identificacion: photo('ine.jpg'),
  }))
    form.set(kind, new File([new Uint8Array(buffer)], name, { type: mimeType }))
  const answer = await fetch(`${url}/registro-traje-tipico`, { method: 'POST', body: form })
  const folio = />([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})</.exec(await answer.text())?.[1]
  expect(folio, String(answer.status)).toBeDefined()
  return folio!
}
