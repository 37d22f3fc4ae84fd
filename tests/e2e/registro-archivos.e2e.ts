import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { foto, holdScripts, hydrated, openRegistro, storedOnDevice } from './documentos.ts'
import { expect, test } from './site.ts'

// Files by their paths go through the browser's own chooser: `input` and `change` come as they do from a person's
// hand, with React's renders in between, which files made in the page never show.
let folder: string
test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certamen-archivos-'))
})
test.afterAll(() => rm(folder, { recursive: true, force: true }))

async function onDisk(name: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, foto(name).buffer)
  return path
}

test('a file from disk is taken, replaced, and kept when a bad one is refused after it', async ({ page }) => {
  await openRegistro(page)
  await hydrated(page)
  const acta = page.getByLabel('Acta de Nacimiento')
  await acta.setInputFiles(await onDisk('acta.jpg'))
  await expect(page.getByText('acta.jpg', { exact: true })).toBeVisible()
  await acta.setInputFiles(await onDisk('otra.jpg'))
  await expect(page.getByText('otra.jpg', { exact: true })).toBeVisible()
  await acta.setInputFiles(await onDisk('año.jpg'))
  await expect(page.getByRole('alert')).toContainText('El archivo "año.jpg" contiene caracteres no permitidos.')
  await expect.poll(() => acta.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('otra.jpg')

  const carta = join(folder, 'carta.jpg')
  await writeFile(carta, 'Querido comité:')
  await acta.setInputFiles(carta)
  await expect(page.getByRole('alert')).toContainText('El archivo "carta.jpg" no es una foto ni un PDF.')
  await expect(page.getByText('otra.jpg', { exact: true })).toBeVisible()
  await expect.poll(() => acta.evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe('otra.jpg')
})

test('the pair before a bad side comes back whole, also after a reload', async ({ page }) => {
  await openRegistro(page)
  await hydrated(page)
  const credencial = page.getByLabel('Cred. Elector (ambos lados)', { exact: true })
  const names = () =>
    credencial.evaluate((input: HTMLInputElement) => [...(input.files ?? [])].map((file) => file.name))
  await credencial.setInputFiles([await onDisk('frente.jpg'), await onDisk('vuelta.jpg')])
  const texto = join(folder, 'texto.jpg')
  await writeFile(texto, 'Querido comité:')
  await credencial.setInputFiles([await onDisk('nuevo.jpg'), texto])
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
