import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import { textFor } from '../support/entries/field-values.ts'

export interface DocumentFile {
  name: string
  mimeType: string
  buffer: Buffer
}

const pixels = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#c21f6b' } })
  .jpeg()
  .toBuffer()

const iphone = await readFile('tests/samples/foto.heic')

/** A photograph that a browser can draw, filled up to a size with random bytes. */
export const photo = (name: string, bytes = 40_000): DocumentFile => ({
  name,
  mimeType: 'image/jpeg',
  buffer: Buffer.concat([pixels, randomBytes(Math.max(8, bytes - pixels.byteLength))]),
})

export const pdf = (name: string, bytes = 20_000): DocumentFile => ({
  name,
  mimeType: 'application/pdf',
  buffer: Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes)]),
})

/** A photograph with the name and type that phones give it; Chromium cannot draw HEIC. */
export const heic = (name: string): DocumentFile => ({
  name,
  mimeType: 'image/heic',
  buffer: Buffer.concat([iphone, randomBytes(9_000)]),
})

export const FIELDS = {
  nombre: 'Lucía Magnolia Serrano',
  edad: '21',
  estatura: '1.66',
  gradoEstudio: 'Egresada',
  celular: '33 1234 5678',
}

export interface Documents {
  birthCertificate: DocumentFile
  voterCard: DocumentFile[]
  studyCertificate: DocumentFile
  facePhoto: DocumentFile
  bodyPhoto: DocumentFile
}

/** @param bytes of each photograph */
export const documents = (bytes?: number): Documents => ({
  birthCertificate: pdf('acta lucia (1).pdf'),
  voterCard: [photo('frente.jpg', bytes), photo('vuelta.jpg', bytes)],
  studyCertificate: pdf('constancia.pdf'),
  facePhoto: heic('IMG_0412.HEIC'),
  bodyPhoto: photo('cuerpo.jpg', bytes),
})

export async function fillFields(page: Page, fields: Partial<typeof FIELDS> = FIELDS) {
  const { nombre, edad, estatura, gradoEstudio, celular } = { ...FIELDS, ...fields }
  await page.getByLabel('Nombre', { exact: true }).fill(nombre)
  await page.getByLabel('Edad', { exact: true }).fill(edad)
  await page.getByLabel('Estatura (m)', { exact: true }).fill(estatura)
  await page.getByLabel('Grado de Estudio', { exact: true }).selectOption(gradoEstudio)
  await page.getByLabel('Celular', { exact: true }).fill(celular)
  for (const field of FORMS.candidata.fields)
    if (!Object.hasOwn(FIELDS, field.name) && field.control.kind !== 'checkbox')
      await page.getByLabel(field.label).fill(textFor(field))
}

type DocumentChoices = {
  [Kind in keyof Documents]: Documents[Kind] | (Documents[Kind] extends unknown[] ? string[] : string)
}

export async function chooseDocuments(
  page: Page,
  { birthCertificate, voterCard, studyCertificate, facePhoto, bodyPhoto }: DocumentChoices = documents(),
) {
  await page.getByLabel('Acta de Nacimiento', { exact: true }).setInputFiles(birthCertificate)
  await page.getByLabel('Cred. Elector (ambos lados)', { exact: true }).setInputFiles(voterCard)
  await page.getByLabel('Constancia de Estudios', { exact: true }).setInputFiles(studyCertificate)
  await page.getByLabel('Foto Rostro', { exact: true }).setInputFiles(facePhoto)
  await page.getByLabel('Foto Cuerpo (traje de baño)', { exact: true }).setInputFiles(bodyPhoto)
}

/** Writes the files to a disk. Chosen by path, they reach the page as a person's choice does, with separate events. */
export async function onDisk(documents: Documents) {
  const folder = await mkdtemp(join(tmpdir(), 'certamen-archivos-'))
  const write = async ({ name, buffer }: DocumentFile) => {
    const path = join(folder, name)
    await writeFile(path, buffer)
    return path
  }
  const { birthCertificate, voterCard, studyCertificate, facePhoto, bodyPhoto } = documents
  return {
    birthCertificate: await write(birthCertificate),
    voterCard: await Promise.all(voterCard.map(write)),
    studyCertificate: await write(studyCertificate),
    facePhoto: await write(facePhoto),
    bodyPhoto: await write(bodyPhoto),
    remove: () => rm(folder, { recursive: true }),
  }
}

export const button = (page: Page) =>
  page.getByRole('button', { name: /^(Enviar Registro|Subiendo información\.\.\.)$/ })

/** Waits until the page's script is at work: until then the form is a plain one. */
export async function hydrated(page: Page) {
  await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
}

export async function goToRegistration(page: Page) {
  await page.goto('/registro')
  await hydrated(page)
}

/** Holds back requests to an address. @returns releases them */
export async function holdBack(page: Page, address: string): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(address, async (route) => {
    await held
    await route.continue()
  })
  return release
}

/** Holds back the page's scripts. @returns releases them */
export const holdScripts = (page: Page) => holdBack(page, '**/assets/*.js')

/** How many drafts and how many of their files this device keeps. Writing takes a moment after a choice. */
export const storedOnDevice = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const request = indexedDB.open('registro')
        // No database yet: creating one here would look like the page's own.
        request.onupgradeneeded = () => request.transaction?.abort()
        request.onerror = () => resolve([0, 0])
        request.onsuccess = () => {
          const names = ['borradores', 'archivos']
          const stores = request.result.transaction(names)
          const counts = names.map((name) => stores.objectStore(name).count())
          counts.at(-1)!.onsuccess = () => {
            request.result.close()
            resolve(counts.map((count) => count.result))
          }
        }
      }),
  )

/** Records the order in which attributes of the open dialog change while it closes. */
export const recordClosing = (page: Page) =>
  page.evaluateHandle(() => {
    const changes: string[] = []
    new MutationObserver((records) => {
      for (const { attributeName } of records) if (attributeName) changes.push(attributeName)
    }).observe(document.querySelector('dialog[open]')!, { attributeFilter: ['data-closing', 'open'] })
    return changes
  })

/** Limit of the JavaScript, in bytes as sent, before a screen is touched. */
export const MAX_SCRIPT_BYTES = 105 * 1_024

/** Adds up the JavaScript, in bytes as sent, that the screen itself fetches from now on. */
export async function weigh(page: Page): Promise<() => number> {
  let sum = 0
  page.on('response', (response) => {
    if (/\.js(\?|$)/.test(response.url())) sum += Number(response.headers()['content-length'])
  })
  // Without prefetches, whose code belongs to other screens: they start when a link comes into view.
  await page.addInitScript(() => {
    window.IntersectionObserver = class extends IntersectionObserver {
      override observe(target: Element) {
        if (!(target instanceof HTMLAnchorElement)) super.observe(target)
      }
    }
  })
  return () => sum
}
