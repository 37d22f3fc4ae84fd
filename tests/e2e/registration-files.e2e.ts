import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goToRegistration, holdScripts, hydrated, photo, storedOnDevice } from './registration-form.ts'
import { expect, test } from './site.ts'

// Files chosen by path go through the browser's own chooser: `input` and `change` come as for a person, with React's
// renders in between. Files made in the page never show that.
let folder: string
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-archivos-'))
})
test.afterAll(() => rm(folder, { recursive: true, force: true }))

async function onDisk(name: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, photo(name).buffer)
  return path
}

test('a file from disk is taken, replaced, and kept when a bad one is refused after it', async ({ page }) => {
  await goToRegistration(page)
  await hydrated(page)
  const record = page.getByLabel('Acta de Nacimiento')
  await record.setInputFiles(await onDisk('acta.jpg'))
  await expect(page.getByText('acta.jpg', { exact: true })).toBeVisible()
  await record.setInputFiles(await onDisk('otra.jpg'))
  await expect(page.getByText('otra.jpg', { exact: true })).toBeVisible()
  await record.setInputFiles(await onDisk('año.jpg'))
  await expect(page.getByRole('alert')).toContainText('El archivo "año.jpg" contiene caracteres no permitidos.')
  await expect.poll(() => record.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('otra.jpg')

  const letter = join(folder, 'carta.jpg')
  await writeFile(letter, 'Querido comité:')
  await record.setInputFiles(letter)
  await expect(page.getByRole('alert')).toContainText('El archivo "carta.jpg" no es una foto ni un PDF.')
  await expect(page.getByText('otra.jpg', { exact: true })).toBeVisible()
  await expect.poll(() => record.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('otra.jpg')
})

test('the pair before a bad side comes back whole, also after a reload', async ({ page }) => {
  await goToRegistration(page)
  await hydrated(page)
  const voterCard = page.getByLabel('Cred. Elector (ambos lados)', { exact: true })
  const names = () => voterCard.evaluate((input: HTMLInputElement) => [...(input.files ?? [])].map((file) => file.name))
  await voterCard.setInputFiles([await onDisk('frente.jpg'), await onDisk('vuelta.jpg')])
  const text = join(folder, 'texto.jpg')
  await writeFile(text, 'Querido comité:')
  await voterCard.setInputFiles([await onDisk('nuevo.jpg'), text])
  await expect(page.getByRole('alert')).toContainText('El archivo "texto.jpg" no es una foto ni un PDF.')
  await expect.poll(names).toEqual(['frente.jpg', 'vuelta.jpg'])

  await expect.poll(() => storedOnDevice(page)).toEqual([1, 2])
  await page.reload()
  for (const name of ['frente.jpg', 'vuelta.jpg'])
    await expect(page.getByRole('button', { name: `Quitar ${name}` })).toBeVisible()
  await expect.poll(names).toEqual(['frente.jpg', 'vuelta.jpg'])
})

test('files chosen before the script arrives are taken over by it', async ({ page }) => {
  const release = await holdScripts(page)
  await page.goto('/registro', { waitUntil: 'commit' })
  await page.getByLabel('Nombre').fill('Dalia Prueba')
  await page.getByLabel('Foto Rostro').setInputFiles(await onDisk('rostro.jpg'))
  release()
  await hydrated(page)
  await expect(page.getByText('rostro.jpg', { exact: true })).toBeVisible()
  await expect(page.getByLabel('Nombre')).toHaveValue('Dalia Prueba')
})
