import sharp from 'sharp'
import { candidateFiles, seedEntry } from '../support/entries/seeded-entries.ts'
import { servicesOn } from './accounts.ts'
import type { Site } from './site.ts'

/** Puts entries into the site's database and storage. @returns their ids */
export async function sow(site: Site, seeds: NonNullable<Parameters<typeof seedEntry>[1]>[]): Promise<number[]> {
  return servicesOn(site, async (services) => {
    const ids: number[] = []
    for (const seed of seeds) {
      const files = candidateFiles()
      for (const one of files)
        one.body = await sharp({ create: { width: 300, height: 400, channels: 3, background: '#a86' } })
          .jpeg()
          .toBuffer()
      const theirs = seed.tipo === 'traje' ? {} : { files }
      ids.push(await seedEntry(services, { ...theirs, ...seed }))
    }
    return ids
  })
}
