import { createHash } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { saveEditionFile } from '#app/cms/media/file-store.server.ts'
import { insertPublication, notifyProcesses, readCurrentPublication } from '#app/cms/publishing/publications.server.ts'
import { openDatabase, openPool } from '#app/core/db/database.server.ts'
import { openS3Storage } from '#app/core/storage/s3-adapter.server.ts'
import { type RunningSite, startSite } from '#tests/support/site/running-site.ts'

const textOf = async (url: string) => (await fetch(url)).text()

test('two processes on one database and one S3 storage show the same publication, pictures and all', async () => {
  const bucket = process.env.TEST_S3_URL
  if (!bucket) throw new Error('Run it through npm run test:s3, which starts the S3 server')
  const shared = { STORAGE_URL: bucket.replace('/sitio?', `/dos-${process.pid}?`), SESSION_SECRET: 's'.repeat(40) }
  const dataDir = await mkdtemp(join(tmpdir(), 'certamen-'))
  const sites: RunningSite[] = []
  const host = join(dataDir, 'postgres.sockets')
  try {
    sites.push(await startSite({ ...shared, DATA_DIR: dataDir }))
    const DATABASE_URL = `postgresql://certamen@localhost:5432/certamen?host=${encodeURIComponent(host)}`
    sites.push(await startSite({ ...shared, DATABASE_URL }))
    const pool = openPool({ host, port: 5432, user: 'certamen', database: 'certamen' }, 2)
    try {
      const db = openDatabase(pool)
      const storage = openS3Storage(shared.STORAGE_URL)
      const bytes = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#a3257c' } })
        .jpeg()
        .toBuffer()
      const dimensions = { ancho: 1600, alto: 1200, vista: 'data:image/webp;base64,AAAA' }
      const { ruta, sha256 } = await saveEditionFile({ db, storage }, { tipo: 'image/jpeg', bytes, dimensions })
      const current = (await readCurrentPublication(db))!
      const home = current.valores['inicio.yaml'] as { galeria: { foto: string }[] }
      const [first, ...rest] = home.galeria
      const gallery = [{ ...first, foto: ruta }, ...rest]
      const values = {
        ...current.valores,
        'inicio.yaml': { ...home, introduccion: 'En las dos máquinas.', galeria: gallery },
      }
      const newOne = {
        edicion: 2025,
        valores: values,
        archivos: { ...current.archivos, [ruta]: sha256 },
        origen: 'panel' as const,
      }
      await insertPublication(db, newOne, 'preparando', new Date())
      await notifyProcesses(db)
      // One process shows the publication first; the other one has fifteen seconds more.
      await expect
        .poll(
          async () =>
            (await Promise.all(sites.map(({ url }) => textOf(`${url}/`)))).some((page) =>
              page.includes('En las dos máquinas.'),
            ),
          { timeout: 90_000 },
        )
        .toBe(true)
      await expect
        .poll(
          async () =>
            (await Promise.all(sites.map(({ url }) => textOf(`${url}/`)))).every((page) =>
              page.includes('En las dos máquinas.'),
            ),
          { timeout: 15_000 },
        )
        .toBe(true)
      for (const { url } of sites) {
        const picture = new RegExp(`/img/fotos-${sha256.slice(0, 12)}-[0-9a-f]{10}-960\\.avif`).exec(
          await textOf(`${url}/`),
        )![0]
        const answer = await fetch(url + picture)
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/avif'])
      }
      expect((await storage.head('edicion', `archivos/${sha256}`))?.sha256).toBe(
        createHash('sha256').update(bytes).digest('hex'),
      )
      const made: string[] = []
      for await (const path of storage.list('edicion', 'tamanos/')) made.push(path)
      expect(made.some((path) => path.includes(`fotos-${sha256.slice(0, 12)}`))).toBe(true)
    } finally {
      await pool.end()
    }
  } finally {
    for (const site of sites.reverse()) await site.stop()
  }
}, 180_000)
